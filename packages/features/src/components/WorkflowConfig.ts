// The config of a stored workflow.
import * as ConfigProblem from "@svc-runtime/agents/component/ConfigProblem"
import { isComponent } from "@svc-runtime/agents/runService/Components"
import * as Executor from "@svc-runtime/agents/workflow/define/Executor"
import { upTo } from "@svc-runtime/agents/workflow/define/ForEach"
import type { AnyWorkflow, Node } from "@svc-runtime/agents/workflow/define/Node"
import type { AnyInput } from "@svc-runtime/agents/workflow/define/StepInput"
import { common } from "@svc-runtime/agents/workflow/define/Steps"
import { anonymousStep, nodesOf, nonEmptyNodesOf } from "@svc-runtime/agents/workflow/define/toNodes"
import * as Pause from "@svc-runtime/agents/workflow/pause/Pause"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Json from "@svc-runtime/domain/Json"
import { optional } from "@svc-runtime/domain/schema/optional"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import { Duration, Result, Schema } from "effect"
import type { ResourceNames } from "../registry/ResourceNames.ts"
import { checkWith, type ConfigModule } from "./ConfigModule.ts"
import { childOf, type Children, type Reference } from "./ConfigReferences.ts"
import * as ConfigResources from "./ConfigResources.ts"
import { type Executing, executingOf, isExecuting, type StepConfig, StepConfigs, withTypes } from "./StepConfig.ts"

const { Name, SchemaRef, Text } = ConfigResources

export const WorkflowConfig = Schema.Struct({
  ...ConfigResources.database,
  name: optional(Name),
  description: optional(Text),
  input_schema: optional(SchemaRef),
  stream_executor_events: optional(Schema.Boolean),
  store_events: optional(Schema.Boolean),
  metadata: optional(Json.Object),
  steps: optional(StepConfigs)
})

const decodeTyped = Schema.decodeUnknownResult(WorkflowConfig, { errors: "all" })
const decode = (config: Json.Object) => decodeTyped(withTypes(config))

type Path = Reference["path"]

const referencesOf = (step: Executing, path: Path): ReadonlyArray<Reference> =>
  ComponentKind.ComponentKind.literals.flatMap((kind) => {
    const key = `${kind}_id` as const
    const id = step[key]
    return id === null || id === undefined ? [] : [{ kind, id, path: [...path, key] }]
  })

const references: ConfigModule["references"] = (config) =>
  Result.match(decode(config), {
    onFailure: () => [],
    onSuccess: ({ steps }) => executingOf(steps ?? [], ["steps"]).flatMap(([step, path]) => referencesOf(step, path))
  })

const seconds = (value: number | null | undefined): Duration.Duration | undefined =>
  value === null || value === undefined ? undefined : Duration.seconds(value)

interface Parts {
  readonly names: ResourceNames
  readonly children: Children
  readonly resources: ConfigResources.ConfigResources
}

const make = ({ children, names, resources }: Parts) => {
  const executorsOf = (step: Executing, path: Path): ReadonlyArray<Executor.Executor> => {
    const named = referencesOf(step, path).flatMap((reference) =>
      resources.noted(childOf(children, reference, isComponent)).map(Executor.of)
    )
    const { function: name } = step
    if (name === null || name === undefined) return named
    const found = resources.one("function", names.function, name, [...path, "function"])
    return found === undefined ? named : [...named, found]
  }

  const options = ({ confirmation_message, description, name, requires_confirmation }: StepConfig) => ({
    name,
    description: description ?? undefined,
    confirmation: requires_confirmation === true ? { message: confirmation_message ?? undefined } : undefined
  })

  /** A function of the registry, which gets the input of the step. */
  const functionOf = <A>(name: string, path: Path) =>
    resources.one("function", names.function, name, path)?.run as ((input: AnyInput) => Returned<A>) | undefined

  const stepOf = (step: Executing, path: Path): ReadonlyArray<Node> => {
    const before = resources.problems.length
    const executors = executorsOf(step, path)
    const [executor] = executors
    if (executor === undefined || executors.length > 1) {
      if (resources.problems.length === before) {
        resources.refuse(path, "A step has one of agent_id, team_id, workflow_id and function")
      }
      return []
    }
    const { confirmation, description, name } = options(step)
    const plain = anonymousStep(name, executor)
    return [{
      ...plain,
      description,
      confirmation: Pause.make(`Step '${name}'`, confirmation),
      retries: step.retries ?? plain.retries,
      delayBetweenRetries: seconds(step.delay_between_retries) ?? plain.delayBetweenRetries,
      exponentialBackoff: step.exponential_backoff ?? plain.exponentialBackoff,
      timeout: seconds(step.timeout_seconds),
      onError: step.on_error ?? plain.onError
    }]
  }

  const nodes = (steps: ReadonlyArray<StepConfig>, before: Path): ReadonlyArray<Node> =>
    steps.flatMap((step, index) => nodeOf(step, [...before, index]))

  const nodeOf = (step: StepConfig, path: Path): ReadonlyArray<Node> => {
    if (isExecuting(step)) return stepOf(step, path)
    const { type } = step
    const owner = `${type} '${step.name}'`
    const inside = { ...common(type, options(step), {}) }
    switch (type) {
      case "Steps":
      case "Parallel":
        return [{ type, ...inside, steps: nonEmptyNodesOf(owner, nodes(step.steps, [...path, "steps"])) }]
      case "Loop": {
        const { end_condition: name } = step
        const ends = name === null || name === undefined
          ? undefined
          : functionOf<boolean>(name, [...path, "end_condition"])
        return [{
          type,
          ...inside,
          steps: nonEmptyNodesOf(owner, nodes(step.steps, [...path, "steps"])),
          maxIterations: step.max_iterations ?? 3,
          endCondition: ends && ((_, input) => ends(input)),
          iterationReview: undefined
        }]
      }
      case "ForEach": {
        const { concurrency, items: name, max_items, on_error } = step
        const items = name === null || name === undefined
          ? undefined
          : functionOf<ReadonlyArray<unknown>>(name, [...path, "items"])
        return [{
          type,
          ...inside,
          steps: nonEmptyNodesOf(owner, nodes(step.steps, [...path, "steps"])),
          items,
          concurrency: upTo(owner, "concurrency", concurrency ?? undefined),
          maxItems: upTo(owner, "maxItems", max_items ?? undefined),
          onError: on_error ?? "fail"
        }]
      }
      case "Condition": {
        const { evaluator } = step
        const evaluate = typeof evaluator === "boolean"
          ? () => evaluator
          : functionOf<boolean>(evaluator, [...path, "evaluator"])
        return evaluate === undefined ? [] : [{
          type,
          ...inside,
          evaluate,
          steps: nonEmptyNodesOf(owner, nodes(step.steps, [...path, "steps"])),
          elseSteps: nodesOf(owner, nodes(step.else_steps ?? [], [...path, "else_steps"]), "elseSteps")
        }]
      }
      case "Router": {
        const { selector: name } = step
        const isChosen = name === null || name === undefined
        return [{
          type,
          ...inside,
          choices: nonEmptyNodesOf(owner, nodes(step.choices, [...path, "choices"]), "choices"),
          selector: isChosen ? undefined : functionOf<string>(name, [...path, "selector"]),
          selection: isChosen ? Pause.selection(owner, true) : undefined
        }]
      }
    }
  }
  return nodes
}

/** Its steps have been checked like those of an author. */
const resolve: ConfigModule<AnyWorkflow>["resolve"] = (names, { id, name }, config, children) => {
  const decoded = decode(config)
  if (Result.isFailure(decoded)) return Result.fail(ConfigProblem.ofSchema(decoded.failure))
  const given = decoded.success
  const resources = ConfigResources.make(names)
  const inputSchema = resources.schema(given.input_schema, ["input_schema"])
  const made = Result.try({
    try: () => {
      const steps = make({ names, children, resources })(given.steps ?? [], ["steps"])
      if (resources.problems.length > 0) return undefined
      // the compiler knows the types of an author's steps only
      const workflow: AnyWorkflow = Workflow.make({
        id,
        name: given.name ?? name,
        description: given.description ?? undefined,
        inputSchema,
        streamExecutorEvents: given.stream_executor_events ?? undefined,
        storeEvents: given.store_events ?? undefined,
        metadata: given.metadata ?? undefined,
        steps
      })
      return workflow
    },
    catch: ConfigProblem.ofError
  })
  return resources.problems.length > 0
    ? Result.fail(resources.problems)
    : Result.flatMap(made, (workflow) => workflow === undefined ? Result.fail([]) : Result.succeed(workflow))
}

const checkTyped = checkWith(WorkflowConfig)

export const WorkflowConfigModule: ConfigModule<AnyWorkflow> = {
  check: (config) => checkTyped(withTypes(config)),
  references,
  resolve
}
