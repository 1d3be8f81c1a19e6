// What every `JobStore` has to do. The layer also gives the other stores of the same database: nodes send heartbeats
// there, and sessions are removed with their jobs.
import { layer } from "@effect/vitest"
import type { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import type { Layer } from "effect"
import { enqueueing } from "./jobs/enqueueing.ts"
import { executing } from "./jobs/executing.ts"

export const suite = <E>(name: string, stores: Layer.Layer<JobStore | RunStore | SessionStore, E>) =>
  layer(stores, { excludeTestServices: true })(`JobStore, ${name}`, (it) => {
    enqueueing(it)
    executing(it)
  })
