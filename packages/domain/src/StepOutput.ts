// The result of one step of a workflow and of its nested steps. Nulls are kept; `steps` is present only if a step has
// nested ones.
import { Schema } from "effect"
import type * as Json from "./Json.ts"
import * as Media from "./Media.ts"
import { RunMetrics } from "./Usage.ts"

export const StepType = Schema.Literals([
  "Function",
  "Step",
  "Steps",
  "Loop",
  "Parallel",
  "ForEach",
  "Condition",
  "Router",
  "Workflow"
])
export type StepType = typeof StepType.Type

export const ExecutorType = Schema.Literals(["function", "agent", "team", "workflow", "parallel"])
export type ExecutorType = typeof ExecutorType.Type

const text = Schema.NullOr(Schema.String)

const fields = {
  /** The result of the step as JSON. For a container: a text that summarizes its steps. */
  content: Schema.Json,
  step_name: Schema.String,
  step_id: Schema.String,
  step_type: StepType,
  executor_type: Schema.NullOr(ExecutorType),
  executor_name: text,
  /** The run of the executor. */
  step_run_id: text,
  images: Schema.NullOr(Schema.Array(Media.Image)),
  videos: Schema.NullOr(Schema.Array(Media.Video)),
  audio: Schema.NullOr(Schema.Array(Media.Audio)),
  files: Schema.NullOr(Schema.Array(Media.File)),
  metrics: Schema.NullOr(RunMetrics),
  success: Schema.Boolean,
  error: text,
  /** Ends the workflow successfully. */
  stop: Schema.Boolean,
  is_paused: Schema.Boolean
}

const own = Schema.Struct(fields)

export type StepOutput = typeof own.Type & { readonly steps?: ReadonlyArray<StepOutput> }

export const StepOutput: Schema.Codec<StepOutput> = Schema.Struct({
  ...fields,
  steps: Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<StepOutput> => StepOutput)))
}).annotate({ identifier: "StepOutput" })

const isWhole = ({ step_type: type }: StepOutput): boolean => type === "Parallel" || type === "ForEach"

/** The result of the innermost last step. */
export const deepest = (output: StepOutput): StepOutput => {
  const last = isWhole(output) ? undefined : output.steps?.at(-1)
  return last === undefined ? output : deepest(last)
}

/** The result as later steps get it: that of a parallel step is an object by the names of its steps. */
export const valueOf = (output: StepOutput): Json.Value => {
  const { content, step_type: type, steps } = deepest(output)
  return type === "Parallel" && steps !== undefined
    ? Object.fromEntries(steps.map((step) => [step.step_name, valueOf(step)]))
    : content
}
