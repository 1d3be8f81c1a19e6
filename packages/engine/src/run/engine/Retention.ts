// Removes expired data: one repeating job, on one node at a time. It works in pieces
// with pauses between them, so that requests reach the database meanwhile. A task that fails does not stop the others.
//
// A run that was paused for too long is cancelled as a caller would cancel it. Its journal is removed afterwards.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import { Cause, Duration, Effect, Exit } from "effect"
import * as JobKind from "../../jobs/JobKind.ts"
import { type PausedRun, RetentionStore, type Task, tasks } from "../store/RetentionStore.ts"
import { RunEngine } from "./RunEngine.ts"

export interface Options {
  /** How long ended data is kept. Zero: forever. */
  readonly periods: Readonly<
    Record<
      Exclude<Task, "sessions" | "folds" | "traceRemovals" | "idempotency" | "oauth" | "starts">,
      Duration.Duration
    >
  >
}

/** After each piece. */
const pause = "20 millis"

/** The time after which the text events of an ended answer are folded: most watchers have left by then. */
const foldAfter = Duration.minutes(1)

/** The time after which a removal of a session was interrupted, and a removal of traces without traces is complete. */
const removeAfter = Duration.minutes(10)

const removed: Readonly<Record<Task, string>> = {
  sessions: "session(s) removed whose removal was interrupted",
  folds: "event(s) folded",
  events: "event(s) removed",
  journals: "journal(s) removed",
  idempotency: "idempotency key(s) removed",
  audit: "audit entries removed",
  nodes: "node name(s) removed",
  jobs: "job(s) removed",
  traces: "trace(s) removed",
  traceRemovals: "trace(s) of removed sessions and users, and completed removals, removed",
  scheduleRuns: "run(s) of schedules removed",
  evaluations: "evaluation(s) and result(s) of experiments removed",
  usage: "figure(s) of hours removed",
  oauth: "expired client(s), request(s) and token(s) of OAuth removed",
  starts: "count(s) of started runs removed"
}

export const kind = Effect.fnUntraced(function*({ periods }: Options) {
  const store = yield* RetentionStore
  const engine = yield* RunEngine
  const ageOf = (task: Task): Duration.Duration | undefined => {
    if (task === "sessions" || task === "traceRemovals") return removeAfter
    if (task === "folds" || task === "starts") return foldAfter
    if (task === "idempotency" || task === "oauth") return Duration.zero
    return Duration.isZero(periods[task]) ? undefined : periods[task]
  }

  /** A run that cannot be cancelled this way loses its journal all the same. */
  const cancel = ({ run_id, session_id }: PausedRun) =>
    engine.cancel({ run_id, session_id, filter: { owner: Owner.anyone } }).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.annotateLogs(
          Effect.logWarning("A run that was paused for longer than JOURNAL_RETENTION could not be cancelled", cause),
          { run_id, session_id }
        )
      )
    )

  const cancelPaused = Effect.fnUntraced(function*(age: Duration.Duration) {
    let last: Run.Id | undefined
    for (;;) {
      const found = yield* store.paused(Duration.toSeconds(age), last)
      yield* Effect.forEach(found, cancel, { discard: true })
      last = found.at(-1)?.run_id
      if (last === undefined) break
      yield* Effect.sleep(pause)
    }
  })

  const prune = Effect.fnUntraced(function*(task: Task) {
    const age = ageOf(task)
    if (age === undefined) return
    if (task === "journals") yield* cancelPaused(age)
    let total = 0
    for (;;) {
      const count = yield* store.prune(task, Duration.toSeconds(age))
      if (count === 0) break
      total += count
      yield* Effect.sleep(pause)
    }
    if (total > 0) yield* Effect.logInfo(`Retention: ${total} ${removed[task]}`)
  })

  return JobKind.repeating({
    name: "retention",
    every: "30 seconds",
    handle: () =>
      Effect.forEach(tasks, (task) => Effect.exit(prune(task))).pipe(
        Effect.flatMap((exits) => exits.find(Exit.isFailure) ?? Effect.void)
      )
  })
})
