// The end of a run that nobody can go on with: its component is gone, or what is stored of it cannot be read.
import { AnyRun, type RunEvent, Time } from "@svc/domain"
import { Clock, Effect, Stream } from "effect"
import { abandoned } from "./RunErrors.ts"
import type { RunHandle } from "./RunHandle.ts"
import type { Resting, RunStore } from "./RunStore.ts"

const failed = { content: abandoned, error_type: "agent_run_error" }

const lastWords = ({ component_id, output }: Resting): RunEvent.Payload & RunEvent.Tags => {
  if (AnyRun.isAgent(output)) {
    return { event: "RunError", agent_id: component_id, agent_name: output.agent_name ?? component_id, ...failed }
  }
  return AnyRun.isTeam(output)
    ? { event: "TeamRunError", team_id: component_id, team_name: output.team_name ?? component_id, ...failed }
    : {
      event: "WorkflowError",
      workflow_id: component_id,
      workflow_name: output.workflow_name ?? component_id,
      error: abandoned,
      error_type: "workflow_run_error"
    }
}

export const end = Effect.fnUntraced(function*(runs: RunStore["Service"], resting: Resting) {
  const { attempt, component_id, eventCount, output, run_id, session_id } = resting
  const created_at = Time.fromMillis(yield* Clock.currentTimeMillis)
  const ended: AnyRun.Output = { ...output, status: "ERROR", content: abandoned }
  const last = {
    ...lastWords(resting),
    created_at,
    run_id,
    session_id,
    nested_depth: 0,
    event_index: eventCount
  } as RunEvent.RunEvent
  yield* Effect.annotateLogs(Effect.logWarning("A run cannot be gone on with: its component is not there"), {
    run_id,
    component_id
  })
  // where no event was kept nobody listens
  const events = eventCount === 0 ? null : [last]
  yield* runs.finish({ attempt, run: ended, events, state_changes: undefined, usage: {}, updated_at: created_at })
  const handle: RunHandle = { events: Stream.fromIterable(events ?? []), output: Effect.succeed(ended) }
  return handle
})
