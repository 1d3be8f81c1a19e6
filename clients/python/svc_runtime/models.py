# Generated from the API's document by packages/client/scripts/Python.ts: npm run openapi
from __future__ import annotations

import os
from typing import Any, BinaryIO, Dict, List, Literal, NotRequired, Tuple, TypeAlias, TypedDict

Upload: TypeAlias = "str | os.PathLike[str] | BinaryIO | Tuple[str, bytes]"
"""A file: its path, an open file, or its name and bytes."""


class AgentDefaultTools(TypedDict):
    search_knowledge: NotRequired[bool]
    """Whether the model can search the knowledge with a tool"""


class AgentKnowledge(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_table: NotRequired[str]
    """Table of the contents"""
    enable_agentic_knowledge_filters: NotRequired[bool]
    """Whether the model chooses the filters of a search"""
    knowledge_filters: NotRequired[Any]
    """Filters that every search has"""


class AgentMemory(TypedDict):
    enable_agentic_memory: NotRequired[bool]
    """Whether the model changes memories with a tool"""
    update_memory_on_run: NotRequired[bool]
    """Whether memories are made after each run"""
    enable_user_memories: NotRequired[bool]
    """Whether memories are made after each run"""
    memory_table: NotRequired[str]
    """Table of the memories"""
    model: NotRequired[ModelResponse]
    """Model, as `provider:model`"""


class AgentModelOptions(TypedDict):
    model_settings: NotRequired[ModelSettings]
    """Settings of the requests to the model"""
    fallback_models: NotRequired[List[ModelResponse]]
    """Models that are requested, in this order, if the model fails"""
    offered_models: NotRequired[List[str]]
    """Models, as provider:model, that a request may choose for its run"""
    offered_settings: NotRequired[List[Literal["temperature", "max_output_tokens", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed", "stop_sequences", "reasoning_effort"]]]
    """Settings of the model that a request may choose for its run"""


class AgentReasoning(TypedDict):
    reasoning: NotRequired[bool]
    """Whether, and how, the model reasons before it answers"""
    reasoning_min_steps: NotRequired[int]
    """Smallest number of steps"""
    reasoning_max_steps: NotRequired[int]
    """Largest number of steps"""
    reasoning_model: NotRequired[ModelResponse]
    """Model that reasons"""


class AgentResponse(TypedDict):
    id: str
    """Id of the agent"""
    name: NotRequired[str]
    """Display name of the agent"""
    description: NotRequired[str]
    """Purpose of the agent, in a sentence"""
    role: NotRequired[str]
    """Task of the agent in a team"""
    introduction: NotRequired[str]
    """First message of a session"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    is_factory: bool
    """Whether a factory makes the component for each run"""
    is_component: bool
    """Whether the component is stored, and can be changed over HTTP"""
    model: NotRequired[ModelResponse]
    """Model of the agent"""
    model_options: NotRequired[AgentModelOptions]
    """Settings of the model, models that replace it if it fails, and what requests may choose"""
    tools: NotRequired[AgentTools]
    """Tool calls of the run"""
    sessions: NotRequired[AgentSessions]
    """Settings of sessions"""
    knowledge: NotRequired[AgentKnowledge]
    """Knowledge of the component"""
    memory: NotRequired[AgentMemory]
    """Settings of memories"""
    reasoning: NotRequired[AgentReasoning]
    """Whether, and how, the model reasons before it answers"""
    default_tools: NotRequired[AgentDefaultTools]
    """Tools that the service adds"""
    system_message: NotRequired[AgentSystemMessage]
    """Message to the model before the conversation"""
    response_settings: NotRequired[AgentResponseSettings]
    """Form of the answers, and repetitions"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    input_schema: NotRequired[Dict[str, Any]]
    """JSON Schema of the input"""
    run_schemas: NotRequired[AgentRunSchemas]
    """JSON Schemas of what a run is given beside its input"""
    factory_input_schema: NotRequired[Dict[str, Any]]
    """JSON Schema of `factory_input`"""
    current_version: NotRequired[int]
    """Version that runs use when they name none"""
    stage: NotRequired[Literal["draft", "published"]]
    """A `draft` can be changed, and is run by its version only. A `published` version never changes"""


class AgentResponseSettings(TypedDict):
    retries: NotRequired[int]
    """Number of times that a failed request to the model is repeated"""
    delay_between_retries: NotRequired[float]
    """Seconds before a repetition"""
    exponential_backoff: NotRequired[bool]
    """Whether each repetition waits twice as long"""
    output_schema_name: NotRequired[str]
    """Name of the output schema"""
    run_timeout: NotRequired[float]
    """Seconds that a run may execute, without its pauses"""
    token_limit: NotRequired[int]
    """Number of tokens after which no request to the model begins"""
    use_json_mode: NotRequired[bool]
    """Whether the model is asked for JSON without a schema"""


class AgentRunSchemas(TypedDict):
    session_state: NotRequired[Dict[str, Any]]
    """JSON Schema of the fields of the session state that a request sends"""
    dependencies: NotRequired[Dict[str, Any]]
    """JSON Schema of the dependencies"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON Schema of the metadata"""


class AgentSessionDetailSchema(TypedDict):
    agent_session_id: str
    """The same as `session_id`"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    session_name: str
    """Name of the session"""
    user_id: NotRequired[str | None]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    session_summary: NotRequired[SessionSummary | None]
    """Summary of the session. Null if there is none"""
    session_state: NotRequired[Dict[str, Any] | None]
    """State of the session, a JSON object that tools and instructions read and change"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""
    created_at: NotRequired[str | None]
    """Time of creation"""
    updated_at: NotRequired[str | None]
    """Time of the last change"""
    current_run_id: NotRequired[str | None]
    """Last run of the path of the session, its leaf. A request moves it: to a run of the session, or to start"""
    total_tokens: NotRequired[int | None]
    """Tokens that were read and written"""
    metrics: NotRequired[SessionMetrics | None]
    """Tokens, cost and seconds that were used"""
    chat_history: NotRequired[List[Message] | None]
    """Messages of all runs, oldest first"""
    agent_id: NotRequired[str | None]
    """Id of the agent"""
    agent_data: NotRequired[Dict[str, Any] | None]
    """Id and name of the agent, at the time of the last run"""


class AgentSessions(TypedDict):
    session_table: NotRequired[str]
    """Table of the sessions"""
    add_history_to_context: NotRequired[bool]
    """Whether the model sees earlier runs of the session"""
    num_history_runs: NotRequired[int]
    """Number of earlier runs that the model sees"""
    enable_session_summaries: NotRequired[bool]
    """Whether long sessions are summarized"""
    search_past_sessions: NotRequired[bool]
    """Whether the model can search other sessions of the user"""
    num_past_sessions_to_search: NotRequired[int]
    """Number of sessions that a search reads"""
    num_past_session_runs_in_search: NotRequired[int]
    """Number of runs of each session that a search reads"""


class AgentSummaryResponse(TypedDict):
    id: str
    """Id of the agent"""
    name: NotRequired[str]
    """Display name of the agent"""
    description: NotRequired[str]
    """Purpose of the agent, in a sentence"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    model: NotRequired[AgentSummaryResponseModel]
    """Model, as `provider:model`"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""


class AgentSystemMessage(TypedDict):
    system_message: NotRequired[str]
    """Message to the model before the conversation"""
    system_message_role: NotRequired[str]
    """Role of the message that the instructions are sent in"""
    build_context: NotRequired[bool]
    """Whether the service composes the instructions"""
    description: NotRequired[str]
    """Purpose of the agent, in a sentence"""
    instructions: NotRequired[str | List[str]]
    """Instructions for the model"""
    expected_output: NotRequired[str]
    """What a good answer is like"""
    additional_context: NotRequired[str]
    """Text after the instructions"""
    markdown: NotRequired[bool]
    """Whether the model is asked for Markdown"""
    add_name_to_context: NotRequired[bool]
    """Whether the model knows the name of the component"""
    add_datetime_to_context: NotRequired[bool]
    """Whether the model knows the time"""
    timezone_identifier: NotRequired[str]
    """Time zone of that time"""


class AgentToolSource(TypedDict):
    name: str
    """Name of the source of tools"""
    status: Literal["unused", "available", "failed"]
    """State of the source: `unused`, `available` or `failed`"""
    reason: NotRequired[str]
    """Why it ended"""


class AgentTools(TypedDict):
    tools: List[FunctionResponse]
    """Tool calls of the run"""
    tool_sources: NotRequired[List[AgentToolSource]]
    """What offers further tools to the runs, such as MCP servers, and whether it could be used"""
    tool_call_limit: NotRequired[int]
    """Largest number of tool calls in a run"""
    tool_choice: NotRequired[Literal["auto", "none", "required"] | AgentToolsToolChoice2]
    """Whether the model may, must or must not call tools"""


class AppliedMigration(TypedDict):
    version: int
    """Number of the migration"""
    name: str
    """Name of the migration"""
    applied_at: str
    """Time of the migration"""


class Approval(TypedDict):
    id: str
    """Id of the approval"""
    run_id: str
    """Id of the run"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    status: Literal["pending", "approved", "rejected", "expired", "cancelled"]
    """State of the approval"""
    source_type: Literal["agent", "team", "workflow"]
    """Kind of the component that asked for the approval"""
    approval_type: Literal["required", "audit"]
    """Kind of the approval: `required` pauses the run, `audit` only records the decision"""
    pause_type: Literal["confirmation", "user_input", "external_execution"]
    """What the run waits for"""
    tool_name: str | None
    """Name of the tool"""
    tool_args: Any
    """Arguments of the tool call. A person may change them with the decision"""
    expires_at: EpochSeconds | None
    """Time after which it is not valid any more. Null: it does not expire"""
    agent_id: str | None
    """Id of the agent"""
    team_id: str | None
    """Id of the team"""
    workflow_id: str | None
    """Id of the workflow"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    schedule_id: str | None
    """Id of the schedule"""
    schedule_run_id: str | None
    """Id of the schedule's run that waits"""
    source_name: str | None
    """Name of the component that asked for the approval"""
    requirements: List[Dict[str, Any]] | None
    """Tool calls that wait for a decision. Send them back with the decisions to continue the run"""
    context: ApprovalContext | None
    """What a person should know to decide"""
    resolution_data: Dict[str, Any] | None
    """What was sent with the decision: changed arguments, entered values, or a result"""
    resolved_by: str | None
    """User who decided"""
    resolved_at: EpochSeconds | None
    """Time of the decision. Null before"""
    created_at: EpochSeconds
    """Time of creation"""
    updated_at: EpochSeconds
    """Time of the last change"""
    run_status: Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"] | None
    """State of the run that waits"""


class ApprovalCount(TypedDict):
    count: int
    """Number of approvals"""


class ApprovalResolve(TypedDict):
    status: Literal["approved", "rejected"]
    """Decision of the person"""
    resolved_by: NotRequired[str | None]
    """User who decided"""
    resolution_data: NotRequired[Dict[str, Any] | None]
    """What was sent with the decision: changed arguments, entered values, or a result"""


class ApprovalStatus(TypedDict):
    approval_id: str
    """Id of the approval that the run waits for"""
    status: Literal["pending", "approved", "rejected", "expired", "cancelled"]
    """State of the approval"""
    run_id: str
    """Id of the run"""
    resolved_at: EpochSeconds | None
    """Time of the decision. Null before"""
    resolved_by: str | None
    """User who decided"""


class Audio(TypedDict):
    id: NotRequired[str]
    """Id of the media"""
    url: NotRequired[str]
    """Address of the resource"""
    filepath: NotRequired[str]
    """Path of the file on the client. The service opens no paths"""
    content: NotRequired[str]
    """Sound as base64"""
    format: NotRequired[str]
    """Format of the file"""
    mime_type: NotRequired[str]
    """Media type"""
    size: NotRequired[int]
    """Size in bytes"""
    duration: NotRequired[float]
    """Length in seconds"""
    sample_rate: NotRequired[int]
    """Samples of sound in a second"""
    channels: NotRequired[int]
    """Number of channels of sound"""
    transcript: NotRequired[str]
    """Words of the sound"""
    expires_at: NotRequired[int]
    """Time at which the provider forgets the sound, in seconds since 1970"""


class Caller(TypedDict):
    user_id: str | None
    """Id of the user that the credential names"""
    scopes: List[str] | None
    """Scopes of the credential. `null`: scopes do not limit the caller"""
    is_isolated: bool
    """Whether the caller sees only what is their own"""
    databases: List[str]
    """Ids of the databases of which the caller may choose one. The service's own is the first"""


class ChangedDataset(TypedDict):
    id: str
    """Id of the dataset"""
    name: str
    """Name of the dataset"""
    description: str | None
    """Purpose of the dataset, in a sentence"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    version: int
    """Number of the newest version of the dataset"""
    item_count: int
    """Number of items"""
    created_at: str
    """Time of creation"""
    updated_at: str
    """Time of the last change"""
    item_ids: List[str]
    """Ids of the items that were added or replaced, in their order"""


class Checkpoint(TypedDict):
    checkpoint_id: str | None
    """Number of the checkpoint in its run, from 1. Null if the place is not a checkpoint"""
    run_id: str
    """Id of the run"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    message_index: int
    """Number of messages before the place"""
    continue_from: int
    """Value for the field `continue_from` of a continue request"""
    status: str
    """State of the run at the checkpoint"""
    reason: Literal["checkpoint", "end", "snapshot"]
    """Whether it is a checkpoint, the end of the run, or any other message"""
    created_at: EpochSeconds
    """Time of creation"""
    message_id: str | None
    """Id of the last message before the place"""
    message_role: Literal["system", "developer", "user", "assistant", "tool"] | None
    """Author of the last message before the place"""
    message_preview: str | None
    """Beginning of the last message before the place"""
    is_latest: bool
    """Whether it is the last place of the run"""


class CheckpointSnapshot(TypedDict):
    checkpoint: Checkpoint
    """Place from which the run can be forked"""
    snapshot: RunOutput
    """The run as it was at the checkpoint"""


class Checkpoints(TypedDict):
    run_id: str
    """Id of the run"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    checkpoints: List[Checkpoint]
    """Places from which the run can be forked, oldest first"""


class ChunkerSchema(TypedDict):
    key: str
    """Key of the chunker"""
    name: str
    """Display name of the chunker"""
    description: str
    """How the chunker divides texts"""
    metadata: Dict[str, Any]
    """JSON object of the caller. The service stores it and does not read it"""


class Citations(TypedDict):
    raw: NotRequired[Any]
    """Citations as the provider sent them"""
    search_queries: NotRequired[List[str]]
    """Searches that the model made"""
    urls: NotRequired[List[CitationsUrlsItem]]
    """Web pages that the model cited"""
    documents: NotRequired[List[CitationsDocumentsItem]]
    """Documents that the model cited"""


class ComponentConfigResponse(TypedDict):
    component_id: str
    """Id of the component"""
    version: int
    """Number of the version of the component's config, from 1"""
    label: NotRequired[str]
    """Name of the version"""
    stage: Literal["draft", "published"]
    """A `draft` can be changed, and is run by its version only. A `published` version never changes"""
    config: NotRequired[Dict[str, Any]]
    """Config of the component: model, instructions, tools, steps"""
    notes: NotRequired[str]
    """What changed in this version"""
    created_at: EpochSeconds
    """Time of creation"""
    updated_at: NotRequired[EpochSeconds]
    """Time of the last change"""


class ComponentCreate(TypedDict):
    name: str
    """Display name of the component"""
    component_type: Literal["agent", "team", "workflow"]
    """Kind of the component: `agent`, `team` or `workflow`"""
    component_id: NotRequired[str | None]
    """Id of the component"""
    description: NotRequired[str | None]
    """Purpose of the component, in a sentence"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""
    config: NotRequired[Dict[str, Any] | None]
    """Config of the component: model, instructions, tools, steps"""
    label: NotRequired[str | None]
    """Name of the version"""
    stage: NotRequired[str | None]
    """A `draft` can be changed, and is run by its version only. A `published` version never changes"""
    notes: NotRequired[str | None]
    """What changed in this version"""


class ComponentDefinition(TypedDict):
    id: NotRequired[str | None]
    """Id of the component"""
    name: str
    """Display name of the component"""
    description: NotRequired[str | None]
    """Purpose of the component, in a sentence"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""
    label: NotRequired[str | None]
    """Name of the version"""
    stage: NotRequired[str | None]
    """A `draft` can be changed, and is run by its version only. A `published` version never changes"""
    notes: NotRequired[str | None]
    """What changed in this version"""


class ComponentDefinitionPatch(TypedDict):
    name: NotRequired[str | None]
    """Display name of the component"""
    description: NotRequired[str | None]
    """Purpose of the component, in a sentence"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""
    label: NotRequired[str | None]
    """Name of the version"""
    stage: NotRequired[str | None]
    """A `draft` can be changed, and is run by its version only. A `published` version never changes"""
    notes: NotRequired[str | None]
    """What changed in this version"""


class ComponentLink(TypedDict):
    link_kind: str
    """How it is used: as a member or as a step"""
    link_key: str
    """Key of the link in its kind"""
    child_component_id: str
    """Id of the component that is used"""
    child_version: NotRequired[int | None]
    """Version of the component that is used. Null: the current one"""
    position: NotRequired[int | None]
    """Place among the links of the same kind, from 0"""
    meta: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller"""


class ComponentResponse(TypedDict):
    component_id: str
    """Id of the component"""
    component_type: Literal["agent", "team", "workflow"]
    """Kind of the component: `agent`, `team` or `workflow`"""
    name: NotRequired[str]
    """Display name of the component"""
    description: NotRequired[str]
    """Purpose of the component, in a sentence"""
    current_version: NotRequired[int]
    """Version that runs use when they name none"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    created_at: EpochSeconds
    """Time of creation"""
    updated_at: NotRequired[EpochSeconds]
    """Time of the last change"""


class ComponentUpdate(TypedDict):
    name: NotRequired[str | None]
    """Display name of the component"""
    description: NotRequired[str | None]
    """Purpose of the component, in a sentence"""
    component_type: NotRequired[str | None]
    """Kind of the component: `agent`, `team` or `workflow`"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""
    current_version: NotRequired[int | None]
    """Version that runs use when they name none"""


class ConditionExecutionCompleted(TypedDict):
    event: Literal["ConditionExecutionCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    condition_result: bool
    """Whether the condition was true"""
    executed_steps: int
    """Number of steps that were executed"""
    branch: NotRequired[Literal["if", "else"]]
    """Which steps were executed: those of `if` or those of `else`"""
    step_results: List[StepOutput1]
    """Results of the steps, in their order"""


class ConditionExecutionStarted(TypedDict):
    event: Literal["ConditionExecutionStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    condition_result: bool
    """Whether the condition was true"""


class ConfigCreate(TypedDict):
    config: Dict[str, Any]
    """Config of the component: model, instructions, tools, steps"""
    label: NotRequired[str | None]
    """Name of the version"""
    stage: NotRequired[str | None]
    """A `draft` can be changed, and is run by its version only. A `published` version never changes"""
    notes: NotRequired[str | None]
    """What changed in this version"""
    links: NotRequired[List[ComponentLink] | None]
    """Components that this version uses"""


class ConfigResponse(TypedDict):
    os_id: str
    """Id of the service"""
    name: NotRequired[str]
    """Display name of the service"""
    description: NotRequired[str]
    """Purpose of the service or of the component, in a sentence"""
    available_models: List[str]
    """Models that requests can name"""
    os_database: NotRequired[str]
    """Id of the database of the service"""
    databases: List[str]
    """Ids of all databases"""
    chat: NotRequired[ConfigResponseChat]
    """Suggestions for a chat page"""
    manifest: NotRequired[Dict[str, ManifestEntry]]
    """What pages show about components, by id"""
    session: DomainConfig
    """Databases of sessions"""
    metrics: DomainConfig
    """Databases of metrics"""
    memory: DomainConfig
    """Databases of memories"""
    learning: DomainConfig
    """Databases of learnings"""
    knowledge: KnowledgeConfig
    """Databases and instances of knowledge"""
    evals: DomainConfig
    """Databases of evaluations"""
    traces: DomainConfig
    """Databases of traces"""
    agents: List[AgentSummaryResponse]
    """Agents of the service"""
    teams: List[TeamSummaryResponse]
    """Teams of the service"""
    workflows: List[WorkflowSummaryResponse]
    """Workflows of the service"""
    interfaces: List[Dict[str, Any]]
    """Protocols that the service speaks, with their paths"""


class ConfigUpdate(TypedDict):
    config: NotRequired[Dict[str, Any] | None]
    """Config of the component: model, instructions, tools, steps"""
    label: NotRequired[str | None]
    """Name of the version"""
    stage: NotRequired[str | None]
    """A `draft` can be changed, and is run by its version only. A `published` version never changes"""
    notes: NotRequired[str | None]
    """What changed in this version"""
    links: NotRequired[List[ComponentLink] | None]
    """Components that this version uses"""


class ContentForm(TypedDict):
    name: NotRequired[str]
    """Name of the content. Default: the name of the file"""
    description: NotRequired[str]
    """Subject of the content, in a sentence"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object. Another text is stored as its value"""
    url: NotRequired[str]
    """A web page, or a file on the web"""
    text_content: NotRequired[str]
    """A text. It wins over a file"""
    file: NotRequired[Upload]
    """File to upload"""
    reader_id: NotRequired[str]
    """The reader; without it the name and the type of the file choose one"""
    chunker: NotRequired[str]
    """The key of a chunker, as GET /knowledge/config lists them"""
    chunk_size: NotRequired[int]
    """Characters of a chunk"""
    chunk_overlap: NotRequired[int]
    """Characters that a chunk repeats from the one before"""


class ContentForm1(TypedDict):
    name: NotRequired[str]
    """Name of the content. Default: the name of the file"""
    description: NotRequired[str]
    """Subject of the content, in a sentence"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object. Another text is stored as its value"""
    url: NotRequired[str]
    """A web page, or a file on the web"""
    text_content: NotRequired[str]
    """A text. It wins over a file"""
    file: NotRequired[Upload]
    """File to upload"""
    reader_id: NotRequired[str]
    """The reader; without it the name and the type of the file choose one"""
    chunker: NotRequired[str]
    """The key of a chunker, as GET /knowledge/config lists them"""
    chunk_size: NotRequired[int]
    """Characters of a chunk"""
    chunk_overlap: NotRequired[int]
    """Characters that a chunk repeats from the one before"""


class ContentForm2(TypedDict):
    name: NotRequired[str]
    """Name of the content. Default: the name of the file"""
    description: NotRequired[str]
    """Subject of the content, in a sentence"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object. Another text is stored as its value"""
    url: NotRequired[str]
    """A web page, or a file on the web"""
    text_content: NotRequired[str]
    """A text. It wins over a file"""
    file: NotRequired[Upload]
    """File to upload"""
    reader_id: NotRequired[str]
    """The reader; without it the name and the type of the file choose one"""
    chunker: NotRequired[str]
    """The key of a chunker, as GET /knowledge/config lists them"""
    chunk_size: NotRequired[int]
    """Characters of a chunk"""
    chunk_overlap: NotRequired[int]
    """Characters that a chunk repeats from the one before"""


class ContentPatchForm(TypedDict):
    name: NotRequired[str]
    """Name of the content"""
    description: NotRequired[str]
    """Subject of the content, in a sentence"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object, merged into the stored metadata"""
    reader_id: NotRequired[str]
    """A reader of the knowledge base"""


class ContentPatchForm1(TypedDict):
    name: NotRequired[str]
    """Name of the content"""
    description: NotRequired[str]
    """Subject of the content, in a sentence"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object, merged into the stored metadata"""
    reader_id: NotRequired[str]
    """A reader of the knowledge base"""


class ContentPatchForm2(TypedDict):
    name: NotRequired[str]
    """Name of the content"""
    description: NotRequired[str]
    """Subject of the content, in a sentence"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object, merged into the stored metadata"""
    reader_id: NotRequired[str]
    """A reader of the knowledge base"""


class ContentResponseSchema(TypedDict):
    id: str
    """Id of the content"""
    name: str | None
    """Name of the content"""
    description: str | None
    """Subject of the content, in a sentence"""
    type: str | None
    """Media type; `manual` for texts and `url` for web pages"""
    size: str | None
    """Size in bytes, as text"""
    linked_to: str | None
    """Name of the knowledge instance"""
    metadata: Dict[str, Any] | None
    """JSON object of the caller. The service stores it and does not read it"""
    access_count: int | None
    """Always null: accesses are not counted"""
    status: Literal["processing", "completed", "failed"] | None
    """How far the content is processed"""
    status_message: str | None
    """How far the processing is, or why it failed"""
    created_at: str | None
    """Time of creation"""
    updated_at: str | None
    """Time of the last change"""


class ContentSource(TypedDict):
    id: str
    """Id of the source"""
    name: str
    """Display name of the source"""
    type: Literal["s3", "gcs", "sharepoint", "github", "azureblob"]
    """Kind of the source"""
    metadata: Dict[str, Any] | None
    """JSON object of the caller. The service stores it and does not read it"""
    prefix: str | None
    """Path of a folder"""


class ContentSourceFile(TypedDict):
    key: str
    """Path of the file in the source"""
    name: str
    """Name of the file"""
    size: int | None
    """Size in bytes"""
    last_modified: str | None
    """Time of the last change of the file"""
    content_type: str | None
    """Media type"""


class ContentSourceFiles(TypedDict):
    source_id: str
    """Id of the source"""
    source_name: str
    """Name of the source"""
    prefix: str
    """Path of a folder"""
    folders: List[ContentSourceFolder]
    """Folders in the folder"""
    files: List[ContentSourceFile]
    """Files of the folder"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class ContentSourceFolder(TypedDict):
    prefix: str
    """Path of a folder"""
    name: str
    """Name of the folder"""
    is_empty: bool
    """Whether the folder has no files"""


class ContentStatusResponse(TypedDict):
    id: str
    """Id of the content"""
    status: Literal["processing", "completed", "failed"]
    """How far the content is processed"""
    status_message: str
    """How far the processing is, or why it failed"""


class ContextTrimmed(TypedDict):
    event: Literal["ContextTrimmed"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    messages: int
    """Messages of the history that are left out"""
    tool_results: int
    """Results of tools that are left out"""
    media: NotRequired[int]
    """Images and documents of tools that are left out"""
    is_summarized: NotRequired[bool]
    """Whether a summary of the session stands in the place of earlier messages"""
    estimated_tokens: int
    """Tokens of the request, about"""


class ContinueForm(TypedDict):
    session_id: NotRequired[str]
    """The session of the run. Required"""
    tools: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the tools of the paused run, each with its decision"""
    requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the requirements of the paused run, each with its decision"""
    stream: NotRequired[bool]
    """Respond with server-sent events (the default) or with one JSON body"""
    background: NotRequired[bool]
    """Respond at once with 202 and the id of the run, unless streamed. Default false"""
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues or ends"""
    input: NotRequired[str]
    """Input for the model before the run resumes"""
    additional_instructions: NotRequired[str]
    """The same as input"""
    continue_from: NotRequired[str]
    """`end` (the default), `last_user`, or how many messages to keep"""
    fork: NotRequired[bool]
    """Continue in a new run, and leave this one as it is. Completed runs always do"""
    regenerate: NotRequired[bool]
    """Answer anew, in a new run"""
    replace_original: NotRequired[bool]
    """With regenerate: whether the answer that is given anew is left out from then on. Default true"""
    user_id: NotRequired[str]
    """For the factory of the component. The run keeps its user"""
    dependencies: NotRequired[str | Dict[str, Any]]
    """A JSON object, handed to instructions and tools of a new run"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object, kept with a new run"""
    memory: NotRequired[bool]
    """With false the run neither uses nor updates memories of the user"""
    knowledge_filters: NotRequired[Any]
    """A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found"""


class ContinueForm1(TypedDict):
    session_id: NotRequired[str]
    """The session of the run. Required"""
    tools: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the tools of the paused run, each with its decision"""
    requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the requirements of the paused run, each with its decision"""
    stream: NotRequired[bool]
    """Respond with server-sent events (the default) or with one JSON body"""
    background: NotRequired[bool]
    """Respond at once with 202 and the id of the run, unless streamed. Default false"""
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues or ends"""
    input: NotRequired[str]
    """Input for the model before the run resumes"""
    additional_instructions: NotRequired[str]
    """The same as input"""
    continue_from: NotRequired[str]
    """`end` (the default), `last_user`, or how many messages to keep"""
    fork: NotRequired[bool]
    """Continue in a new run, and leave this one as it is. Completed runs always do"""
    regenerate: NotRequired[bool]
    """Answer anew, in a new run"""
    replace_original: NotRequired[bool]
    """With regenerate: whether the answer that is given anew is left out from then on. Default true"""
    user_id: NotRequired[str]
    """For the factory of the component. The run keeps its user"""
    dependencies: NotRequired[str | Dict[str, Any]]
    """A JSON object, handed to instructions and tools of a new run"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object, kept with a new run"""
    memory: NotRequired[bool]
    """With false the run neither uses nor updates memories of the user"""
    knowledge_filters: NotRequired[Any]
    """A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found"""


class ContinueForm2(TypedDict):
    session_id: NotRequired[str]
    """The session of the run. Required"""
    tools: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the tools of the paused run, each with its decision"""
    requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the requirements of the paused run, each with its decision"""
    stream: NotRequired[bool]
    """Respond with server-sent events (the default) or with one JSON body"""
    background: NotRequired[bool]
    """Respond at once with 202 and the id of the run, unless streamed. Default false"""
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues or ends"""
    input: NotRequired[str]
    """Input for the model before the run resumes"""
    additional_instructions: NotRequired[str]
    """The same as input"""
    continue_from: NotRequired[str]
    """`end` (the default), `last_user`, or how many messages to keep"""
    fork: NotRequired[bool]
    """Continue in a new run, and leave this one as it is. Completed runs always do"""
    regenerate: NotRequired[bool]
    """Answer anew, in a new run"""
    replace_original: NotRequired[bool]
    """With regenerate: whether the answer that is given anew is left out from then on. Default true"""
    user_id: NotRequired[str]
    """For the factory of the component. The run keeps its user"""
    dependencies: NotRequired[str | Dict[str, Any]]
    """A JSON object, handed to instructions and tools of a new run"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object, kept with a new run"""
    memory: NotRequired[bool]
    """With false the run neither uses nor updates memories of the user"""
    knowledge_filters: NotRequired[Any]
    """A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found"""


class ContinueForm3(TypedDict):
    session_id: NotRequired[str]
    """The session of the run. Required"""
    tools: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the tools of the paused run, each with its decision"""
    requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the requirements of the paused run, each with its decision"""
    stream: NotRequired[bool]
    """Respond with server-sent events (the default) or with one JSON body"""
    background: NotRequired[bool]
    """Respond at once with 202 and the id of the run, unless streamed. Default false"""
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues or ends"""
    input: NotRequired[str]
    """Input for the model before the run resumes"""
    additional_instructions: NotRequired[str]
    """The same as input"""
    continue_from: NotRequired[str]
    """`end` (the default), `last_user`, or how many messages to keep"""
    fork: NotRequired[bool]
    """Continue in a new run, and leave this one as it is. Completed runs always do"""
    regenerate: NotRequired[bool]
    """Answer anew, in a new run"""
    replace_original: NotRequired[bool]
    """With regenerate: whether the answer that is given anew is left out from then on. Default true"""
    user_id: NotRequired[str]
    """For the factory of the component. The run keeps its user"""
    dependencies: NotRequired[str | Dict[str, Any]]
    """A JSON object, handed to instructions and tools of a new run"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object, kept with a new run"""
    memory: NotRequired[bool]
    """With false the run neither uses nor updates memories of the user"""
    knowledge_filters: NotRequired[Any]
    """A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found"""


class ContinueForm4(TypedDict):
    session_id: NotRequired[str]
    """The session of the run. Required"""
    tools: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the tools of the paused run, each with its decision"""
    requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the requirements of the paused run, each with its decision"""
    stream: NotRequired[bool]
    """Respond with server-sent events (the default) or with one JSON body"""
    background: NotRequired[bool]
    """Respond at once with 202 and the id of the run, unless streamed. Default false"""
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues or ends"""
    input: NotRequired[str]
    """Input for the model before the run resumes"""
    additional_instructions: NotRequired[str]
    """The same as input"""
    continue_from: NotRequired[str]
    """`end` (the default), `last_user`, or how many messages to keep"""
    fork: NotRequired[bool]
    """Continue in a new run, and leave this one as it is. Completed runs always do"""
    regenerate: NotRequired[bool]
    """Answer anew, in a new run"""
    replace_original: NotRequired[bool]
    """With regenerate: whether the answer that is given anew is left out from then on. Default true"""
    user_id: NotRequired[str]
    """For the factory of the component. The run keeps its user"""
    dependencies: NotRequired[str | Dict[str, Any]]
    """A JSON object, handed to instructions and tools of a new run"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object, kept with a new run"""
    memory: NotRequired[bool]
    """With false the run neither uses nor updates memories of the user"""
    knowledge_filters: NotRequired[Any]
    """A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found"""


class CreateSessionRequest(TypedDict):
    session_id: NotRequired[str | None]
    """Id of the session, the conversation that runs belong to"""
    session_name: NotRequired[str | None]
    """Name of the session"""
    session_state: NotRequired[Dict[str, Any] | None]
    """State of the session, a JSON object that tools and instructions read and change"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""
    user_id: NotRequired[str | None]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    agent_id: NotRequired[str | None]
    """Id of the agent"""
    team_id: NotRequired[str | None]
    """Id of the team"""
    workflow_id: NotRequired[str | None]
    """Id of the workflow"""


class CronPreview(TypedDict):
    timezone: str
    """Time zone of the cron expression"""
    times: List[EpochSeconds]
    """Next times, in their order"""


class CustomEvent(TypedDict):
    event: Literal["CustomEvent"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""


class DatabaseConfig(TypedDict):
    db_id: str
    """Id of the database that stores it. Default: the own database of the component"""
    domain_config: NotRequired[DatabaseConfigDomainConfig]
    """Display name"""
    tables: NotRequired[List[str]]
    """Tables of the database"""


class DatabaseNodes(TypedDict):
    db_id: str
    """Id of the database"""
    is_available: bool
    """Whether the database has replied"""
    waiting_runs: int
    """Number of runs that no node has"""
    nodes: List[Node]
    """Nodes with a heartbeat that have not handed over"""


class Dataset(TypedDict):
    id: str
    """Id of the dataset"""
    name: str
    """Name of the dataset"""
    description: str | None
    """Purpose of the dataset, in a sentence"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    version: int
    """Version of the dataset. Each change of its items makes one"""
    item_count: int
    """Number of items"""
    created_at: str
    """Time of creation"""
    updated_at: str
    """Time of the last change"""


class DatasetChange(TypedDict):
    put: NotRequired[List[DatasetItemInput] | None]
    """Items to add or to replace"""
    remove: NotRequired[List[str] | None]
    """Ids of the items to remove"""
    version: NotRequired[int | None]
    """Number of the newest version that the caller knows. The change is refused if there is a newer one"""


class DatasetInput(TypedDict):
    name: str
    """Name of the dataset"""
    description: NotRequired[str | None]
    """Purpose of the dataset, in a sentence"""
    items: NotRequired[List[DatasetItemInput] | None]
    """Items of version 2. Version 1 of a dataset has no items"""
    user_id: NotRequired[str | None]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""


class DatasetItem(TypedDict):
    id: str
    """Id of the item"""
    input: Any
    """Input of the run: text, or JSON"""
    expected_output: Any
    """Answer that scorers compare with"""
    expected_tool_calls: List[str | DatasetItemExpectedToolCallsItem2] | None
    """Tool calls that the run should make"""
    metadata: Dict[str, Any] | None
    """JSON object of the caller. The service stores it and does not read it"""
    version: int
    """Number of the first version of the dataset that has the item"""


class DatasetItemFromTrace(TypedDict):
    trace_id: NotRequired[str | None]
    """Id of the trace, 32 hexadecimal digits"""
    run_id: NotRequired[str | None]
    """Id of the run"""
    session_id: NotRequired[str | None]
    """Id of the session, the conversation that runs belong to"""
    id: NotRequired[str | None]
    """Id of the new item. Default: one that the service makes"""
    with_tool_calls: NotRequired[bool | None]
    """Whether the tool calls of the trace become expected ones"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""


class DatasetItemInput(TypedDict):
    id: NotRequired[str | None]
    """Id of the item. An item with the same id is replaced"""
    input: Any
    """Input of the run: text, or JSON"""
    expected_output: NotRequired[Any]
    """Answer that scorers compare with"""
    expected_tool_calls: NotRequired[List[str | DatasetItemInputExpectedToolCallsItem2] | None]
    """Tool calls that the run should make"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""
    version: NotRequired[int | None]
    """Ignored: a list shows items with it"""


class DatasetPatch(TypedDict):
    name: NotRequired[str | None]
    """Name of the dataset"""
    description: NotRequired[str | None]
    """Purpose of the dataset, in a sentence"""


class DayMetrics(TypedDict):
    id: str
    """Id of the day's figures"""
    agent_runs_count: int
    """Number of runs of agents"""
    agent_sessions_count: int
    """Number of sessions of agents"""
    team_runs_count: int
    """Number of runs of teams"""
    team_sessions_count: int
    """Number of sessions of teams"""
    workflow_runs_count: int
    """Number of runs of workflows"""
    workflow_sessions_count: int
    """Number of sessions of workflows"""
    users_count: int
    """Number of users"""
    token_metrics: DayTokens
    """Tokens of the day"""
    model_metrics: List[ModelRuns]
    """Runs of the day, by model"""
    date: str
    """Day, in UTC"""
    created_at: str
    """Time of creation"""
    updated_at: str
    """Time of the last change"""


class DayTokens(TypedDict):
    input_tokens: int
    """Tokens that the model read"""
    output_tokens: int
    """Tokens that the model wrote"""
    total_tokens: int
    """Tokens that were read and written"""
    audio_input_tokens: int
    """Tokens of sound that the model read"""
    audio_output_tokens: int
    """Tokens of sound that the model wrote"""
    audio_total_tokens: int
    """Tokens of sound that were read and written"""
    cache_read_tokens: int
    """Tokens that the provider read from its cache"""
    cache_write_tokens: int
    """Tokens that the provider wrote to its cache"""
    reasoning_tokens: int
    """Tokens of the reasoning, which are part of the output"""


class DefinedComponent(TypedDict):
    id: str
    """Id of the component"""
    component_id: str
    """Id of the component"""
    component_type: Literal["agent", "team", "workflow"]
    """Kind of the component: `agent`, `team` or `workflow`"""
    name: NotRequired[str]
    """Display name of the component"""
    description: NotRequired[str]
    """Purpose of the component, in a sentence"""
    current_version: NotRequired[int]
    """Version that runs use when they name none"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    created_at: EpochSeconds
    """Time of creation"""
    updated_at: NotRequired[EpochSeconds]
    """Time of the last change"""
    version: int
    """Number of the version of the component's config, from 1"""
    stage: Literal["draft", "published"]
    """A `draft` can be changed, and is run by its version only. A `published` version never changes"""


class DeleteMemoriesRequest(TypedDict):
    memory_ids: List[str]
    """Ids of the memories to delete"""
    user_id: NotRequired[str | None]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""


class DeleteSessionRequest(TypedDict):
    session_ids: List[str]
    """Ids of the sessions to delete"""
    session_types: List[Literal["agent", "team", "workflow"]]
    """Kinds of the sessions, one for each id"""


class DomainConfig(TypedDict):
    display_name: NotRequired[str]
    """Display name"""
    dbs: List[DatabaseConfig]
    """Databases, with their tables"""


class ErrorRequirement(TypedDict):
    step_id: str
    """Id of the step"""
    step_name: str
    """Name of the step"""
    step_index: int | List[int]
    """Index of the step; a list of indexes for a nested step"""
    error_message: str
    """Why the step failed"""
    error_type: str
    """Kind of the error"""
    retry_count: int
    """Number of times that the step was repeated"""
    decision: Literal["retry", "skip"] | None
    """Whether the failed step is repeated or skipped. Null is no decision yet"""


class ErrorResponse(TypedDict):
    detail: str
    """What was wrong with the request, and what to do"""
    error_code: Literal["BAD_REQUEST", "CONFLICT", "FORBIDDEN", "NOT_FOUND", "PAYLOAD_TOO_LARGE", "SERVICE_UNAVAILABLE", "TOO_MANY_REQUESTS", "UNAUTHENTICATED"]
    """Kind of the error, for programs"""


class EvalRun(TypedDict):
    id: str
    """Id of the evaluation"""
    agent_id: str | None
    """Id of the agent. Null in stored evaluations of the kind `agent_as_judge`"""
    model_id: str | None
    """Name of the model at its provider"""
    model_provider: str | None
    """Name of the provider of the model"""
    team_id: str | None
    """Id of the team. Null in stored evaluations of the kind `agent_as_judge`"""
    workflow_id: str | None
    """Id of the workflow"""
    name: str | None
    """Display name of the evaluation"""
    evaluated_component_name: str | None
    """Name of the component, for the kind `accuracy`"""
    eval_type: Literal["accuracy", "agent_as_judge", "performance", "reliability"]
    """Kind of the evaluation"""
    eval_data: Dict[str, Any]
    """Results. Their fields depend on `eval_type`; those of `performance` differ in the response to the POST"""
    eval_input: Dict[str, Any] | None
    """Settings of the evaluation"""
    created_at: str | None
    """Time of creation"""
    updated_at: str | None
    """Time of the last rename, or of the creation"""
    status: Literal["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"]
    """State of the evaluation"""
    runs_done: int
    """Number of runs that have ended"""
    runs_total: int
    """Number of runs of the evaluation"""
    error: str | None
    """Why the evaluation failed. Null or left out if it did not"""


class EvalRunAccepted(TypedDict):
    id: str
    """Id of the evaluation"""
    status: Literal["PENDING"]
    """State of the evaluation"""


class EvalRunInput(TypedDict):
    agent_id: NotRequired[str | None]
    """Id of the agent"""
    team_id: NotRequired[str | None]
    """Id of the team"""
    component_version: NotRequired[int | None]
    """Version of a stored component. Default: the current one"""
    model_id: NotRequired[str | None]
    """Name of the model at its provider"""
    model_provider: NotRequired[str | None]
    """Name of the provider of the model"""
    eval_type: Literal["accuracy", "agent_as_judge", "performance", "reliability"]
    """Kind of the evaluation"""
    input: str
    """Input that the component is given"""
    additional_guidelines: NotRequired[str | None]
    """Further instructions for the judge, at most 65,536 bytes"""
    additional_context: NotRequired[str | None]
    """Facts for the judge of `accuracy`, at most 65,536 bytes"""
    num_iterations: NotRequired[int | None]
    """Number of times that the input is run"""
    name: NotRequired[str | None]
    """Display name of the evaluation"""
    expected_output: NotRequired[str | None]
    """Answer that is right; `accuracy` needs it"""
    criteria: NotRequired[str | None]
    """What makes an answer good, in at most 65,536 bytes"""
    scoring_strategy: NotRequired[Literal["binary", "numeric"] | None]
    """Whether the judge says yes or no, or gives a number"""
    threshold: NotRequired[int | None]
    """Smallest score that passes, from 1 to 10, if `scoring_strategy` is `numeric`"""
    warmup_runs: NotRequired[int | None]
    """Number of runs before the measured ones"""
    expected_tool_calls: NotRequired[List[str] | None]
    """Tool calls that the run should make"""
    allow_additional_tool_calls: NotRequired[bool | None]
    """Whether other calls are allowed"""
    expected_tool_call_arguments: NotRequired[Dict[str, List[Dict[str, Any]] | Dict[str, Any]] | None]
    """Arguments that the calls must have, by the name of the tool"""
    background: NotRequired[bool | None]
    """Whether the response is sent at once, with 202, and the work is done in the background"""


class EvalRunRename(TypedDict):
    name: str
    """Display name of the evaluation"""


class EvalRunsRemove(TypedDict):
    eval_run_ids: List[str]
    """Ids of the evaluations to delete"""


class Experiment(TypedDict):
    id: str
    """Id of the experiment"""
    name: str | None
    """Display name of the experiment"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    dataset_id: str
    """Id of the dataset"""
    dataset_version: int
    """Version of the dataset"""
    component_version: str | None
    """Version of a stored component. Default: the current one"""
    scorers: List[ExperimentScorersItem | ExperimentScorersItem2 | ExperimentScorersItem3 | ExperimentScorersItem4 | ExperimentScorersItem5 | ExperimentScorersItem6]
    """Ways to rate the answers"""
    concurrency: int
    """Number of items that are executed at the same time"""
    status: Literal["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"]
    """State of the experiment"""
    items_done: int
    """Number of items that have a result"""
    items_total: int
    """Number of items"""
    error: str | None
    """Why the experiment failed. Null or left out if it did not"""
    summary: ExperimentSummary | None
    """Figures of all items. Null until the experiment is completed"""
    agent_id: str | None
    """Id of the agent"""
    team_id: str | None
    """Id of the team"""
    workflow_id: str | None
    """Id of the workflow"""
    created_at: str
    """Time of creation"""
    updated_at: str
    """Time of the end, or of the creation"""


class ExperimentComparison(TypedDict):
    base: str
    """Experiment that is compared with"""
    other: str
    """Experiment that is compared"""
    base_status: Literal["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"]
    """Status of the first experiment. Items without a result are missing until it has ended"""
    other_status: Literal["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"]
    """Status of the second experiment. Items without a result are missing until it has ended"""
    base_dataset_version: int
    """Version of the dataset of the first experiment"""
    other_dataset_version: int
    """Version of the dataset of the second experiment"""
    has_different_scorers: bool
    """Whether the scorers of the two differ, so that their results cannot be compared"""
    regressions: int
    """Number of items that are worse"""
    improvements: int
    """Number of items that are better"""
    unchanged: int
    """Number of items that are equal"""
    changed_items: int
    """Number of items that the versions of the dataset differ in, which are neither worse nor better"""
    unjudged: int
    """Number of items without a verdict of a judge in one of the two, which are neither worse nor better"""
    only_base: int
    """Number of items that only the first experiment has"""
    only_other: int
    """Number of items that only the second experiment has"""
    data: List[ExperimentDifference]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class ExperimentDifference(TypedDict):
    item_id: str
    """Id of the item"""
    input: str | None
    """Beginning of the item's input"""
    base: ExperimentDifferenceBase | None
    """Result in the first experiment. Null if it has none"""
    other: ExperimentDifferenceOther | None
    """Result in the second experiment. Null if it has none"""
    change: float | None
    """Score of the second one minus that of the first"""
    is_regression: bool
    """Whether it passed before and does not now, or has a lower score. False for results that cannot be compared"""
    is_item_changed: bool
    """Whether the versions of the dataset differ in the item's input or in what is expected of it"""
    is_unjudged: bool
    """Whether a judge gave no verdict on one of the two results"""


class ExperimentInput(TypedDict):
    dataset_id: str
    """Id of the dataset"""
    version: NotRequired[int | None]
    """Number of the version of the dataset. Default: the newest one"""
    agent_id: NotRequired[str | None]
    """Id of the agent"""
    team_id: NotRequired[str | None]
    """Id of the team"""
    workflow_id: NotRequired[str | None]
    """Id of the workflow"""
    component_version: NotRequired[int | str | None]
    """Version of a stored component, as a number or a text. Default: the current one. Any text for a registered component"""
    name: NotRequired[str | None]
    """Display name of the experiment"""
    scorers: List[ExperimentInputScorersItem | ExperimentInputScorersItem2 | ExperimentInputScorersItem3 | ExperimentInputScorersItem4 | ExperimentInputScorersItem5 | ExperimentInputScorersItem6]
    """Ways to rate the answers"""
    concurrency: NotRequired[int | None]
    """Number of items that are executed at the same time"""


class ExperimentItem(TypedDict):
    status: Literal["passed", "failed", "error"]
    """State of the item in the experiment"""
    score: float | None
    """Score, from 0 to 1"""
    scores: List[ExperimentItemScoresItem]
    """Scores, by scorer"""
    duration: float | None
    """Seconds from the start to the end"""
    tokens: float
    """Number of tokens"""
    cost: float | None
    """Price in US dollars. Null or left out if a price is not known"""
    unpriced_tokens: float | None
    """Tokens whose cost is not known. Null for results of older versions"""
    judge_tokens: float
    """Tokens that the judge used"""
    judge_cost: float | None
    """Price of the judge in US dollars. Null if it is not known"""
    item_id: str
    """Id of the item"""
    input: str | None
    """Beginning of the item's input"""
    run_id: str | None
    """Id of the run"""
    session_id: str | None
    """Id of the session, the conversation that runs belong to"""
    output: str | None
    """Beginning of the answer"""
    error: str | None
    """Why the item has no result. Null or left out if it has one"""


class ExperimentSummary(TypedDict):
    passed: int
    """Number of items that passed"""
    failed: int
    """Number of items that failed"""
    errors: int
    """Number of items whose run failed, or whose judge gave no verdict"""
    pass_rate: float
    """Share of the items that passed, from 0 to 1"""
    score: float | None
    """Score, from 0 to 1"""
    scores: Dict[str, float | None]
    """Scores, by scorer"""
    duration_p50: float | None
    """Seconds that half of the runs needed at most"""
    duration_p95: float | None
    """Seconds that 95 % of the runs needed at most"""
    tokens: float
    """Number of tokens"""
    cost: float | None
    """Price in US dollars. Null or left out if a price is not known"""
    unpriced_tokens: float | None
    """Tokens of the runs whose cost is not known. Null if an older version stored one of the results"""
    judge_tokens: float
    """Tokens that the judge used"""
    judge_cost: float | None
    """Price of the judge in US dollars. Null if it is not known"""


class Feedback(TypedDict):
    id: str
    """Id of the score"""
    run_id: str
    """Id of the run"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    source: Literal["user", "scorer"]
    """Whether a user or a scorer gave it"""
    key: str
    """Name of what is scored"""
    score: float | bool | str
    """Number, yes or no, or a word"""
    comment: str | None
    """Text beside the score"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    agent_id: str | None
    """Id of the agent"""
    team_id: str | None
    """Id of the team"""
    workflow_id: str | None
    """Id of the workflow"""
    created_at: str
    """Time of creation"""
    updated_at: str
    """Time of the last change"""


class FeedbackInput(TypedDict):
    score: float | bool | str
    """Number, yes or no, or a word"""
    comment: NotRequired[str | None]
    """Text beside the score"""
    key: NotRequired[str | None]
    """Name of what is scored"""
    user_id: NotRequired[str | None]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""


class FileMedia(TypedDict):
    id: NotRequired[str]
    """Id of the file"""
    url: NotRequired[str]
    """Address of the resource"""
    filepath: NotRequired[str]
    """Path of the file on the client. The service opens no paths"""
    content: NotRequired[str]
    """Content of the file: text, or base64"""
    format: NotRequired[str]
    """Format of the file"""
    mime_type: NotRequired[str]
    """Media type"""
    size: NotRequired[int]
    """Size in bytes"""
    file_type: NotRequired[str]
    """Kind of the file"""
    filename: NotRequired[str]
    """Name of the file"""
    name: NotRequired[str]
    """Name of the file"""


class FunctionResponse(TypedDict):
    name: str
    """Name of the tool"""
    description: NotRequired[str]
    """What the tool does, as the model reads it"""
    parameters: Dict[str, Any]
    """JSON Schema of the arguments"""
    strict: NotRequired[bool]
    """Whether the provider enforces the schema"""
    requires_confirmation: NotRequired[bool]
    """Whether a person has to confirm it"""
    external_execution: NotRequired[bool]
    """Whether the client executes the tool"""
    approval_type: NotRequired[Literal["required", "audit"]]
    """Kind of the approval: `required` pauses the run, `audit` only records the decision"""


class HealthResponse(TypedDict):
    status: Literal["ok"]
    """`ok`: the process is running"""
    instantiated_at: str
    """Time at which the process started"""


class HookApplied(TypedDict):
    event: Literal["HookApplied"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    hook_name: str
    """Name of the hook"""
    stage: Literal["before_run", "after_run", "before_model", "after_model", "before_tool", "after_tool"]
    """Where the hook was called"""
    action: Literal["changed", "answered", "rejected", "noted"]
    """What the hook has done"""
    reason: NotRequired[str]
    """Why it ended"""
    tool_call_id: NotRequired[str]
    """Id of the tool call, made by the model"""


class Image(TypedDict):
    id: NotRequired[str]
    """Id of the media"""
    url: NotRequired[str]
    """Address of the resource"""
    filepath: NotRequired[str]
    """Path of the file on the client. The service opens no paths"""
    content: NotRequired[str]
    """Image as base64"""
    format: NotRequired[str]
    """Format of the file"""
    mime_type: NotRequired[str]
    """Media type"""
    size: NotRequired[int]
    """Size in bytes"""
    detail: NotRequired[str]
    """How closely the model looks: `auto`, `low` or `high`"""
    original_prompt: NotRequired[str]
    """Prompt that the media was made from"""
    revised_prompt: NotRequired[str]
    """Prompt as the provider changed it"""
    alt_text: NotRequired[str]
    """Description of the image for people who do not see it"""


class InfoResponse(TypedDict):
    os_id: str
    """Id of the service"""
    name: str | None
    """Display name of the service"""
    version: str
    """Version of the service"""
    agno_version: str
    """Version of the interface, under the name that existing clients read"""
    agent_count: int
    """Number of agents"""
    team_count: int
    """Number of teams"""
    workflow_count: int
    """Number of workflows"""
    mcp: McpInfo
    """Where MCP clients connect"""
    auth_mode: Literal["none", "security_key", "jwt"]
    """How requests are authorized"""
    features: List[str]
    """Names of the features that the service has"""


class InternalErrorResponse(TypedDict):
    detail: str
    """What was wrong with the request, and what to do"""
    error_code: Literal["INTERNAL_SERVER_ERROR"]
    """Kind of the error, for programs"""
    request_id: str
    """Id of the request, as in the header `X-Request-Id` and in the log"""
    eval_run_id: NotRequired[str]
    """Id of the evaluation"""
    error: NotRequired[str]
    """Why the evaluation failed"""


class KnowledgeConfig(TypedDict):
    display_name: NotRequired[str]
    """Display name"""
    dbs: List[DatabaseConfig]
    """Databases, with their tables"""
    knowledge_instances: List[KnowledgeConfigKnowledgeInstancesItem]
    """Knowledge instances of the service"""


class KnowledgeConfigResponse(TypedDict):
    readers: Dict[str, ReaderSchema]
    """Readers by id"""
    readersForType: Dict[str, List[str]]
    """Ids of readers by file extension"""
    chunkers: Dict[str, ChunkerSchema]
    """Ways to cut contents into chunks, the default first"""
    filters: List[str]
    """Keys of metadata that contents have"""
    vector_dbs: List[VectorDbSchema]
    """Stores that hold the chunks"""
    remote_content_sources: List[ContentSource] | None
    """Places outside of the service that contents can be fetched from"""


class Learning(TypedDict):
    learning_id: str
    """Id of the learning"""
    learning_type: str
    """Type of the learning"""
    namespace: str | None
    """Name that separates learnings of the same type"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    agent_id: str | None
    """Id of the agent"""
    team_id: str | None
    """Id of the team"""
    session_id: str | None
    """Id of the session, the conversation that runs belong to"""
    entity_id: str | None
    """Id of the thing that the learning is about"""
    entity_type: str | None
    """Kind of the thing that the learning is about"""
    content: Dict[str, Any] | None
    """What was learned"""
    metadata: Dict[str, Any] | None
    """JSON object of the caller. The service stores it and does not read it"""
    created_at: EpochSeconds
    """Time of creation"""
    updated_at: EpochSeconds
    """Time of the last change"""


class LearningCreate(TypedDict):
    learning_type: str
    """Type of the learning"""
    content: Dict[str, Any]
    """What was learned, at most 64 KiB of JSON"""
    namespace: NotRequired[str | None]
    """Name that separates learnings of the same type"""
    user_id: NotRequired[str | None]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    agent_id: NotRequired[str | None]
    """Id of the agent"""
    team_id: NotRequired[str | None]
    """Id of the team"""
    session_id: NotRequired[str | None]
    """Id of the session, the conversation that runs belong to"""
    entity_id: NotRequired[str | None]
    """Id of the thing that the learning is about"""
    entity_type: NotRequired[str | None]
    """Kind of the thing that the learning is about"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""


class LearningPatch(TypedDict):
    content: NotRequired[Dict[str, Any] | None]
    """What was learned, at most 64 KiB of JSON. It replaces the stored one"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""


class LearningUser(TypedDict):
    user_id: str
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    last_learning_updated_at: EpochSeconds | None
    """Time of the last change of a learning"""


class LoopExecutionCompleted(TypedDict):
    event: Literal["LoopExecutionCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    total_iterations: int
    """Number of iterations"""
    max_iterations: int
    """Largest number of iterations"""
    all_results: List[List[StepOutput1]]
    """Results of the steps, by iteration"""


class LoopExecutionStarted(TypedDict):
    event: Literal["LoopExecutionStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    max_iterations: int
    """Largest number of iterations"""


class LoopIterationCompleted(TypedDict):
    event: Literal["LoopIterationCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    iteration: int
    """Number of the iteration"""
    max_iterations: int
    """Largest number of iterations"""
    iteration_results: List[StepOutput1]
    """Results of the steps of the iteration"""
    should_continue: bool
    """Whether another iteration follows"""


class LoopIterationStarted(TypedDict):
    event: Literal["LoopIterationStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    iteration: int
    """Number of the iteration"""
    max_iterations: int
    """Largest number of iterations"""


class ManifestEntry(TypedDict):
    description: NotRequired[str]
    """Purpose of the service or of the component, in a sentence"""
    labels: NotRequired[List[str]]
    """Words that pages show beside the component"""
    quick_prompts: NotRequired[List[str]]
    """Questions that a chat page suggests"""


class McpInfo(TypedDict):
    enabled: bool
    """Whether the endpoint is served"""
    path: str
    """Path of the endpoint"""
    oauth: McpInfoOauth | None
    """Whether, and by whom, MCP clients sign in"""


class MemoryUpdateCompleted(TypedDict):
    event: Literal["MemoryUpdateCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    memories: NotRequired[List[UserMemorySchema]]
    """Memories of the user after the change"""


class MemoryUpdateStarted(TypedDict):
    event: Literal["MemoryUpdateStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""


class Message(TypedDict):
    id: str
    """Id of the message"""
    content: NotRequired[str]
    """Text of the message"""
    from_history: bool
    """Whether the message comes from an earlier run of the session"""
    stop_after_tool_call: bool
    """Whether the run ends after this call, with its result as the answer"""
    role: Literal["system", "developer", "user", "assistant", "tool"]
    """Author of the message"""
    created_at: EpochSeconds
    """Time of creation"""
    name: NotRequired[str]
    """Name of the tool or of the author"""
    tool_call_id: NotRequired[str]
    """Id of the tool call, made by the model"""
    tool_name: NotRequired[str]
    """Name of the tool"""
    tool_args: NotRequired[Any]
    """Arguments of the tool call. A person may change them with the decision"""
    tool_call_error: NotRequired[bool]
    """Whether the call failed"""
    tool_calls: NotRequired[List[ToolCall]]
    """Tool calls that the model asked for"""
    reasoning_content: NotRequired[str]
    """Reasoning of the model, where its provider shows it"""
    redacted_reasoning_content: NotRequired[str]
    """Reasoning that the provider encrypted"""
    compressed_content: NotRequired[str]
    """Shorter form of the content that the model sees in later runs"""
    provider_data: NotRequired[Dict[str, Any]]
    """What the provider adds to the message, unchanged"""
    checkpoint_status: NotRequired[str]
    """State of the run at the checkpoint after this message"""
    checkpoint_created_at: NotRequired[EpochSeconds]
    """Time of the checkpoint after this message"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""
    audio_output: NotRequired[Audio]
    """Answer of the model as sound"""
    references: NotRequired[References]
    """Passages of knowledge that were given to the model with the message"""
    metrics: NotRequired[MessageMetrics]
    """Tokens and seconds of the message"""
    in_context: NotRequired[Literal["left_out", "unfinished"]]
    """`left_out` if later runs are not shown the message, because it was refused. `unfinished` if a later run is shown it although its own run was cancelled or failed"""


class MessageMetrics(TypedDict):
    input_tokens: NotRequired[int]
    """Tokens that the model read"""
    output_tokens: NotRequired[int]
    """Tokens that the model wrote"""
    total_tokens: NotRequired[int]
    """Tokens that were read and written"""
    audio_input_tokens: NotRequired[int]
    """Tokens of sound that the model read"""
    audio_output_tokens: NotRequired[int]
    """Tokens of sound that the model wrote"""
    audio_total_tokens: NotRequired[int]
    """Tokens of sound that were read and written"""
    cache_read_tokens: NotRequired[int]
    """Tokens that the provider read from its cache"""
    cache_write_tokens: NotRequired[int]
    """Tokens that the provider wrote to its cache"""
    reasoning_tokens: NotRequired[int]
    """Tokens of the reasoning, which are part of the output"""
    cost: NotRequired[float]
    """Price in US dollars. Null or left out if a price is not known"""
    time_to_first_token: NotRequired[float]
    """Seconds from the request to the first token"""
    duration: NotRequired[float]
    """Seconds from the start to the end"""


class Metrics(TypedDict):
    metrics: List[DayMetrics]
    """Figures, one entry for each day"""
    updated_at: str | None
    """Time of the last change"""


class MetricsRefreshStarted(TypedDict):
    status: Literal["started", "already_running"]
    """Whether the refresh was started, or another one is running"""
    message: str
    """Sentence for people about the refresh"""


class MetricsRefreshStatus(TypedDict):
    status: Literal["idle", "running", "completed", "failed"]
    """State of the last refresh"""
    started_at: str | None
    """Time of the start"""
    finished_at: str | None
    """Time of the end"""
    error: str | None
    """Why the last refresh failed. Null or left out if it did not"""


class Migration(TypedDict):
    version: int
    """Number of the migration"""
    name: str
    """Name of the migration"""


class MigrationResponse(TypedDict):
    message: str
    """Sentence for people about the migrations that were applied"""
    migrations: NotRequired[List[Migration]]
    """Migrations, oldest first"""


class MigrationStatus(TypedDict):
    db_id: str
    """Id of the database that stores it. Default: the own database of the component"""
    version: int | None
    """Number of the newest migration that the database has"""
    latest_version: int | None
    """Number of the newest migration"""
    applied: List[AppliedMigration]
    """Migrations that the database has"""
    pending: List[Migration]
    """Migrations that the database does not have yet"""


class MigrationsResponse(TypedDict):
    message: str
    """Sentence for people about the migrations that were applied"""
    migrations: NotRequired[Dict[str, List[Migration]]]
    """Migrations, oldest first"""


class Model(TypedDict):
    id: str
    """Name of the model at its provider"""
    provider: str
    """Name of the provider of the model"""


class ModelFallback(TypedDict):
    event: Literal["ModelFallback"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    model: str
    """Model, as `provider:model`"""
    model_provider: str
    """Name of the provider of the model"""
    fallback_model: str
    """Id of the model that is requested next"""
    fallback_model_provider: str
    """Provider of the model that is requested next"""
    reason: str
    """Why it ended"""


class ModelRequestCompleted(TypedDict):
    event: Literal["ModelRequestCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    model: str
    """Model, as `provider:model`"""
    model_provider: str
    """Name of the provider of the model"""
    input_tokens: int
    """Tokens that the model read"""
    output_tokens: int
    """Tokens that the model wrote"""
    total_tokens: int
    """Tokens that were read and written"""
    time_to_first_token: NotRequired[float]
    """Seconds from the request to the first token"""
    reasoning_tokens: int
    """Tokens of the reasoning, which are part of the output"""
    cache_read_tokens: int
    """Tokens that the provider read from its cache"""
    cache_write_tokens: int
    """Tokens that the provider wrote to its cache"""


class ModelRequestStarted(TypedDict):
    event: Literal["ModelRequestStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    model: str
    """Model, as `provider:model`"""
    model_provider: str
    """Name of the provider of the model"""


class ModelResponse(TypedDict):
    name: NotRequired[str]
    """Kind of the model"""
    model: NotRequired[str]
    """Name of the model at its provider"""
    provider: NotRequired[str]
    """Name of the provider of the model"""


class ModelRuns(TypedDict):
    model_id: str
    """Name of the model at its provider"""
    model_provider: str
    """Name of the provider of the model"""
    count: int
    """Number of runs"""


class ModelSettings(TypedDict):
    temperature: NotRequired[float]
    """From 0 to 2. Less is more predictable"""
    max_output_tokens: NotRequired[int]
    """Limit of the tokens of one answer, those of its reasoning included"""
    top_p: NotRequired[float]
    """Share of the most probable tokens that are considered, from 0 to 1"""
    top_k: NotRequired[int]
    """Number of the most probable tokens that are considered"""
    presence_penalty: NotRequired[float]
    """From -2 to 2. More leads to new subjects"""
    frequency_penalty: NotRequired[float]
    """From -2 to 2. More leads to fewer repetitions"""
    seed: NotRequired[int]
    """Number that makes answers repeatable, where the provider can"""
    stop_sequences: NotRequired[List[str]]
    """Texts at which the answer ends"""
    reasoning_effort: NotRequired[Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]]
    """How much the model reasons before it answers"""


class ModelUsage(TypedDict):
    id: str
    """Name of the model at its provider"""
    provider: str
    """Name of the provider of the model"""
    input_tokens: NotRequired[int]
    """Tokens that the model read"""
    output_tokens: NotRequired[int]
    """Tokens that the model wrote"""
    total_tokens: NotRequired[int]
    """Tokens that were read and written"""
    audio_input_tokens: NotRequired[int]
    """Tokens of sound that the model read"""
    audio_output_tokens: NotRequired[int]
    """Tokens of sound that the model wrote"""
    audio_total_tokens: NotRequired[int]
    """Tokens of sound that were read and written"""
    cache_read_tokens: NotRequired[int]
    """Tokens that the provider read from its cache"""
    cache_write_tokens: NotRequired[int]
    """Tokens that the provider wrote to its cache"""
    reasoning_tokens: NotRequired[int]
    """Tokens of the reasoning, which are part of the output"""
    cost: NotRequired[float]
    """Price in US dollars. Null or left out if a price is not known"""


class Node(TypedDict):
    node: str
    """Name of the node, and what tells its processes apart"""
    state: Literal["alive", "silent"]
    """`silent`: without a heartbeat for so long that other nodes take over its runs"""
    is_this_node: bool
    """Whether this node has responded to the request"""
    seconds_since_heartbeat: float
    """Time since the last heartbeat, in seconds"""
    runs: int
    """Number of runs that it executes, or that wait on it for their turn"""


class NotReadyResponseEncoded(TypedDict):
    detail: str
    """What was wrong with the request, and what to do"""
    error_code: Literal["SERVICE_UNAVAILABLE"]
    """Kind of the error, for programs"""
    reasons: List[Literal["database", "migrations", "draining"]]
    """Why the service accepts no work now"""


class OptimizeMemoriesRequest(TypedDict):
    user_id: str
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    model: NotRequired[str | None]
    """Model, as `provider:model`"""
    apply: NotRequired[bool | None]
    """Whether the result replaces the memories. Without it, the result is only shown"""


class OptimizeMemoriesResponse(TypedDict):
    memories: List[UserMemorySchema]
    """Memories of the result"""
    memories_before: int
    """Number of memories before"""
    memories_after: int
    """Number of memories after"""
    tokens_before: int
    """Tokens of the memories before"""
    tokens_after: int
    """Tokens of the memories after"""
    tokens_saved: int
    """Tokens that the result saves"""
    reduction_percentage: float
    """Part of the tokens that is saved, in percent"""


class PaginatedApprovals(TypedDict):
    data: List[Approval]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedComponents(TypedDict):
    data: List[ComponentResponse]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedContents(TypedDict):
    data: List[ContentResponseSchema]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedDatasetItems(TypedDict):
    data: List[DatasetItem]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedDatasets(TypedDict):
    data: List[Dataset]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedEvalRuns(TypedDict):
    data: List[EvalRun]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedExperimentItems(TypedDict):
    data: List[ExperimentItem]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedExperiments(TypedDict):
    data: List[Experiment]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedFeedback(TypedDict):
    data: List[Feedback]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedLearningUsers(TypedDict):
    data: List[LearningUser]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedLearnings(TypedDict):
    data: List[Learning]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedMemories(TypedDict):
    data: List[UserMemorySchema]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedRegistry(TypedDict):
    data: List[RegistryContentResponse]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedRuns(TypedDict):
    data: List[RunItem]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedScheduleRuns(TypedDict):
    data: List[ScheduleRun]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedSchedules(TypedDict):
    data: List[Schedule]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedSearchResults(TypedDict):
    data: List[VectorSearchResult]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedServiceAccounts(TypedDict):
    data: List[ServiceAccount]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedSessions(TypedDict):
    data: List[SessionSchema]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedTraceDetails(TypedDict):
    data: List[TraceDetail]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedTraceSessionStats(TypedDict):
    data: List[TraceSessionStats]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedTraceSessionStats1(TypedDict):
    data: List[TraceSessionStats]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedTraces(TypedDict):
    data: List[TraceSummary]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedUsage(TypedDict):
    data: List[UsageFigures]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedUserMemoryStats(TypedDict):
    data: List[UserStatsSchema]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedWebhookDeliveries(TypedDict):
    data: List[WebhookDelivery]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginatedWebhooks(TypedDict):
    data: List[Webhook]
    """Entries of this page"""
    meta: PaginationInfo
    """Position of this page in the whole list"""


class PaginationInfo(TypedDict):
    page: int
    """Number of the page, from 1"""
    limit: int
    """Largest number of entries on a page"""
    total_pages: int
    """Number of pages"""
    total_count: int
    """Number of entries on all pages"""
    search_time_ms: float
    """Milliseconds that the service took to find the entries"""


class ParallelExecutionCompleted(TypedDict):
    event: Literal["ParallelExecutionCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    parallel_step_count: int
    """Number of steps that are executed at the same time"""
    step_results: List[StepOutput1]
    """Results of the steps, in their order"""


class ParallelExecutionStarted(TypedDict):
    event: Literal["ParallelExecutionStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    parallel_step_count: int
    """Number of steps that are executed at the same time"""


class PartialRunRecord(TypedDict):
    run_id: NotRequired[str]
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    agent_id: str
    """Id of the agent"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    status: NotRequired[Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]]
    """State of the run"""
    run_input: NotRequired[str]
    """Input of the run, as it was sent"""
    content: NotRequired[str | Dict[str, Any]]
    """Answer: text, or the JSON object of an output schema. Other JSON values are text"""
    run_response_format: NotRequired[Literal["text", "json"]]
    """Whether the answer is text or JSON"""
    reasoning_content: NotRequired[str]
    """Reasoning of the model, where its provider shows it"""
    reasoning_steps: NotRequired[List[ReasoningStep]]
    """Steps of the reasoning"""
    metrics: NotRequired[RunMetrics]
    """Tokens, cost and seconds that were used"""
    messages: NotRequired[List[Message] | None]
    """Messages between the service and the model, oldest first"""
    tools: NotRequired[List[ToolExecution] | None]
    """Tool calls of the run"""
    events: NotRequired[List[Dict[str, Any]] | None]
    """Events of the run, if the component stores them"""
    created_at: NotRequired[str]
    """Time of creation"""
    references: NotRequired[List[References]]
    """Passages of knowledge that the answer is based on"""
    citations: NotRequired[Citations | None]
    """Sources that the model named"""
    context_trimmed: NotRequired[TrimmedContext]
    """What the last request to the model has left out"""
    finish_reason: NotRequired[FinishReason]
    """Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole"""
    reasoning_messages: NotRequired[List[Message]]
    """Messages that the reasoning consists of"""
    session_state: NotRequired[Dict[str, Any] | None]
    """State of the session, a JSON object that tools and instructions read and change"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""
    response_audio: NotRequired[Audio | None]
    """Answer of the model as sound"""
    input_media: NotRequired[PartialRunRecordInputMedia]
    """Images, videos, audio and files of the input"""
    followups: NotRequired[List[str] | None]
    """Questions that the user may ask next"""
    forked_from_run_id: NotRequired[str | None]
    """Run that this one was forked from"""
    forked_from_message_index: NotRequired[int | None]
    """Number of messages that were copied by the fork"""
    forked_from_session_id: NotRequired[str | None]
    """Session that this one was forked from"""
    regenerated_from: NotRequired[str | None]
    """Run whose answer this one replaces"""
    previous_run_id: NotRequired[str | None]
    """Run that this one comes after in its session"""
    is_on_path: NotRequired[bool]
    """Whether the run is on the path that leads to the leaf of its session"""
    last_checkpoint_at_message_index: NotRequired[int | None]
    """Number of messages before the last checkpoint"""


class PartialTeamRunRecord(TypedDict):
    run_id: NotRequired[str]
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    status: NotRequired[Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]]
    """State of the run"""
    run_input: NotRequired[str]
    """Input of the run, as it was sent"""
    content: NotRequired[str | Dict[str, Any]]
    """Answer: text, or the JSON object of an output schema. Other JSON values are text"""
    run_response_format: NotRequired[Literal["text", "json"]]
    """Whether the answer is text or JSON"""
    reasoning_content: NotRequired[str]
    """Reasoning of the model, where its provider shows it"""
    reasoning_steps: NotRequired[List[ReasoningStep]]
    """Steps of the reasoning"""
    metrics: NotRequired[RunMetrics]
    """Tokens, cost and seconds that were used"""
    messages: NotRequired[List[Message] | None]
    """Messages between the service and the model, oldest first"""
    tools: NotRequired[List[ToolExecution] | None]
    """Tool calls of the run"""
    events: NotRequired[List[Dict[str, Any]] | None]
    """Events of the run, if the component stores them"""
    created_at: NotRequired[str]
    """Time of creation"""
    references: NotRequired[List[References]]
    """Passages of knowledge that the answer is based on"""
    citations: NotRequired[Citations | None]
    """Sources that the model named"""
    context_trimmed: NotRequired[TrimmedContext]
    """What the last request to the model has left out"""
    finish_reason: NotRequired[FinishReason]
    """Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole"""
    reasoning_messages: NotRequired[List[Message]]
    """Messages that the reasoning consists of"""
    session_state: NotRequired[Dict[str, Any] | None]
    """State of the session, a JSON object that tools and instructions read and change"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""
    response_audio: NotRequired[Audio | None]
    """Answer of the model as sound"""
    input_media: NotRequired[PartialTeamRunRecordInputMedia]
    """Images, videos, audio and files of the input"""
    followups: NotRequired[List[str] | None]
    """Questions that the user may ask next"""
    forked_from_run_id: NotRequired[str | None]
    """Run that this one was forked from"""
    forked_from_message_index: NotRequired[int | None]
    """Number of messages that were copied by the fork"""
    forked_from_session_id: NotRequired[str | None]
    """Session that this one was forked from"""
    regenerated_from: NotRequired[str | None]
    """Run whose answer this one replaces"""
    previous_run_id: NotRequired[str | None]
    """Run that this one comes after in its session"""
    is_on_path: NotRequired[bool]
    """Whether the run is on the path that leads to the leaf of its session"""
    last_checkpoint_at_message_index: NotRequired[int | None]
    """Number of messages before the last checkpoint"""
    team_id: str
    """Id of the team"""


class PartialWorkflowRunRecord(TypedDict):
    run_id: NotRequired[str]
    """Id of the run"""
    previous_run_id: NotRequired[str | None]
    """Run that this one comes after in its session"""
    is_on_path: NotRequired[bool]
    """Whether the run is on the path that leads to the leaf of its session"""
    run_input: NotRequired[str]
    """Input of the run, as it was sent"""
    events: NotRequired[List[Dict[str, Any]]]
    """Events of the run, if the component stores them"""
    workflow_id: str
    """Id of the workflow"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    content: NotRequired[str | Dict[str, Any]]
    """Answer: text, or the JSON object of an output schema. Other JSON values are text"""
    content_type: NotRequired[str]
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    status: NotRequired[Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]]
    """State of the run"""
    step_results: NotRequired[List[StepOutput]]
    """Results of the steps, in their order"""
    step_executor_runs: NotRequired[List[Dict[str, Any]]]
    """Runs of the agents and teams that the steps executed"""
    step_requirements: NotRequired[List[StepRequirement] | None]
    """Steps of the workflow that wait for a decision"""
    pause_kind: NotRequired[Literal["step", "executor"] | None]
    """Whether a step waits, or the agent or team of a step"""
    paused_step_name: NotRequired[str | None]
    """Name of the step that waits"""
    paused_step_index: NotRequired[int | List[int] | None]
    """Index of the step that waits; a list of indexes for a nested step"""
    metrics: NotRequired[Any]
    """Tokens, cost and seconds that were used"""
    created_at: NotRequired[str]
    """Time of creation"""
    reasoning_content: NotRequired[str]
    """Reasoning of the model, where its provider shows it"""
    reasoning_steps: NotRequired[List[Any]]
    """Steps of the reasoning"""
    references: NotRequired[List[Any]]
    """Passages of knowledge that the answer is based on"""
    citations: NotRequired[Any]
    """Sources that the model named"""
    reasoning_messages: NotRequired[List[Any]]
    """Messages that the reasoning consists of"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""
    response_audio: NotRequired[Audio | None]
    """Answer of the model as sound"""


class PartlyMigratedResponse(TypedDict):
    message: str
    """Sentence for people about the migrations that were applied"""
    failed: Dict[str, str]
    """Errors by the id of the database"""


class Percentiles(TypedDict):
    p50: float | None
    """Value that half of the runs had at most"""
    p95: float | None
    """Value that 95 % of the runs had at most"""
    p99: float | None
    """Value that 99 % of the runs had at most"""


class PostHookCompleted(TypedDict):
    event: Literal["PostHookCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    post_hook_name: str
    """Name of the hook after the run"""


class PostHookStarted(TypedDict):
    event: Literal["PostHookStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    post_hook_name: str
    """Name of the hook after the run"""


class PreHookCompleted(TypedDict):
    event: Literal["PreHookCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    pre_hook_name: str
    """Name of the hook before the run"""
    run_input: RunInput
    """Input of the run, as it was sent"""


class PreHookStarted(TypedDict):
    event: Literal["PreHookStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    pre_hook_name: str
    """Name of the hook before the run"""
    run_input: RunInput
    """Input of the run, as it was sent"""


class ReaderSchema(TypedDict):
    id: str
    """Id of the reader"""
    name: str
    """Display name of the reader"""
    description: str
    """Which contents the reader reads"""
    chunkers: List[str]
    """Ways to cut contents into chunks, the default first"""


class ReadyResponse(TypedDict):
    status: Literal["ready"]
    """`ready`: the service accepts work"""


class ReasoningCompleted(TypedDict):
    event: Literal["ReasoningCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: ReasoningCompletedContent
    """Answer: text, or the JSON value of an output schema"""
    content_type: Literal["ReasoningSteps"]
    """Type of `content`: `str` for text, otherwise the name of the output schema"""


class ReasoningContentDelta(TypedDict):
    event: Literal["ReasoningContentDelta"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    reasoning_content: str
    """Next part of the reasoning"""


class ReasoningStarted(TypedDict):
    event: Literal["ReasoningStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""


class ReasoningStep(TypedDict):
    title: str | None
    """Title of the step"""
    action: str | None
    """What the model does in the step"""
    result: str | None
    """What the step resulted in"""
    reasoning: str | None
    """Why the model does it"""
    next_action: Literal["continue", "validate", "final_answer", "reset"] | None
    """What the model does next"""
    confidence: float | None
    """How sure the model is, from 0 to 1"""


class ReasoningStep1(TypedDict):
    event: Literal["ReasoningStep"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: ReasoningStep
    """Answer: text, or the JSON value of an output schema"""
    content_type: Literal["ReasoningStep"]
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    reasoning_content: str
    """Reasoning of the model, where its provider shows it"""


class Reference(TypedDict):
    content_id: str
    """Id of the content"""
    name: str | None
    """Name of the content"""
    content: str
    """Text of the passage"""
    chunk: int
    """Place of the passage in its content, from 1"""
    score: float
    """Score, from 0 to 1"""
    content_origin: str | None
    """Where the content comes from: a file name or a URL"""
    meta_data: Dict[str, Any]
    """Metadata of the content, and the place of the chunk in it"""


class References(TypedDict):
    query: str
    """Question or words to search for"""
    references: List[Reference]
    """Passages that the search has found, best first"""
    time: float
    """Seconds of the search"""


class RegistryContentResponse(TypedDict):
    name: str
    """Name that a config refers to"""
    type: Literal["tool", "model", "db", "vector_db", "schema", "function", "agent", "team", "knowledge", "memory_manager", "session_summary_manager"]
    """Kind of the entry"""
    id: NotRequired[str]
    """Id by which a config names the entry"""
    description: NotRequired[str]
    """Purpose of the entry, in a sentence"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""


class RemoteContentForm(TypedDict):
    config_id: str
    """The id of a source, as GET /knowledge/config lists them"""
    path: str
    """A file, or a folder if it ends in /"""
    source_params: NotRequired[str | Dict[str, Any]]
    """A JSON object, for sources that take parameters"""
    name: NotRequired[str]
    """Name of the content. Default: the path"""
    description: NotRequired[str]
    """Subject of the content, in a sentence"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object. Another text is stored as its value"""
    reader_id: NotRequired[str]
    """The reader; without it the name and the type of the file choose one"""
    chunker: NotRequired[str]
    """The key of a chunker, as GET /knowledge/config lists them"""
    chunk_size: NotRequired[int]
    """Characters of a chunk"""
    chunk_overlap: NotRequired[int]
    """Characters that a chunk repeats from the one before"""


class RemoteContentForm1(TypedDict):
    config_id: str
    """The id of a source, as GET /knowledge/config lists them"""
    path: str
    """A file, or a folder if it ends in /"""
    source_params: NotRequired[str | Dict[str, Any]]
    """A JSON object, for sources that take parameters"""
    name: NotRequired[str]
    """Name of the content. Default: the path"""
    description: NotRequired[str]
    """Subject of the content, in a sentence"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object. Another text is stored as its value"""
    reader_id: NotRequired[str]
    """The reader; without it the name and the type of the file choose one"""
    chunker: NotRequired[str]
    """The key of a chunker, as GET /knowledge/config lists them"""
    chunk_size: NotRequired[int]
    """Characters of a chunk"""
    chunk_overlap: NotRequired[int]
    """Characters that a chunk repeats from the one before"""


class RemoteContentForm2(TypedDict):
    config_id: str
    """The id of a source, as GET /knowledge/config lists them"""
    path: str
    """A file, or a folder if it ends in /"""
    source_params: NotRequired[str | Dict[str, Any]]
    """A JSON object, for sources that take parameters"""
    name: NotRequired[str]
    """Name of the content. Default: the path"""
    description: NotRequired[str]
    """Subject of the content, in a sentence"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object. Another text is stored as its value"""
    reader_id: NotRequired[str]
    """The reader; without it the name and the type of the file choose one"""
    chunker: NotRequired[str]
    """The key of a chunker, as GET /knowledge/config lists them"""
    chunk_size: NotRequired[int]
    """Characters of a chunk"""
    chunk_overlap: NotRequired[int]
    """Characters that a chunk repeats from the one before"""


class RemovedContent(TypedDict):
    id: str
    """Id of the content"""


class RemovedUserMemory(TypedDict):
    memories: int
    """Number of memories that were removed"""
    vectors: int
    """Number of vectors of memories that were removed"""
    learnings: int
    """Number of learnings that were removed"""
    summaries: int
    """Number of summaries of sessions that were removed"""
    jobs: int
    """Number of background jobs that were removed"""
    traces: int
    """Number of traces that were removed"""
    feedback: int
    """Number of scores that were removed"""


class RenameSessionRequest(TypedDict):
    session_name: str
    """Name of the session"""


class Requirement(TypedDict):
    id: str
    """Id of the requirement"""
    created_at: str
    """Time at which the run paused"""
    tool_execution: ToolExecution
    """Tool call that waits"""
    confirmation: NotRequired[bool]
    """Decision: true executes the call, false rejects it"""
    confirmation_note: NotRequired[str]
    """Why the call was rejected. The model sees it"""
    external_execution_result: NotRequired[str]
    """Result of a call that the client executed"""
    user_input_schema: NotRequired[Any]
    """Fields that a person has to fill"""
    user_feedback_schema: NotRequired[Any]
    """Questions that a person has to answer"""
    member_agent_id: NotRequired[str]
    """Id of the member whose call waits"""
    member_agent_name: NotRequired[str]
    """Name of the member whose call waits"""
    member_run_id: NotRequired[str]
    """Id of the member's run"""


class ResumeForm(TypedDict):
    last_event_index: NotRequired[int]
    """Index of the last event that the client has; later ones are sent"""
    session_id: NotRequired[str]
    """Id of the session, the conversation that runs belong to"""


class Root(TypedDict):
    name: str
    """Name of the service"""
    id: str
    """Id of the service"""
    version: str
    """Version of the interface"""


class RouterExecutionCompleted(TypedDict):
    event: Literal["RouterExecutionCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    selected_steps: List[str]
    """Names of the steps that were chosen"""
    executed_steps: int
    """Number of steps that were executed"""
    step_results: List[StepOutput1]
    """Results of the steps, in their order"""


class RouterExecutionStarted(TypedDict):
    event: Literal["RouterExecutionStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    selected_steps: List[str]
    """Names of the steps that were chosen"""


class RouterPaused(TypedDict):
    event: Literal["RouterPaused"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    available_choices: List[str]
    """Names of the steps that can be chosen"""
    user_input_message: NotRequired[str]
    """Question for the person who fills the fields"""
    allow_multiple_selections: bool
    """Whether more than one step can be chosen"""


class RunAccepted(TypedDict):
    run_id: str
    """Id of the run"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    status: Literal["PENDING"]
    """`PENDING`: the run is stored and executes in the background"""


class RunCancelled(TypedDict):
    event: Literal["RunCancelled"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    reason: str
    """Why it ended"""
    content: NotRequired[str]
    """Answer: text, or the JSON value of an output schema"""


class RunCompleted(TypedDict):
    event: Literal["RunCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: NotRequired[Any]
    """Answer: text, or the JSON value of an output schema"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    session_state: Dict[str, Any]
    """State of the session, a JSON object that tools and instructions read and change"""
    metrics: RunMetrics
    """Tokens, cost and seconds that were used"""
    reasoning_content: NotRequired[str]
    """Reasoning of the model, where its provider shows it"""
    reasoning_steps: NotRequired[List[ReasoningStep]]
    """Steps of the reasoning"""
    references: NotRequired[List[References]]
    """Passages of knowledge that the answer is based on"""
    citations: NotRequired[Citations]
    """Sources that the model named"""
    finish_reason: NotRequired[FinishReason]
    """Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""
    response_audio: NotRequired[Audio]
    """Answer of the model as sound"""


class RunContent(TypedDict):
    event: Literal["RunContent"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: NotRequired[Any]
    """Next part of the answer"""
    workflow_agent: bool
    """Whether the content comes from the agent of a workflow"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    reasoning_content: str
    """Reasoning of the model, where its provider shows it"""
    citations: NotRequired[Citations]
    """Sources that the model named"""
    image: NotRequired[Image]
    """Image of the answer"""


class RunContentCompleted(TypedDict):
    event: Literal["RunContentCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""


class RunContentPartial(TypedDict):
    event: Literal["RunContentPartial"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content_partial: Any
    """Structured answer so far, which replaces the one before. The events become rarer as it grows"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""


class RunContinued(TypedDict):
    event: Literal["RunContinued"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    tools: NotRequired[List[ToolExecution]]
    """Tool calls of the run"""


class RunError(TypedDict):
    event: Literal["RunError"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: NotRequired[str]
    """What failed, in a sentence"""
    error_type: NotRequired[str]
    """Kind of the error"""
    error_id: NotRequired[str]
    """Id of the error, as in the log"""


class RunForm(TypedDict):
    message: str
    """The input; JSON when the agent declares an input schema"""
    stream: NotRequired[bool]
    """Respond with server-sent events (the default) or with one JSON body"""
    background: NotRequired[bool]
    """Respond at once with 202 and the id of the run, unless streamed. Default false"""
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues (the default) or ends"""
    if_busy: NotRequired[Literal["queue", "reject", "interrupt"]]
    """What happens while another run of the session is executing: this one waits for its turn (the default), is refused with 409, or has the others cancelled"""
    previous_run_id: NotRequired[str]
    """The run of the session that this one comes after, or start, to come after no run. The last run of the path when left out"""
    evaluation: NotRequired[bool]
    """The run is rated: a session that it begins does not count in usage metrics. Needs the scope evals:write"""
    session_id: NotRequired[str]
    """Session of the run. Default: a new one"""
    user_id: NotRequired[str]
    """User of the run. A caller with a token of their own cannot name another one"""
    run_id: NotRequired[str]
    """Id for the run, chosen by the client. Default: one that the service makes"""
    version: NotRequired[int]
    """Version of a stored component. Default: the current one"""
    factory_input: NotRequired[str | Dict[str, Any]]
    """A JSON object for the factory that makes the agent; see factory_input_schema of the agent"""
    session_state: NotRequired[str | Dict[str, Any]]
    """A JSON object, merged into the stored state of the session"""
    dependencies: NotRequired[str | Dict[str, Any]]
    """A JSON object, handed to instructions and tools"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object, kept with the run"""
    output_schema: NotRequired[str | Dict[str, Any]]
    """A JSON Schema that the answer has to fit"""
    use_json_schema: NotRequired[bool]
    """Hand output_schema to the model as it is, without naming the type"""
    add_history_to_context: NotRequired[bool]
    """Show the model the earlier runs of the session"""
    add_dependencies_to_context: NotRequired[bool]
    """Show the model the dependencies"""
    add_session_state_to_context: NotRequired[bool]
    """Show the model the state of the session"""
    memory: NotRequired[bool]
    """With false the run neither uses nor updates memories of the user"""
    knowledge_filters: NotRequired[Any]
    """A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found"""
    client_tools: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of tools (name, description, parameters) that the client executes: the run pauses at a call"""
    earlier_messages: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of messages (role, content) that the model sees before the input. They are not stored"""
    model: NotRequired[str]
    """The model of this run as provider:model, one of offered_models of the component"""
    model_settings: NotRequired[str | Dict[str, Any]]
    """A JSON object of settings of the model, such as temperature: those in offered_settings of the component"""
    images: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of images with base64 content or a url"""
    audio: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of audio clips with base64 content or a url"""
    videos: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of videos with base64 content or a url"""
    input_files: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of documents with content or a url"""
    files: NotRequired[List[Upload]]
    """Files that are uploaded with the run, as parts of a form"""


class RunInput(TypedDict):
    input_content: Any
    """Text or JSON of the input"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    audios: NotRequired[List[Audio]]
    """Audio clips of the input"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""


class RunItem(TypedDict):
    run_id: str
    """Id of the run"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    status: Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]
    """State of the run"""
    agent_id: str | None
    """Id of the agent"""
    team_id: str | None
    """Id of the team"""
    workflow_id: str | None
    """Id of the workflow"""
    session_name: str | None
    """Name of the session"""
    created_at: str
    """Time of creation"""
    updated_at: str
    """Time of the last change"""


class RunMetrics(TypedDict):
    input_tokens: NotRequired[int]
    """Tokens that the model read"""
    output_tokens: NotRequired[int]
    """Tokens that the model wrote"""
    total_tokens: NotRequired[int]
    """Tokens that were read and written"""
    audio_input_tokens: NotRequired[int]
    """Tokens of sound that the model read"""
    audio_output_tokens: NotRequired[int]
    """Tokens of sound that the model wrote"""
    audio_total_tokens: NotRequired[int]
    """Tokens of sound that were read and written"""
    cache_read_tokens: NotRequired[int]
    """Tokens that the provider read from its cache"""
    cache_write_tokens: NotRequired[int]
    """Tokens that the provider wrote to its cache"""
    reasoning_tokens: NotRequired[int]
    """Tokens of the reasoning, which are part of the output"""
    cost: NotRequired[float]
    """Price in US dollars. Null or left out if a price is not known"""
    time_to_first_token: NotRequired[float]
    """Seconds from the request to the first token"""
    duration: NotRequired[float]
    """Seconds from the start to the end"""
    details: NotRequired[Dict[str, List[ModelUsage]]]
    """Usage by model, grouped by what the model was used for"""


class RunOutput(TypedDict):
    run_id: str
    """Id of the run"""
    agent_id: str
    """Id of the agent"""
    agent_name: NotRequired[str]
    """Name of the agent"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    workflow_step_id: NotRequired[str]
    """Id of the workflow's step that executed this run"""
    content: NotRequired[Any]
    """Answer: text, or the JSON value of an output schema"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    model: NotRequired[str]
    """Model, as `provider:model`"""
    model_provider: NotRequired[str]
    """Name of the provider of the model"""
    model_settings: NotRequired[ModelSettings]
    """Settings of the requests to the model"""
    session_state: NotRequired[Dict[str, Any]]
    """State of the session, a JSON object that tools and instructions read and change"""
    created_at: EpochSeconds
    """Time of creation"""
    status: Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]
    """State of the run"""
    metrics: NotRequired[RunMetrics]
    """Tokens, cost and seconds that were used"""
    messages: NotRequired[List[Message]]
    """Messages between the service and the model, oldest first"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    tools: NotRequired[List[ToolExecution]]
    """Tool calls of the run"""
    requirements: NotRequired[List[Requirement]]
    """Tool calls that wait for a decision. Send them back with the decisions to continue the run"""
    member_responses: NotRequired[List[Dict[str, Any]]]
    """Runs of the members, and of the components as tools, that the run called"""
    input: NotRequired[RunInput]
    """Input of the run"""
    reasoning_content: NotRequired[str]
    """Reasoning of the model, where its provider shows it"""
    reasoning_steps: NotRequired[List[ReasoningStep]]
    """Steps of the reasoning"""
    reasoning_messages: NotRequired[List[Message]]
    """Messages that the reasoning consists of"""
    references: NotRequired[List[References]]
    """Passages of knowledge that the answer is based on"""
    citations: NotRequired[Citations]
    """Sources that the model named"""
    context_trimmed: NotRequired[TrimmedContext]
    """What the last request to the model has left out"""
    finish_reason: NotRequired[FinishReason]
    """Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole"""
    followups: NotRequired[List[str]]
    """Questions that the user may ask next"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""
    response_audio: NotRequired[Audio]
    """Answer of the model as sound"""
    model_provider_data: NotRequired[Dict[str, Any]]
    """What the provider adds to its answer, unchanged"""
    last_checkpoint_at_message_index: NotRequired[int]
    """Number of messages before the last checkpoint"""
    forked_from_run_id: NotRequired[str]
    """Run that this one was forked from"""
    forked_from_message_index: NotRequired[int]
    """Number of messages that were copied by the fork"""
    forked_from_session_id: NotRequired[str]
    """Session that this one was forked from"""
    regenerated_from: NotRequired[str]
    """Run whose answer this one replaces"""
    events: NotRequired[List[Dict[str, Any]]]
    """Events of the run, if the component stores them"""


class RunPaused(TypedDict):
    event: Literal["RunPaused"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: str
    """Answer: text, or the JSON value of an output schema"""
    tools: List[ToolExecution]
    """Tool calls of the run"""
    requirements: List[Requirement]
    """Tool calls that wait for a decision. Send them back with the decisions to continue the run"""


class RunRecord(TypedDict):
    run_id: str
    """Id of the run"""
    parent_run_id: str
    """Id of the run that started this one, as a team's run starts those of members"""
    agent_id: str
    """Id of the agent"""
    user_id: str
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    status: Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]
    """State of the run"""
    run_input: str
    """Input of the run, as it was sent"""
    content: str | Dict[str, Any]
    """Answer: text, or the JSON object of an output schema. Other JSON values are text"""
    run_response_format: Literal["text", "json"]
    """Whether the answer is text or JSON"""
    reasoning_content: str
    """Reasoning of the model, where its provider shows it"""
    reasoning_steps: List[ReasoningStep]
    """Steps of the reasoning"""
    metrics: RunMetrics
    """Tokens, cost and seconds that were used"""
    messages: List[Message] | None
    """Messages between the service and the model, oldest first"""
    tools: List[ToolExecution] | None
    """Tool calls of the run"""
    events: List[Dict[str, Any]] | None
    """Events of the run, if the component stores them"""
    created_at: str
    """Time of creation"""
    references: List[References]
    """Passages of knowledge that the answer is based on"""
    citations: Citations | None
    """Sources that the model named"""
    context_trimmed: NotRequired[TrimmedContext]
    """What the last request to the model has left out"""
    finish_reason: NotRequired[FinishReason]
    """Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole"""
    reasoning_messages: List[Message]
    """Messages that the reasoning consists of"""
    session_state: Dict[str, Any] | None
    """State of the session, a JSON object that tools and instructions read and change"""
    images: List[Image]
    """Images, each with a URL or base64 content"""
    videos: List[Video]
    """Videos, each with a URL or base64 content"""
    audio: List[Audio]
    """Audio clips, each with a URL or base64 content"""
    files: List[FileMedia]
    """Documents, each with a URL or content"""
    response_audio: Audio | None
    """Answer of the model as sound"""
    input_media: RunRecordInputMedia
    """Images, videos, audio and files of the input"""
    followups: List[str] | None
    """Questions that the user may ask next"""
    forked_from_run_id: str | None
    """Run that this one was forked from"""
    forked_from_message_index: int | None
    """Number of messages that were copied by the fork"""
    forked_from_session_id: str | None
    """Session that this one was forked from"""
    regenerated_from: str | None
    """Run whose answer this one replaces"""
    previous_run_id: NotRequired[str | None]
    """Run that this one comes after in its session"""
    is_on_path: NotRequired[bool]
    """Whether the run is on the path that leads to the leaf of its session"""
    last_checkpoint_at_message_index: int | None
    """Number of messages before the last checkpoint"""


class RunStarted(TypedDict):
    event: Literal["RunStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    model: str
    """Model, as `provider:model`"""
    model_provider: str
    """Name of the provider of the model"""


class Schedule(TypedDict):
    id: str
    """Id of the schedule"""
    name: str
    """Name of the schedule"""
    description: str | None
    """Purpose of the schedule, in a sentence"""
    method: str
    """HTTP method of the request"""
    endpoint: str
    """Path of the request that the service sends to itself"""
    payload: Dict[str, Any] | None
    """Fields of the request"""
    cron_expr: str
    """Times, as a cron expression with five fields"""
    timezone: str
    """Time zone of the cron expression"""
    timeout_seconds: int
    """Seconds after which an attempt is cancelled"""
    max_retries: int
    """Number of times that a failed attempt is repeated"""
    retry_delay_seconds: int
    """Seconds before a repetition"""
    catch_up: Literal["skip", "one", "all"]
    """What happens to times that passed while no node was running"""
    catch_up_window_seconds: int
    """Seconds into the past in which such times are found"""
    overlap: Literal["allow", "skip", "queue", "cancel"]
    """What happens at a time while the run before is still executing"""
    jitter_seconds: int
    """Largest number of seconds by which a start is delayed at random"""
    enabled: bool
    """Whether it is active"""
    consecutive_failures: int
    """Number of failures since the last success"""
    paused_reason: str | None
    """Why the service disabled the schedule"""
    next_run_at: EpochSeconds | None
    """Next time. Null if there is none"""
    created_at: EpochSeconds
    """Time of creation"""
    updated_at: EpochSeconds | None
    """Time of the last change"""


class ScheduleCreate(TypedDict):
    name: str
    """Name of the schedule"""
    cron_expr: str
    """Times, as a cron expression with five fields"""
    endpoint: str
    """Path of the request that the service sends to itself"""
    method: NotRequired[str]
    """HTTP method of the request"""
    description: NotRequired[str | None]
    """Purpose of the schedule, in a sentence"""
    payload: NotRequired[Dict[str, Any] | None]
    """Fields of the request"""
    timezone: NotRequired[str]
    """Time zone of the cron expression"""
    timeout_seconds: NotRequired[int]
    """Seconds after which an attempt is cancelled"""
    max_retries: NotRequired[int]
    """Number of times that a failed attempt is repeated"""
    retry_delay_seconds: NotRequired[int]
    """Seconds before a repetition"""
    catch_up: NotRequired[Literal["skip", "one", "all"]]
    """What happens to times that passed while no node was running"""
    catch_up_window_seconds: NotRequired[int]
    """Seconds into the past in which such times are found"""
    overlap: NotRequired[Literal["allow", "skip", "queue", "cancel"]]
    """What happens at a time while the run before is still executing"""
    jitter_seconds: NotRequired[int]
    """Largest number of seconds by which a start is delayed at random"""


class SchedulePreview(TypedDict):
    schedule_id: str
    """Id of the schedule"""
    timezone: str
    """Time zone of the cron expression"""
    times: List[EpochSeconds]
    """Next times, in their order"""


class ScheduleRun(TypedDict):
    id: str
    """Id of the schedule's run"""
    schedule_id: str
    """Id of the schedule"""
    attempt: int
    """Number of the attempt, from 1"""
    triggered_at: EpochSeconds | None
    """Time at which the request was sent"""
    completed_at: EpochSeconds | None
    """Time of the end. Null while it executes"""
    status: Literal["running", "success", "failed", "paused", "cancelled"]
    """State of the schedule's run"""
    status_code: int | None
    """HTTP status of the response. Null if there was no response"""
    run_id: str | None
    """Id of the run that the request started"""
    session_id: str | None
    """Id of the session, the conversation that runs belong to"""
    error: str | None
    """Why the schedule's run failed. Null or left out if it did not"""
    input: Dict[str, Any] | None
    """Request that was sent"""
    output: Dict[str, Any] | None
    """Response to the request"""
    requirements: List[Any] | None
    """Tool calls that wait for a decision. Send them back with the decisions to continue the run"""
    created_at: EpochSeconds
    """Time of creation"""


class ScheduleState(TypedDict):
    id: str
    """Id of the schedule"""
    name: str
    """Name of the schedule"""
    enabled: bool
    """Whether it is active"""
    next_run_at: EpochSeconds | None
    """Next time. Null if there is none"""
    updated_at: EpochSeconds | None
    """Time of the last change"""


class ScheduleUpdate(TypedDict):
    name: NotRequired[str]
    """Name of the schedule"""
    cron_expr: NotRequired[str]
    """Times, as a cron expression with five fields"""
    endpoint: NotRequired[str]
    """Path of the request that the service sends to itself"""
    method: NotRequired[str]
    """HTTP method of the request"""
    description: NotRequired[str | None]
    """Purpose of the schedule, in a sentence"""
    payload: NotRequired[Dict[str, Any] | None]
    """Fields of the request"""
    timezone: NotRequired[str]
    """Time zone of the cron expression"""
    timeout_seconds: NotRequired[int]
    """Seconds after which an attempt is cancelled"""
    max_retries: NotRequired[int]
    """Number of times that a failed attempt is repeated"""
    retry_delay_seconds: NotRequired[int]
    """Seconds before a repetition"""
    catch_up: NotRequired[Literal["skip", "one", "all"]]
    """What happens to times that passed while no node was running"""
    catch_up_window_seconds: NotRequired[int]
    """Seconds into the past in which such times are found"""
    overlap: NotRequired[Literal["allow", "skip", "queue", "cancel"]]
    """What happens at a time while the run before is still executing"""
    jitter_seconds: NotRequired[int]
    """Largest number of seconds by which a start is delayed at random"""


class SearchPage(TypedDict):
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""


class ServiceAccount(TypedDict):
    id: str
    """Id of the service account"""
    name: str
    """Name of the service account"""
    principal: str
    """User id of its requests"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    token_prefix: str
    """Beginning of the token, to recognize it by"""
    scopes: List[str]
    """Scopes that the token has"""
    created_at: EpochSeconds
    """Time of creation"""
    expires_at: EpochSeconds | None
    """Time after which it is not valid any more. Null: it does not expire"""
    last_used_at: EpochSeconds | None
    """Time of the last request. Null if there was none"""
    revoked_at: EpochSeconds | None
    """Time at which the token was revoked. Null if it is valid"""
    created_by: str | None
    """User who created it"""


class ServiceAccountCreate(TypedDict):
    name: str
    """Name of the service account"""
    scopes: NotRequired[List[str | ServiceAccountCreateScopesItem2] | None]
    """Scopes that the token has"""
    expires_in_days: NotRequired[int | None]
    """Days until the token expires. 90 when left out"""
    never_expires: NotRequired[bool]
    """Whether the token does not expire"""
    allow_privileged_scopes: NotRequired[bool]
    """Has to be true for scopes that give away all rights"""


class ServiceAccountCreated(TypedDict):
    id: str
    """Id of the service account"""
    name: str
    """Name of the service account"""
    principal: str
    """User id of its requests"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    token_prefix: str
    """Beginning of the token, to recognize it by"""
    scopes: List[str]
    """Scopes that the token has"""
    created_at: EpochSeconds
    """Time of creation"""
    expires_at: EpochSeconds | None
    """Time after which it is not valid any more. Null: it does not expire"""
    last_used_at: EpochSeconds | None
    """Time of the last request. Null if there was none"""
    revoked_at: EpochSeconds | None
    """Time at which the token was revoked. Null if it is valid"""
    created_by: str | None
    """User who created it"""
    token: str
    """Token. It is shown only once"""


class SessionForked(TypedDict):
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    forked_from_session_id: str
    """Session that this one was forked from"""


class SessionMetrics(TypedDict):
    input_tokens: NotRequired[int]
    """Tokens that the model read"""
    output_tokens: NotRequired[int]
    """Tokens that the model wrote"""
    total_tokens: NotRequired[int]
    """Tokens that were read and written"""
    audio_input_tokens: NotRequired[int]
    """Tokens of sound that the model read"""
    audio_output_tokens: NotRequired[int]
    """Tokens of sound that the model wrote"""
    audio_total_tokens: NotRequired[int]
    """Tokens of sound that were read and written"""
    cache_read_tokens: NotRequired[int]
    """Tokens that the provider read from its cache"""
    cache_write_tokens: NotRequired[int]
    """Tokens that the provider wrote to its cache"""
    reasoning_tokens: NotRequired[int]
    """Tokens of the reasoning, which are part of the output"""
    cost: NotRequired[float]
    """Price in US dollars. Null or left out if a price is not known"""
    details: NotRequired[Dict[str, List[ModelUsage]]]
    """Usage by model, grouped by what the model was used for"""


class SessionSchema(TypedDict):
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    session_name: str
    """Name of the session"""
    session_state: NotRequired[Dict[str, Any]]
    """State of the session, a JSON object that tools and instructions read and change"""
    created_at: NotRequired[str]
    """Time of creation"""
    updated_at: NotRequired[str]
    """Time of the last change"""
    session_type: NotRequired[Literal["agent", "team", "workflow"]]
    """Kind of the component that the session belongs to"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    session_summary: NotRequired[SessionSummary]
    """Summary of the session. Null if there is none"""
    metrics: NotRequired[SessionMetrics]
    """Tokens, cost and seconds that were used"""
    total_tokens: NotRequired[int]
    """Tokens that were read and written"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""


class SessionSummary(TypedDict):
    summary: str
    """Summary of the conversation"""
    topics: NotRequired[List[str]]
    """Words that say what it is about"""
    updated_at: NotRequired[str]
    """Time of the last change"""


class SessionSummaryCompleted(TypedDict):
    event: Literal["SessionSummaryCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    session_summary: NotRequired[SessionSummary]
    """Summary of the session. Null if there is none"""


class SessionSummaryStarted(TypedDict):
    event: Literal["SessionSummaryStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""


class StepCompleted(TypedDict):
    event: Literal["StepCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    content: NotRequired[Any]
    """Answer: text, or the JSON value of an output schema"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    step_response: StepOutput1
    """Result of the step"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""


class StepContinued(TypedDict):
    event: Literal["StepContinued"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""


class StepError(TypedDict):
    event: Literal["StepError"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    error: str
    """Why the step failed"""


class StepExecutorContinued(TypedDict):
    event: Literal["StepExecutorContinued"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    executor_id: str
    """Id of the agent or team that the step executes"""
    executor_name: str
    """Name of what the step executes"""
    executor_run_id: str
    """Id of the run that the step executes"""
    executor_type: Literal["agent", "team"]
    """Kind of what the step executes"""


class StepExecutorPaused(TypedDict):
    event: Literal["StepExecutorPaused"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    executor_id: str
    """Id of the agent or team that the step executes"""
    executor_name: str
    """Name of what the step executes"""
    executor_run_id: str
    """Id of the run that the step executes"""
    executor_type: Literal["agent", "team"]
    """Kind of what the step executes"""
    executor_requirements: List[Any]
    """Tool calls of the step's agent or team that wait for a decision"""


class StepInputField(TypedDict):
    name: str
    """Name of the field"""
    field_type: Literal["str", "int", "float", "bool"]
    """Type of the value"""
    description: str | None
    """Text that asks a person for the value"""
    value: Any
    """Value that was entered. Null before"""
    required: bool
    """Whether the field has to be filled"""
    allowed_values: NotRequired[List[Any]]
    """Values that can be entered. Default: any"""


class StepMetrics(TypedDict):
    step_name: str
    """Name of the step"""
    executor_type: str
    """Kind of what the step executes"""
    executor_name: str
    """Name of what the step executes"""
    metrics: RunMetrics
    """Tokens, cost and seconds that were used"""


class StepOutput(TypedDict):
    content: Any
    """Answer: text, or the JSON value of an output schema"""
    step_name: str
    """Name of the step"""
    step_id: str
    """Id of the step"""
    step_type: Literal["Function", "Step", "Steps", "Loop", "Parallel", "Condition", "Router", "Workflow"]
    """Kind of the step"""
    executor_type: Literal["function", "agent", "team", "workflow", "parallel"] | None
    """Kind of what the step executes"""
    executor_name: str | None
    """Name of what the step executes"""
    step_run_id: str | None
    """Id of the run that the step executed"""
    images: List[Image] | None
    """Images, each with a URL or base64 content"""
    videos: List[Video] | None
    """Videos, each with a URL or base64 content"""
    audio: List[Audio] | None
    """Audio clips, each with a URL or base64 content"""
    files: List[FileMedia] | None
    """Documents, each with a URL or content"""
    metrics: RunMetrics | None
    """Tokens, cost and seconds that were used"""
    success: bool
    """Whether the step succeeded"""
    error: str | None
    """Why the step failed. Null or left out if it did not"""
    stop: bool
    """Whether the workflow ends after this step"""
    is_paused: bool
    """Whether the step waits for a person"""
    steps: NotRequired[List[StepOutput]]
    """Results of nested steps, in their order"""


class StepOutputReview(TypedDict):
    event: Literal["StepOutputReview"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    output_review_message: NotRequired[str]
    """Question for the person who reviews the result"""
    requires_output_review: Literal[True]
    """Whether a person has to review the result of the step"""


class StepOutput1(TypedDict):
    content: Any
    """Answer: text, or the JSON value of an output schema"""
    step_name: str
    """Name of the step"""
    step_id: str
    """Id of the step"""
    step_type: Literal["Function", "Step", "Steps", "Loop", "Parallel", "Condition", "Router", "Workflow"]
    """Kind of the step"""
    executor_type: Literal["function", "agent", "team", "workflow", "parallel"] | None
    """Kind of what the step executes"""
    executor_name: str | None
    """Name of what the step executes"""
    step_run_id: str | None
    """Id of the run that the step executed"""
    images: List[Image] | None
    """Images, each with a URL or base64 content"""
    videos: List[Video] | None
    """Videos, each with a URL or base64 content"""
    audio: List[Audio] | None
    """Audio clips, each with a URL or base64 content"""
    files: List[FileMedia] | None
    """Documents, each with a URL or content"""
    metrics: RunMetrics | None
    """Tokens, cost and seconds that were used"""
    success: bool
    """Whether the step succeeded"""
    error: str | None
    """Why the step failed. Null or left out if it did not"""
    stop: bool
    """Whether the workflow ends after this step"""
    is_paused: bool
    """Whether the step waits for a person"""
    steps: NotRequired[List[StepOutput1]]
    """Results of nested steps, in their order"""


class StepOutput2(TypedDict):
    event: Literal["StepOutput"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    step_output: StepOutput1
    """Result of the step"""


class StepPaused(TypedDict):
    event: Literal["StepPaused"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    requires_confirmation: bool
    """Whether a person has to confirm it"""
    confirmation_message: NotRequired[str]
    """Question for the person who decides"""
    requires_user_input: bool
    """Whether a person has to fill fields"""
    user_input_message: NotRequired[str]
    """Question for the person who fills the fields"""
    user_input_schema: NotRequired[List[StepInputField]]
    """Fields that a person has to fill"""


class StepRequirement(TypedDict):
    step_id: str
    """Id of the step"""
    step_name: str
    """Name of the step"""
    step_index: int | List[int]
    """Index of the step; a list of indexes for a nested step"""
    step_type: Literal["Function", "Step", "Steps", "Loop", "Parallel", "Condition", "Router", "Workflow"]
    """Kind of the step"""
    requires_confirmation: bool
    """Whether a person has to confirm it"""
    confirmation_message: str | None
    """Question for the person who decides"""
    confirmed: bool | None
    """Decision: true executes it, false rejects it, null is no decision yet"""
    on_reject: Literal["skip", "cancel", "else", "retry"]
    """What happens when the person rejects"""
    requires_user_input: bool
    """Whether a person has to fill fields"""
    user_input_message: str | None
    """Question for the person who fills the fields"""
    user_input: Dict[str, Any] | None
    """Values that the person entered, by the names of the fields"""
    requires_route_selection: bool
    """Whether a person has to choose the steps that follow"""
    available_choices: List[str] | None
    """Names of the steps that can be chosen"""
    allow_multiple_selections: bool
    """Whether more than one step can be chosen"""
    selected_choices: List[str] | None
    """Names of the steps that the person chose"""
    requires_output_review: bool
    """Whether a person has to review the result of the step"""
    output_review_message: str | None
    """Question for the person who reviews the result"""
    is_post_execution: bool
    """Whether the step has been executed, so that the decision is about its result"""
    rejection_feedback: str | None
    """What the next attempt should do better"""
    retry_count: int
    """Number of times that the step was repeated"""
    max_retries: int
    """Largest number of repetitions"""
    timeout_at: str | None
    """Time until which a decision is accepted"""
    on_timeout: Literal["cancel", "skip", "approve"]
    """What happens to a decision that is late"""
    user_input_schema: NotRequired[List[StepInputField]]
    """Fields that a person has to fill"""
    step_input: NotRequired[Any]
    """What goes into a step that has not started: workflow input and previous content, up to 16,384 characters"""
    step_output: NotRequired[Any]
    """Result of the step"""
    edited_output: NotRequired[Any]
    """Result of the step as the person changed it"""
    requires_executor_input: NotRequired[bool]
    """Whether the agent or team of the step waits for decisions"""
    executor_requirements: NotRequired[List[Any]]
    """Tool calls of the step's agent or team that wait for a decision"""
    executor_id: NotRequired[str]
    """Id of the agent or team that the step executes"""
    executor_name: NotRequired[str]
    """Name of what the step executes"""
    executor_run_id: NotRequired[str]
    """Id of the run that the step executes"""
    executor_type: NotRequired[Literal["agent", "team"]]
    """Kind of what the step executes"""
    executor_session_id: NotRequired[str]
    """Id of the session of the run that the step executes"""


class StepStarted(TypedDict):
    event: Literal["StepStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""


class StepsExecutionCompleted(TypedDict):
    event: Literal["StepsExecutionCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    steps_count: int
    """Number of steps"""
    executed_steps: int
    """Number of steps that were executed"""
    step_results: List[StepOutput1]
    """Results of the steps, in their order"""


class StepsExecutionStarted(TypedDict):
    event: Literal["StepsExecutionStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    steps_count: int
    """Number of steps"""


class StreamControl(TypedDict):
    event: Literal["catch_up", "subscribed", "replay", "error"]
    """What the stream does: sends missed events, or has reached the present"""
    run_id: NotRequired[str]
    """Id of the run"""
    status: NotRequired[str]
    """State of the run"""
    missed_events: NotRequired[int]
    """Number of events that are sent again"""
    current_event_count: NotRequired[int]
    """Number of events that the run has"""
    total_events: NotRequired[int]
    """Number of events that the run has"""
    total_buffered: NotRequired[int]
    """Number of events that are sent again"""
    last_event_index_requested: NotRequired[int]
    """Index that the client sent"""
    message: NotRequired[str]
    """Sentence for people about the stream"""
    error: NotRequired[str]
    """Why the stream cannot continue"""


class TeamCheckpointSnapshot(TypedDict):
    checkpoint: Checkpoint
    """Place from which the run can be forked"""
    snapshot: TeamRunOutput
    """The run as it was at the checkpoint"""


class TeamContextTrimmed(TypedDict):
    event: Literal["TeamContextTrimmed"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    messages: int
    """Messages of the history that are left out"""
    tool_results: int
    """Results of tools that are left out"""
    media: NotRequired[int]
    """Images and documents of tools that are left out"""
    is_summarized: NotRequired[bool]
    """Whether a summary of the session stands in the place of earlier messages"""
    estimated_tokens: int
    """Tokens of the request, about"""


class TeamCustomEvent(TypedDict):
    event: Literal["CustomEvent"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""


class TeamFactoryResponse(TypedDict):
    id: str
    """Id of the team, or of its factory"""
    name: NotRequired[str]
    """Display name of the team, or of its factory"""
    description: NotRequired[str]
    """Purpose of the team, in a sentence"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    is_factory: Literal[True]
    """Whether a factory makes the component for each run"""
    is_component: bool
    """Whether the component is stored, and can be changed over HTTP"""
    input_schema: NotRequired[Dict[str, Any]]
    """JSON Schema of the input"""
    factory_input_schema: NotRequired[Dict[str, Any]]
    """JSON Schema of `factory_input`"""


class TeamHookApplied(TypedDict):
    event: Literal["TeamHookApplied"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    hook_name: str
    """Name of the hook"""
    stage: Literal["before_run", "after_run", "before_model", "after_model", "before_tool", "after_tool"]
    """Where the hook was called"""
    action: Literal["changed", "answered", "rejected", "noted"]
    """What the hook has done"""
    reason: NotRequired[str]
    """Why it ended"""
    tool_call_id: NotRequired[str]
    """Id of the tool call, made by the model"""


class TeamMemoryUpdateCompleted(TypedDict):
    event: Literal["TeamMemoryUpdateCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    memories: NotRequired[List[UserMemorySchema]]
    """Memories of the user after the change"""


class TeamMemoryUpdateStarted(TypedDict):
    event: Literal["TeamMemoryUpdateStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""


class TeamModelFallback(TypedDict):
    event: Literal["TeamModelFallback"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    model: str
    """Model, as `provider:model`"""
    model_provider: str
    """Name of the provider of the model"""
    fallback_model: str
    """Id of the model that is requested next"""
    fallback_model_provider: str
    """Provider of the model that is requested next"""
    reason: str
    """Why it ended"""


class TeamModelRequestCompleted(TypedDict):
    event: Literal["TeamModelRequestCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    model: str
    """Model, as `provider:model`"""
    model_provider: str
    """Name of the provider of the model"""
    input_tokens: int
    """Tokens that the model read"""
    output_tokens: int
    """Tokens that the model wrote"""
    total_tokens: int
    """Tokens that were read and written"""
    time_to_first_token: NotRequired[float]
    """Seconds from the request to the first token"""
    reasoning_tokens: int
    """Tokens of the reasoning, which are part of the output"""
    cache_read_tokens: int
    """Tokens that the provider read from its cache"""
    cache_write_tokens: int
    """Tokens that the provider wrote to its cache"""


class TeamModelRequestStarted(TypedDict):
    event: Literal["TeamModelRequestStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    model: str
    """Model, as `provider:model`"""
    model_provider: str
    """Name of the provider of the model"""


class TeamPostHookCompleted(TypedDict):
    event: Literal["TeamPostHookCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    post_hook_name: str
    """Name of the hook after the run"""


class TeamPostHookStarted(TypedDict):
    event: Literal["TeamPostHookStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    post_hook_name: str
    """Name of the hook after the run"""


class TeamPreHookCompleted(TypedDict):
    event: Literal["TeamPreHookCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    pre_hook_name: str
    """Name of the hook before the run"""
    run_input: RunInput
    """Input of the run, as it was sent"""


class TeamPreHookStarted(TypedDict):
    event: Literal["TeamPreHookStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    pre_hook_name: str
    """Name of the hook before the run"""
    run_input: RunInput
    """Input of the run, as it was sent"""


class TeamReasoningCompleted(TypedDict):
    event: Literal["TeamReasoningCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: TeamReasoningCompletedContent
    """Answer: text, or the JSON value of an output schema"""
    content_type: Literal["ReasoningSteps"]
    """Type of `content`: `str` for text, otherwise the name of the output schema"""


class TeamReasoningContentDelta(TypedDict):
    event: Literal["TeamReasoningContentDelta"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    reasoning_content: str
    """Next part of the reasoning"""


class TeamReasoningStarted(TypedDict):
    event: Literal["TeamReasoningStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""


class TeamReasoningStep(TypedDict):
    event: Literal["TeamReasoningStep"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: ReasoningStep
    """Answer: text, or the JSON value of an output schema"""
    content_type: Literal["ReasoningStep"]
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    reasoning_content: str
    """Reasoning of the model, where its provider shows it"""


class TeamResponse(TypedDict):
    name: NotRequired[str]
    """Display name of the team, or of its factory"""
    description: NotRequired[str]
    """Purpose of the team, in a sentence"""
    role: NotRequired[str]
    """Task of the team in another team"""
    introduction: NotRequired[str]
    """First message of a session"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    is_factory: bool
    """Whether a factory makes the component for each run"""
    is_component: bool
    """Whether the component is stored, and can be changed over HTTP"""
    model: NotRequired[ModelResponse]
    """Model of the leader"""
    model_options: NotRequired[AgentModelOptions]
    """Settings of the model, models that replace it if it fails, and what requests may choose"""
    tools: NotRequired[AgentTools]
    """Tool calls of the run"""
    sessions: NotRequired[AgentSessions]
    """Settings of sessions"""
    knowledge: NotRequired[AgentKnowledge]
    """Knowledge of the component"""
    memory: NotRequired[AgentMemory]
    """Settings of memories"""
    reasoning: NotRequired[AgentReasoning]
    """Whether, and how, the model reasons before it answers"""
    default_tools: NotRequired[AgentDefaultTools]
    """Tools that the service adds"""
    system_message: NotRequired[AgentSystemMessage]
    """Message to the model before the conversation"""
    response_settings: NotRequired[AgentResponseSettings]
    """Form of the answers, and repetitions"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    input_schema: NotRequired[Dict[str, Any]]
    """JSON Schema of the input"""
    run_schemas: NotRequired[AgentRunSchemas]
    """JSON Schemas of what a run is given beside its input"""
    factory_input_schema: NotRequired[Dict[str, Any]]
    """JSON Schema of `factory_input`"""
    current_version: NotRequired[int]
    """Version that runs use when they name none"""
    stage: NotRequired[Literal["draft", "published"]]
    """A `draft` can be changed, and is run by its version only. A `published` version never changes"""
    id: str
    """Id of the team, or of its factory"""
    mode: Literal["coordinate", "route", "broadcast", "tasks"]
    """How the leader uses the members"""
    streaming: NotRequired[TeamStreaming]
    """What a stream contains"""
    members: NotRequired[List[TeamResponse | AgentResponse]]
    """Agents and teams that the leader can call"""


class TeamRunCancelled(TypedDict):
    event: Literal["TeamRunCancelled"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    reason: str
    """Why it ended"""
    content: NotRequired[str]
    """Answer: text, or the JSON value of an output schema"""


class TeamRunCompleted(TypedDict):
    event: Literal["TeamRunCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: NotRequired[Any]
    """Answer: text, or the JSON value of an output schema"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    session_state: Dict[str, Any]
    """State of the session, a JSON object that tools and instructions read and change"""
    metrics: RunMetrics
    """Tokens, cost and seconds that were used"""
    reasoning_content: NotRequired[str]
    """Reasoning of the model, where its provider shows it"""
    reasoning_steps: NotRequired[List[ReasoningStep]]
    """Steps of the reasoning"""
    references: NotRequired[List[References]]
    """Passages of knowledge that the answer is based on"""
    citations: NotRequired[Citations]
    """Sources that the model named"""
    finish_reason: NotRequired[FinishReason]
    """Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""
    response_audio: NotRequired[Audio]
    """Answer of the model as sound"""
    member_responses: NotRequired[List[MemberRun]]
    """Runs of the members, and of the components as tools, that the run called"""


class TeamRunContent(TypedDict):
    event: Literal["TeamRunContent"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: NotRequired[Any]
    """Next part of the answer"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    reasoning_content: str
    """Reasoning of the model, where its provider shows it"""
    citations: NotRequired[Citations]
    """Sources that the model named"""
    image: NotRequired[Image]
    """Image of the answer"""


class TeamRunContentCompleted(TypedDict):
    event: Literal["TeamRunContentCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""


class TeamRunContentPartial(TypedDict):
    event: Literal["TeamRunContentPartial"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content_partial: Any
    """Structured answer so far, which replaces the one before. The events become rarer as it grows"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""


class TeamRunContinued(TypedDict):
    event: Literal["TeamRunContinued"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    tools: NotRequired[List[ToolExecution]]
    """Tool calls of the run"""


class TeamRunError(TypedDict):
    event: Literal["TeamRunError"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: NotRequired[str]
    """What failed, in a sentence"""
    error_type: NotRequired[str]
    """Kind of the error"""
    error_id: NotRequired[str]
    """Id of the error, as in the log"""


class TeamRunOutput(TypedDict):
    run_id: str
    """Id of the run"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    workflow_step_id: NotRequired[str]
    """Id of the workflow's step that executed this run"""
    content: NotRequired[Any]
    """Answer: text, or the JSON value of an output schema"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    model: NotRequired[str]
    """Model, as `provider:model`"""
    model_provider: NotRequired[str]
    """Name of the provider of the model"""
    model_settings: NotRequired[ModelSettings]
    """Settings of the requests to the model"""
    session_state: NotRequired[Dict[str, Any]]
    """State of the session, a JSON object that tools and instructions read and change"""
    created_at: EpochSeconds
    """Time of creation"""
    status: Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]
    """State of the run"""
    metrics: NotRequired[RunMetrics]
    """Tokens, cost and seconds that were used"""
    messages: NotRequired[List[Message]]
    """Messages between the service and the model, oldest first"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    tools: NotRequired[List[ToolExecution]]
    """Tool calls of the run"""
    requirements: NotRequired[List[Requirement]]
    """Tool calls that wait for a decision. Send them back with the decisions to continue the run"""
    input: NotRequired[RunInput]
    """Input of the run"""
    reasoning_content: NotRequired[str]
    """Reasoning of the model, where its provider shows it"""
    reasoning_steps: NotRequired[List[ReasoningStep]]
    """Steps of the reasoning"""
    reasoning_messages: NotRequired[List[Message]]
    """Messages that the reasoning consists of"""
    references: NotRequired[List[References]]
    """Passages of knowledge that the answer is based on"""
    citations: NotRequired[Citations]
    """Sources that the model named"""
    context_trimmed: NotRequired[TrimmedContext]
    """What the last request to the model has left out"""
    finish_reason: NotRequired[FinishReason]
    """Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole"""
    followups: NotRequired[List[str]]
    """Questions that the user may ask next"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""
    response_audio: NotRequired[Audio]
    """Answer of the model as sound"""
    model_provider_data: NotRequired[Dict[str, Any]]
    """What the provider adds to its answer, unchanged"""
    last_checkpoint_at_message_index: NotRequired[int]
    """Number of messages before the last checkpoint"""
    forked_from_run_id: NotRequired[str]
    """Run that this one was forked from"""
    forked_from_message_index: NotRequired[int]
    """Number of messages that were copied by the fork"""
    forked_from_session_id: NotRequired[str]
    """Session that this one was forked from"""
    regenerated_from: NotRequired[str]
    """Run whose answer this one replaces"""
    events: NotRequired[List[Dict[str, Any]]]
    """Events of the run, if the component stores them"""
    team_id: str
    """Id of the team"""
    team_name: NotRequired[str]
    """Name of the team"""
    member_responses: NotRequired[List[RunOutput | TeamRunOutput | WorkflowRunOutput]]
    """Runs of the members, and of the components as tools, that the run called"""


class TeamRunOutput1(TypedDict):
    run_id: str
    """Id of the run"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    workflow_step_id: NotRequired[str]
    """Id of the workflow's step that executed this run"""
    content: NotRequired[Any]
    """Answer: text, or the JSON value of an output schema"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    model: NotRequired[str]
    """Model, as `provider:model`"""
    model_provider: NotRequired[str]
    """Name of the provider of the model"""
    model_settings: NotRequired[ModelSettings]
    """Settings of the requests to the model"""
    session_state: NotRequired[Dict[str, Any]]
    """State of the session, a JSON object that tools and instructions read and change"""
    created_at: EpochSeconds
    """Time of creation"""
    status: Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]
    """State of the run"""
    metrics: NotRequired[RunMetrics]
    """Tokens, cost and seconds that were used"""
    messages: NotRequired[List[Message]]
    """Messages between the service and the model, oldest first"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    tools: NotRequired[List[ToolExecution]]
    """Tool calls of the run"""
    requirements: NotRequired[List[Requirement]]
    """Tool calls that wait for a decision. Send them back with the decisions to continue the run"""
    input: NotRequired[RunInput]
    """Input of the run"""
    reasoning_content: NotRequired[str]
    """Reasoning of the model, where its provider shows it"""
    reasoning_steps: NotRequired[List[ReasoningStep]]
    """Steps of the reasoning"""
    reasoning_messages: NotRequired[List[Message]]
    """Messages that the reasoning consists of"""
    references: NotRequired[List[References]]
    """Passages of knowledge that the answer is based on"""
    citations: NotRequired[Citations]
    """Sources that the model named"""
    context_trimmed: NotRequired[TrimmedContext]
    """What the last request to the model has left out"""
    finish_reason: NotRequired[FinishReason]
    """Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole"""
    followups: NotRequired[List[str]]
    """Questions that the user may ask next"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""
    response_audio: NotRequired[Audio]
    """Answer of the model as sound"""
    model_provider_data: NotRequired[Dict[str, Any]]
    """What the provider adds to its answer, unchanged"""
    last_checkpoint_at_message_index: NotRequired[int]
    """Number of messages before the last checkpoint"""
    forked_from_run_id: NotRequired[str]
    """Run that this one was forked from"""
    forked_from_message_index: NotRequired[int]
    """Number of messages that were copied by the fork"""
    forked_from_session_id: NotRequired[str]
    """Session that this one was forked from"""
    regenerated_from: NotRequired[str]
    """Run whose answer this one replaces"""
    events: NotRequired[List[Dict[str, Any]]]
    """Events of the run, if the component stores them"""
    team_id: str
    """Id of the team"""
    team_name: NotRequired[str]
    """Name of the team"""
    member_responses: NotRequired[List[MemberRun]]
    """Runs of the members, and of the components as tools, that the run called"""


class TeamRunPaused(TypedDict):
    event: Literal["TeamRunPaused"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: str
    """Answer: text, or the JSON value of an output schema"""
    tools: List[ToolExecution]
    """Tool calls of the run"""
    requirements: List[Requirement]
    """Tool calls that wait for a decision. Send them back with the decisions to continue the run"""


class TeamRunRecord(TypedDict):
    run_id: str
    """Id of the run"""
    parent_run_id: str
    """Id of the run that started this one, as a team's run starts those of members"""
    status: Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]
    """State of the run"""
    run_input: str
    """Input of the run, as it was sent"""
    content: str | Dict[str, Any]
    """Answer: text, or the JSON object of an output schema. Other JSON values are text"""
    run_response_format: Literal["text", "json"]
    """Whether the answer is text or JSON"""
    reasoning_content: str
    """Reasoning of the model, where its provider shows it"""
    reasoning_steps: List[ReasoningStep]
    """Steps of the reasoning"""
    metrics: RunMetrics
    """Tokens, cost and seconds that were used"""
    messages: List[Message] | None
    """Messages between the service and the model, oldest first"""
    tools: List[ToolExecution] | None
    """Tool calls of the run"""
    events: List[Dict[str, Any]] | None
    """Events of the run, if the component stores them"""
    created_at: str
    """Time of creation"""
    references: List[References]
    """Passages of knowledge that the answer is based on"""
    citations: Citations | None
    """Sources that the model named"""
    context_trimmed: NotRequired[TrimmedContext]
    """What the last request to the model has left out"""
    finish_reason: NotRequired[FinishReason]
    """Why the last answer of the model ends before its end: its tokens were used up, or a content filter. Absent if it is whole"""
    reasoning_messages: List[Message]
    """Messages that the reasoning consists of"""
    session_state: Dict[str, Any] | None
    """State of the session, a JSON object that tools and instructions read and change"""
    images: List[Image]
    """Images, each with a URL or base64 content"""
    videos: List[Video]
    """Videos, each with a URL or base64 content"""
    audio: List[Audio]
    """Audio clips, each with a URL or base64 content"""
    files: List[FileMedia]
    """Documents, each with a URL or content"""
    response_audio: Audio | None
    """Answer of the model as sound"""
    input_media: TeamRunRecordInputMedia
    """Images, videos, audio and files of the input"""
    followups: List[str] | None
    """Questions that the user may ask next"""
    forked_from_run_id: str | None
    """Run that this one was forked from"""
    forked_from_message_index: int | None
    """Number of messages that were copied by the fork"""
    forked_from_session_id: str | None
    """Session that this one was forked from"""
    regenerated_from: str | None
    """Run whose answer this one replaces"""
    previous_run_id: NotRequired[str | None]
    """Run that this one comes after in its session"""
    is_on_path: NotRequired[bool]
    """Whether the run is on the path that leads to the leaf of its session"""
    last_checkpoint_at_message_index: int | None
    """Number of messages before the last checkpoint"""
    team_id: str
    """Id of the team"""


class TeamRunStarted(TypedDict):
    event: Literal["TeamRunStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    model: str
    """Model, as `provider:model`"""
    model_provider: str
    """Name of the provider of the model"""


class TeamSessionDetailSchema(TypedDict):
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    session_name: str
    """Name of the session"""
    user_id: NotRequired[str | None]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    session_summary: NotRequired[SessionSummary | None]
    """Summary of the session. Null if there is none"""
    session_state: NotRequired[Dict[str, Any] | None]
    """State of the session, a JSON object that tools and instructions read and change"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""
    created_at: NotRequired[str | None]
    """Time of creation"""
    updated_at: NotRequired[str | None]
    """Time of the last change"""
    current_run_id: NotRequired[str | None]
    """Last run of the path of the session, its leaf. A request moves it: to a run of the session, or to start"""
    total_tokens: NotRequired[int | None]
    """Tokens that were read and written"""
    metrics: NotRequired[SessionMetrics | None]
    """Tokens, cost and seconds that were used"""
    chat_history: NotRequired[List[Message] | None]
    """Messages of all runs, oldest first"""
    team_id: NotRequired[str | None]
    """Id of the team"""
    team_data: NotRequired[Dict[str, Any] | None]
    """Id and name of the team, at the time of the last run"""


class TeamSessionSummaryCompleted(TypedDict):
    event: Literal["TeamSessionSummaryCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    session_summary: NotRequired[SessionSummary]
    """Summary of the session. Null if there is none"""


class TeamSessionSummaryStarted(TypedDict):
    event: Literal["TeamSessionSummaryStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""


class TeamStreaming(TypedDict):
    stream_member_events: NotRequired[bool]
    """Whether the stream contains the events of members"""


class TeamSummaryResponse(TypedDict):
    id: str
    """Id of the team, or of its factory"""
    name: NotRequired[str]
    """Display name of the team, or of its factory"""
    description: NotRequired[str]
    """Purpose of the team, in a sentence"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    mode: NotRequired[Literal["coordinate", "route", "broadcast", "tasks"]]
    """How the leader uses the members"""
    model: NotRequired[TeamSummaryResponseModel]
    """Model, as `provider:model`"""


class TeamTask(TypedDict):
    id: str
    """Id of the task"""
    title: str
    """Title of the task"""
    description: str
    """Task for the member, in sentences"""
    status: Literal["pending", "in_progress", "completed", "failed", "blocked"]
    """State of the task"""
    assignee: NotRequired[str]
    """Id of the member who does the task"""
    dependencies: List[str]
    """Ids of the tasks that have to be completed before"""
    result: NotRequired[str]
    """What the task resulted in"""


class TeamTaskCreated(TypedDict):
    event: Literal["TeamTaskCreated"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    task_id: str
    """Id of the task"""
    title: str
    """Title of the task"""
    description: str
    """Task for the member, in sentences"""
    status: Literal["pending", "in_progress", "completed", "failed", "blocked"]
    """State of the task"""
    assignee: NotRequired[str]
    """Id of the member who does the task"""
    dependencies: List[str]
    """Ids of the tasks that have to be completed before"""


class TeamTaskIterationCompleted(TypedDict):
    event: Literal["TeamTaskIterationCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    iteration: int
    """Number of the iteration"""
    max_iterations: int
    """Largest number of iterations"""
    task_summary: str
    """Overview of all tasks"""


class TeamTaskIterationStarted(TypedDict):
    event: Literal["TeamTaskIterationStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    iteration: int
    """Number of the iteration"""
    max_iterations: int
    """Largest number of iterations"""


class TeamTaskStateUpdated(TypedDict):
    event: Literal["TeamTaskStateUpdated"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    task_summary: str
    """Overview of all tasks"""
    goal_complete: bool
    """Whether the goal of the team is reached"""
    tasks: List[TeamTask]
    """Tasks of the team"""
    completion_summary: NotRequired[str]
    """What the team reached"""


class TeamTaskUpdated(TypedDict):
    event: Literal["TeamTaskUpdated"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    task_id: str
    """Id of the task"""
    previous_status: Literal["pending", "in_progress", "completed", "failed", "blocked"]
    """State of the task before"""
    title: str
    """Title of the task"""
    status: Literal["pending", "in_progress", "completed", "failed", "blocked"]
    """State of the task"""
    assignee: NotRequired[str]
    """Id of the member who does the task"""
    result: NotRequired[str]
    """What the task resulted in"""


class TeamToolCallCompleted(TypedDict):
    event: Literal["TeamToolCallCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: str
    """Answer: text, or the JSON value of an output schema"""
    tool: ToolExecution
    """Tool call"""


class TeamToolCallError(TypedDict):
    event: Literal["TeamToolCallError"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    tool: ToolExecution
    """Tool call"""
    error: str
    """Why the call failed"""


class TeamToolCallStarted(TypedDict):
    event: Literal["TeamToolCallStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    tool: ToolExecution
    """Tool call"""


class TeamToolSourceFailed(TypedDict):
    event: Literal["TeamToolSourceFailed"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    team_id: str
    """Id of the team"""
    team_name: str
    """Name of the team"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    tool_source: str
    """Name of what offers tools, such as an MCP server"""
    reason: str
    """Why it ended"""


class ToolCall(TypedDict):
    id: str
    """Id of the call, made by the model"""
    type: Literal["function"]
    """`function`"""
    function: ToolCallFunction
    """Name of the tool, and its arguments as JSON text"""


class ToolCallCompleted(TypedDict):
    event: Literal["ToolCallCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    content: str
    """Answer: text, or the JSON value of an output schema"""
    tool: ToolExecution
    """Tool call"""


class ToolCallError(TypedDict):
    event: Literal["ToolCallError"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    tool: ToolExecution
    """Tool call"""
    error: str
    """Why the call failed"""


class ToolCallStarted(TypedDict):
    event: Literal["ToolCallStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    tool: ToolExecution
    """Tool call"""


class ToolExecution(TypedDict):
    tool_call_id: str
    """Id of the tool call, made by the model"""
    tool_name: str
    """Name of the tool"""
    tool_args: Any
    """Arguments of the tool call. A person may change them with the decision"""
    tool_call_error: bool | None
    """Whether the call failed"""
    result: str | None
    """Result of the call, as the model sees it"""
    metrics: ToolMetrics | None
    """Start, end and duration of the call"""
    child_run_id: str | None
    """Id of the run that the call started"""
    stop_after_tool_call: bool
    """Whether the run ends after this call, with its result as the answer"""
    created_at: EpochSeconds
    """Time of the call"""
    requires_confirmation: bool | None
    """Whether a person has to confirm it"""
    confirmed: bool | None
    """Decision: true executes it, false rejects it, null is no decision yet"""
    confirmation_note: str | None
    """Why the call was rejected. The model sees it"""
    requires_user_input: bool | None
    """Whether a person has to fill fields"""
    user_input_schema: Any
    """Fields that a person has to fill"""
    user_feedback_schema: Any
    """Questions that a person has to answer"""
    answered: bool | None
    """Whether the person has filled the fields"""
    external_execution_required: bool | None
    """Whether the client has to execute the call and send its result"""
    external_execution_silent: bool | None
    """Whether the pause for the client's result is not shown as an answer"""
    approval_type: str | None
    """Kind of the approval: `required` pauses the run, `audit` only records the decision"""
    approval_id: str | None
    """Id of the approval that the run waits for"""
    outcome_unknown: NotRequired[bool]
    """Whether the service stopped during the call, so that a person decides: repeat, reject, or give a result"""
    wake_at: NotRequired[EpochSeconds]
    """Time that the call waits for: the service answers it then"""
    asked: NotRequired[ToolQuestion]
    """The call has begun and asks for the values of `user_input_schema`, which are no arguments. Send them as for user input"""


class ToolMetrics(TypedDict):
    start_time: float
    """Start, in seconds since 1970 with a fraction"""
    end_time: float
    """End, in seconds since 1970 with a fraction"""
    duration: float
    """Seconds from the start to the end"""


class ToolQuestion(TypedDict):
    message: str
    """What the person is asked"""
    state: Any
    """What the tool gets back with the values"""


class ToolSourceFailed(TypedDict):
    event: Literal["ToolSourceFailed"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    agent_id: str
    """Id of the agent"""
    agent_name: str
    """Name of the agent"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    workflow_run_id: NotRequired[str]
    """Id of the workflow's run whose step sent the event"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    tool_source: str
    """Name of what offers tools, such as an MCP server"""
    reason: str
    """Why it ended"""


class TraceDetail(TypedDict):
    trace_id: str
    """Id of the trace, 32 hexadecimal digits"""
    name: str
    """Name of the first span"""
    status: str
    """`ERROR` if a span failed, otherwise `OK`"""
    duration: str
    """Duration, in milliseconds below a second"""
    start_time: str
    """Time of the start"""
    end_time: str
    """Time of the end"""
    total_spans: int
    """Number of spans"""
    error_count: int
    """Number of spans that failed"""
    input: NotRequired[str]
    """Input, if contents are recorded"""
    run_id: NotRequired[str]
    """Id of the run"""
    session_id: NotRequired[str]
    """Id of the session, the conversation that runs belong to"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    created_at: str
    """Time of creation"""
    output: NotRequired[str]
    """Output, if contents are recorded"""
    error: NotRequired[str]
    """Why the trace failed. Null or left out if it did not"""
    tree: List[TraceNode]
    """Spans without a parent, each with its children"""


class TraceFilterSchema(TypedDict):
    fields: List[TraceFilterSchemaFieldsItem]
    """Fields that a filter can name, with their operators"""
    logical_operators: List[str]
    """Operators that combine conditions"""


class TraceNode(TypedDict):
    id: str
    """Id of the span, 16 hexadecimal digits"""
    name: str
    """Name of the span"""
    type: str
    """Kind of the span"""
    duration: str
    """Duration, in milliseconds below a second"""
    start_time: str
    """Time of the start"""
    end_time: str
    """Time of the end"""
    status: Literal["OK", "ERROR", "UNSET"]
    """`ERROR` if the span failed, otherwise `OK`"""
    input: NotRequired[str]
    """Input, if contents are recorded"""
    output: NotRequired[str]
    """Output, if contents are recorded"""
    error: NotRequired[str]
    """Why the span failed. Null or left out if it did not"""
    step_type: NotRequired[str]
    """Kind of the step, for spans of steps"""
    metadata: NotRequired[Dict[str, str | float | bool | List[str]]]
    """Attributes of the span"""
    spans: NotRequired[List[TraceNode]]
    """Children of the span, in the order of their starts"""


class TraceSearchRequest(TypedDict):
    filter: NotRequired[Dict[str, Any] | None]
    """Condition that traces must meet; see `GET /traces/filter-schema`"""
    group_by: NotRequired[Literal["run", "session"]]
    """Whether entries are runs or sessions"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""


class TraceSessionStats(TypedDict):
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    total_traces: int
    """Number of traces of the session"""
    first_trace_at: str
    """Time of the first trace"""
    last_trace_at: str
    """Time of the last trace"""


class TraceSummary(TypedDict):
    trace_id: str
    """Id of the trace, 32 hexadecimal digits"""
    name: str
    """Name of the first span"""
    status: str
    """`ERROR` if a span failed, otherwise `OK`"""
    duration: str
    """Duration, in milliseconds below a second"""
    start_time: str
    """Time of the start"""
    end_time: str
    """Time of the end"""
    total_spans: int
    """Number of spans"""
    error_count: int
    """Number of spans that failed"""
    input: NotRequired[str]
    """Input, if contents are recorded"""
    run_id: NotRequired[str]
    """Id of the run"""
    session_id: NotRequired[str]
    """Id of the session, the conversation that runs belong to"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    created_at: str
    """Time of creation"""


class TrimmedContext(TypedDict):
    messages: int
    """Messages of the history that are left out"""
    tool_results: int
    """Results of tools that are left out"""
    media: NotRequired[int]
    """Images and documents of tools that are left out"""
    is_summarized: NotRequired[bool]
    """Whether a summary of the session stands in the place of earlier messages"""


class UpdateSessionRequest(TypedDict):
    session_name: NotRequired[str | None]
    """Name of the session"""
    session_state: NotRequired[Dict[str, Any] | None]
    """State of the session, a JSON object that tools and instructions read and change"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""
    summary: NotRequired[SessionSummary | None]
    """Summary of the session. Null removes it"""
    current_run_id: NotRequired[str | None]
    """Last run of the path of the session, its leaf. A request moves it: to a run of the session, or to start"""


class UsageFigures(TypedDict):
    time: str
    """Start of the hour or day, in UTC"""
    component_type: NotRequired[Literal["agent", "team", "workflow"]]
    """Kind of the component: `agent`, `team` or `workflow`"""
    component_id: NotRequired[str]
    """Id of the component"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    model_id: NotRequired[str]
    """Name of the model at its provider"""
    model_provider: NotRequired[str]
    """Name of the provider of the model"""
    runs: UsageFiguresRuns
    """Number of runs: all, completed, failed and cancelled"""
    error_rate: float | None
    """Part of the runs that failed, from 0 to 1. Null if there was none"""
    tokens: UsageFiguresTokens
    """Tokens, by kind"""
    cost: float | None
    """Price in US dollars. Null or left out if a price is not known"""
    unpriced_tokens: float
    """Tokens of models without a known price"""
    duration: Percentiles
    """Seconds of a run"""
    time_to_first_token: Percentiles
    """Seconds to the first token"""


class UserMemoryCreateSchema(TypedDict):
    memory: str
    """Text of the memory"""
    user_id: NotRequired[str | None]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    topics: NotRequired[List[str] | None]
    """Words that say what it is about"""


class UserMemorySchema(TypedDict):
    memory_id: str
    """Id of the memory"""
    memory: str
    """Text of the memory"""
    topics: List[str] | None
    """Words that say what it is about"""
    agent_id: str | None
    """Id of the agent"""
    team_id: str | None
    """Id of the team"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    updated_at: str | None
    """Time of the last change"""


class UserMemorySettings(TypedDict):
    enabled: bool
    """Whether agents may remember the user"""


class UserStatsSchema(TypedDict):
    user_id: str
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    total_memories: int
    """Number of memories of the user"""
    last_memory_updated_at: str | None
    """Time of the last change of a memory"""


class ValidationErrorResponse(TypedDict):
    detail: str
    """What was wrong with the request, and what to do"""
    error_code: Literal["VALIDATION_ERROR"]
    """Kind of the error, for programs"""
    errors: List[ValidationProblem]
    """Problems of the request, one for each field"""


class ValidationProblem(TypedDict):
    loc: List[str | int]
    """Place of the field: `body`, `query` or `path`, then the names down to the field"""
    msg: str
    """What is wrong with the field"""
    type: str
    """Kind of the problem"""


class VectorDbSchema(TypedDict):
    id: str
    """Id of the store"""
    name: str
    """Display name of the vector store"""
    description: str | None
    """How the vector store searches"""
    search_types: List[Literal["vector", "keyword", "hybrid"]]
    """How the store can be searched"""


class VectorSearchRequest(TypedDict):
    query: str
    """Question or words to search for"""
    db_id: NotRequired[str | None]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_id: NotRequired[str | None]
    """Id of the knowledge instance. Needed if the service has more than one"""
    vector_db_ids: NotRequired[List[str] | None]
    """Ids of the stores to search. Default: all"""
    search_type: NotRequired[Literal["vector", "keyword", "hybrid"] | None]
    """How to search: by meaning, by words, or by both"""
    max_results: NotRequired[int | None]
    """Largest number of results"""
    filters: NotRequired[Dict[str, Any] | List[Dict[str, Any]] | None]
    """Metadata that results must have"""
    meta: NotRequired[SearchPage | None]
    """Page of the results"""


class VectorSearchResult(TypedDict):
    id: str
    """Id of the chunk"""
    content: str
    """Text of the chunk"""
    name: str | None
    """Name of the content"""
    meta_data: Dict[str, Any] | None
    """Metadata of the content, and the place of the chunk in it"""
    usage: Dict[str, Any] | None
    """Tokens that the search used"""
    reranking_score: float | None
    """How well the chunk fits, from 0 to 1"""
    content_id: str | None
    """Id of the content"""
    content_origin: str | None
    """Where the content comes from: a file name or a URL"""
    size: int | None
    """Characters of the chunk"""


class Video(TypedDict):
    id: NotRequired[str]
    """Id of the media"""
    url: NotRequired[str]
    """Address of the resource"""
    filepath: NotRequired[str]
    """Path of the file on the client. The service opens no paths"""
    content: NotRequired[str]
    """Video as base64"""
    format: NotRequired[str]
    """Format of the file"""
    mime_type: NotRequired[str]
    """Media type"""
    size: NotRequired[int]
    """Size in bytes"""
    duration: NotRequired[float]
    """Length in seconds"""
    width: NotRequired[int]
    """Width in pixels"""
    height: NotRequired[int]
    """Height in pixels"""
    fps: NotRequired[float]
    """Frames in a second"""
    eta: NotRequired[str]
    """Seconds until the media is ready, as text"""
    original_prompt: NotRequired[str]
    """Prompt that the media was made from"""
    revised_prompt: NotRequired[str]
    """Prompt as the provider changed it"""


class Webhook(TypedDict):
    id: str
    """Id of the webhook"""
    url: str
    """Address that is called"""
    description: str | None
    """Purpose of the webhook, in a sentence"""
    events: List[Literal["run.completed", "run.failed", "run.cancelled", "run.paused", "approval.created", "approval.resolved", "schedule.failed", "evaluation.completed", "experiment.completed"]]
    """Events that are sent"""
    component: WebhookComponent | None
    """Component whose events are sent. Null: all"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    enabled: bool
    """Whether it is active"""
    disabled_reason: str | None
    """Why the service disabled the webhook"""
    failures: int
    """Number of calls that failed since the last success"""
    dropped: int
    """Number of events that were not sent because the queue was full"""
    created_at: EpochSeconds
    """Time of creation"""
    updated_at: EpochSeconds | None
    """Time of the last change"""


class WebhookComponent(TypedDict):
    kind: Literal["agent", "team", "workflow"]
    """Kind of the component"""
    id: str
    """Id of the component"""


class WebhookCreate(TypedDict):
    url: str
    """Address that is called"""
    events: List[Literal["run.completed", "run.failed", "run.cancelled", "run.paused", "approval.created", "approval.resolved", "schedule.failed", "evaluation.completed", "experiment.completed"]]
    """Events that are sent"""
    description: NotRequired[str | None]
    """Purpose of the webhook, in a sentence"""
    component: NotRequired[WebhookComponent | None]
    """Component whose events are sent. Null: all"""
    enabled: NotRequired[bool]
    """Whether it is active"""
    user_id: NotRequired[str | None]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""


class WebhookCreated(TypedDict):
    id: str
    """Id of the webhook"""
    url: str
    """Address that is called"""
    description: str | None
    """Purpose of the webhook, in a sentence"""
    events: List[Literal["run.completed", "run.failed", "run.cancelled", "run.paused", "approval.created", "approval.resolved", "schedule.failed", "evaluation.completed", "experiment.completed"]]
    """Events that are sent"""
    component: WebhookComponent | None
    """Component whose events are sent. Null: all"""
    user_id: str | None
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    enabled: bool
    """Whether it is active"""
    disabled_reason: str | None
    """Why the service disabled the webhook"""
    failures: int
    """Number of calls that failed since the last success"""
    dropped: int
    """Number of events that were not sent because the queue was full"""
    created_at: EpochSeconds
    """Time of creation"""
    updated_at: EpochSeconds | None
    """Time of the last change"""
    secret: str
    """Key of the signatures. It is shown only once"""


class WebhookDelivery(TypedDict):
    id: str
    """Id of the delivery"""
    webhook_id: str
    """Id of the webhook"""
    event_id: str
    """Id of the event, the same in each attempt"""
    event: str
    """Kind of the event"""
    status: Literal["pending", "succeeded", "failed"]
    """State of the delivery"""
    attempts: int
    """Number of calls so far"""
    status_code: int | None
    """HTTP status of the response. Null if there was no response"""
    error: str | None
    """Why the last attempt failed. Null or left out if it did not"""
    payload: Dict[str, Any]
    """Body of the call"""
    created_at: EpochSeconds
    """Time of creation"""
    updated_at: EpochSeconds | None
    """Time of the last change"""


class WebhookSecret(TypedDict):
    id: str
    """Id of the webhook"""
    secret: str
    """Key of the signatures. It is shown only once"""
    previous_until: EpochSeconds
    """Time until which the key before also signs"""


class WebhookUpdate(TypedDict):
    url: NotRequired[str]
    """Address that is called"""
    events: NotRequired[List[Literal["run.completed", "run.failed", "run.cancelled", "run.paused", "approval.created", "approval.resolved", "schedule.failed", "evaluation.completed", "experiment.completed"]]]
    """Events that are sent"""
    description: NotRequired[str | None]
    """Purpose of the webhook, in a sentence"""
    component: NotRequired[WebhookComponent | None]
    """Component whose events are sent. Null: all"""
    enabled: NotRequired[bool]
    """Whether it is active"""


class WorkflowCancelled(TypedDict):
    event: Literal["WorkflowCancelled"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    reason: str
    """Why it ended"""
    content: NotRequired[str]
    """Answer: text, or the JSON value of an output schema"""


class WorkflowCompleted(TypedDict):
    event: Literal["WorkflowCompleted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    content: NotRequired[Any]
    """Answer: text, or the JSON value of an output schema"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    step_results: List[StepOutput1]
    """Results of the steps, in their order"""
    step_executor_runs: List[Dict[str, Any]]
    """Runs of the agents and teams that the steps executed"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    metrics: NotRequired[WorkflowMetrics]
    """Tokens, cost and seconds that were used"""
    session_state: NotRequired[Dict[str, Any]]
    """State of the session, a JSON object that tools and instructions read and change"""


class WorkflowContinueForm(TypedDict):
    session_id: NotRequired[str]
    """The session of the run. Required"""
    requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the requirements of the paused run, of steps and of errors, each with its decision"""
    step_requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the run's step_requirements, the last one with its decision"""
    error_requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the run's error_requirements, the last one with `retry` or `skip` as decision"""
    stream: NotRequired[bool]
    """Respond with server-sent events (the default) or with one JSON body"""
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues or ends"""
    user_id: NotRequired[str]
    """For the factory of the workflow. The run keeps its user"""
    factory_input: NotRequired[str | Dict[str, Any]]
    """A JSON object for the factory of the workflow. It is that of the run's start, or left out"""


class WorkflowContinueForm1(TypedDict):
    session_id: NotRequired[str]
    """The session of the run. Required"""
    requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the requirements of the paused run, of steps and of errors, each with its decision"""
    step_requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the run's step_requirements, the last one with its decision"""
    error_requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the run's error_requirements, the last one with `retry` or `skip` as decision"""
    stream: NotRequired[bool]
    """Respond with server-sent events (the default) or with one JSON body"""
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues or ends"""
    user_id: NotRequired[str]
    """For the factory of the workflow. The run keeps its user"""
    factory_input: NotRequired[str | Dict[str, Any]]
    """A JSON object for the factory of the workflow. It is that of the run's start, or left out"""


class WorkflowContinueForm2(TypedDict):
    session_id: NotRequired[str]
    """The session of the run. Required"""
    requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the requirements of the paused run, of steps and of errors, each with its decision"""
    step_requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the run's step_requirements, the last one with its decision"""
    error_requirements: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array: the run's error_requirements, the last one with `retry` or `skip` as decision"""
    stream: NotRequired[bool]
    """Respond with server-sent events (the default) or with one JSON body"""
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues or ends"""
    user_id: NotRequired[str]
    """For the factory of the workflow. The run keeps its user"""
    factory_input: NotRequired[str | Dict[str, Any]]
    """A JSON object for the factory of the workflow. It is that of the run's start, or left out"""


class WorkflowCustomEvent(TypedDict):
    event: Literal["CustomEvent"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""


class WorkflowError(TypedDict):
    event: Literal["WorkflowError"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    error: str
    """Why the workflow failed"""
    error_type: NotRequired[str]
    """Kind of the error"""
    error_id: NotRequired[str]
    """Id of the error, as in the log"""


class WorkflowMetrics(TypedDict):
    steps: Dict[str, StepMetrics]
    """Usage by the name of the step"""
    duration: NotRequired[float]
    """Seconds from the start to the end"""


class WorkflowPaused(TypedDict):
    event: Literal["WorkflowPaused"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""
    status: Literal["PAUSED"]
    """State of the run"""
    paused_step_index: NotRequired[int | List[int]]
    """Index of the step that waits; a list of indexes for a nested step"""
    paused_step_name: NotRequired[str]
    """Name of the step that waits"""
    pause_kind: NotRequired[Literal["step", "executor"]]
    """Whether a step waits, or the agent or team of a step"""
    step_requirements: NotRequired[List[StepRequirement]]
    """Steps of the workflow that wait for a decision"""
    error_requirements: NotRequired[List[ErrorRequirement]]
    """Failed steps that wait for a decision"""
    step_results: NotRequired[List[StepOutput1]]
    """Results of the steps, in their order"""
    step_executor_runs: NotRequired[List[Dict[str, Any]]]
    """Runs of the agents and teams that the steps executed"""
    content: NotRequired[Any]
    """Answer: text, or the JSON value of an output schema"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""


class WorkflowResponse(TypedDict):
    id: str
    """Id of the workflow"""
    name: NotRequired[str]
    """Display name of the workflow"""
    description: NotRequired[str]
    """Purpose of the workflow, in a sentence"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    is_factory: bool
    """Whether a factory makes the component for each run"""
    is_component: bool
    """Whether the component is stored, and can be changed over HTTP"""
    factory_input_schema: NotRequired[Dict[str, Any]]
    """JSON Schema of `factory_input`"""
    current_version: NotRequired[int]
    """Version that runs use when they name none"""
    stage: NotRequired[Literal["draft", "published"]]
    """A `draft` can be changed, and is run by its version only. A `published` version never changes"""
    input_schema: NotRequired[Dict[str, Any]]
    """JSON Schema of the input"""
    steps: NotRequired[List[WorkflowStep]]
    """Steps, in their order"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    workflow_agent: bool
    """Whether the content comes from the agent of a workflow"""


class WorkflowRunOutput(TypedDict):
    run_id: str
    """Id of the run"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: NotRequired[str]
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    workflow_step_id: NotRequired[str]
    """Id of the workflow's step that executed this run"""
    input: NotRequired[Any]
    """Input of the run"""
    content: NotRequired[Any]
    """Answer: text, or the JSON value of an output schema"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    created_at: EpochSeconds
    """Time of creation"""
    status: Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]
    """State of the run"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""
    response_audio: NotRequired[Audio]
    """Answer of the model as sound"""
    step_results: NotRequired[List[StepOutput]]
    """Results of the steps, in their order"""
    step_executor_runs: NotRequired[List[Dict[str, Any]]]
    """Runs of the agents and teams that the steps executed"""
    metrics: NotRequired[WorkflowMetrics]
    """Tokens, cost and seconds that were used"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    step_requirements: NotRequired[List[StepRequirement]]
    """Steps of the workflow that wait for a decision"""
    error_requirements: NotRequired[List[ErrorRequirement]]
    """Failed steps that wait for a decision"""
    paused_step_index: NotRequired[int | List[int]]
    """Index of the step that waits; a list of indexes for a nested step"""
    paused_step_name: NotRequired[str]
    """Name of the step that waits"""
    pause_kind: NotRequired[Literal["step", "executor"]]
    """Whether a step waits, or the agent or team of a step"""
    events: NotRequired[List[Dict[str, Any]]]
    """Events of the run, if the component stores them"""


class WorkflowRunOutput1(TypedDict):
    run_id: str
    """Id of the run"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: NotRequired[str]
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    user_id: NotRequired[str]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    workflow_step_id: NotRequired[str]
    """Id of the workflow's step that executed this run"""
    input: NotRequired[Any]
    """Input of the run"""
    content: NotRequired[Any]
    """Answer: text, or the JSON value of an output schema"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    created_at: EpochSeconds
    """Time of creation"""
    status: Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]
    """State of the run"""
    images: NotRequired[List[Image]]
    """Images, each with a URL or base64 content"""
    videos: NotRequired[List[Video]]
    """Videos, each with a URL or base64 content"""
    audio: NotRequired[List[Audio]]
    """Audio clips, each with a URL or base64 content"""
    files: NotRequired[List[FileMedia]]
    """Documents, each with a URL or content"""
    response_audio: NotRequired[Audio]
    """Answer of the model as sound"""
    step_results: NotRequired[List[StepOutput1]]
    """Results of the steps, in their order"""
    step_executor_runs: NotRequired[List[Dict[str, Any]]]
    """Runs of the agents and teams that the steps executed"""
    metrics: NotRequired[WorkflowMetrics]
    """Tokens, cost and seconds that were used"""
    metadata: NotRequired[Dict[str, Any]]
    """JSON object of the caller. The service stores it and does not read it"""
    step_requirements: NotRequired[List[StepRequirement]]
    """Steps of the workflow that wait for a decision"""
    error_requirements: NotRequired[List[ErrorRequirement]]
    """Failed steps that wait for a decision"""
    paused_step_index: NotRequired[int | List[int]]
    """Index of the step that waits; a list of indexes for a nested step"""
    paused_step_name: NotRequired[str]
    """Name of the step that waits"""
    pause_kind: NotRequired[Literal["step", "executor"]]
    """Whether a step waits, or the agent or team of a step"""
    events: NotRequired[List[Dict[str, Any]]]
    """Events of the run, if the component stores them"""


class WorkflowRunRecord(TypedDict):
    run_id: str
    """Id of the run"""
    previous_run_id: NotRequired[str | None]
    """Run that this one comes after in its session"""
    is_on_path: NotRequired[bool]
    """Whether the run is on the path that leads to the leaf of its session"""
    run_input: str
    """Input of the run, as it was sent"""
    events: List[Dict[str, Any]]
    """Events of the run, if the component stores them"""
    workflow_id: str
    """Id of the workflow"""
    user_id: str
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    content: str | Dict[str, Any]
    """Answer: text, or the JSON object of an output schema. Other JSON values are text"""
    content_type: str
    """Type of `content`: `str` for text, otherwise the name of the output schema"""
    status: Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]
    """State of the run"""
    step_results: List[StepOutput]
    """Results of the steps, in their order"""
    step_executor_runs: List[Dict[str, Any]]
    """Runs of the agents and teams that the steps executed"""
    step_requirements: List[StepRequirement] | None
    """Steps of the workflow that wait for a decision"""
    pause_kind: Literal["step", "executor"] | None
    """Whether a step waits, or the agent or team of a step"""
    paused_step_name: str | None
    """Name of the step that waits"""
    paused_step_index: int | List[int] | None
    """Index of the step that waits; a list of indexes for a nested step"""
    metrics: Any
    """Tokens, cost and seconds that were used"""
    created_at: str
    """Time of creation"""
    reasoning_content: str
    """Reasoning of the model, where its provider shows it"""
    reasoning_steps: List[Any]
    """Steps of the reasoning"""
    references: List[Any]
    """Passages of knowledge that the answer is based on"""
    citations: Any
    """Sources that the model named"""
    reasoning_messages: List[Any]
    """Messages that the reasoning consists of"""
    images: List[Image]
    """Images, each with a URL or base64 content"""
    videos: List[Video]
    """Videos, each with a URL or base64 content"""
    audio: List[Audio]
    """Audio clips, each with a URL or base64 content"""
    files: List[FileMedia]
    """Documents, each with a URL or content"""
    response_audio: Audio | None
    """Answer of the model as sound"""


class WorkflowSessionDetailSchema(TypedDict):
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    session_name: str
    """Name of the session"""
    user_id: NotRequired[str | None]
    """Id of the user to whom it belongs. An isolated caller sees only what is their own"""
    session_summary: NotRequired[SessionSummary | None]
    """Summary of the session. Null if there is none"""
    session_state: NotRequired[Dict[str, Any] | None]
    """State of the session, a JSON object that tools and instructions read and change"""
    metadata: NotRequired[Dict[str, Any] | None]
    """JSON object of the caller. The service stores it and does not read it"""
    created_at: NotRequired[str | None]
    """Time of creation"""
    updated_at: NotRequired[str | None]
    """Time of the last change"""
    current_run_id: NotRequired[str | None]
    """Last run of the path of the session, its leaf. A request moves it: to a run of the session, or to start"""
    workflow_id: NotRequired[str | None]
    """Id of the workflow"""
    workflow_name: NotRequired[str | None]
    """Name of the workflow"""
    session_data: NotRequired[Dict[str, Any] | None]
    """Name and state of the session"""
    workflow_data: NotRequired[Dict[str, Any] | None]
    """Id and name of the workflow, at the time of the last run"""


class WorkflowStarted(TypedDict):
    event: Literal["WorkflowStarted"]
    """Name of the event"""
    created_at: EpochSeconds
    """Time of creation"""
    workflow_id: str
    """Id of the workflow"""
    workflow_name: str
    """Name of the workflow"""
    session_id: str
    """Id of the session, the conversation that runs belong to"""
    run_id: str
    """Id of the run"""
    parent_run_id: NotRequired[str]
    """Id of the run that started this one, as a team's run starts those of members"""
    nested_depth: int
    """Depth of a workflow in other workflows; 0 for the outermost"""
    event_index: int
    """Index of the event in its run, from 0. A client that reconnects sends the last one that it has"""
    step_id: NotRequired[str]
    """Id of the step"""
    step_name: NotRequired[str]
    """Name of the step"""
    step_index: NotRequired[int | List[int]]
    """Index of the step; a list of indexes for a nested step"""
    parent_step_id: NotRequired[str]
    """Id of the step that contains this one"""


class WorkflowStep(TypedDict):
    name: NotRequired[str]
    """Name of the step"""
    description: NotRequired[str]
    """Purpose of the step, in a sentence"""
    type: Literal["Function", "Step", "Steps", "Loop", "Parallel", "Condition", "Router", "Workflow"]
    """Kind of the step"""
    agent: NotRequired[AgentResponse]
    """Agent of the step"""
    team: NotRequired[TeamResponse]
    """Team of the step"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    steps: NotRequired[List[WorkflowStep]]
    """Steps, in their order"""
    else_steps: NotRequired[List[WorkflowStep]]
    """Steps that are executed when the condition is false"""


class WorkflowSummaryResponse(TypedDict):
    id: str
    """Id of the workflow"""
    name: NotRequired[str]
    """Display name of the workflow"""
    description: NotRequired[str]
    """Purpose of the workflow, in a sentence"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    is_factory: bool
    """Whether a factory makes the component for each run"""
    is_component: bool
    """Whether the component is stored, and can be changed over HTTP"""
    factory_input_schema: NotRequired[Dict[str, Any]]
    """JSON Schema of `factory_input`"""
    current_version: NotRequired[int]
    """Version that runs use when they name none"""
    stage: NotRequired[Literal["draft", "published"]]
    """A `draft` can be changed, and is run by its version only. A `published` version never changes"""


class RunOptions(TypedDict):
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues (the default) or ends"""
    if_busy: NotRequired[Literal["queue", "reject", "interrupt"]]
    """What happens while another run of the session is executing: this one waits for its turn (the default), is refused with 409, or has the others cancelled"""
    previous_run_id: NotRequired[str]
    """The run of the session that this one comes after, or start, to come after no run. The last run of the path when left out"""
    evaluation: NotRequired[bool]
    """The run is rated: a session that it begins does not count in usage metrics. Needs the scope evals:write"""
    session_id: NotRequired[str]
    """Session of the run. Default: a new one"""
    user_id: NotRequired[str]
    """User of the run. A caller with a token of their own cannot name another one"""
    run_id: NotRequired[str]
    """Id for the run, chosen by the client. Default: one that the service makes"""
    version: NotRequired[int]
    """Version of a stored component. Default: the current one"""
    factory_input: NotRequired[str | Dict[str, Any]]
    """A JSON object for the factory that makes the agent; see factory_input_schema of the agent"""
    session_state: NotRequired[str | Dict[str, Any]]
    """A JSON object, merged into the stored state of the session"""
    dependencies: NotRequired[str | Dict[str, Any]]
    """A JSON object, handed to instructions and tools"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object, kept with the run"""
    output_schema: NotRequired[str | Dict[str, Any]]
    """A JSON Schema that the answer has to fit"""
    use_json_schema: NotRequired[bool]
    """Hand output_schema to the model as it is, without naming the type"""
    add_history_to_context: NotRequired[bool]
    """Show the model the earlier runs of the session"""
    add_dependencies_to_context: NotRequired[bool]
    """Show the model the dependencies"""
    add_session_state_to_context: NotRequired[bool]
    """Show the model the state of the session"""
    memory: NotRequired[bool]
    """With false the run neither uses nor updates memories of the user"""
    knowledge_filters: NotRequired[Any]
    """A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found"""
    client_tools: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of tools (name, description, parameters) that the client executes: the run pauses at a call"""
    earlier_messages: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of messages (role, content) that the model sees before the input. They are not stored"""
    model: NotRequired[str]
    """The model of this run as provider:model, one of offered_models of the component"""
    model_settings: NotRequired[str | Dict[str, Any]]
    """A JSON object of settings of the model, such as temperature: those in offered_settings of the component"""
    images: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of images with base64 content or a url"""
    audio: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of audio clips with base64 content or a url"""
    videos: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of videos with base64 content or a url"""
    input_files: NotRequired[str | List[Dict[str, Any]]]
    """A JSON array of documents with content or a url"""
    files: NotRequired[List[Upload]]
    """Files that are uploaded with the run, as parts of a form"""


class ContinueOptions(TypedDict):
    tools: NotRequired[List[Dict[str, Any]]]
    """A JSON array: the tools of the paused run, each with its decision"""
    requirements: NotRequired[List[Dict[str, Any]]]
    """A JSON array: the requirements of the paused run, each with its decision"""
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues or ends"""
    input: NotRequired[str]
    """Input for the model before the run resumes"""
    additional_instructions: NotRequired[str]
    """The same as input"""
    continue_from: NotRequired[str]
    """`end` (the default), `last_user`, or how many messages to keep"""
    fork: NotRequired[bool]
    """Continue in a new run, and leave this one as it is. Completed runs always do"""
    regenerate: NotRequired[bool]
    """Answer anew, in a new run"""
    replace_original: NotRequired[bool]
    """With regenerate: whether the answer that is given anew is left out from then on. Default true"""
    user_id: NotRequired[str]
    """For the factory of the component. The run keeps its user"""
    dependencies: NotRequired[str | Dict[str, Any]]
    """A JSON object, handed to instructions and tools of a new run"""
    metadata: NotRequired[str | Dict[str, Any]]
    """A JSON object, kept with a new run"""
    memory: NotRequired[bool]
    """With false the run neither uses nor updates memories of the user"""
    knowledge_filters: NotRequired[Any]
    """A JSON object of metadata, or a filter expression with op, or a list of both: only knowledge that matches is found"""


class WorkflowContinueOptions(TypedDict):
    requirements: NotRequired[List[Dict[str, Any]]]
    """A JSON array: the requirements of the paused run, of steps and of errors, each with its decision"""
    step_requirements: NotRequired[List[Dict[str, Any]]]
    """A JSON array: the run's step_requirements, the last one with its decision"""
    error_requirements: NotRequired[List[Dict[str, Any]]]
    """A JSON array: the run's error_requirements, the last one with `retry` or `skip` as decision"""
    stream_events: NotRequired[bool]
    """With false only the answer itself is streamed. Default true"""
    on_disconnect: NotRequired[Literal["continue", "cancel"]]
    """Whether a run whose client disconnects continues or ends"""
    user_id: NotRequired[str]
    """For the factory of the workflow. The run keeps its user"""
    factory_input: NotRequired[str | Dict[str, Any]]
    """A JSON object for the factory of the workflow. It is that of the run's start, or left out"""


class AgentSummaryResponseModel(TypedDict):
    """Model, as `provider:model`"""
    id: NotRequired[str]
    """Name of the model at its provider"""
    provider: NotRequired[str]
    """Name of the provider of the model"""


class AgentToolsToolChoice2(TypedDict):
    tool: str
    """Tool call"""


class ApprovalContext(TypedDict):
    tool_names: List[str]
    """Names of the tools that wait"""
    source_name: NotRequired[str]
    """Name of the component that asked for the approval"""


class CitationsUrlsItem(TypedDict):
    url: str
    """Address of the resource"""
    title: NotRequired[str]
    """Title of the page"""


class CitationsDocumentsItem(TypedDict):
    document_title: NotRequired[str]
    """Title of the document"""
    cited_text: NotRequired[str]
    """Passage that the model cited"""
    file_name: NotRequired[str]
    """Name of the file"""


class ConfigResponseChat(TypedDict):
    """Suggestions for a chat page"""
    quick_prompts: Dict[str, List[str]]
    """Questions that a chat page suggests, by component"""


class DatabaseConfigDomainConfig(TypedDict):
    """Display name"""
    display_name: str
    """Display name"""


class DatasetItemExpectedToolCallsItem2(TypedDict):
    name: str
    """Name of the tool"""
    arguments: NotRequired[Dict[str, Any]]
    """Arguments of the call"""


class DatasetItemInputExpectedToolCallsItem2(TypedDict):
    name: str
    """Name of the tool"""
    arguments: NotRequired[Dict[str, Any]]
    """Arguments of the call"""


class ExperimentScorersItem(TypedDict):
    type: Literal["exact"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    ignore_case: NotRequired[bool]
    """Whether capital and small letters are equal"""


class ExperimentScorersItem2(TypedDict):
    type: Literal["contains"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    ignore_case: NotRequired[bool]
    """Whether capital and small letters are equal"""
    texts: NotRequired[List[str]]
    """Texts that the answer must contain"""


class ExperimentScorersItem3(TypedDict):
    type: Literal["json_schema"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    schema: Dict[str, Any]
    """JSON Schema that the answer must fit"""


class ExperimentScorersItem4(TypedDict):
    type: Literal["similarity"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    ignore_case: NotRequired[bool]
    """Whether capital and small letters are equal"""


class ExperimentScorersItem5(TypedDict):
    type: Literal["tool_trajectory"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    order: NotRequired[Literal["exact", "in_order", "any_order"]]
    """Whether the calls must have this order"""


class ExperimentScorersItem6(TypedDict):
    type: Literal["judge"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    criteria: NotRequired[str]
    """What makes an answer good, in at most 65,536 bytes"""
    guidelines: NotRequired[str]
    """Further instructions for the judge, at most 65,536 bytes"""
    scoring_strategy: NotRequired[Literal["binary", "numeric"]]
    """Whether the judge says yes or no, or gives a number"""


class ExperimentDifferenceBase(TypedDict):
    status: Literal["passed", "failed", "error"]
    """State of the item in this experiment"""
    score: float | None
    """Score, from 0 to 1"""


class ExperimentDifferenceOther(TypedDict):
    status: Literal["passed", "failed", "error"]
    """State of the item in this experiment"""
    score: float | None
    """Score, from 0 to 1"""


class ExperimentInputScorersItem(TypedDict):
    type: Literal["exact"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    ignore_case: NotRequired[bool]
    """Whether capital and small letters are equal"""


class ExperimentInputScorersItem2(TypedDict):
    type: Literal["contains"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    ignore_case: NotRequired[bool]
    """Whether capital and small letters are equal"""
    texts: NotRequired[List[str]]
    """Texts that the answer must contain"""


class ExperimentInputScorersItem3(TypedDict):
    type: Literal["json_schema"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    schema: Dict[str, Any]
    """JSON Schema that the answer must fit"""


class ExperimentInputScorersItem4(TypedDict):
    type: Literal["similarity"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    ignore_case: NotRequired[bool]
    """Whether capital and small letters are equal"""


class ExperimentInputScorersItem5(TypedDict):
    type: Literal["tool_trajectory"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    order: NotRequired[Literal["exact", "in_order", "any_order"]]
    """Whether the calls must have this order"""


class ExperimentInputScorersItem6(TypedDict):
    type: Literal["judge"]
    """Kind of the scorer"""
    name: NotRequired[str]
    """Name of the scorer. Its type when left out"""
    threshold: NotRequired[float]
    """Smallest score that passes, from 0 to 1"""
    criteria: NotRequired[str]
    """What makes an answer good, in at most 65,536 bytes"""
    guidelines: NotRequired[str]
    """Further instructions for the judge, at most 65,536 bytes"""
    scoring_strategy: NotRequired[Literal["binary", "numeric"]]
    """Whether the judge says yes or no, or gives a number"""


class ExperimentItemScoresItem(TypedDict):
    scorer: str
    """Name of the scorer"""
    score: float | None
    """Score, from 0 to 1"""
    passed: bool
    """Whether the score is high enough"""
    reason: str | None
    """Why the judge gave the score"""


class KnowledgeConfigKnowledgeInstancesItem(TypedDict):
    id: str
    """Id of the knowledge instance"""
    name: str
    """Name of the knowledge instance"""
    description: NotRequired[str]
    """Subject of the knowledge instance, in a sentence"""
    db_id: str
    """Id of the database that stores it. Default: the own database of the component"""
    table: str
    """Table of the contents"""


class McpInfoOauth(TypedDict):
    authorization_servers: List[str] | None
    """Addresses of the authorization servers"""
    resource: str | None
    """Address that tokens must be made for"""


class PartialRunRecordInputMedia(TypedDict):
    """Images, videos, audio and files of the input"""
    images: List[Image]
    """Images, each with a URL or base64 content"""
    videos: List[Video]
    """Videos, each with a URL or base64 content"""
    audios: List[Audio]
    """Audio clips of the input"""
    files: List[FileMedia]
    """Documents, each with a URL or content"""


class PartialTeamRunRecordInputMedia(TypedDict):
    """Images, videos, audio and files of the input"""
    images: List[Image]
    """Images, each with a URL or base64 content"""
    videos: List[Video]
    """Videos, each with a URL or base64 content"""
    audios: List[Audio]
    """Audio clips of the input"""
    files: List[FileMedia]
    """Documents, each with a URL or content"""


class ReasoningCompletedContent(TypedDict):
    """Answer: text, or the JSON value of an output schema"""
    reasoning_steps: List[ReasoningStep]
    """Steps of the reasoning"""


class RunRecordInputMedia(TypedDict):
    """Images, videos, audio and files of the input"""
    images: List[Image]
    """Images, each with a URL or base64 content"""
    videos: List[Video]
    """Videos, each with a URL or base64 content"""
    audios: List[Audio]
    """Audio clips of the input"""
    files: List[FileMedia]
    """Documents, each with a URL or content"""


class ServiceAccountCreateScopesItem2(TypedDict):
    scope: str
    """Scope"""
    effect: NotRequired[Literal["allow"]]
    """`allow`"""


class TeamReasoningCompletedContent(TypedDict):
    """Answer: text, or the JSON value of an output schema"""
    reasoning_steps: List[ReasoningStep]
    """Steps of the reasoning"""


class TeamRunRecordInputMedia(TypedDict):
    """Images, videos, audio and files of the input"""
    images: List[Image]
    """Images, each with a URL or base64 content"""
    videos: List[Video]
    """Videos, each with a URL or base64 content"""
    audios: List[Audio]
    """Audio clips of the input"""
    files: List[FileMedia]
    """Documents, each with a URL or content"""


class TeamSummaryResponseModel(TypedDict):
    """Model, as `provider:model`"""
    id: NotRequired[str]
    """Name of the model at its provider"""
    provider: NotRequired[str]
    """Name of the provider of the model"""


class ToolCallFunction(TypedDict):
    """Name of the tool, and its arguments as JSON text"""
    name: str
    """Name of the tool"""
    arguments: str
    """Arguments of the call, as JSON text"""


class TraceFilterSchemaFieldsItem(TypedDict):
    key: str
    """Name of the field"""
    label: str
    """Display name of the field"""
    type: str
    """Type of the field"""
    operators: List[str]
    """Operators that the field can be compared with"""
    values: List[str] | None
    """Values that the field can have. Null: any"""


class UsageFiguresRuns(TypedDict):
    """Number of runs: all, completed, failed and cancelled"""
    total: float
    """Number of all runs"""
    completed: float
    """Number of runs that completed"""
    failed: float
    """Number of runs that failed"""
    cancelled: float
    """Number of runs that were cancelled"""


class UsageFiguresTokens(TypedDict):
    """Tokens, by kind"""
    input_tokens: float
    """Tokens that the model read"""
    output_tokens: float
    """Tokens that the model wrote"""
    total_tokens: float
    """Tokens that were read and written"""
    audio_input_tokens: float
    """Tokens of sound that the model read"""
    audio_output_tokens: float
    """Tokens of sound that the model wrote"""
    audio_total_tokens: float
    """Tokens of sound that were read and written"""
    cache_read_tokens: float
    """Tokens that the provider read from its cache"""
    cache_write_tokens: float
    """Tokens that the provider wrote to its cache"""
    reasoning_tokens: float
    """Tokens of the reasoning, which are part of the output"""


CancelAccepted: TypeAlias = Any
EpochSeconds: TypeAlias = int
FinishReason: TypeAlias = Literal["length", "content_filter"]
MemberRun: TypeAlias = RunOutput | TeamRunOutput1 | WorkflowRunOutput1
AgentEvent: TypeAlias = RunStarted | RunContent | RunContentPartial | RunContentCompleted | RunCompleted | RunError | RunCancelled | RunPaused | RunContinued | PreHookStarted | PreHookCompleted | PostHookStarted | PostHookCompleted | MemoryUpdateStarted | MemoryUpdateCompleted | SessionSummaryStarted | SessionSummaryCompleted | ToolCallStarted | ToolCallCompleted | ToolCallError | ReasoningStarted | ReasoningStep1 | ReasoningContentDelta | ReasoningCompleted | ModelRequestStarted | ModelRequestCompleted | ModelFallback | HookApplied | ContextTrimmed | ToolSourceFailed | CustomEvent
"""Events of the runs of agents, by `event`."""
TeamEvent: TypeAlias = RunStarted | RunContent | RunContentPartial | RunContentCompleted | RunCompleted | RunError | RunCancelled | RunPaused | RunContinued | PreHookStarted | PreHookCompleted | PostHookStarted | PostHookCompleted | MemoryUpdateStarted | MemoryUpdateCompleted | SessionSummaryStarted | SessionSummaryCompleted | ToolCallStarted | ToolCallCompleted | ToolCallError | ReasoningStarted | ReasoningStep1 | ReasoningContentDelta | ReasoningCompleted | ModelRequestStarted | ModelRequestCompleted | ModelFallback | HookApplied | ContextTrimmed | ToolSourceFailed | CustomEvent | TeamRunStarted | TeamRunContent | TeamRunContentPartial | TeamRunContentCompleted | TeamRunCompleted | TeamRunError | TeamRunCancelled | TeamRunPaused | TeamRunContinued | TeamPreHookStarted | TeamPreHookCompleted | TeamPostHookStarted | TeamPostHookCompleted | TeamMemoryUpdateStarted | TeamMemoryUpdateCompleted | TeamSessionSummaryStarted | TeamSessionSummaryCompleted | TeamToolCallStarted | TeamToolCallCompleted | TeamToolCallError | TeamReasoningStarted | TeamReasoningStep | TeamReasoningContentDelta | TeamReasoningCompleted | TeamModelRequestStarted | TeamModelRequestCompleted | TeamModelFallback | TeamHookApplied | TeamContextTrimmed | TeamToolSourceFailed | TeamTaskIterationStarted | TeamTaskIterationCompleted | TeamTaskStateUpdated | TeamTaskCreated | TeamTaskUpdated | TeamCustomEvent | WorkflowStarted | WorkflowCompleted | WorkflowPaused | WorkflowCancelled | WorkflowError | StepStarted | StepOutput2 | StepCompleted | StepPaused | StepContinued | StepExecutorPaused | StepExecutorContinued | StepOutputReview | StepError | ParallelExecutionStarted | ParallelExecutionCompleted | ConditionExecutionStarted | ConditionExecutionCompleted | LoopExecutionStarted | LoopIterationStarted | LoopIterationCompleted | LoopExecutionCompleted | RouterExecutionStarted | RouterExecutionCompleted | RouterPaused | StepsExecutionStarted | StepsExecutionCompleted | WorkflowCustomEvent
"""Events of the runs of teams, by `event`."""
WorkflowEvent: TypeAlias = RunStarted | RunContent | RunContentPartial | RunContentCompleted | RunCompleted | RunError | RunCancelled | RunPaused | RunContinued | PreHookStarted | PreHookCompleted | PostHookStarted | PostHookCompleted | MemoryUpdateStarted | MemoryUpdateCompleted | SessionSummaryStarted | SessionSummaryCompleted | ToolCallStarted | ToolCallCompleted | ToolCallError | ReasoningStarted | ReasoningStep1 | ReasoningContentDelta | ReasoningCompleted | ModelRequestStarted | ModelRequestCompleted | ModelFallback | HookApplied | ContextTrimmed | ToolSourceFailed | CustomEvent | TeamRunStarted | TeamRunContent | TeamRunContentPartial | TeamRunContentCompleted | TeamRunCompleted | TeamRunError | TeamRunCancelled | TeamRunPaused | TeamRunContinued | TeamPreHookStarted | TeamPreHookCompleted | TeamPostHookStarted | TeamPostHookCompleted | TeamMemoryUpdateStarted | TeamMemoryUpdateCompleted | TeamSessionSummaryStarted | TeamSessionSummaryCompleted | TeamToolCallStarted | TeamToolCallCompleted | TeamToolCallError | TeamReasoningStarted | TeamReasoningStep | TeamReasoningContentDelta | TeamReasoningCompleted | TeamModelRequestStarted | TeamModelRequestCompleted | TeamModelFallback | TeamHookApplied | TeamContextTrimmed | TeamToolSourceFailed | TeamTaskIterationStarted | TeamTaskIterationCompleted | TeamTaskStateUpdated | TeamTaskCreated | TeamTaskUpdated | TeamCustomEvent | WorkflowStarted | WorkflowCompleted | WorkflowPaused | WorkflowCancelled | WorkflowError | StepStarted | StepOutput2 | StepCompleted | StepPaused | StepContinued | StepExecutorPaused | StepExecutorContinued | StepOutputReview | StepError | ParallelExecutionStarted | ParallelExecutionCompleted | ConditionExecutionStarted | ConditionExecutionCompleted | LoopExecutionStarted | LoopIterationStarted | LoopIterationCompleted | LoopExecutionCompleted | RouterExecutionStarted | RouterExecutionCompleted | RouterPaused | StepsExecutionStarted | StepsExecutionCompleted | WorkflowCustomEvent
"""Events of the runs of workflows, by `event`."""
