// The result for the caller who starts or continues a run.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Effect, Stream } from "effect"
import type { RunHandedOver } from "./RunErrors.ts"

export interface RunHandle {
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
}
