// An agent as its author defines it. `make` fills in the defaults and rejects invalid options: mistakes show at start.
import * as AgentSchema from "@svc-runtime/domain/Agent"
import type * as Json from "@svc-runtime/domain/Json"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { type AnySchema, authored, type Shape } from "@svc-runtime/engine/schema/AnySchema"
import type { ProviderTool } from "@svc-runtime/engine/tool/ProviderTool"
import * as RunSchemas from "@svc-runtime/engine/tool/RunSchemas"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import type { ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import * as OnlineScoring from "@svc-runtime/features/evaluation/OnlineScoring"
import * as KnowledgeOption from "@svc-runtime/features/knowledge/KnowledgeOption"
import * as KnowledgeTools from "@svc-runtime/features/knowledge/KnowledgeTools"
import * as LearningOption from "@svc-runtime/features/learning/LearningOption"
import * as LearningTools from "@svc-runtime/features/learning/LearningTools"
import * as MemoryOptions from "@svc-runtime/features/memory/MemoryOptions"
import * as MemoryTools from "@svc-runtime/features/memory/MemoryTools"
import { searchPastSessions } from "@svc-runtime/features/summaries/PastSessionTool"
import * as SessionOptions from "@svc-runtime/features/summaries/SessionOptions"
import type { Checked, ModelRef } from "@svc-runtime/models/ModelCatalog"
import { type Duration, type JsonSchema, Predicate } from "effect"
import * as AgentTools from "./AgentTools.ts"
import * as ContextFit from "./context/ContextFit.ts"
import * as Hook from "./hooks/Hook.ts"
import * as ModelOptions from "./model/ModelOptions.ts"

type Text = string | ReadonlyArray<string>
export type Instructions<R extends RunSchemas.RunSchemas = NonNullable<unknown>> =
  | Text
  | ((context: RunSchemas.ContextOf<R>) => Returned<Text>)

export interface Options<R extends RunSchemas.RunSchemas = NonNullable<unknown>>
  extends ContextFit.Options, KnowledgeOption.Options, ModelOptions.Options, StartLimits.ComponentOptions
{
  /** The handle in URLs. Letters, digits, `.`, `_`, `~` and `-`. */
  readonly id: string
  /** The display name. Default: the id. */
  readonly name?: string | undefined
  /** `provider:model`, an AI SDK model, or a `Model`. Default: the service's model. */
  readonly model?: ModelRef | undefined
  readonly description?: string | undefined
  /** Where its sessions and runs are stored. Default: the service's own database. */
  readonly db?: DatabaseHandle.DatabaseHandle | undefined
  readonly role?: string | undefined
  readonly introduction?: string | undefined
  readonly instructions?: Instructions<R> | undefined
  /** Types and checks what a run is given beside its input. */
  readonly runSchemas?: R | undefined
  readonly tools?: ReadonlyArray<AgentTools.Given> | undefined
  /** Learn from runs, and use what was learned: `true` for the defaults. */
  readonly learning?: LearningOption.Options | boolean | undefined
  /** The maximum number of tool calls in a run. Default: unlimited. */
  readonly toolCallLimit?: number | undefined
  readonly toolChoice?: AgentSchema.ToolChoice | undefined
  /** How long a run executes, without its pauses. No request to the model begins or continues after it. */
  readonly runTimeout?: Duration.Input | undefined
  /** No request to the model begins when the run has used this number of tokens. */
  readonly tokenLimit?: number | undefined
  /** Show the model the session's earlier runs. */
  readonly addHistoryToContext?: boolean | undefined
  /** The number of earlier runs. */
  readonly numHistoryRuns?: number | undefined
  /** The message must be JSON that matches this schema. */
  readonly inputSchema?: AnySchema | JsonSchema.JsonSchema | undefined
  /** The answer is an object that matches this schema. */
  readonly outputSchema?: AnySchema | JsonSchema.JsonSchema | undefined
  /** For models without structured output: describe the schema in the system message instead. */
  readonly useJsonMode?: boolean | undefined
  /** False: an answer that does not fit `outputSchema` is not requested once more. */
  readonly repairOutput?: boolean | undefined
  /** Replaces the generated system message. */
  readonly systemMessage?: string | undefined
  readonly systemMessageRole?: "system" | "developer" | undefined
  /** False: no system message is generated. */
  readonly buildContext?: boolean | undefined
  readonly expectedOutput?: string | undefined
  readonly additionalContext?: string | undefined
  readonly markdown?: boolean | undefined
  readonly addNameToContext?: boolean | undefined
  readonly addDatetimeToContext?: boolean | undefined
  /** IANA name, for `addDatetimeToContext`. Default: UTC. */
  readonly timezone?: string | undefined
  /** Reason in explicit steps before the answer. */
  readonly reasoning?: boolean | undefined
  readonly reasoningModel?: ModelRef | undefined
  readonly reasoningMinSteps?: number | undefined
  readonly reasoningMaxSteps?: number | undefined
  /** Called before the first model request, and after the answer. A failing hook ends the run. */
  readonly preHooks?: ReadonlyArray<Hook.Hook<NoInfer<R>>> | undefined
  readonly postHooks?: ReadonlyArray<Hook.Hook<NoInfer<R>>> | undefined
  /** Functions around the run, its requests to the model and its calls of tools, which may change things. */
  readonly hooks?: ReadonlyArray<Hook.RunHook<NoInfer<R>>> | undefined
  /** Retries of a failed model request, beyond those of the model's client. */
  readonly retries?: number | undefined
  readonly delayBetweenRetries?: Duration.Input | undefined
  readonly exponentialBackoff?: boolean | undefined
  /** If the outcome of a `once` call is unknown: `pause` waits for a person, `fail` ends the run. */
  readonly onUnknownOutcome?: "pause" | "fail" | undefined
  /** Remember the user of a run, if there is one, and show later runs what is known. True means the defaults. */
  readonly memory?: boolean | MemoryOptions.MemoryOptions | undefined
  /**
   * Summarize each session from time to time, and show the summary to the model in its later runs, so that
   * `numHistoryRuns` can be small. True means the defaults. Sessions of workflows are not summarized.
   */
  readonly sessionSummaries?: boolean | SessionOptions.SummaryOptions | undefined
  /**
   * Show the model a summary of the session instead of what its requests leave out of the history. A background
   * job keeps it. True means the defaults. Not beside `sessionSummaries`.
   */
  readonly summarizeHistory?: boolean | SessionOptions.HistorySummaryOptions | undefined
  /** The model gets a tool that searches the past sessions of the user with this agent. */
  readonly searchPastSessions?: boolean | SessionOptions.SearchOptions | undefined
  /**
   * Rate a sample of the runs after their end, in the background. The scores are feedback on the runs. Runs of members
   * and of steps are not rated.
   */
  readonly onlineScoring?: OnlineScoring.ScoringOptions | undefined
  readonly metadata?: Json.Object | undefined
  /** Also store the events of runs that are neither streamed nor in the background. */
  readonly storeEvents?: boolean | undefined
  /**
   * The checkpoints of a run: `runs` only at its end, `tool-batch` also after each batch of tool results. With
   * `tool-batch` a running run shows its messages.
   */
  readonly checkpoint?: "runs" | "tool-batch" | undefined
}

export interface Agent extends ContextFit.Settings, ModelOptions.ModelOptions, StartLimits.ComponentOptions {
  readonly _tag: "Agent"
  readonly id: AgentSchema.Id
  readonly name: string
  readonly model: ModelRef | undefined
  readonly description: string | undefined
  readonly db: DatabaseHandle.DatabaseHandle | undefined
  readonly role: string | undefined
  readonly introduction: string | undefined
  readonly instructions: Instructions | undefined
  readonly tools: ReadonlyMap<string, Tool>
  /** The provider of the model executes their calls. */
  readonly providerTools: ReadonlyMap<string, ProviderTool>
  /** Asked for further tools when a run begins. */
  readonly toolSources: ReadonlyArray<ToolSource>
  readonly learning: LearningOption.Learning | undefined
  readonly knowledge: KnowledgeOption.AgentKnowledge | undefined
  readonly toolCallLimit: number | undefined
  readonly toolChoice: AgentSchema.ToolChoice | undefined
  readonly runTimeout: Duration.Duration | undefined
  readonly tokenLimit: number | undefined
  readonly addHistoryToContext: boolean
  readonly numHistoryRuns: number
  readonly inputSchema: Shape<unknown> | undefined
  readonly runSchemas: RunSchemas.RunShapes | undefined
  readonly outputSchema: Shape<unknown> | undefined
  readonly useJsonMode: boolean
  readonly repairOutput: boolean
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
  readonly preHooks: ReadonlyArray<Hook.Hook>
  readonly postHooks: ReadonlyArray<Hook.Hook>
  readonly hooks: ReadonlyArray<Hook.RunHook>
  readonly memory: MemoryOptions.MemorySettings | undefined
  readonly sessionSummaries: SessionOptions.SummarySettings | undefined
  readonly searchPastSessions: SessionOptions.SearchSettings | undefined
  readonly onlineScoring: OnlineScoring.ScoringSettings | undefined
  readonly retries: number
  readonly delayBetweenRetries: Duration.Duration
  readonly exponentialBackoff: boolean
  readonly onUnknownOutcome: "pause" | "fail"
  readonly metadata: Json.Object | undefined
  readonly storeEvents: boolean
  readonly checkpoint: "runs" | "tool-batch"
}

const optional = <A, B>(value: A | undefined, f: (value: A) => B): B | undefined =>
  value === undefined ? undefined : f(value)

/**
 * An agent: a model with instructions and tools. Its path is `/agents/{id}`. Durations are texts or milliseconds.
 * Throws an `Error` with the agent and the option if one is invalid: an id that URLs cannot have, two tools of one
 * name, a `toolChoice` that is no tool, a number below its minimum, an unknown time zone, a schema without JSON Schema.
 *
 * ```ts
 * import { Agent, serve } from "@svc-runtime/server"
 *
 * const assistant = Agent.make({
 *   id: "assistant",
 *   model: "anthropic:claude-sonnet-4-5",
 *   instructions: ["Answer in one sentence.", "Say so if you do not know."],
 *   addHistoryToContext: true,
 *   retries: 2,
 *   delayBetweenRetries: "2 seconds"
 * })
 *
 * serve({ agents: [assistant] })
 * ```
 */
export const make = <
  const R extends RunSchemas.RunSchemas = NonNullable<unknown>,
  const M extends ModelRef | undefined = ModelRef | undefined
>(options: Options<R> & { readonly model?: M & Checked<M> }): Agent => named("Agent", options as Options)

/** For a component that wraps an agent: the name of its kind. */
export const named = (kind: string, options: Options): Agent => {
  const id = Validate.urlId(kind, options.id)
  const owner = `${kind} '${id}'`
  const memory = MemoryOptions.make(owner, options.memory ?? false)
  const learning = options.learning === undefined || options.learning === false
    ? undefined
    : LearningOption.make(owner, options.learning)
  const search = SessionOptions.search(owner, options.searchPastSessions ?? false)
  const knowledge = KnowledgeOption.make(owner, options)
  const { ofProvider, own, sources } = AgentTools.split(options.tools)
  RunSchemas.checkTools(owner, options.runSchemas, own)
  const numHistoryRuns = Validate.wholeNumber(owner, "numHistoryRuns", 0, options.numHistoryRuns ?? 3)
  const reasoningMinSteps = Validate.wholeNumber(owner, "reasoningMinSteps", 1, options.reasoningMinSteps ?? 1)
  return {
    _tag: "Agent",
    id: AgentSchema.Id.make(id),
    name: options.name ?? id,
    model: Validate.model(owner, "model", options.model),
    ...ModelOptions.make(owner, options),
    description: options.description,
    db: DatabaseHandle.checked(owner, options.db),
    role: options.role,
    introduction: options.introduction,
    instructions: options.instructions,
    tools: AgentTools.byName(owner, [
      ...own,
      ...(memory?.tools === true ? MemoryTools.tools : []),
      ...(search === undefined ? [] : [searchPastSessions]),
      ...optional(learning, (given) => LearningTools.make(given, kind === "Team")) ?? [],
      ...optional(knowledge, KnowledgeTools.make) ?? []
    ]),
    providerTools: AgentTools.byName(owner, AgentTools.checkedProviderTools(owner, ofProvider, own)),
    toolSources: AgentTools.distinct(owner, sources),
    learning,
    knowledge,
    toolCallLimit: optional(options.toolCallLimit, (limit) => Validate.wholeNumber(owner, "toolCallLimit", 0, limit)),
    toolChoice: AgentTools.checkedChoice(owner, options.toolChoice, [...own, ...ofProvider]),
    runTimeout: optional(options.runTimeout, (limit) => Validate.duration(owner, "runTimeout", limit)),
    tokenLimit: optional(options.tokenLimit, (limit) => Validate.wholeNumber(owner, "tokenLimit", 1, limit)),
    limits: StartLimits.checked(owner, options.limits),
    addHistoryToContext: options.addHistoryToContext ?? false,
    numHistoryRuns,
    ...ContextFit.settings(owner, options),
    inputSchema: optional(options.inputSchema, authored),
    runSchemas: optional(options.runSchemas, RunSchemas.make),
    outputSchema: optional(options.outputSchema, authored),
    useJsonMode: options.useJsonMode ?? false,
    repairOutput: options.repairOutput ?? true,
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
    hooks: Hook.checked(owner, options.hooks ?? []),
    memory,
    sessionSummaries: SessionOptions.summaries(owner, { ...options, numHistoryRuns }),
    searchPastSessions: search,
    onlineScoring: OnlineScoring.settings(owner, options.onlineScoring),
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
