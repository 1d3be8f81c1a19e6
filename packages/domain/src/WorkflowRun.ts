// A workflow's run: the response (`Output`, null keys left out) and the record in lists (`Record`, null keys kept).
import { Schema, Struct } from "effect"
import { UserId } from "./Ids.ts"
import * as Json from "./Json.ts"
import * as Media from "./Media.ts"
import * as Run from "./Run.ts"
import { StepOutput } from "./StepOutput.ts"
import { ErrorRequirement, StepIndex, StepRequirement } from "./StepRequirement.ts"
import { DateTime, EpochSeconds, toDateTime } from "./Time.ts"
import { addToSession, RunMetrics } from "./Usage.ts"

export const PauseKind = Schema.Literals(["step", "executor"])
export type PauseKind = typeof PauseKind.Type

/** The metrics of one step's executor. */
export const StepMetrics = Schema.Struct({
  step_name: Schema.String,
  executor_type: Schema.String,
  executor_name: Schema.String,
  metrics: RunMetrics
}).annotate({ identifier: "StepMetrics" })
export type StepMetrics = typeof StepMetrics.Type

export const Metrics = Schema.Struct({
  /** By the name of the step; only steps with an executor. */
  steps: Schema.Record(Schema.String, StepMetrics),
  /** Seconds. */
  duration: Schema.optionalKey(Schema.Finite)
}).annotate({ identifier: "WorkflowMetrics" })
export type Metrics = typeof Metrics.Type

const list = <S extends Schema.Top>(of: S) => Schema.optionalKey(Schema.Array(of))

export const Output = Schema.Struct({
  run_id: Run.Id,
  workflow_id: Schema.String,
  workflow_name: Schema.optionalKey(Schema.String),
  session_id: Schema.String,
  user_id: Schema.optionalKey(UserId),
  parent_run_id: Schema.optionalKey(Run.Id),
  workflow_step_id: Schema.optionalKey(Schema.String),
  input: Schema.optionalKey(Schema.Json),
  content: Schema.optionalKey(Schema.Json),
  content_type: Schema.String,
  created_at: EpochSeconds,
  status: Run.Status,
  images: list(Media.Image),
  videos: list(Media.Video),
  audio: list(Media.Audio),
  files: list(Media.File),
  response_audio: Schema.optionalKey(Media.Audio),
  /** In the order of the steps. */
  step_results: list(StepOutput),
  /** The runs of the executors, as separate runs. */
  step_executor_runs: list(Json.Object),
  metrics: Schema.optionalKey(Metrics),
  /** Of all runs inside of it. Absent where it has none. */
  total_metrics: Schema.optionalKey(RunMetrics),
  metadata: Schema.optionalKey(Json.Object),
  /** The decided requirements, and at the end the open one. */
  step_requirements: list(StepRequirement),
  error_requirements: list(ErrorRequirement),
  paused_step_index: Schema.optionalKey(StepIndex),
  paused_step_name: Schema.optionalKey(Schema.String),
  pause_kind: Schema.optionalKey(PauseKind),
  /** The paused run continues then, also without a decision. */
  wake_at: Schema.optionalKey(EpochSeconds),
  events: list(Json.Object)
}).annotate({ identifier: "WorkflowRunOutput" })
export type Output = typeof Output.Type

/** An accepted run without output. */
export const running = (run: Parameters<typeof Run.running>[0]): Output => ({
  run_id: run.run_id,
  workflow_id: run.component_id,
  session_id: run.session_id,
  ...(run.user_id === null ? {} : { user_id: run.user_id }),
  input: run.input.input_content,
  content_type: "str",
  created_at: run.created_at,
  status: "RUNNING"
})

const nullable = Schema.NullOr

export const Record = Schema.Struct({
  run_id: Run.Id,
  ...Run.Placed,
  run_input: Schema.String,
  events: Schema.Array(Json.Object),
  workflow_id: Schema.String,
  user_id: Schema.String,
  content: Run.RecordContent,
  content_type: Schema.String,
  status: Run.Status,
  step_results: Schema.Array(StepOutput),
  step_executor_runs: Schema.Array(Json.Object),
  step_requirements: nullable(Schema.Array(StepRequirement)),
  pause_kind: nullable(PauseKind),
  paused_step_name: nullable(Schema.String),
  paused_step_index: nullable(StepIndex),
  metrics: Schema.Union([Metrics, Schema.Struct({})]),
  total_metrics: Schema.optionalKey(RunMetrics),
  created_at: DateTime,
  reasoning_content: Schema.String,
  reasoning_steps: Schema.Array(Schema.Json),
  references: Schema.Array(Schema.Json),
  citations: nullable(Schema.Json),
  reasoning_messages: Schema.Array(Schema.Json),
  images: Schema.Array(Media.Image),
  videos: Schema.Array(Media.Video),
  audio: Schema.Array(Media.Audio),
  files: Schema.Array(Media.File),
  response_audio: nullable(Media.Audio)
}).annotate({ identifier: "WorkflowRunRecord" })
export type Record = typeof Record.Type

/** The record with null keys left out, as in lists. The id of its workflow identifies it. */
export const PartialRecord = Schema.Struct({
  ...Struct.map(Record.fields, Schema.optionalKey),
  workflow_id: Schema.String
})
  .annotate({ identifier: "PartialWorkflowRunRecord" })
export type PartialRecord = typeof PartialRecord.Type

/** Only the steps of a paused run wait: what is stored of a run that was resumed or cancelled says more. */
export const shown = (run: Output): Output =>
  run.status === "PAUSED" || run.step_requirements === undefined
    ? run
    : { ...run, step_requirements: run.step_requirements.map(({ resolved: _, ...step }) => step) }

export const toRecord = (run: Output): Record => ({
  run_id: run.run_id,
  run_input: Run.textOf(run.input ?? ""),
  events: run.events ?? [],
  workflow_id: run.workflow_id,
  user_id: run.user_id ?? "",
  content: Run.recordContent(run.content),
  content_type: run.content_type,
  status: run.status,
  step_results: run.step_results ?? [],
  step_executor_runs: run.step_executor_runs ?? [],
  step_requirements: shown(run).step_requirements ?? null,
  pause_kind: run.pause_kind ?? null,
  paused_step_name: run.paused_step_name ?? null,
  paused_step_index: run.paused_step_index ?? null,
  metrics: run.metrics ?? {},
  ...(run.total_metrics === undefined ? {} : { total_metrics: run.total_metrics }),
  created_at: toDateTime(run.created_at),
  reasoning_content: "",
  reasoning_steps: [],
  references: [],
  citations: null,
  reasoning_messages: [],
  images: run.images ?? [],
  videos: run.videos ?? [],
  audio: run.audio ?? [],
  files: run.files ?? [],
  response_audio: run.response_audio ?? null
})

const metricsIn = (run: Json.Object): ReadonlyArray<RunMetrics> => {
  // the metrics of a workflow are the sum of its executors
  const own = "workflow_id" in run ? {} : run["metrics"] ?? {}
  const inside = [run["step_executor_runs"], run["member_responses"]] as ReadonlyArray<ReadonlyArray<Json.Object>>
  return [own as RunMetrics, ...inside.flatMap((runs = []) => runs.flatMap(metricsIn))]
}

/** Usage of its agents and teams, including failed ones and those in nested workflows. */
export const usageOf = ({ step_executor_runs = [] }: Pick<Output, "step_executor_runs">): RunMetrics =>
  step_executor_runs.flatMap(metricsIn).reduce<RunMetrics>(addToSession, {})
