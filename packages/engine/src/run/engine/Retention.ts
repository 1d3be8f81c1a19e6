// Removes expired data: one repeating job, on one node at a time. It works in pieces
// with pauses between them, so that requests reach the database meanwhile. A task that fails does not stop the others.
//
// A run that was paused for too long is cancelled as a caller would cancel it. Its journal is removed afterwards.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import { Cause, Duration, Effect, Exit } from "effect"
import * as JobKind from "../../jobs/JobKind.ts"
import { type PausedRun, RetentionStore, type Task } from "../store/RetentionStore.ts"
import { RunEngine } from "./RunEngine.ts"

/** How long ended data is kept. Undefined: forever. */
export type Ages = Readonly<
  Partial<Record<"audit" | "events" | "jobs" | "journals" | "nodes" | "usage", Duration.Duration | undefined>>
>

export interface Options {
  readonly ages: Ages
  /** The tasks of features. */
  readonly tasks: ReadonlyArray<Task>
}

/** After each piece. */
const pause = "20 millis"

/** The time after which the text events of an ended answer are folded: most watchers have left by then. */
const foldAfter = Duration.minutes(1)

/** The time after which a removal of a session was interrupted. */
const removeAfter = Duration.minutes(10)

/** `sessions` ends removals that were interrupted, and `folds` joins the pieces of ended answers. */
export const tasksOf = ({ audit, events, jobs, journals, nodes, usage }: Ages): ReadonlyArray<Task> => [
  { name: "sessions", age: removeAfter, removed: "session(s) removed whose removal was interrupted" },
  { name: "folds", age: foldAfter, removed: "event(s) folded" },
  { name: "events", age: events, removed: "event(s) removed" },
  { name: "journals", age: journals, removed: "journal(s) removed" },
  { name: "idempotency", age: Duration.zero, removed: "idempotency key(s) removed" },
  { name: "audit", age: audit, removed: "audit entries removed" },
  { name: "nodes", age: nodes, removed: "node name(s) removed" },
  { name: "jobs", age: jobs, removed: "job(s) removed" },
  { name: "usage", age: usage, removed: "figure(s) of hours removed" },
  { name: "oauth", age: Duration.zero, removed: "expired client(s), request(s) and token(s) of OAuth removed" },
  // no limit looks at them anymore
  { name: "starts", age: foldAfter, removed: "count(s) of started runs removed" }
]

export const kind = Effect.fnUntraced(function*({ ages, tasks: ofFeatures }: Options) {
  const store = yield* RetentionStore
  const engine = yield* RunEngine

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

  const prune = Effect.fnUntraced(function*({ age, name, removed }: Task) {
    if (age === undefined) return
    if (name === "journals") yield* cancelPaused(age)
    let total = 0
    for (;;) {
      const count = yield* store.prune(name, Duration.toSeconds(age))
      if (count === 0) break
      total += count
      yield* Effect.sleep(pause)
    }
    if (total > 0) yield* Effect.logInfo(`Retention: ${total} ${removed}`)
  })

  return JobKind.repeating({
    name: "retention",
    every: "30 seconds",
    handle: () =>
      Effect.forEach([...tasksOf(ages), ...ofFeatures], (task) => Effect.exit(prune(task))).pipe(
        Effect.flatMap((exits) => exits.find(Exit.isFailure) ?? Effect.void)
      )
  })
})
