// What every `LearningStore` has to do. The layer also gives the stores of the same database that learnings depend on.
import { layer } from "@effect/vitest"
import type { JobStore } from "@svc/runtime/jobs/JobStore"
import { LearningLimit } from "@svc/runtime/learning/LearningLimit"
import type { LearningStore } from "@svc/runtime/learning/LearningStore"
import type { MemoryStore } from "@svc/runtime/memory/MemoryStore"
import type { RunStore } from "@svc/runtime/run/store/RunStore"
import type { SessionStore } from "@svc/runtime/session/SessionStore"
import { Layer } from "effect"
import { applying } from "./learnings/applying.ts"
import { limiting, limits } from "./learnings/limiting.ts"
import { listing } from "./learnings/listing.ts"
import { ownership } from "./learnings/ownership.ts"
import { persistence } from "./learnings/persistence.ts"

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
