// What every `SessionStore` has to do. The layer also gives the `RunStore` of the same database, because a session is
// read with the messages of its runs. Tests share the database: each looks only at what it made itself.
import { layer } from "@effect/vitest"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import type { Layer } from "effect"
import { conversation } from "./sessions/conversation.ts"
import { listing } from "./sessions/listing.ts"
import { ownership } from "./sessions/ownership.ts"
import { past } from "./sessions/past.ts"
import { persistence } from "./sessions/persistence.ts"
import { summaries } from "./sessions/summaries.ts"
import { summarizedRuns } from "./sessions/summarizedRuns.ts"

export const suite = <E>(name: string, stores: Layer.Layer<SessionStore | RunStore, E>) =>
  layer(stores, { excludeTestServices: true })(`SessionStore, ${name}`, (it) => {
    persistence(it)
    conversation(it)
    listing(it)
    ownership(it)
    summaries(it)
    summarizedRuns(it)
    past(it)
  })
