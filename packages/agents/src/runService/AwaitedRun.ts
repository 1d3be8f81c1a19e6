// A run that a job starts and awaits, as evaluations and schedules do: tries that are repeated while the service is
// busy, and the time that the run has.
import { isStorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { LimitReached, TooManyRuns } from "@svc-runtime/engine/run/RunErrors"
import { Effect, Option, Schedule } from "effect"

/** The service is full, or a limit is reached that ends soon. */
export const isBusy = (error: unknown): boolean =>
  error instanceof TooManyRuns || (error instanceof LimitReached && error.isShort)

/** The service is busy, or the database does not reply. */
export const isTransient = (error: unknown): boolean => isBusy(error) || isStorageUnavailable(error)

/** Runs of callers come first, so it waits as long as it takes. */
export const retryWhile = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  condition: (error: unknown) => boolean
): Effect.Effect<A, E, R> => Effect.retry(effect, { schedule: Schedule.spaced("1 second"), while: condition })

export interface Deadline {
  readonly seconds: number
  /** Whether the job has ended. Without that, an interruption leaves the run, because another node awaits it. */
  readonly isOver: Effect.Effect<boolean>
  /** `isLate`: because it takes longer. */
  readonly cancel: (isLate: boolean) => Effect.Effect<void>
}

/** None if it takes longer. The run is cancelled then, and when the job has ended before it. */
export const within = <A, E, R>(
  awaited: Effect.Effect<A, E, R>,
  { cancel, isOver, seconds }: Deadline
): Effect.Effect<Option.Option<A>, E, R> =>
  awaited.pipe(
    Effect.timeoutOption(`${Math.max(0, seconds)} seconds`),
    Effect.onInterrupt(() => Effect.flatMap(isOver, (over) => over ? cancel(false) : Effect.void)),
    Effect.tap((ended) => Option.isNone(ended) ? cancel(true) : Effect.void)
  )
