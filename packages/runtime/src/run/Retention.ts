// Removes what is older than it has to be kept, on one node at a time, piece by piece with a pause after each: requests that
// need the database come in between. What fails is tried again the next time.
//
// A run that was paused for too long is cancelled as a caller would cancel it. Its journal is removed afterwards.
import { Owner, type Run, type StorageUnavailable } from "@svc/domain"
import { Cause, Duration, Effect, Layer } from "effect"
import * as BackgroundLoops from "./BackgroundLoops.ts"
import { type PausedRun, RetentionStore, type Task, tasks } from "./RetentionStore.ts"
import { RunEngine } from "./RunEngine.ts"

export interface Options {
  readonly node: string
  /** How long things are kept. Zero: for ever. */
  readonly keep: Readonly<Record<Exclude<Task, "folds" | "idempotency">, Duration.Duration>>
}

/** How often it is looked for something to remove. */
const every = "30 seconds"

/** After each piece. */
const pause = "20 millis"

/** After which the pieces of an ended answer are put together: most who watch it have gone by then. */
const foldAfter = Duration.minutes(1)

const said: Readonly<Record<Task, string>> = {
  folds: "event(s) folded",
  events: "event(s) removed",
  journals: "journal(s) removed",
  idempotency: "idempotency key(s) removed",
  audit: "audit entries removed",
  nodes: "node name(s) removed"
}

export const make = Effect.fnUntraced(function*({ keep, node }: Options) {
  const store = yield* RetentionStore
  const engine = yield* RunEngine
  const ageOf = (task: Task): Duration.Duration | undefined => {
    if (task === "folds") return foldAfter
    if (task === "idempotency") return Duration.zero
    return Duration.isZero(keep[task]) ? undefined : keep[task]
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
    while (yield* store.acquire(node)) {
      const found = yield* store.paused(Duration.toSeconds(age), last)
      yield* Effect.forEach(found, cancel, { discard: true })
      last = found.at(-1)?.run_id
      if (last === undefined) break
      yield* Effect.sleep(pause)
    }
  })

  const prune = Effect.fnUntraced(function*(task: Task, age: Duration.Duration) {
    if (task === "journals") yield* cancelPaused(age)
    let total = 0
    while (yield* store.acquire(node)) {
      const count = yield* store.prune(task, Duration.toSeconds(age))
      if (count === 0) break
      total += count
      yield* Effect.sleep(pause)
    }
    if (total > 0) yield* Effect.logInfo(`Retention: ${total} ${said[task]}`)
    return total
  })

  const loop = (task: Task): BackgroundLoops.Loop | undefined => {
    const age = ageOf(task)
    return age === undefined ? undefined : { task: prune(task, age), every }
  }
  const loops: Partial<Record<string, BackgroundLoops.Loop>> = Object.fromEntries(
    tasks.map((task) => [`retention of ${task}`, loop(task)])
  )
  return {
    /** One round of everything, as the loops do it again and again. */
    once: Effect.forEach(tasks, (task): Effect.Effect<number, StorageUnavailable> => {
      const age = ageOf(task)
      return age === undefined ? Effect.succeed(0) : prune(task, age)
    }),
    run: BackgroundLoops.fork({ node }, loops as Readonly<Record<string, BackgroundLoops.Loop | undefined>>)
  }
})

export const layer = (options: Options): Layer.Layer<never, never, RetentionStore | RunEngine> =>
  Layer.effectDiscard(Effect.flatMap(make(options), ({ run }) => run))
