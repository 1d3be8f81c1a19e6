// The jobs of background tasks. One starts the run of a task, awaits it, and starts the run with its result. All that
// it does can be repeated: after a crash it begins again, and finds what it had done.
import * as BackgroundCancels from "@svc-runtime/agents/nested/BackgroundCancels"
import * as AwaitedRun from "@svc-runtime/agents/runService/AwaitedRun"
import * as Conversations from "@svc-runtime/agents/runService/Conversations"
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

/** The job waits for a node that has the component, such as the next one of a rolling restart. */
const isElsewhere = ({ _tag }: { readonly _tag: string }): boolean =>
  _tag === "ComponentNotFound" || _tag === "ComponentUnusable"

const day = 24 * 3600
/** Seconds after which a task ends whose component no node has, before its run began and later. */
const untilGone = { start: day, result: 30 * day }

/** An attempt ends long before its timeout. */
const slices = 240

export const kinds = Effect.gen(function*() {
  const store = yield* BackgroundTaskStore
  const { limits, service } = yield* TaskRuns
  const show = yield* Conversations.show

  const ageOf = ({ created_at }: BackgroundTask.Stored) => Effect.map(now, (time) => time - created_at)

  /** A tenth of the age of the task, at least two seconds, and at most a minute. */
  const secondsUntilNext = (task: BackgroundTask.Stored) =>
    Effect.map(ageOf(task), (age) => Math.min(60, Math.max(2, Math.ceil(age / 10))))

  /** False: the result is to be sent later, when the service is not busy, or by another node. */
  const finish = Effect.fnUntraced(function*(task: BackgroundTask.Stored, ended: TaskResult.Result) {
    const runs = yield* service
    const result = { ...ended, text: TaskResult.cut(ended.text, limits.resultBytes) }
    const message = TaskResult.message(task, result)
    // the session is removed with its tasks, and a run would make it again
    const latest = yield* store.find(task.id)
    if (Option.isNone(latest)) return true
    const mayWait = (yield* ageOf(task)) < untilGone.result
    const is_delivered = latest.value.is_cancel_requested ? false : yield* TaskCalls.deliver(runs, task, {
      message,
      status: result.status
    }).pipe(
      Effect.as(true),
      Effect.catch((error) => {
        if (isStorageUnavailable(error)) return Effect.fail(error)
        if (AwaitedRun.isBusy(error) || (mayWait && isElsewhere(error))) return Effect.succeed(undefined)
        return Effect.as(Effect.logWarning("The result of a background task does not join its session", error), false)
      })
    )
    if (is_delivered === undefined) return false
    if (is_delivered && task.wake) {
      const { parent_id, parent_kind, result_run_id, session_id } = task
      yield* show({ component: { kind: parent_kind, id: parent_id }, run_id: result_run_id, session_id })
    }
    yield* store.finish(task.id, { status: result.status, result: result.text, is_delivered, at: yield* now })
    return true
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
        Effect.catch((error) => isStorageUnavailable(error) ? Effect.fail(error) : Effect.succeed(error))
      )
      if (refused !== undefined) {
        const waits = isElsewhere(refused) && (yield* ageOf(task)) < untilGone.start
        const isDone = !waits && (yield* finish(task, {
          status: "ERROR",
          text: `It could not start: ${refused.message}`
        }))
        if (!isDone) yield* postpone(yield* secondsUntilNext(task))
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
      Effect.catchTag("ComponentNotFound", ({ message }) =>
        Effect.map(ageOf(task), (age) =>
          age < untilGone.result
            ? "elsewhere" as const
            : { output: undefined, result: { status: "ERROR", text: `It cannot be read: ${message}` } as const })),
      Effect.timeoutOption(`${seconds} seconds`)
    )
    if (Option.isNone(awaited)) return false
    if (awaited.value === "elsewhere") {
      yield* postpone(yield* secondsUntilNext(task))
      return true
    }
    const { result } = awaited.value
    if (result === undefined) {
      yield* store.note(task.id, "PAUSED")
      yield* postpone(whilePaused)
      return true
    }
    if (!(yield* finish(task, result))) yield* postpone(yield* secondsUntilNext(task))
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
