// Events of a team's run: those of the leader, with their own names, and those of its tasks in mode `tasks`. Events of
// members are between them, with the names of agent events.
import { Schema, Struct } from "effect"
import * as AgentEvent from "./AgentEvent.ts"
import * as CustomEvent from "./CustomEvent.ts"
import * as Run from "./Run.ts"
import * as TeamRun from "./TeamRun.ts"
import * as TeamTask from "./TeamTask.ts"
import { EpochSeconds } from "./Time.ts"

/** The keys that every event carries. */
export const base = {
  created_at: EpochSeconds,
  team_id: Schema.String,
  team_name: Schema.String,
  run_id: Run.Id,
  /** The run of the parent team. */
  parent_run_id: Schema.optionalKey(Run.Id),
  session_id: Schema.String,
  nested_depth: Schema.Int,
  event_index: Schema.Natural
}

const kind = <const Name extends string, const Fields extends Schema.Struct.Fields>(event: Name, fields: Fields) =>
  Schema.Struct({ event: Schema.Literal(event), ...base, ...AgentEvent.inWorkflow, ...fields })
    .annotate({ identifier: event })

type Common = keyof typeof AgentEvent.base | keyof typeof AgentEvent.inWorkflow | "event"

const common = Object.keys({ ...AgentEvent.base, ...AgentEvent.inWorkflow }) as Array<Exclude<Common, "event">>

/** The fields of a leader's event, beyond those of every event. */
const ofLeader = <const Fields extends Schema.Struct.Fields & { readonly [Key in Common]: Schema.Constraint }>(
  { fields }: Schema.Struct<Fields>
): Omit<Fields, Common> => Struct.omit(fields, ["event", ...common])

export const RunStarted = kind("TeamRunStarted", ofLeader(AgentEvent.RunStarted))
export const RunContent = kind("TeamRunContent", Struct.omit(ofLeader(AgentEvent.RunContent), ["workflow_agent"]))
export const RunContentPartial = kind("TeamRunContentPartial", ofLeader(AgentEvent.RunContentPartial))
export const RunContentCompleted = kind("TeamRunContentCompleted", {})
export const RunCompleted = kind("TeamRunCompleted", {
  ...ofLeader(AgentEvent.RunCompleted),
  member_responses: Schema.optionalKey(Schema.Array(TeamRun.InnerResponse))
})
export const RunError = kind("TeamRunError", ofLeader(AgentEvent.RunError))
export const RunCancelled = kind("TeamRunCancelled", ofLeader(AgentEvent.RunCancelled))
export const RunPaused = kind("TeamRunPaused", ofLeader(AgentEvent.RunPaused))
export const RunContinued = kind("TeamRunContinued", { tools: AgentEvent.RunContinued.fields.tools })
export const PreHookStarted = kind("TeamPreHookStarted", ofLeader(AgentEvent.PreHookStarted))
export const PreHookCompleted = kind("TeamPreHookCompleted", ofLeader(AgentEvent.PreHookCompleted))
export const PostHookStarted = kind("TeamPostHookStarted", ofLeader(AgentEvent.PostHookStarted))
export const PostHookCompleted = kind("TeamPostHookCompleted", ofLeader(AgentEvent.PostHookCompleted))
export const MemoryUpdateStarted = kind("TeamMemoryUpdateStarted", {})
export const MemoryUpdateCompleted = kind(
  "TeamMemoryUpdateCompleted",
  ofLeader(AgentEvent.MemoryUpdateCompleted)
)
export const SessionSummaryStarted = kind("TeamSessionSummaryStarted", {})
export const SessionSummaryCompleted = kind(
  "TeamSessionSummaryCompleted",
  ofLeader(AgentEvent.SessionSummaryCompleted)
)
export const ToolCallStarted = kind("TeamToolCallStarted", ofLeader(AgentEvent.ToolCallStarted))
export const ToolCallCompleted = kind("TeamToolCallCompleted", ofLeader(AgentEvent.ToolCallCompleted))
export const ToolCallError = kind("TeamToolCallError", ofLeader(AgentEvent.ToolCallError))
export const ReasoningStarted = kind("TeamReasoningStarted", {})
export const ReasoningStepped = kind("TeamReasoningStep", ofLeader(AgentEvent.ReasoningStepped))
export const ReasoningContentDelta = kind("TeamReasoningContentDelta", ofLeader(AgentEvent.ReasoningContentDelta))
export const ReasoningCompleted = kind("TeamReasoningCompleted", ofLeader(AgentEvent.ReasoningCompleted))
export const ModelRequestStarted = kind("TeamModelRequestStarted", ofLeader(AgentEvent.ModelRequestStarted))
export const ModelRequestCompleted = kind("TeamModelRequestCompleted", ofLeader(AgentEvent.ModelRequestCompleted))
export const ModelFallback = kind("TeamModelFallback", ofLeader(AgentEvent.ModelFallback))
export const ContextTrimmed = kind("TeamContextTrimmed", ofLeader(AgentEvent.ContextTrimmed))
export const HookApplied = kind("TeamHookApplied", ofLeader(AgentEvent.HookApplied))
export const ToolSourceFailed = kind("TeamToolSourceFailed", ofLeader(AgentEvent.ToolSourceFailed))

const iteration = { iteration: Schema.Natural, max_iterations: Schema.Natural }

export const TaskIterationStarted = kind("TeamTaskIterationStarted", iteration)
export const TaskIterationCompleted = kind("TeamTaskIterationCompleted", { ...iteration, task_summary: Schema.String })
export const TaskStateUpdated = kind("TeamTaskStateUpdated", {
  /** A summary in one line. */
  task_summary: Schema.String,
  goal_complete: Schema.Boolean,
  tasks: Schema.Array(TeamTask.Task),
  completion_summary: Schema.optionalKey(Schema.String)
})
export const TaskCreated = kind("TeamTaskCreated", {
  task_id: Schema.String,
  ...Struct.pick(TeamTask.Task.fields, ["title", "description", "assignee", "status", "dependencies"])
})
export const TaskUpdated = kind("TeamTaskUpdated", {
  task_id: Schema.String,
  previous_status: TeamTask.Status,
  ...Struct.pick(TeamTask.Task.fields, ["title", "status", "result", "assignee"])
})

export const Custom = CustomEvent.make("TeamCustomEvent", { ...base, ...AgentEvent.inWorkflow })

export const TeamEvent = Schema.Union([
  RunStarted,
  RunContent,
  RunContentPartial,
  RunContentCompleted,
  RunCompleted,
  RunError,
  RunCancelled,
  RunPaused,
  RunContinued,
  PreHookStarted,
  PreHookCompleted,
  PostHookStarted,
  PostHookCompleted,
  MemoryUpdateStarted,
  MemoryUpdateCompleted,
  SessionSummaryStarted,
  SessionSummaryCompleted,
  ToolCallStarted,
  ToolCallCompleted,
  ToolCallError,
  ReasoningStarted,
  ReasoningStepped,
  ReasoningContentDelta,
  ReasoningCompleted,
  ModelRequestStarted,
  ModelRequestCompleted,
  ModelFallback,
  HookApplied,
  ContextTrimmed,
  ToolSourceFailed,
  TaskIterationStarted,
  TaskIterationCompleted,
  TaskStateUpdated,
  TaskCreated,
  TaskUpdated,
  Custom
])
export type TeamEvent = typeof TeamEvent.Type
