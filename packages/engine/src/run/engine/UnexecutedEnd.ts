// The last event of a run that ends without being executed: it is cancelled while it is paused, or cannot be executed.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as Time from "@svc-runtime/domain/Time"
import type { RunSnapshot } from "../store/RunReads.ts"

/** The run that ends. Its event follows the stored ones. */
type Ended = Pick<RunSnapshot, "component_id" | "eventCount" | "run_id" | "session_id">

const tagsOf = (component_id: string, output: AnyRun.Output): RunEvent.Tags => {
  if (AnyRun.isAgent(output)) return { agent_id: component_id, agent_name: output.agent_name ?? component_id }
  return AnyRun.isTeam(output)
    ? { team_id: component_id, team_name: output.team_name ?? component_id }
    : { workflow_id: component_id, workflow_name: output.workflow_name ?? component_id }
}

const eventOf = (
  { component_id, eventCount, run_id, session_id }: Ended,
  output: AnyRun.Output,
  updated_at: Time.EpochSeconds,
  { event: name, ...fields }: { readonly event: RunEvent.Kind } & Readonly<Record<string, string>>
): ReadonlyArray<RunEvent.RunEvent> =>
  // a run that stored no event has no watchers
  eventCount === 0 ? [] : [{
    event: name,
    ...tagsOf(component_id, output),
    ...fields,
    created_at: updated_at,
    run_id,
    session_id,
    nested_depth: 0,
    event_index: eventCount
  } as RunEvent.RunEvent]

const descriptionOf = (output: AnyRun.Output) => ComponentKind.descriptions[AnyRun.componentOf(output).kind]

/** The event of a cancelled run; none for a run without events. */
export const cancelled = (run: Ended, output: AnyRun.Output, updated_at: Time.EpochSeconds, reason: string) =>
  eventOf(run, output, updated_at, { event: descriptionOf(output).cancelledEvent, reason, content: reason })

/** The event of a run that ends as failed; none for a run without events. */
export const failed = (run: Ended, output: AnyRun.Output, updated_at: Time.EpochSeconds, reason: string) =>
  eventOf(run, output, updated_at, {
    event: descriptionOf(output).errorEvent,
    [descriptionOf(output).errorField]: reason,
    error_type: AnyRun.isWorkflow(output) ? "workflow_run_error" : "agent_run_error"
  })
