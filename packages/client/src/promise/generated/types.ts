// Generated from the API's document: npm run openapi
import type { Upload } from "../Uploads.ts"

/** Events of the runs of agents, by `event`. */
export type AgentEvent = RunStarted | RunContent | RunContentPartial | RunContentCompleted | RunCompleted | RunError | RunCancelled | RunPaused | RunContinued | PreHookStarted | PreHookCompleted | PostHookStarted | PostHookCompleted | MemoryUpdateStarted | MemoryUpdateCompleted | SessionSummaryStarted | SessionSummaryCompleted | ToolCallStarted | ToolCallCompleted | ToolCallError | ReasoningStarted | ReasoningStep1 | ReasoningContentDelta | ReasoningCompleted | ModelRequestStarted | ModelRequestCompleted | ModelFallback | HookApplied | ContextTrimmed | ToolSourceFailed | CustomEvent

/** Events of the runs of teams, by `event`. */
export type TeamEvent = RunStarted | RunContent | RunContentPartial | RunContentCompleted | RunCompleted | RunError | RunCancelled | RunPaused | RunContinued | PreHookStarted | PreHookCompleted | PostHookStarted | PostHookCompleted | MemoryUpdateStarted | MemoryUpdateCompleted | SessionSummaryStarted | SessionSummaryCompleted | ToolCallStarted | ToolCallCompleted | ToolCallError | ReasoningStarted | ReasoningStep1 | ReasoningContentDelta | ReasoningCompleted | ModelRequestStarted | ModelRequestCompleted | ModelFallback | HookApplied | ContextTrimmed | ToolSourceFailed | CustomEvent | TeamRunStarted | TeamRunContent | TeamRunContentPartial | TeamRunContentCompleted | TeamRunCompleted | TeamRunError | TeamRunCancelled | TeamRunPaused | TeamRunContinued | TeamPreHookStarted | TeamPreHookCompleted | TeamPostHookStarted | TeamPostHookCompleted | TeamMemoryUpdateStarted | TeamMemoryUpdateCompleted | TeamSessionSummaryStarted | TeamSessionSummaryCompleted | TeamToolCallStarted | TeamToolCallCompleted | TeamToolCallError | TeamReasoningStarted | TeamReasoningStep | TeamReasoningContentDelta | TeamReasoningCompleted | TeamModelRequestStarted | TeamModelRequestCompleted | TeamModelFallback | TeamHookApplied | TeamContextTrimmed | TeamToolSourceFailed | TeamTaskIterationStarted | TeamTaskIterationCompleted | TeamTaskStateUpdated | TeamTaskCreated | TeamTaskUpdated | TeamCustomEvent | WorkflowStarted | WorkflowCompleted | WorkflowPaused | WorkflowCancelled | WorkflowError | StepStarted | StepOutput2 | StepCompleted | StepPaused | StepContinued | StepExecutorPaused | StepExecutorContinued | StepOutputReview | StepError | ParallelExecutionStarted | ParallelExecutionCompleted | ConditionExecutionStarted | ConditionExecutionCompleted | LoopExecutionStarted | LoopIterationStarted | LoopIterationCompleted | LoopExecutionCompleted | RouterExecutionStarted | RouterExecutionCompleted | RouterPaused | StepsExecutionStarted | StepsExecutionCompleted | WorkflowCustomEvent

/** Events of the runs of workflows, by `event`. */
export type WorkflowEvent = RunStarted | RunContent | RunContentPartial | RunContentCompleted | RunCompleted | RunError | RunCancelled | RunPaused | RunContinued | PreHookStarted | PreHookCompleted | PostHookStarted | PostHookCompleted | MemoryUpdateStarted | MemoryUpdateCompleted | SessionSummaryStarted | SessionSummaryCompleted | ToolCallStarted | ToolCallCompleted | ToolCallError | ReasoningStarted | ReasoningStep1 | ReasoningContentDelta | ReasoningCompleted | ModelRequestStarted | ModelRequestCompleted | ModelFallback | HookApplied | ContextTrimmed | ToolSourceFailed | CustomEvent | TeamRunStarted | TeamRunContent | TeamRunContentPartial | TeamRunContentCompleted | TeamRunCompleted | TeamRunError | TeamRunCancelled | TeamRunPaused | TeamRunContinued | TeamPreHookStarted | TeamPreHookCompleted | TeamPostHookStarted | TeamPostHookCompleted | TeamMemoryUpdateStarted | TeamMemoryUpdateCompleted | TeamSessionSummaryStarted | TeamSessionSummaryCompleted | TeamToolCallStarted | TeamToolCallCompleted | TeamToolCallError | TeamReasoningStarted | TeamReasoningStep | TeamReasoningContentDelta | TeamReasoningCompleted | TeamModelRequestStarted | TeamModelRequestCompleted | TeamModelFallback | TeamHookApplied | TeamContextTrimmed | TeamToolSourceFailed | TeamTaskIterationStarted | TeamTaskIterationCompleted | TeamTaskStateUpdated | TeamTaskCreated | TeamTaskUpdated | TeamCustomEvent | WorkflowStarted | WorkflowCompleted | WorkflowPaused | WorkflowCancelled | WorkflowError | StepStarted | StepOutput2 | StepCompleted | StepPaused | StepContinued | StepExecutorPaused | StepExecutorContinued | StepOutputReview | StepError | ParallelExecutionStarted | ParallelExecutionCompleted | ConditionExecutionStarted | ConditionExecutionCompleted | LoopExecutionStarted | LoopIterationStarted | LoopIterationCompleted | LoopExecutionCompleted | RouterExecutionStarted | RouterExecutionCompleted | RouterPaused | StepsExecutionStarted | StepsExecutionCompleted | WorkflowCustomEvent

export interface AgentDefaultTools {
  /** Whether the model can search the knowledge with a tool */
  search_knowledge?: boolean | undefined
}

export interface AgentKnowledge {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Table of the contents */
  knowledge_table?: string | undefined
  /** Whether the model chooses the filters of a search */
  enable_agentic_knowledge_filters?: boolean | undefined
  /** Filters that every search has */
  knowledge_filters?: Json | undefined
}

export interface AgentMemory {
  /** Whether the model changes memories with a tool */
  enable_agentic_memory?: boolean | undefined
  /** Whether memories are made after each run */
  update_memory_on_run?: boolean | undefined
  /** Whether memories are made after each run */
  enable_user_memories?: boolean | undefined
  /** Table of the memories */
  memory_table?: string | undefined
  /** Model, as `provider:model` */
  model?: ModelResponse | undefined
}

export interface AgentModelOptions {
  /** Settings of the requests to the model */
  model_settings?: ModelSettings | undefined
  /** Models that are requested, in this order, if the model fails */
  fallback_models?: Array<ModelResponse> | undefined
  /** Models, as provider:model, that a request may choose for its run */
  offered_models?: Array<string> | undefined
  /** Settings of the model that a request may choose for its run */
  offered_settings?: Array<"temperature" | "max_output_tokens" | "top_p" | "top_k" | "presence_penalty" | "frequency_penalty" | "seed" | "stop_sequences" | "reasoning_effort"> | undefined
}

export interface AgentReasoning {
  /** Whether, and how, the model reasons before it answers */
  reasoning?: boolean | undefined
  /** Smallest number of steps */
  reasoning_min_steps?: number | undefined
  /** Largest number of steps */
  reasoning_max_steps?: number | undefined
  /** Model that reasons */
  reasoning_model?: ModelResponse | undefined
}

export interface AgentResponse {
  /** Id of the agent */
  id: string
  /** Display name of the agent */
  name?: string | undefined
  /** Purpose of the agent, in a sentence */
  description?: string | undefined
  /** Task of the agent in a team */
  role?: string | undefined
  /** First message of a session */
  introduction?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Whether a factory makes the component for each run */
  is_factory: boolean
  /** Whether the component is stored, and can be changed over HTTP */
  is_component: boolean
  /** Model of the agent */
  model?: ModelResponse | undefined
  /** Settings of the model, models that replace it if it fails, and what requests may choose */
  model_options?: AgentModelOptions | undefined
  /** Tool calls of the run */
  tools?: AgentTools | undefined
  /** Settings of sessions */
  sessions?: AgentSessions | undefined
  /** Knowledge of the component */
  knowledge?: AgentKnowledge | undefined
  /** Settings of memories */
  memory?: AgentMemory | undefined
  /** Whether, and how, the model reasons before it answers */
  reasoning?: AgentReasoning | undefined
  /** Tools that the service adds */
  default_tools?: AgentDefaultTools | undefined
  /** Message to the model before the conversation */
  system_message?: AgentSystemMessage | undefined
  /** Form of the answers, and repetitions */
  response_settings?: AgentResponseSettings | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** JSON Schema of the input */
  input_schema?: { [key: string]: Json } | undefined
  /** JSON Schemas of what a run is given beside its input */
  run_schemas?: AgentRunSchemas | undefined
  /** JSON Schema of `factory_input` */
  factory_input_schema?: { [key: string]: Json } | undefined
  /** Version that runs use when they name none */
  current_version?: number | undefined
  /** A `draft` can be changed, and is run by its version only. A `published` version never changes */
  stage?: "draft" | "published" | undefined
}

export interface AgentResponseSettings {
  /** Number of times that a failed request to the model is repeated */
  retries?: number | undefined
  /** Seconds before a repetition */
  delay_between_retries?: number | undefined
  /** Whether each repetition waits twice as long */
  exponential_backoff?: boolean | undefined
  /** Name of the output schema */
  output_schema_name?: string | undefined
  /** Seconds that a run may execute, without its pauses */
  run_timeout?: number | undefined
  /** Number of tokens after which no request to the model begins */
  token_limit?: number | undefined
  /** Whether the model is asked for JSON without a schema */
  use_json_mode?: boolean | undefined
}

export interface AgentRunSchemas {
  /** JSON Schema of the fields of the session state that a request sends */
  session_state?: { [key: string]: Json } | undefined
  /** JSON Schema of the dependencies */
  dependencies?: { [key: string]: Json } | undefined
  /** JSON Schema of the metadata */
  metadata?: { [key: string]: Json } | undefined
}

export interface AgentSessionDetailSchema {
  /** The same as `session_id` */
  agent_session_id: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Name of the session */
  session_name: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | null | undefined
  /** Summary of the session. Null if there is none */
  session_summary?: SessionSummary | null | undefined
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
  /** Time of creation */
  created_at?: string | null | undefined
  /** Time of the last change */
  updated_at?: string | null | undefined
  /** Tokens that were read and written */
  total_tokens?: number | null | undefined
  /** Tokens, cost and seconds that were used */
  metrics?: SessionMetrics | null | undefined
  /** Messages of all runs, oldest first */
  chat_history?: Array<Message> | null | undefined
  /** Id of the agent */
  agent_id?: string | null | undefined
  /** Id and name of the agent, at the time of the last run */
  agent_data?: { [key: string]: Json } | null | undefined
}

export interface AgentSessions {
  /** Table of the sessions */
  session_table?: string | undefined
  /** Whether the model sees earlier runs of the session */
  add_history_to_context?: boolean | undefined
  /** Number of earlier runs that the model sees */
  num_history_runs?: number | undefined
  /** Whether long sessions are summarized */
  enable_session_summaries?: boolean | undefined
  /** Whether the model can search other sessions of the user */
  search_past_sessions?: boolean | undefined
  /** Number of sessions that a search reads */
  num_past_sessions_to_search?: number | undefined
  /** Number of runs of each session that a search reads */
  num_past_session_runs_in_search?: number | undefined
}

export interface AgentSummaryResponse {
  /** Id of the agent */
  id: string
  /** Display name of the agent */
  name?: string | undefined
  /** Purpose of the agent, in a sentence */
  description?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Model, as `provider:model` */
  model?: {
    /** Name of the model at its provider */
    id?: string | undefined
    /** Name of the provider of the model */
    provider?: string | undefined
  } | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
}

export interface AgentSystemMessage {
  /** Message to the model before the conversation */
  system_message?: string | undefined
  /** Role of the message that the instructions are sent in */
  system_message_role?: string | undefined
  /** Whether the service composes the instructions */
  build_context?: boolean | undefined
  /** Purpose of the agent, in a sentence */
  description?: string | undefined
  /** Instructions for the model */
  instructions?: string | Array<string> | undefined
  /** What a good answer is like */
  expected_output?: string | undefined
  /** Text after the instructions */
  additional_context?: string | undefined
  /** Whether the model is asked for Markdown */
  markdown?: boolean | undefined
  /** Whether the model knows the name of the component */
  add_name_to_context?: boolean | undefined
  /** Whether the model knows the time */
  add_datetime_to_context?: boolean | undefined
  /** Time zone of that time */
  timezone_identifier?: string | undefined
}

export interface AgentToolSource {
  /** Name of the source of tools */
  name: string
  /** State of the source: `unused`, `available` or `failed` */
  status: "unused" | "available" | "failed"
  /** Why it ended */
  reason?: string | undefined
}

export interface AgentTools {
  /** Tool calls of the run */
  tools: Array<FunctionResponse>
  /** What offers further tools to the runs, such as MCP servers, and whether it could be used */
  tool_sources?: Array<AgentToolSource> | undefined
  /** Largest number of tool calls in a run */
  tool_call_limit?: number | undefined
  /** Whether the model may, must or must not call tools */
  tool_choice?: "auto" | "none" | "required" | {
    /** Tool call */
    tool: string
  } | undefined
}

export interface AppliedMigration {
  /** Number of the migration */
  version: number
  /** Name of the migration */
  name: string
  /** Time of the migration */
  applied_at: string
}

export interface Approval {
  /** Id of the approval */
  id: string
  /** Id of the run */
  run_id: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** State of the approval */
  status: "pending" | "approved" | "rejected" | "expired" | "cancelled"
  /** Kind of the component that asked for the approval */
  source_type: "agent" | "team" | "workflow"
  /** Kind of the approval: `required` pauses the run, `audit` only records the decision */
  approval_type: "required" | "audit"
  /** What the run waits for */
  pause_type: "confirmation" | "user_input" | "external_execution"
  /** Name of the tool */
  tool_name: string | null
  /** Arguments of the tool call. A person may change them with the decision */
  tool_args: Json | null
  /** Time after which it is not valid any more. Null: it does not expire */
  expires_at: EpochSeconds | null
  /** Id of the agent */
  agent_id: string | null
  /** Id of the team */
  team_id: string | null
  /** Id of the workflow */
  workflow_id: string | null
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** Id of the schedule */
  schedule_id: string | null
  /** Id of the schedule's run that waits */
  schedule_run_id: string | null
  /** Name of the component that asked for the approval */
  source_name: string | null
  /** Tool calls that wait for a decision. Send them back with the decisions to continue the run */
  requirements: Array<{ [key: string]: Json }> | null
  /** What a person should know to decide */
  context: {
    /** Names of the tools that wait */
    tool_names: Array<string>
    /** Name of the component that asked for the approval */
    source_name?: string | undefined
  } | null
  /** What was sent with the decision: changed arguments, entered values, or a result */
  resolution_data: { [key: string]: Json } | null
  /** User who decided */
  resolved_by: string | null
  /** Time of the decision. Null before */
  resolved_at: EpochSeconds | null
  /** Time of creation */
  created_at: EpochSeconds
  /** Time of the last change */
  updated_at: EpochSeconds
  /** State of the run that waits */
  run_status: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED" | null
}

export interface ApprovalCount {
  /** Number of approvals */
  count: number
}

export interface ApprovalResolve {
  /** Decision of the person */
  status: "approved" | "rejected"
  /** User who decided */
  resolved_by?: string | null | undefined
  /** What was sent with the decision: changed arguments, entered values, or a result */
  resolution_data?: { [key: string]: Json } | null | undefined
}

export interface ApprovalStatus {
  /** Id of the approval that the run waits for */
  approval_id: string
  /** State of the approval */
  status: "pending" | "approved" | "rejected" | "expired" | "cancelled"
  /** Id of the run */
  run_id: string
  /** Time of the decision. Null before */
  resolved_at: EpochSeconds | null
  /** User who decided */
  resolved_by: string | null
}

export interface Audio {
  /** Id of the media */
  id?: string | undefined
  /** Address of the resource */
  url?: string | undefined
  /** Path of the file on the client. The service opens no paths */
  filepath?: string | undefined
  /** Sound as base64 */
  content?: string | undefined
  /** Format of the file */
  format?: string | undefined
  /** Media type */
  mime_type?: string | undefined
  /** Size in bytes */
  size?: number | undefined
  /** Length in seconds */
  duration?: number | undefined
  /** Samples of sound in a second */
  sample_rate?: number | undefined
  /** Number of channels of sound */
  channels?: number | undefined
  /** Words of the sound */
  transcript?: string | undefined
  /** Time at which the provider forgets the sound, in seconds since 1970 */
  expires_at?: number | undefined
}

export interface Caller {
  /** Id of the user that the credential names */
  user_id: string | null
  /** Scopes of the credential. `null`: scopes do not limit the caller */
  scopes: Array<string> | null
  /** Whether the caller sees only what is their own */
  is_isolated: boolean
}

export type CancelAccepted = Json

export interface ChangedDataset {
  /** Id of the dataset */
  id: string
  /** Name of the dataset */
  name: string
  /** Purpose of the dataset, in a sentence */
  description: string | null
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** Number of the newest version of the dataset */
  version: number
  /** Number of items */
  item_count: number
  /** Time of creation */
  created_at: string
  /** Time of the last change */
  updated_at: string
  /** Ids of the items that were added or replaced, in their order */
  item_ids: Array<string>
}

export interface Checkpoint {
  /** Number of the checkpoint in its run, from 1. Null if the place is not a checkpoint */
  checkpoint_id: string | null
  /** Id of the run */
  run_id: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Number of messages before the place */
  message_index: number
  /** Value for the field `continue_from` of a continue request */
  continue_from: number
  /** State of the run at the checkpoint */
  status: string
  /** Whether it is a checkpoint, the end of the run, or any other message */
  reason: "checkpoint" | "end" | "snapshot"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the last message before the place */
  message_id: string | null
  /** Author of the last message before the place */
  message_role: "system" | "developer" | "user" | "assistant" | "tool" | null
  /** Beginning of the last message before the place */
  message_preview: string | null
  /** Whether it is the last place of the run */
  is_latest: boolean
}

export interface CheckpointSnapshot {
  /** Place from which the run can be forked */
  checkpoint: Checkpoint
  /** The run as it was at the checkpoint */
  snapshot: RunOutput
}

export interface Checkpoints {
  /** Id of the run */
  run_id: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Places from which the run can be forked, oldest first */
  checkpoints: Array<Checkpoint>
}

export interface ChunkerSchema {
  /** Key of the chunker */
  key: string
  /** Display name of the chunker */
  name: string
  /** How the chunker divides texts */
  description: string
  /** JSON object of the caller. The service stores it and does not read it */
  metadata: { [key: string]: Json }
}

export interface Citations {
  /** Citations as the provider sent them */
  raw?: Json | undefined
  /** Searches that the model made */
  search_queries?: Array<string> | undefined
  /** Web pages that the model cited */
  urls?: Array<{
    /** Address of the resource */
    url: string
    /** Title of the page */
    title?: string | undefined
  }> | undefined
  /** Documents that the model cited */
  documents?: Array<{
    /** Title of the document */
    document_title?: string | undefined
    /** Passage that the model cited */
    cited_text?: string | undefined
    /** Name of the file */
    file_name?: string | undefined
  }> | undefined
}

export interface ComponentConfigResponse {
  /** Id of the component */
  component_id: string
  /** Number of the version of the component's config, from 1 */
  version: number
  /** Name of the version */
  label?: string | undefined
  /** A `draft` can be changed, and is run by its version only. A `published` version never changes */
  stage: "draft" | "published"
  /** Config of the component: model, instructions, tools, steps */
  config?: { [key: string]: Json } | undefined
  /** What changed in this version */
  notes?: string | undefined
  /** Time of creation */
  created_at: EpochSeconds
  /** Time of the last change */
  updated_at?: EpochSeconds | undefined
}

export interface ComponentCreate {
  /** Display name of the component */
  name: string
  /** Kind of the component: `agent`, `team` or `workflow` */
  component_type: "agent" | "team" | "workflow"
  /** Id of the component */
  component_id?: string | null | undefined
  /** Purpose of the component, in a sentence */
  description?: string | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
  /** Config of the component: model, instructions, tools, steps */
  config?: { [key: string]: Json } | null | undefined
  /** Name of the version */
  label?: string | null | undefined
  /** A `draft` can be changed, and is run by its version only. A `published` version never changes */
  stage?: string | null | undefined
  /** What changed in this version */
  notes?: string | null | undefined
}

export interface ComponentDefinition {
  /** Id of the component */
  id?: string | null | undefined
  /** Display name of the component */
  name: string
  /** Purpose of the component, in a sentence */
  description?: string | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
  /** Name of the version */
  label?: string | null | undefined
  /** A `draft` can be changed, and is run by its version only. A `published` version never changes */
  stage?: string | null | undefined
  /** What changed in this version */
  notes?: string | null | undefined
}

export interface ComponentDefinitionPatch {
  /** Display name of the component */
  name?: string | null | undefined
  /** Purpose of the component, in a sentence */
  description?: string | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
  /** Name of the version */
  label?: string | null | undefined
  /** A `draft` can be changed, and is run by its version only. A `published` version never changes */
  stage?: string | null | undefined
  /** What changed in this version */
  notes?: string | null | undefined
}

export interface ComponentLink {
  /** How it is used: as a member or as a step */
  link_kind: string
  /** Key of the link in its kind */
  link_key: string
  /** Id of the component that is used */
  child_component_id: string
  /** Version of the component that is used. Null: the current one */
  child_version?: number | null | undefined
  /** Place among the links of the same kind, from 0 */
  position?: number | null | undefined
  /** JSON object of the caller */
  meta?: { [key: string]: Json } | null | undefined
}

export interface ComponentResponse {
  /** Id of the component */
  component_id: string
  /** Kind of the component: `agent`, `team` or `workflow` */
  component_type: "agent" | "team" | "workflow"
  /** Display name of the component */
  name?: string | undefined
  /** Purpose of the component, in a sentence */
  description?: string | undefined
  /** Version that runs use when they name none */
  current_version?: number | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** Time of creation */
  created_at: EpochSeconds
  /** Time of the last change */
  updated_at?: EpochSeconds | undefined
}

export interface ComponentUpdate {
  /** Display name of the component */
  name?: string | null | undefined
  /** Purpose of the component, in a sentence */
  description?: string | null | undefined
  /** Kind of the component: `agent`, `team` or `workflow` */
  component_type?: string | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
  /** Version that runs use when they name none */
  current_version?: number | null | undefined
}

export interface ConditionExecutionCompleted {
  /** Name of the event */
  event: "ConditionExecutionCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Whether the condition was true */
  condition_result: boolean
  /** Number of steps that were executed */
  executed_steps: number
  /** Which steps were executed: those of `if` or those of `else` */
  branch?: "if" | "else" | undefined
  /** Results of the steps, in their order */
  step_results: Array<StepOutput1>
}

export interface ConditionExecutionStarted {
  /** Name of the event */
  event: "ConditionExecutionStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Whether the condition was true */
  condition_result: boolean
}

export interface ConfigCreate {
  /** Config of the component: model, instructions, tools, steps */
  config: { [key: string]: Json }
  /** Name of the version */
  label?: string | null | undefined
  /** A `draft` can be changed, and is run by its version only. A `published` version never changes */
  stage?: string | null | undefined
  /** What changed in this version */
  notes?: string | null | undefined
  /** Components that this version uses */
  links?: Array<ComponentLink> | null | undefined
}

export interface ConfigResponse {
  /** Id of the service */
  os_id: string
  /** Display name of the service */
  name?: string | undefined
  /** Purpose of the service or of the component, in a sentence */
  description?: string | undefined
  /** Models that requests can name */
  available_models: Array<string>
  /** Id of the database of the service */
  os_database?: string | undefined
  /** Ids of all databases */
  databases: Array<string>
  /** Suggestions for a chat page */
  chat?: {
    /** Questions that a chat page suggests, by component */
    quick_prompts: { [key: string]: Array<string> }
  } | undefined
  /** What pages show about components, by id */
  manifest?: { [key: string]: ManifestEntry } | undefined
  /** Databases of sessions */
  session: DomainConfig
  /** Databases of metrics */
  metrics: DomainConfig
  /** Databases of memories */
  memory: DomainConfig
  /** Databases of learnings */
  learning: DomainConfig
  /** Databases and instances of knowledge */
  knowledge: KnowledgeConfig
  /** Databases of evaluations */
  evals: DomainConfig
  /** Databases of traces */
  traces: DomainConfig
  /** Agents of the service */
  agents: Array<AgentSummaryResponse>
  /** Teams of the service */
  teams: Array<TeamSummaryResponse>
  /** Workflows of the service */
  workflows: Array<WorkflowSummaryResponse>
  /** Protocols that the service speaks, with their paths */
  interfaces: Array<{ [key: string]: Json }>
}

export interface ConfigUpdate {
  /** Config of the component: model, instructions, tools, steps */
  config?: { [key: string]: Json } | null | undefined
  /** Name of the version */
  label?: string | null | undefined
  /** A `draft` can be changed, and is run by its version only. A `published` version never changes */
  stage?: string | null | undefined
  /** What changed in this version */
  notes?: string | null | undefined
  /** Components that this version uses */
  links?: Array<ComponentLink> | null | undefined
}

export interface ContentForm {
  /** Name of the content. Default: the name of the file */
  name?: string | undefined
  /** Subject of the content, in a sentence */
  description?: string | undefined
  /** A JSON object. Another text is stored as its value */
  metadata?: string | { [key: string]: Json } | undefined
  /** A web page, or a file on the web */
  url?: string | undefined
  /** A text. It wins over a file */
  text_content?: string | undefined
  /** File to upload */
  file?: Upload | undefined
  /** The reader; without it the name and the type of the file choose one */
  reader_id?: string | undefined
  /** The key of a chunker, as GET /knowledge/config lists them */
  chunker?: string | undefined
  /** Characters of a chunk */
  chunk_size?: number | undefined
  /** Characters that a chunk repeats from the one before */
  chunk_overlap?: number | undefined
}

export interface ContentForm1 {
  /** Name of the content. Default: the name of the file */
  name?: string | undefined
  /** Subject of the content, in a sentence */
  description?: string | undefined
  /** A JSON object. Another text is stored as its value */
  metadata?: string | { [key: string]: Json } | undefined
  /** A web page, or a file on the web */
  url?: string | undefined
  /** A text. It wins over a file */
  text_content?: string | undefined
  /** File to upload */
  file?: Upload | undefined
  /** The reader; without it the name and the type of the file choose one */
  reader_id?: string | undefined
  /** The key of a chunker, as GET /knowledge/config lists them */
  chunker?: string | undefined
  /** Characters of a chunk */
  chunk_size?: number | undefined
  /** Characters that a chunk repeats from the one before */
  chunk_overlap?: number | undefined
}

export interface ContentForm2 {
  /** Name of the content. Default: the name of the file */
  name?: string | undefined
  /** Subject of the content, in a sentence */
  description?: string | undefined
  /** A JSON object. Another text is stored as its value */
  metadata?: string | { [key: string]: Json } | undefined
  /** A web page, or a file on the web */
  url?: string | undefined
  /** A text. It wins over a file */
  text_content?: string | undefined
  /** File to upload */
  file?: Upload | undefined
  /** The reader; without it the name and the type of the file choose one */
  reader_id?: string | undefined
  /** The key of a chunker, as GET /knowledge/config lists them */
  chunker?: string | undefined
  /** Characters of a chunk */
  chunk_size?: number | undefined
  /** Characters that a chunk repeats from the one before */
  chunk_overlap?: number | undefined
}

export interface ContentPatchForm {
  /** Name of the content */
  name?: string | undefined
  /** Subject of the content, in a sentence */
  description?: string | undefined
  /** A JSON object, merged into the stored metadata */
  metadata?: string | { [key: string]: Json } | undefined
  /** A reader of the knowledge base */
  reader_id?: string | undefined
}

export interface ContentPatchForm1 {
  /** Name of the content */
  name?: string | undefined
  /** Subject of the content, in a sentence */
  description?: string | undefined
  /** A JSON object, merged into the stored metadata */
  metadata?: string | { [key: string]: Json } | undefined
  /** A reader of the knowledge base */
  reader_id?: string | undefined
}

export interface ContentPatchForm2 {
  /** Name of the content */
  name?: string | undefined
  /** Subject of the content, in a sentence */
  description?: string | undefined
  /** A JSON object, merged into the stored metadata */
  metadata?: string | { [key: string]: Json } | undefined
  /** A reader of the knowledge base */
  reader_id?: string | undefined
}

export interface ContentResponseSchema {
  /** Id of the content */
  id: string
  /** Name of the content */
  name: string | null
  /** Subject of the content, in a sentence */
  description: string | null
  /** Media type; `manual` for texts and `url` for web pages */
  type: string | null
  /** Size in bytes, as text */
  size: string | null
  /** Name of the knowledge instance */
  linked_to: string | null
  /** JSON object of the caller. The service stores it and does not read it */
  metadata: { [key: string]: Json } | null
  /** Always null: accesses are not counted */
  access_count: number | null
  /** How far the content is processed */
  status: "processing" | "completed" | "failed" | null
  /** How far the processing is, or why it failed */
  status_message: string | null
  /** Time of creation */
  created_at: string | null
  /** Time of the last change */
  updated_at: string | null
}

export interface ContentSource {
  /** Id of the source */
  id: string
  /** Display name of the source */
  name: string
  /** Kind of the source */
  type: "s3" | "gcs" | "sharepoint" | "github" | "azureblob"
  /** JSON object of the caller. The service stores it and does not read it */
  metadata: { [key: string]: Json } | null
  /** Path of a folder */
  prefix: string | null
}

export interface ContentSourceFile {
  /** Path of the file in the source */
  key: string
  /** Name of the file */
  name: string
  /** Size in bytes */
  size: number | null
  /** Time of the last change of the file */
  last_modified: string | null
  /** Media type */
  content_type: string | null
}

export interface ContentSourceFiles {
  /** Id of the source */
  source_id: string
  /** Name of the source */
  source_name: string
  /** Path of a folder */
  prefix: string
  /** Folders in the folder */
  folders: Array<ContentSourceFolder>
  /** Files of the folder */
  files: Array<ContentSourceFile>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface ContentSourceFolder {
  /** Path of a folder */
  prefix: string
  /** Name of the folder */
  name: string
  /** Whether the folder has no files */
  is_empty: boolean
}

export interface ContentStatusResponse {
  /** Id of the content */
  id: string
  /** How far the content is processed */
  status: "processing" | "completed" | "failed"
  /** How far the processing is, or why it failed */
  status_message: string
}

export interface ContextTrimmed {
  /** Name of the event */
  event: "ContextTrimmed"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Messages of the history that are left out */
  messages: number
  /** Results of tools that are left out */
  tool_results: number
  /** Whether a summary of the session stands in the place of earlier messages */
  is_summarized?: boolean | undefined
  /** Tokens of the request, about */
  estimated_tokens: number
}

export interface ContinueForm {
  /** The session of the run. Required */
  session_id?: string | undefined
  /** A JSON array: the tools of the paused run, each with its decision */
  tools?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array: the requirements of the paused run, each with its decision */
  requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** Respond with server-sent events (the default) or with one JSON body */
  stream?: boolean | undefined
  /** Respond at once with 202 and the id of the run, unless streamed. Default false */
  background?: boolean | undefined
  /** With false only the answer itself is streamed. Default true */
  stream_events?: boolean | undefined
  /** Whether a run whose client disconnects continues or ends */
  on_disconnect?: "continue" | "cancel" | undefined
  /** Input for the model before the run resumes */
  input?: string | undefined
  /** The same as input */
  additional_instructions?: string | undefined
  /** `end` (the default), `last_user`, or how many messages to keep */
  continue_from?: string | undefined
  /** Continue in a new run, and leave this one as it is. Completed runs always do */
  fork?: boolean | undefined
  /** Answer anew, in a new run */
  regenerate?: boolean | undefined
  /** With regenerate: whether the answer that is given anew is left out from then on. Default true */
  replace_original?: boolean | undefined
  /** For the factory of the component. The run keeps its user */
  user_id?: string | undefined
  /** A JSON object for the factory of the component. Default: that of the run's start */
  factory_input?: string | { [key: string]: Json } | undefined
  /** A JSON object, handed to instructions and tools of a new run */
  dependencies?: string | { [key: string]: Json } | undefined
  /** A JSON object, kept with a new run */
  metadata?: string | { [key: string]: Json } | undefined
  /** With false the run neither uses nor updates memories of the user */
  memory?: boolean | undefined
  /** A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found */
  knowledge_filters?: Json | undefined
}

export interface ContinueForm1 {
  /** The session of the run. Required */
  session_id?: string | undefined
  /** A JSON array: the tools of the paused run, each with its decision */
  tools?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array: the requirements of the paused run, each with its decision */
  requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** Respond with server-sent events (the default) or with one JSON body */
  stream?: boolean | undefined
  /** Respond at once with 202 and the id of the run, unless streamed. Default false */
  background?: boolean | undefined
  /** With false only the answer itself is streamed. Default true */
  stream_events?: boolean | undefined
  /** Whether a run whose client disconnects continues or ends */
  on_disconnect?: "continue" | "cancel" | undefined
  /** Input for the model before the run resumes */
  input?: string | undefined
  /** The same as input */
  additional_instructions?: string | undefined
  /** `end` (the default), `last_user`, or how many messages to keep */
  continue_from?: string | undefined
  /** Continue in a new run, and leave this one as it is. Completed runs always do */
  fork?: boolean | undefined
  /** Answer anew, in a new run */
  regenerate?: boolean | undefined
  /** With regenerate: whether the answer that is given anew is left out from then on. Default true */
  replace_original?: boolean | undefined
  /** For the factory of the component. The run keeps its user */
  user_id?: string | undefined
  /** A JSON object for the factory of the component. Default: that of the run's start */
  factory_input?: string | { [key: string]: Json } | undefined
  /** A JSON object, handed to instructions and tools of a new run */
  dependencies?: string | { [key: string]: Json } | undefined
  /** A JSON object, kept with a new run */
  metadata?: string | { [key: string]: Json } | undefined
  /** With false the run neither uses nor updates memories of the user */
  memory?: boolean | undefined
  /** A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found */
  knowledge_filters?: Json | undefined
}

export interface ContinueForm2 {
  /** The session of the run. Required */
  session_id?: string | undefined
  /** A JSON array: the tools of the paused run, each with its decision */
  tools?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array: the requirements of the paused run, each with its decision */
  requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** Respond with server-sent events (the default) or with one JSON body */
  stream?: boolean | undefined
  /** Respond at once with 202 and the id of the run, unless streamed. Default false */
  background?: boolean | undefined
  /** With false only the answer itself is streamed. Default true */
  stream_events?: boolean | undefined
  /** Whether a run whose client disconnects continues or ends */
  on_disconnect?: "continue" | "cancel" | undefined
  /** Input for the model before the run resumes */
  input?: string | undefined
  /** The same as input */
  additional_instructions?: string | undefined
  /** `end` (the default), `last_user`, or how many messages to keep */
  continue_from?: string | undefined
  /** Continue in a new run, and leave this one as it is. Completed runs always do */
  fork?: boolean | undefined
  /** Answer anew, in a new run */
  regenerate?: boolean | undefined
  /** With regenerate: whether the answer that is given anew is left out from then on. Default true */
  replace_original?: boolean | undefined
  /** For the factory of the component. The run keeps its user */
  user_id?: string | undefined
  /** A JSON object for the factory of the component. Default: that of the run's start */
  factory_input?: string | { [key: string]: Json } | undefined
  /** A JSON object, handed to instructions and tools of a new run */
  dependencies?: string | { [key: string]: Json } | undefined
  /** A JSON object, kept with a new run */
  metadata?: string | { [key: string]: Json } | undefined
  /** With false the run neither uses nor updates memories of the user */
  memory?: boolean | undefined
  /** A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found */
  knowledge_filters?: Json | undefined
}

export interface ContinueForm3 {
  /** The session of the run. Required */
  session_id?: string | undefined
  /** A JSON array: the tools of the paused run, each with its decision */
  tools?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array: the requirements of the paused run, each with its decision */
  requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** Respond with server-sent events (the default) or with one JSON body */
  stream?: boolean | undefined
  /** Respond at once with 202 and the id of the run, unless streamed. Default false */
  background?: boolean | undefined
  /** With false only the answer itself is streamed. Default true */
  stream_events?: boolean | undefined
  /** Whether a run whose client disconnects continues or ends */
  on_disconnect?: "continue" | "cancel" | undefined
  /** Input for the model before the run resumes */
  input?: string | undefined
  /** The same as input */
  additional_instructions?: string | undefined
  /** `end` (the default), `last_user`, or how many messages to keep */
  continue_from?: string | undefined
  /** Continue in a new run, and leave this one as it is. Completed runs always do */
  fork?: boolean | undefined
  /** Answer anew, in a new run */
  regenerate?: boolean | undefined
  /** With regenerate: whether the answer that is given anew is left out from then on. Default true */
  replace_original?: boolean | undefined
  /** For the factory of the component. The run keeps its user */
  user_id?: string | undefined
  /** A JSON object for the factory of the component. Default: that of the run's start */
  factory_input?: string | { [key: string]: Json } | undefined
  /** A JSON object, handed to instructions and tools of a new run */
  dependencies?: string | { [key: string]: Json } | undefined
  /** A JSON object, kept with a new run */
  metadata?: string | { [key: string]: Json } | undefined
  /** With false the run neither uses nor updates memories of the user */
  memory?: boolean | undefined
  /** A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found */
  knowledge_filters?: Json | undefined
}

export interface ContinueForm4 {
  /** The session of the run. Required */
  session_id?: string | undefined
  /** A JSON array: the tools of the paused run, each with its decision */
  tools?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array: the requirements of the paused run, each with its decision */
  requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** Respond with server-sent events (the default) or with one JSON body */
  stream?: boolean | undefined
  /** Respond at once with 202 and the id of the run, unless streamed. Default false */
  background?: boolean | undefined
  /** With false only the answer itself is streamed. Default true */
  stream_events?: boolean | undefined
  /** Whether a run whose client disconnects continues or ends */
  on_disconnect?: "continue" | "cancel" | undefined
  /** Input for the model before the run resumes */
  input?: string | undefined
  /** The same as input */
  additional_instructions?: string | undefined
  /** `end` (the default), `last_user`, or how many messages to keep */
  continue_from?: string | undefined
  /** Continue in a new run, and leave this one as it is. Completed runs always do */
  fork?: boolean | undefined
  /** Answer anew, in a new run */
  regenerate?: boolean | undefined
  /** With regenerate: whether the answer that is given anew is left out from then on. Default true */
  replace_original?: boolean | undefined
  /** For the factory of the component. The run keeps its user */
  user_id?: string | undefined
  /** A JSON object for the factory of the component. Default: that of the run's start */
  factory_input?: string | { [key: string]: Json } | undefined
  /** A JSON object, handed to instructions and tools of a new run */
  dependencies?: string | { [key: string]: Json } | undefined
  /** A JSON object, kept with a new run */
  metadata?: string | { [key: string]: Json } | undefined
  /** With false the run neither uses nor updates memories of the user */
  memory?: boolean | undefined
  /** A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found */
  knowledge_filters?: Json | undefined
}

export interface CreateSessionRequest {
  /** Id of the session, the conversation that runs belong to */
  session_id?: string | null | undefined
  /** Name of the session */
  session_name?: string | null | undefined
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | null | undefined
  /** Id of the agent */
  agent_id?: string | null | undefined
  /** Id of the team */
  team_id?: string | null | undefined
  /** Id of the workflow */
  workflow_id?: string | null | undefined
}

export interface CronPreview {
  /** Time zone of the cron expression */
  timezone: string
  /** Next times, in their order */
  times: Array<EpochSeconds>
}

export interface CustomEvent {
  /** Name of the event */
  event: "CustomEvent"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
}

export interface DatabaseConfig {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id: string
  /** Display name */
  domain_config?: {
    /** Display name */
    display_name: string
  } | undefined
  /** Tables of the database */
  tables?: Array<string> | undefined
}

export interface DatabaseNodes {
  /** Id of the database */
  db_id: string
  /** Whether the database has replied */
  is_available: boolean
  /** Number of runs that no node has */
  waiting_runs: number
  /** Nodes with a heartbeat that have not handed over */
  nodes: Array<Node>
}

export interface Dataset {
  /** Id of the dataset */
  id: string
  /** Name of the dataset */
  name: string
  /** Purpose of the dataset, in a sentence */
  description: string | null
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** Version of the dataset. Each change of its items makes one */
  version: number
  /** Number of items */
  item_count: number
  /** Time of creation */
  created_at: string
  /** Time of the last change */
  updated_at: string
}

export interface DatasetChange {
  /** Items to add or to replace */
  put?: Array<DatasetItemInput> | null | undefined
  /** Ids of the items to remove */
  remove?: Array<string> | null | undefined
  /** Number of the newest version that the caller knows. The change is refused if there is a newer one */
  version?: number | null | undefined
}

export interface DatasetInput {
  /** Name of the dataset */
  name: string
  /** Purpose of the dataset, in a sentence */
  description?: string | null | undefined
  /** Items of version 2. Version 1 of a dataset has no items */
  items?: Array<DatasetItemInput> | null | undefined
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | null | undefined
}

export interface DatasetItem {
  /** Id of the item */
  id: string
  /** Input of the run: text, or JSON */
  input: Json
  /** Answer that scorers compare with */
  expected_output: Json
  /** Tool calls that the run should make */
  expected_tool_calls: Array<string | {
    /** Name of the tool */
    name: string
    /** Arguments of the call */
    arguments?: { [key: string]: Json } | undefined
  }> | null
  /** JSON object of the caller. The service stores it and does not read it */
  metadata: { [key: string]: Json } | null
  /** Number of the first version of the dataset that has the item */
  version: number
}

export interface DatasetItemFromTrace {
  /** Id of the trace, 32 hexadecimal digits */
  trace_id?: string | null | undefined
  /** Id of the run */
  run_id?: string | null | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id?: string | null | undefined
  /** Id of the new item. Default: one that the service makes */
  id?: string | null | undefined
  /** Whether the tool calls of the trace become expected ones */
  with_tool_calls?: boolean | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
}

export interface DatasetItemInput {
  /** Id of the item. An item with the same id is replaced */
  id?: string | null | undefined
  /** Input of the run: text, or JSON */
  input: Json
  /** Answer that scorers compare with */
  expected_output?: Json | undefined
  /** Tool calls that the run should make */
  expected_tool_calls?: Array<string | {
    /** Name of the tool */
    name: string
    /** Arguments of the call */
    arguments?: { [key: string]: Json } | undefined
  }> | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
  /** Ignored: a list shows items with it */
  version?: number | null | undefined
}

export interface DatasetPatch {
  /** Name of the dataset */
  name?: string | null | undefined
  /** Purpose of the dataset, in a sentence */
  description?: string | null | undefined
}

export interface DayMetrics {
  /** Id of the day's figures */
  id: string
  /** Number of runs of agents */
  agent_runs_count: number
  /** Number of sessions of agents */
  agent_sessions_count: number
  /** Number of runs of teams */
  team_runs_count: number
  /** Number of sessions of teams */
  team_sessions_count: number
  /** Number of runs of workflows */
  workflow_runs_count: number
  /** Number of sessions of workflows */
  workflow_sessions_count: number
  /** Number of users */
  users_count: number
  /** Tokens of the day */
  token_metrics: DayTokens
  /** Runs of the day, by model */
  model_metrics: Array<ModelRuns>
  /** Day, in UTC */
  date: string
  /** Time of creation */
  created_at: string
  /** Time of the last change */
  updated_at: string
}

export interface DayTokens {
  /** Tokens that the model read */
  input_tokens: number
  /** Tokens that the model wrote */
  output_tokens: number
  /** Tokens that were read and written */
  total_tokens: number
  /** Tokens of sound that the model read */
  audio_input_tokens: number
  /** Tokens of sound that the model wrote */
  audio_output_tokens: number
  /** Tokens of sound that were read and written */
  audio_total_tokens: number
  /** Tokens that the provider read from its cache */
  cache_read_tokens: number
  /** Tokens that the provider wrote to its cache */
  cache_write_tokens: number
  /** Tokens of the reasoning, which are part of the output */
  reasoning_tokens: number
}

export interface DefinedComponent {
  /** Id of the component */
  id: string
  /** Id of the component */
  component_id: string
  /** Kind of the component: `agent`, `team` or `workflow` */
  component_type: "agent" | "team" | "workflow"
  /** Display name of the component */
  name?: string | undefined
  /** Purpose of the component, in a sentence */
  description?: string | undefined
  /** Version that runs use when they name none */
  current_version?: number | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** Time of creation */
  created_at: EpochSeconds
  /** Time of the last change */
  updated_at?: EpochSeconds | undefined
  /** Number of the version of the component's config, from 1 */
  version: number
  /** A `draft` can be changed, and is run by its version only. A `published` version never changes */
  stage: "draft" | "published"
}

export interface DeleteMemoriesRequest {
  /** Ids of the memories to delete */
  memory_ids: Array<string>
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | null | undefined
}

export interface DeleteSessionRequest {
  /** Ids of the sessions to delete */
  session_ids: Array<string>
  /** Kinds of the sessions, one for each id */
  session_types: Array<"agent" | "team" | "workflow">
}

export interface DomainConfig {
  /** Display name */
  display_name?: string | undefined
  /** Databases, with their tables */
  dbs: Array<DatabaseConfig>
}

/** Seconds since 1970-01-01T00:00:00Z */
export type EpochSeconds = number

export interface ErrorRequirement {
  /** Id of the step */
  step_id: string
  /** Name of the step */
  step_name: string
  /** Index of the step; a list of indexes for a nested step */
  step_index: number | Array<number>
  /** Why the step failed */
  error_message: string
  /** Kind of the error */
  error_type: string
  /** Number of times that the step was repeated */
  retry_count: number
  /** Whether the failed step is repeated or skipped. Null is no decision yet */
  decision: "retry" | "skip" | null
}

export interface ErrorResponse {
  /** What was wrong with the request, and what to do */
  detail: string
  /** Kind of the error, for programs */
  error_code: "BAD_REQUEST" | "CONFLICT" | "FORBIDDEN" | "NOT_FOUND" | "PAYLOAD_TOO_LARGE" | "SERVICE_UNAVAILABLE" | "TOO_MANY_REQUESTS" | "UNAUTHENTICATED"
}

export interface EvalRun {
  /** Id of the evaluation */
  id: string
  /** Id of the agent. Null in stored evaluations of the kind `agent_as_judge` */
  agent_id: string | null
  /** Name of the model at its provider */
  model_id: string | null
  /** Name of the provider of the model */
  model_provider: string | null
  /** Id of the team. Null in stored evaluations of the kind `agent_as_judge` */
  team_id: string | null
  /** Id of the workflow */
  workflow_id: string | null
  /** Display name of the evaluation */
  name: string | null
  /** Name of the component, for the kind `accuracy` */
  evaluated_component_name: string | null
  /** Kind of the evaluation */
  eval_type: "accuracy" | "agent_as_judge" | "performance" | "reliability"
  /** Results. Their fields depend on `eval_type`; those of `performance` differ in the response to the POST */
  eval_data: { [key: string]: Json }
  /** Settings of the evaluation */
  eval_input: { [key: string]: Json } | null
  /** Time of creation */
  created_at: string | null
  /** Time of the last rename, or of the creation */
  updated_at: string | null
  /** State of the evaluation */
  status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED"
  /** Number of runs that have ended */
  runs_done: number
  /** Number of runs of the evaluation */
  runs_total: number
  /** Why the evaluation failed. Null or left out if it did not */
  error: string | null
}

export interface EvalRunAccepted {
  /** Id of the evaluation */
  id: string
  /** State of the evaluation */
  status: "PENDING"
}

export interface EvalRunInput {
  /** Id of the agent */
  agent_id?: string | null | undefined
  /** Id of the team */
  team_id?: string | null | undefined
  /** Version of a stored component. Default: the current one */
  component_version?: number | null | undefined
  /** Name of the model at its provider */
  model_id?: string | null | undefined
  /** Name of the provider of the model */
  model_provider?: string | null | undefined
  /** Kind of the evaluation */
  eval_type: "accuracy" | "agent_as_judge" | "performance" | "reliability"
  /** Input that the component is given */
  input: string
  /** Further instructions for the judge, at most 65,536 bytes */
  additional_guidelines?: string | null | undefined
  /** Facts for the judge of `accuracy`, at most 65,536 bytes */
  additional_context?: string | null | undefined
  /** Number of times that the input is run */
  num_iterations?: number | null | undefined
  /** Display name of the evaluation */
  name?: string | null | undefined
  /** Answer that is right; `accuracy` needs it */
  expected_output?: string | null | undefined
  /** What makes an answer good, in at most 65,536 bytes */
  criteria?: string | null | undefined
  /** Whether the judge says yes or no, or gives a number */
  scoring_strategy?: "binary" | "numeric" | null | undefined
  /** Smallest score that passes, from 1 to 10, if `scoring_strategy` is `numeric` */
  threshold?: number | null | undefined
  /** Number of runs before the measured ones */
  warmup_runs?: number | null | undefined
  /** Tool calls that the run should make */
  expected_tool_calls?: Array<string> | null | undefined
  /** Whether other calls are allowed */
  allow_additional_tool_calls?: boolean | null | undefined
  /** Arguments that the calls must have, by the name of the tool */
  expected_tool_call_arguments?: { [key: string]: Array<{ [key: string]: Json }> | { [key: string]: Json } } | null | undefined
  /** Whether the response is sent at once, with 202, and the work is done in the background */
  background?: boolean | null | undefined
}

export interface EvalRunRename {
  /** Display name of the evaluation */
  name: string
}

export interface EvalRunsRemove {
  /** Ids of the evaluations to delete */
  eval_run_ids: Array<string>
}

export interface Experiment {
  /** Id of the experiment */
  id: string
  /** Display name of the experiment */
  name: string | null
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** Id of the dataset */
  dataset_id: string
  /** Version of the dataset */
  dataset_version: number
  /** Version of a stored component. Default: the current one */
  component_version: string | null
  /** Ways to rate the answers */
  scorers: Array<{
    /** Kind of the scorer */
    type: "exact"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** Whether capital and small letters are equal */
    ignore_case?: boolean | undefined
  } | {
    /** Kind of the scorer */
    type: "contains"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** Whether capital and small letters are equal */
    ignore_case?: boolean | undefined
    /** Texts that the answer must contain */
    texts?: Array<string> | undefined
  } | {
    /** Kind of the scorer */
    type: "json_schema"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** JSON Schema that the answer must fit */
    schema: { [key: string]: Json }
  } | {
    /** Kind of the scorer */
    type: "similarity"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** Whether capital and small letters are equal */
    ignore_case?: boolean | undefined
  } | {
    /** Kind of the scorer */
    type: "tool_trajectory"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** Whether the calls must have this order */
    order?: "exact" | "in_order" | "any_order" | undefined
  } | {
    /** Kind of the scorer */
    type: "judge"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** What makes an answer good, in at most 65,536 bytes */
    criteria?: string | undefined
    /** Further instructions for the judge, at most 65,536 bytes */
    guidelines?: string | undefined
    /** Whether the judge says yes or no, or gives a number */
    scoring_strategy?: "binary" | "numeric" | undefined
  }>
  /** Number of items that are executed at the same time */
  concurrency: number
  /** State of the experiment */
  status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED"
  /** Number of items that have a result */
  items_done: number
  /** Number of items */
  items_total: number
  /** Why the experiment failed. Null or left out if it did not */
  error: string | null
  /** Figures of all items. Null until the experiment is completed */
  summary: ExperimentSummary | null
  /** Id of the agent */
  agent_id: string | null
  /** Id of the team */
  team_id: string | null
  /** Id of the workflow */
  workflow_id: string | null
  /** Time of creation */
  created_at: string
  /** Time of the end, or of the creation */
  updated_at: string
}

export interface ExperimentComparison {
  /** Experiment that is compared with */
  base: string
  /** Experiment that is compared */
  other: string
  /** Status of the first experiment. Items without a result are missing until it has ended */
  base_status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED"
  /** Status of the second experiment. Items without a result are missing until it has ended */
  other_status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED"
  /** Version of the dataset of the first experiment */
  base_dataset_version: number
  /** Version of the dataset of the second experiment */
  other_dataset_version: number
  /** Whether the scorers of the two differ, so that their results cannot be compared */
  has_different_scorers: boolean
  /** Number of items that are worse */
  regressions: number
  /** Number of items that are better */
  improvements: number
  /** Number of items that are equal */
  unchanged: number
  /** Number of items that the versions of the dataset differ in, which are neither worse nor better */
  changed_items: number
  /** Number of items without a verdict of a judge in one of the two, which are neither worse nor better */
  unjudged: number
  /** Number of items that only the first experiment has */
  only_base: number
  /** Number of items that only the second experiment has */
  only_other: number
  /** Entries of this page */
  data: Array<ExperimentDifference>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface ExperimentDifference {
  /** Id of the item */
  item_id: string
  /** Beginning of the item's input */
  input: string | null
  /** Result in the first experiment. Null if it has none */
  base: {
    /** State of the item in this experiment */
    status: "passed" | "failed" | "error"
    /** Score, from 0 to 1 */
    score: number | null
  } | null
  /** Result in the second experiment. Null if it has none */
  other: {
    /** State of the item in this experiment */
    status: "passed" | "failed" | "error"
    /** Score, from 0 to 1 */
    score: number | null
  } | null
  /** Score of the second one minus that of the first */
  change: number | null
  /** Whether it passed before and does not now, or has a lower score. False for results that cannot be compared */
  is_regression: boolean
  /** Whether the versions of the dataset differ in the item's input or in what is expected of it */
  is_item_changed: boolean
  /** Whether a judge gave no verdict on one of the two results */
  is_unjudged: boolean
}

export interface ExperimentInput {
  /** Id of the dataset */
  dataset_id: string
  /** Number of the version of the dataset. Default: the newest one */
  version?: number | null | undefined
  /** Id of the agent */
  agent_id?: string | null | undefined
  /** Id of the team */
  team_id?: string | null | undefined
  /** Id of the workflow */
  workflow_id?: string | null | undefined
  /** Version of a stored component, as a number or a text. Default: the current one. Any text for a registered component */
  component_version?: number | string | null | undefined
  /** Display name of the experiment */
  name?: string | null | undefined
  /** Ways to rate the answers */
  scorers: Array<{
    /** Kind of the scorer */
    type: "exact"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** Whether capital and small letters are equal */
    ignore_case?: boolean | undefined
  } | {
    /** Kind of the scorer */
    type: "contains"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** Whether capital and small letters are equal */
    ignore_case?: boolean | undefined
    /** Texts that the answer must contain */
    texts?: Array<string> | undefined
  } | {
    /** Kind of the scorer */
    type: "json_schema"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** JSON Schema that the answer must fit */
    schema: { [key: string]: Json }
  } | {
    /** Kind of the scorer */
    type: "similarity"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** Whether capital and small letters are equal */
    ignore_case?: boolean | undefined
  } | {
    /** Kind of the scorer */
    type: "tool_trajectory"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** Whether the calls must have this order */
    order?: "exact" | "in_order" | "any_order" | undefined
  } | {
    /** Kind of the scorer */
    type: "judge"
    /** Name of the scorer. Its type when left out */
    name?: string | undefined
    /** Smallest score that passes, from 0 to 1 */
    threshold?: number | undefined
    /** What makes an answer good, in at most 65,536 bytes */
    criteria?: string | undefined
    /** Further instructions for the judge, at most 65,536 bytes */
    guidelines?: string | undefined
    /** Whether the judge says yes or no, or gives a number */
    scoring_strategy?: "binary" | "numeric" | undefined
  }>
  /** Number of items that are executed at the same time */
  concurrency?: number | null | undefined
}

export interface ExperimentItem {
  /** State of the item in the experiment */
  status: "passed" | "failed" | "error"
  /** Score, from 0 to 1 */
  score: number | null
  /** Scores, by scorer */
  scores: Array<{
    /** Name of the scorer */
    scorer: string
    /** Score, from 0 to 1 */
    score: number | null
    /** Whether the score is high enough */
    passed: boolean
    /** Why the judge gave the score */
    reason: string | null
  }>
  /** Seconds from the start to the end */
  duration: number | null
  /** Number of tokens */
  tokens: number
  /** Price in US dollars. Null or left out if a price is not known */
  cost: number | null
  /** Tokens whose cost is not known. Null for results of older versions */
  unpriced_tokens: number | null
  /** Tokens that the judge used */
  judge_tokens: number
  /** Price of the judge in US dollars. Null if it is not known */
  judge_cost: number | null
  /** Id of the item */
  item_id: string
  /** Beginning of the item's input */
  input: string | null
  /** Id of the run */
  run_id: string | null
  /** Id of the session, the conversation that runs belong to */
  session_id: string | null
  /** Beginning of the answer */
  output: string | null
  /** Why the item has no result. Null or left out if it has one */
  error: string | null
}

export interface ExperimentSummary {
  /** Number of items that passed */
  passed: number
  /** Number of items that failed */
  failed: number
  /** Number of items whose run failed, or whose judge gave no verdict */
  errors: number
  /** Share of the items that passed, from 0 to 1 */
  pass_rate: number
  /** Score, from 0 to 1 */
  score: number | null
  /** Scores, by scorer */
  scores: { [key: string]: number | null }
  /** Seconds that half of the runs needed at most */
  duration_p50: number | null
  /** Seconds that 95 % of the runs needed at most */
  duration_p95: number | null
  /** Number of tokens */
  tokens: number
  /** Price in US dollars. Null or left out if a price is not known */
  cost: number | null
  /** Tokens of the runs whose cost is not known. Null if an older version stored one of the results */
  unpriced_tokens: number | null
  /** Tokens that the judge used */
  judge_tokens: number
  /** Price of the judge in US dollars. Null if it is not known */
  judge_cost: number | null
}

export interface Feedback {
  /** Id of the score */
  id: string
  /** Id of the run */
  run_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** Whether a user or a scorer gave it */
  source: "user" | "scorer"
  /** Name of what is scored */
  key: string
  /** Number, yes or no, or a word */
  score: number | boolean | string
  /** Text beside the score */
  comment: string | null
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the agent */
  agent_id: string | null
  /** Id of the team */
  team_id: string | null
  /** Id of the workflow */
  workflow_id: string | null
  /** Time of creation */
  created_at: string
  /** Time of the last change */
  updated_at: string
}

export interface FeedbackInput {
  /** Number, yes or no, or a word */
  score: number | boolean | string
  /** Text beside the score */
  comment?: string | null | undefined
  /** Name of what is scored */
  key?: string | null | undefined
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | null | undefined
}

export interface FileMedia {
  /** Id of the file */
  id?: string | undefined
  /** Address of the resource */
  url?: string | undefined
  /** Path of the file on the client. The service opens no paths */
  filepath?: string | undefined
  /** Content of the file: text, or base64 */
  content?: string | undefined
  /** Format of the file */
  format?: string | undefined
  /** Media type */
  mime_type?: string | undefined
  /** Size in bytes */
  size?: number | undefined
  /** Kind of the file */
  file_type?: string | undefined
  /** Name of the file */
  filename?: string | undefined
  /** Name of the file */
  name?: string | undefined
}

export type FinishReason = "length" | "content_filter"

export interface FunctionResponse {
  /** Name of the tool */
  name: string
  /** What the tool does, as the model reads it */
  description?: string | undefined
  /** JSON Schema of the arguments */
  parameters: { [key: string]: Json }
  /** Whether the provider enforces the schema */
  strict?: boolean | undefined
  /** Whether a person has to confirm it */
  requires_confirmation?: boolean | undefined
  /** Whether the client executes the tool */
  external_execution?: boolean | undefined
  /** Kind of the approval: `required` pauses the run, `audit` only records the decision */
  approval_type?: "required" | "audit" | undefined
}

export interface HealthResponse {
  /** `ok`: the process is running */
  status: "ok"
  /** Time at which the process started */
  instantiated_at: string
}

export interface HookApplied {
  /** Name of the event */
  event: "HookApplied"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of the hook */
  hook_name: string
  /** Where the hook was called */
  stage: "before_run" | "after_run" | "before_model" | "after_model" | "before_tool" | "after_tool"
  /** What the hook has done */
  action: "changed" | "answered" | "rejected" | "noted"
  /** Why it ended */
  reason?: string | undefined
  /** Id of the tool call, made by the model */
  tool_call_id?: string | undefined
}

export interface Image {
  /** Id of the media */
  id?: string | undefined
  /** Address of the resource */
  url?: string | undefined
  /** Path of the file on the client. The service opens no paths */
  filepath?: string | undefined
  /** Image as base64 */
  content?: string | undefined
  /** Format of the file */
  format?: string | undefined
  /** Media type */
  mime_type?: string | undefined
  /** Size in bytes */
  size?: number | undefined
  /** How closely the model looks: `auto`, `low` or `high` */
  detail?: string | undefined
  /** Prompt that the media was made from */
  original_prompt?: string | undefined
  /** Prompt as the provider changed it */
  revised_prompt?: string | undefined
  /** Description of the image for people who do not see it */
  alt_text?: string | undefined
}

export interface InfoResponse {
  /** Id of the service */
  os_id: string
  /** Display name of the service */
  name: string | null
  /** Version of the service */
  version: string
  /** Version of the interface, under the name that existing clients read */
  agno_version: string
  /** Number of agents */
  agent_count: number
  /** Number of teams */
  team_count: number
  /** Number of workflows */
  workflow_count: number
  /** Where MCP clients connect */
  mcp: McpInfo
  /** How requests are authorized */
  auth_mode: "none" | "security_key" | "jwt"
}

export interface InternalErrorResponse {
  /** What was wrong with the request, and what to do */
  detail: string
  /** Kind of the error, for programs */
  error_code: "INTERNAL_SERVER_ERROR"
  /** Id of the request, as in the header `X-Request-Id` and in the log */
  request_id: string
  /** Id of the evaluation */
  eval_run_id?: string | undefined
  /** Why the evaluation failed */
  error?: string | undefined
}

/** Any JSON */
export type Json = string | number | boolean | null | Array<Json> | { [key: string]: Json }

export interface KnowledgeConfig {
  /** Display name */
  display_name?: string | undefined
  /** Databases, with their tables */
  dbs: Array<DatabaseConfig>
  /** Knowledge instances of the service */
  knowledge_instances: Array<{
    /** Id of the knowledge instance */
    id: string
    /** Name of the knowledge instance */
    name: string
    /** Subject of the knowledge instance, in a sentence */
    description?: string | undefined
    /** Id of the database that stores it. Default: the own database of the component */
    db_id: string
    /** Table of the contents */
    table: string
  }>
}

export interface KnowledgeConfigResponse {
  /** Readers by id */
  readers: { [key: string]: ReaderSchema }
  /** Ids of readers by file extension */
  readersForType: { [key: string]: Array<string> }
  /** Ways to cut contents into chunks, the default first */
  chunkers: { [key: string]: ChunkerSchema }
  /** Keys of metadata that contents have */
  filters: Array<string>
  /** Stores that hold the chunks */
  vector_dbs: Array<VectorDbSchema>
  /** Places outside of the service that contents can be fetched from */
  remote_content_sources: Array<ContentSource> | null
}

export interface Learning {
  /** Id of the learning */
  learning_id: string
  /** Type of the learning */
  learning_type: string
  /** Name that separates learnings of the same type */
  namespace: string | null
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** Id of the agent */
  agent_id: string | null
  /** Id of the team */
  team_id: string | null
  /** Id of the session, the conversation that runs belong to */
  session_id: string | null
  /** Id of the thing that the learning is about */
  entity_id: string | null
  /** Kind of the thing that the learning is about */
  entity_type: string | null
  /** What was learned */
  content: { [key: string]: Json } | null
  /** JSON object of the caller. The service stores it and does not read it */
  metadata: { [key: string]: Json } | null
  /** Time of creation */
  created_at: EpochSeconds
  /** Time of the last change */
  updated_at: EpochSeconds
}

export interface LearningCreate {
  /** Type of the learning */
  learning_type: string
  /** What was learned, at most 64 KiB of JSON */
  content: { [key: string]: Json }
  /** Name that separates learnings of the same type */
  namespace?: string | null | undefined
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | null | undefined
  /** Id of the agent */
  agent_id?: string | null | undefined
  /** Id of the team */
  team_id?: string | null | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id?: string | null | undefined
  /** Id of the thing that the learning is about */
  entity_id?: string | null | undefined
  /** Kind of the thing that the learning is about */
  entity_type?: string | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
}

export interface LearningPatch {
  /** What was learned, at most 64 KiB of JSON. It replaces the stored one */
  content?: { [key: string]: Json } | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
}

export interface LearningUser {
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string
  /** Time of the last change of a learning */
  last_learning_updated_at: EpochSeconds | null
}

export interface LoopExecutionCompleted {
  /** Name of the event */
  event: "LoopExecutionCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Number of iterations */
  total_iterations: number
  /** Largest number of iterations */
  max_iterations: number
  /** Results of the steps, by iteration */
  all_results: Array<Array<StepOutput1>>
}

export interface LoopExecutionStarted {
  /** Name of the event */
  event: "LoopExecutionStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Largest number of iterations */
  max_iterations: number
}

export interface LoopIterationCompleted {
  /** Name of the event */
  event: "LoopIterationCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Number of the iteration */
  iteration: number
  /** Largest number of iterations */
  max_iterations: number
  /** Results of the steps of the iteration */
  iteration_results: Array<StepOutput1>
  /** Whether another iteration follows */
  should_continue: boolean
}

export interface LoopIterationStarted {
  /** Name of the event */
  event: "LoopIterationStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Number of the iteration */
  iteration: number
  /** Largest number of iterations */
  max_iterations: number
}

export interface ManifestEntry {
  /** Purpose of the service or of the component, in a sentence */
  description?: string | undefined
  /** Words that pages show beside the component */
  labels?: Array<string> | undefined
  /** Questions that a chat page suggests */
  quick_prompts?: Array<string> | undefined
}

export interface McpInfo {
  /** Whether the endpoint is served */
  enabled: boolean
  /** Path of the endpoint */
  path: string | null
  /** Whether, and by whom, MCP clients sign in */
  oauth: {
    /** Addresses of the authorization servers */
    authorization_servers: Array<string> | null
    /** Address that tokens must be made for */
    resource: string | null
  } | null
}

export interface MemoryUpdateCompleted {
  /** Name of the event */
  event: "MemoryUpdateCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Memories of the user after the change */
  memories?: Array<UserMemorySchema> | undefined
}

export interface MemoryUpdateStarted {
  /** Name of the event */
  event: "MemoryUpdateStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
}

export interface Message {
  /** Id of the message */
  id: string
  /** Text of the message */
  content?: string | undefined
  /** Whether the message comes from an earlier run of the session */
  from_history: boolean
  /** Whether the run ends after this call, with its result as the answer */
  stop_after_tool_call: boolean
  /** Author of the message */
  role: "system" | "developer" | "user" | "assistant" | "tool"
  /** Time of creation */
  created_at: EpochSeconds
  /** Name of the tool or of the author */
  name?: string | undefined
  /** Id of the tool call, made by the model */
  tool_call_id?: string | undefined
  /** Name of the tool */
  tool_name?: string | undefined
  /** Arguments of the tool call. A person may change them with the decision */
  tool_args?: Json | undefined
  /** Whether the call failed */
  tool_call_error?: boolean | undefined
  /** Tool calls that the model asked for */
  tool_calls?: Array<ToolCall> | undefined
  /** Reasoning of the model, where its provider shows it */
  reasoning_content?: string | undefined
  /** Reasoning that the provider encrypted */
  redacted_reasoning_content?: string | undefined
  /** Shorter form of the content that the model sees in later runs */
  compressed_content?: string | undefined
  /** What the provider adds to the message, unchanged */
  provider_data?: { [key: string]: Json } | undefined
  /** State of the run at the checkpoint after this message */
  checkpoint_status?: string | undefined
  /** Time of the checkpoint after this message */
  checkpoint_created_at?: EpochSeconds | undefined
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
  /** Answer of the model as sound */
  audio_output?: Audio | undefined
  /** Passages of knowledge that were given to the model with the message */
  references?: Json | undefined
  /** Tokens and seconds of the message */
  metrics?: MessageMetrics | undefined
}

export interface MessageMetrics {
  /** Tokens that the model read */
  input_tokens?: number | undefined
  /** Tokens that the model wrote */
  output_tokens?: number | undefined
  /** Tokens that were read and written */
  total_tokens?: number | undefined
  /** Tokens of sound that the model read */
  audio_input_tokens?: number | undefined
  /** Tokens of sound that the model wrote */
  audio_output_tokens?: number | undefined
  /** Tokens of sound that were read and written */
  audio_total_tokens?: number | undefined
  /** Tokens that the provider read from its cache */
  cache_read_tokens?: number | undefined
  /** Tokens that the provider wrote to its cache */
  cache_write_tokens?: number | undefined
  /** Tokens of the reasoning, which are part of the output */
  reasoning_tokens?: number | undefined
  /** Price in US dollars. Null or left out if a price is not known */
  cost?: number | undefined
  /** Seconds from the request to the first token */
  time_to_first_token?: number | undefined
  /** Seconds from the start to the end */
  duration?: number | undefined
}

export interface Metrics {
  /** Figures, one entry for each day */
  metrics: Array<DayMetrics>
  /** Time of the last change */
  updated_at: string | null
}

export interface MetricsRefreshStarted {
  /** Whether the refresh was started, or another one is running */
  status: "started" | "already_running"
  /** Sentence for people about the refresh */
  message: string
}

export interface MetricsRefreshStatus {
  /** State of the last refresh */
  status: "idle" | "running" | "completed" | "failed"
  /** Time of the start */
  started_at: string | null
  /** Time of the end */
  finished_at: string | null
  /** Why the last refresh failed. Null or left out if it did not */
  error: string | null
}

export interface Migration {
  /** Number of the migration */
  version: number
  /** Name of the migration */
  name: string
}

export interface MigrationResponse {
  /** Sentence for people about the migrations that were applied */
  message: string
  /** Migrations, oldest first */
  migrations?: Array<Migration> | undefined
}

export interface MigrationStatus {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id: string
  /** Number of the newest migration that the database has */
  version: number | null
  /** Number of the newest migration */
  latest_version: number | null
  /** Migrations that the database has */
  applied: Array<AppliedMigration>
  /** Migrations that the database does not have yet */
  pending: Array<Migration>
}

export interface MigrationsResponse {
  /** Sentence for people about the migrations that were applied */
  message: string
  /** Migrations, oldest first */
  migrations?: { [key: string]: Array<Migration> } | undefined
}

export interface Model {
  /** Name of the model at its provider */
  id: string
  /** Name of the provider of the model */
  provider: string
}

export interface ModelFallback {
  /** Name of the event */
  event: "ModelFallback"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Model, as `provider:model` */
  model: string
  /** Name of the provider of the model */
  model_provider: string
  /** Id of the model that is requested next */
  fallback_model: string
  /** Provider of the model that is requested next */
  fallback_model_provider: string
  /** Why it ended */
  reason: string
}

export interface ModelRequestCompleted {
  /** Name of the event */
  event: "ModelRequestCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Model, as `provider:model` */
  model: string
  /** Name of the provider of the model */
  model_provider: string
  /** Tokens that the model read */
  input_tokens: number
  /** Tokens that the model wrote */
  output_tokens: number
  /** Tokens that were read and written */
  total_tokens: number
  /** Seconds from the request to the first token */
  time_to_first_token?: number | undefined
  /** Tokens of the reasoning, which are part of the output */
  reasoning_tokens: number
  /** Tokens that the provider read from its cache */
  cache_read_tokens: number
  /** Tokens that the provider wrote to its cache */
  cache_write_tokens: number
}

export interface ModelRequestStarted {
  /** Name of the event */
  event: "ModelRequestStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Model, as `provider:model` */
  model: string
  /** Name of the provider of the model */
  model_provider: string
}

export interface ModelResponse {
  /** Kind of the model */
  name?: string | undefined
  /** Name of the model at its provider */
  model?: string | undefined
  /** Name of the provider of the model */
  provider?: string | undefined
}

export interface ModelRuns {
  /** Name of the model at its provider */
  model_id: string
  /** Name of the provider of the model */
  model_provider: string
  /** Number of runs */
  count: number
}

export interface ModelSettings {
  /** From 0 to 2. Less is more predictable */
  temperature?: number | undefined
  /** Limit of the tokens of one answer, those of its reasoning included */
  max_output_tokens?: number | undefined
  /** Share of the most probable tokens that are considered, from 0 to 1 */
  top_p?: number | undefined
  /** Number of the most probable tokens that are considered */
  top_k?: number | undefined
  /** From -2 to 2. More leads to new subjects */
  presence_penalty?: number | undefined
  /** From -2 to 2. More leads to fewer repetitions */
  frequency_penalty?: number | undefined
  /** Number that makes answers repeatable, where the provider can */
  seed?: number | undefined
  /** Texts at which the answer ends */
  stop_sequences?: Array<string> | undefined
  /** How much the model reasons before it answers */
  reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | undefined
}

export interface ModelUsage {
  /** Name of the model at its provider */
  id: string
  /** Name of the provider of the model */
  provider: string
  /** Tokens that the model read */
  input_tokens?: number | undefined
  /** Tokens that the model wrote */
  output_tokens?: number | undefined
  /** Tokens that were read and written */
  total_tokens?: number | undefined
  /** Tokens of sound that the model read */
  audio_input_tokens?: number | undefined
  /** Tokens of sound that the model wrote */
  audio_output_tokens?: number | undefined
  /** Tokens of sound that were read and written */
  audio_total_tokens?: number | undefined
  /** Tokens that the provider read from its cache */
  cache_read_tokens?: number | undefined
  /** Tokens that the provider wrote to its cache */
  cache_write_tokens?: number | undefined
  /** Tokens of the reasoning, which are part of the output */
  reasoning_tokens?: number | undefined
  /** Price in US dollars. Null or left out if a price is not known */
  cost?: number | undefined
}

export interface Node {
  /** Name of the node, and what tells its processes apart */
  node: string
  /** `silent`: without a heartbeat for so long that other nodes take over its runs */
  state: "alive" | "silent"
  /** Whether this node has responded to the request */
  is_this_node: boolean
  /** Time since the last heartbeat, in seconds */
  seconds_since_heartbeat: number
  /** Number of runs that it executes, or that wait on it for their turn */
  runs: number
}

export interface NotReadyResponseEncoded {
  /** What was wrong with the request, and what to do */
  detail: string
  /** Kind of the error, for programs */
  error_code: "SERVICE_UNAVAILABLE"
  /** Why the service accepts no work now */
  reasons: Array<"database" | "migrations" | "draining">
}

export interface OptimizeMemoriesRequest {
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string
  /** Model, as `provider:model` */
  model?: string | null | undefined
  /** Whether the result replaces the memories. Without it, the result is only shown */
  apply?: boolean | null | undefined
}

export interface OptimizeMemoriesResponse {
  /** Memories of the result */
  memories: Array<UserMemorySchema>
  /** Number of memories before */
  memories_before: number
  /** Number of memories after */
  memories_after: number
  /** Tokens of the memories before */
  tokens_before: number
  /** Tokens of the memories after */
  tokens_after: number
  /** Tokens that the result saves */
  tokens_saved: number
  /** Part of the tokens that is saved, in percent */
  reduction_percentage: number
}

export interface PaginatedApprovals {
  /** Entries of this page */
  data: Array<Approval>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedComponents {
  /** Entries of this page */
  data: Array<ComponentResponse>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedContents {
  /** Entries of this page */
  data: Array<ContentResponseSchema>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedDatasetItems {
  /** Entries of this page */
  data: Array<DatasetItem>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedDatasets {
  /** Entries of this page */
  data: Array<Dataset>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedEvalRuns {
  /** Entries of this page */
  data: Array<EvalRun>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedExperimentItems {
  /** Entries of this page */
  data: Array<ExperimentItem>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedExperiments {
  /** Entries of this page */
  data: Array<Experiment>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedFeedback {
  /** Entries of this page */
  data: Array<Feedback>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedLearningUsers {
  /** Entries of this page */
  data: Array<LearningUser>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedLearnings {
  /** Entries of this page */
  data: Array<Learning>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedMemories {
  /** Entries of this page */
  data: Array<UserMemorySchema>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedRegistry {
  /** Entries of this page */
  data: Array<RegistryContentResponse>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedRuns {
  /** Entries of this page */
  data: Array<RunItem>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedScheduleRuns {
  /** Entries of this page */
  data: Array<ScheduleRun>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedSchedules {
  /** Entries of this page */
  data: Array<Schedule>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedSearchResults {
  /** Entries of this page */
  data: Array<VectorSearchResult>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedServiceAccounts {
  /** Entries of this page */
  data: Array<ServiceAccount>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedSessions {
  /** Entries of this page */
  data: Array<SessionSchema>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedTraceDetails {
  /** Entries of this page */
  data: Array<TraceDetail>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedTraceSessionStats {
  /** Entries of this page */
  data: Array<TraceSessionStats>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedTraceSessionStats1 {
  /** Entries of this page */
  data: Array<TraceSessionStats>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedTraces {
  /** Entries of this page */
  data: Array<TraceSummary>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedUsage {
  /** Entries of this page */
  data: Array<UsageFigures>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedUserMemoryStats {
  /** Entries of this page */
  data: Array<UserStatsSchema>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedWebhookDeliveries {
  /** Entries of this page */
  data: Array<WebhookDelivery>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginatedWebhooks {
  /** Entries of this page */
  data: Array<Webhook>
  /** Position of this page in the whole list */
  meta: PaginationInfo
}

export interface PaginationInfo {
  /** Number of the page, from 1 */
  page: number
  /** Largest number of entries on a page */
  limit: number
  /** Number of pages */
  total_pages: number
  /** Number of entries on all pages */
  total_count: number
  /** Milliseconds that the service took to find the entries */
  search_time_ms: number
}

export interface ParallelExecutionCompleted {
  /** Name of the event */
  event: "ParallelExecutionCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Number of steps that are executed at the same time */
  parallel_step_count: number
  /** Results of the steps, in their order */
  step_results: Array<StepOutput1>
}

export interface ParallelExecutionStarted {
  /** Name of the event */
  event: "ParallelExecutionStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Number of steps that are executed at the same time */
  parallel_step_count: number
}

export interface PartialRunRecord {
  /** Id of the run */
  run_id?: string | undefined
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the agent */
  agent_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** State of the run */
  status?: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED" | undefined
  /** Input of the run, as it was sent */
  run_input?: string | undefined
  /** Answer: text, or the JSON object of an output schema. Other JSON values are text */
  content?: string | { [key: string]: Json } | undefined
  /** Whether the answer is text or JSON */
  run_response_format?: "text" | "json" | undefined
  /** Reasoning of the model, where its provider shows it */
  reasoning_content?: string | undefined
  /** Steps of the reasoning */
  reasoning_steps?: Array<ReasoningStep> | undefined
  /** Tokens, cost and seconds that were used */
  metrics?: RunMetrics | undefined
  /** Messages between the service and the model, oldest first */
  messages?: Array<Message> | null | undefined
  /** Tool calls of the run */
  tools?: Array<ToolExecution> | null | undefined
  /** Events of the run, if the component stores them */
  events?: Array<{ [key: string]: Json }> | null | undefined
  /** Time of creation */
  created_at?: string | undefined
  /** Passages of knowledge that the answer is based on */
  references?: Array<Json> | undefined
  /** Sources that the model named */
  citations?: Citations | null | undefined
  /** What the last request to the model has left out */
  context_trimmed?: TrimmedContext | undefined
  /** Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole */
  finish_reason?: FinishReason | undefined
  /** Messages that the reasoning consists of */
  reasoning_messages?: Array<Message> | undefined
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | null | undefined
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
  /** Answer of the model as sound */
  response_audio?: Audio | null | undefined
  /** Images, videos, audio and files of the input */
  input_media?: {
    /** Images, each with a URL or base64 content */
    images: Array<Image>
    /** Videos, each with a URL or base64 content */
    videos: Array<Video>
    /** Audio clips of the input */
    audios: Array<Audio>
    /** Documents, each with a URL or content */
    files: Array<FileMedia>
  } | undefined
  /** Questions that the user may ask next */
  followups?: Array<string> | null | undefined
  /** Run that this one was forked from */
  forked_from_run_id?: string | null | undefined
  /** Number of messages that were copied by the fork */
  forked_from_message_index?: number | null | undefined
  /** Session that this one was forked from */
  forked_from_session_id?: string | null | undefined
  /** Run whose answer this one replaces */
  regenerated_from?: string | null | undefined
  /** Number of messages before the last checkpoint */
  last_checkpoint_at_message_index?: number | null | undefined
}

export interface PartialTeamRunRecord {
  /** Id of the run */
  run_id?: string | undefined
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** State of the run */
  status?: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED" | undefined
  /** Input of the run, as it was sent */
  run_input?: string | undefined
  /** Answer: text, or the JSON object of an output schema. Other JSON values are text */
  content?: string | { [key: string]: Json } | undefined
  /** Whether the answer is text or JSON */
  run_response_format?: "text" | "json" | undefined
  /** Reasoning of the model, where its provider shows it */
  reasoning_content?: string | undefined
  /** Steps of the reasoning */
  reasoning_steps?: Array<ReasoningStep> | undefined
  /** Tokens, cost and seconds that were used */
  metrics?: RunMetrics | undefined
  /** Messages between the service and the model, oldest first */
  messages?: Array<Message> | null | undefined
  /** Tool calls of the run */
  tools?: Array<ToolExecution> | null | undefined
  /** Events of the run, if the component stores them */
  events?: Array<{ [key: string]: Json }> | null | undefined
  /** Time of creation */
  created_at?: string | undefined
  /** Passages of knowledge that the answer is based on */
  references?: Array<Json> | undefined
  /** Sources that the model named */
  citations?: Citations | null | undefined
  /** What the last request to the model has left out */
  context_trimmed?: TrimmedContext | undefined
  /** Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole */
  finish_reason?: FinishReason | undefined
  /** Messages that the reasoning consists of */
  reasoning_messages?: Array<Message> | undefined
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | null | undefined
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
  /** Answer of the model as sound */
  response_audio?: Audio | null | undefined
  /** Images, videos, audio and files of the input */
  input_media?: {
    /** Images, each with a URL or base64 content */
    images: Array<Image>
    /** Videos, each with a URL or base64 content */
    videos: Array<Video>
    /** Audio clips of the input */
    audios: Array<Audio>
    /** Documents, each with a URL or content */
    files: Array<FileMedia>
  } | undefined
  /** Questions that the user may ask next */
  followups?: Array<string> | null | undefined
  /** Run that this one was forked from */
  forked_from_run_id?: string | null | undefined
  /** Number of messages that were copied by the fork */
  forked_from_message_index?: number | null | undefined
  /** Session that this one was forked from */
  forked_from_session_id?: string | null | undefined
  /** Run whose answer this one replaces */
  regenerated_from?: string | null | undefined
  /** Number of messages before the last checkpoint */
  last_checkpoint_at_message_index?: number | null | undefined
  /** Id of the team */
  team_id: string
}

export interface PartialWorkflowRunRecord {
  /** Id of the run */
  run_id?: string | undefined
  /** Input of the run, as it was sent */
  run_input?: string | undefined
  /** Events of the run, if the component stores them */
  events?: Array<{ [key: string]: Json }> | undefined
  /** Id of the workflow */
  workflow_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Answer: text, or the JSON object of an output schema. Other JSON values are text */
  content?: string | { [key: string]: Json } | undefined
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type?: string | undefined
  /** State of the run */
  status?: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED" | undefined
  /** Results of the steps, in their order */
  step_results?: Array<StepOutput> | undefined
  /** Runs of the agents and teams that the steps executed */
  step_executor_runs?: Array<{ [key: string]: Json }> | undefined
  /** Steps of the workflow that wait for a decision */
  step_requirements?: Array<StepRequirement> | null | undefined
  /** Whether a step waits, or the agent or team of a step */
  pause_kind?: "step" | "executor" | null | undefined
  /** Name of the step that waits */
  paused_step_name?: string | null | undefined
  /** Index of the step that waits; a list of indexes for a nested step */
  paused_step_index?: number | Array<number> | null | undefined
  /** Tokens, cost and seconds that were used */
  metrics?: WorkflowMetrics | Json | undefined
  /** Time of creation */
  created_at?: string | undefined
  /** Reasoning of the model, where its provider shows it */
  reasoning_content?: string | undefined
  /** Steps of the reasoning */
  reasoning_steps?: Array<Json> | undefined
  /** Passages of knowledge that the answer is based on */
  references?: Array<Json> | undefined
  /** Sources that the model named */
  citations?: Json | null | undefined
  /** Messages that the reasoning consists of */
  reasoning_messages?: Array<Json> | undefined
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
  /** Answer of the model as sound */
  response_audio?: Audio | null | undefined
}

export interface PartlyMigratedResponse {
  /** Sentence for people about the migrations that were applied */
  message: string
  /** Errors by the id of the database */
  failed: { [key: string]: string }
}

export interface Percentiles {
  /** Value that half of the runs had at most */
  p50: number | null
  /** Value that 95 % of the runs had at most */
  p95: number | null
  /** Value that 99 % of the runs had at most */
  p99: number | null
}

export interface PostHookCompleted {
  /** Name of the event */
  event: "PostHookCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of the hook after the run */
  post_hook_name: string
}

export interface PostHookStarted {
  /** Name of the event */
  event: "PostHookStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of the hook after the run */
  post_hook_name: string
}

export interface PreHookCompleted {
  /** Name of the event */
  event: "PreHookCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of the hook before the run */
  pre_hook_name: string
  /** Input of the run, as it was sent */
  run_input: RunInput
}

export interface PreHookStarted {
  /** Name of the event */
  event: "PreHookStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of the hook before the run */
  pre_hook_name: string
  /** Input of the run, as it was sent */
  run_input: RunInput
}

export interface ReaderSchema {
  /** Id of the reader */
  id: string
  /** Display name of the reader */
  name: string
  /** Which contents the reader reads */
  description: string
  /** Ways to cut contents into chunks, the default first */
  chunkers: Array<string>
}

export interface ReadyResponse {
  /** `ready`: the service accepts work */
  status: "ready"
}

export interface ReasoningCompleted {
  /** Name of the event */
  event: "ReasoningCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Answer: text, or the JSON value of an output schema */
  content: {
    /** Steps of the reasoning */
    reasoning_steps: Array<ReasoningStep>
  }
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: "ReasoningSteps"
}

export interface ReasoningContentDelta {
  /** Name of the event */
  event: "ReasoningContentDelta"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Next part of the reasoning */
  reasoning_content: string
}

export interface ReasoningStarted {
  /** Name of the event */
  event: "ReasoningStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
}

export interface ReasoningStep {
  /** Title of the step */
  title: string | null
  /** What the model does in the step */
  action: string | null
  /** What the step resulted in */
  result: string | null
  /** Why the model does it */
  reasoning: string | null
  /** What the model does next */
  next_action: "continue" | "validate" | "final_answer" | "reset" | null
  /** How sure the model is, from 0 to 1 */
  confidence: number | null
}

export interface ReasoningStep1 {
  /** Name of the event */
  event: "ReasoningStep"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Answer: text, or the JSON value of an output schema */
  content: ReasoningStep
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: "ReasoningStep"
  /** Reasoning of the model, where its provider shows it */
  reasoning_content: string
}

export interface RegistryContentResponse {
  /** Name that a config refers to */
  name: string
  /** Kind of the entry */
  type: "tool" | "model" | "db" | "vector_db" | "schema" | "function" | "agent" | "team" | "knowledge" | "memory_manager" | "session_summary_manager"
  /** Id by which a config names the entry */
  id?: string | undefined
  /** Purpose of the entry, in a sentence */
  description?: string | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
}

export interface RemoteContentForm {
  /** The id of a source, as GET /knowledge/config lists them */
  config_id: string
  /** A file, or a folder if it ends in / */
  path: string
  /** A JSON object, for sources that take parameters */
  source_params?: string | { [key: string]: Json } | undefined
  /** Name of the content. Default: the path */
  name?: string | undefined
  /** Subject of the content, in a sentence */
  description?: string | undefined
  /** A JSON object. Another text is stored as its value */
  metadata?: string | { [key: string]: Json } | undefined
  /** The reader; without it the name and the type of the file choose one */
  reader_id?: string | undefined
  /** The key of a chunker, as GET /knowledge/config lists them */
  chunker?: string | undefined
  /** Characters of a chunk */
  chunk_size?: number | undefined
  /** Characters that a chunk repeats from the one before */
  chunk_overlap?: number | undefined
}

export interface RemoteContentForm1 {
  /** The id of a source, as GET /knowledge/config lists them */
  config_id: string
  /** A file, or a folder if it ends in / */
  path: string
  /** A JSON object, for sources that take parameters */
  source_params?: string | { [key: string]: Json } | undefined
  /** Name of the content. Default: the path */
  name?: string | undefined
  /** Subject of the content, in a sentence */
  description?: string | undefined
  /** A JSON object. Another text is stored as its value */
  metadata?: string | { [key: string]: Json } | undefined
  /** The reader; without it the name and the type of the file choose one */
  reader_id?: string | undefined
  /** The key of a chunker, as GET /knowledge/config lists them */
  chunker?: string | undefined
  /** Characters of a chunk */
  chunk_size?: number | undefined
  /** Characters that a chunk repeats from the one before */
  chunk_overlap?: number | undefined
}

export interface RemoteContentForm2 {
  /** The id of a source, as GET /knowledge/config lists them */
  config_id: string
  /** A file, or a folder if it ends in / */
  path: string
  /** A JSON object, for sources that take parameters */
  source_params?: string | { [key: string]: Json } | undefined
  /** Name of the content. Default: the path */
  name?: string | undefined
  /** Subject of the content, in a sentence */
  description?: string | undefined
  /** A JSON object. Another text is stored as its value */
  metadata?: string | { [key: string]: Json } | undefined
  /** The reader; without it the name and the type of the file choose one */
  reader_id?: string | undefined
  /** The key of a chunker, as GET /knowledge/config lists them */
  chunker?: string | undefined
  /** Characters of a chunk */
  chunk_size?: number | undefined
  /** Characters that a chunk repeats from the one before */
  chunk_overlap?: number | undefined
}

export interface RemovedContent {
  /** Id of the content */
  id: string
}

export interface RemovedUserMemory {
  /** Number of memories that were removed */
  memories: number
  /** Number of vectors of memories that were removed */
  vectors: number
  /** Number of learnings that were removed */
  learnings: number
  /** Number of summaries of sessions that were removed */
  summaries: number
  /** Number of background jobs that were removed */
  jobs: number
  /** Number of traces that were removed */
  traces: number
  /** Number of scores that were removed */
  feedback: number
}

export interface RenameSessionRequest {
  /** Name of the session */
  session_name: string
}

export interface Requirement {
  /** Id of the requirement */
  id: string
  /** Time at which the run paused */
  created_at: string
  /** Tool call that waits */
  tool_execution: ToolExecution
  /** Decision: true executes the call, false rejects it */
  confirmation?: boolean | undefined
  /** Why the call was rejected. The model sees it */
  confirmation_note?: string | undefined
  /** Result of a call that the client executed */
  external_execution_result?: string | undefined
  /** Fields that a person has to fill */
  user_input_schema?: Json | undefined
  /** Questions that a person has to answer */
  user_feedback_schema?: Json | undefined
  /** Id of the member whose call waits */
  member_agent_id?: string | undefined
  /** Name of the member whose call waits */
  member_agent_name?: string | undefined
  /** Id of the member's run */
  member_run_id?: string | undefined
}

export interface ResumeForm {
  /** Index of the last event that the client has; later ones are sent */
  last_event_index?: number | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id?: string | undefined
}

export interface Root {
  /** Name of the service */
  name: string
  /** Id of the service */
  id: string
  /** Version of the interface */
  version: string
}

export interface RouterExecutionCompleted {
  /** Name of the event */
  event: "RouterExecutionCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Names of the steps that were chosen */
  selected_steps: Array<string>
  /** Number of steps that were executed */
  executed_steps: number
  /** Results of the steps, in their order */
  step_results: Array<StepOutput1>
}

export interface RouterExecutionStarted {
  /** Name of the event */
  event: "RouterExecutionStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Names of the steps that were chosen */
  selected_steps: Array<string>
}

export interface RouterPaused {
  /** Name of the event */
  event: "RouterPaused"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Names of the steps that can be chosen */
  available_choices: Array<string>
  /** Question for the person who fills the fields */
  user_input_message?: string | undefined
  /** Whether more than one step can be chosen */
  allow_multiple_selections: boolean
}

export interface RunAccepted {
  /** Id of the run */
  run_id: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** `PENDING`: the run is stored and executes in the background */
  status: "PENDING"
}

export interface RunCancelled {
  /** Name of the event */
  event: "RunCancelled"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Why it ended */
  reason: string
  /** Answer: text, or the JSON value of an output schema */
  content?: string | undefined
}

export interface RunCompleted {
  /** Name of the event */
  event: "RunCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Answer: text, or the JSON value of an output schema */
  content?: Json | undefined
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state: { [key: string]: Json }
  /** Tokens, cost and seconds that were used */
  metrics: RunMetrics
  /** Reasoning of the model, where its provider shows it */
  reasoning_content?: string | undefined
  /** Steps of the reasoning */
  reasoning_steps?: Array<ReasoningStep> | undefined
  /** Passages of knowledge that the answer is based on */
  references?: Array<Json> | undefined
  /** Sources that the model named */
  citations?: Citations | undefined
  /** Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole */
  finish_reason?: FinishReason | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
  /** Answer of the model as sound */
  response_audio?: Audio | undefined
}

export interface RunContent {
  /** Name of the event */
  event: "RunContent"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Next part of the answer */
  content?: Json | undefined
  /** Whether the content comes from the agent of a workflow */
  workflow_agent: boolean
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** Reasoning of the model, where its provider shows it */
  reasoning_content: string
  /** Sources that the model named */
  citations?: Citations | undefined
  /** Image of the answer */
  image?: Image | undefined
}

export interface RunContentCompleted {
  /** Name of the event */
  event: "RunContentCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
}

export interface RunContentPartial {
  /** Name of the event */
  event: "RunContentPartial"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Structured answer so far, which replaces the one before. The events become rarer as it grows */
  content_partial: Json
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
}

export interface RunContinued {
  /** Name of the event */
  event: "RunContinued"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Tool calls of the run */
  tools?: Array<ToolExecution> | undefined
}

export interface RunError {
  /** Name of the event */
  event: "RunError"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** What failed, in a sentence */
  content?: string | undefined
  /** Kind of the error */
  error_type?: string | undefined
  /** Id of the error, as in the log */
  error_id?: string | undefined
}

export interface RunForm {
  /** The input; JSON when the agent declares an input schema */
  message: string
  /** Respond with server-sent events (the default) or with one JSON body */
  stream?: boolean | undefined
  /** Respond at once with 202 and the id of the run, unless streamed. Default false */
  background?: boolean | undefined
  /** With false only the answer itself is streamed. Default true */
  stream_events?: boolean | undefined
  /** Whether a run whose client disconnects continues (the default) or ends */
  on_disconnect?: "continue" | "cancel" | undefined
  /** What happens while another run of the session is executing: this one waits for its turn (the default), is refused with 409, or has the others cancelled */
  if_busy?: "queue" | "reject" | "interrupt" | undefined
  /** The run is rated: a session that it begins does not count in usage metrics. Needs the scope evals:write */
  evaluation?: boolean | undefined
  /** Session of the run. Default: a new one */
  session_id?: string | undefined
  /** User of the run. A caller with a token of their own cannot name another one */
  user_id?: string | undefined
  /** Id for the run, chosen by the client. Default: one that the service makes */
  run_id?: string | undefined
  /** Version of a stored component. Default: the current one */
  version?: number | undefined
  /** A JSON object for the factory that makes the agent; see factory_input_schema of the agent */
  factory_input?: string | { [key: string]: Json } | undefined
  /** A JSON object, merged into the stored state of the session */
  session_state?: string | { [key: string]: Json } | undefined
  /** A JSON object, handed to instructions and tools */
  dependencies?: string | { [key: string]: Json } | undefined
  /** A JSON object, kept with the run */
  metadata?: string | { [key: string]: Json } | undefined
  /** A JSON Schema that the answer has to fit */
  output_schema?: string | { [key: string]: Json } | undefined
  /** Hand output_schema to the model as it is, without naming the type */
  use_json_schema?: boolean | undefined
  /** Show the model the earlier runs of the session */
  add_history_to_context?: boolean | undefined
  /** Show the model the dependencies */
  add_dependencies_to_context?: boolean | undefined
  /** Show the model the state of the session */
  add_session_state_to_context?: boolean | undefined
  /** With false the run neither uses nor updates memories of the user */
  memory?: boolean | undefined
  /** A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found */
  knowledge_filters?: Json | undefined
  /** A JSON array of tools (name, description, parameters) that the client executes: the run pauses at a call */
  client_tools?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array of messages (role, content) that the model sees before the input. They are not stored */
  earlier_messages?: string | Array<{ [key: string]: Json }> | undefined
  /** The model of this run as provider:model, one of offered_models of the component */
  model?: string | undefined
  /** A JSON object of settings of the model, such as temperature: those in offered_settings of the component */
  model_settings?: string | { [key: string]: Json } | undefined
  /** A JSON array of images with base64 content or a url */
  images?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array of audio clips with base64 content or a url */
  audio?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array of videos with base64 content or a url */
  videos?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array of documents with content or a url */
  input_files?: string | Array<{ [key: string]: Json }> | undefined
  /** Files that are uploaded with the run, as parts of a form */
  files?: Array<Upload> | undefined
}

export interface RunInput {
  /** Text or JSON of the input */
  input_content: Json
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Audio clips of the input */
  audios?: Array<Audio> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
}

export interface RunItem {
  /** Id of the run */
  run_id: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** State of the run */
  status: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED"
  /** Id of the agent */
  agent_id: string | null
  /** Id of the team */
  team_id: string | null
  /** Id of the workflow */
  workflow_id: string | null
  /** Name of the session */
  session_name: string | null
  /** Time of creation */
  created_at: string
  /** Time of the last change */
  updated_at: string
}

export interface RunMetrics {
  /** Tokens that the model read */
  input_tokens?: number | undefined
  /** Tokens that the model wrote */
  output_tokens?: number | undefined
  /** Tokens that were read and written */
  total_tokens?: number | undefined
  /** Tokens of sound that the model read */
  audio_input_tokens?: number | undefined
  /** Tokens of sound that the model wrote */
  audio_output_tokens?: number | undefined
  /** Tokens of sound that were read and written */
  audio_total_tokens?: number | undefined
  /** Tokens that the provider read from its cache */
  cache_read_tokens?: number | undefined
  /** Tokens that the provider wrote to its cache */
  cache_write_tokens?: number | undefined
  /** Tokens of the reasoning, which are part of the output */
  reasoning_tokens?: number | undefined
  /** Price in US dollars. Null or left out if a price is not known */
  cost?: number | undefined
  /** Seconds from the request to the first token */
  time_to_first_token?: number | undefined
  /** Seconds from the start to the end */
  duration?: number | undefined
  /** Usage by model, grouped by what the model was used for */
  details?: { [key: string]: Array<ModelUsage> } | undefined
}

export interface RunOutput {
  /** Id of the run */
  run_id: string
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the workflow's step that executed this run */
  workflow_step_id?: string | undefined
  /** Answer: text, or the JSON value of an output schema */
  content?: Json | undefined
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** Model, as `provider:model` */
  model?: string | undefined
  /** Name of the provider of the model */
  model_provider?: string | undefined
  /** Settings of the requests to the model */
  model_settings?: ModelSettings | undefined
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | undefined
  /** Time of creation */
  created_at: EpochSeconds
  /** State of the run */
  status: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED"
  /** Tokens, cost and seconds that were used */
  metrics?: RunMetrics | undefined
  /** Messages between the service and the model, oldest first */
  messages?: Array<Message> | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** Tool calls of the run */
  tools?: Array<ToolExecution> | undefined
  /** Tool calls that wait for a decision. Send them back with the decisions to continue the run */
  requirements?: Array<Requirement> | undefined
  /** Runs of the members, and of the components as tools, that the run called */
  member_responses?: Array<{ [key: string]: Json }> | undefined
  /** Input of the run */
  input?: RunInput | undefined
  /** Reasoning of the model, where its provider shows it */
  reasoning_content?: string | undefined
  /** Steps of the reasoning */
  reasoning_steps?: Array<ReasoningStep> | undefined
  /** Messages that the reasoning consists of */
  reasoning_messages?: Array<Message> | undefined
  /** Passages of knowledge that the answer is based on */
  references?: Array<Json> | undefined
  /** Sources that the model named */
  citations?: Citations | undefined
  /** What the last request to the model has left out */
  context_trimmed?: TrimmedContext | undefined
  /** Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole */
  finish_reason?: FinishReason | undefined
  /** Questions that the user may ask next */
  followups?: Array<string> | undefined
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
  /** Answer of the model as sound */
  response_audio?: Audio | undefined
  /** What the provider adds to its answer, unchanged */
  model_provider_data?: { [key: string]: Json } | undefined
  /** Number of messages before the last checkpoint */
  last_checkpoint_at_message_index?: number | undefined
  /** Run that this one was forked from */
  forked_from_run_id?: string | undefined
  /** Number of messages that were copied by the fork */
  forked_from_message_index?: number | undefined
  /** Session that this one was forked from */
  forked_from_session_id?: string | undefined
  /** Run whose answer this one replaces */
  regenerated_from?: string | undefined
  /** Events of the run, if the component stores them */
  events?: Array<{ [key: string]: Json }> | undefined
}

export interface RunPaused {
  /** Name of the event */
  event: "RunPaused"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Answer: text, or the JSON value of an output schema */
  content: string
  /** Tool calls of the run */
  tools: Array<ToolExecution>
  /** Tool calls that wait for a decision. Send them back with the decisions to continue the run */
  requirements: Array<Requirement>
}

export interface RunRecord {
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id: string
  /** Id of the agent */
  agent_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string
  /** State of the run */
  status: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED"
  /** Input of the run, as it was sent */
  run_input: string
  /** Answer: text, or the JSON object of an output schema. Other JSON values are text */
  content: string | { [key: string]: Json }
  /** Whether the answer is text or JSON */
  run_response_format: "text" | "json"
  /** Reasoning of the model, where its provider shows it */
  reasoning_content: string
  /** Steps of the reasoning */
  reasoning_steps: Array<ReasoningStep>
  /** Tokens, cost and seconds that were used */
  metrics: RunMetrics
  /** Messages between the service and the model, oldest first */
  messages: Array<Message> | null
  /** Tool calls of the run */
  tools: Array<ToolExecution> | null
  /** Events of the run, if the component stores them */
  events: Array<{ [key: string]: Json }> | null
  /** Time of creation */
  created_at: string
  /** Passages of knowledge that the answer is based on */
  references: Array<Json>
  /** Sources that the model named */
  citations: Citations | null
  /** What the last request to the model has left out */
  context_trimmed?: TrimmedContext | undefined
  /** Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole */
  finish_reason?: FinishReason | undefined
  /** Messages that the reasoning consists of */
  reasoning_messages: Array<Message>
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state: { [key: string]: Json } | null
  /** Images, each with a URL or base64 content */
  images: Array<Image>
  /** Videos, each with a URL or base64 content */
  videos: Array<Video>
  /** Audio clips, each with a URL or base64 content */
  audio: Array<Audio>
  /** Documents, each with a URL or content */
  files: Array<FileMedia>
  /** Answer of the model as sound */
  response_audio: Audio | null
  /** Images, videos, audio and files of the input */
  input_media: {
    /** Images, each with a URL or base64 content */
    images: Array<Image>
    /** Videos, each with a URL or base64 content */
    videos: Array<Video>
    /** Audio clips of the input */
    audios: Array<Audio>
    /** Documents, each with a URL or content */
    files: Array<FileMedia>
  }
  /** Questions that the user may ask next */
  followups: Array<string> | null
  /** Run that this one was forked from */
  forked_from_run_id: string | null
  /** Number of messages that were copied by the fork */
  forked_from_message_index: number | null
  /** Session that this one was forked from */
  forked_from_session_id: string | null
  /** Run whose answer this one replaces */
  regenerated_from: string | null
  /** Number of messages before the last checkpoint */
  last_checkpoint_at_message_index: number | null
}

export interface RunStarted {
  /** Name of the event */
  event: "RunStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Model, as `provider:model` */
  model: string
  /** Name of the provider of the model */
  model_provider: string
}

export interface Schedule {
  /** Id of the schedule */
  id: string
  /** Name of the schedule */
  name: string
  /** Purpose of the schedule, in a sentence */
  description: string | null
  /** HTTP method of the request */
  method: string
  /** Path of the request that the service sends to itself */
  endpoint: string
  /** Fields of the request */
  payload: { [key: string]: Json } | null
  /** Times, as a cron expression with five fields */
  cron_expr: string
  /** Time zone of the cron expression */
  timezone: string
  /** Seconds after which an attempt is cancelled */
  timeout_seconds: number
  /** Number of times that a failed attempt is repeated */
  max_retries: number
  /** Seconds before a repetition */
  retry_delay_seconds: number
  /** What happens to times that passed while no node was running */
  catch_up: "skip" | "one" | "all"
  /** Seconds into the past in which such times are found */
  catch_up_window_seconds: number
  /** What happens at a time while the run before is still executing */
  overlap: "allow" | "skip" | "queue" | "cancel"
  /** Largest number of seconds by which a start is delayed at random */
  jitter_seconds: number
  /** Whether it is active */
  enabled: boolean
  /** Number of failures since the last success */
  consecutive_failures: number
  /** Why the service disabled the schedule */
  paused_reason: string | null
  /** Next time. Null if there is none */
  next_run_at: EpochSeconds | null
  /** Time of creation */
  created_at: EpochSeconds
  /** Time of the last change */
  updated_at: EpochSeconds | null
}

export interface ScheduleCreate {
  /** Name of the schedule */
  name: string
  /** Times, as a cron expression with five fields */
  cron_expr: string
  /** Path of the request that the service sends to itself */
  endpoint: string
  /** HTTP method of the request */
  method?: string | undefined
  /** Purpose of the schedule, in a sentence */
  description?: string | null | undefined
  /** Fields of the request */
  payload?: { [key: string]: Json } | null | undefined
  /** Time zone of the cron expression */
  timezone?: string | undefined
  /** Seconds after which an attempt is cancelled */
  timeout_seconds?: number | undefined
  /** Number of times that a failed attempt is repeated */
  max_retries?: number | undefined
  /** Seconds before a repetition */
  retry_delay_seconds?: number | undefined
  /** What happens to times that passed while no node was running */
  catch_up?: "skip" | "one" | "all" | undefined
  /** Seconds into the past in which such times are found */
  catch_up_window_seconds?: number | undefined
  /** What happens at a time while the run before is still executing */
  overlap?: "allow" | "skip" | "queue" | "cancel" | undefined
  /** Largest number of seconds by which a start is delayed at random */
  jitter_seconds?: number | undefined
}

export interface SchedulePreview {
  /** Id of the schedule */
  schedule_id: string
  /** Time zone of the cron expression */
  timezone: string
  /** Next times, in their order */
  times: Array<EpochSeconds>
}

export interface ScheduleRun {
  /** Id of the schedule's run */
  id: string
  /** Id of the schedule */
  schedule_id: string
  /** Number of the attempt, from 1 */
  attempt: number
  /** Time at which the request was sent */
  triggered_at: EpochSeconds | null
  /** Time of the end. Null while it executes */
  completed_at: EpochSeconds | null
  /** State of the schedule's run */
  status: "running" | "success" | "failed" | "paused" | "cancelled"
  /** HTTP status of the response. Null if there was no response */
  status_code: number | null
  /** Id of the run that the request started */
  run_id: string | null
  /** Id of the session, the conversation that runs belong to */
  session_id: string | null
  /** Why the schedule's run failed. Null or left out if it did not */
  error: string | null
  /** Request that was sent */
  input: { [key: string]: Json } | null
  /** Response to the request */
  output: { [key: string]: Json } | null
  /** Tool calls that wait for a decision. Send them back with the decisions to continue the run */
  requirements: Array<Json> | null
  /** Time of creation */
  created_at: EpochSeconds
}

export interface ScheduleState {
  /** Id of the schedule */
  id: string
  /** Name of the schedule */
  name: string
  /** Whether it is active */
  enabled: boolean
  /** Next time. Null if there is none */
  next_run_at: EpochSeconds | null
  /** Time of the last change */
  updated_at: EpochSeconds | null
}

export interface ScheduleUpdate {
  /** Name of the schedule */
  name?: string | undefined
  /** Times, as a cron expression with five fields */
  cron_expr?: string | undefined
  /** Path of the request that the service sends to itself */
  endpoint?: string | undefined
  /** HTTP method of the request */
  method?: string | undefined
  /** Purpose of the schedule, in a sentence */
  description?: string | null | undefined
  /** Fields of the request */
  payload?: { [key: string]: Json } | null | undefined
  /** Time zone of the cron expression */
  timezone?: string | undefined
  /** Seconds after which an attempt is cancelled */
  timeout_seconds?: number | undefined
  /** Number of times that a failed attempt is repeated */
  max_retries?: number | undefined
  /** Seconds before a repetition */
  retry_delay_seconds?: number | undefined
  /** What happens to times that passed while no node was running */
  catch_up?: "skip" | "one" | "all" | undefined
  /** Seconds into the past in which such times are found */
  catch_up_window_seconds?: number | undefined
  /** What happens at a time while the run before is still executing */
  overlap?: "allow" | "skip" | "queue" | "cancel" | undefined
  /** Largest number of seconds by which a start is delayed at random */
  jitter_seconds?: number | undefined
}

export interface SearchPage {
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
}

export interface ServiceAccount {
  /** Id of the service account */
  id: string
  /** Name of the service account */
  name: string
  /** User id of its requests */
  principal: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** Beginning of the token, to recognize it by */
  token_prefix: string
  /** Scopes that the token has */
  scopes: Array<string>
  /** Time of creation */
  created_at: EpochSeconds
  /** Time after which it is not valid any more. Null: it does not expire */
  expires_at: EpochSeconds | null
  /** Time of the last request. Null if there was none */
  last_used_at: EpochSeconds | null
  /** Time at which the token was revoked. Null if it is valid */
  revoked_at: EpochSeconds | null
  /** User who created it */
  created_by: string | null
}

export interface ServiceAccountCreate {
  /** Name of the service account */
  name: string
  /** Scopes that the token has */
  scopes?: Array<string | {
    /** Scope */
    scope: string
    /** `allow` */
    effect?: "allow" | undefined
  }> | null | undefined
  /** Days until the token expires. 90 when left out */
  expires_in_days?: number | null | undefined
  /** Whether the token does not expire */
  never_expires?: boolean | undefined
  /** Has to be true for scopes that give away all rights */
  allow_privileged_scopes?: boolean | undefined
}

export interface ServiceAccountCreated {
  /** Id of the service account */
  id: string
  /** Name of the service account */
  name: string
  /** User id of its requests */
  principal: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** Beginning of the token, to recognize it by */
  token_prefix: string
  /** Scopes that the token has */
  scopes: Array<string>
  /** Time of creation */
  created_at: EpochSeconds
  /** Time after which it is not valid any more. Null: it does not expire */
  expires_at: EpochSeconds | null
  /** Time of the last request. Null if there was none */
  last_used_at: EpochSeconds | null
  /** Time at which the token was revoked. Null if it is valid */
  revoked_at: EpochSeconds | null
  /** User who created it */
  created_by: string | null
  /** Token. It is shown only once */
  token: string
}

export interface SessionForked {
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Session that this one was forked from */
  forked_from_session_id: string
}

export interface SessionMetrics {
  /** Tokens that the model read */
  input_tokens?: number | undefined
  /** Tokens that the model wrote */
  output_tokens?: number | undefined
  /** Tokens that were read and written */
  total_tokens?: number | undefined
  /** Tokens of sound that the model read */
  audio_input_tokens?: number | undefined
  /** Tokens of sound that the model wrote */
  audio_output_tokens?: number | undefined
  /** Tokens of sound that were read and written */
  audio_total_tokens?: number | undefined
  /** Tokens that the provider read from its cache */
  cache_read_tokens?: number | undefined
  /** Tokens that the provider wrote to its cache */
  cache_write_tokens?: number | undefined
  /** Tokens of the reasoning, which are part of the output */
  reasoning_tokens?: number | undefined
  /** Price in US dollars. Null or left out if a price is not known */
  cost?: number | undefined
  /** Usage by model, grouped by what the model was used for */
  details?: { [key: string]: Array<ModelUsage> } | undefined
}

export interface SessionSchema {
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Name of the session */
  session_name: string
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | undefined
  /** Time of creation */
  created_at?: string | undefined
  /** Time of the last change */
  updated_at?: string | undefined
  /** Kind of the component that the session belongs to */
  session_type?: "agent" | "team" | "workflow" | undefined
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Summary of the session. Null if there is none */
  session_summary?: SessionSummary | undefined
  /** Tokens, cost and seconds that were used */
  metrics?: SessionMetrics | undefined
  /** Tokens that were read and written */
  total_tokens?: number | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
}

export interface SessionSummary {
  /** Summary of the conversation */
  summary: string
  /** Words that say what it is about */
  topics?: Array<string> | undefined
  /** Time of the last change */
  updated_at?: string | undefined
}

export interface SessionSummaryCompleted {
  /** Name of the event */
  event: "SessionSummaryCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Summary of the session. Null if there is none */
  session_summary?: SessionSummary | undefined
}

export interface SessionSummaryStarted {
  /** Name of the event */
  event: "SessionSummaryStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
}

export interface StepCompleted {
  /** Name of the event */
  event: "StepCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Answer: text, or the JSON value of an output schema */
  content?: Json | undefined
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** Result of the step */
  step_response: StepOutput1
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
}

export interface StepContinued {
  /** Name of the event */
  event: "StepContinued"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
}

export interface StepError {
  /** Name of the event */
  event: "StepError"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Why the step failed */
  error: string
}

export interface StepExecutorContinued {
  /** Name of the event */
  event: "StepExecutorContinued"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Id of the agent or team that the step executes */
  executor_id: string
  /** Name of what the step executes */
  executor_name: string
  /** Id of the run that the step executes */
  executor_run_id: string
  /** Kind of what the step executes */
  executor_type: "agent" | "team"
}

export interface StepExecutorPaused {
  /** Name of the event */
  event: "StepExecutorPaused"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Id of the agent or team that the step executes */
  executor_id: string
  /** Name of what the step executes */
  executor_name: string
  /** Id of the run that the step executes */
  executor_run_id: string
  /** Kind of what the step executes */
  executor_type: "agent" | "team"
  /** Tool calls of the step's agent or team that wait for a decision */
  executor_requirements: Array<Json>
}

export interface StepInputField {
  /** Name of the field */
  name: string
  /** Type of the value */
  field_type: "str" | "int" | "float" | "bool"
  /** Text that asks a person for the value */
  description: string | null
  /** Value that was entered. Null before */
  value: Json
  /** Whether the field has to be filled */
  required: boolean
  /** Values that can be entered. Default: any */
  allowed_values?: Array<Json> | undefined
}

export interface StepMetrics {
  /** Name of the step */
  step_name: string
  /** Kind of what the step executes */
  executor_type: string
  /** Name of what the step executes */
  executor_name: string
  /** Tokens, cost and seconds that were used */
  metrics: RunMetrics
}

export interface StepOutput {
  /** Answer: text, or the JSON value of an output schema */
  content: Json
  /** Name of the step */
  step_name: string
  /** Id of the step */
  step_id: string
  /** Kind of the step */
  step_type: "Function" | "Step" | "Steps" | "Loop" | "Parallel" | "Condition" | "Router" | "Workflow"
  /** Kind of what the step executes */
  executor_type: "function" | "agent" | "team" | "workflow" | "parallel" | null
  /** Name of what the step executes */
  executor_name: string | null
  /** Id of the run that the step executed */
  step_run_id: string | null
  /** Images, each with a URL or base64 content */
  images: Array<Image> | null
  /** Videos, each with a URL or base64 content */
  videos: Array<Video> | null
  /** Audio clips, each with a URL or base64 content */
  audio: Array<Audio> | null
  /** Documents, each with a URL or content */
  files: Array<FileMedia> | null
  /** Tokens, cost and seconds that were used */
  metrics: RunMetrics | null
  /** Whether the step succeeded */
  success: boolean
  /** Why the step failed. Null or left out if it did not */
  error: string | null
  /** Whether the workflow ends after this step */
  stop: boolean
  /** Whether the step waits for a person */
  is_paused: boolean
  /** Results of nested steps, in their order */
  steps?: Array<StepOutput> | undefined
}

export interface StepOutputReview {
  /** Name of the event */
  event: "StepOutputReview"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Question for the person who reviews the result */
  output_review_message?: string | undefined
  /** Whether a person has to review the result of the step */
  requires_output_review: true
}

export interface StepOutput1 {
  /** Answer: text, or the JSON value of an output schema */
  content: Json
  /** Name of the step */
  step_name: string
  /** Id of the step */
  step_id: string
  /** Kind of the step */
  step_type: "Function" | "Step" | "Steps" | "Loop" | "Parallel" | "Condition" | "Router" | "Workflow"
  /** Kind of what the step executes */
  executor_type: "function" | "agent" | "team" | "workflow" | "parallel" | null
  /** Name of what the step executes */
  executor_name: string | null
  /** Id of the run that the step executed */
  step_run_id: string | null
  /** Images, each with a URL or base64 content */
  images: Array<Image> | null
  /** Videos, each with a URL or base64 content */
  videos: Array<Video> | null
  /** Audio clips, each with a URL or base64 content */
  audio: Array<Audio> | null
  /** Documents, each with a URL or content */
  files: Array<FileMedia> | null
  /** Tokens, cost and seconds that were used */
  metrics: RunMetrics | null
  /** Whether the step succeeded */
  success: boolean
  /** Why the step failed. Null or left out if it did not */
  error: string | null
  /** Whether the workflow ends after this step */
  stop: boolean
  /** Whether the step waits for a person */
  is_paused: boolean
  /** Results of nested steps, in their order */
  steps?: Array<StepOutput1> | undefined
}

export interface StepOutput2 {
  /** Name of the event */
  event: "StepOutput"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Result of the step */
  step_output: StepOutput1
}

export interface StepPaused {
  /** Name of the event */
  event: "StepPaused"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Whether a person has to confirm it */
  requires_confirmation: boolean
  /** Question for the person who decides */
  confirmation_message?: string | undefined
  /** Whether a person has to fill fields */
  requires_user_input: boolean
  /** Question for the person who fills the fields */
  user_input_message?: string | undefined
  /** Fields that a person has to fill */
  user_input_schema?: Array<StepInputField> | undefined
}

export interface StepRequirement {
  /** Id of the step */
  step_id: string
  /** Name of the step */
  step_name: string
  /** Index of the step; a list of indexes for a nested step */
  step_index: number | Array<number>
  /** Kind of the step */
  step_type: "Function" | "Step" | "Steps" | "Loop" | "Parallel" | "Condition" | "Router" | "Workflow"
  /** Whether a person has to confirm it */
  requires_confirmation: boolean
  /** Question for the person who decides */
  confirmation_message: string | null
  /** Decision: true executes it, false rejects it, null is no decision yet */
  confirmed: boolean | null
  /** What happens when the person rejects */
  on_reject: "skip" | "cancel" | "else" | "retry"
  /** Whether a person has to fill fields */
  requires_user_input: boolean
  /** Question for the person who fills the fields */
  user_input_message: string | null
  /** Values that the person entered, by the names of the fields */
  user_input: { [key: string]: Json } | null
  /** Whether a person has to choose the steps that follow */
  requires_route_selection: boolean
  /** Names of the steps that can be chosen */
  available_choices: Array<string> | null
  /** Whether more than one step can be chosen */
  allow_multiple_selections: boolean
  /** Names of the steps that the person chose */
  selected_choices: Array<string> | null
  /** Whether a person has to review the result of the step */
  requires_output_review: boolean
  /** Question for the person who reviews the result */
  output_review_message: string | null
  /** Whether the step has been executed, so that the decision is about its result */
  is_post_execution: boolean
  /** What the next attempt should do better */
  rejection_feedback: string | null
  /** Number of times that the step was repeated */
  retry_count: number
  /** Largest number of repetitions */
  max_retries: number
  /** Time until which a decision is accepted */
  timeout_at: string | null
  /** What happens to a decision that is late */
  on_timeout: "cancel" | "skip" | "approve"
  /** Fields that a person has to fill */
  user_input_schema?: Array<StepInputField> | undefined
  /** Input of the step */
  step_input?: Json | undefined
  /** Result of the step */
  step_output?: Json | undefined
  /** Result of the step as the person changed it */
  edited_output?: Json | undefined
  /** Whether the agent or team of the step waits for decisions */
  requires_executor_input?: boolean | undefined
  /** Tool calls of the step's agent or team that wait for a decision */
  executor_requirements?: Array<Json> | undefined
  /** Id of the agent or team that the step executes */
  executor_id?: string | undefined
  /** Name of what the step executes */
  executor_name?: string | undefined
  /** Id of the run that the step executes */
  executor_run_id?: string | undefined
  /** Kind of what the step executes */
  executor_type?: "agent" | "team" | undefined
  /** Id of the session of the run that the step executes */
  executor_session_id?: string | undefined
}

export interface StepStarted {
  /** Name of the event */
  event: "StepStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
}

export interface StepsExecutionCompleted {
  /** Name of the event */
  event: "StepsExecutionCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Number of steps */
  steps_count: number
  /** Number of steps that were executed */
  executed_steps: number
  /** Results of the steps, in their order */
  step_results: Array<StepOutput1>
}

export interface StepsExecutionStarted {
  /** Name of the event */
  event: "StepsExecutionStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Number of steps */
  steps_count: number
}

export interface StreamControl {
  /** What the stream does: sends missed events, or has reached the present */
  event: "catch_up" | "subscribed" | "replay" | "error"
  /** Id of the run */
  run_id?: string | undefined
  /** State of the run */
  status?: string | undefined
  /** Number of events that are sent again */
  missed_events?: number | undefined
  /** Number of events that the run has */
  current_event_count?: number | undefined
  /** Number of events that the run has */
  total_events?: number | undefined
  /** Number of events that are sent again */
  total_buffered?: number | undefined
  /** Index that the client sent */
  last_event_index_requested?: number | undefined
  /** Sentence for people about the stream */
  message?: string | undefined
  /** Why the stream cannot continue */
  error?: string | undefined
}

export interface TeamCheckpointSnapshot {
  /** Place from which the run can be forked */
  checkpoint: Checkpoint
  /** The run as it was at the checkpoint */
  snapshot: TeamRunOutput
}

export interface TeamContextTrimmed {
  /** Name of the event */
  event: "TeamContextTrimmed"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Messages of the history that are left out */
  messages: number
  /** Results of tools that are left out */
  tool_results: number
  /** Whether a summary of the session stands in the place of earlier messages */
  is_summarized?: boolean | undefined
  /** Tokens of the request, about */
  estimated_tokens: number
}

export interface TeamCustomEvent {
  /** Name of the event */
  event: "CustomEvent"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
}

export interface TeamFactoryResponse {
  /** Id of the team, or of its factory */
  id: string
  /** Display name of the team, or of its factory */
  name?: string | undefined
  /** Purpose of the team, in a sentence */
  description?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Whether a factory makes the component for each run */
  is_factory: true
  /** Whether the component is stored, and can be changed over HTTP */
  is_component: boolean
  /** JSON Schema of the input */
  input_schema?: { [key: string]: Json } | undefined
  /** JSON Schema of `factory_input` */
  factory_input_schema?: { [key: string]: Json } | undefined
}

export interface TeamHookApplied {
  /** Name of the event */
  event: "TeamHookApplied"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of the hook */
  hook_name: string
  /** Where the hook was called */
  stage: "before_run" | "after_run" | "before_model" | "after_model" | "before_tool" | "after_tool"
  /** What the hook has done */
  action: "changed" | "answered" | "rejected" | "noted"
  /** Why it ended */
  reason?: string | undefined
  /** Id of the tool call, made by the model */
  tool_call_id?: string | undefined
}

export interface TeamMemoryUpdateCompleted {
  /** Name of the event */
  event: "TeamMemoryUpdateCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Memories of the user after the change */
  memories?: Array<UserMemorySchema> | undefined
}

export interface TeamMemoryUpdateStarted {
  /** Name of the event */
  event: "TeamMemoryUpdateStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
}

export interface TeamModelFallback {
  /** Name of the event */
  event: "TeamModelFallback"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Model, as `provider:model` */
  model: string
  /** Name of the provider of the model */
  model_provider: string
  /** Id of the model that is requested next */
  fallback_model: string
  /** Provider of the model that is requested next */
  fallback_model_provider: string
  /** Why it ended */
  reason: string
}

export interface TeamModelRequestCompleted {
  /** Name of the event */
  event: "TeamModelRequestCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Model, as `provider:model` */
  model: string
  /** Name of the provider of the model */
  model_provider: string
  /** Tokens that the model read */
  input_tokens: number
  /** Tokens that the model wrote */
  output_tokens: number
  /** Tokens that were read and written */
  total_tokens: number
  /** Seconds from the request to the first token */
  time_to_first_token?: number | undefined
  /** Tokens of the reasoning, which are part of the output */
  reasoning_tokens: number
  /** Tokens that the provider read from its cache */
  cache_read_tokens: number
  /** Tokens that the provider wrote to its cache */
  cache_write_tokens: number
}

export interface TeamModelRequestStarted {
  /** Name of the event */
  event: "TeamModelRequestStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Model, as `provider:model` */
  model: string
  /** Name of the provider of the model */
  model_provider: string
}

export interface TeamPostHookCompleted {
  /** Name of the event */
  event: "TeamPostHookCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of the hook after the run */
  post_hook_name: string
}

export interface TeamPostHookStarted {
  /** Name of the event */
  event: "TeamPostHookStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of the hook after the run */
  post_hook_name: string
}

export interface TeamPreHookCompleted {
  /** Name of the event */
  event: "TeamPreHookCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of the hook before the run */
  pre_hook_name: string
  /** Input of the run, as it was sent */
  run_input: RunInput
}

export interface TeamPreHookStarted {
  /** Name of the event */
  event: "TeamPreHookStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of the hook before the run */
  pre_hook_name: string
  /** Input of the run, as it was sent */
  run_input: RunInput
}

export interface TeamReasoningCompleted {
  /** Name of the event */
  event: "TeamReasoningCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Answer: text, or the JSON value of an output schema */
  content: {
    /** Steps of the reasoning */
    reasoning_steps: Array<ReasoningStep>
  }
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: "ReasoningSteps"
}

export interface TeamReasoningContentDelta {
  /** Name of the event */
  event: "TeamReasoningContentDelta"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Next part of the reasoning */
  reasoning_content: string
}

export interface TeamReasoningStarted {
  /** Name of the event */
  event: "TeamReasoningStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
}

export interface TeamReasoningStep {
  /** Name of the event */
  event: "TeamReasoningStep"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Answer: text, or the JSON value of an output schema */
  content: ReasoningStep
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: "ReasoningStep"
  /** Reasoning of the model, where its provider shows it */
  reasoning_content: string
}

export interface TeamResponse {
  /** Display name of the team, or of its factory */
  name?: string | undefined
  /** Purpose of the team, in a sentence */
  description?: string | undefined
  /** Task of the team in another team */
  role?: string | undefined
  /** First message of a session */
  introduction?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Whether a factory makes the component for each run */
  is_factory: boolean
  /** Whether the component is stored, and can be changed over HTTP */
  is_component: boolean
  /** Model of the leader */
  model?: ModelResponse | undefined
  /** Settings of the model, models that replace it if it fails, and what requests may choose */
  model_options?: AgentModelOptions | undefined
  /** Tool calls of the run */
  tools?: AgentTools | undefined
  /** Settings of sessions */
  sessions?: AgentSessions | undefined
  /** Knowledge of the component */
  knowledge?: AgentKnowledge | undefined
  /** Settings of memories */
  memory?: AgentMemory | undefined
  /** Whether, and how, the model reasons before it answers */
  reasoning?: AgentReasoning | undefined
  /** Tools that the service adds */
  default_tools?: AgentDefaultTools | undefined
  /** Message to the model before the conversation */
  system_message?: AgentSystemMessage | undefined
  /** Form of the answers, and repetitions */
  response_settings?: AgentResponseSettings | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** JSON Schema of the input */
  input_schema?: { [key: string]: Json } | undefined
  /** JSON Schemas of what a run is given beside its input */
  run_schemas?: AgentRunSchemas | undefined
  /** JSON Schema of `factory_input` */
  factory_input_schema?: { [key: string]: Json } | undefined
  /** Version that runs use when they name none */
  current_version?: number | undefined
  /** A `draft` can be changed, and is run by its version only. A `published` version never changes */
  stage?: "draft" | "published" | undefined
  /** Id of the team, or of its factory */
  id: string
  /** How the leader uses the members */
  mode: "coordinate" | "route" | "broadcast" | "tasks"
  /** What a stream contains */
  streaming?: TeamStreaming | undefined
  /** Agents and teams that the leader can call */
  members?: Array<TeamResponse | AgentResponse> | undefined
}

export interface TeamRunCancelled {
  /** Name of the event */
  event: "TeamRunCancelled"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Why it ended */
  reason: string
  /** Answer: text, or the JSON value of an output schema */
  content?: string | undefined
}

export interface TeamRunCompleted {
  /** Name of the event */
  event: "TeamRunCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Answer: text, or the JSON value of an output schema */
  content?: Json | undefined
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state: { [key: string]: Json }
  /** Tokens, cost and seconds that were used */
  metrics: RunMetrics
  /** Reasoning of the model, where its provider shows it */
  reasoning_content?: string | undefined
  /** Steps of the reasoning */
  reasoning_steps?: Array<ReasoningStep> | undefined
  /** Passages of knowledge that the answer is based on */
  references?: Array<Json> | undefined
  /** Sources that the model named */
  citations?: Citations | undefined
  /** Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole */
  finish_reason?: FinishReason | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
  /** Answer of the model as sound */
  response_audio?: Audio | undefined
  /** Runs of the members, and of the components as tools, that the run called */
  member_responses?: Array<MemberRun> | undefined
}

export interface TeamRunContent {
  /** Name of the event */
  event: "TeamRunContent"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Next part of the answer */
  content?: Json | undefined
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** Reasoning of the model, where its provider shows it */
  reasoning_content: string
  /** Sources that the model named */
  citations?: Citations | undefined
  /** Image of the answer */
  image?: Image | undefined
}

export interface TeamRunContentCompleted {
  /** Name of the event */
  event: "TeamRunContentCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
}

export interface TeamRunContentPartial {
  /** Name of the event */
  event: "TeamRunContentPartial"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Structured answer so far, which replaces the one before. The events become rarer as it grows */
  content_partial: Json
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
}

export interface TeamRunContinued {
  /** Name of the event */
  event: "TeamRunContinued"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Tool calls of the run */
  tools?: Array<ToolExecution> | undefined
}

export interface TeamRunError {
  /** Name of the event */
  event: "TeamRunError"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** What failed, in a sentence */
  content?: string | undefined
  /** Kind of the error */
  error_type?: string | undefined
  /** Id of the error, as in the log */
  error_id?: string | undefined
}

export interface TeamRunOutput {
  /** Id of the run */
  run_id: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the workflow's step that executed this run */
  workflow_step_id?: string | undefined
  /** Answer: text, or the JSON value of an output schema */
  content?: Json | undefined
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** Model, as `provider:model` */
  model?: string | undefined
  /** Name of the provider of the model */
  model_provider?: string | undefined
  /** Settings of the requests to the model */
  model_settings?: ModelSettings | undefined
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | undefined
  /** Time of creation */
  created_at: EpochSeconds
  /** State of the run */
  status: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED"
  /** Tokens, cost and seconds that were used */
  metrics?: RunMetrics | undefined
  /** Messages between the service and the model, oldest first */
  messages?: Array<Message> | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** Tool calls of the run */
  tools?: Array<ToolExecution> | undefined
  /** Tool calls that wait for a decision. Send them back with the decisions to continue the run */
  requirements?: Array<Requirement> | undefined
  /** Input of the run */
  input?: RunInput | undefined
  /** Reasoning of the model, where its provider shows it */
  reasoning_content?: string | undefined
  /** Steps of the reasoning */
  reasoning_steps?: Array<ReasoningStep> | undefined
  /** Messages that the reasoning consists of */
  reasoning_messages?: Array<Message> | undefined
  /** Passages of knowledge that the answer is based on */
  references?: Array<Json> | undefined
  /** Sources that the model named */
  citations?: Citations | undefined
  /** What the last request to the model has left out */
  context_trimmed?: TrimmedContext | undefined
  /** Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole */
  finish_reason?: FinishReason | undefined
  /** Questions that the user may ask next */
  followups?: Array<string> | undefined
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
  /** Answer of the model as sound */
  response_audio?: Audio | undefined
  /** What the provider adds to its answer, unchanged */
  model_provider_data?: { [key: string]: Json } | undefined
  /** Number of messages before the last checkpoint */
  last_checkpoint_at_message_index?: number | undefined
  /** Run that this one was forked from */
  forked_from_run_id?: string | undefined
  /** Number of messages that were copied by the fork */
  forked_from_message_index?: number | undefined
  /** Session that this one was forked from */
  forked_from_session_id?: string | undefined
  /** Run whose answer this one replaces */
  regenerated_from?: string | undefined
  /** Events of the run, if the component stores them */
  events?: Array<{ [key: string]: Json }> | undefined
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name?: string | undefined
  /** Runs of the members, and of the components as tools, that the run called */
  member_responses?: Array<RunOutput | TeamRunOutput | WorkflowRunOutput> | undefined
}

export interface TeamRunOutput1 {
  /** Id of the run */
  run_id: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the workflow's step that executed this run */
  workflow_step_id?: string | undefined
  /** Answer: text, or the JSON value of an output schema */
  content?: Json | undefined
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** Model, as `provider:model` */
  model?: string | undefined
  /** Name of the provider of the model */
  model_provider?: string | undefined
  /** Settings of the requests to the model */
  model_settings?: ModelSettings | undefined
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | undefined
  /** Time of creation */
  created_at: EpochSeconds
  /** State of the run */
  status: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED"
  /** Tokens, cost and seconds that were used */
  metrics?: RunMetrics | undefined
  /** Messages between the service and the model, oldest first */
  messages?: Array<Message> | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** Tool calls of the run */
  tools?: Array<ToolExecution> | undefined
  /** Tool calls that wait for a decision. Send them back with the decisions to continue the run */
  requirements?: Array<Requirement> | undefined
  /** Input of the run */
  input?: RunInput | undefined
  /** Reasoning of the model, where its provider shows it */
  reasoning_content?: string | undefined
  /** Steps of the reasoning */
  reasoning_steps?: Array<ReasoningStep> | undefined
  /** Messages that the reasoning consists of */
  reasoning_messages?: Array<Message> | undefined
  /** Passages of knowledge that the answer is based on */
  references?: Array<Json> | undefined
  /** Sources that the model named */
  citations?: Citations | undefined
  /** What the last request to the model has left out */
  context_trimmed?: TrimmedContext | undefined
  /** Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole */
  finish_reason?: FinishReason | undefined
  /** Questions that the user may ask next */
  followups?: Array<string> | undefined
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
  /** Answer of the model as sound */
  response_audio?: Audio | undefined
  /** What the provider adds to its answer, unchanged */
  model_provider_data?: { [key: string]: Json } | undefined
  /** Number of messages before the last checkpoint */
  last_checkpoint_at_message_index?: number | undefined
  /** Run that this one was forked from */
  forked_from_run_id?: string | undefined
  /** Number of messages that were copied by the fork */
  forked_from_message_index?: number | undefined
  /** Session that this one was forked from */
  forked_from_session_id?: string | undefined
  /** Run whose answer this one replaces */
  regenerated_from?: string | undefined
  /** Events of the run, if the component stores them */
  events?: Array<{ [key: string]: Json }> | undefined
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name?: string | undefined
  /** Runs of the members, and of the components as tools, that the run called */
  member_responses?: Array<MemberRun> | undefined
}

export interface TeamRunPaused {
  /** Name of the event */
  event: "TeamRunPaused"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Answer: text, or the JSON value of an output schema */
  content: string
  /** Tool calls of the run */
  tools: Array<ToolExecution>
  /** Tool calls that wait for a decision. Send them back with the decisions to continue the run */
  requirements: Array<Requirement>
}

export interface TeamRunRecord {
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id: string
  /** State of the run */
  status: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED"
  /** Input of the run, as it was sent */
  run_input: string
  /** Answer: text, or the JSON object of an output schema. Other JSON values are text */
  content: string | { [key: string]: Json }
  /** Whether the answer is text or JSON */
  run_response_format: "text" | "json"
  /** Reasoning of the model, where its provider shows it */
  reasoning_content: string
  /** Steps of the reasoning */
  reasoning_steps: Array<ReasoningStep>
  /** Tokens, cost and seconds that were used */
  metrics: RunMetrics
  /** Messages between the service and the model, oldest first */
  messages: Array<Message> | null
  /** Tool calls of the run */
  tools: Array<ToolExecution> | null
  /** Events of the run, if the component stores them */
  events: Array<{ [key: string]: Json }> | null
  /** Time of creation */
  created_at: string
  /** Passages of knowledge that the answer is based on */
  references: Array<Json>
  /** Sources that the model named */
  citations: Citations | null
  /** What the last request to the model has left out */
  context_trimmed?: TrimmedContext | undefined
  /** Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole */
  finish_reason?: FinishReason | undefined
  /** Messages that the reasoning consists of */
  reasoning_messages: Array<Message>
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state: { [key: string]: Json } | null
  /** Images, each with a URL or base64 content */
  images: Array<Image>
  /** Videos, each with a URL or base64 content */
  videos: Array<Video>
  /** Audio clips, each with a URL or base64 content */
  audio: Array<Audio>
  /** Documents, each with a URL or content */
  files: Array<FileMedia>
  /** Answer of the model as sound */
  response_audio: Audio | null
  /** Images, videos, audio and files of the input */
  input_media: {
    /** Images, each with a URL or base64 content */
    images: Array<Image>
    /** Videos, each with a URL or base64 content */
    videos: Array<Video>
    /** Audio clips of the input */
    audios: Array<Audio>
    /** Documents, each with a URL or content */
    files: Array<FileMedia>
  }
  /** Questions that the user may ask next */
  followups: Array<string> | null
  /** Run that this one was forked from */
  forked_from_run_id: string | null
  /** Number of messages that were copied by the fork */
  forked_from_message_index: number | null
  /** Session that this one was forked from */
  forked_from_session_id: string | null
  /** Run whose answer this one replaces */
  regenerated_from: string | null
  /** Number of messages before the last checkpoint */
  last_checkpoint_at_message_index: number | null
  /** Id of the team */
  team_id: string
}

export interface TeamRunStarted {
  /** Name of the event */
  event: "TeamRunStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Model, as `provider:model` */
  model: string
  /** Name of the provider of the model */
  model_provider: string
}

export interface TeamSessionDetailSchema {
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Name of the session */
  session_name: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | null | undefined
  /** Summary of the session. Null if there is none */
  session_summary?: SessionSummary | null | undefined
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
  /** Time of creation */
  created_at?: string | null | undefined
  /** Time of the last change */
  updated_at?: string | null | undefined
  /** Tokens that were read and written */
  total_tokens?: number | null | undefined
  /** Tokens, cost and seconds that were used */
  metrics?: SessionMetrics | null | undefined
  /** Messages of all runs, oldest first */
  chat_history?: Array<Message> | null | undefined
  /** Id of the team */
  team_id?: string | null | undefined
  /** Id and name of the team, at the time of the last run */
  team_data?: { [key: string]: Json } | null | undefined
}

export interface TeamSessionSummaryCompleted {
  /** Name of the event */
  event: "TeamSessionSummaryCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Summary of the session. Null if there is none */
  session_summary?: SessionSummary | undefined
}

export interface TeamSessionSummaryStarted {
  /** Name of the event */
  event: "TeamSessionSummaryStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
}

export interface TeamStreaming {
  /** Whether the stream contains the events of members */
  stream_member_events?: boolean | undefined
}

export interface TeamSummaryResponse {
  /** Id of the team, or of its factory */
  id: string
  /** Display name of the team, or of its factory */
  name?: string | undefined
  /** Purpose of the team, in a sentence */
  description?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** How the leader uses the members */
  mode?: "coordinate" | "route" | "broadcast" | "tasks" | undefined
  /** Model, as `provider:model` */
  model?: {
    /** Name of the model at its provider */
    id?: string | undefined
    /** Name of the provider of the model */
    provider?: string | undefined
  } | undefined
}

export interface TeamTask {
  /** Id of the task */
  id: string
  /** Title of the task */
  title: string
  /** Task for the member, in sentences */
  description: string
  /** State of the task */
  status: "pending" | "in_progress" | "completed" | "failed" | "blocked"
  /** Id of the member who does the task */
  assignee?: string | undefined
  /** Ids of the tasks that have to be completed before */
  dependencies: Array<string>
  /** What the task resulted in */
  result?: string | undefined
}

export interface TeamTaskCreated {
  /** Name of the event */
  event: "TeamTaskCreated"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the task */
  task_id: string
  /** Title of the task */
  title: string
  /** Task for the member, in sentences */
  description: string
  /** State of the task */
  status: "pending" | "in_progress" | "completed" | "failed" | "blocked"
  /** Id of the member who does the task */
  assignee?: string | undefined
  /** Ids of the tasks that have to be completed before */
  dependencies: Array<string>
}

export interface TeamTaskIterationCompleted {
  /** Name of the event */
  event: "TeamTaskIterationCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Number of the iteration */
  iteration: number
  /** Largest number of iterations */
  max_iterations: number
  /** Overview of all tasks */
  task_summary: string
}

export interface TeamTaskIterationStarted {
  /** Name of the event */
  event: "TeamTaskIterationStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Number of the iteration */
  iteration: number
  /** Largest number of iterations */
  max_iterations: number
}

export interface TeamTaskStateUpdated {
  /** Name of the event */
  event: "TeamTaskStateUpdated"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Overview of all tasks */
  task_summary: string
  /** Whether the goal of the team is reached */
  goal_complete: boolean
  /** Tasks of the team */
  tasks: Array<TeamTask>
  /** What the team reached */
  completion_summary?: string | undefined
}

export interface TeamTaskUpdated {
  /** Name of the event */
  event: "TeamTaskUpdated"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the task */
  task_id: string
  /** State of the task before */
  previous_status: "pending" | "in_progress" | "completed" | "failed" | "blocked"
  /** Title of the task */
  title: string
  /** State of the task */
  status: "pending" | "in_progress" | "completed" | "failed" | "blocked"
  /** Id of the member who does the task */
  assignee?: string | undefined
  /** What the task resulted in */
  result?: string | undefined
}

export interface TeamToolCallCompleted {
  /** Name of the event */
  event: "TeamToolCallCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Answer: text, or the JSON value of an output schema */
  content: string
  /** Tool call */
  tool: ToolExecution
}

export interface TeamToolCallError {
  /** Name of the event */
  event: "TeamToolCallError"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Tool call */
  tool: ToolExecution
  /** Why the call failed */
  error: string
}

export interface TeamToolCallStarted {
  /** Name of the event */
  event: "TeamToolCallStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Tool call */
  tool: ToolExecution
}

export interface TeamToolSourceFailed {
  /** Name of the event */
  event: "TeamToolSourceFailed"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the team */
  team_id: string
  /** Name of the team */
  team_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of what offers tools, such as an MCP server */
  tool_source: string
  /** Why it ended */
  reason: string
}

export interface ToolCall {
  /** Id of the call, made by the model */
  id: string
  /** `function` */
  type: "function"
  /** Name of the tool, and its arguments as JSON text */
  function: {
    /** Name of the tool */
    name: string
    /** Arguments of the call, as JSON text */
    arguments: string
  }
}

export interface ToolCallCompleted {
  /** Name of the event */
  event: "ToolCallCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Answer: text, or the JSON value of an output schema */
  content: string
  /** Tool call */
  tool: ToolExecution
}

export interface ToolCallError {
  /** Name of the event */
  event: "ToolCallError"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Tool call */
  tool: ToolExecution
  /** Why the call failed */
  error: string
}

export interface ToolCallStarted {
  /** Name of the event */
  event: "ToolCallStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Tool call */
  tool: ToolExecution
}

export interface ToolExecution {
  /** Id of the tool call, made by the model */
  tool_call_id: string
  /** Name of the tool */
  tool_name: string
  /** Arguments of the tool call. A person may change them with the decision */
  tool_args: Json | null
  /** Whether the call failed */
  tool_call_error: boolean | null
  /** Result of the call, as the model sees it */
  result: string | null
  /** Start, end and duration of the call */
  metrics: ToolMetrics | null
  /** Id of the run that the call started */
  child_run_id: string | null
  /** Whether the run ends after this call, with its result as the answer */
  stop_after_tool_call: boolean
  /** Time of the call */
  created_at: EpochSeconds
  /** Whether a person has to confirm it */
  requires_confirmation: boolean | null
  /** Decision: true executes it, false rejects it, null is no decision yet */
  confirmed: boolean | null
  /** Why the call was rejected. The model sees it */
  confirmation_note: string | null
  /** Whether a person has to fill fields */
  requires_user_input: boolean | null
  /** Fields that a person has to fill */
  user_input_schema: Json | null
  /** Questions that a person has to answer */
  user_feedback_schema: Json | null
  /** Whether the person has filled the fields */
  answered: boolean | null
  /** Whether the client has to execute the call and send its result */
  external_execution_required: boolean | null
  /** Whether the pause for the client's result is not shown as an answer */
  external_execution_silent: boolean | null
  /** Kind of the approval: `required` pauses the run, `audit` only records the decision */
  approval_type: string | null
  /** Id of the approval that the run waits for */
  approval_id: string | null
  /** Whether the service stopped during the call, so that a person decides: repeat, reject, or give a result */
  outcome_unknown?: boolean | undefined
  /** Time that the call waits for: the service answers it then */
  wake_at?: EpochSeconds | undefined
}

export interface ToolMetrics {
  /** Start, in seconds since 1970 with a fraction */
  start_time: number
  /** End, in seconds since 1970 with a fraction */
  end_time: number
  /** Seconds from the start to the end */
  duration: number
}

export interface ToolSourceFailed {
  /** Name of the event */
  event: "ToolSourceFailed"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the agent */
  agent_id: string
  /** Name of the agent */
  agent_name: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Id of the workflow's run whose step sent the event */
  workflow_run_id?: string | undefined
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Name of what offers tools, such as an MCP server */
  tool_source: string
  /** Why it ended */
  reason: string
}

export interface TraceDetail {
  /** Id of the trace, 32 hexadecimal digits */
  trace_id: string
  /** Name of the first span */
  name: string
  /** `ERROR` if a span failed, otherwise `OK` */
  status: string
  /** Duration, in milliseconds below a second */
  duration: string
  /** Time of the start */
  start_time: string
  /** Time of the end */
  end_time: string
  /** Number of spans */
  total_spans: number
  /** Number of spans that failed */
  error_count: number
  /** Input, if contents are recorded */
  input?: string | undefined
  /** Id of the run */
  run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id?: string | undefined
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Time of creation */
  created_at: string
  /** Output, if contents are recorded */
  output?: string | undefined
  /** Why the trace failed. Null or left out if it did not */
  error?: string | undefined
  /** Spans without a parent, each with its children */
  tree: Array<TraceNode>
}

export interface TraceFilterSchema {
  /** Fields that a filter can name, with their operators */
  fields: Array<{
    /** Name of the field */
    key: string
    /** Display name of the field */
    label: string
    /** Type of the field */
    type: string
    /** Operators that the field can be compared with */
    operators: Array<string>
    /** Values that the field can have. Null: any */
    values: Array<string> | null
  }>
  /** Operators that combine conditions */
  logical_operators: Array<string>
}

export interface TraceNode {
  /** Id of the span, 16 hexadecimal digits */
  id: string
  /** Name of the span */
  name: string
  /** Kind of the span */
  type: string
  /** Duration, in milliseconds below a second */
  duration: string
  /** Time of the start */
  start_time: string
  /** Time of the end */
  end_time: string
  /** `ERROR` if the span failed, otherwise `OK` */
  status: "OK" | "ERROR" | "UNSET"
  /** Input, if contents are recorded */
  input?: string | undefined
  /** Output, if contents are recorded */
  output?: string | undefined
  /** Why the span failed. Null or left out if it did not */
  error?: string | undefined
  /** Kind of the step, for spans of steps */
  step_type?: string | undefined
  /** Attributes of the span */
  metadata?: { [key: string]: string | number | boolean | Array<string> } | undefined
  /** Children of the span, in the order of their starts */
  spans?: Array<TraceNode> | undefined
}

export interface TraceSearchRequest {
  /** Condition that traces must meet; see `GET /traces/filter-schema` */
  filter?: { [key: string]: Json } | null | undefined
  /** Whether entries are runs or sessions */
  group_by?: "run" | "session" | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
}

export interface TraceSessionStats {
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Number of traces of the session */
  total_traces: number
  /** Time of the first trace */
  first_trace_at: string
  /** Time of the last trace */
  last_trace_at: string
}

export interface TraceSummary {
  /** Id of the trace, 32 hexadecimal digits */
  trace_id: string
  /** Name of the first span */
  name: string
  /** `ERROR` if a span failed, otherwise `OK` */
  status: string
  /** Duration, in milliseconds below a second */
  duration: string
  /** Time of the start */
  start_time: string
  /** Time of the end */
  end_time: string
  /** Number of spans */
  total_spans: number
  /** Number of spans that failed */
  error_count: number
  /** Input, if contents are recorded */
  input?: string | undefined
  /** Id of the run */
  run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id?: string | undefined
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Time of creation */
  created_at: string
}

export interface TrimmedContext {
  /** Messages of the history that are left out */
  messages: number
  /** Results of tools that are left out */
  tool_results: number
  /** Whether a summary of the session stands in the place of earlier messages */
  is_summarized?: boolean | undefined
}

export type MemberRun = RunOutput | TeamRunOutput1 | WorkflowRunOutput1

export interface UpdateSessionRequest {
  /** Name of the session */
  session_name?: string | null | undefined
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
  /** Summary of the session. Null removes it */
  summary?: SessionSummary | null | undefined
}

export interface UsageFigures {
  /** Start of the hour or day, in UTC */
  time: string
  /** Kind of the component: `agent`, `team` or `workflow` */
  component_type?: "agent" | "team" | "workflow" | undefined
  /** Id of the component */
  component_id?: string | undefined
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Name of the model at its provider */
  model_id?: string | undefined
  /** Name of the provider of the model */
  model_provider?: string | undefined
  /** Number of runs: all, completed, failed and cancelled */
  runs: {
    /** Number of all runs */
    total: number
    /** Number of runs that completed */
    completed: number
    /** Number of runs that failed */
    failed: number
    /** Number of runs that were cancelled */
    cancelled: number
  }
  /** Part of the runs that failed, from 0 to 1. Null if there was none */
  error_rate: number | null
  /** Tokens, by kind */
  tokens: {
    /** Tokens that the model read */
    input_tokens: number
    /** Tokens that the model wrote */
    output_tokens: number
    /** Tokens that were read and written */
    total_tokens: number
    /** Tokens of sound that the model read */
    audio_input_tokens: number
    /** Tokens of sound that the model wrote */
    audio_output_tokens: number
    /** Tokens of sound that were read and written */
    audio_total_tokens: number
    /** Tokens that the provider read from its cache */
    cache_read_tokens: number
    /** Tokens that the provider wrote to its cache */
    cache_write_tokens: number
    /** Tokens of the reasoning, which are part of the output */
    reasoning_tokens: number
  }
  /** Price in US dollars. Null or left out if a price is not known */
  cost: number | null
  /** Tokens of models without a known price */
  unpriced_tokens: number
  /** Seconds of a run */
  duration: Percentiles
  /** Seconds to the first token */
  time_to_first_token: Percentiles
}

export interface UserMemoryCreateSchema {
  /** Text of the memory */
  memory: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | null | undefined
  /** Words that say what it is about */
  topics?: Array<string> | null | undefined
}

export interface UserMemorySchema {
  /** Id of the memory */
  memory_id: string
  /** Text of the memory */
  memory: string
  /** Words that say what it is about */
  topics: Array<string> | null
  /** Id of the agent */
  agent_id: string | null
  /** Id of the team */
  team_id: string | null
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** Time of the last change */
  updated_at: string | null
}

export interface UserMemorySettings {
  /** Whether agents may remember the user */
  enabled: boolean
}

export interface UserStatsSchema {
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string
  /** Number of memories of the user */
  total_memories: number
  /** Time of the last change of a memory */
  last_memory_updated_at: string | null
}

export interface ValidationErrorResponse {
  /** What was wrong with the request, and what to do */
  detail: string
  /** Kind of the error, for programs */
  error_code: "VALIDATION_ERROR"
  /** Problems of the request, one for each field */
  errors: Array<ValidationProblem>
}

export interface ValidationProblem {
  /** Place of the field: `body`, `query` or `path`, then the names down to the field */
  loc: Array<string | number>
  /** What is wrong with the field */
  msg: string
  /** Kind of the problem */
  type: string
}

export interface VectorDbSchema {
  /** Id of the store */
  id: string
  /** Display name of the vector store */
  name: string
  /** How the vector store searches */
  description: string | null
  /** How the store can be searched */
  search_types: Array<"vector" | "keyword" | "hybrid">
}

export interface VectorSearchRequest {
  /** Question or words to search for */
  query: string
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | null | undefined
  /** Id of the knowledge instance. Needed if the service has more than one */
  knowledge_id?: string | null | undefined
  /** Ids of the stores to search. Default: all */
  vector_db_ids?: Array<string> | null | undefined
  /** How to search: by meaning, by words, or by both */
  search_type?: "vector" | "keyword" | "hybrid" | null | undefined
  /** Largest number of results */
  max_results?: number | null | undefined
  /** Metadata that results must have */
  filters?: { [key: string]: Json } | Array<{ [key: string]: Json }> | null | undefined
  /** Page of the results */
  meta?: SearchPage | null | undefined
}

export interface VectorSearchResult {
  /** Id of the chunk */
  id: string
  /** Text of the chunk */
  content: string
  /** Name of the content */
  name: string | null
  /** Metadata of the content, and the place of the chunk in it */
  meta_data: { [key: string]: Json } | null
  /** Tokens that the search used */
  usage: { [key: string]: Json } | null
  /** How well the chunk fits, from 0 to 1 */
  reranking_score: number | null
  /** Id of the content */
  content_id: string | null
  /** Where the content comes from: a file name or a URL */
  content_origin: string | null
  /** Characters of the chunk */
  size: number | null
}

export interface Video {
  /** Id of the media */
  id?: string | undefined
  /** Address of the resource */
  url?: string | undefined
  /** Path of the file on the client. The service opens no paths */
  filepath?: string | undefined
  /** Video as base64 */
  content?: string | undefined
  /** Format of the file */
  format?: string | undefined
  /** Media type */
  mime_type?: string | undefined
  /** Size in bytes */
  size?: number | undefined
  /** Length in seconds */
  duration?: number | undefined
  /** Width in pixels */
  width?: number | undefined
  /** Height in pixels */
  height?: number | undefined
  /** Frames in a second */
  fps?: number | undefined
  /** Seconds until the media is ready, as text */
  eta?: string | undefined
  /** Prompt that the media was made from */
  original_prompt?: string | undefined
  /** Prompt as the provider changed it */
  revised_prompt?: string | undefined
}

export interface Webhook {
  /** Id of the webhook */
  id: string
  /** Address that is called */
  url: string
  /** Purpose of the webhook, in a sentence */
  description: string | null
  /** Events that are sent */
  events: Array<"run.completed" | "run.failed" | "run.cancelled" | "run.paused" | "approval.created" | "approval.resolved" | "schedule.failed" | "evaluation.completed" | "experiment.completed">
  /** Component whose events are sent. Null: all */
  component: WebhookComponent | null
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** Whether it is active */
  enabled: boolean
  /** Why the service disabled the webhook */
  disabled_reason: string | null
  /** Number of calls that failed since the last success */
  failures: number
  /** Number of events that were not sent because the queue was full */
  dropped: number
  /** Time of creation */
  created_at: EpochSeconds
  /** Time of the last change */
  updated_at: EpochSeconds | null
}

export interface WebhookComponent {
  /** Kind of the component */
  kind: "agent" | "team" | "workflow"
  /** Id of the component */
  id: string
}

export interface WebhookCreate {
  /** Address that is called */
  url: string
  /** Events that are sent */
  events: Array<"run.completed" | "run.failed" | "run.cancelled" | "run.paused" | "approval.created" | "approval.resolved" | "schedule.failed" | "evaluation.completed" | "experiment.completed">
  /** Purpose of the webhook, in a sentence */
  description?: string | null | undefined
  /** Component whose events are sent. Null: all */
  component?: WebhookComponent | null | undefined
  /** Whether it is active */
  enabled?: boolean | undefined
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | null | undefined
}

export interface WebhookCreated {
  /** Id of the webhook */
  id: string
  /** Address that is called */
  url: string
  /** Purpose of the webhook, in a sentence */
  description: string | null
  /** Events that are sent */
  events: Array<"run.completed" | "run.failed" | "run.cancelled" | "run.paused" | "approval.created" | "approval.resolved" | "schedule.failed" | "evaluation.completed" | "experiment.completed">
  /** Component whose events are sent. Null: all */
  component: WebhookComponent | null
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string | null
  /** Whether it is active */
  enabled: boolean
  /** Why the service disabled the webhook */
  disabled_reason: string | null
  /** Number of calls that failed since the last success */
  failures: number
  /** Number of events that were not sent because the queue was full */
  dropped: number
  /** Time of creation */
  created_at: EpochSeconds
  /** Time of the last change */
  updated_at: EpochSeconds | null
  /** Key of the signatures. It is shown only once */
  secret: string
}

export interface WebhookDelivery {
  /** Id of the delivery */
  id: string
  /** Id of the webhook */
  webhook_id: string
  /** Id of the event, the same in each attempt */
  event_id: string
  /** Kind of the event */
  event: string
  /** State of the delivery */
  status: "pending" | "succeeded" | "failed"
  /** Number of calls so far */
  attempts: number
  /** HTTP status of the response. Null if there was no response */
  status_code: number | null
  /** Why the last attempt failed. Null or left out if it did not */
  error: string | null
  /** Body of the call */
  payload: { [key: string]: Json }
  /** Time of creation */
  created_at: EpochSeconds
  /** Time of the last change */
  updated_at: EpochSeconds | null
}

export interface WebhookSecret {
  /** Id of the webhook */
  id: string
  /** Key of the signatures. It is shown only once */
  secret: string
  /** Time until which the key before also signs */
  previous_until: EpochSeconds
}

export interface WebhookUpdate {
  /** Address that is called */
  url?: string | undefined
  /** Events that are sent */
  events?: Array<"run.completed" | "run.failed" | "run.cancelled" | "run.paused" | "approval.created" | "approval.resolved" | "schedule.failed" | "evaluation.completed" | "experiment.completed"> | undefined
  /** Purpose of the webhook, in a sentence */
  description?: string | null | undefined
  /** Component whose events are sent. Null: all */
  component?: WebhookComponent | null | undefined
  /** Whether it is active */
  enabled?: boolean | undefined
}

export interface WorkflowCancelled {
  /** Name of the event */
  event: "WorkflowCancelled"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Why it ended */
  reason: string
  /** Answer: text, or the JSON value of an output schema */
  content?: string | undefined
}

export interface WorkflowCompleted {
  /** Name of the event */
  event: "WorkflowCompleted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Answer: text, or the JSON value of an output schema */
  content?: Json | undefined
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** Results of the steps, in their order */
  step_results: Array<StepOutput1>
  /** Runs of the agents and teams that the steps executed */
  step_executor_runs: Array<{ [key: string]: Json }>
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** Tokens, cost and seconds that were used */
  metrics?: WorkflowMetrics | undefined
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | undefined
}

export interface WorkflowContinueForm {
  /** The session of the run. Required */
  session_id?: string | undefined
  /** A JSON array: the requirements of the paused run, of steps and of errors, each with its decision */
  requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array: the run's step_requirements, the last one with its decision */
  step_requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array: the run's error_requirements, the last one with `retry` or `skip` as decision */
  error_requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** Respond with server-sent events (the default) or with one JSON body */
  stream?: boolean | undefined
  /** With false only the answer itself is streamed. Default true */
  stream_events?: boolean | undefined
  /** Whether a run whose client disconnects continues or ends */
  on_disconnect?: "continue" | "cancel" | undefined
  /** For the factory of the workflow. The run keeps its user */
  user_id?: string | undefined
  /** A JSON object for the factory of the workflow. Default: that of the run's start */
  factory_input?: string | { [key: string]: Json } | undefined
}

export interface WorkflowContinueForm1 {
  /** The session of the run. Required */
  session_id?: string | undefined
  /** A JSON array: the requirements of the paused run, of steps and of errors, each with its decision */
  requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array: the run's step_requirements, the last one with its decision */
  step_requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array: the run's error_requirements, the last one with `retry` or `skip` as decision */
  error_requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** Respond with server-sent events (the default) or with one JSON body */
  stream?: boolean | undefined
  /** With false only the answer itself is streamed. Default true */
  stream_events?: boolean | undefined
  /** Whether a run whose client disconnects continues or ends */
  on_disconnect?: "continue" | "cancel" | undefined
  /** For the factory of the workflow. The run keeps its user */
  user_id?: string | undefined
  /** A JSON object for the factory of the workflow. Default: that of the run's start */
  factory_input?: string | { [key: string]: Json } | undefined
}

export interface WorkflowContinueForm2 {
  /** The session of the run. Required */
  session_id?: string | undefined
  /** A JSON array: the requirements of the paused run, of steps and of errors, each with its decision */
  requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array: the run's step_requirements, the last one with its decision */
  step_requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** A JSON array: the run's error_requirements, the last one with `retry` or `skip` as decision */
  error_requirements?: string | Array<{ [key: string]: Json }> | undefined
  /** Respond with server-sent events (the default) or with one JSON body */
  stream?: boolean | undefined
  /** With false only the answer itself is streamed. Default true */
  stream_events?: boolean | undefined
  /** Whether a run whose client disconnects continues or ends */
  on_disconnect?: "continue" | "cancel" | undefined
  /** For the factory of the workflow. The run keeps its user */
  user_id?: string | undefined
  /** A JSON object for the factory of the workflow. Default: that of the run's start */
  factory_input?: string | { [key: string]: Json } | undefined
}

export interface WorkflowCustomEvent {
  /** Name of the event */
  event: "CustomEvent"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
}

export interface WorkflowError {
  /** Name of the event */
  event: "WorkflowError"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** Why the workflow failed */
  error: string
  /** Kind of the error */
  error_type?: string | undefined
  /** Id of the error, as in the log */
  error_id?: string | undefined
}

export interface WorkflowMetrics {
  /** Usage by the name of the step */
  steps: { [key: string]: StepMetrics }
  /** Seconds from the start to the end */
  duration?: number | undefined
}

export interface WorkflowPaused {
  /** Name of the event */
  event: "WorkflowPaused"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
  /** State of the run */
  status: "PAUSED"
  /** Index of the step that waits; a list of indexes for a nested step */
  paused_step_index?: number | Array<number> | undefined
  /** Name of the step that waits */
  paused_step_name?: string | undefined
  /** Whether a step waits, or the agent or team of a step */
  pause_kind?: "step" | "executor" | undefined
  /** Steps of the workflow that wait for a decision */
  step_requirements?: Array<StepRequirement> | undefined
  /** Failed steps that wait for a decision */
  error_requirements?: Array<ErrorRequirement> | undefined
  /** Results of the steps, in their order */
  step_results?: Array<StepOutput1> | undefined
  /** Runs of the agents and teams that the steps executed */
  step_executor_runs?: Array<{ [key: string]: Json }> | undefined
  /** Answer: text, or the JSON value of an output schema */
  content?: Json | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
}

export interface WorkflowResponse {
  /** Id of the workflow */
  id: string
  /** Display name of the workflow */
  name?: string | undefined
  /** Purpose of the workflow, in a sentence */
  description?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Whether a factory makes the component for each run */
  is_factory: boolean
  /** Whether the component is stored, and can be changed over HTTP */
  is_component: boolean
  /** JSON Schema of `factory_input` */
  factory_input_schema?: { [key: string]: Json } | undefined
  /** Version that runs use when they name none */
  current_version?: number | undefined
  /** A `draft` can be changed, and is run by its version only. A `published` version never changes */
  stage?: "draft" | "published" | undefined
  /** JSON Schema of the input */
  input_schema?: { [key: string]: Json } | undefined
  /** Steps, in their order */
  steps?: Array<WorkflowStep> | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** Whether the content comes from the agent of a workflow */
  workflow_agent: boolean
}

export interface WorkflowRunOutput {
  /** Id of the run */
  run_id: string
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the workflow's step that executed this run */
  workflow_step_id?: string | undefined
  /** Input of the run */
  input?: Json | undefined
  /** Answer: text, or the JSON value of an output schema */
  content?: Json | undefined
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** Time of creation */
  created_at: EpochSeconds
  /** State of the run */
  status: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED"
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
  /** Answer of the model as sound */
  response_audio?: Audio | undefined
  /** Results of the steps, in their order */
  step_results?: Array<StepOutput> | undefined
  /** Runs of the agents and teams that the steps executed */
  step_executor_runs?: Array<{ [key: string]: Json }> | undefined
  /** Tokens, cost and seconds that were used */
  metrics?: WorkflowMetrics | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** Steps of the workflow that wait for a decision */
  step_requirements?: Array<StepRequirement> | undefined
  /** Failed steps that wait for a decision */
  error_requirements?: Array<ErrorRequirement> | undefined
  /** Index of the step that waits; a list of indexes for a nested step */
  paused_step_index?: number | Array<number> | undefined
  /** Name of the step that waits */
  paused_step_name?: string | undefined
  /** Whether a step waits, or the agent or team of a step */
  pause_kind?: "step" | "executor" | undefined
  /** Events of the run, if the component stores them */
  events?: Array<{ [key: string]: Json }> | undefined
}

export interface WorkflowRunOutput1 {
  /** Id of the run */
  run_id: string
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Id of the workflow's step that executed this run */
  workflow_step_id?: string | undefined
  /** Input of the run */
  input?: Json | undefined
  /** Answer: text, or the JSON value of an output schema */
  content?: Json | undefined
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** Time of creation */
  created_at: EpochSeconds
  /** State of the run */
  status: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED"
  /** Images, each with a URL or base64 content */
  images?: Array<Image> | undefined
  /** Videos, each with a URL or base64 content */
  videos?: Array<Video> | undefined
  /** Audio clips, each with a URL or base64 content */
  audio?: Array<Audio> | undefined
  /** Documents, each with a URL or content */
  files?: Array<FileMedia> | undefined
  /** Answer of the model as sound */
  response_audio?: Audio | undefined
  /** Results of the steps, in their order */
  step_results?: Array<StepOutput1> | undefined
  /** Runs of the agents and teams that the steps executed */
  step_executor_runs?: Array<{ [key: string]: Json }> | undefined
  /** Tokens, cost and seconds that were used */
  metrics?: WorkflowMetrics | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | undefined
  /** Steps of the workflow that wait for a decision */
  step_requirements?: Array<StepRequirement> | undefined
  /** Failed steps that wait for a decision */
  error_requirements?: Array<ErrorRequirement> | undefined
  /** Index of the step that waits; a list of indexes for a nested step */
  paused_step_index?: number | Array<number> | undefined
  /** Name of the step that waits */
  paused_step_name?: string | undefined
  /** Whether a step waits, or the agent or team of a step */
  pause_kind?: "step" | "executor" | undefined
  /** Events of the run, if the component stores them */
  events?: Array<{ [key: string]: Json }> | undefined
}

export interface WorkflowRunRecord {
  /** Id of the run */
  run_id: string
  /** Input of the run, as it was sent */
  run_input: string
  /** Events of the run, if the component stores them */
  events: Array<{ [key: string]: Json }>
  /** Id of the workflow */
  workflow_id: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id: string
  /** Answer: text, or the JSON object of an output schema. Other JSON values are text */
  content: string | { [key: string]: Json }
  /** Type of `content`: `str` for text, otherwise the name of the output schema */
  content_type: string
  /** State of the run */
  status: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED"
  /** Results of the steps, in their order */
  step_results: Array<StepOutput>
  /** Runs of the agents and teams that the steps executed */
  step_executor_runs: Array<{ [key: string]: Json }>
  /** Steps of the workflow that wait for a decision */
  step_requirements: Array<StepRequirement> | null
  /** Whether a step waits, or the agent or team of a step */
  pause_kind: "step" | "executor" | null
  /** Name of the step that waits */
  paused_step_name: string | null
  /** Index of the step that waits; a list of indexes for a nested step */
  paused_step_index: number | Array<number> | null
  /** Tokens, cost and seconds that were used */
  metrics: WorkflowMetrics | Json
  /** Time of creation */
  created_at: string
  /** Reasoning of the model, where its provider shows it */
  reasoning_content: string
  /** Steps of the reasoning */
  reasoning_steps: Array<Json>
  /** Passages of knowledge that the answer is based on */
  references: Array<Json>
  /** Sources that the model named */
  citations: Json | null
  /** Messages that the reasoning consists of */
  reasoning_messages: Array<Json>
  /** Images, each with a URL or base64 content */
  images: Array<Image>
  /** Videos, each with a URL or base64 content */
  videos: Array<Video>
  /** Audio clips, each with a URL or base64 content */
  audio: Array<Audio>
  /** Documents, each with a URL or content */
  files: Array<FileMedia>
  /** Answer of the model as sound */
  response_audio: Audio | null
}

export interface WorkflowSessionDetailSchema {
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Name of the session */
  session_name: string
  /** Id of the user to whom it belongs. An isolated caller sees only what is their own */
  user_id?: string | null | undefined
  /** Summary of the session. Null if there is none */
  session_summary?: SessionSummary | null | undefined
  /** State of the session, a JSON object that tools and instructions read and change */
  session_state?: { [key: string]: Json } | null | undefined
  /** JSON object of the caller. The service stores it and does not read it */
  metadata?: { [key: string]: Json } | null | undefined
  /** Time of creation */
  created_at?: string | null | undefined
  /** Time of the last change */
  updated_at?: string | null | undefined
  /** Id of the workflow */
  workflow_id?: string | null | undefined
  /** Name of the workflow */
  workflow_name?: string | null | undefined
  /** Name and state of the session */
  session_data?: { [key: string]: Json } | null | undefined
  /** Id and name of the workflow, at the time of the last run */
  workflow_data?: { [key: string]: Json } | null | undefined
}

export interface WorkflowStarted {
  /** Name of the event */
  event: "WorkflowStarted"
  /** Time of creation */
  created_at: EpochSeconds
  /** Id of the workflow */
  workflow_id: string
  /** Name of the workflow */
  workflow_name: string
  /** Id of the session, the conversation that runs belong to */
  session_id: string
  /** Id of the run */
  run_id: string
  /** Id of the run that started this one, as a team's run starts those of members */
  parent_run_id?: string | undefined
  /** Depth of a workflow in other workflows; 0 for the outermost */
  nested_depth: number
  /** Index of the event in its run, from 0. A client that reconnects sends the last one that it has */
  event_index: number
  /** Id of the step */
  step_id?: string | undefined
  /** Name of the step */
  step_name?: string | undefined
  /** Index of the step; a list of indexes for a nested step */
  step_index?: number | Array<number> | undefined
  /** Id of the step that contains this one */
  parent_step_id?: string | undefined
}

export interface WorkflowStep {
  /** Name of the step */
  name?: string | undefined
  /** Purpose of the step, in a sentence */
  description?: string | undefined
  /** Kind of the step */
  type: "Function" | "Step" | "Steps" | "Loop" | "Parallel" | "Condition" | "Router" | "Workflow"
  /** Agent of the step */
  agent?: AgentResponse | undefined
  /** Team of the step */
  team?: TeamResponse | undefined
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Steps, in their order */
  steps?: Array<WorkflowStep> | undefined
  /** Steps that are executed when the condition is false */
  else_steps?: Array<WorkflowStep> | undefined
}

export interface WorkflowSummaryResponse {
  /** Id of the workflow */
  id: string
  /** Display name of the workflow */
  name?: string | undefined
  /** Purpose of the workflow, in a sentence */
  description?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Whether a factory makes the component for each run */
  is_factory: boolean
  /** Whether the component is stored, and can be changed over HTTP */
  is_component: boolean
  /** JSON Schema of `factory_input` */
  factory_input_schema?: { [key: string]: Json } | undefined
  /** Version that runs use when they name none */
  current_version?: number | undefined
  /** A `draft` can be changed, and is run by its version only. A `published` version never changes */
  stage?: "draft" | "published" | undefined
}
