// The requests to the service of runs about one background task: its run, and the run with its result. Each can be
// repeated: a run is started once under its stored id.
import * as AgentRunOptions from "@svc-runtime/agents/agent/define/AgentRunOptions"
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import * as AwaitedRun from "@svc-runtime/agents/runService/AwaitedRun"
import * as Caller from "@svc-runtime/agents/runService/Caller"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type * as ModelSettings from "@svc-runtime/domain/ModelSettings"
import type * as Session from "@svc-runtime/domain/Session"
import { awaitElsewhere } from "@svc-runtime/engine/run/events/awaitElsewhere"
import { Effect, Struct } from "effect"
import type * as BackgroundTask from "./BackgroundTask.ts"

type Runs = RunService["Service"]

/** Names the task in the metadata of the runs that it consists of. */
export const metadataKey = "background_task"

/** The service itself, which a run with a limit to its session reaches no further than. */
const callerIn = (
  { inherited, user_id }: Pick<BackgroundTask.Stored, "inherited" | "user_id">,
  session_id: Session.Id
): Caller.Caller => {
  const caller = Caller.internal(user_id ?? undefined)
  return inherited.limited_to_session === true
    ? { ...caller, principal: { ...caller.principal, session_id } }
    : caller
}

/** What the job needs of a task, also when its session is gone. */
export type TaskRun = Pick<
  BackgroundTask.Stored,
  "component_id" | "component_kind" | "inherited" | "run_id" | "run_session_id" | "user_id"
>

const queryOf = (task: TaskRun) => ({
  caller: callerIn(task, task.run_session_id),
  component: { kind: task.component_kind, id: task.component_id },
  run_id: task.run_id,
  session_id: task.run_session_id
})

/** A run that an earlier attempt has started is the same. */
const once = <A, E extends { readonly _tag: string }>(start: Effect.Effect<A, E>) =>
  Effect.catchIf(
    Effect.asVoid(AwaitedRun.retryWhile(start, AwaitedRun.isTransient)),
    ({ _tag }) => _tag === "RunExists",
    () => Effect.void
  )

/** Starts the run of the task. */
export const start = (runs: Runs, task: BackgroundTask.Stored) => {
  const { dependencies = {}, knowledge_filters, memory, metadata } = task.inherited
  return once(runs.start({
    ...queryOf(task),
    user_id: task.user_id ?? undefined,
    message: task.input,
    factoryInput: FactoryInput.text(undefined),
    options: {
      ...RunOptions.defaults,
      dependencies,
      memory,
      knowledge_filters,
      background: true,
      backgroundTask: "executes",
      metadata: {
        ...metadata,
        [metadataKey]: {
          task_id: task.id,
          parent_run_id: task.parent_run_id,
          parent_session_id: task.session_id,
          [`parent_${task.parent_kind}_id`]: task.parent_id
        }
      }
    }
  }))
}

/** The run of the task when it has ended or paused. */
export const output = (runs: Runs, task: TaskRun) =>
  awaitElsewhere(AwaitedRun.retryWhile(runs.output(queryOf(task)), AwaitedRun.isTransient))

/** Also of a run that has not started: it is cancelled when it does. */
export const cancel = (runs: Runs, task: TaskRun, isLate = false) =>
  Effect.ignore(AwaitedRun.retryWhile(runs.cancel({ ...queryOf(task), isLate }), AwaitedRun.isTransient), {
    log: true
  })

/** Starts the run of the session with the result of the task. It waits for the runs before it. */
export const deliver = (
  runs: Runs,
  task: BackgroundTask.Stored,
  { message, status }: { readonly message: string; readonly status: BackgroundTask.Status }
) => {
  const { inherited, session_id } = task
  const { dependencies = {}, limited_to_session: _, metadata, model_settings, whole_history, ...options } = inherited
  return once(runs.start({
    caller: callerIn(task, session_id),
    component: { kind: task.parent_kind, id: task.parent_id },
    run_id: task.result_run_id,
    session_id,
    user_id: task.user_id ?? undefined,
    message,
    factoryInput: FactoryInput.text(undefined),
    options: {
      ...RunOptions.defaults,
      ...options,
      dependencies,
      ...(model_settings === undefined ? {} : { model_settings: model_settings as ModelSettings.ModelSettings }),
      ...(whole_history === undefined ? {} : { wholeHistory: whole_history }),
      background: true,
      backgroundTask: task.wake ? "result" : "noted",
      metadata: {
        ...metadata,
        [metadataKey]: {
          task_id: task.id,
          status,
          tool_name: task.tool_name,
          component_id: task.component_id,
          parent_run_id: task.parent_run_id,
          run_id: task.run_id,
          session_id: task.run_session_id
        }
      }
    }
  }))
}

/** What the runs of a task have of the run that calls it. */
export const inheritedOf = (
  command: AgentRunOptions.AgentRunOptions & {
    readonly dependencies: BackgroundTask.Inherited["dependencies"]
    readonly metadata?: BackgroundTask.Inherited["metadata"]
    readonly limited_to_session?: boolean | undefined
  }
): BackgroundTask.Inherited => {
  const given = {
    ...Struct.pick(command, [
      "dependencies",
      "metadata",
      "memory",
      "knowledge_filters",
      "add_history_to_context",
      "add_dependencies_to_context",
      "add_session_state_to_context",
      "model",
      "model_settings",
      "limited_to_session"
    ]),
    whole_history: command.wholeHistory
  }
  const { [metadataKey]: _, ...metadata } = given.metadata ?? {}
  const kept = { ...given, metadata: Object.keys(metadata).length === 0 ? undefined : metadata }
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined))
}
