// Adds ended runs to the usage of their hours, on one node at a time. It works in pieces with pauses between them, so
// that requests reach the database meanwhile.
import { Effect } from "effect"
import * as JobKind from "../../jobs/JobKind.ts"
import { endsPerBatch, UsageStore } from "../store/UsageStore.ts"

const pause = "20 millis"

export const kind = Effect.map(UsageStore, (store) =>
  JobKind.repeating({
    name: "usage",
    every: "20 seconds",
    handle: () =>
      Effect.gen(function*() {
        // runs that end meanwhile wait for the next job: under load they would keep this one busy with few at a time
        while ((yield* store.rollUp()) >= endsPerBatch) yield* Effect.sleep(pause)
      })
  }))
