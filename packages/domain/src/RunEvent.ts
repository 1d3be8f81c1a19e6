// What happens during a run, one struct per kind: those of agents are here, those of workflows in `WorkflowEvent.ts`.
// Watchers, stores and every transport carry the same values: these are the wire's own names, so an event is encoded once.
//
// `event_index` counts from 0 within a run, without gaps.
import { Schema } from "effect"
import * as Json from "./Json.ts"
import * as Media from "./Media.ts"
import { ReasoningStep } from "./Reasoning.ts"
import { Requirement } from "./Requirement.ts"
import * as Run from "./Run.ts"
import { EpochSeconds } from "./Time.ts"
import { ToolExecution } from "./ToolExecution.ts"
import { RunMetrics } from "./Usage.ts"
import * as WorkflowEvent from "./WorkflowEvent.ts"

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

/** Of an agent that does a step of a workflow: which, and in which run of it. */
const inWorkflow = {
  workflow_id: text,
  workflow_run_id: Schema.optionalKey(Run.Id),
  step_id: text,
  step_name: text,
  step_index: WorkflowEvent.step.step_index
}

const kind = <const Name extends string, const Fields extends Schema.Struct.Fields>(event: Name, fields: Fields) =>
  Schema.Struct({ event: Schema.Literal(event), ...base, ...inWorkflow, ...fields }).annotate({ identifier: event })

const media = {
  images: Schema.optionalKey(Schema.Array(Media.Image)),
  videos: Schema.optionalKey(Schema.Array(Media.Video)),
  audio: Schema.optionalKey(Schema.Array(Media.Audio)),
  files: Schema.optionalKey(Schema.Array(Media.File))
}

export const RunStarted = kind("RunStarted", { model: Schema.String, model_provider: Schema.String })

export const RunContent = kind("RunContent", {
  /** A piece of the answer; the whole object when the answer is structured. */
  content: Schema.optionalKey(Schema.Json),
  workflow_agent: Schema.Boolean,
  content_type: Schema.String,
  reasoning_content: Schema.String,
  citations: Schema.optionalKey(Run.Citations),
  image: Schema.optionalKey(Media.Image)
})

export const RunContentCompleted = kind("RunContentCompleted", {})

export const RunCompleted = kind("RunCompleted", {
  content: Schema.optionalKey(Schema.Json),
  content_type: Schema.String,
  session_state: Json.Object,
  metrics: RunMetrics,
  reasoning_content: text,
  reasoning_steps: Schema.optionalKey(Schema.Array(ReasoningStep)),
  citations: Schema.optionalKey(Run.Citations),
  metadata: Schema.optionalKey(Json.Object),
  ...media
})

export const ErrorType = Schema.String
export const RunError = kind("RunError", { content: text, error_type: text, error_id: text })

export const RunCancelled = kind("RunCancelled", { reason: Schema.String, content: text })

/** Nothing follows until somebody continues the run. */
export const RunPaused = kind("RunPaused", {
  /** Says what is needed. */
  content: Schema.String,
  tools: Schema.Array(ToolExecution),
  requirements: Schema.Array(Requirement)
})

/**
 * The run goes on: after a pause, or after the service that executed it has stopped. What a model had said of an answer
 * that it had not finished is void: it is asked again.
 */
export const RunContinued = kind("RunContinued", {})

export const PreHookStarted = kind("PreHookStarted", { pre_hook_name: Schema.String, run_input: Run.Input })
export const PreHookCompleted = kind("PreHookCompleted", { pre_hook_name: Schema.String, run_input: Run.Input })
export const PostHookStarted = kind("PostHookStarted", { post_hook_name: Schema.String })
export const PostHookCompleted = kind("PostHookCompleted", { post_hook_name: Schema.String })

export const ToolCallStarted = kind("ToolCallStarted", { tool: ToolExecution })
export const ToolCallCompleted = kind("ToolCallCompleted", {
  /** One line for people: the call and how long it took. */
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
  /** Seconds. Absent when the model wrote nothing. */
  time_to_first_token: Schema.optionalKey(Schema.Finite),
  reasoning_tokens: Schema.Natural,
  cache_read_tokens: Schema.Natural,
  cache_write_tokens: Schema.Natural
})

export const RunEvent = Schema.Union([
  RunStarted,
  RunContent,
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
  ToolCallStarted,
  ToolCallCompleted,
  ToolCallError,
  ReasoningStarted,
  ReasoningStepped,
  ReasoningContentDelta,
  ReasoningCompleted,
  ModelRequestStarted,
  ModelRequestCompleted,
  ...WorkflowEvent.members
])
export type RunEvent = typeof RunEvent.Type
export type Kind = RunEvent["event"]

/** What a stream says about itself, between events: what follows, and from where. It has no index. */
export const Control = Schema.Struct({
  event: Schema.Literals(["catch_up", "subscribed", "replay", "error"]),
  run_id: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.String),
  missed_events: Schema.optionalKey(Schema.Int),
  current_event_count: Schema.optionalKey(Schema.Int),
  total_events: Schema.optionalKey(Schema.Int),
  total_buffered: Schema.optionalKey(Schema.Int),
  last_event_index_requested: Schema.optionalKey(Schema.Int),
  message: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "StreamControl" })
export type Control = typeof Control.Type

/** What the component's run says of itself in every event. */
export type Tags =
  | Pick<typeof RunStarted.Type, "agent_id" | "agent_name">
  | Pick<typeof WorkflowEvent.WorkflowStarted.Type, "workflow_id" | "workflow_name">

type Without<E, Keys extends PropertyKey> = E extends unknown ? Omit<E, Keys> : never

/** An event without what every event carries: what the part of the system that produces it has to say. */
export type Payload =
  | WorkflowEvent.Payload
  | Without<Exclude<RunEvent, { readonly event: WorkflowEvent.Kind }>, keyof typeof base>

/** An event of a run within the one that is watched: it says whose it is, and lacks only its moment and its number. */
export type Inner = Without<RunEvent, "created_at" | "event_index">

const content: ReadonlySet<Kind> = new Set(["RunContent", "StepOutput"])
const essential: ReadonlySet<Kind> = new Set([
  "RunContent",
  "RunPaused",
  "RunCancelled",
  "RunError",
  "StepOutput",
  "WorkflowCompleted",
  "WorkflowPaused",
  "WorkflowCancelled",
  "WorkflowError"
])

/** Pieces of an answer: kept for replay, but not shown among the events of a stored run. */
export const isContent = (event: { readonly event: Kind }): boolean => content.has(event.event)

/** What a caller gets that asked for `stream_events=false`: the answer, or why there is none. */
export const isEssential = (event: { readonly event: Kind }): boolean => essential.has(event.event)
