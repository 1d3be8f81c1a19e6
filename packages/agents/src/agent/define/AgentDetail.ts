// An agent in discovery: groups of settings that differ from their default, without empty groups.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import type * as Json from "@svc-runtime/domain/Json"
import type { ProviderTool } from "@svc-runtime/engine/tool/ProviderTool"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import type { ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import type { ModelName } from "@svc-runtime/models/ModelCatalog"
import * as ModelSettings from "@svc-runtime/models/ModelSettings"
import { Duration, Predicate } from "effect"
import type { DetailContext } from "../../component/Discovery.ts"
import type { Agent } from "./Agent.ts"
import type * as AgentPart from "./AgentPart.ts"

export const unless = <A>(value: A, hidden: A): A | undefined => value === hidden ? undefined : value

type Fields<A> = { readonly [K in keyof A]: A[K] | undefined }

const present = <A extends object>(fields: Fields<A>): A =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as A

export const group = <A extends object>(fields: Fields<A>): A | undefined => {
  const settings = present<A>(fields)
  return Object.keys(settings).length === 0 ? undefined : settings
}

const functionInfo = (tool: Tool): AgentSchema.FunctionInfo => ({
  name: tool.name,
  ...(tool.description === undefined ? {} : { description: tool.description }),
  parameters: tool.parameters as Json.Object,
  ...(tool.strict === undefined ? {} : { strict: tool.strict }),
  ...(tool.requiresConfirmation ? { requires_confirmation: true } : {}),
  ...(tool.externalExecution ? { external_execution: true } : {}),
  ...(tool.approval === undefined ? {} : { approval_type: tool.approval })
})

/** Its provider knows its description and its parameters. */
const providerInfo = ({ id, name }: ProviderTool): AgentSchema.FunctionInfo => ({
  name,
  description: `${id}, executed by the provider of the model`,
  parameters: {}
})

const sourceInfo = ({ last, name }: ToolSource): AgentSchema.ToolSource => {
  const offer = last()
  if (offer === undefined) return { name, status: "unused" }
  const { problem, tools } = offer
  if (problem === undefined) return { name, status: "available" }
  return { name, status: tools.length === 0 ? "failed" : "available", reason: problem }
}

export const modelInfo = (names: ModelName): AgentSchema.ModelInfo => ({
  name: names.name,
  model: names.id,
  provider: names.provider
})

const instructionsOf = ({ instructions }: Agent) =>
  typeof instructions === "function"
    ? undefined
    : Predicate.isTagged(instructions, "IncludedText")
    ? instructions.text
    : instructions

const runSchemasOf = ({ runSchemas }: Agent): AgentSchema.Detail["run_schemas"] => {
  if (runSchemas === undefined) return undefined
  const { dependencies, metadata, sessionState } = runSchemas.shapes
  return group<NonNullable<AgentSchema.Detail["run_schemas"]>>({
    session_state: sessionState?.jsonSchema as Json.Object | undefined,
    dependencies: dependencies?.jsonSchema as Json.Object | undefined,
    metadata: metadata?.jsonSchema as Json.Object | undefined
  })
}

export interface Dependencies {
  readonly databaseId: string
  readonly sessionTable: string
  readonly model: ModelName
  readonly fallbackModels: ReadonlyArray<ModelName>
  readonly reasoningModel: ModelName | undefined
  /** What features show of it. */
  readonly parts: ReadonlyArray<AgentPart.Detail>
}

/** The database and the models of an agent. */
export const dependenciesOf = (context: DetailContext) => (agent: Agent): Dependencies => {
  const { databaseOf, modelOf } = context
  const { db, fallbackModels, model, parts, reasoningModel } = agent
  const { id, sessionTable } = databaseOf({ db })
  return {
    databaseId: id,
    sessionTable,
    parts: parts.map((part) => part.detail?.(agent, context) ?? {}),
    model: modelOf(model),
    fallbackModels: fallbackModels.map(modelOf),
    reasoningModel: reasoningModel === undefined ? undefined : modelOf(reasoningModel)
  }
}

const modelOptionsOf = (
  { modelSettings, offeredModels, offeredSettings }: Agent,
  { fallbackModels }: Dependencies
) => {
  const settings = modelSettings === undefined ? {} : ModelSettings.toWire(modelSettings)
  return group<NonNullable<AgentSchema.Detail["model_options"]>>({
    model_settings: Object.keys(settings).length === 0 ? undefined : settings,
    fallback_models: fallbackModels.length === 0 ? undefined : fallbackModels.map(modelInfo),
    offered_models: offeredModels.length === 0 ? undefined : offeredModels,
    offered_settings: offeredSettings.length === 0 ? undefined : offeredSettings
  })
}

export const toDetail = (agent: Agent, around: Dependencies): AgentSchema.Detail => {
  const shown: AgentPart.Detail = Object.assign({}, ...around.parts)
  return present<AgentSchema.Detail>({
    id: agent.id,
    name: agent.name,
    description: agent.description,
    role: agent.role,
    introduction: agent.introduction,
    db_id: around.databaseId,
    is_factory: false,
    is_component: false,
    model: modelInfo(around.model),
    model_options: modelOptionsOf(agent, around),
    tools: agent.tools.size + agent.toolSources.length + agent.providerTools.size === 0 ?
      undefined :
      group<AgentSchema.Tools>({
        tools: [...agent.tools.values(), ...agent.toolSources.flatMap((source) => source.last()?.tools ?? [])]
          .map(functionInfo)
          .concat([...agent.providerTools.values()].map(providerInfo)),
        tool_sources: agent.toolSources.length === 0 ? undefined : agent.toolSources.map(sourceInfo),
        tool_call_limit: agent.toolCallLimit,
        tool_choice: agent.toolChoice
      }),
    sessions: group<NonNullable<AgentSchema.Detail["sessions"]>>({
      session_table: around.sessionTable,
      add_history_to_context: unless(agent.addHistoryToContext, false),
      num_history_runs: unless(agent.numHistoryRuns, 3),
      ...shown.sessions
    }),
    knowledge: shown.knowledge,
    memory: shown.memory,
    reasoning: group<NonNullable<AgentSchema.Detail["reasoning"]>>({
      reasoning: unless(agent.reasoning, false),
      reasoning_min_steps: unless(agent.reasoningMinSteps, 1),
      reasoning_max_steps: unless(agent.reasoningMaxSteps, 10),
      reasoning_model: around.reasoningModel === undefined ? undefined : modelInfo(around.reasoningModel)
    }),
    default_tools: shown.default_tools,
    system_message: group<NonNullable<AgentSchema.Detail["system_message"]>>({
      system_message: agent.systemMessage,
      system_message_role: unless(agent.systemMessageRole, "system"),
      build_context: unless(agent.buildContext, true),
      description: agent.description,
      instructions: instructionsOf(agent),
      expected_output: agent.expectedOutput,
      additional_context: agent.additionalContext,
      markdown: unless(agent.markdown, false),
      add_name_to_context: unless(agent.addNameToContext, false),
      add_datetime_to_context: unless(agent.addDatetimeToContext, false),
      timezone_identifier: unless(agent.timezone, "UTC")
    }),
    response_settings: group<NonNullable<AgentSchema.Detail["response_settings"]>>({
      retries: unless(agent.retries, 0),
      delay_between_retries: unless(Duration.toSeconds(agent.delayBetweenRetries), 1),
      exponential_backoff: unless(agent.exponentialBackoff, false),
      output_schema_name: agent.outputSchema?.title,
      use_json_mode: unless(agent.useJsonMode, false),
      run_timeout: agent.runTimeout === undefined ? undefined : Duration.toSeconds(agent.runTimeout),
      token_limit: agent.tokenLimit
    }),
    metadata: agent.metadata,
    input_schema: agent.inputSchema?.jsonSchema as Json.Object | undefined,
    run_schemas: runSchemasOf(agent)
  })
}
