// An agent in discovery. A group contains only the settings that differ from their default, and an empty group is left
// out.
import { Schema } from "effect"
import { exact } from "./Ids.ts"
import * as Json from "./Json.ts"
import * as ModelSettings from "./ModelSettings.ts"

export const Id = Schema.String.check(exact).pipe(Schema.brand("AgentId"))
export type Id = typeof Id.Type

const text = Schema.optionalKey(Schema.String)
const flag = Schema.optionalKey(Schema.Boolean)
const int = Schema.optionalKey(Schema.Int)

export const ModelInfo = Schema.Struct({ name: text, model: text, provider: text })
  .annotate({ identifier: "ModelResponse" })
export type ModelInfo = typeof ModelInfo.Type

export const FunctionInfo = Schema.Struct({
  name: Schema.String,
  description: text,
  parameters: Json.Object,
  strict: flag,
  requires_confirmation: flag,
  external_execution: flag,
  approval_type: Schema.optionalKey(Schema.Literals(["required", "audit"]))
}).annotate({ identifier: "FunctionResponse" })
export type FunctionInfo = typeof FunctionInfo.Type

export const ToolChoice = Schema.Union([
  Schema.Literals(["auto", "none", "required"]),
  Schema.Struct({ tool: Schema.String })
])
export type ToolChoice = typeof ToolChoice.Type

export const ModelOptions = Schema.Struct({
  model_settings: Schema.optionalKey(ModelSettings.ModelSettings),
  fallback_models: Schema.optionalKey(Schema.Array(ModelInfo)),
  offered_models: Schema.optionalKey(Schema.Array(Schema.String)),
  offered_settings: Schema.optionalKey(Schema.Array(ModelSettings.Name))
}).annotate({ identifier: "AgentModelOptions" })

export const ToolSource = Schema.Struct({
  name: Schema.String,
  /** `unused` until a run of this process has asked it. `failed`: it offers no tools. */
  status: Schema.Literals(["unused", "available", "failed"]),
  /** Why some or all tools are missing. */
  reason: text
}).annotate({ identifier: "AgentToolSource" })
export type ToolSource = typeof ToolSource.Type

export const Tools = Schema.Struct({
  tools: Schema.Array(FunctionInfo),
  tool_sources: Schema.optionalKey(Schema.Array(ToolSource)),
  tool_call_limit: int,
  tool_choice: Schema.optionalKey(ToolChoice)
}).annotate({ identifier: "AgentTools" })
export type Tools = typeof Tools.Type

export const Sessions = Schema.Struct({
  session_table: text,
  add_history_to_context: flag,
  num_history_runs: int,
  enable_session_summaries: flag,
  search_past_sessions: flag,
  num_past_sessions_to_search: int,
  num_past_session_runs_in_search: int
}).annotate({ identifier: "AgentSessions" })

export const Memory = Schema.Struct({
  enable_agentic_memory: flag,
  update_memory_on_run: flag,
  enable_user_memories: flag,
  memory_table: text,
  model: Schema.optionalKey(ModelInfo)
}).annotate({ identifier: "AgentMemory" })

export const Knowledge = Schema.Struct({
  db_id: text,
  knowledge_table: text,
  enable_agentic_knowledge_filters: flag,
  knowledge_filters: Schema.optionalKey(Json.Value)
}).annotate({ identifier: "AgentKnowledge" })

export const DefaultTools = Schema.Struct({ search_knowledge: flag }).annotate({ identifier: "AgentDefaultTools" })

export const Reasoning = Schema.Struct({
  reasoning: flag,
  reasoning_min_steps: int,
  reasoning_max_steps: int,
  reasoning_model: Schema.optionalKey(ModelInfo)
}).annotate({ identifier: "AgentReasoning" })

export const SystemMessage = Schema.Struct({
  system_message: text,
  system_message_role: text,
  build_context: flag,
  description: text,
  instructions: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  expected_output: text,
  additional_context: text,
  markdown: flag,
  add_name_to_context: flag,
  add_datetime_to_context: flag,
  timezone_identifier: text
}).annotate({ identifier: "AgentSystemMessage" })

export const ResponseSettings = Schema.Struct({
  retries: int,
  delay_between_retries: Schema.optionalKey(Schema.Finite),
  exponential_backoff: flag,
  output_schema_name: text,
  run_timeout: Schema.optionalKey(Schema.Finite),
  token_limit: int,
  use_json_mode: flag
}).annotate({ identifier: "AgentResponseSettings" })

/** JSON Schemas of what a run is given. */
export const RunSchemas = Schema.Struct({
  session_state: Schema.optionalKey(Json.Object),
  dependencies: Schema.optionalKey(Json.Object),
  metadata: Schema.optionalKey(Json.Object)
}).annotate({ identifier: "AgentRunSchemas" })

export const Detail = Schema.Struct({
  id: Id,
  name: text,
  description: text,
  role: text,
  introduction: text,
  db_id: text,
  is_factory: Schema.Boolean,
  is_component: Schema.Boolean,
  model: Schema.optionalKey(ModelInfo),
  model_options: Schema.optionalKey(ModelOptions),
  tools: Schema.optionalKey(Tools),
  sessions: Schema.optionalKey(Sessions),
  knowledge: Schema.optionalKey(Knowledge),
  memory: Schema.optionalKey(Memory),
  reasoning: Schema.optionalKey(Reasoning),
  default_tools: Schema.optionalKey(DefaultTools),
  system_message: Schema.optionalKey(SystemMessage),
  response_settings: Schema.optionalKey(ResponseSettings),
  metadata: Schema.optionalKey(Json.Object),
  input_schema: Schema.optionalKey(Json.Object),
  run_schemas: Schema.optionalKey(RunSchemas),
  /** The JSON Schema of `factory_input`, if the agent is made by a factory. */
  factory_input_schema: Schema.optionalKey(Json.Object),
  /** The version of a stored component. */
  current_version: Schema.optionalKey(Schema.Int),
  stage: Schema.optionalKey(Schema.Literals(["draft", "published"]))
}).annotate({ identifier: "AgentResponse" })
export type Detail = typeof Detail.Type
