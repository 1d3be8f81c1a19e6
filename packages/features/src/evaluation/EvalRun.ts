// An evaluation run: the answers of a component and their ratings. `Stored` is the form in a database. The request that
// makes an evaluation gets another form than later requests.
import * as Component from "@svc-runtime/domain/Component"
import { exact, ModelName, Name, UserId } from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import { notEmpty } from "@svc-runtime/domain/NonEmptyText"
import { optional } from "@svc-runtime/domain/schema/optional"
import * as Judgement from "@svc-runtime/domain/scoring/Judgement"
import * as TextBytes from "@svc-runtime/domain/TextBytes"
import { DateTime, EpochSeconds, toDateTime } from "@svc-runtime/domain/Time"
import { Schema } from "effect"

export const Id = Schema.String.pipe(Schema.brand("EvalRunId"))
export type Id = typeof Id.Type

export const Type = Schema.Literals(["accuracy", "agent_as_judge", "performance", "reliability"])
export type Type = typeof Type.Type

/** The names of the types in errors. */
export const typeNames: Readonly<Record<Type, string>> = {
  accuracy: "accuracy",
  agent_as_judge: "agent-as-judge",
  performance: "performance",
  reliability: "reliability"
}

export const Status = Schema.Literals(["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"])
export type Status = typeof Status.Type

export const hasEnded = (status: Status): boolean => status !== "PENDING" && status !== "RUNNING"

export const ScoringStrategy = Schema.Literals(["binary", "numeric"])
export type ScoringStrategy = typeof ScoringStrategy.Type

const count = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(minimum), Schema.isLessThanOrEqualTo(maximum))

const ForJudge = Schema.String.check(TextBytes.isMax(Judgement.maxBytes))

/** The arguments that a call must have among its own; a list if several calls are expected. */
const Arguments = Schema.Union([Schema.Array(Json.Input), Json.Input])

export const Create = Schema.Struct({
  agent_id: optional(Schema.String),
  team_id: optional(Schema.String),
  /** The version of a stored component. Default: the current one. */
  component_version: optional(Schema.Int.check(...Component.isVersion)),
  model_id: optional(ModelName),
  model_provider: optional(ModelName),
  eval_type: Type,
  input: Schema.String.check(notEmpty),
  additional_guidelines: optional(ForJudge),
  additional_context: optional(ForJudge),
  num_iterations: optional(count(1, 100)),
  name: optional(Schema.String.check(Schema.isMaxLength(255), exact)),
  expected_output: optional(Schema.String),
  criteria: optional(ForJudge),
  scoring_strategy: optional(ScoringStrategy),
  threshold: optional(count(1, 10)),
  warmup_runs: optional(count(0, 10)),
  expected_tool_calls: optional(Schema.Array(Schema.String)),
  allow_additional_tool_calls: optional(Schema.Boolean),
  expected_tool_call_arguments: optional(Schema.Record(Schema.String, Arguments)),
  /** Respond at once with the id. */
  background: optional(Schema.Boolean)
}).annotate({ identifier: "EvalRunInput" })
export type Create = typeof Create.Type

/** A request for an evaluation, with the defaults filled in. */
export const Request = Schema.Struct({
  kind: Schema.Literals(["agent", "team"]),
  component_id: Schema.String,
  /** The versions of a stored component and of its members. */
  component_versions: Schema.optionalKey(Component.Versions),
  user_id: Schema.NullOr(UserId),
  is_isolated: Schema.Boolean,
  /** `provider:model`, which replaces the model of the component. */
  model: Schema.NullOr(Schema.String),
  input: Schema.String,
  additional_guidelines: Schema.NullOr(Schema.String),
  additional_context: Schema.NullOr(Schema.String),
  num_iterations: Schema.Int,
  expected_output: Schema.NullOr(Schema.String),
  criteria: Schema.NullOr(Schema.String),
  scoring_strategy: ScoringStrategy,
  threshold: Schema.Int,
  warmup_runs: Schema.Int,
  expected_tool_calls: Schema.NullOr(Schema.Array(Schema.String)),
  allow_additional_tool_calls: Schema.Boolean,
  expected_tool_call_arguments: Schema.NullOr(Schema.Record(Schema.String, Schema.Json))
})
export type Request = typeof Request.Type

const nullableText = Schema.NullOr(Schema.String)

const described = {
  id: Id,
  agent_id: nullableText,
  model_id: nullableText,
  model_provider: nullableText,
  team_id: nullableText,
  workflow_id: nullableText,
  name: nullableText,
  evaluated_component_name: nullableText,
  eval_type: Type,
  eval_data: Json.Object,
  eval_input: Schema.NullOr(Json.Object)
}

/** Beyond the contract. The runs include warm-ups. */
const state = {
  status: Status,
  runs_done: Schema.Natural,
  runs_total: Schema.Natural,
  /** Why it failed. */
  error: nullableText
}

/** In a database. */
export const Stored = Schema.Struct({
  ...described,
  ...state,
  job_id: Schema.String,
  /** Null when it has ended. */
  request: Schema.NullOr(Request),
  created_at: EpochSeconds,
  updated_at: EpochSeconds
})
export type Stored = typeof Stored.Type

export const EvalRun = Schema.Struct({
  ...described,
  created_at: Schema.NullOr(DateTime),
  updated_at: Schema.NullOr(DateTime),
  ...state
}).annotate({ identifier: "EvalRun" })
export type EvalRun = typeof EvalRun.Type

/** The response to a request that does not wait. */
export const Accepted = Schema.Struct({ id: Id, status: Schema.Literal("PENDING") })
  .annotate({ identifier: "EvalRunAccepted" })
export type Accepted = typeof Accepted.Type

export const Rename = Schema.Struct({ name: Name }).annotate({ identifier: "EvalRunRename" })

export const Remove = Schema.Struct({
  eval_run_ids: Schema.Array(Schema.String).check(Schema.isMinLength(1))
}).annotate({ identifier: "EvalRunsRemove" })

export const toEvalRun = (
  { created_at, job_id: _, request: __, updated_at, ...shown }: Stored
): EvalRun => ({ ...shown, created_at: toDateTime(created_at), updated_at: toDateTime(updated_at) })

/** The statistics of performance are flat in the response, and the measured runs are two lists. */
const flat = ({ result, runs }: Json.Object): Json.Object => {
  const measured = (Array.isArray(runs) ? runs : []) as ReadonlyArray<Json.Object>
  return {
    run_times: measured.map(({ runtime }) => runtime ?? null),
    ...(result as Json.Object),
    memory_usages: measured.map(({ memory }) => memory ?? null)
  }
}

/** The response to a request that waited for the end. `evaluated`: the component, which some types do not store. */
export const toResponse = (
  stored: Stored,
  evaluated: Pick<EvalRun, "agent_id" | "team_id">
): EvalRun => ({
  ...toEvalRun(stored),
  ...evaluated,
  eval_data: stored.eval_type === "performance" ? flat(stored.eval_data) : stored.eval_data,
  eval_input: null,
  created_at: null,
  updated_at: null
})
