// Starts the background tasks of root runs of agents and teams. In other runs the components are awaited: their
// results would have no reader later.
import * as AgentCommand from "@svc-runtime/agents/agent/execute/AgentCommand"
import type { RunPart, ServedPart } from "@svc-runtime/agents/agent/execute/RunPart"
import * as BackgroundTasks from "@svc-runtime/agents/nested/BackgroundTasks"
import * as AwaitedRun from "@svc-runtime/agents/runService/AwaitedRun"
import * as Run from "@svc-runtime/domain/Run"
import * as RunOption from "@svc-runtime/domain/RunOption"
import * as Session from "@svc-runtime/domain/Session"
import { isStorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { JobSignal } from "@svc-runtime/engine/signals/Signals"
import { ToolFailed } from "@svc-runtime/engine/tool/Tool"
import { Context, Effect, Option } from "effect"
import * as BackgroundTask from "./BackgroundTask.ts"
import { enqueued } from "./BackgroundTaskJob.ts"
import { BackgroundTaskStore } from "./BackgroundTaskStore.ts"
import * as BackgroundTools from "./BackgroundTools.ts"
import * as TaskCalls from "./TaskCalls.ts"
import { TaskRuns } from "./TaskRuns.ts"

const refused = (message: string) => Effect.fail(new ToolFailed({ message, cause: undefined }))

const next = {
  true: "It works in the background. Its result comes as a message when it ends. Tell the user that it has begun, " +
    "and do not wait for it.",
  false: "It works in the background. The next message of the user comes with its result. Do not wait for it."
} as const

export const forAgent = Effect.gen(function*() {
  const store = yield* BackgroundTaskStore
  const signal = yield* JobSignal
  const { limits, service } = yield* TaskRuns

  const starter = (command: AgentCommand.AgentCommand, isLeader: boolean): BackgroundTasks.Tasks => ({
    start: Effect.fnUntraced(
      function*({ component, input, key, settings, tool }) {
        const newId = yield* NewId
        const inherited = TaskCalls.inheritedOf(command)
        if (inherited.depth > limits.depth) {
          return yield* refused(
            `It was not started: ${limits.depth} background tasks have followed each other without a message of the user`
          )
        }
        const task: BackgroundTask.New = {
          id: BackgroundTask.Id.make(newId()),
          key,
          session_id: command.session_id,
          user_id: command.user_id ?? null,
          parent_run_id: command.run_id,
          parent_kind: isLeader ? "team" : "agent",
          parent_id: command.agent.id,
          tool_name: tool,
          component_kind: component.kind,
          component_id: component.id,
          run_id: Run.Id.make(newId()),
          run_session_id: Session.Id.make(newId()),
          result_run_id: Run.Id.make(newId()),
          input: typeof input === "string" ? input : JSON.stringify(input),
          inherited,
          wake: settings.wake,
          timeout_seconds: settings.timeout ?? null,
          is_detached: settings.isDetached,
          created_at: yield* now
        }
        const { component_id, component_kind, run_id, run_session_id, user_id } = task
        const payload = { task_id: task.id, component_kind, component_id, run_id, run_session_id, user_id }
        const job = yield* Jobs.newJob(enqueued, payload, { key: task.id, user_id })
        // it can be stored although the reply was lost, and then the task has this key
        const stored = yield* AwaitedRun.retryWhile(
          store.begin(task, job, settings.limit ?? limits.perSession),
          isStorageUnavailable
        )
        if (Option.isNone(stored)) return yield* refused("The session is gone, so nothing can be started for it")
        signal.notify()
        return {
          task_id: stored.value.id,
          status: "running" as const,
          run_id: stored.value.run_id,
          session_id: stored.value.run_session_id,
          next: next[`${settings.wake}`]
        }
      },
      Effect.catchTags({
        JobInvalid: ({ message }) => refused(message),
        StorageUnavailable: Effect.die,
        TooManyTasks: ({ limit }) =>
          refused(
            `It was not started: this session has ${limit} unfinished background tasks, which is the limit. Wait for ` +
              "the result of one, or cancel one with cancel_task"
          )
      })
    )
  })

  const tasksOf = (session_id: Session.Id): BackgroundTools.Tasks => ({
    session_id,
    store,
    cancel: Effect.fnUntraced(function*(task_id) {
      const cancelled = yield* store.requestCancel({ task_id, session_id })
      if (cancelled.length > 0) {
        const runs = yield* service
        yield* Effect.forEach(cancelled, (task) => TaskCalls.cancel(runs, task), { discard: true })
      }
      return cancelled
    })
  })

  const forAgent: ServedPart["forAgent"] = () =>
    Effect.succeed(({ command, isLeader }): RunPart => {
      const starts = AgentCommand.isRoot(command) && command.backgroundTask !== "executes" &&
        !RunOption.isEvaluation(command)
      return {
        order: 60,
        gives: Context.empty().pipe(
          Context.add(BackgroundTasks.BackgroundTasks, starts ? starter(command, isLeader) : undefined),
          Context.add(BackgroundTools.CurrentTasks, starts ? tasksOf(command.session_id) : undefined)
        ) as Context.Context<never>
      }
    })
  return forAgent
})

/** A process that executes only its own runs executes no tasks: they would end with it. */
export const forGuest: Effect.Effect<ServedPart["forAgent"]> = Effect.succeed(() =>
  Effect.succeed((): RunPart => ({ order: 60, gives: Context.empty() as Context.Context<never> }))
)
