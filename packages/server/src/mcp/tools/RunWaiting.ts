// Waits for a run, and reports to the client what happens in it. A client that cancels its call ends a run that the
// call started; one that disconnects does not.
import * as StoredRun from "@svc-runtime/agents/runService/StoredRun"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { RunNotFound } from "@svc-runtime/engine/run/RunErrors"
import type { RunHandle, RunRef } from "@svc-runtime/engine/run/RunHandle"
import { Effect, Option, Stream } from "effect"
import { McpSchema } from "effect/ai"
import { ClientConnection } from "../ClientDisconnect.ts"
import type { Progress } from "../Progress.ts"
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
  const { isGone } = yield* ClientConnection
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

/** The run when it has ended or paused. A run that this call started is cancelled with the call. */
export const ended = <E, R>(
  begin: Effect.Effect<RunHandle | StoredRun.RepeatedRun, E, R>,
  progress: Progress
) =>
  Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
    const result = yield* begin
    const { run } = result
    if (result._tag === "Repeated") return yield* restore(Effect.catch(outputOf(run, result.output), toToolError))
    const { events, output } = result
    const reported = Stream.runForEach(events, (event) => {
      const message = progressMessages[run.kind](event)
      return message === undefined ? Effect.void : progress.report(message)
    })
    return yield* restore(Effect.andThen(reported, output)).pipe(
      Effect.catch(toToolError),
      Effect.onInterrupt(() => Effect.when(StoredRun.onDisconnect(result, "cancel"), isCancelled))
    )
  }))
