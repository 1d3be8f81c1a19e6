// The requests to the service of runs about one background task: its run, and the run with its result. Each can be
// repeated: a run is started once under its stored id.
import * as AgentCommand from "@svc-runtime/agents/agent/execute/AgentCommand"
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import * as AwaitedRun from "@svc-runtime/agents/runService/AwaitedRun"
import * as Caller from "@svc-runtime/agents/runService/Caller"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type * as Session from "@svc-runtime/domain/Session"
import { isStorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { awaitElsewhere } from "@svc-runtime/engine/run/events/awaitElsewhere"
import * as InheritedOptions from "@svc-runtime/engine/run/InheritedOptions"
import * as SessionLimit from "@svc-runtime/engine/run/SessionLimit"
import * as SharedOptions from "@svc-runtime/engine/run/SharedOptions"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import { Effect, Option, Predicate } from "effect"
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

/** Of the calling run. What another version has stored in another form is left out. */
const optionsOf = ({ inherited }: Pick<BackgroundTask.Stored, "inherited">) =>
  Option.getOrElse(AgentCommand.decodeOptions(inherited.options), () => RunOptions.defaults)

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
const once = <A, E extends { readonly _tag: string }>(
  start: Effect.Effect<A, E>,
  isRepeated: (error: unknown) => boolean = AwaitedRun.isTransient
) =>
  Effect.catchIf(
    Effect.asVoid(AwaitedRun.retryWhile(start, isRepeated)),
    ({ _tag }) => _tag === "RunExists",
    () => Effect.void
  )

/** Starts the run of the task. */
export const start = (runs: Runs, task: BackgroundTask.Stored) => {
  const options = optionsOf(task)
  return once(runs.start({
    ...queryOf(task),
    isRepeated: true,
    user_id: task.user_id ?? undefined,
    message: task.input,
    factoryInput: FactoryInput.text(undefined),
    options: {
      ...RunOptions.defaults,
      ...SharedOptions.ofInnerRun(options),
      ...InheritedOptions.of(options),
      background: true,
      backgroundTask: "executes",
      ...RunContextOptions.adding(options, {
        [metadataKey]: {
          task_id: task.id,
          parent_run_id: task.parent_run_id,
          parent_session_id: task.session_id,
          [`parent_${task.parent_kind}_id`]: task.parent_id
        }
      })
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

/**
 * Starts the run of the session with the result of the task. It waits for the runs before it. A session that was
 * removed is not made again. A client may not know the run, and names the one before it when it sends a message.
 */
export const deliver = (
  runs: Runs,
  task: BackgroundTask.Stored,
  { message, status }: { readonly message: string; readonly status: BackgroundTask.Status }
) => {
  const { session_id } = task
  const options = optionsOf(task)
  return once(
    runs.start({
      caller: callerIn(task, session_id),
      component: { kind: task.parent_kind, id: task.parent_id },
      run_id: task.result_run_id,
      isRepeated: true,
      session_id,
      place: { known: [], otherwise: "addition" },
      user_id: task.user_id ?? undefined,
      message,
      factoryInput: FactoryInput.text(undefined),
      options: {
        ...RunOptions.defaults,
        ...options,
        background: true,
        backgroundTask: task.wake ? "result" : "noted",
        ...RunContextOptions.adding(options, {
          [metadataKey]: {
            task_id: task.id,
            status,
            depth: task.inherited.depth,
            tool_name: task.tool_name,
            component_id: task.component_id,
            parent_run_id: task.parent_run_id,
            run_id: task.run_id,
            session_id: task.run_session_id
          }
        })
      }
      // while the service is busy, the session can be removed and the task cancelled
    }),
    isStorageUnavailable
  )
}

/** How many tasks have led to the run. A caller cannot name another number: only the service starts runs of results. */
const depthOf = (command: AgentCommand.AgentCommand): number => {
  const task = command.backgroundTask === "result" ? RunContextOptions.requested(command)[metadataKey] : undefined
  return Predicate.hasProperty(task, "depth") && Predicate.isNumber(task.depth) ? task.depth : 0
}

/** The client of the calling run has sent the rest to that run. */
export const inheritedOf = (command: AgentCommand.AgentCommand): BackgroundTask.Inherited => ({
  options: AgentCommand.encode({
    ...command,
    session_state: undefined,
    client_tools: undefined,
    earlier_messages: undefined,
    laterMessages: undefined,
    outputSchema: undefined,
    backgroundTask: undefined
  }),
  depth: depthOf(command) + 1,
  ...SessionLimit.encode(command)
})
