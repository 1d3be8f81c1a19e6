// The last event of a run that has none: a run that is not streamed stores no events. It is made from the stored run.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import { textOf } from "./RunPiece.ts"

const common = ({ created_at, run_id, session_id }: AnyRun.Output) => ({
  created_at,
  run_id,
  session_id,
  nested_depth: 0,
  event_index: 0
})

const reasonOf = ({ content }: AnyRun.Output): string => textOf(content)

const ofWorkflow = (run: WorkflowRun.Output): object | undefined => {
  const { content = null, content_type, step_executor_runs = [], step_results = [] } = run
  const at = { ...common(run), workflow_id: run.workflow_id, workflow_name: run.workflow_name ?? run.workflow_id }
  switch (run.status) {
    case "PAUSED": {
      const { error_requirements, step_requirements } = run
      return {
        event: "WorkflowPaused",
        ...at,
        status: "PAUSED",
        ...(step_requirements === undefined ? {} : { step_requirements }),
        ...(error_requirements === undefined ? {} : { error_requirements })
      }
    }
    case "COMPLETED":
      return { event: "WorkflowCompleted", ...at, content, content_type, step_results, step_executor_runs }
    case "ERROR":
      return { event: "WorkflowError", ...at, error: reasonOf(run) }
    case "CANCELLED":
      return { event: "WorkflowCancelled", ...at, reason: reasonOf(run) }
    default:
      return undefined
  }
}

const ofOther = (run: TeamRun.MemberResponse): object | undefined => {
  const prefix = AnyRun.isTeam(run) ? "Team" : ""
  const at = AnyRun.isTeam(run)
    ? { ...common(run), team_id: run.team_id, team_name: run.team_name ?? run.team_id }
    : { ...common(run), agent_id: run.agent_id, agent_name: run.agent_name ?? run.agent_id }
  switch (run.status) {
    case "PAUSED":
      return {
        event: `${prefix}RunPaused`,
        ...at,
        content: reasonOf(run),
        tools: run.tools ?? [],
        requirements: run.requirements ?? []
      }
    case "COMPLETED": {
      const { audio, citations, content = null, content_type, files, images, metadata, references } = run
      const { finish_reason, response_audio, videos } = run
      const optional = { audio, citations, files, finish_reason, images, metadata, references, response_audio, videos }
      return {
        event: `${prefix}RunCompleted`,
        ...at,
        content,
        content_type,
        session_state: run.session_state ?? {},
        metrics: run.metrics ?? {},
        ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
      }
    }
    case "ERROR":
      return { event: `${prefix}RunError`, ...at, content: reasonOf(run) }
    case "CANCELLED":
      return { event: `${prefix}RunCancelled`, ...at, reason: reasonOf(run) }
    default:
      return undefined
  }
}

/** Empty for a run that has not ended or paused. */
export const of = (run: AnyRun.Output): ReadonlyArray<RunEvent.RunEvent> => {
  const event = AnyRun.isWorkflow(run) ? ofWorkflow(run) : ofOther(run)
  return event === undefined ? [] : [event as RunEvent.RunEvent]
}
