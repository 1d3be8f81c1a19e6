// Watching a run from anywhere: whoever executes it has its events at hand; everybody else reads what is stored of them,
// and looks again until the run has ended.
import { type AnyRun, Run, type RunEvent, type Session, type StorageUnavailable } from "@svc/domain"
import { Effect, Option, Stream } from "effect"
import type { RunHandedOver } from "./RunErrors.ts"
import type { RunEvents } from "./RunEvents.ts"
import type { RunFilter, RunStore } from "./RunStore.ts"

export interface WatchRequest {
  readonly run_id: Run.Id
  /** Undefined where the run's id has to do. */
  readonly session_id: Session.Id | undefined
  readonly filter: RunFilter
  /** Those behind this index are wanted; -1 for all of them. */
  readonly after: number
}

export interface OutputRequest {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly filter: RunFilter
}

export interface Watched {
  /** At the moment of asking. */
  readonly status: Run.Status
  /** How many events the run had then. */
  readonly count: number
  readonly events: Stream.Stream<RunEvent.RunEvent, StorageUnavailable>
}

/** Events that are read at a time, so that no watcher needs memory for a whole run. */
const page = 500

/** How often a run is looked at that is executed elsewhere. */
const lookEvery = "250 millis"

const storedAfter = (runs: RunStore["Service"], { after, filter, run_id, session_id }: WatchRequest) => {
  const next = (
    after: number
  ): Effect.Effect<readonly [ReadonlyArray<RunEvent.RunEvent>, number] | undefined, StorageUnavailable> =>
    Effect.flatMap(runs.readEvents(session_id, run_id, filter, { after, limit: page }), (read) => {
      // removed while it was watched
      if (Option.isNone(read)) return Effect.succeed(undefined)
      const { events, status } = read.value
      const last = events.at(-1)
      if (last !== undefined) return Effect.succeed([events, last.event_index] as const)
      if (!Run.isUnderWay(status)) return Effect.succeed(undefined)
      return Effect.andThen(Effect.sleep(lookEvery), next(after))
    })
  return Stream.flatMap(Stream.unfold(after, next), (events) => Stream.fromArray(events))
}

/** None when there is no such run that the caller may see. */
export const watch = Effect.fnUntraced(function*(
  runs: RunStore["Service"],
  executing: RunEvents | undefined,
  request: WatchRequest
) {
  const { after, filter, run_id, session_id } = request
  const found = yield* runs.readEvents(session_id, run_id, filter, { after, limit: 0 })
  return Option.map(found, ({ count, status }): Watched => {
    if (executing === undefined || !executing.isKept) return { status, count, events: storedAfter(runs, request) }
    // what was before this process took the run is stored
    const missed = Stream.take(storedAfter(runs, request), Math.max(0, executing.first - after - 1))
    return { status, count: executing.count(), events: Stream.concat(missed, executing.after(after)) }
  })
})

/** None when there is no such run that the caller may see. */
export const output = (
  runs: RunStore["Service"],
  executing: Effect.Effect<AnyRun.Output, StorageUnavailable | RunHandedOver> | undefined,
  request: OutputRequest
): Effect.Effect<Option.Option<AnyRun.Output>, StorageUnavailable | RunHandedOver> =>
  Effect.flatMap(runs.find(request.session_id, request.run_id, request.filter), (found) => {
    if (Option.isNone(found) || !Run.isUnderWay(found.value.status)) return Effect.succeed(found)
    if (executing !== undefined) return Effect.map(executing, Option.some)
    return Effect.andThen(Effect.sleep(lookEvery), output(runs, undefined, request))
  })
