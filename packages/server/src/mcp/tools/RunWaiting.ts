// Waits for a run, and reports to the client what happens in it. A client that cancels its call ends a run that the
// call started; one that disconnects does not.
import * as StoredRun from "@svc-runtime/agents/runService/StoredRun"
import type { CurrentPrincipal } from "@svc-runtime/api"
import type * as Json from "@svc-runtime/domain/Json"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { RunNotFound } from "@svc-runtime/engine/run/RunErrors"
import type { RunHandle, RunRef } from "@svc-runtime/engine/run/RunHandle"
import type * as McpTool from "@svc-runtime/http/mcpTool/McpTool"
import { Effect, Option, Stream } from "effect"
import { McpSchema } from "effect/ai"
import { ClientRequest } from "../ClientDisconnect.ts"
import type { Progress } from "../Progress.ts"
import * as RunTasks from "../tasks/RunTasks.ts"
import type { Declared } from "../tasks/TaskCall.ts"
import type { RunResult } from "./RunResult.ts"
import { toToolError } from "./toolErrors.ts"

/** The progress text of an event: undefined for an event without one. */
type ProgressMessage = (event: RunEvent.RunEvent) => string | undefined

const ofAgent: ProgressMessage = (event) => {
  switch (event.event) {
    case "RunStarted":
      return `Agent ${event.agent_name} started`
    case "ToolCallStarted":
      return `Tool call started: ${event.tool.tool_name}`
    case "ToolCallCompleted":
      return `Tool call completed: ${event.tool.tool_name}`
    default:
      return undefined
  }
}

/** Of the team itself, and not of its members. */
const ofTeam: ProgressMessage = (event) => {
  switch (event.event) {
    case "TeamRunStarted":
      return event.nested_depth > 0 || event.parent_run_id !== undefined ? undefined : `Team ${event.team_name} started`
    case "TeamToolCallStarted":
      return `Tool call started: ${event.tool.tool_name}`
    case "TeamToolCallCompleted":
      return `Tool call completed: ${event.tool.tool_name}`
    default:
      return undefined
  }
}

/** Its own steps, and not those of workflows in it. */
const ofWorkflow: ProgressMessage = (event) => {
  if (event.nested_depth > 0) return undefined
  switch (event.event) {
    case "WorkflowStarted":
      return "Workflow started"
    case "StepStarted":
      return `Step started: ${event.step_name}`
    case "StepCompleted":
      return `Step completed: ${event.step_name}`
    default:
      return undefined
  }
}

/** A disconnect cancels a request without a session. In a session, a message does. */
const isCancelled = Effect.gen(function*() {
  const { isGone } = yield* ClientRequest
  const { protocolVersion } = yield* McpSchema.McpRequestContext
  return !isGone || protocolVersion >= "2026-07-28"
})

const progressMessages: Readonly<Record<RunRef["kind"], ProgressMessage>> = {
  agent: ofAgent,
  team: ofTeam,
  workflow: ofWorkflow
}

const outputOf = (run: RunRef, output: StoredRun.RepeatedRun["output"]) =>
  Effect.flatMap(
    output,
    Option.match({ onNone: () => Effect.fail(new RunNotFound({ run_id: run.run_id })), onSome: Effect.succeed })
  )

/** A call whose run takes longer becomes a task, if its client knows tasks. */
const patience = "5 seconds"

/** A call that can become a task. */
export interface TaskCall {
  readonly client: Declared
  /** Makes the run the response of the call. */
  readonly create: (run: RunRef) => Effect.Effect<void, McpTool.Failure, CurrentPrincipal>
}

/** The run when it has ended or paused. A run that this call started is cancelled with the call. */
const waited = <E, R>(
  begin: Effect.Effect<RunHandle | StoredRun.RepeatedRun, E, R>,
  progress: Progress,
  limited: <A, E, R>(waiting: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
) =>
  Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
    const result = yield* begin
    const { run } = result
    if (result._tag === "Repeated") {
      const output = yield* restore(limited(Effect.catch(outputOf(run, result.output), toToolError)))
      return { run, output }
    }
    const { events, output } = result
    const reported = Stream.runForEach(events, (event) => {
      const message = progressMessages[run.kind](event)
      return message === undefined ? Effect.void : progress.report(message)
    })
    const ended = yield* restore(limited(Effect.andThen(reported, output))).pipe(
      Effect.catch(toToolError),
      Effect.onInterrupt(() => Effect.when(StoredRun.onDisconnect(result, "cancel"), isCancelled))
    )
    return { run, output: ended }
  }))

/** What a call shows of its run. */
export const shown = Effect.fnUntraced(function*<E, R>(
  begin: Effect.Effect<RunHandle | StoredRun.RepeatedRun, E, R>,
  progress: Progress,
  result: RunResult,
  task: TaskCall | undefined
) {
  const { output, run } = yield* waited(
    begin,
    progress,
    task === undefined ? Effect.asSome : Effect.timeoutOption(patience)
  )
  if (Option.isSome(output) && (task === undefined || !RunTasks.asks(output.value, task.client))) {
    return yield* result.make(output.value)
  }
  if (task !== undefined) yield* task.create(run)
  // the task replaces it
  const { run_id, session_id } = run
  return { content: [], structured: { run_id, session_id, status: "RUNNING" } } as McpTool.Answer<Json.Object>
})
