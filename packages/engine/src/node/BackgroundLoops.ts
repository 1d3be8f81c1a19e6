// The background loops of a node: tasks that are repeated while the surrounding scope is open. No failure and no defect
// ends one. An outage is logged once when it begins, once a minute while it lasts, and once when it is over.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Cause, type Duration, Effect, Option, type Scope } from "effect"

/** Reports whether the database replies to a loop. */
export interface Probes {
  readonly failed: (loop: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly replied: (loop: string) => Effect.Effect<void>
}

export interface Loop {
  readonly task: Effect.Effect<unknown, StorageUnavailable>
  readonly every: Duration.Input
  /** The same after a failure. `every`, when left out. */
  readonly retryEvery?: Duration.Input | undefined
  /** Precedes each repetition. */
  readonly when?: Effect.Effect<unknown> | undefined
  /** Each repetition uses the database, so its failures and successes show whether it replies. */
  readonly probes?: Probes | undefined
}

const remindMillis = 60_000

/** Logged by `DatabaseLiveness`, once for all loops. */
const isAway = (cause: Cause.Cause<StorageUnavailable>): boolean =>
  Option.exists(Cause.findErrorOption(cause), ({ isRejected }) => isRejected !== true)

/** Whether the task succeeded. */
const watched = (name: string, { probes, task }: Loop): Effect.Effect<boolean> => {
  let failures = 0
  let loggedAt = 0
  const failed = (cause: Cause.Cause<StorageUnavailable>) =>
    Effect.flatMap(Monotonic.millis, (time) => {
      if (isAway(cause)) return probes?.failed(name, cause) ?? Effect.void
      failures++
      if (failures > 1 && time >= loggedAt && time - loggedAt < remindMillis) return Effect.void
      loggedAt = time
      return Effect.annotateLogs(
        Effect.logError(`The background loop "${name}" failed and is repeated`, cause),
        { failures }
      )
    })
  const succeeded = Effect.suspend(() => {
    const before = failures
    failures = 0
    const logRecovery = before === 0
      ? Effect.void
      : Effect.logWarning(`The background loop "${name}" works again after ${before} failure(s)`)
    return Effect.andThen(logRecovery, probes?.replied(name) ?? Effect.void)
  })
  return Effect.matchCauseEffect(task, {
    onFailure: (cause) => Effect.as(failed(cause), false),
    onSuccess: () => Effect.as(succeeded, true)
  })
}

/** Each loop by its name. */
export const fork = Effect.fnUntraced(function*(
  annotations: Readonly<Record<string, string>>,
  loops: Readonly<Record<string, Loop | undefined>>
): Effect.fn.Return<void, never, Scope.Scope> {
  for (const [name, loop] of Object.entries(loops)) {
    if (loop === undefined) continue
    yield* Effect.suspend(() => loop.when ?? Effect.void).pipe(
      Effect.andThen(watched(name, loop)),
      Effect.flatMap((hasSucceeded) => Effect.sleep(hasSucceeded ? loop.every : loop.retryEvery ?? loop.every)),
      Effect.forever,
      Effect.annotateLogs({ part: "runs", ...annotations, loop: name }),
      Effect.interruptible,
      Effect.forkScoped
    )
  }
})
