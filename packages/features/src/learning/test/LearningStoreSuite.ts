// What every `LearningStore` has to do. The layer also gives the stores of the same database that learnings depend on.
import { layer } from "@effect/vitest"
import type { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import type { Layer } from "effect"
import type { MemoryStore } from "../../memory/MemoryStore.ts"
import type { LearningStore } from "../LearningStore.ts"
import { applying } from "./applying.ts"
import { layerLimits, limiting } from "./limiting.ts"
import { listing } from "./listing.ts"
import { ownership } from "./ownership.ts"
import { persistence } from "./persistence.ts"

type Stores = JobStore | LearningStore | MemoryStore | RunStore | SessionStore

/** Makes the stores with the limits of the suite. */
export const suite = <E>(name: string, stores: (limits: typeof layerLimits) => Layer.Layer<Stores, E>) =>
  layer(stores(layerLimits), { excludeTestServices: true })(
    `LearningStore, ${name}`,
    (it) => {
      persistence(it)
      listing(it)
      ownership(it)
      applying(it)
      limiting(it)
    }
  )
