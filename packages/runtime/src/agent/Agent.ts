// An agent as its author writes it: plain values and functions, no Effect knowledge required. `make` fills in the
// defaults and refuses what could never work, so that mistakes show when the service starts.
import { Agent as AgentSchema, type Json } from "@svc/domain"
import { type Duration, type JsonSchema, Predicate } from "effect"
import type { ModelRef } from "../model/ModelCatalog.ts"
import { type AnySchema, authored, type Shape } from "../schema/AnySchema.ts"
import type { RunContext } from "../tool/RunContext.ts"
import type { Tool } from "../tool/Tool.ts"
import type { Returned } from "../usercode/UserCode.ts"
import * as Validate from "../usercode/Validate.ts"
import type { Hook } from "./Hook.ts"

type Text = string | ReadonlyArray<string>
export type Instructions = Text | ((context: RunContext) => Returned<Text>)

export interface Options {
  /** The handle in urls. Letters, digits, `.`, `_`, `~` and `-`. */
  readonly id: string
  /** What people call it. The id when left out. */
  readonly name?: string | undefined
  /** `provider:model`, an AI SDK model, or a `Model`. The service's default model when left out. */
  readonly model?: ModelRef | undefined
  readonly description?: string | undefined
  readonly role?: string | undefined
  readonly introduction?: string | undefined
  readonly instructions?: Instructions | undefined
  readonly tools?: ReadonlyArray<Tool> | undefined
  /** How many tool calls one run may make. Unlimited when left out. */
  readonly toolCallLimit?: number | undefined
  readonly toolChoice?: AgentSchema.ToolChoice | undefined
  /** Show the model the session's earlier runs. */
  readonly addHistoryToContext?: boolean | undefined
  /** How many of them. */
  readonly numHistoryRuns?: number | undefined
  /** The message is JSON that fits this schema. */
  readonly inputSchema?: AnySchema | JsonSchema.JsonSchema | undefined
  /** The answer is an object that fits this schema. */
  readonly outputSchema?: AnySchema | JsonSchema.JsonSchema | undefined
  /** For models without structured output: describe the schema in the system message instead. */
  readonly useJsonMode?: boolean | undefined
  /** Replaces everything that is otherwise put into the system message. */
  readonly systemMessage?: string | undefined
  readonly systemMessageRole?: "system" | "developer" | undefined
  /** False: no system message is made of description, instructions and the rest. */
  readonly buildContext?: boolean | undefined
  readonly expectedOutput?: string | undefined
  readonly additionalContext?: string | undefined
  readonly markdown?: boolean | undefined
  readonly addNameToContext?: boolean | undefined
  readonly addDatetimeToContext?: boolean | undefined
  /** IANA name, for `addDatetimeToContext`. UTC when left out. */
  readonly timezone?: string | undefined
  /** Think in explicit steps before answering. */
  readonly reasoning?: boolean | undefined
  readonly reasoningModel?: ModelRef | undefined
  readonly reasoningMinSteps?: number | undefined
  readonly reasoningMaxSteps?: number | undefined
  /** Run before the model sees the input, and after it has answered. One that fails ends the run. */
  readonly preHooks?: ReadonlyArray<Hook> | undefined
  readonly postHooks?: ReadonlyArray<Hook> | undefined
  /** How often a failed model request is made again, beyond what the model's client does itself. */
  readonly retries?: number | undefined
  readonly delayBetweenRetries?: Duration.Input | undefined
  readonly exponentialBackoff?: boolean | undefined
  /**
   * When the service has stopped in the middle of a call that must not be made twice: `pause` waits for a person who says
   * what has happened, `fail` ends the run.
   */
  readonly onUnknownOutcome?: "pause" | "fail" | undefined
  readonly metadata?: Json.Object | undefined
  /** Keep the events of runs that nobody can watch, too: of those that are neither streamed nor in the background. */
  readonly storeEvents?: boolean | undefined
  /**
   * Where runs can be gone on from: `runs` only at their end, `tool-batch` after each batch of tool results as well. With the
   * latter a run that goes on shows what was said so far.
   */
  readonly checkpoint?: "runs" | "tool-batch" | undefined
}

export interface Agent {
  readonly _tag: "Agent"
  readonly id: AgentSchema.Id
  readonly name: string
  readonly model: ModelRef | undefined
  readonly description: string | undefined
  readonly role: string | undefined
  readonly introduction: string | undefined
  readonly instructions: Instructions | undefined
  readonly tools: ReadonlyMap<string, Tool>
  readonly toolCallLimit: number | undefined
  readonly toolChoice: AgentSchema.ToolChoice | undefined
  readonly addHistoryToContext: boolean
  readonly numHistoryRuns: number
  readonly inputSchema: Shape<unknown> | undefined
  readonly outputSchema: Shape<unknown> | undefined
  readonly useJsonMode: boolean
  readonly systemMessage: string | undefined
  readonly systemMessageRole: "system" | "developer"
  readonly buildContext: boolean
  readonly expectedOutput: string | undefined
  readonly additionalContext: string | undefined
  readonly markdown: boolean
  readonly addNameToContext: boolean
  readonly addDatetimeToContext: boolean
  readonly timezone: string
  readonly reasoning: boolean
  readonly reasoningModel: ModelRef | undefined
  readonly reasoningMinSteps: number
  readonly reasoningMaxSteps: number
  readonly preHooks: ReadonlyArray<Hook>
  readonly postHooks: ReadonlyArray<Hook>
  readonly retries: number
  readonly delayBetweenRetries: Duration.Duration
  readonly exponentialBackoff: boolean
  readonly onUnknownOutcome: "pause" | "fail"
  readonly metadata: Json.Object | undefined
  readonly storeEvents: boolean
  readonly checkpoint: "runs" | "tool-batch"
}

/** What a model calls them by. */
export const byName = (owner: string, tools: ReadonlyArray<Tool>): ReadonlyMap<string, Tool> => {
  const map = new Map<string, Tool>()
  for (const tool of tools) {
    if (map.has(tool.name)) throw new Error(`${owner} has two tools called '${tool.name}'`)
    map.set(tool.name, tool)
  }
  return map
}

const checkedToolChoice = (owner: string, options: Options): AgentSchema.ToolChoice | undefined => {
  const choice = options.toolChoice
  if (typeof choice === "object" && !options.tools?.some((tool) => tool.name === choice.tool)) {
    throw new Error(`${owner}: toolChoice names '${choice.tool}', which is not one of its tools`)
  }
  return choice
}

const optional = <A, B>(value: A | undefined, f: (value: A) => B): B | undefined =>
  value === undefined ? undefined : f(value)

export const make = (options: Options): Agent => named("Agent", options)

/** For a component that is more than an agent, under the name of what it is. */
export const named = (kind: string, options: Options): Agent => {
  const id = Validate.urlId(kind, options.id)
  const owner = `${kind} '${id}'`
  const reasoningMinSteps = Validate.wholeNumber(owner, "reasoningMinSteps", 1, options.reasoningMinSteps ?? 1)
  return {
    _tag: "Agent",
    id: AgentSchema.Id.make(id),
    name: options.name ?? id,
    model: options.model,
    description: options.description,
    role: options.role,
    introduction: options.introduction,
    instructions: options.instructions,
    tools: byName(owner, options.tools ?? []),
    toolCallLimit: optional(options.toolCallLimit, (limit) => Validate.wholeNumber(owner, "toolCallLimit", 0, limit)),
    toolChoice: checkedToolChoice(owner, options),
    addHistoryToContext: options.addHistoryToContext ?? false,
    numHistoryRuns: Validate.wholeNumber(owner, "numHistoryRuns", 0, options.numHistoryRuns ?? 3),
    inputSchema: optional(options.inputSchema, authored),
    outputSchema: optional(options.outputSchema, authored),
    useJsonMode: options.useJsonMode ?? false,
    systemMessage: options.systemMessage,
    systemMessageRole: options.systemMessageRole ?? "system",
    buildContext: options.buildContext ?? true,
    expectedOutput: options.expectedOutput,
    additionalContext: options.additionalContext,
    markdown: options.markdown ?? false,
    addNameToContext: options.addNameToContext ?? false,
    addDatetimeToContext: options.addDatetimeToContext ?? false,
    timezone: Validate.timezone(owner, options.timezone ?? "UTC"),
    reasoning: options.reasoning ?? options.reasoningModel !== undefined,
    reasoningModel: options.reasoningModel,
    reasoningMinSteps,
    reasoningMaxSteps: Validate.wholeNumber(
      owner,
      "reasoningMaxSteps",
      reasoningMinSteps,
      options.reasoningMaxSteps ?? Math.max(10, reasoningMinSteps)
    ),
    preHooks: options.preHooks ?? [],
    postHooks: options.postHooks ?? [],
    retries: Validate.wholeNumber(owner, "retries", 0, options.retries ?? 0),
    delayBetweenRetries: Validate.duration(owner, "delayBetweenRetries", options.delayBetweenRetries ?? "1 second"),
    exponentialBackoff: options.exponentialBackoff ?? false,
    onUnknownOutcome: options.onUnknownOutcome ?? "pause",
    metadata: options.metadata,
    storeEvents: options.storeEvents ?? false,
    checkpoint: options.checkpoint ?? "runs"
  }
}

export const isAgent = (value: unknown): value is Agent =>
  Predicate.isTagged(value, "Agent") && Predicate.hasProperty(value, "id") && Predicate.isString(value.id)
