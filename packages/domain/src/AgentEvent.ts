// Events of an agent's run, one struct per kind. `event_index` counts from 0 without gaps. Events of a team member use
// the indexes of the team's run, which `parent_run_id` names.
import { Schema } from "effect"
import * as CustomEvent from "./CustomEvent.ts"
import * as Json from "./Json.ts"
import * as Media from "./Media.ts"
import * as Memory from "./Memory.ts"
import { ReasoningStep } from "./Reasoning.ts"
import { References } from "./Reference.ts"
import { Requirement } from "./Requirement.ts"
import * as Run from "./Run.ts"
import { Summary } from "./Session.ts"
import { EpochSeconds } from "./Time.ts"
import { ToolExecution } from "./ToolExecution.ts"
import { RunMetrics } from "./Usage.ts"
import { step } from "./WorkflowEvent.ts"

const text = Schema.optionalKey(Schema.String)

/** The keys that every event of an agent carries. */
export const base = {
  created_at: EpochSeconds,
  agent_id: Schema.String,
  agent_name: Schema.String,
  run_id: Run.Id,
  parent_run_id: Schema.optionalKey(Run.Id),
  session_id: Schema.String,
  nested_depth: Schema.Int,
  event_index: Schema.Natural
}

/** Identifies the step and the run of the workflow that executes this run. */
export const inWorkflow = {
  workflow_id: text,
  workflow_run_id: Schema.optionalKey(Run.Id),
  step_id: text,
  step_name: text,
  step_index: step.step_index
}

const kind = <const Name extends string, const Fields extends Schema.Struct.Fields>(event: Name, fields: Fields) =>
  Schema.Struct({ event: Schema.Literal(event), ...base, ...inWorkflow, ...fields }).annotate({ identifier: event })

const media = {
  images: Schema.optionalKey(Schema.Array(Media.Image)),
  videos: Schema.optionalKey(Schema.Array(Media.Video)),
  audio: Schema.optionalKey(Schema.Array(Media.Audio)),
  files: Schema.optionalKey(Schema.Array(Media.File)),
  response_audio: Schema.optionalKey(Media.Audio)
}

export const RunStarted = kind("RunStarted", { model: Schema.String, model_provider: Schema.String })

export const RunContent = kind("RunContent", {
  /** A part of the answer; the whole object for a structured answer. */
  content: Schema.optionalKey(Schema.Json),
  workflow_agent: Schema.Boolean,
  content_type: Schema.String,
  reasoning_content: Schema.String,
  citations: Schema.optionalKey(Run.Citations),
  image: Schema.optionalKey(Media.Image)
})

/** A structured answer so far. Later ones replace it, and `RunContent` has the whole object. */
export const RunContentPartial = kind("RunContentPartial", {
  content_partial: Schema.Json,
  content_type: Schema.String
})
export const RunContentCompleted = kind("RunContentCompleted", {})

export const RunCompleted = kind("RunCompleted", {
  content: Schema.optionalKey(Schema.Json),
  content_type: Schema.String,
  session_state: Json.Object,
  metrics: RunMetrics,
  total_metrics: Schema.optionalKey(RunMetrics),
  reasoning_content: text,
  reasoning_steps: Schema.optionalKey(Schema.Array(ReasoningStep)),
  references: Schema.optionalKey(Schema.Array(References)),
  citations: Schema.optionalKey(Run.Citations),
  /** Absent where the model came to the end of its answer. */
  finish_reason: Schema.optionalKey(Run.FinishReason),
  metadata: Schema.optionalKey(Json.Object),
  ...media
})

export const RunError = kind("RunError", { content: text, error_type: text, error_id: text })

export const RunCancelled = kind("RunCancelled", { reason: Schema.String, content: text })

/** The last event until the run is continued. */
export const RunPaused = kind("RunPaused", {
  /** Describes what the run waits for. */
  content: Schema.String,
  tools: Schema.Array(ToolExecution),
  requirements: Schema.Array(Requirement)
})

/** The run resumed, after a pause or a takeover. Text of an unfinished model answer before this event is void. */
export const RunContinued = kind("RunContinued", {
  /** Calls that a person rejected or executed elsewhere: they have no other events. Left out without one. */
  tools: Schema.optionalKey(Schema.Array(ToolExecution))
})

export const PreHookStarted = kind("PreHookStarted", { pre_hook_name: Schema.String, run_input: Run.Input })
export const PreHookCompleted = kind("PreHookCompleted", { pre_hook_name: Schema.String, run_input: Run.Input })
export const PostHookStarted = kind("PostHookStarted", { post_hook_name: Schema.String })
export const PostHookCompleted = kind("PostHookCompleted", { post_hook_name: Schema.String })

/** The memories of the user are updated before the run ends. */
export const MemoryUpdateStarted = kind("MemoryUpdateStarted", {})
export const MemoryUpdateCompleted = kind("MemoryUpdateCompleted", {
  /** The new and the changed ones. They are not stored with the event. */
  memories: Schema.optionalKey(Schema.Array(Memory.Record))
})

/** The session is summarized before the run ends. */
export const SessionSummaryStarted = kind("SessionSummaryStarted", {})
export const SessionSummaryCompleted = kind("SessionSummaryCompleted", {
  /** Absent if there is none. It is not stored with the event. */
  session_summary: Schema.optionalKey(Summary)
})

export const ToolCallStarted = kind("ToolCallStarted", { tool: ToolExecution })
export const ToolCallCompleted = kind("ToolCallCompleted", {
  /** A summary in one line: the call and its duration. */
  content: Schema.String,
  tool: ToolExecution
})
export const ToolCallError = kind("ToolCallError", { tool: ToolExecution, error: Schema.String })

export const ReasoningStarted = kind("ReasoningStarted", {})
export const ReasoningStepped = kind("ReasoningStep", {
  content: ReasoningStep,
  content_type: Schema.Literal("ReasoningStep"),
  /** All steps so far, as Markdown. */
  reasoning_content: Schema.String
})
export const ReasoningContentDelta = kind("ReasoningContentDelta", { reasoning_content: Schema.String })
export const ReasoningCompleted = kind("ReasoningCompleted", {
  content: Schema.Struct({ reasoning_steps: Schema.Array(ReasoningStep) }),
  content_type: Schema.Literal("ReasoningSteps")
})

export const ModelRequestStarted = kind("ModelRequestStarted", {
  model: Schema.String,
  model_provider: Schema.String
})
export const ModelRequestCompleted = kind("ModelRequestCompleted", {
  model: Schema.String,
  model_provider: Schema.String,
  input_tokens: Schema.Natural,
  output_tokens: Schema.Natural,
  total_tokens: Schema.Natural,
  /** Seconds. Absent if the model produced no text. */
  time_to_first_token: Schema.optionalKey(Schema.Finite),
  reasoning_tokens: Schema.Natural,
  cache_read_tokens: Schema.Natural,
  cache_write_tokens: Schema.Natural
})

/** A model failed or refused the content, and the next one is requested. */
export const ModelFallback = kind("ModelFallback", {
  model: Schema.String,
  model_provider: Schema.String,
  fallback_model: Schema.String,
  fallback_model_provider: Schema.String,
  reason: Schema.String
})

/** Requests leave out a part of the history or results of tools. */
export const ContextTrimmed = kind("ContextTrimmed", {
  messages: Schema.Natural,
  tool_results: Schema.Natural,
  media: Schema.optionalKey(Schema.Natural),
  is_summarized: Schema.optionalKey(Schema.Boolean),
  estimated_tokens: Schema.Natural
})

/** A hook has changed, answered, rejected or noted something. */
export const HookApplied = kind("HookApplied", {
  hook_name: Schema.String,
  stage: Schema.Literals(["before_run", "after_run", "before_model", "after_model", "before_tool", "after_tool"]),
  action: Schema.Literals(["changed", "answered", "rejected", "noted"]),
  reason: Schema.optionalKey(Schema.String),
  /** The tool call, for the stages around a call. */
  tool_call_id: Schema.optionalKey(Schema.String)
})

/** Some or all tools of a tool source are missing in the run. */
export const ToolSourceFailed = kind("ToolSourceFailed", {
  tool_source: Schema.String,
  reason: Schema.String
})

export const Custom = CustomEvent.make("CustomEvent", { ...base, ...inWorkflow })

export const AgentEvent = Schema.Union([
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
  Custom
])
export type AgentEvent = typeof AgentEvent.Type
