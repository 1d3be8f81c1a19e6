// The last event of a run that ends without being executed: it is cancelled while it is paused, or cannot be executed.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as Time from "@svc-runtime/domain/Time"
import * as ShownWords from "../events/ShownWords.ts"
import type { RunSnapshot } from "../store/RunReads.ts"

/** The run that ends. Its event follows the stored ones. */
export type Unexecuted = Pick<RunSnapshot, "component_id" | "eventCount" | "lastWord" | "run_id" | "session_id">

const tagsOf = (component_id: string, output: AnyRun.Output): RunEvent.Tags => {
  if (AnyRun.isAgent(output)) return { agent_id: component_id, agent_name: output.agent_name ?? component_id }
  return AnyRun.isTeam(output)
    ? { team_id: component_id, team_name: output.team_name ?? component_id }
    : { workflow_id: component_id, workflow_name: output.workflow_name ?? component_id }
}

/** None for a run without events. */
export const of = (
  { component_id, eventCount, lastWord, run_id, session_id }: Unexecuted,
  output: AnyRun.Output,
  updated_at: Time.EpochSeconds,
  { event: name, ...fields }: { readonly event: RunEvent.Kind } & Readonly<Record<string, string>>
): ReadonlyArray<RunEvent.RunEvent> => {
  // a run that stored no event has no watchers
  if (eventCount === 0) return []
  const blanks = ShownWords.blanksAfter(lastWord)
  return [...blanks, {
    event: name,
    ...tagsOf(component_id, output),
    ...fields,
    created_at: updated_at,
    run_id,
    session_id,
    nested_depth: 0,
    event_index: eventCount + blanks.length
  } as RunEvent.RunEvent]
}

export const descriptionOf = (output: AnyRun.Output) => ComponentKind.descriptions[AnyRun.componentOf(output).kind]
