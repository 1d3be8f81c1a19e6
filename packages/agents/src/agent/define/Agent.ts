// An agent as its author defines it. `make` fills in the defaults and rejects invalid options: mistakes show at start.
import * as AgentSchema from "@svc-runtime/domain/Agent"
import type * as Json from "@svc-runtime/domain/Json"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { type AnySchema, authoredFor } from "@svc-runtime/engine/schema/AnySchema"
import * as RunSchemas from "@svc-runtime/engine/tool/RunSchemas"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { Checked, ModelRef } from "@svc-runtime/models/ModelCatalog"
import { type Duration, type JsonSchema, Predicate } from "effect"
import { withMethods } from "../../component/ComponentMethods.ts"
import type { Agent, AgentPart, FeatureOptions, FeatureSettings, Instructions } from "./AgentPart.ts"
import * as AgentTools from "./AgentTools.ts"
import * as ContextLimits from "./ContextLimits.ts"
import * as Hook from "./Hook.ts"
import * as ModelOptions from "./ModelOptions.ts"
import * as OnlineScoring from "./OnlineScoring.ts"
import * as PromptCaching from "./PromptCaching.ts"
import * as ToolSearchOption from "./ToolSearchOption.ts"

export interface Options<R extends RunSchemas.RunSchemas = NonNullable<unknown>>
  extends
    ContextLimits.Options,
    FeatureOptions,
    ModelOptions.Options,
    PromptCaching.Options,
    StartLimits.ComponentOptions
{
  /** The handle in URLs. Letters, digits, `.`, `_`, `~` and `-`. */
  readonly id: string
  /** The display name. Default: the id. */
  readonly name?: string | undefined
  /** `provider:model`, an AI SDK model, or a `Model`. Default: the service's model. */
  readonly model?: ModelRef | undefined
  /** What the agent does, for people and for the model. Default: none. */
  readonly description?: string | undefined
  /** Where its sessions and runs are stored. Default: the service's own database. */
  readonly db?: DatabaseHandle.DatabaseHandle | undefined
  /** The role of the agent in a team, for people and for the model. Default: none. */
  readonly role?: string | undefined
  /** A greeting for people. The model does not get it. Default: none. */
  readonly introduction?: string | undefined
  /**
   * A text, a list of texts, or a function of the run context that returns either or a promise of it. Default: none.
   */
  readonly instructions?: Instructions<R> | undefined
  /** Schemas of the session state, the dependencies and the metadata, which also type the context. Default: none. */
  readonly runSchemas?: R | undefined
  /**
   * What the model can call: `Tool.make`, `ComponentTool.make`, `McpTools.make`, tools of providers and of the AI SDK.
   * Default: none.
   */
  readonly tools?: ReadonlyArray<AgentTools.Given> | undefined
  /**
   * The maximum number of tool calls in a run. Further calls are rejected with a message to the model. Default: none.
   */
  readonly toolCallLimit?: number | undefined
  /**
   * Whether the model gets all tools, or looks tools up: `auto`, `off`, or limits. With `auto`, it looks them up if
   * there are more than 40, or if they take a tenth of the context. Default: `auto`.
   */
  readonly toolSearch?: "auto" | "off" | ToolSearchOption.ToolSearchOptions | undefined
  /**
   * Whether the first request of a run may call tools: `auto`, `none`, `required`, or `{ tool }` for one of them.
   * Default: `auto`.
   */
  readonly toolChoice?: AgentSchema.ToolChoice | undefined
  /**
   * How long a run executes, without its pauses. After it a request to the model or a hook is interrupted, no further
   * one begins, and the run fails. Calls of tools are not interrupted. Default: none.
   */
  readonly runTimeout?: Duration.Input | undefined
  /** No request to the model begins when the run has used this number of tokens. Default: none. */
  readonly tokenLimit?: number | undefined
  /** Show the model the earlier runs of the session. Default: false. */
  readonly addHistoryToContext?: boolean | undefined
  /** The number of earlier runs. Default: 3, and all of a conversation over the API of OpenAI. */
  readonly numHistoryRuns?: number | undefined
  /** The message must be JSON that matches this schema. Others are refused with 422. Default: none. */
  readonly inputSchema?: AnySchema | JsonSchema.JsonSchema | undefined
  /** The answer is an object that matches this schema. Default: text. */
  readonly outputSchema?: AnySchema | JsonSchema.JsonSchema | undefined
  /** For models without structured output: describe the schema in the system message instead. Default: false. */
  readonly useJsonMode?: boolean | undefined
  /** Whether an answer that does not match `outputSchema` is requested once more. Default: true. */
  readonly repairOutput?: boolean | undefined
  /** Replaces the generated system message. Default: made from the other options. */
  readonly systemMessage?: string | undefined
  /** The role of the system message. Default: `system`. */
  readonly systemMessageRole?: "system" | "developer" | undefined
  /** Whether a system message is generated. Default: true. */
  readonly buildContext?: boolean | undefined
  /** A description of the answer, for the system message. Default: none. */
  readonly expectedOutput?: string | undefined
  /** Text at the end of the system message. Default: none. */
  readonly additionalContext?: string | undefined
  /** Whether the system message requests Markdown. Default: false. */
  readonly markdown?: boolean | undefined
  /** Whether the system message has the name. Default: false. */
  readonly addNameToContext?: boolean | undefined
  /** Whether the system message has the time. Default: false. */
  readonly addDatetimeToContext?: boolean | undefined
  /** IANA name, for `addDatetimeToContext`. Default: UTC. */
  readonly timezone?: string | undefined
  /** Whether it reasons in explicit steps before the answer. Default: false, or true with a `reasoningModel`. */
  readonly reasoning?: boolean | undefined
  /** The model of the reasoning. Default: the model of the agent. */
  readonly reasoningModel?: ModelRef | undefined
  /** The smallest number of steps of the reasoning. Default: 1. */
  readonly reasoningMinSteps?: number | undefined
  /** The largest number of steps of the reasoning. Default: 10. */
  readonly reasoningMaxSteps?: number | undefined
  /** Called before the first request to the model. A failing hook ends the run. Default: none. */
  readonly preHooks?: ReadonlyArray<Hook.Hook<NoInfer<R>>> | undefined
  /** Called after the answer. A failing hook ends the run. Default: none. */
  readonly postHooks?: ReadonlyArray<Hook.Hook<NoInfer<R>>> | undefined
  /** Functions around the run, its requests to the model and its calls of tools. Default: none. */
  readonly hooks?: ReadonlyArray<Hook.RunHook<NoInfer<R>>> | undefined
  /**
   * Retries of a failed request to the model, beyond those of its client, if no event was shown yet. Default: 0.
   */
  readonly retries?: number | undefined
  /** The delay before a retry. Default: one second. */
  readonly delayBetweenRetries?: Duration.Input | undefined
  /** Each delay is twice as long as the one before. Default: false. */
  readonly exponentialBackoff?: boolean | undefined
  /** If the outcome of a `once` call is unknown: `pause` (the default) waits for a person, `fail` ends the run. */
  readonly onUnknownOutcome?: "pause" | "fail" | undefined
  /**
   * Rate a sample of the runs after their end, in the background. The scores are feedback on the runs. Runs of members
   * and of steps are not rated.
   */
  readonly onlineScoring?: OnlineScoring.ScoringOptions | undefined
  /** Free-form JSON, shown in discovery. Default: none. */
  readonly metadata?: Json.Object | undefined
  /** Also store the events of runs that are neither streamed nor in the background. Default: false. */
  readonly storeEvents?: boolean | undefined
  /**
   * The checkpoints of a run: `runs` (the default) only at its end, `tool-batch` also after each batch of tool results.
   * With `tool-batch` a running run shows its messages.
   */
  readonly checkpoint?: "runs" | "tool-batch" | undefined
}

export type { Agent }

type Own = Exclude<keyof Options, keyof FeatureOptions>

/** Of a call whose outcome is unknown. */
export const outcomes: ReadonlyArray<Agent["onUnknownOutcome"]> = ["pause", "fail"]

const options: AuthorOptions.Kinds<Own> = {
  id: "text",
  name: "text",
  model: "any",
  description: "text",
  db: "any",
  role: "text",
  introduction: "text",
  instructions: "instructions",
  runSchemas: { options: RunSchemas.kinds },
  tools: "list",
  toolCallLimit: "any",
  toolSearch: "any",
  toolChoice: "any",
  runTimeout: "any",
  tokenLimit: "any",
  limits: "object",
  addHistoryToContext: "flag",
  numHistoryRuns: "any",
  numHistoryMessages: "any",
  maxContextTokens: "any",
  numToolResults: "any",
  historyOfFailedRuns: { oneOf: ContextLimits.failedRuns },
  showMedia: { options: ContextLimits.mediaKinds, orFlag: true },
  promptCache: "any",
  inputSchema: "any",
  outputSchema: "any",
  useJsonMode: "flag",
  repairOutput: "flag",
  systemMessage: "text",
  systemMessageRole: { oneOf: ["system", "developer"] satisfies ReadonlyArray<Agent["systemMessageRole"]> },
  buildContext: "flag",
  expectedOutput: "text",
  additionalContext: "text",
  markdown: "flag",
  addNameToContext: "flag",
  addDatetimeToContext: "flag",
  timezone: "text",
  reasoning: "flag",
  reasoningModel: "any",
  reasoningMinSteps: "any",
  reasoningMaxSteps: "any",
  preHooks: "list",
  postHooks: "list",
  hooks: "list",
  retries: "any",
  delayBetweenRetries: "any",
  exponentialBackoff: "flag",
  onUnknownOutcome: { oneOf: outcomes },
  onlineScoring: { options: OnlineScoring.kinds },
  metadata: "object",
  storeEvents: "flag",
  checkpoint: { oneOf: ["runs", "tool-batch"] satisfies ReadonlyArray<Agent["checkpoint"]> },
  modelSettings: { options: ModelOptions.settingsKinds },
  fallbackModels: "list",
  offeredModels: "list",
  offeredSettings: "list"
}

/** Those of features are known by the parts. */
const checkOptions = (
  kind: string,
  given: Options,
  parts: ReadonlyArray<AgentPart>,
  further: AuthorOptions.Kinds<string>
) =>
  AuthorOptions.check(
    AuthorOptions.ownerOf(kind, given),
    given,
    Object.assign({}, options, ...parts.map(({ options = {} }) => options), further)
  )

const optional = <A, B>(value: A | undefined, f: (value: A) => B): B | undefined =>
  value === undefined ? undefined : f(value)

/** The agent with the options that `parts` read. Authors call `make` of the features, which has all parts. */
export const define = <
  const R extends RunSchemas.RunSchemas = NonNullable<unknown>,
  const M extends ModelRef | undefined = ModelRef | undefined
>(
  options: Options<R> & { readonly model?: M & Checked<M> },
  parts: ReadonlyArray<AgentPart>
): Agent => named("Agent", options as Options, parts)

const made = new WeakMap<Agent, Options>()

/** What its author gave. Of the leader of a team: the options of the team. */
export const optionsOf = (agent: Agent): Options | undefined => made.get(agent)

/** For a component that wraps an agent: the name of its kind. */
export const named = (
  kind: string,
  options: Options,
  parts: ReadonlyArray<AgentPart>,
  further: AuthorOptions.Kinds<string> = {}
): Agent => {
  checkOptions(kind, options, parts, further)
  const id = Validate.urlId(kind, options.id)
  const owner = `${kind} '${id}'`
  const { ofProvider, own, sources } = AgentTools.split(owner, options.tools)
  RunSchemas.checkTools(owner, options.runSchemas, own)
  const numHistoryRuns = Validate.wholeNumber(owner, "numHistoryRuns", 0, options.numHistoryRuns ?? 3)
  // a history that slides in steps is sure to have half of its runs
  const sure = PromptCaching.settings(owner, options).promptCache === undefined
    ? numHistoryRuns
    : Math.ceil(numHistoryRuns / 2)
  const defined = parts.map((part) =>
    part.define(options, { name: owner, isLeader: kind === "Team", numHistoryRuns: sure })
  )
  const reasoningMinSteps = Validate.wholeNumber(owner, "reasoningMinSteps", 1, options.reasoningMinSteps ?? 1)
  const agent = withMethods<Agent>("agent", {
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
      ...defined.flatMap(({ tools }) => tools)
    ]),
    featureTools: new Set(defined.flatMap(({ tools }) => tools.map(({ name }) => name))),
    providerTools: AgentTools.byName(owner, AgentTools.checkedProviderTools(owner, ofProvider, own)),
    toolSources: AgentTools.distinct(owner, sources),
    toolSearch: ToolSearchOption.settings(owner, options.toolSearch, { ofProvider, own, sources }),
    parts,
    ...Object.assign({}, ...defined.map(({ settings }) => settings)) as Partial<FeatureSettings>,
    toolCallLimit: optional(options.toolCallLimit, (limit) => Validate.wholeNumber(owner, "toolCallLimit", 0, limit)),
    toolChoice: AgentTools.checkedChoice(owner, options.toolChoice, [...own, ...ofProvider]),
    runTimeout: optional(options.runTimeout, (limit) => Validate.duration(owner, "runTimeout", limit)),
    tokenLimit: optional(options.tokenLimit, (limit) => Validate.wholeNumber(owner, "tokenLimit", 1, limit)),
    limits: StartLimits.checked(owner, options.limits),
    addHistoryToContext: options.addHistoryToContext ?? false,
    numHistoryRuns,
    limitsHistory: options.numHistoryRuns !== undefined || defined.some(({ limitsHistory }) => limitsHistory === true),
    ...ContextLimits.settings(owner, options),
    ...PromptCaching.settings(owner, options),
    inputSchema: optional(options.inputSchema, (schema) => authoredFor(`${owner}: its inputSchema`, schema)),
    runSchemas: optional(options.runSchemas, RunSchemas.make),
    outputSchema: optional(options.outputSchema, (schema) => authoredFor(`${owner}: its outputSchema`, schema)),
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
    reasoningModel: Validate.model(owner, "reasoningModel", options.reasoningModel),
    reasoningMinSteps,
    reasoningMaxSteps: Validate.wholeNumber(
      owner,
      "reasoningMaxSteps",
      reasoningMinSteps,
      options.reasoningMaxSteps ?? Math.max(10, reasoningMinSteps)
    ),
    preHooks: Hook.checks(owner, "preHooks", options.preHooks ?? []),
    postHooks: Hook.checks(owner, "postHooks", options.postHooks ?? []),
    hooks: Hook.checked(owner, options.hooks ?? []),
    onlineScoring: OnlineScoring.settings(owner, options.onlineScoring),
    retries: Validate.wholeNumber(owner, "retries", 0, options.retries ?? 0),
    delayBetweenRetries: Validate.duration(owner, "delayBetweenRetries", options.delayBetweenRetries ?? "1 second"),
    exponentialBackoff: options.exponentialBackoff ?? false,
    onUnknownOutcome: options.onUnknownOutcome ?? "pause",
    metadata: options.metadata,
    storeEvents: options.storeEvents ?? false,
    checkpoint: options.checkpoint ?? "runs"
  })
  made.set(agent, options)
  return agent
}

export const isAgent = (value: unknown): value is Agent =>
  Predicate.isTagged(value, "Agent") && Predicate.hasProperty(value, "id") && Predicate.isString(value.id)
