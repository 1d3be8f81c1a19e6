// What an application offers beside what its components have: tools, models, schemas, functions and hooks, by name.
import * as AgentTools from "@svc-runtime/agents/agent/define/AgentTools"
import type { Hook } from "@svc-runtime/agents/agent/define/Hook"
import type { ModelRef } from "@svc-runtime/agents/Models"
import type { StepFunction } from "@svc-runtime/agents/workflow/define/StepInput"
import { type AnySchema, authored, type Shape } from "@svc-runtime/engine/schema/AnySchema"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Context, Effect, type JsonSchema, Option } from "effect"

export interface Options {
  /** Tools that stored components can name. */
  readonly tools?: ReadonlyArray<Tool> | undefined
  /** Models that stored components can name. */
  readonly models?: ReadonlyArray<ModelRef> | undefined
  /** Schemas that stored components can name, by their names. */
  readonly schemas?: Readonly<Record<string, AnySchema | JsonSchema.JsonSchema>> | undefined
  /** Functions of workflow steps. */
  readonly functions?: Readonly<Record<string, StepFunction>> | undefined
  /** Checks before a run and of its answer. */
  readonly hooks?: ReadonlyArray<Hook> | undefined
}

/** What the options take. */
export const kinds: AuthorOptions.Kinds<keyof Options> = {
  tools: "list",
  models: "list",
  schemas: "object",
  functions: { each: "function" },
  hooks: "list"
}

interface Declared {
  readonly tools: ReadonlyMap<string, Tool>
  readonly models: ReadonlyArray<ModelRef>
  readonly schemas: ReadonlyMap<string, Shape<unknown>>
  readonly functions: ReadonlyMap<string, StepFunction>
  readonly hooks: ReadonlyArray<Hook>
}

const owner = "The registry"

/** Throws an `Error` for two tools of one name, names of no model, and schemas that cannot be JSON Schema. */
export const make = ({ functions = {}, hooks = [], models = [], schemas = {}, tools = [] }: Options): Declared => {
  AgentTools.split(owner, tools)
  for (const model of models) Validate.model(owner, "models", model)
  return {
    tools: AgentTools.byName(owner, tools),
    models,
    schemas: new Map(Object.entries(schemas).map(([name, schema]) => [name, authored(schema)])),
    functions: new Map(Object.entries(functions)),
    hooks
  }
}

export class DeclaredResources
  extends Context.Service<DeclaredResources, Declared>()("@svc-runtime/features/registry/DeclaredResources")
{
  /** Nothing is declared in a service without the registry. */
  static readonly declared: Effect.Effect<Declared> = Effect.map(
    Effect.serviceOption(DeclaredResources),
    Option.getOrElse(() => make({}))
  )
}
