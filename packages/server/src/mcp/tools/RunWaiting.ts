// Waits for a run that has begun or goes on, and tells the client what happens in it. A client that cancels its call ends the
// run; one that goes away does not.
import { Owner, type Run, type RunEvent, type Session } from "@svc/domain"
import type { RunEngine, RunHandle } from "@svc/runtime"
import { Effect, Stream } from "effect"
import { McpSchema } from "effect/ai"
import { interrupted } from "../../WireErrors.ts"
import { CurrentLife } from "../ClientDisconnect.ts"
import type { Progress } from "../Progress.ts"

/** What a client is told of an event: undefined when nothing. */
export type ProgressMessage = (event: RunEvent.RunEvent) => string | undefined

export const ofAgent: ProgressMessage = (event) => {
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
export const ofTeam: ProgressMessage = (event) => {
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
export const ofWorkflow: ProgressMessage = (event) => {
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

/** Requests that stand for themselves are cancelled by going away; sessions have a message for it. */
const isCancelled = Effect.gen(function*() {
  const { isGone } = yield* CurrentLife
  const { protocolVersion } = yield* McpSchema.McpRequestContext
  return !isGone || protocolVersion >= "2026-07-28"
})

export interface ProgressTarget {
  readonly progress: Progress
  readonly tell: ProgressMessage
}

export interface WaitedRun extends RunHandle {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

/** From its beginning to its end, and to nobody's harm when it is given up in between. */
export const ended = <E, R>(
  engine: RunEngine["Service"],
  begin: Effect.Effect<WaitedRun, E, R>,
  { progress, tell }: ProgressTarget
) =>
  Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
    const { events, output, run_id, session_id } = yield* begin
    const cancel = engine.cancel({ run_id, session_id, filter: { owner: Owner.anyone } })
    const reported = Stream.runForEach(events, (event) => {
      const message = tell(event)
      return message === undefined ? Effect.void : progress.report(message)
    })
    return yield* restore(Effect.andThen(reported, output)).pipe(
      Effect.mapError(interrupted),
      Effect.onInterrupt(() => Effect.when(Effect.ignore(cancel, { log: true }), isCancelled))
    )
  }))
