// The events of a run from the first one: those stored and those to come. A run that stores none has its last event.
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type { RunQuery } from "@svc-runtime/agents/runService/VisibleRuns"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as StoredEvents from "@svc-runtime/protocols/run/StoredEvents"
import { Effect, Stream } from "effect"
import type { Encoded } from "./PieceStream.ts"

export interface Replayed extends Pick<Encoded, "events"> {
  readonly run: AnyRun.Output
}

/** Of a run that was read. `after`: the index of the last event that is not wanted. */
export const eventsOf = Effect.fnUntraced(
  function*(service: RunService["Service"], query: RunQuery, run: AnyRun.Output, after = -1) {
    const { count, events } = yield* Effect.catchTag(
      service.watch({ ...query, after }),
      "SessionIdRequired",
      Effect.die
    )
    const replayed: Replayed = {
      run,
      events: count === 0 ? Stream.concat(Stream.fromIterable(StoredEvents.of(run)), events) : events
    }
    return replayed
  }
)

export const of = Effect.fnUntraced(function*(service: RunService["Service"], query: RunQuery, after?: number) {
  return yield* eventsOf(service, query, yield* service.get({ ...query, partOf: "watch" }), after)
})
