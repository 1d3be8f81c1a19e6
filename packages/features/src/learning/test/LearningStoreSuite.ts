// What every `LearningStore` has to do. The layer also gives the stores of the same database that learnings depend on.
import { layer } from "@effect/vitest"
import type { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Layer } from "effect"
import type { MemoryStore } from "../../memory/MemoryStore.ts"
import { LearningLimit } from "../LearningLimit.ts"
import type { LearningStore } from "../LearningStore.ts"
import { applying } from "./applying.ts"
import { limiting, limits } from "./limiting.ts"
import { listing } from "./listing.ts"
import { ownership } from "./ownership.ts"
import { persistence } from "./persistence.ts"

type Stores = JobStore | LearningStore | MemoryStore | RunStore | SessionStore

export const suite = <E>(name: string, stores: Layer.Layer<Stores, E>) =>
  layer(stores.pipe(Layer.provide(Layer.succeed(LearningLimit, limits))), { excludeTestServices: true })(
    `LearningStore, ${name}`,
    (it) => {
      persistence(it)
      listing(it)
      ownership(it)
      applying(it)
      limiting(it)
    }
  )
