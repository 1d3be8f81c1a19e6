// A run that is there already: an earlier request, or an approval, started or resumed it.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import type { Watched } from "@svc-runtime/engine/run/events/RunWatch"
import type { RunHandedOver } from "@svc-runtime/engine/run/RunErrors"
import type { RunHandle, RunRef } from "@svc-runtime/engine/run/RunHandle"
import type { RunFilter } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Option } from "effect"

export interface RepeatedRun {
  readonly _tag: "Repeated"
  readonly run: RunRef
  readonly watched: Watched
  /** None when it was deleted meanwhile. */
  readonly output: Effect.Effect<Option.Option<AnyRun.Output>, StorageUnavailable | RunHandedOver>
}

/** For when the client of a request disconnects. A run that another request started continues in any case. */
export const onDisconnect = (
  run: RunHandle | RepeatedRun,
  mode: "continue" | "cancel" | null | undefined
): Effect.Effect<void> =>
  // a run that cannot be cancelled ends and is stored like any other
  run._tag === "Started" && mode === "cancel" ? Effect.ignore(run.cancel, { log: true }) : Effect.void

/** None when the run does not exist, or the caller may not see it. */
export const repeated = Effect.fnUntraced(function*(engine: RunEngine["Service"], run: RunRef, filter: RunFilter) {
  const { run_id, session_id } = run
  const watched = yield* engine.watch({ run_id, session_id, filter, after: -1 })
  return Option.map(watched, (watched): RepeatedRun => ({
    _tag: "Repeated",
    run,
    watched,
    output: engine.output({ run_id, session_id, filter })
  }))
})
