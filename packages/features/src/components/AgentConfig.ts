// The config of a stored agent: JSON with the options of an agent, which names tools, knowledge, hooks and schemas.
// A request cannot save other keys. Other keys that a newer version of the service has saved are not read.
import * as ConfigProblem from "@svc-runtime/agents/component/ConfigProblem"
import * as AgentSchema from "@svc-runtime/domain/Agent"
import * as Json from "@svc-runtime/domain/Json"
import * as ModelSettings from "@svc-runtime/domain/ModelSettings"
import { optional } from "@svc-runtime/domain/schema/optional"
import { fromWire } from "@svc-runtime/models/ModelSettings"
import { Predicate, Result, Schema } from "effect"
import * as Agent from "../Agent.ts"
import * as Included from "../prompts/Included.ts"
import type { ResourceNames } from "../registry/ResourceNames.ts"
import * as AgentFeatures from "./AgentFeatures.ts"
import { checkWith, type ConfigModule, type Identity } from "./ConfigModule.ts"
import * as ConfigResources from "./ConfigResources.ts"

const { Count, Model, Name, Named, Names, SchemaRef, Text } = ConfigResources

const PromptCache = Schema.Union([
  Schema.Literals(["auto", "off"]),
  Schema.Struct({ ttl: Schema.Literals(["5m", "1h"]) })
])

/** The fields of agents and of the leaders of teams. */
export const fields = {
  ...AgentFeatures.fields,
  ...ConfigResources.database,
  base: optional(Name),
  name: optional(Name),
  description: optional(Text),
  role: optional(Text),
  introduction: optional(Text),
  model: optional(Model),
  model_settings: optional(ModelSettings.ModelSettings),
  fallback_models: optional(Schema.Array(Model).check(Schema.isMaxLength(10))),
  offered_models: optional(Schema.Array(Name).check(Schema.isMaxLength(100))),
  offered_settings: optional(Schema.Array(ModelSettings.Name)),
  reasoning_model: optional(Model),
  instructions: optional(Schema.Union([Text, Schema.Array(Text).check(Schema.isMaxLength(1000))])),
  tools: optional(Names),
  skills: optional(Names),
  knowledge: optional(Schema.Union([Named, Names])),
  pre_hooks: optional(Names),
  post_hooks: optional(Names),
  input_schema: optional(SchemaRef),
  output_schema: optional(SchemaRef),
  tool_call_limit: optional(Count),
  tool_choice: optional(AgentSchema.ToolChoice),
  tool_search: optional(Schema.Union([
    Schema.Literals(["auto", "off"]),
    Schema.Struct({
      above: optional(Count),
      share: optional(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(1))),
      always: optional(Schema.Array(Name).check(Schema.isMaxLength(1000)))
    })
  ])),
  run_timeout: optional(ConfigResources.Seconds),
  token_limit: optional(Count),
  add_history_to_context: optional(Schema.Boolean),
  num_history_runs: optional(Count),
  num_history_messages: optional(Count),
  max_context_tokens: optional(Count),
  num_tool_results: optional(Count),
  show_media: optional(Schema.Boolean),
  history_of_failed_runs: optional(Schema.Literals(["messages", "none"])),
  prompt_cache: optional(PromptCache),
  use_json_mode: optional(Schema.Boolean),
  system_message_role: optional(Schema.Literals(["system", "developer"])),
  expected_output: optional(Text),
  additional_context: optional(Text),
  markdown: optional(Schema.Boolean),
  add_name_to_context: optional(Schema.Boolean),
  add_datetime_to_context: optional(Schema.Boolean),
  timezone_identifier: optional(Name),
  reasoning: optional(Schema.Boolean),
  reasoning_min_steps: optional(Count),
  reasoning_max_steps: optional(Count),
  retries: optional(Count),
  delay_between_retries: optional(ConfigResources.Seconds),
  exponential_backoff: optional(Schema.Boolean),
  search_knowledge: optional(Schema.Boolean),
  add_knowledge_to_context: optional(Schema.Boolean),
  knowledge_filters: optional(Json.Value),
  agentic_knowledge_filters: optional(Schema.Boolean),
  on_unknown_outcome: optional(Schema.Literals(["pause", "fail"])),
  checkpoint: optional(Schema.Literals(["runs", "tool-batch"])),
  store_events: optional(Schema.Boolean),
  metadata: optional(Json.Object)
}

const Settings = Schema.Struct(fields)
type Settings = typeof Settings.Type

export const AgentConfig = Schema.Struct({
  ...fields,
  system_message: optional(Text),
  build_context: optional(Schema.Boolean)
})

const decode = Schema.decodeUnknownResult(AgentConfig, { errors: "all" })

const isList = <A>(value: A | ReadonlyArray<A>): value is ReadonlyArray<A> => Array.isArray(value)

const secondsOf = (seconds: number | null | undefined) =>
  seconds === null || seconds === undefined ? undefined : `${seconds} seconds` as const

/** `tool_call_limit` as `toolCallLimit`. */
const optionOf = (field: string): string =>
  field === "timezone_identifier"
    ? "timezone"
    : field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/**
 * The options of an agent, or of the leader of a team: those of the component in code that it is based on, and what the
 * config has instead. Null is the default. The runs are in the service's own database, and are not rated.
 */
export const optionsOf = (
  identity: Identity,
  config: Settings,
  names: ResourceNames,
  resources: ConfigResources.ConfigResources,
  kind: "agent" | "team" = "agent"
): Agent.Options => {
  const own = ownOptionsOf(identity, config, names, resources)
  if (config.base === undefined || config.base === null) return own
  const base = resources.one(`${kind} in code`, names.base[kind], config.base, ["base"])
  const reset = Object.entries(config).flatMap(([field, value]) => value === null ? [[optionOf(field), undefined]] : [])
  return {
    ...base,
    db: undefined,
    onlineScoring: undefined,
    ...Json.withoutNulls(own),
    ...Object.fromEntries(reset)
  }
}

const ownOptionsOf = (
  { id, name }: Identity,
  config: Settings,
  names: ResourceNames,
  resources: ConfigResources.ConfigResources
): Agent.Options => {
  const { knowledge } = config
  const bases = knowledge === null || knowledge === undefined || isList(knowledge) ? knowledge : [knowledge]
  const given = Json.withoutNulls({
    description: config.description,
    role: config.role,
    introduction: config.introduction,
    instructions: Included.ofConfig(config.instructions),
    toolCallLimit: config.tool_call_limit,
    toolChoice: config.tool_choice,
    toolSearch: Predicate.isObject(config.tool_search) ? Json.withoutNulls(config.tool_search) : config.tool_search,
    tokenLimit: config.token_limit,
    addHistoryToContext: config.add_history_to_context,
    numHistoryRuns: config.num_history_runs,
    numHistoryMessages: config.num_history_messages,
    maxContextTokens: config.max_context_tokens,
    numToolResults: config.num_tool_results,
    showMedia: config.show_media,
    historyOfFailedRuns: config.history_of_failed_runs,
    promptCache: config.prompt_cache,
    useJsonMode: config.use_json_mode,
    systemMessageRole: config.system_message_role,
    expectedOutput: config.expected_output,
    additionalContext: config.additional_context,
    markdown: config.markdown,
    addNameToContext: config.add_name_to_context,
    addDatetimeToContext: config.add_datetime_to_context,
    timezone: config.timezone_identifier,
    reasoning: config.reasoning,
    reasoningMinSteps: config.reasoning_min_steps,
    reasoningMaxSteps: config.reasoning_max_steps,
    retries: config.retries,
    exponentialBackoff: config.exponential_backoff,
    searchKnowledge: config.search_knowledge,
    addKnowledgeToContext: config.add_knowledge_to_context,
    knowledgeFilters: config.knowledge_filters,
    agenticKnowledgeFilters: config.agentic_knowledge_filters,
    onUnknownOutcome: config.on_unknown_outcome,
    checkpoint: config.checkpoint,
    storeEvents: config.store_events,
    metadata: config.metadata
  }) as Omit<Agent.Options, "id">
  return {
    ...given,
    ...AgentFeatures.optionsOf(config, resources),
    id,
    name: config.name ?? name,
    model: resources.model(config.model, ["model"]),
    modelSettings: fromWire(config.model_settings ?? {}),
    fallbackModels: config.fallback_models?.flatMap((model, index) =>
      resources.model(model, ["fallback_models", index]) ?? []
    ),
    offeredModels: config.offered_models ?? undefined,
    offeredSettings: config.offered_settings ?? undefined,
    reasoningModel: resources.model(config.reasoning_model, ["reasoning_model"]),
    tools: resources.all("tool", names.tool, config.tools, ["tools"]),
    skills: config.skills?.map((named) => {
      const name = Predicate.isString(named) ? named : named.name
      // of the code, or stored
      return names.skill(name)[0] ?? name
    }),
    preHooks: resources.all("hook", names.hook, config.pre_hooks, ["pre_hooks"]),
    postHooks: resources.all("hook", names.hook, config.post_hooks, ["post_hooks"]),
    knowledge: resources.all("knowledge", names.knowledge, bases, ["knowledge"]),
    inputSchema: resources.schema(config.input_schema, ["input_schema"]),
    outputSchema: resources.schema(config.output_schema, ["output_schema"]),
    runTimeout: secondsOf(config.run_timeout),
    delayBetweenRetries: secondsOf(config.delay_between_retries)
  }
}

const resolve: ConfigModule<Agent.Agent>["resolve"] = (names, identity, config) => {
  const decoded = decode(config)
  if (Result.isFailure(decoded)) return Result.fail(ConfigProblem.ofSchema(decoded.failure))
  const resources = ConfigResources.make(names)
  const { build_context, system_message } = decoded.success
  const options = optionsOf(identity, decoded.success, names, resources)
  if (resources.problems.length > 0) return Result.fail(resources.problems)
  return Result.try({
    try: () =>
      Agent.make({
        ...options,
        systemMessage: system_message ?? options.systemMessage,
        buildContext: build_context ?? options.buildContext
      }),
    catch: ConfigProblem.ofError
  })
}

export const AgentConfigModule: ConfigModule<Agent.Agent> = {
  check: checkWith(AgentConfig),
  references: () => [],
  resolve
}
