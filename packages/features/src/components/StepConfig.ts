// The steps in the config of a stored workflow, as `GET /workflows/{id}` names their types. A step has the id of an
// agent, a team or a workflow, or the name of a function of the registry.
import * as Json from "@svc-runtime/domain/Json"
import { optional } from "@svc-runtime/domain/schema/optional"
import { Schema } from "effect"
import * as ConfigResources from "./ConfigResources.ts"

const { Count, Name, Text } = ConfigResources

const common = {
  name: Name,
  description: optional(Text),
  requires_confirmation: optional(Schema.Boolean),
  confirmation_message: optional(Text)
}

const Executing = Schema.Struct({
  type: Schema.Literal("Step"),
  ...common,
  agent_id: optional(Name),
  team_id: optional(Name),
  workflow_id: optional(Name),
  function: optional(Name),
  retries: optional(Count),
  delay_between_retries: optional(ConfigResources.Seconds),
  exponential_backoff: optional(Schema.Boolean),
  timeout_seconds: optional(ConfigResources.Seconds),
  on_error: optional(Schema.Literals(["skip", "fail", "pause"]))
})
export type Executing = typeof Executing.Type

interface Named {
  readonly name: string
  readonly description?: string | null
  readonly requires_confirmation?: boolean | null
  readonly confirmation_message?: string | null
}

type Steps = ReadonlyArray<StepConfig>

export type StepConfig =
  | Executing
  | Named & { readonly type: "Steps" | "Parallel"; readonly steps: Steps }
  | Named & {
    readonly type: "Loop"
    readonly steps: Steps
    readonly max_iterations?: number | null
    readonly end_condition?: string | null
  }
  | Named & {
    readonly type: "ForEach"
    readonly steps: Steps
    readonly items?: string | null
    readonly concurrency?: number | null
    readonly max_items?: number | null
    readonly on_error?: "fail" | "skip" | null
  }
  | Named & {
    readonly type: "Condition"
    readonly steps: Steps
    readonly else_steps?: Steps | null
    readonly evaluator: boolean | string
  }
  | Named & { readonly type: "Router"; readonly choices: Steps; readonly selector?: string | null }

export const StepConfigs: Schema.Codec<Steps, Json.Value> = Schema.Array(
  Schema.suspend((): Schema.Codec<StepConfig, Json.Value> => StepConfig)
).check(Schema.isMaxLength(100))

// each type is one literal: the parser tries one member of the union, and reports a deep mistake once
const StepConfig = Schema.Union([
  Schema.Struct({ type: Schema.Literal("Steps"), ...common, steps: StepConfigs }),
  Schema.Struct({ type: Schema.Literal("Parallel"), ...common, steps: StepConfigs }),
  Schema.Struct({
    type: Schema.Literal("Loop"),
    ...common,
    steps: StepConfigs,
    max_iterations: optional(Count),
    end_condition: optional(Name)
  }),
  Schema.Struct({
    type: Schema.Literal("ForEach"),
    ...common,
    steps: StepConfigs,
    items: optional(Name),
    concurrency: optional(Count),
    max_items: optional(Count),
    on_error: optional(Schema.Literals(["fail", "skip"]))
  }),
  Schema.Struct({
    type: Schema.Literal("Condition"),
    ...common,
    steps: StepConfigs,
    else_steps: optional(StepConfigs),
    evaluator: Schema.Union([Schema.Boolean, Name])
  }),
  Schema.Struct({ type: Schema.Literal("Router"), ...common, choices: StepConfigs, selector: optional(Name) }),
  Executing
])

const isContained = (key: string) => key === "steps" || key === "else_steps" || key === "choices"

const typed = (step: Json.Value): Json.Value =>
  Json.isObject(step) ? { ...withTypes(step), type: step["type"] ?? "Step" } : step

/** A step without a type executes something. For the config of a workflow, and for steps that have steps. */
export const withTypes = (config: Json.Object): Json.Object =>
  Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      isContained(key) && Json.isList(value) ? value.map(typed) : value
    ])
  )

type Path = ReadonlyArray<string | number>

/** The steps inside of a container, each with its place. */
export const innerOf = (step: StepConfig): ReadonlyArray<readonly [key: string, steps: Steps]> => {
  switch (step.type) {
    case "Router":
      return [["choices", step.choices]]
    case "Condition":
      return [["steps", step.steps], ["else_steps", step.else_steps ?? []]]
    case "Steps":
    case "Parallel":
    case "Loop":
    case "ForEach":
      return [["steps", step.steps]]
    default:
      return []
  }
}

export const isExecuting = (step: StepConfig): step is Executing => step.type === "Step"

/** Every step that executes something, with its path. */
export const executingOf = (steps: Steps, before: Path): ReadonlyArray<readonly [Executing, Path]> =>
  steps.flatMap((step, index) => {
    const path = [...before, index]
    return isExecuting(step)
      ? [[step, path] as const]
      : innerOf(step).flatMap(([key, inner]) => executingOf(inner, [...path, key]))
  })
