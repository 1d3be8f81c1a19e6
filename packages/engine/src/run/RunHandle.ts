// A run that this request started or resumed, for its caller: its ids, its events, its output, and how it is cancelled.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Effect, Stream } from "effect"
import type { RunHandedOver } from "./RunErrors.ts"

export interface RunRef {
  readonly kind: ComponentKind.ComponentKind
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

export const refOf = ({ kind, run_id, session_id }: RunRef): RunRef => ({ kind, run_id, session_id })

export interface RunHandle {
  readonly _tag: "Started"
  readonly run: RunRef
  /**
   * From the first event to the last one, which comes after the run is stored. For one reader. Empty unless streamed.
   */
  readonly events: Stream.Stream<RunEvent.RunEvent, StorageUnavailable | RunHandedOver>
  /**
   * The state with which it begins or continues: the stored one, and what the request that starts it adds. Left out for
   * a run that waits, or that is not executed.
   */
  readonly sessionState?: Json.Object | undefined
  /** As it is stored. */
  readonly output: Effect.Effect<AnyRun.Output, StorageUnavailable | RunHandedOver>
  /** Requests the end of the run. */
  readonly cancel: Effect.Effect<void, StorageUnavailable>
}
