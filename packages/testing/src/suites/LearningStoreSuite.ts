// What every `LearningStore` has to do. The layer also gives the `SessionStore` of the same database, because the
// context of a session is deleted with it.
import { layer } from "@effect/vitest"
import type { LearningStore } from "@svc/runtime/learning/LearningStore"
import type { SessionStore } from "@svc/runtime/session/SessionStore"
import type { Layer } from "effect"
import { applying } from "./learnings/applying.ts"
import { listing } from "./learnings/listing.ts"
import { ownership } from "./learnings/ownership.ts"
import { persistence } from "./learnings/persistence.ts"

export const suite = <E>(name: string, stores: Layer.Layer<LearningStore | SessionStore, E>) =>
  layer(stores, { excludeTestServices: true })(`LearningStore, ${name}`, (it) => {
    persistence(it)
    listing(it)
    ownership(it)
    applying(it)
  })
