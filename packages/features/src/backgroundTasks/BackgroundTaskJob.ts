// The jobs of background tasks. One starts the run of a task, awaits it, and starts the run with its result. All that
// it does can be repeated: after a crash it begins again, and finds what it had done.
import * as BackgroundCancels from "@svc-runtime/agents/nested/BackgroundCancels"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { isStorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Share from "@svc-runtime/engine/limits/Share"
import { now } from "@svc-runtime/engine/now"
import { Effect, Option, Schema } from "effect"
import * as BackgroundTask from "./BackgroundTask.ts"
import { BackgroundTaskStore } from "./BackgroundTaskStore.ts"
import * as TaskCalls from "./TaskCalls.ts"
import * as TaskResult from "./TaskResult.ts"
import { TaskRuns } from "./TaskRuns.ts"

const Payload = Schema.Struct({
  task_id: BackgroundTask.Id,
  /** Its run, which is cancelled when the session is gone. */
  component_kind: ComponentKind.ComponentKind,
  component_id: Schema.String,
  run_id: Run.Id,
  run_session_id: Session.Id,
  user_id: Schema.NullOr(Ids.UserId)
})

/** An attempt that fails is repeated for days: without the job, the result would never come. */
const shape = { name: "background_task", payload: Payload, maxAttempts: 500, timeout: "2 hours" } as const

/** What the tools enqueue. */
export const enqueued = JobKind.withoutHandler(shape)

/** Seconds after which a run that has not ended is looked at again: what was requested meanwhile is then done. */
const slice = 15
const whilePaused = 10
/** An attempt ends long before its timeout. */
const slices = 240

export const kinds = Effect.gen(function*() {
  const store = yield* BackgroundTaskStore
  const { limits, service } = yield* TaskRuns

  const finish = Effect.fnUntraced(function*(task: BackgroundTask.Stored, ended: TaskResult.Result) {
    const runs = yield* service
    const result = { ...ended, text: TaskResult.cut(ended.text, limits.resultBytes) }
    const message = TaskResult.message(task, result)
    // the session is removed with its tasks, and a run would make it again
    const latest = yield* store.find(task.id)
    if (Option.isNone(latest)) return
    const is_delivered = latest.value.is_cancel_requested ? false : yield* TaskCalls.deliver(runs, task, {
      message,
      status: result.status
    }).pipe(
      Effect.as(true),
      Effect.catch((error) =>
        isStorageUnavailable(error)
          ? Effect.fail(error)
          : Effect.as(Effect.logWarning("The result of a background task does not join its session", error), false)
      )
    )
    yield* store.finish(task.id, { status: result.status, result: result.text, is_delivered, at: yield* now })
  })

  const lateIn = ({ timeout_seconds }: BackgroundTask.Stored) =>
    timeout_seconds === null ? undefined : `It took longer than ${timeout_seconds} s.`

  const isLate = ({ created_at, timeout_seconds }: BackgroundTask.Stored) =>
    Effect.map(now, (time) => timeout_seconds !== null && time >= created_at + timeout_seconds)

  const secondsLeft = ({ created_at, timeout_seconds }: BackgroundTask.Stored) =>
    Effect.map(
      now,
      (time) => timeout_seconds === null ? slice : Math.min(slice, Math.max(0, created_at + timeout_seconds - time))
    )

  /** Whether the job has nothing left to do. */
  const proceed = Effect.fnUntraced(function*(
    payload: typeof Payload.Type,
    postpone: JobKind.JobContext["postpone"]
  ) {
    const runs = yield* service
    const found = yield* store.find(payload.task_id)
    if (Option.isNone(found)) {
      yield* TaskCalls.cancel(runs, { ...payload, inherited: { options: {}, depth: 1 } })
      return true
    }
    const task = found.value
    if (BackgroundTask.isEnded(task.status)) return true
    if (task.status === "PENDING") {
      if (task.is_cancel_requested) {
        yield* TaskCalls.cancel(runs, task)
        yield* finish(task, { status: "CANCELLED", text: "It was cancelled before it started." })
        return true
      }
      const refused = yield* TaskCalls.start(runs, task).pipe(
        Effect.as(undefined),
        Effect.catch((error) => isStorageUnavailable(error) ? Effect.fail(error) : Effect.succeed(error.message))
      )
      if (refused !== undefined) {
        yield* finish(task, { status: "ERROR", text: `It could not start: ${refused}` })
        return true
      }
      yield* store.note(task.id, "RUNNING")
    }
    const late = yield* isLate(task)
    if (late || task.is_cancel_requested) yield* TaskCalls.cancel(runs, task, late)
    const seconds = late ? slice : yield* secondsLeft(task)
    const awaited = yield* TaskCalls.output(runs, task).pipe(
      Effect.map((output) => ({ output, result: TaskResult.ofRun(output, late ? lateIn(task) : undefined) })),
      Effect.catchTag(
        "RunNotFound",
        () => Effect.succeed({ output: undefined, result: { status: "ERROR", text: "Its run was deleted." } as const })
      ),
      Effect.timeoutOption(`${seconds} seconds`)
    )
    if (Option.isNone(awaited)) return false
    const { result } = awaited.value
    if (result === undefined) {
      yield* store.note(task.id, "PAUSED")
      yield* postpone(whilePaused)
      return true
    }
    yield* finish(task, result)
    return true
  })

  const handle = Effect.fnUntraced(
    function*(payload: typeof Payload.Type, { postpone }: JobKind.JobContext) {
      for (let times = 0; times < slices; times++) if (yield* proceed(payload, postpone)) return
      yield* postpone(1)
    },
    (effect, { task_id }) => Effect.annotateLogs(effect, { task_id })
  )

  const task = JobKind.make({
    ...shape,
    concurrency: limits.concurrency,
    perUser: Share.shareOf(limits.concurrency),
    handle
  })

  const cancels = JobKind.make({
    ...BackgroundCancels.shape,
    concurrency: 8,
    handle: Effect.fnUntraced(function*({ run_id }) {
      const runs = yield* service
      const cancelled = yield* store.requestCancel({ parent_run_id: run_id })
      yield* Effect.forEach(cancelled, (each) => TaskCalls.cancel(runs, each), { discard: true })
    })
  })

  return [task, cancels]
})
