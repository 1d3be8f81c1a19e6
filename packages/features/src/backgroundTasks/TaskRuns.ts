// What connects the jobs and tools of background tasks with the service of runs, which is built after them.
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import { count } from "@svc-runtime/http/config/ConfigReaders"
import { Config as Env, Context, Deferred, Effect, Layer } from "effect"

export interface TaskLimits {
  /** Tasks that a node executes at a time (BACKGROUND_TASK_CONCURRENCY), at most half of them for one user. */
  readonly concurrency: number
  /** Unfinished tasks of a session, if the author sets no limit (BACKGROUND_TASKS_PER_SESSION). */
  readonly perSession: number
  /** Tasks that start each other by their results, without a message in between (BACKGROUND_TASK_DEPTH). */
  readonly depth: number
  /** Bytes of a result that its session gets (BACKGROUND_TASK_RESULT_MAX_BYTES). */
  readonly resultBytes: number
}

export const taskSettings: Env.Config<TaskLimits> = Env.all({
  concurrency: count("BACKGROUND_TASK_CONCURRENCY", 32),
  perSession: count("BACKGROUND_TASKS_PER_SESSION", 10),
  depth: count("BACKGROUND_TASK_DEPTH", 5),
  resultBytes: count("BACKGROUND_TASK_RESULT_MAX_BYTES", 64 * 1024, 256)
})

export class TaskRuns extends Context.Service<TaskRuns, {
  readonly limits: TaskLimits
  /** Waits until the service of runs is built. */
  readonly service: Effect.Effect<RunService["Service"]>
  readonly bind: (service: RunService["Service"]) => Effect.Effect<void>
}>()("@svc-runtime/features/backgroundTasks/TaskRuns") {
  static readonly layer = (limits: TaskLimits): Layer.Layer<TaskRuns> =>
    Layer.sync(TaskRuns, () => {
      const bound = Deferred.makeUnsafe<RunService["Service"]>()
      return TaskRuns.of({
        limits,
        service: Deferred.await(bound),
        bind: (service) => Effect.asVoid(Deferred.succeed(bound, service))
      })
    })
}
