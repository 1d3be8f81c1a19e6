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

export interface Options<R extends RunSchemas.RunSchemas = NonNullable<unknown>>
  extends ContextLimits.Options, FeatureOptions, ModelOptions.Options, StartLimits.ComponentOptions
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

export type { Agent }

type Own = Exclude<keyof Options, keyof FeatureOptions>

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
  toolChoice: "any",
  runTimeout: "any",
  tokenLimit: "any",
  limits: "object",
  addHistoryToContext: "flag",
  numHistoryRuns: "any",
  numHistoryMessages: "any",
  maxContextTokens: "any",
  numToolResults: "any",
  historyOfFailedRuns: "any",
  showMedia: { options: ContextLimits.mediaKinds, orFlag: true },
  inputSchema: "any",
  outputSchema: "any",
  useJsonMode: "flag",
  repairOutput: "flag",
  systemMessage: "text",
  systemMessageRole: "any",
  buildContext: "flag",
  expectedOutput: "text",
  additionalContext: "text",
  markdown: "flag",
  addNameToContext: "flag",
  addDatetimeToContext: "flag",
  timezone: "any",
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
  onUnknownOutcome: "any",
  onlineScoring: { options: OnlineScoring.kinds },
  metadata: "object",
  storeEvents: "flag",
  checkpoint: "any",
  modelSettings: "object",
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
    Object.assign({}, options, ...parts.map(({ options = {} }) => options), further),
    `docs/guides/${kind === "Team" ? "teams" : "agents"}.md`
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
  const defined = parts.map((part) => part.define(options, { name: owner, isLeader: kind === "Team", numHistoryRuns }))
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
    providerTools: AgentTools.byName(owner, AgentTools.checkedProviderTools(owner, ofProvider, own)),
    toolSources: AgentTools.distinct(owner, sources),
    parts,
    ...Object.assign({}, ...defined.map(({ settings }) => settings)) as Partial<FeatureSettings>,
    toolCallLimit: optional(options.toolCallLimit, (limit) => Validate.wholeNumber(owner, "toolCallLimit", 0, limit)),
    toolChoice: AgentTools.checkedChoice(owner, options.toolChoice, [...own, ...ofProvider]),
    runTimeout: optional(options.runTimeout, (limit) => Validate.duration(owner, "runTimeout", limit)),
    tokenLimit: optional(options.tokenLimit, (limit) => Validate.wholeNumber(owner, "tokenLimit", 1, limit)),
    limits: StartLimits.checked(owner, options.limits),
    addHistoryToContext: options.addHistoryToContext ?? false,
    numHistoryRuns,
    ...ContextLimits.settings(owner, options),
    inputSchema: optional(options.inputSchema, (schema) => authoredFor(`${owner}: its inputSchema`, schema)),
    runSchemas: optional(options.runSchemas, RunSchemas.make),
    outputSchema: optional(options.outputSchema, (schema) => authoredFor(`${owner}: its outputSchema`, schema)),
    useJsonMode: options.useJsonMode ?? false,
    repairOutput: options.repairOutput ?? true,
    systemMessage: options.systemMessage,
    systemMessageRole: Validate.oneOf(
      owner,
      "systemMessageRole",
      ["system", "developer"],
      options.systemMessageRole ?? "system"
    ),
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
    onUnknownOutcome: Validate.oneOf(
      owner,
      "onUnknownOutcome",
      ["pause", "fail"],
      options.onUnknownOutcome ?? "pause"
    ),
    metadata: options.metadata,
    storeEvents: options.storeEvents ?? false,
    checkpoint: Validate.oneOf(owner, "checkpoint", ["runs", "tool-batch"], options.checkpoint ?? "runs")
  })
  made.set(agent, options)
  return agent
}

export const isAgent = (value: unknown): value is Agent =>
  Predicate.isTagged(value, "Agent") && Predicate.hasProperty(value, "id") && Predicate.isString(value.id)
