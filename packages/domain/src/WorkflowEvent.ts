// Events of a workflow's run, one struct per kind. Events of its executors are between them, with the ids of their
// step. `RunEvent` is the union of all.
import { Schema } from "effect"
import * as CustomEvent from "./CustomEvent.ts"
import * as Json from "./Json.ts"
import * as Media from "./Media.ts"
import * as Run from "./Run.ts"
import { StepOutput } from "./StepOutput.ts"
import { InputField, StepIndex, StepRequirement } from "./StepRequirement.ts"
import { EpochSeconds } from "./Time.ts"
import { RunMetrics } from "./Usage.ts"
import * as WorkflowRun from "./WorkflowRun.ts"

const text = Schema.optionalKey(Schema.String)

/** Identifies the step of the event. */
export const step = {
  step_id: text,
  step_name: text,
  step_index: Schema.optionalKey(StepIndex),
  /** The id of the containing step. */
  parent_step_id: text
}

/** The keys of every workflow event. A nested workflow has its own, one level deeper. */
export const base = {
  created_at: EpochSeconds,
  workflow_id: Schema.String,
  workflow_name: Schema.String,
  session_id: Schema.String,
  run_id: Run.Id,
  /** The run that calls the workflow as a tool. */
  parent_run_id: Schema.optionalKey(Run.Id),
  nested_depth: Schema.Int,
  event_index: Schema.Natural
}

const kind = <const Name extends string, const Fields extends Schema.Struct.Fields>(event: Name, fields: Fields) =>
  Schema.Struct({ event: Schema.Literal(event), ...base, ...step, ...fields }).annotate({ identifier: event })

const outputs = Schema.Array(StepOutput)
const natural = Schema.Natural

export const WorkflowStarted = kind("WorkflowStarted", {})
export const WorkflowCompleted = kind("WorkflowCompleted", {
  content: Schema.optionalKey(Schema.Json),
  content_type: Schema.String,
  step_results: outputs,
  step_executor_runs: Schema.Array(Json.Object),
  metadata: Schema.optionalKey(Json.Object),
  metrics: Schema.optionalKey(WorkflowRun.Metrics),
  total_metrics: Schema.optionalKey(RunMetrics),
  /** Left out if it is empty. */
  session_state: Schema.optionalKey(Json.Object)
})
export const WorkflowPaused = kind("WorkflowPaused", {
  status: Schema.Literal("PAUSED"),
  paused_step_index: Schema.optionalKey(StepIndex),
  paused_step_name: text,
  pause_kind: Schema.optionalKey(WorkflowRun.PauseKind),
  step_requirements: Schema.optionalKey(Schema.Array(StepRequirement)),
  error_requirements: WorkflowRun.Output.fields.error_requirements,
  step_results: Schema.optionalKey(outputs),
  step_executor_runs: Schema.optionalKey(Schema.Array(Json.Object)),
  content: Schema.optionalKey(Schema.Json),
  metadata: Schema.optionalKey(Json.Object)
})
export const WorkflowCancelled = kind("WorkflowCancelled", { reason: Schema.String, content: text })
export const WorkflowError = kind("WorkflowError", { error: Schema.String, error_type: text, error_id: text })

export const StepStarted = kind("StepStarted", {})
/** The result of a function, directly before its step is completed. */
export const StepOutputEvent = kind("StepOutput", { step_output: StepOutput })
export const StepCompleted = kind("StepCompleted", {
  content: Schema.optionalKey(Schema.Json),
  content_type: Schema.String,
  step_response: StepOutput,
  images: Schema.optionalKey(Schema.Array(Media.Image)),
  videos: Schema.optionalKey(Schema.Array(Media.Video)),
  audio: Schema.optionalKey(Schema.Array(Media.Audio))
})
export const StepPaused = kind("StepPaused", {
  requires_confirmation: Schema.Boolean,
  confirmation_message: text,
  requires_user_input: Schema.Boolean,
  user_input_message: text,
  user_input_schema: Schema.optionalKey(Schema.Array(InputField))
})
export const StepContinued = kind("StepContinued", {})

const executor = {
  executor_id: Schema.String,
  executor_name: Schema.String,
  executor_run_id: Schema.String,
  executor_type: Schema.Literals(["agent", "team"])
}
export const StepExecutorPaused = kind("StepExecutorPaused", {
  ...executor,
  executor_requirements: Schema.Array(Schema.Json)
})
export const StepExecutorContinued = kind("StepExecutorContinued", executor)
export const StepOutputReview = kind("StepOutputReview", {
  output_review_message: text,
  requires_output_review: Schema.Literal(true)
})
export const StepError = kind("StepError", { error: Schema.String })

export const ParallelExecutionStarted = kind("ParallelExecutionStarted", { parallel_step_count: natural })
export const ParallelExecutionCompleted = kind("ParallelExecutionCompleted", {
  parallel_step_count: natural,
  step_results: outputs
})
export const ConditionExecutionStarted = kind("ConditionExecutionStarted", { condition_result: Schema.Boolean })
export const ConditionExecutionCompleted = kind("ConditionExecutionCompleted", {
  condition_result: Schema.Boolean,
  executed_steps: natural,
  branch: Schema.optionalKey(Schema.Literals(["if", "else"])),
  step_results: outputs
})
export const LoopExecutionStarted = kind("LoopExecutionStarted", { max_iterations: natural })
export const LoopIterationStarted = kind("LoopIterationStarted", { iteration: natural, max_iterations: natural })
export const LoopIterationCompleted = kind("LoopIterationCompleted", {
  iteration: natural,
  max_iterations: natural,
  iteration_results: outputs,
  should_continue: Schema.Boolean
})
export const LoopExecutionCompleted = kind("LoopExecutionCompleted", {
  total_iterations: natural,
  max_iterations: natural,
  all_results: Schema.Array(outputs)
})
export const RouterExecutionStarted = kind("RouterExecutionStarted", { selected_steps: Schema.Array(Schema.String) })
export const RouterExecutionCompleted = kind("RouterExecutionCompleted", {
  selected_steps: Schema.Array(Schema.String),
  executed_steps: natural,
  step_results: outputs
})
export const RouterPaused = kind("RouterPaused", {
  available_choices: Schema.Array(Schema.String),
  user_input_message: text,
  allow_multiple_selections: Schema.Boolean
})
export const StepsExecutionStarted = kind("StepsExecutionStarted", { steps_count: natural })
export const StepsExecutionCompleted = kind("StepsExecutionCompleted", {
  steps_count: natural,
  executed_steps: natural,
  step_results: outputs
})

export const Custom = CustomEvent.make("WorkflowCustomEvent", { ...base, ...step })

export const members = [
  WorkflowStarted,
  WorkflowCompleted,
  WorkflowPaused,
  WorkflowCancelled,
  WorkflowError,
  StepStarted,
  StepOutputEvent,
  StepCompleted,
  StepPaused,
  StepContinued,
  StepExecutorPaused,
  StepExecutorContinued,
  StepOutputReview,
  StepError,
  ParallelExecutionStarted,
  ParallelExecutionCompleted,
  ConditionExecutionStarted,
  ConditionExecutionCompleted,
  LoopExecutionStarted,
  LoopIterationStarted,
  LoopIterationCompleted,
  LoopExecutionCompleted,
  RouterExecutionStarted,
  RouterExecutionCompleted,
  RouterPaused,
  StepsExecutionStarted,
  StepsExecutionCompleted,
  Custom
] as const

export const WorkflowEvent = Schema.Union(members)
export type WorkflowEvent = typeof WorkflowEvent.Type
export type Kind = WorkflowEvent["event"]

type Base = keyof typeof base

/** An event without the keys that every event has. */
export type Payload = WorkflowEvent extends infer E ? E extends { readonly event: Kind } ? Omit<E, Base> : never
  : never
