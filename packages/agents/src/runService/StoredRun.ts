// What the run service gives for a run: one that this request started or resumed, or one that is there already.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import type { Watched } from "@svc-runtime/engine/run/events/RunWatch"
import type { RunHandedOver } from "@svc-runtime/engine/run/RunErrors"
import type { RunHandle } from "@svc-runtime/engine/run/RunHandle"
import type { RunFilter } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Option } from "effect"
import type { ComponentRef } from "./Components.ts"

export interface RunRef {
  readonly kind: ComponentKind.ComponentKind
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

/** A run that this request started or resumed. */
export interface StartedRun {
  readonly _tag: "Started"
  readonly run: RunRef
  readonly handle: RunHandle
  /** Requests the end of the run. */
  readonly cancel: Effect.Effect<void, StorageUnavailable>
}

/** A run that an earlier request, or an approval, started or resumed. */
export interface RepeatedRun {
  readonly _tag: "Repeated"
  readonly run: RunRef
  readonly watched: Watched
  /** None when it was deleted meanwhile. */
  readonly output: Effect.Effect<Option.Option<AnyRun.Output>, StorageUnavailable | RunHandedOver>
}

/** For when the client of a request disconnects. A run that another request started continues in any case. */
export const onDisconnect = (
  run: StartedRun | RepeatedRun,
  mode: "continue" | "cancel" | null | undefined
): Effect.Effect<void> =>
  // a run that cannot be cancelled ends and is stored like any other
  run._tag === "Started" && mode === "cancel" ? Effect.ignore(run.cancel, { log: true }) : Effect.void

export const refOf = ({ kind, run_id, session_id }: RunRef): RunRef => ({ kind, run_id, session_id })

export const started = (
  engine: RunEngine["Service"],
  component: ComponentRef,
  run: RunRef,
  handle: RunHandle
): StartedRun => ({
  _tag: "Started",
  run,
  handle,
  cancel: Effect.asVoid(Effect.suspend(() => engine.cancel({ ...run, filter: { owner: Owner.anyone, component } })))
})

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
