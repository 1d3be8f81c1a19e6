# Generated from the API's document by packages/client/scripts/Python.ts: npm run openapi
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict, Unpack

from ._connection import Connection
from ._resource import AsyncResource, Resource
from .models import (
    AgentResponse,
    AgentSessionDetailSchema,
    Approval,
    ApprovalCount,
    ApprovalResolve,
    ApprovalStatus,
    Caller,
    ChangedDataset,
    ComponentConfigResponse,
    ComponentCreate,
    ComponentDefinition,
    ComponentDefinitionPatch,
    ComponentResponse,
    ComponentUpdate,
    ConfigCreate,
    ConfigResponse,
    ConfigUpdate,
    ContentForm,
    ContentPatchForm,
    ContentResponseSchema,
    ContentSource,
    ContentSourceFiles,
    ContentStatusResponse,
    CreateSessionRequest,
    CronPreview,
    DatabaseNodes,
    Dataset,
    DatasetChange,
    DatasetInput,
    DatasetItemFromTrace,
    DatasetPatch,
    DayMetrics,
    DefinedComponent,
    DeleteMemoriesRequest,
    DeleteSessionRequest,
    EvalRun,
    EvalRunAccepted,
    EvalRunInput,
    EvalRunRename,
    EvalRunsRemove,
    Experiment,
    ExperimentComparison,
    ExperimentInput,
    Feedback,
    FeedbackInput,
    HealthResponse,
    InfoResponse,
    KnowledgeConfigResponse,
    Learning,
    LearningCreate,
    LearningPatch,
    Metrics,
    MetricsRefreshStarted,
    MetricsRefreshStatus,
    MigrationResponse,
    MigrationStatus,
    MigrationsResponse,
    Model,
    OptimizeMemoriesRequest,
    OptimizeMemoriesResponse,
    PaginatedApprovals,
    PaginatedComponents,
    PaginatedContents,
    PaginatedDatasetItems,
    PaginatedDatasets,
    PaginatedEvalRuns,
    PaginatedExperimentItems,
    PaginatedExperiments,
    PaginatedFeedback,
    PaginatedLearningUsers,
    PaginatedLearnings,
    PaginatedMemories,
    PaginatedRegistry,
    PaginatedRuns,
    PaginatedScheduleRuns,
    PaginatedSchedules,
    PaginatedSearchResults,
    PaginatedServiceAccounts,
    PaginatedSessions,
    PaginatedTraceDetails,
    PaginatedTraceSessionStats,
    PaginatedTraceSessionStats1,
    PaginatedTraces,
    PaginatedUsage,
    PaginatedUserMemoryStats,
    PaginatedWebhookDeliveries,
    PaginatedWebhooks,
    PartialRunRecord,
    PartialTeamRunRecord,
    PartialWorkflowRunRecord,
    PartlyMigratedResponse,
    ReadyResponse,
    RemoteContentForm,
    RemovedContent,
    RemovedUserMemory,
    RenameSessionRequest,
    Root,
    RunRecord,
    Schedule,
    ScheduleCreate,
    SchedulePreview,
    ScheduleRun,
    ScheduleState,
    ScheduleUpdate,
    ServiceAccountCreate,
    ServiceAccountCreated,
    TeamFactoryResponse,
    TeamResponse,
    TeamRunRecord,
    TeamSessionDetailSchema,
    TraceDetail,
    TraceFilterSchema,
    TraceNode,
    TraceSearchRequest,
    UpdateSessionRequest,
    UserMemoryCreateSchema,
    UserMemorySchema,
    UserMemorySettings,
    VectorSearchRequest,
    Webhook,
    WebhookCreate,
    WebhookCreated,
    WebhookDelivery,
    WebhookSecret,
    WebhookUpdate,
    WorkflowResponse,
    WorkflowRunRecord,
    WorkflowSessionDetailSchema,
    WorkflowSummaryResponse,
)


class MigrateAllDatabasesQuery(TypedDict):
    target_version: NotRequired[str]
    """Version to migrate to. Default: the newest"""
    dry_run: NotRequired[bool]
    """Whether to show the migrations only, without applying them"""


class MigrateDatabaseQuery(TypedDict):
    target_version: NotRequired[str]
    """Version to migrate to. Default: the newest"""
    dry_run: NotRequired[bool]
    """Whether to show the migrations only, without applying them"""


class GetWorkflowQuery(TypedDict):
    version: NotRequired[int]
    """Number of the version"""


class GetSessionsQuery(TypedDict):
    type: NotRequired[Literal["agent", "team", "workflow"]]
    """Only entries of this kind"""
    component_id: NotRequired[str]
    """Id of the component"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    session_name: NotRequired[str]
    """Only sessions with this text in their name"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    sort_by: NotRequired[str]
    """Field by which the entries are sorted"""
    sort_order: NotRequired[Literal["asc", "desc"]]
    """Direction of the sort: `asc` or `desc`"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class CreateSessionQuery(TypedDict):
    type: NotRequired[Literal["agent", "team", "workflow"]]
    """Only entries of this kind"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class DeleteSessionsQuery(TypedDict):
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetSessionByIdQuery(TypedDict):
    type: NotRequired[Literal["agent", "team", "workflow"]]
    """Only entries of this kind"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class UpdateSessionQuery(TypedDict):
    type: NotRequired[Literal["agent", "team", "workflow"]]
    """Only entries of this kind"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class DeleteSessionQuery(TypedDict):
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetSessionRunsQuery(TypedDict):
    type: NotRequired[Literal["agent", "team", "workflow"]]
    """Only entries of this kind"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    created_after: NotRequired[int]
    """Only entries that were created at or after this time"""
    created_before: NotRequired[int]
    """Only entries that were created at or before this time"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetSessionRunQuery(TypedDict):
    type: NotRequired[Literal["agent", "team", "workflow"]]
    """Only entries of this kind"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class RenameSessionQuery(TypedDict):
    type: NotRequired[Literal["agent", "team", "workflow"]]
    """Only entries of this kind"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class ListRunsQuery(TypedDict):
    type: NotRequired[Literal["agent", "team", "workflow"]]
    """Only entries of this kind"""
    component_id: NotRequired[str]
    """Id of the component"""
    run_id: NotRequired[str]
    """Id of the run"""
    session_id: NotRequired[str]
    """Id of the session, the conversation that runs belong to"""
    status: NotRequired[Literal["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]]
    """Only entries in this state"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class GetServiceAccountsQuery(TypedDict):
    include_revoked: NotRequired[bool]
    """Whether the list has revoked accounts too"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    sort_by: NotRequired[str]
    """Field by which the entries are sorted"""
    sort_order: NotRequired[str]
    """Direction of the sort: `asc` or `desc`"""


class ListApprovalsQuery(TypedDict):
    status: NotRequired[Literal["pending", "approved", "rejected", "expired", "cancelled"]]
    """Only entries in this state"""
    source_type: NotRequired[Literal["agent", "team", "workflow"]]
    """Kind of the component that asked for the approval"""
    approval_type: NotRequired[Literal["required", "audit"]]
    """Kind of the approval: `required` pauses the run, `audit` only records the decision"""
    pause_type: NotRequired[Literal["confirmation", "user_input", "external_execution"]]
    """What the run waits for"""
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    schedule_id: NotRequired[str]
    """Id of the schedule"""
    run_id: NotRequired[str]
    """Id of the run"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""


class GetApprovalCountQuery(TypedDict):
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""


class CreateMemoryQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetMemoriesQuery(TypedDict):
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    topics: NotRequired[str | List[str]]
    """Only memories with all of these topics"""
    search_content: NotRequired[str]
    """Text to search for"""
    search_by: NotRequired[Literal["text", "meaning"]]
    """Whether memories must contain the text, or mean the same"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    sort_by: NotRequired[str]
    """Field by which the entries are sorted"""
    sort_order: NotRequired[Literal["asc", "desc"]]
    """Direction of the sort: `asc` or `desc`"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class DeleteMemoriesQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetMemoryQuery(TypedDict):
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class UpdateMemoryQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class DeleteMemoryQuery(TypedDict):
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetMemoryTopicsQuery(TypedDict):
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetUserMemoryStatsQuery(TypedDict):
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class OptimizeMemoriesQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class ListLearningsQuery(TypedDict):
    learning_type: NotRequired[str]
    """Type of the learning"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    session_id: NotRequired[str]
    """Id of the session, the conversation that runs belong to"""
    namespace: NotRequired[str]
    """Name that separates learnings of the same type"""
    entity_id: NotRequired[str]
    """Id of the thing that the learning is about"""
    entity_type: NotRequired[str]
    """Kind of the thing that the learning is about"""
    status: NotRequired[Literal["proposed", "approved"]]
    """Only entries in this state"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    sort_by: NotRequired[str]
    """Field by which the entries are sorted"""
    sort_order: NotRequired[Literal["asc", "desc"]]
    """Direction of the sort: `asc` or `desc`"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class CreateLearningQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class ListLearningUsersQuery(TypedDict):
    learning_type: NotRequired[str]
    """Type of the learning"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    sort_by: NotRequired[str]
    """Field by which the entries are sorted"""
    sort_order: NotRequired[Literal["asc", "desc"]]
    """Direction of the sort: `asc` or `desc`"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class DeleteUserLearningsQuery(TypedDict):
    learning_type: NotRequired[str]
    """Type of the learning"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetLearningQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class UpdateLearningQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class DeleteLearningQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class UploadContentQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_id: NotRequired[str]
    """Id of the knowledge instance. Needed if the service has more than one"""


class GetContentQuery(TypedDict):
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    sort_by: NotRequired[str]
    """Field by which the entries are sorted"""
    sort_order: NotRequired[Literal["asc", "desc"]]
    """Direction of the sort: `asc` or `desc`"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_id: NotRequired[str]
    """Id of the knowledge instance. Needed if the service has more than one"""


class DeleteAllContentQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_id: NotRequired[str]
    """Id of the knowledge instance. Needed if the service has more than one"""


class UploadRemoteContentQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_id: NotRequired[str]
    """Id of the knowledge instance. Needed if the service has more than one"""


class GetContentByIdQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_id: NotRequired[str]
    """Id of the knowledge instance. Needed if the service has more than one"""


class UpdateContentQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_id: NotRequired[str]
    """Id of the knowledge instance. Needed if the service has more than one"""


class DeleteContentByIdQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_id: NotRequired[str]
    """Id of the knowledge instance. Needed if the service has more than one"""


class GetContentStatusQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_id: NotRequired[str]
    """Id of the knowledge instance. Needed if the service has more than one"""


class SearchKnowledgeQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_id: NotRequired[str]
    """Id of the knowledge instance. Needed if the service has more than one"""


class GetKnowledgeConfigQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    knowledge_id: NotRequired[str]
    """Id of the knowledge instance. Needed if the service has more than one"""


class ListContentSourcesQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class ListContentSourceFilesQuery(TypedDict):
    prefix: NotRequired[str]
    """Path of the folder. Default: the top folder"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    delimiter: NotRequired[str]
    """Character that separates folders"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class GetMetricsQuery(TypedDict):
    starting_date: NotRequired[str]
    """First day, in UTC"""
    ending_date: NotRequired[str]
    """Last day, in UTC"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetUsageQuery(TypedDict):
    starting_date: NotRequired[str]
    """First day, in UTC"""
    ending_date: NotRequired[str]
    """Last day, in UTC"""
    interval: NotRequired[Literal["hour", "day"]]
    """Whether there is an entry for each hour or for each day"""
    group_by: NotRequired[Literal["component", "user", "model"]]
    """What the figures are grouped by. Default: one group"""
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    model_id: NotRequired[str]
    """Name of the model at its provider"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class RefreshMetricsQuery(TypedDict):
    background: NotRequired[bool]
    """Whether the response is sent at once, with 202, and the work is done in the background"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetMetricsRefreshStatusQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetTracesQuery(TypedDict):
    run_id: NotRequired[str]
    """Id of the run"""
    session_id: NotRequired[str]
    """Id of the session, the conversation that runs belong to"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    status: NotRequired[str]
    """Only entries in this state"""
    start_time: NotRequired[str]
    """Only traces that began at or after this time"""
    end_time: NotRequired[str]
    """Only traces that ended at or before this time"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class GetTraceQuery(TypedDict):
    span_id: NotRequired[str]
    """Id of a span, 16 hexadecimal digits"""
    run_id: NotRequired[str]
    """Id of the run"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class GetTraceStatsQuery(TypedDict):
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    start_time: NotRequired[str]
    """Only traces that began at or after this time"""
    end_time: NotRequired[str]
    """Only traces that ended at or before this time"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class SearchTracesQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class GetEvalRunsQuery(TypedDict):
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    model_id: NotRequired[str]
    """Name of the model at its provider"""
    type: NotRequired[Literal["agent", "team", "workflow"]]
    """Only entries of this kind"""
    eval_types: NotRequired[str | List[str]]
    """Only evaluations of these kinds, separated by commas"""
    status: NotRequired[str | List[str]]
    """Only entries in this state"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    sort_by: NotRequired[str]
    """Field by which the entries are sorted"""
    sort_order: NotRequired[Literal["asc", "desc"]]
    """Direction of the sort: `asc` or `desc`"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class DeleteEvalRunsQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class RunEvalQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GetEvalRunQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class UpdateEvalRunQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class CancelEvalRunQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""
    table: NotRequired[str]
    """Accepted for compatibility, and not used: the service chooses its tables"""


class GiveFeedbackQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class GetRunFeedbackQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class ListFeedbackQuery(TypedDict):
    run_id: NotRequired[str]
    """Id of the run"""
    session_id: NotRequired[str]
    """Id of the session, the conversation that runs belong to"""
    agent_id: NotRequired[str]
    """Id of the agent"""
    team_id: NotRequired[str]
    """Id of the team"""
    workflow_id: NotRequired[str]
    """Id of the workflow"""
    key: NotRequired[str]
    """Only scores with this key"""
    source: NotRequired[Literal["user", "scorer"]]
    """Only scores of this source"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class DeleteFeedbackQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class ListComponentsQuery(TypedDict):
    component_type: NotRequired[Literal["agent", "team", "workflow"]]
    """Only components of this kind"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""


class ListComponentConfigsQuery(TypedDict):
    include_config: NotRequired[bool]
    """Whether the response has the configs"""


class ListDatasetsQuery(TypedDict):
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class CreateDatasetQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class GetDatasetQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class UpdateDatasetQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class DeleteDatasetQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class ListDatasetItemsQuery(TypedDict):
    version: NotRequired[int]
    """Number of the version"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class ChangeDatasetItemsQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class AddDatasetItemFromTraceQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class ImportDatasetItemsQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class ExportDatasetItemsQuery(TypedDict):
    version: NotRequired[int]
    """Number of the version"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class ListRegistryQuery(TypedDict):
    resource_type: NotRequired[Literal["tool", "model", "db", "vector_db", "schema", "function", "agent", "team", "knowledge", "memory_manager", "session_summary_manager"]]
    """Only entries of this kind"""
    name: NotRequired[str]
    """Only entries with this text in their name"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""


class ListExperimentsQuery(TypedDict):
    dataset_id: NotRequired[str]
    """Id of the dataset"""
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class CreateExperimentQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class CompareExperimentsQuery(TypedDict):
    ids: str
    """Ids, separated by commas"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class GetExperimentQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class DeleteExperimentQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class CancelExperimentQuery(TypedDict):
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class ListExperimentItemsQuery(TypedDict):
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class ListSchedulesQuery(TypedDict):
    enabled: NotRequired[bool]
    """Only enabled entries, or only disabled ones"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""


class PreviewCronQuery(TypedDict):
    cron_expr: str
    """Times, as a cron expression with five fields"""
    timezone: NotRequired[str]
    """Time zone of the cron expression"""
    count: NotRequired[int]
    """How many to show"""


class PreviewScheduleQuery(TypedDict):
    count: NotRequired[int]
    """How many to show"""


class ListScheduleRunsQuery(TypedDict):
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""


class ListWebhooksQuery(TypedDict):
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""


class ListWebhookDeliveriesQuery(TypedDict):
    status: NotRequired[Literal["pending", "succeeded", "failed"]]
    """Only entries in this state"""
    limit: NotRequired[int]
    """Largest number of entries on a page"""
    page: NotRequired[int]
    """Number of the page, from 1"""


class GetMediaQuery(TypedDict):
    user_id: NotRequired[str]
    """Only what belongs to this user. An isolated caller sees only what is their own"""
    db_id: NotRequired[str]
    """Id of the database that stores it. Default: the own database of the component"""


class SystemResource(Resource):
    def root(self, /) -> Root:
        """Get the name of the service. Returns name and version. A browser gets a page."""
        return self._call("GET /", ())

    def health(self, /) -> HealthResponse:
        """Check that the process is running. Responds as long as the process runs, also without its database. For the state of the service, see `/ready`."""
        return self._call("GET /health", ())

    def ready(self, /) -> ReadyResponse:
        """Check that the service accepts work. Responds with 503 and reasons while the database is away, migrations are executed, or the node is stopping."""
        return self._call("GET /ready", ())

    def info(self, /) -> InfoResponse:
        """Get what the service is. Returns versions, numbers of components and how requests are authorized. It needs no credential."""
        return self._call("GET /info", ())

    def caller(self, /) -> Caller:
        """Get who the caller is. Returns the user and the scopes of the credential, so that a page offers what it allows. Needs a credential, and no scope."""
        return self._call("GET /caller", ())

    def config(self, /) -> ConfigResponse:
        """Get the configuration. Returns components, databases, models and protocols, as a page for people needs them. Needs the scope `config:read`."""
        return self._call("GET /config", ())

    def models(self, /) -> List[Model]:
        """List the models. Returns the models that components of the service use. Needs the scope `config:read`."""
        return self._call("GET /models", ())

    def nodes(self, /) -> List[DatabaseNodes]:
        """List the nodes of each database. Returns the nodes that share each database, whether they are alive, and how many runs they have. Needs the scope `metrics:read`."""
        return self._call("GET /nodes", ())

    def prometheus_metrics(self, /) -> str:
        """Get the metrics for Prometheus. Returns the metrics of this node in the text format of Prometheus. Needs the scope `metrics:read`."""
        return self._call("GET /metrics/prometheus", ())


class DatabasesResource(Resource):
    def migrate_all(self, /, **query: Unpack[MigrateAllDatabasesQuery]) -> MigrationsResponse | PartlyMigratedResponse:
        """Migrate all databases. Applies the pending migrations to each database. The service does this at its start as well. Needs the scope `config:write`."""
        return self._call("POST /databases/all/migrate", (), query=query)

    def migrate(self, db_id: str | int, /, **query: Unpack[MigrateDatabaseQuery]) -> MigrationResponse:
        """Migrate a database. Applies the pending migrations to one database. Needs the scope `config:write`."""
        return self._call("POST /databases/{}/migrate", (db_id,), query=query)

    def migrations(self, db_id: str | int, /) -> MigrationStatus:
        """List the migrations of a database. Returns the applied and the pending migrations. Needs the scope `config:read`."""
        return self._call("GET /databases/{}/migrations", (db_id,))


class AgentsResource(Resource):
    def list(self, /) -> List[AgentResponse]:
        """List the agents. Returns the agents that the caller may read, with the factories that make agents. Needs the scope `agents:read`."""
        return self._call("GET /agents", ())

    def create(self, /, **body: Unpack[ComponentDefinition]) -> DefinedComponent:
        """Create an agent. Stores a new agent. It can be run at once, unless its `stage` is `draft`. Needs the scope `agents:write`."""
        return self._call("POST /agents", (), body=body, kind="j")

    def get(self, agent_id: str | int, /) -> AgentResponse:
        """Get an agent. Returns one agent with its settings. For a factory it returns the schema of its input. Needs the scope `agents:read`."""
        return self._call("GET /agents/{}", (agent_id,))

    def update(self, agent_id: str | int, /, **body: Unpack[ComponentDefinitionPatch]) -> DefinedComponent:
        """Change an agent. Changes the stored agent. If its newest version is a draft, the draft is changed, and otherwise a new version is made. Null removes a field. Needs the scope `agents:write`."""
        return self._call("PATCH /agents/{}", (agent_id,), body=body, kind="j")

    def delete(self, agent_id: str | int, /) -> None:
        """Delete an agent. Removes the stored agent and all of its versions. Its runs and sessions stay. Needs the scope `agents:delete`."""
        return self._call("DELETE /agents/{}", (agent_id,))


class TeamsResource(Resource):
    def list(self, /) -> List[TeamResponse | TeamFactoryResponse]:
        """List the teams. Returns the teams that the caller may read, with the factories that make teams. Needs the scope `teams:read`."""
        return self._call("GET /teams", ())

    def create(self, /, **body: Unpack[ComponentDefinition]) -> DefinedComponent:
        """Create a team. Stores a new team. It can be run at once, unless its `stage` is `draft`. Needs the scope `teams:write`."""
        return self._call("POST /teams", (), body=body, kind="j")

    def get(self, team_id: str | int, /) -> TeamResponse | TeamFactoryResponse:
        """Get a team. Returns one team with its settings. For a factory it returns the schema of its input. Needs the scope `teams:read`."""
        return self._call("GET /teams/{}", (team_id,))

    def update(self, team_id: str | int, /, **body: Unpack[ComponentDefinitionPatch]) -> DefinedComponent:
        """Change a team. Changes the stored team. If its newest version is a draft, the draft is changed, and otherwise a new version is made. Null removes a field. Needs the scope `teams:write`."""
        return self._call("PATCH /teams/{}", (team_id,), body=body, kind="j")

    def delete(self, team_id: str | int, /) -> None:
        """Delete a team. Removes the stored team and all of its versions. Its runs and sessions stay. Needs the scope `teams:delete`."""
        return self._call("DELETE /teams/{}", (team_id,))


class WorkflowsResource(Resource):
    def list(self, /) -> List[WorkflowSummaryResponse]:
        """List the workflows. Returns the workflows that the caller may read, with the factories that make workflows. Needs the scope `workflows:read`."""
        return self._call("GET /workflows", ())

    def create(self, /, **body: Unpack[ComponentDefinition]) -> DefinedComponent:
        """Create a workflow. Stores a new workflow. It can be run at once, unless its `stage` is `draft`. Needs the scope `workflows:write`."""
        return self._call("POST /workflows", (), body=body, kind="j")

    def get(self, workflow_id: str | int, /, **query: Unpack[GetWorkflowQuery]) -> WorkflowResponse:
        """Get a workflow. Returns one workflow with its settings. For a factory it returns the schema of its input. Needs the scope `workflows:read`."""
        return self._call("GET /workflows/{}", (workflow_id,), query=query)

    def update(self, workflow_id: str | int, /, **body: Unpack[ComponentDefinitionPatch]) -> DefinedComponent:
        """Change a workflow. Changes the stored workflow. If its newest version is a draft, the draft is changed, and otherwise a new version is made. Null removes a field. Needs the scope `workflows:write`."""
        return self._call("PATCH /workflows/{}", (workflow_id,), body=body, kind="j")

    def delete(self, workflow_id: str | int, /) -> None:
        """Delete a workflow. Removes the stored workflow and all of its versions. Its runs and sessions stay. Needs the scope `workflows:delete`."""
        return self._call("DELETE /workflows/{}", (workflow_id,))


class SessionsResource(Resource):
    def list(self, /, **query: Unpack[GetSessionsQuery]) -> PaginatedSessions:
        """List the sessions. Returns sessions, the last changed first. They can be filtered by component, user, name and time. Needs the scope `sessions:read`."""
        return self._call("GET /sessions", (), query=query)

    def create(self, /, *, params: CreateSessionQuery | None = None, **body: Unpack[CreateSessionRequest]) -> AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema:
        """Create a session. Creates an empty session. Runs create their sessions themselves, so this is needed for a name or a state only. Needs the scope `sessions:write`."""
        return self._call("POST /sessions", (), query=params, body=body, kind="j")

    def delete_many(self, /, *, params: DeleteSessionsQuery | None = None, **body: Unpack[DeleteSessionRequest]) -> None:
        """Delete several sessions. Removes the sessions with their runs, events and traces. Runs that are executing are cancelled. Needs the scope `sessions:delete`."""
        return self._call("DELETE /sessions", (), query=params, body=body, kind="j")

    def get(self, session_id: str | int, /, **query: Unpack[GetSessionByIdQuery]) -> AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema:
        """Get a session. Returns a session with its state, its summary and its messages. Needs the scope `sessions:read`."""
        return self._call("GET /sessions/{}", (session_id,), query=query)

    def update(self, session_id: str | int, /, *, params: UpdateSessionQuery | None = None, **body: Unpack[UpdateSessionRequest]) -> AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema:
        """Change a session. Changes the name, the state, the summary or the metadata. Fields that are left out stay. Needs the scope `sessions:write`."""
        return self._call("PATCH /sessions/{}", (session_id,), query=params, body=body, kind="j")

    def delete(self, session_id: str | int, /, **query: Unpack[DeleteSessionQuery]) -> None:
        """Delete a session. Removes the session with its runs, events and traces. Runs that are executing are cancelled. Needs the scope `sessions:delete`."""
        return self._call("DELETE /sessions/{}", (session_id,), query=query)

    def runs(self, session_id: str | int, /, **query: Unpack[GetSessionRunsQuery]) -> List[PartialRunRecord | PartialTeamRunRecord | PartialWorkflowRunRecord]:
        """List the runs of a session. Returns the runs of the session, oldest first. Runs that are executing are part of the list. Needs the scope `sessions:read`."""
        return self._call("GET /sessions/{}/runs", (session_id,), query=query)

    def run(self, session_id: str | int, run_id: str | int, /, **query: Unpack[GetSessionRunQuery]) -> RunRecord | TeamRunRecord | WorkflowRunRecord:
        """Get a run of a session. Returns one run of the session, of any kind of component. Needs the scope `sessions:read`."""
        return self._call("GET /sessions/{}/runs/{}", (session_id, run_id,), query=query)

    def rename(self, session_id: str | int, /, *, params: RenameSessionQuery | None = None, **body: Unpack[RenameSessionRequest]) -> AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema:
        """Rename a session. Gives the session another name. Needs the scope `sessions:write`."""
        return self._call("POST /sessions/{}/rename", (session_id,), query=params, body=body, kind="j")


class RunsResource(Resource):
    def list(self, /, **query: Unpack[ListRunsQuery]) -> PaginatedRuns:
        """List all runs. Returns the runs of all components, the newest first, without their contents. They can be filtered by component, session, user and status. More than 10,000 runs are not counted. Needs the scope `sessions:read`."""
        return self._call("GET /runs", (), query=query)


class ServiceaccountsResource(Resource):
    def create(self, /, **body: Unpack[ServiceAccountCreate]) -> ServiceAccountCreated:
        """Create a service account. Makes a token for a program. The token is shown only in this response. Needs the scope `service_accounts:write`."""
        return self._call("POST /service-accounts", (), body=body, kind="j")

    def list(self, /, **query: Unpack[GetServiceAccountsQuery]) -> PaginatedServiceAccounts:
        """List the service accounts. Returns the accounts with their scopes, without their tokens. Needs the scope `service_accounts:read`."""
        return self._call("GET /service-accounts", (), query=query)

    def revoke(self, service_account_id: str | int, /) -> None:
        """Revoke a service account. Makes the token useless at once. Open streams end at their next message. Needs the scope `service_accounts:delete`."""
        return self._call("DELETE /service-accounts/{}", (service_account_id,))


class ApprovalsResource(Resource):
    def list(self, /, **query: Unpack[ListApprovalsQuery]) -> PaginatedApprovals:
        """List the approvals. Returns what waits for a person, or waited. It can be filtered by state, component, user and run. Needs the scope `approvals:read`."""
        return self._call("GET /approvals", (), query=query)

    def count(self, /, **query: Unpack[GetApprovalCountQuery]) -> ApprovalCount:
        """Count the approvals. Returns how many approvals wait for a person. Needs the scope `approvals:read`."""
        return self._call("GET /approvals/count", (), query=query)

    def get(self, approval_id: str | int, /) -> Approval:
        """Get an approval. Returns one approval, with what a person should know. Needs the scope `approvals:read`."""
        return self._call("GET /approvals/{}", (approval_id,))

    def delete(self, approval_id: str | int, /) -> None:
        """Delete an approval. Removes the approval. Its run stays as it is. Needs the scope `approvals:delete`."""
        return self._call("DELETE /approvals/{}", (approval_id,))

    def status(self, approval_id: str | int, /) -> ApprovalStatus:
        """Get the state of an approval. Returns the decision, and the state of the run. A client can poll it. Needs the scope `approvals:read`."""
        return self._call("GET /approvals/{}/status", (approval_id,))

    def resolve(self, approval_id: str | int, /, **body: Unpack[ApprovalResolve]) -> Approval:
        """Decide an approval. Approves or rejects. The run then continues by itself. Of several decisions, the first one counts. Needs the scope `approvals:write`."""
        return self._call("POST /approvals/{}/resolve", (approval_id,), body=body, kind="j")


class MemoriesResource(Resource):
    def create(self, /, *, params: CreateMemoryQuery | None = None, **body: Unpack[UserMemoryCreateSchema]) -> UserMemorySchema:
        """Create a memory. Stores what agents should remember of a user. Needs the scope `memories:write`."""
        return self._call("POST /memories", (), query=params, body=body, kind="j")

    def list(self, /, **query: Unpack[GetMemoriesQuery]) -> PaginatedMemories:
        """List the memories. Returns memories, the last changed first. They can be filtered by user, topic and text. Needs the scope `memories:read`."""
        return self._call("GET /memories", (), query=query)

    def delete_many(self, /, *, params: DeleteMemoriesQuery | None = None, **body: Unpack[DeleteMemoriesRequest]) -> None:
        """Delete several memories. Removes the memories. Ids that do not exist are ignored. Needs the scope `memories:delete`."""
        return self._call("DELETE /memories", (), query=params, body=body, kind="j")

    def get(self, memory_id: str | int, /, **query: Unpack[GetMemoryQuery]) -> UserMemorySchema:
        """Get a memory. Returns one memory. Needs the scope `memories:read`."""
        return self._call("GET /memories/{}", (memory_id,), query=query)

    def update(self, memory_id: str | int, /, *, params: UpdateMemoryQuery | None = None, **body: Unpack[UserMemoryCreateSchema]) -> UserMemorySchema:
        """Change a memory. Replaces the text and the topics of a memory. Needs the scope `memories:write`."""
        return self._call("PATCH /memories/{}", (memory_id,), query=params, body=body, kind="j")

    def delete(self, memory_id: str | int, /, **query: Unpack[DeleteMemoryQuery]) -> None:
        """Delete a memory. Removes one memory. Needs the scope `memories:delete`."""
        return self._call("DELETE /memories/{}", (memory_id,), query=query)

    def topics(self, /, **query: Unpack[GetMemoryTopicsQuery]) -> List[str]:
        """List the topics. Returns the topics that memories have. Needs the scope `memories:read`."""
        return self._call("GET /memory_topics", (), query=query)

    def user_stats(self, /, **query: Unpack[GetUserMemoryStatsQuery]) -> PaginatedUserMemoryStats:
        """Count the memories of users. Returns each user who has memories, with their number and the time of the last change. Needs the scope `memories:read`."""
        return self._call("GET /user_memory_stats", (), query=query)

    def optimize(self, /, *, params: OptimizeMemoriesQuery | None = None, **body: Unpack[OptimizeMemoriesRequest]) -> OptimizeMemoriesResponse:
        """Shorten the memories of a user. Lets a model join the memories of a user into fewer ones. Without `apply` it only shows what would result. Needs the scope `memories:write`."""
        return self._call("POST /optimize-memories", (), query=params, body=body, kind="j")


class LearningsResource(Resource):
    def list(self, /, **query: Unpack[ListLearningsQuery]) -> PaginatedLearnings:
        """List the learnings. Returns what agents have learned. It can be filtered by type, namespace, user and entity. Needs the scope `learnings:read`."""
        return self._call("GET /learnings", (), query=query)

    def create(self, /, *, params: CreateLearningQuery | None = None, **body: Unpack[LearningCreate]) -> Learning:
        """Create a learning. Stores something that agents should know. Some types have one record for each user or entity. Needs the scope `learnings:write`."""
        return self._call("POST /learnings", (), query=params, body=body, kind="j")

    def users(self, /, **query: Unpack[ListLearningUsersQuery]) -> PaginatedLearningUsers:
        """List the users with learnings. Returns each user who has learnings, with the time of the last change. Needs the scope `learnings:read`."""
        return self._call("GET /learnings/users", (), query=query)

    def delete_of_user(self, user_id: str | int, /, **query: Unpack[DeleteUserLearningsQuery]) -> None:
        """Delete the learnings of a user. Removes all learnings of one user. Needs the scope `learnings:delete`."""
        return self._call("DELETE /learnings/users/{}", (user_id,), query=query)

    def get(self, learning_id: str | int, /, **query: Unpack[GetLearningQuery]) -> Learning:
        """Get a learning. Returns one learning. Needs the scope `learnings:read`."""
        return self._call("GET /learnings/{}", (learning_id,), query=query)

    def update(self, learning_id: str | int, /, *, params: UpdateLearningQuery | None = None, **body: Unpack[LearningPatch]) -> Learning:
        """Change a learning. Replaces the content or the metadata of a learning. Needs the scope `learnings:write`."""
        return self._call("PATCH /learnings/{}", (learning_id,), query=params, body=body, kind="j")

    def delete(self, learning_id: str | int, /, **query: Unpack[DeleteLearningQuery]) -> None:
        """Delete a learning. Removes one learning. Needs the scope `learnings:delete`."""
        return self._call("DELETE /learnings/{}", (learning_id,), query=query)


class KnowledgeResource(Resource):
    def add(self, /, *, params: UploadContentQuery | None = None, **body: Unpack[ContentForm]) -> ContentResponseSchema:
        """Add a content. Adds a file, a web page or a text to the knowledge. It is processed in the background: the status says when it can be found. Needs the scope `knowledge:write`."""
        return self._call("POST /knowledge/content", (), query=params, body=body, kind="f")

    def list(self, /, **query: Unpack[GetContentQuery]) -> PaginatedContents:
        """List the contents. Returns the contents of a knowledge instance. Needs the scope `knowledge:read`."""
        return self._call("GET /knowledge/content", (), query=query)

    def delete_all(self, /, **query: Unpack[DeleteAllContentQuery]) -> Literal["success"]:
        """Delete all contents. Removes all contents of a knowledge instance that belong to the caller. Needs the scope `knowledge:delete`."""
        return self._call("DELETE /knowledge/content", (), query=query)

    def add_remote(self, /, *, params: UploadRemoteContentQuery | None = None, **body: Unpack[RemoteContentForm]) -> ContentResponseSchema:
        """Add contents from a source. Fetches a file or a folder from a configured source, in the background. Needs the scope `knowledge:write`."""
        return self._call("POST /knowledge/remote-content", (), query=params, body=body, kind="f")

    def get(self, content_id: str | int, /, **query: Unpack[GetContentByIdQuery]) -> ContentResponseSchema:
        """Get a content. Returns one content, with how far it is processed. Needs the scope `knowledge:read`."""
        return self._call("GET /knowledge/content/{}", (content_id,), query=query)

    def update(self, content_id: str | int, /, *, params: UpdateContentQuery | None = None, **body: Unpack[ContentPatchForm]) -> ContentResponseSchema:
        """Change a content. Changes the name, the description or the metadata. With another reader it is processed again. Needs the scope `knowledge:write`."""
        return self._call("PATCH /knowledge/content/{}", (content_id,), query=params, body=body, kind="f")

    def delete(self, content_id: str | int, /, **query: Unpack[DeleteContentByIdQuery]) -> RemovedContent:
        """Delete a content. Removes a content and all of its chunks. Needs the scope `knowledge:delete`."""
        return self._call("DELETE /knowledge/content/{}", (content_id,), query=query)

    def status(self, content_id: str | int, /, **query: Unpack[GetContentStatusQuery]) -> ContentStatusResponse:
        """Get how far a content is processed. Returns the state of the processing, and why it failed if it did. Needs the scope `knowledge:read`."""
        return self._call("GET /knowledge/content/{}/status", (content_id,), query=query)

    def search(self, /, *, params: SearchKnowledgeQuery | None = None, **body: Unpack[VectorSearchRequest]) -> PaginatedSearchResults:
        """Search the knowledge. Returns the chunks that fit the query best, by meaning, by words or by both. Needs the scope `knowledge:read`."""
        return self._call("POST /knowledge/search", (), query=params, body=body, kind="j")

    def config(self, /, **query: Unpack[GetKnowledgeConfigQuery]) -> KnowledgeConfigResponse:
        """Get what the knowledge can do. Returns readers, chunkers, kinds of search and the metadata to filter by. Needs the scope `knowledge:read`."""
        return self._call("GET /knowledge/config", (), query=query)

    def sources(self, knowledge_id: str | int, /, **query: Unpack[ListContentSourcesQuery]) -> List[ContentSource]:
        """List the sources. Returns the places outside of the service that contents can be fetched from. Needs the scope `knowledge:read`."""
        return self._call("GET /knowledge/{}/sources", (knowledge_id,), query=query)

    def source_files(self, knowledge_id: str | int, source_id: str | int, /, **query: Unpack[ListContentSourceFilesQuery]) -> ContentSourceFiles:
        """List the files of a source. Returns the files and folders in a folder of the source. Needs the scope `knowledge:read`."""
        return self._call("GET /knowledge/{}/sources/{}/files", (knowledge_id, source_id,), query=query)


class UsersResource(Resource):
    def memory_settings(self, user_id: str | int, /) -> UserMemorySettings:
        """Get whether agents remember a user. Returns whether agents may keep memories of the user. Needs the scope `memories:read`."""
        return self._call("GET /users/{}/memory-settings", (user_id,))

    def set_memory_settings(self, user_id: str | int, /, **body: Unpack[UserMemorySettings]) -> UserMemorySettings:
        """Set whether agents remember a user. With `enabled: false` agents neither read nor write memories of the user. Stored ones stay. Needs the scope `memories:write`."""
        return self._call("PUT /users/{}/memory-settings", (user_id,), body=body, kind="j")

    def delete_memory(self, user_id: str | int, /) -> RemovedUserMemory:
        """Forget a user. Removes all that agents remember of the user: memories, learnings, summaries, traces and scores. Needs the scope `memories:delete`."""
        return self._call("DELETE /users/{}/memory", (user_id,))


class MetricsResource(Resource):
    def days(self, /, **query: Unpack[GetMetricsQuery]) -> Metrics:
        """Get the metrics by day. Returns runs, sessions, users and tokens of each day, in UTC. Needs the scope `metrics:read`."""
        return self._call("GET /metrics", (), query=query)

    def usage(self, /, **query: Unpack[GetUsageQuery]) -> PaginatedUsage:
        """Get the usage. Returns runs, tokens, cost and durations by hour or day, grouped by component, user or model. Needs the scope `metrics:read`."""
        return self._call("GET /metrics/usage", (), query=query)

    def refresh(self, /, **query: Unpack[RefreshMetricsQuery]) -> List[DayMetrics] | MetricsRefreshStarted:
        """Refresh the metrics. Computes the metrics of the days that changed, in the background. Needs the scope `metrics:write`."""
        return self._call("POST /metrics/refresh", (), query=query)

    def refresh_status(self, /, **query: Unpack[GetMetricsRefreshStatusQuery]) -> MetricsRefreshStatus:
        """Get the state of the refresh. Returns whether a refresh is running, and how the last one ended. Needs the scope `metrics:read`."""
        return self._call("GET /metrics/refresh/status", (), query=query)


class TracesResource(Resource):
    def list(self, /, **query: Unpack[GetTracesQuery]) -> PaginatedTraces:
        """List the traces. Returns traces, the newest first. They can be filtered by run, session, user, component, state and time. Needs the scope `traces:read`."""
        return self._call("GET /traces", (), query=query)

    def filter_schema(self, /) -> TraceFilterSchema:
        """Get what traces can be filtered by. Returns the fields and operators of the filter of a search. Needs the scope `traces:read`."""
        return self._call("GET /traces/filter-schema", ())

    def get(self, trace_id: str | int, /, **query: Unpack[GetTraceQuery]) -> TraceDetail | TraceNode:
        """Get a trace. Returns one trace with its spans as a tree. Needs the scope `traces:read`."""
        return self._call("GET /traces/{}", (trace_id,), query=query)

    def session_stats(self, /, **query: Unpack[GetTraceStatsQuery]) -> PaginatedTraceSessionStats:
        """Count the traces of sessions. Returns sessions with numbers of traces. Needs the scope `traces:read`."""
        return self._call("GET /trace_session_stats", (), query=query)

    def search(self, /, *, params: SearchTracesQuery | None = None, **body: Unpack[TraceSearchRequest]) -> PaginatedTraceDetails | PaginatedTraceSessionStats1:
        """Search the traces. Returns traces, or sessions with `group_by`, that meet a filter. Needs the scope `traces:read`."""
        return self._call("POST /traces/search", (), query=params, body=body, kind="j")


class EvaluationsResource(Resource):
    def list(self, /, **query: Unpack[GetEvalRunsQuery]) -> PaginatedEvalRuns:
        """List the evaluations. Returns completed evaluations, or those with the given `status`, the newest first. The filters by component do not find evaluations of the kind `agent_as_judge`, which are stored without it. Needs the scope `evals:read`."""
        return self._call("GET /eval-runs", (), query=query)

    def delete_many(self, /, *, params: DeleteEvalRunsQuery | None = None, **body: Unpack[EvalRunsRemove]) -> None:
        """Delete evaluations. Removes the evaluations. The sessions of their runs stay. Needs the scope `evals:delete`."""
        return self._call("DELETE /eval-runs", (), query=params, body=body, kind="j")

    def create(self, /, *, params: RunEvalQuery | None = None, **body: Unpack[EvalRunInput]) -> EvalRun | EvalRunAccepted:
        """Evaluate a component. Runs an agent or a team and rates the answers. The response is sent when all runs are rated, or with `background` at once, with 202. No scope of the component is needed. Needs the scope `evals:write`."""
        return self._call("POST /eval-runs", (), query=params, body=body, kind="j")

    def get(self, eval_run_id: str | int, /, **query: Unpack[GetEvalRunQuery]) -> EvalRun:
        """Get an evaluation. Returns one evaluation with its ratings. Needs the scope `evals:read`."""
        return self._call("GET /eval-runs/{}", (eval_run_id,), query=query)

    def update(self, eval_run_id: str | int, /, *, params: UpdateEvalRunQuery | None = None, **body: Unpack[EvalRunRename]) -> EvalRun:
        """Rename an evaluation. Gives the evaluation another name. Needs the scope `evals:write`."""
        return self._call("PATCH /eval-runs/{}", (eval_run_id,), query=params, body=body, kind="j")

    def cancel(self, eval_run_id: str | int, /, **query: Unpack[CancelEvalRunQuery]) -> EvalRun:
        """Cancel an evaluation. Ends an evaluation, and cancels the run that it waits for. Needs the scope `evals:write`."""
        return self._call("POST /eval-runs/{}/cancel", (eval_run_id,), query=query)


class FeedbackResource(Resource):
    def give(self, run_id: str | int, /, *, params: GiveFeedbackQuery | None = None, **body: Unpack[FeedbackInput]) -> Feedback:
        """Score a run. Stores what a person thinks of a run. A second score under the same key replaces the first one. Needs the scope `evals:write`."""
        return self._call("POST /runs/{}/feedback", (run_id,), query=params, body=body, kind="j")

    def of_run(self, run_id: str | int, /, **query: Unpack[GetRunFeedbackQuery]) -> List[Feedback]:
        """List the scores of a run. Returns all scores that one run has. Needs the scope `evals:read`."""
        return self._call("GET /runs/{}/feedback", (run_id,), query=query)

    def list(self, /, **query: Unpack[ListFeedbackQuery]) -> PaginatedFeedback:
        """List the scores. Returns scores of all runs, the newest first. Needs the scope `evals:read`."""
        return self._call("GET /feedback", (), query=query)

    def delete(self, feedback_id: str | int, /, **query: Unpack[DeleteFeedbackQuery]) -> None:
        """Delete a score. Removes one score. Needs the scope `evals:delete`."""
        return self._call("DELETE /feedback/{}", (feedback_id,), query=query)


class ComponentsResource(Resource):
    def list(self, /, **query: Unpack[ListComponentsQuery]) -> PaginatedComponents:
        """List the stored components. Returns stored components of all kinds. Needs the scope `components:read`."""
        return self._call("GET /components", (), query=query)

    def create(self, /, **body: Unpack[ComponentCreate]) -> ComponentResponse:
        """Create a component. Stores a new agent, team or workflow with its first version. Needs the scope `components:write`."""
        return self._call("POST /components", (), body=body, kind="j")

    def get(self, component_id: str | int, /) -> ComponentResponse:
        """Get a stored component. Returns one component, without its configs. Needs the scope `components:read`."""
        return self._call("GET /components/{}", (component_id,))

    def update(self, component_id: str | int, /, **body: Unpack[ComponentUpdate]) -> ComponentResponse:
        """Change a stored component. Changes the name, the description, the metadata or the current version. Needs the scope `components:write`."""
        return self._call("PATCH /components/{}", (component_id,), body=body, kind="j")

    def delete(self, component_id: str | int, /) -> None:
        """Delete a stored component. Removes the component and all of its versions. Its runs and sessions stay. Needs the scope `components:delete`."""
        return self._call("DELETE /components/{}", (component_id,))

    def versions(self, component_id: str | int, /, **query: Unpack[ListComponentConfigsQuery]) -> List[ComponentConfigResponse]:
        """List the versions of a component. Returns the versions, the newest first. Needs the scope `components:read`."""
        return self._call("GET /components/{}/configs", (component_id,), query=query)

    def create_version(self, component_id: str | int, /, **body: Unpack[ConfigCreate]) -> ComponentConfigResponse:
        """Create a version. Stores a new version of the config, as a draft or published. Needs the scope `components:write`."""
        return self._call("POST /components/{}/configs", (component_id,), body=body, kind="j")

    def current_version(self, component_id: str | int, /) -> ComponentConfigResponse:
        """Get the current version. Returns the version that runs use when they name none. Needs the scope `components:read`."""
        return self._call("GET /components/{}/configs/current", (component_id,))

    def version(self, component_id: str | int, version: str | int, /) -> ComponentConfigResponse:
        """Get a version. Returns one version with its config. Needs the scope `components:read`."""
        return self._call("GET /components/{}/configs/{}", (component_id, version,))

    def update_version(self, component_id: str | int, version: str | int, /, **body: Unpack[ConfigUpdate]) -> ComponentConfigResponse:
        """Change a draft. Changes a version that is a draft, or publishes it. A published version never changes. Needs the scope `components:write`."""
        return self._call("PATCH /components/{}/configs/{}", (component_id, version,), body=body, kind="j")

    def delete_version(self, component_id: str | int, version: str | int, /) -> None:
        """Delete a version. Removes a version. The current version cannot be removed. Needs the scope `components:delete`."""
        return self._call("DELETE /components/{}/configs/{}", (component_id, version,))

    def set_current(self, component_id: str | int, version: str | int, /) -> ComponentResponse:
        """Make a version the current one. Runs that start from now on use this version. With an older one, this is a rollback. Needs the scope `components:write`."""
        return self._call("POST /components/{}/configs/{}/set-current", (component_id, version,))


class DatasetsResource(Resource):
    def list(self, /, **query: Unpack[ListDatasetsQuery]) -> PaginatedDatasets:
        """List the datasets. Returns the datasets, without their items. Needs the scope `evals:read`."""
        return self._call("GET /datasets", (), query=query)

    def create(self, /, *, params: CreateDatasetQuery | None = None, **body: Unpack[DatasetInput]) -> ChangedDataset:
        """Create a dataset. Stores a dataset. Version 1 has no items: the items of the request make version 2. Needs the scope `evals:write`."""
        return self._call("POST /datasets", (), query=params, body=body, kind="j")

    def get(self, dataset_id: str | int, /, **query: Unpack[GetDatasetQuery]) -> Dataset:
        """Get a dataset. Returns one dataset, without its items. Needs the scope `evals:read`."""
        return self._call("GET /datasets/{}", (dataset_id,), query=query)

    def update(self, dataset_id: str | int, /, *, params: UpdateDatasetQuery | None = None, **body: Unpack[DatasetPatch]) -> Dataset:
        """Change a dataset. Changes the name or the description. It makes no version. Needs the scope `evals:write`."""
        return self._call("PATCH /datasets/{}", (dataset_id,), query=params, body=body, kind="j")

    def delete(self, dataset_id: str | int, /, **query: Unpack[DeleteDatasetQuery]) -> None:
        """Delete a dataset. Removes the dataset with all of its versions and its experiments, which are cancelled if they are executing. Needs the scope `evals:delete`."""
        return self._call("DELETE /datasets/{}", (dataset_id,), query=query)

    def items(self, dataset_id: str | int, /, **query: Unpack[ListDatasetItemsQuery]) -> PaginatedDatasetItems:
        """List the items of a dataset. Returns the items of one version, the newest one when none is named. Needs the scope `evals:read`."""
        return self._call("GET /datasets/{}/items", (dataset_id,), query=query)

    def change_items(self, dataset_id: str | int, /, *, params: ChangeDatasetItemsQuery | None = None, **body: Unpack[DatasetChange]) -> ChangedDataset:
        """Change the items of a dataset. Adds, replaces and removes items, which makes a new version. Needs the scope `evals:write`."""
        return self._call("POST /datasets/{}/items", (dataset_id,), query=params, body=body, kind="j")

    def add_from_trace(self, dataset_id: str | int, /, *, params: AddDatasetItemFromTraceQuery | None = None, **body: Unpack[DatasetItemFromTrace]) -> ChangedDataset:
        """Make an item from a trace. Adds an item with the input and the answer of a run. If the run has not completed, the item has no `expected_output`. Needs the scope `evals:write`."""
        return self._call("POST /datasets/{}/items/from-trace", (dataset_id,), query=params, body=body, kind="j")

    def import_items(self, dataset_id: str | int, body: str, /, *, params: ImportDatasetItemsQuery | None = None) -> ChangedDataset:
        """Import items. Adds or replaces items, one as JSON on each line, which makes a new version. Needs the scope `evals:write`."""
        return self._call("POST /datasets/{}/import", (dataset_id,), query=params, body=body, kind="n")

    def export_items(self, dataset_id: str | int, /, **query: Unpack[ExportDatasetItemsQuery]) -> str:
        """Export items. Returns the items of one version as JSON lines. Needs the scope `evals:read`."""
        return self._call("GET /datasets/{}/export", (dataset_id,), query=query)


class RegistryResource(Resource):
    def list(self, /, **query: Unpack[ListRegistryQuery]) -> PaginatedRegistry:
        """List what configs can name. Returns the tools, models, schemas and functions of the program that configs can refer to by name. Needs the scope `registry:read`."""
        return self._call("GET /registry", (), query=query)


class ExperimentsResource(Resource):
    def list(self, /, **query: Unpack[ListExperimentsQuery]) -> PaginatedExperiments:
        """List the experiments. Returns experiments, the newest first. Needs the scope `evals:read`."""
        return self._call("GET /experiments", (), query=query)

    def create(self, /, *, params: CreateExperimentQuery | None = None, **body: Unpack[ExperimentInput]) -> Experiment:
        """Start an experiment. Runs a component with each item of a dataset and rates the answers, in the background. No scope of the component is needed. Needs the scope `evals:write`."""
        return self._call("POST /experiments", (), query=params, body=body, kind="j")

    def compare(self, /, **query: Unpack[CompareExperimentsQuery]) -> ExperimentComparison:
        """Compare two experiments. Returns the items of two experiments side by side, and counts what became better or worse. Needs the scope `evals:read`."""
        return self._call("GET /experiments/compare", (), query=query)

    def get(self, experiment_id: str | int, /, **query: Unpack[GetExperimentQuery]) -> Experiment:
        """Get an experiment. Returns the experiment: how far it is, and its figures when it is completed. Needs the scope `evals:read`."""
        return self._call("GET /experiments/{}", (experiment_id,), query=query)

    def delete(self, experiment_id: str | int, /, **query: Unpack[DeleteExperimentQuery]) -> None:
        """Delete an experiment. Removes the experiment and its results. If it is executing, it is cancelled first. Needs the scope `evals:delete`."""
        return self._call("DELETE /experiments/{}", (experiment_id,), query=query)

    def cancel(self, experiment_id: str | int, /, **query: Unpack[CancelExperimentQuery]) -> Experiment:
        """Cancel an experiment. Ends the experiment and cancels its runs. Results that exist stay. Needs the scope `evals:write`."""
        return self._call("POST /experiments/{}/cancel", (experiment_id,), query=query)

    def items(self, experiment_id: str | int, /, **query: Unpack[ListExperimentItemsQuery]) -> PaginatedExperimentItems:
        """List the results of an experiment. Returns the result of each item that has one. Needs the scope `evals:read`."""
        return self._call("GET /experiments/{}/items", (experiment_id,), query=query)


class SchedulesResource(Resource):
    def list(self, /, **query: Unpack[ListSchedulesQuery]) -> PaginatedSchedules:
        """List the schedules. Returns the schedules with their next times. Needs the scope `schedules:read`."""
        return self._call("GET /schedules", (), query=query)

    def create(self, /, **body: Unpack[ScheduleCreate]) -> Schedule:
        """Create a schedule. Stores a request that the service sends to itself at the times of a cron expression. Needs the scope `schedules:write`."""
        return self._call("POST /schedules", (), body=body, kind="j")

    def preview(self, /, **query: Unpack[PreviewCronQuery]) -> CronPreview:
        """Show the next times of a cron expression. Returns the next times of a cron expression, before a schedule has it. Needs the scope `schedules:read`."""
        return self._call("GET /schedules/next", (), query=query)

    def get(self, schedule_id: str | int, /) -> Schedule:
        """Get a schedule. Returns one schedule. Needs the scope `schedules:read`."""
        return self._call("GET /schedules/{}", (schedule_id,))

    def update(self, schedule_id: str | int, /, **body: Unpack[ScheduleUpdate]) -> Schedule:
        """Change a schedule. Changes the fields that are sent. The next time is computed anew. Needs the scope `schedules:write`."""
        return self._call("PATCH /schedules/{}", (schedule_id,), body=body, kind="j")

    def delete(self, schedule_id: str | int, /) -> None:
        """Delete a schedule. Removes the schedule. Runs that it started stay. Needs the scope `schedules:delete`."""
        return self._call("DELETE /schedules/{}", (schedule_id,))

    def enable(self, schedule_id: str | int, /) -> ScheduleState:
        """Enable a schedule. Starts the schedule again, from the next time on. Needs the scope `schedules:write`."""
        return self._call("POST /schedules/{}/enable", (schedule_id,))

    def disable(self, schedule_id: str | int, /) -> ScheduleState:
        """Disable a schedule. Stops the schedule. Runs that are executing continue. Needs the scope `schedules:write`."""
        return self._call("POST /schedules/{}/disable", (schedule_id,))

    def trigger(self, schedule_id: str | int, /) -> ScheduleRun:
        """Trigger a schedule. Sends the request of the schedule now, beside its times. Needs the scope `schedules:write`."""
        return self._call("POST /schedules/{}/trigger", (schedule_id,))

    def next(self, schedule_id: str | int, /, **query: Unpack[PreviewScheduleQuery]) -> SchedulePreview:
        """Show the next times. Returns the next times of the schedule. Needs the scope `schedules:read`."""
        return self._call("GET /schedules/{}/next", (schedule_id,), query=query)

    def runs(self, schedule_id: str | int, /, **query: Unpack[ListScheduleRunsQuery]) -> PaginatedScheduleRuns:
        """List the runs of a schedule. Returns the attempts of the schedule, the newest first. Needs the scope `schedules:read`."""
        return self._call("GET /schedules/{}/runs", (schedule_id,), query=query)

    def run(self, schedule_id: str | int, run_id: str | int, /) -> ScheduleRun:
        """Get a run of a schedule. Returns one attempt of the schedule. Needs the scope `schedules:read`."""
        return self._call("GET /schedules/{}/runs/{}", (schedule_id, run_id,))


class WebhooksResource(Resource):
    def list(self, /, **query: Unpack[ListWebhooksQuery]) -> PaginatedWebhooks:
        """List the webhooks. Returns the webhooks, without their secrets. Needs the scope `webhooks:read`."""
        return self._call("GET /webhooks", (), query=query)

    def create(self, /, **body: Unpack[WebhookCreate]) -> WebhookCreated:
        """Create a webhook. Stores an address that the service calls at events. The secret is shown only in this response. Needs the scope `webhooks:write`."""
        return self._call("POST /webhooks", (), body=body, kind="j")

    def get(self, webhook_id: str | int, /) -> Webhook:
        """Get a webhook. Returns one webhook, without its secret. Needs the scope `webhooks:read`."""
        return self._call("GET /webhooks/{}", (webhook_id,))

    def update(self, webhook_id: str | int, /, **body: Unpack[WebhookUpdate]) -> Webhook:
        """Change a webhook. Changes the fields that are sent. `enabled: true` starts a webhook that the service has disabled. Needs the scope `webhooks:write`."""
        return self._call("PATCH /webhooks/{}", (webhook_id,), body=body, kind="j")

    def delete(self, webhook_id: str | int, /) -> None:
        """Delete a webhook. Removes the webhook. Events that wait are not sent any more. Needs the scope `webhooks:delete`."""
        return self._call("DELETE /webhooks/{}", (webhook_id,))

    def rotate_secret(self, webhook_id: str | int, /) -> WebhookSecret:
        """Replace the secret of a webhook. Makes a new secret. The one before also signs for a while. Needs the scope `webhooks:write`."""
        return self._call("POST /webhooks/{}/rotate-secret", (webhook_id,))

    def test(self, webhook_id: str | int, /) -> WebhookDelivery:
        """Test a webhook. Sends the event `webhook.test`, as the next delivery. Needs the scope `webhooks:write`."""
        return self._call("POST /webhooks/{}/test", (webhook_id,))

    def deliveries(self, webhook_id: str | int, /, **query: Unpack[ListWebhookDeliveriesQuery]) -> PaginatedWebhookDeliveries:
        """List the deliveries of a webhook. Returns the calls of the webhook, the newest first. Needs the scope `webhooks:read`."""
        return self._call("GET /webhooks/{}/deliveries", (webhook_id,), query=query)

    def delivery(self, webhook_id: str | int, delivery_id: str | int, /) -> WebhookDelivery:
        """Get a delivery. Returns one delivery with the body that was sent. Needs the scope `webhooks:read`."""
        return self._call("GET /webhooks/{}/deliveries/{}", (webhook_id, delivery_id,))

    def redeliver(self, webhook_id: str | int, delivery_id: str | int, /) -> WebhookDelivery:
        """Repeat a delivery. Sends the event again, with the same id. Needs the scope `webhooks:write`."""
        return self._call("POST /webhooks/{}/deliveries/{}/redeliver", (webhook_id, delivery_id,))


class MediaResource(Resource):
    def get(self, media_id: str | int, /, **query: Unpack[GetMediaQuery]) -> bytes:
        """Get the bytes of a medium. Returns an image or a clip that a model made in a run. A request may ask for a range of bytes. Needs the scope `sessions:read`."""
        return self._call("GET /media/{}", (media_id,), query=query)


class Resources:
    """Every resource of the API, by its name."""

    def __init__(self, connection: Connection) -> None:
        self.system = SystemResource(connection)
        self.databases = DatabasesResource(connection)
        self.agents = AgentsResource(connection)
        self.teams = TeamsResource(connection)
        self.workflows = WorkflowsResource(connection)
        self.sessions = SessionsResource(connection)
        self.runs = RunsResource(connection)
        self.service_accounts = ServiceaccountsResource(connection)
        self.approvals = ApprovalsResource(connection)
        self.memories = MemoriesResource(connection)
        self.learnings = LearningsResource(connection)
        self.knowledge = KnowledgeResource(connection)
        self.users = UsersResource(connection)
        self.metrics = MetricsResource(connection)
        self.traces = TracesResource(connection)
        self.evaluations = EvaluationsResource(connection)
        self.feedback = FeedbackResource(connection)
        self.components = ComponentsResource(connection)
        self.datasets = DatasetsResource(connection)
        self.registry = RegistryResource(connection)
        self.experiments = ExperimentsResource(connection)
        self.schedules = SchedulesResource(connection)
        self.webhooks = WebhooksResource(connection)
        self.media = MediaResource(connection)


class AsyncSystemResource(AsyncResource):
    async def root(self, /) -> Root:
        """Get the name of the service. Returns name and version. A browser gets a page."""
        return await self._call("GET /", ())

    async def health(self, /) -> HealthResponse:
        """Check that the process is running. Responds as long as the process runs, also without its database. For the state of the service, see `/ready`."""
        return await self._call("GET /health", ())

    async def ready(self, /) -> ReadyResponse:
        """Check that the service accepts work. Responds with 503 and reasons while the database is away, migrations are executed, or the node is stopping."""
        return await self._call("GET /ready", ())

    async def info(self, /) -> InfoResponse:
        """Get what the service is. Returns versions, numbers of components and how requests are authorized. It needs no credential."""
        return await self._call("GET /info", ())

    async def caller(self, /) -> Caller:
        """Get who the caller is. Returns the user and the scopes of the credential, so that a page offers what it allows. Needs a credential, and no scope."""
        return await self._call("GET /caller", ())

    async def config(self, /) -> ConfigResponse:
        """Get the configuration. Returns components, databases, models and protocols, as a page for people needs them. Needs the scope `config:read`."""
        return await self._call("GET /config", ())

    async def models(self, /) -> List[Model]:
        """List the models. Returns the models that components of the service use. Needs the scope `config:read`."""
        return await self._call("GET /models", ())

    async def nodes(self, /) -> List[DatabaseNodes]:
        """List the nodes of each database. Returns the nodes that share each database, whether they are alive, and how many runs they have. Needs the scope `metrics:read`."""
        return await self._call("GET /nodes", ())

    async def prometheus_metrics(self, /) -> str:
        """Get the metrics for Prometheus. Returns the metrics of this node in the text format of Prometheus. Needs the scope `metrics:read`."""
        return await self._call("GET /metrics/prometheus", ())


class AsyncDatabasesResource(AsyncResource):
    async def migrate_all(self, /, **query: Unpack[MigrateAllDatabasesQuery]) -> MigrationsResponse | PartlyMigratedResponse:
        """Migrate all databases. Applies the pending migrations to each database. The service does this at its start as well. Needs the scope `config:write`."""
        return await self._call("POST /databases/all/migrate", (), query=query)

    async def migrate(self, db_id: str | int, /, **query: Unpack[MigrateDatabaseQuery]) -> MigrationResponse:
        """Migrate a database. Applies the pending migrations to one database. Needs the scope `config:write`."""
        return await self._call("POST /databases/{}/migrate", (db_id,), query=query)

    async def migrations(self, db_id: str | int, /) -> MigrationStatus:
        """List the migrations of a database. Returns the applied and the pending migrations. Needs the scope `config:read`."""
        return await self._call("GET /databases/{}/migrations", (db_id,))


class AsyncAgentsResource(AsyncResource):
    async def list(self, /) -> List[AgentResponse]:
        """List the agents. Returns the agents that the caller may read, with the factories that make agents. Needs the scope `agents:read`."""
        return await self._call("GET /agents", ())

    async def create(self, /, **body: Unpack[ComponentDefinition]) -> DefinedComponent:
        """Create an agent. Stores a new agent. It can be run at once, unless its `stage` is `draft`. Needs the scope `agents:write`."""
        return await self._call("POST /agents", (), body=body, kind="j")

    async def get(self, agent_id: str | int, /) -> AgentResponse:
        """Get an agent. Returns one agent with its settings. For a factory it returns the schema of its input. Needs the scope `agents:read`."""
        return await self._call("GET /agents/{}", (agent_id,))

    async def update(self, agent_id: str | int, /, **body: Unpack[ComponentDefinitionPatch]) -> DefinedComponent:
        """Change an agent. Changes the stored agent. If its newest version is a draft, the draft is changed, and otherwise a new version is made. Null removes a field. Needs the scope `agents:write`."""
        return await self._call("PATCH /agents/{}", (agent_id,), body=body, kind="j")

    async def delete(self, agent_id: str | int, /) -> None:
        """Delete an agent. Removes the stored agent and all of its versions. Its runs and sessions stay. Needs the scope `agents:delete`."""
        return await self._call("DELETE /agents/{}", (agent_id,))


class AsyncTeamsResource(AsyncResource):
    async def list(self, /) -> List[TeamResponse | TeamFactoryResponse]:
        """List the teams. Returns the teams that the caller may read, with the factories that make teams. Needs the scope `teams:read`."""
        return await self._call("GET /teams", ())

    async def create(self, /, **body: Unpack[ComponentDefinition]) -> DefinedComponent:
        """Create a team. Stores a new team. It can be run at once, unless its `stage` is `draft`. Needs the scope `teams:write`."""
        return await self._call("POST /teams", (), body=body, kind="j")

    async def get(self, team_id: str | int, /) -> TeamResponse | TeamFactoryResponse:
        """Get a team. Returns one team with its settings. For a factory it returns the schema of its input. Needs the scope `teams:read`."""
        return await self._call("GET /teams/{}", (team_id,))

    async def update(self, team_id: str | int, /, **body: Unpack[ComponentDefinitionPatch]) -> DefinedComponent:
        """Change a team. Changes the stored team. If its newest version is a draft, the draft is changed, and otherwise a new version is made. Null removes a field. Needs the scope `teams:write`."""
        return await self._call("PATCH /teams/{}", (team_id,), body=body, kind="j")

    async def delete(self, team_id: str | int, /) -> None:
        """Delete a team. Removes the stored team and all of its versions. Its runs and sessions stay. Needs the scope `teams:delete`."""
        return await self._call("DELETE /teams/{}", (team_id,))


class AsyncWorkflowsResource(AsyncResource):
    async def list(self, /) -> List[WorkflowSummaryResponse]:
        """List the workflows. Returns the workflows that the caller may read, with the factories that make workflows. Needs the scope `workflows:read`."""
        return await self._call("GET /workflows", ())

    async def create(self, /, **body: Unpack[ComponentDefinition]) -> DefinedComponent:
        """Create a workflow. Stores a new workflow. It can be run at once, unless its `stage` is `draft`. Needs the scope `workflows:write`."""
        return await self._call("POST /workflows", (), body=body, kind="j")

    async def get(self, workflow_id: str | int, /, **query: Unpack[GetWorkflowQuery]) -> WorkflowResponse:
        """Get a workflow. Returns one workflow with its settings. For a factory it returns the schema of its input. Needs the scope `workflows:read`."""
        return await self._call("GET /workflows/{}", (workflow_id,), query=query)

    async def update(self, workflow_id: str | int, /, **body: Unpack[ComponentDefinitionPatch]) -> DefinedComponent:
        """Change a workflow. Changes the stored workflow. If its newest version is a draft, the draft is changed, and otherwise a new version is made. Null removes a field. Needs the scope `workflows:write`."""
        return await self._call("PATCH /workflows/{}", (workflow_id,), body=body, kind="j")

    async def delete(self, workflow_id: str | int, /) -> None:
        """Delete a workflow. Removes the stored workflow and all of its versions. Its runs and sessions stay. Needs the scope `workflows:delete`."""
        return await self._call("DELETE /workflows/{}", (workflow_id,))


class AsyncSessionsResource(AsyncResource):
    async def list(self, /, **query: Unpack[GetSessionsQuery]) -> PaginatedSessions:
        """List the sessions. Returns sessions, the last changed first. They can be filtered by component, user, name and time. Needs the scope `sessions:read`."""
        return await self._call("GET /sessions", (), query=query)

    async def create(self, /, *, params: CreateSessionQuery | None = None, **body: Unpack[CreateSessionRequest]) -> AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema:
        """Create a session. Creates an empty session. Runs create their sessions themselves, so this is needed for a name or a state only. Needs the scope `sessions:write`."""
        return await self._call("POST /sessions", (), query=params, body=body, kind="j")

    async def delete_many(self, /, *, params: DeleteSessionsQuery | None = None, **body: Unpack[DeleteSessionRequest]) -> None:
        """Delete several sessions. Removes the sessions with their runs, events and traces. Runs that are executing are cancelled. Needs the scope `sessions:delete`."""
        return await self._call("DELETE /sessions", (), query=params, body=body, kind="j")

    async def get(self, session_id: str | int, /, **query: Unpack[GetSessionByIdQuery]) -> AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema:
        """Get a session. Returns a session with its state, its summary and its messages. Needs the scope `sessions:read`."""
        return await self._call("GET /sessions/{}", (session_id,), query=query)

    async def update(self, session_id: str | int, /, *, params: UpdateSessionQuery | None = None, **body: Unpack[UpdateSessionRequest]) -> AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema:
        """Change a session. Changes the name, the state, the summary or the metadata. Fields that are left out stay. Needs the scope `sessions:write`."""
        return await self._call("PATCH /sessions/{}", (session_id,), query=params, body=body, kind="j")

    async def delete(self, session_id: str | int, /, **query: Unpack[DeleteSessionQuery]) -> None:
        """Delete a session. Removes the session with its runs, events and traces. Runs that are executing are cancelled. Needs the scope `sessions:delete`."""
        return await self._call("DELETE /sessions/{}", (session_id,), query=query)

    async def runs(self, session_id: str | int, /, **query: Unpack[GetSessionRunsQuery]) -> List[PartialRunRecord | PartialTeamRunRecord | PartialWorkflowRunRecord]:
        """List the runs of a session. Returns the runs of the session, oldest first. Runs that are executing are part of the list. Needs the scope `sessions:read`."""
        return await self._call("GET /sessions/{}/runs", (session_id,), query=query)

    async def run(self, session_id: str | int, run_id: str | int, /, **query: Unpack[GetSessionRunQuery]) -> RunRecord | TeamRunRecord | WorkflowRunRecord:
        """Get a run of a session. Returns one run of the session, of any kind of component. Needs the scope `sessions:read`."""
        return await self._call("GET /sessions/{}/runs/{}", (session_id, run_id,), query=query)

    async def rename(self, session_id: str | int, /, *, params: RenameSessionQuery | None = None, **body: Unpack[RenameSessionRequest]) -> AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema:
        """Rename a session. Gives the session another name. Needs the scope `sessions:write`."""
        return await self._call("POST /sessions/{}/rename", (session_id,), query=params, body=body, kind="j")


class AsyncRunsResource(AsyncResource):
    async def list(self, /, **query: Unpack[ListRunsQuery]) -> PaginatedRuns:
        """List all runs. Returns the runs of all components, the newest first, without their contents. They can be filtered by component, session, user and status. More than 10,000 runs are not counted. Needs the scope `sessions:read`."""
        return await self._call("GET /runs", (), query=query)


class AsyncServiceaccountsResource(AsyncResource):
    async def create(self, /, **body: Unpack[ServiceAccountCreate]) -> ServiceAccountCreated:
        """Create a service account. Makes a token for a program. The token is shown only in this response. Needs the scope `service_accounts:write`."""
        return await self._call("POST /service-accounts", (), body=body, kind="j")

    async def list(self, /, **query: Unpack[GetServiceAccountsQuery]) -> PaginatedServiceAccounts:
        """List the service accounts. Returns the accounts with their scopes, without their tokens. Needs the scope `service_accounts:read`."""
        return await self._call("GET /service-accounts", (), query=query)

    async def revoke(self, service_account_id: str | int, /) -> None:
        """Revoke a service account. Makes the token useless at once. Open streams end at their next message. Needs the scope `service_accounts:delete`."""
        return await self._call("DELETE /service-accounts/{}", (service_account_id,))


class AsyncApprovalsResource(AsyncResource):
    async def list(self, /, **query: Unpack[ListApprovalsQuery]) -> PaginatedApprovals:
        """List the approvals. Returns what waits for a person, or waited. It can be filtered by state, component, user and run. Needs the scope `approvals:read`."""
        return await self._call("GET /approvals", (), query=query)

    async def count(self, /, **query: Unpack[GetApprovalCountQuery]) -> ApprovalCount:
        """Count the approvals. Returns how many approvals wait for a person. Needs the scope `approvals:read`."""
        return await self._call("GET /approvals/count", (), query=query)

    async def get(self, approval_id: str | int, /) -> Approval:
        """Get an approval. Returns one approval, with what a person should know. Needs the scope `approvals:read`."""
        return await self._call("GET /approvals/{}", (approval_id,))

    async def delete(self, approval_id: str | int, /) -> None:
        """Delete an approval. Removes the approval. Its run stays as it is. Needs the scope `approvals:delete`."""
        return await self._call("DELETE /approvals/{}", (approval_id,))

    async def status(self, approval_id: str | int, /) -> ApprovalStatus:
        """Get the state of an approval. Returns the decision, and the state of the run. A client can poll it. Needs the scope `approvals:read`."""
        return await self._call("GET /approvals/{}/status", (approval_id,))

    async def resolve(self, approval_id: str | int, /, **body: Unpack[ApprovalResolve]) -> Approval:
        """Decide an approval. Approves or rejects. The run then continues by itself. Of several decisions, the first one counts. Needs the scope `approvals:write`."""
        return await self._call("POST /approvals/{}/resolve", (approval_id,), body=body, kind="j")


class AsyncMemoriesResource(AsyncResource):
    async def create(self, /, *, params: CreateMemoryQuery | None = None, **body: Unpack[UserMemoryCreateSchema]) -> UserMemorySchema:
        """Create a memory. Stores what agents should remember of a user. Needs the scope `memories:write`."""
        return await self._call("POST /memories", (), query=params, body=body, kind="j")

    async def list(self, /, **query: Unpack[GetMemoriesQuery]) -> PaginatedMemories:
        """List the memories. Returns memories, the last changed first. They can be filtered by user, topic and text. Needs the scope `memories:read`."""
        return await self._call("GET /memories", (), query=query)

    async def delete_many(self, /, *, params: DeleteMemoriesQuery | None = None, **body: Unpack[DeleteMemoriesRequest]) -> None:
        """Delete several memories. Removes the memories. Ids that do not exist are ignored. Needs the scope `memories:delete`."""
        return await self._call("DELETE /memories", (), query=params, body=body, kind="j")

    async def get(self, memory_id: str | int, /, **query: Unpack[GetMemoryQuery]) -> UserMemorySchema:
        """Get a memory. Returns one memory. Needs the scope `memories:read`."""
        return await self._call("GET /memories/{}", (memory_id,), query=query)

    async def update(self, memory_id: str | int, /, *, params: UpdateMemoryQuery | None = None, **body: Unpack[UserMemoryCreateSchema]) -> UserMemorySchema:
        """Change a memory. Replaces the text and the topics of a memory. Needs the scope `memories:write`."""
        return await self._call("PATCH /memories/{}", (memory_id,), query=params, body=body, kind="j")

    async def delete(self, memory_id: str | int, /, **query: Unpack[DeleteMemoryQuery]) -> None:
        """Delete a memory. Removes one memory. Needs the scope `memories:delete`."""
        return await self._call("DELETE /memories/{}", (memory_id,), query=query)

    async def topics(self, /, **query: Unpack[GetMemoryTopicsQuery]) -> List[str]:
        """List the topics. Returns the topics that memories have. Needs the scope `memories:read`."""
        return await self._call("GET /memory_topics", (), query=query)

    async def user_stats(self, /, **query: Unpack[GetUserMemoryStatsQuery]) -> PaginatedUserMemoryStats:
        """Count the memories of users. Returns each user who has memories, with their number and the time of the last change. Needs the scope `memories:read`."""
        return await self._call("GET /user_memory_stats", (), query=query)

    async def optimize(self, /, *, params: OptimizeMemoriesQuery | None = None, **body: Unpack[OptimizeMemoriesRequest]) -> OptimizeMemoriesResponse:
        """Shorten the memories of a user. Lets a model join the memories of a user into fewer ones. Without `apply` it only shows what would result. Needs the scope `memories:write`."""
        return await self._call("POST /optimize-memories", (), query=params, body=body, kind="j")


class AsyncLearningsResource(AsyncResource):
    async def list(self, /, **query: Unpack[ListLearningsQuery]) -> PaginatedLearnings:
        """List the learnings. Returns what agents have learned. It can be filtered by type, namespace, user and entity. Needs the scope `learnings:read`."""
        return await self._call("GET /learnings", (), query=query)

    async def create(self, /, *, params: CreateLearningQuery | None = None, **body: Unpack[LearningCreate]) -> Learning:
        """Create a learning. Stores something that agents should know. Some types have one record for each user or entity. Needs the scope `learnings:write`."""
        return await self._call("POST /learnings", (), query=params, body=body, kind="j")

    async def users(self, /, **query: Unpack[ListLearningUsersQuery]) -> PaginatedLearningUsers:
        """List the users with learnings. Returns each user who has learnings, with the time of the last change. Needs the scope `learnings:read`."""
        return await self._call("GET /learnings/users", (), query=query)

    async def delete_of_user(self, user_id: str | int, /, **query: Unpack[DeleteUserLearningsQuery]) -> None:
        """Delete the learnings of a user. Removes all learnings of one user. Needs the scope `learnings:delete`."""
        return await self._call("DELETE /learnings/users/{}", (user_id,), query=query)

    async def get(self, learning_id: str | int, /, **query: Unpack[GetLearningQuery]) -> Learning:
        """Get a learning. Returns one learning. Needs the scope `learnings:read`."""
        return await self._call("GET /learnings/{}", (learning_id,), query=query)

    async def update(self, learning_id: str | int, /, *, params: UpdateLearningQuery | None = None, **body: Unpack[LearningPatch]) -> Learning:
        """Change a learning. Replaces the content or the metadata of a learning. Needs the scope `learnings:write`."""
        return await self._call("PATCH /learnings/{}", (learning_id,), query=params, body=body, kind="j")

    async def delete(self, learning_id: str | int, /, **query: Unpack[DeleteLearningQuery]) -> None:
        """Delete a learning. Removes one learning. Needs the scope `learnings:delete`."""
        return await self._call("DELETE /learnings/{}", (learning_id,), query=query)


class AsyncKnowledgeResource(AsyncResource):
    async def add(self, /, *, params: UploadContentQuery | None = None, **body: Unpack[ContentForm]) -> ContentResponseSchema:
        """Add a content. Adds a file, a web page or a text to the knowledge. It is processed in the background: the status says when it can be found. Needs the scope `knowledge:write`."""
        return await self._call("POST /knowledge/content", (), query=params, body=body, kind="f")

    async def list(self, /, **query: Unpack[GetContentQuery]) -> PaginatedContents:
        """List the contents. Returns the contents of a knowledge instance. Needs the scope `knowledge:read`."""
        return await self._call("GET /knowledge/content", (), query=query)

    async def delete_all(self, /, **query: Unpack[DeleteAllContentQuery]) -> Literal["success"]:
        """Delete all contents. Removes all contents of a knowledge instance that belong to the caller. Needs the scope `knowledge:delete`."""
        return await self._call("DELETE /knowledge/content", (), query=query)

    async def add_remote(self, /, *, params: UploadRemoteContentQuery | None = None, **body: Unpack[RemoteContentForm]) -> ContentResponseSchema:
        """Add contents from a source. Fetches a file or a folder from a configured source, in the background. Needs the scope `knowledge:write`."""
        return await self._call("POST /knowledge/remote-content", (), query=params, body=body, kind="f")

    async def get(self, content_id: str | int, /, **query: Unpack[GetContentByIdQuery]) -> ContentResponseSchema:
        """Get a content. Returns one content, with how far it is processed. Needs the scope `knowledge:read`."""
        return await self._call("GET /knowledge/content/{}", (content_id,), query=query)

    async def update(self, content_id: str | int, /, *, params: UpdateContentQuery | None = None, **body: Unpack[ContentPatchForm]) -> ContentResponseSchema:
        """Change a content. Changes the name, the description or the metadata. With another reader it is processed again. Needs the scope `knowledge:write`."""
        return await self._call("PATCH /knowledge/content/{}", (content_id,), query=params, body=body, kind="f")

    async def delete(self, content_id: str | int, /, **query: Unpack[DeleteContentByIdQuery]) -> RemovedContent:
        """Delete a content. Removes a content and all of its chunks. Needs the scope `knowledge:delete`."""
        return await self._call("DELETE /knowledge/content/{}", (content_id,), query=query)

    async def status(self, content_id: str | int, /, **query: Unpack[GetContentStatusQuery]) -> ContentStatusResponse:
        """Get how far a content is processed. Returns the state of the processing, and why it failed if it did. Needs the scope `knowledge:read`."""
        return await self._call("GET /knowledge/content/{}/status", (content_id,), query=query)

    async def search(self, /, *, params: SearchKnowledgeQuery | None = None, **body: Unpack[VectorSearchRequest]) -> PaginatedSearchResults:
        """Search the knowledge. Returns the chunks that fit the query best, by meaning, by words or by both. Needs the scope `knowledge:read`."""
        return await self._call("POST /knowledge/search", (), query=params, body=body, kind="j")

    async def config(self, /, **query: Unpack[GetKnowledgeConfigQuery]) -> KnowledgeConfigResponse:
        """Get what the knowledge can do. Returns readers, chunkers, kinds of search and the metadata to filter by. Needs the scope `knowledge:read`."""
        return await self._call("GET /knowledge/config", (), query=query)

    async def sources(self, knowledge_id: str | int, /, **query: Unpack[ListContentSourcesQuery]) -> List[ContentSource]:
        """List the sources. Returns the places outside of the service that contents can be fetched from. Needs the scope `knowledge:read`."""
        return await self._call("GET /knowledge/{}/sources", (knowledge_id,), query=query)

    async def source_files(self, knowledge_id: str | int, source_id: str | int, /, **query: Unpack[ListContentSourceFilesQuery]) -> ContentSourceFiles:
        """List the files of a source. Returns the files and folders in a folder of the source. Needs the scope `knowledge:read`."""
        return await self._call("GET /knowledge/{}/sources/{}/files", (knowledge_id, source_id,), query=query)


class AsyncUsersResource(AsyncResource):
    async def memory_settings(self, user_id: str | int, /) -> UserMemorySettings:
        """Get whether agents remember a user. Returns whether agents may keep memories of the user. Needs the scope `memories:read`."""
        return await self._call("GET /users/{}/memory-settings", (user_id,))

    async def set_memory_settings(self, user_id: str | int, /, **body: Unpack[UserMemorySettings]) -> UserMemorySettings:
        """Set whether agents remember a user. With `enabled: false` agents neither read nor write memories of the user. Stored ones stay. Needs the scope `memories:write`."""
        return await self._call("PUT /users/{}/memory-settings", (user_id,), body=body, kind="j")

    async def delete_memory(self, user_id: str | int, /) -> RemovedUserMemory:
        """Forget a user. Removes all that agents remember of the user: memories, learnings, summaries, traces and scores. Needs the scope `memories:delete`."""
        return await self._call("DELETE /users/{}/memory", (user_id,))


class AsyncMetricsResource(AsyncResource):
    async def days(self, /, **query: Unpack[GetMetricsQuery]) -> Metrics:
        """Get the metrics by day. Returns runs, sessions, users and tokens of each day, in UTC. Needs the scope `metrics:read`."""
        return await self._call("GET /metrics", (), query=query)

    async def usage(self, /, **query: Unpack[GetUsageQuery]) -> PaginatedUsage:
        """Get the usage. Returns runs, tokens, cost and durations by hour or day, grouped by component, user or model. Needs the scope `metrics:read`."""
        return await self._call("GET /metrics/usage", (), query=query)

    async def refresh(self, /, **query: Unpack[RefreshMetricsQuery]) -> List[DayMetrics] | MetricsRefreshStarted:
        """Refresh the metrics. Computes the metrics of the days that changed, in the background. Needs the scope `metrics:write`."""
        return await self._call("POST /metrics/refresh", (), query=query)

    async def refresh_status(self, /, **query: Unpack[GetMetricsRefreshStatusQuery]) -> MetricsRefreshStatus:
        """Get the state of the refresh. Returns whether a refresh is running, and how the last one ended. Needs the scope `metrics:read`."""
        return await self._call("GET /metrics/refresh/status", (), query=query)


class AsyncTracesResource(AsyncResource):
    async def list(self, /, **query: Unpack[GetTracesQuery]) -> PaginatedTraces:
        """List the traces. Returns traces, the newest first. They can be filtered by run, session, user, component, state and time. Needs the scope `traces:read`."""
        return await self._call("GET /traces", (), query=query)

    async def filter_schema(self, /) -> TraceFilterSchema:
        """Get what traces can be filtered by. Returns the fields and operators of the filter of a search. Needs the scope `traces:read`."""
        return await self._call("GET /traces/filter-schema", ())

    async def get(self, trace_id: str | int, /, **query: Unpack[GetTraceQuery]) -> TraceDetail | TraceNode:
        """Get a trace. Returns one trace with its spans as a tree. Needs the scope `traces:read`."""
        return await self._call("GET /traces/{}", (trace_id,), query=query)

    async def session_stats(self, /, **query: Unpack[GetTraceStatsQuery]) -> PaginatedTraceSessionStats:
        """Count the traces of sessions. Returns sessions with numbers of traces. Needs the scope `traces:read`."""
        return await self._call("GET /trace_session_stats", (), query=query)

    async def search(self, /, *, params: SearchTracesQuery | None = None, **body: Unpack[TraceSearchRequest]) -> PaginatedTraceDetails | PaginatedTraceSessionStats1:
        """Search the traces. Returns traces, or sessions with `group_by`, that meet a filter. Needs the scope `traces:read`."""
        return await self._call("POST /traces/search", (), query=params, body=body, kind="j")


class AsyncEvaluationsResource(AsyncResource):
    async def list(self, /, **query: Unpack[GetEvalRunsQuery]) -> PaginatedEvalRuns:
        """List the evaluations. Returns completed evaluations, or those with the given `status`, the newest first. The filters by component do not find evaluations of the kind `agent_as_judge`, which are stored without it. Needs the scope `evals:read`."""
        return await self._call("GET /eval-runs", (), query=query)

    async def delete_many(self, /, *, params: DeleteEvalRunsQuery | None = None, **body: Unpack[EvalRunsRemove]) -> None:
        """Delete evaluations. Removes the evaluations. The sessions of their runs stay. Needs the scope `evals:delete`."""
        return await self._call("DELETE /eval-runs", (), query=params, body=body, kind="j")

    async def create(self, /, *, params: RunEvalQuery | None = None, **body: Unpack[EvalRunInput]) -> EvalRun | EvalRunAccepted:
        """Evaluate a component. Runs an agent or a team and rates the answers. The response is sent when all runs are rated, or with `background` at once, with 202. No scope of the component is needed. Needs the scope `evals:write`."""
        return await self._call("POST /eval-runs", (), query=params, body=body, kind="j")

    async def get(self, eval_run_id: str | int, /, **query: Unpack[GetEvalRunQuery]) -> EvalRun:
        """Get an evaluation. Returns one evaluation with its ratings. Needs the scope `evals:read`."""
        return await self._call("GET /eval-runs/{}", (eval_run_id,), query=query)

    async def update(self, eval_run_id: str | int, /, *, params: UpdateEvalRunQuery | None = None, **body: Unpack[EvalRunRename]) -> EvalRun:
        """Rename an evaluation. Gives the evaluation another name. Needs the scope `evals:write`."""
        return await self._call("PATCH /eval-runs/{}", (eval_run_id,), query=params, body=body, kind="j")

    async def cancel(self, eval_run_id: str | int, /, **query: Unpack[CancelEvalRunQuery]) -> EvalRun:
        """Cancel an evaluation. Ends an evaluation, and cancels the run that it waits for. Needs the scope `evals:write`."""
        return await self._call("POST /eval-runs/{}/cancel", (eval_run_id,), query=query)


class AsyncFeedbackResource(AsyncResource):
    async def give(self, run_id: str | int, /, *, params: GiveFeedbackQuery | None = None, **body: Unpack[FeedbackInput]) -> Feedback:
        """Score a run. Stores what a person thinks of a run. A second score under the same key replaces the first one. Needs the scope `evals:write`."""
        return await self._call("POST /runs/{}/feedback", (run_id,), query=params, body=body, kind="j")

    async def of_run(self, run_id: str | int, /, **query: Unpack[GetRunFeedbackQuery]) -> List[Feedback]:
        """List the scores of a run. Returns all scores that one run has. Needs the scope `evals:read`."""
        return await self._call("GET /runs/{}/feedback", (run_id,), query=query)

    async def list(self, /, **query: Unpack[ListFeedbackQuery]) -> PaginatedFeedback:
        """List the scores. Returns scores of all runs, the newest first. Needs the scope `evals:read`."""
        return await self._call("GET /feedback", (), query=query)

    async def delete(self, feedback_id: str | int, /, **query: Unpack[DeleteFeedbackQuery]) -> None:
        """Delete a score. Removes one score. Needs the scope `evals:delete`."""
        return await self._call("DELETE /feedback/{}", (feedback_id,), query=query)


class AsyncComponentsResource(AsyncResource):
    async def list(self, /, **query: Unpack[ListComponentsQuery]) -> PaginatedComponents:
        """List the stored components. Returns stored components of all kinds. Needs the scope `components:read`."""
        return await self._call("GET /components", (), query=query)

    async def create(self, /, **body: Unpack[ComponentCreate]) -> ComponentResponse:
        """Create a component. Stores a new agent, team or workflow with its first version. Needs the scope `components:write`."""
        return await self._call("POST /components", (), body=body, kind="j")

    async def get(self, component_id: str | int, /) -> ComponentResponse:
        """Get a stored component. Returns one component, without its configs. Needs the scope `components:read`."""
        return await self._call("GET /components/{}", (component_id,))

    async def update(self, component_id: str | int, /, **body: Unpack[ComponentUpdate]) -> ComponentResponse:
        """Change a stored component. Changes the name, the description, the metadata or the current version. Needs the scope `components:write`."""
        return await self._call("PATCH /components/{}", (component_id,), body=body, kind="j")

    async def delete(self, component_id: str | int, /) -> None:
        """Delete a stored component. Removes the component and all of its versions. Its runs and sessions stay. Needs the scope `components:delete`."""
        return await self._call("DELETE /components/{}", (component_id,))

    async def versions(self, component_id: str | int, /, **query: Unpack[ListComponentConfigsQuery]) -> List[ComponentConfigResponse]:
        """List the versions of a component. Returns the versions, the newest first. Needs the scope `components:read`."""
        return await self._call("GET /components/{}/configs", (component_id,), query=query)

    async def create_version(self, component_id: str | int, /, **body: Unpack[ConfigCreate]) -> ComponentConfigResponse:
        """Create a version. Stores a new version of the config, as a draft or published. Needs the scope `components:write`."""
        return await self._call("POST /components/{}/configs", (component_id,), body=body, kind="j")

    async def current_version(self, component_id: str | int, /) -> ComponentConfigResponse:
        """Get the current version. Returns the version that runs use when they name none. Needs the scope `components:read`."""
        return await self._call("GET /components/{}/configs/current", (component_id,))

    async def version(self, component_id: str | int, version: str | int, /) -> ComponentConfigResponse:
        """Get a version. Returns one version with its config. Needs the scope `components:read`."""
        return await self._call("GET /components/{}/configs/{}", (component_id, version,))

    async def update_version(self, component_id: str | int, version: str | int, /, **body: Unpack[ConfigUpdate]) -> ComponentConfigResponse:
        """Change a draft. Changes a version that is a draft, or publishes it. A published version never changes. Needs the scope `components:write`."""
        return await self._call("PATCH /components/{}/configs/{}", (component_id, version,), body=body, kind="j")

    async def delete_version(self, component_id: str | int, version: str | int, /) -> None:
        """Delete a version. Removes a version. The current version cannot be removed. Needs the scope `components:delete`."""
        return await self._call("DELETE /components/{}/configs/{}", (component_id, version,))

    async def set_current(self, component_id: str | int, version: str | int, /) -> ComponentResponse:
        """Make a version the current one. Runs that start from now on use this version. With an older one, this is a rollback. Needs the scope `components:write`."""
        return await self._call("POST /components/{}/configs/{}/set-current", (component_id, version,))


class AsyncDatasetsResource(AsyncResource):
    async def list(self, /, **query: Unpack[ListDatasetsQuery]) -> PaginatedDatasets:
        """List the datasets. Returns the datasets, without their items. Needs the scope `evals:read`."""
        return await self._call("GET /datasets", (), query=query)

    async def create(self, /, *, params: CreateDatasetQuery | None = None, **body: Unpack[DatasetInput]) -> ChangedDataset:
        """Create a dataset. Stores a dataset. Version 1 has no items: the items of the request make version 2. Needs the scope `evals:write`."""
        return await self._call("POST /datasets", (), query=params, body=body, kind="j")

    async def get(self, dataset_id: str | int, /, **query: Unpack[GetDatasetQuery]) -> Dataset:
        """Get a dataset. Returns one dataset, without its items. Needs the scope `evals:read`."""
        return await self._call("GET /datasets/{}", (dataset_id,), query=query)

    async def update(self, dataset_id: str | int, /, *, params: UpdateDatasetQuery | None = None, **body: Unpack[DatasetPatch]) -> Dataset:
        """Change a dataset. Changes the name or the description. It makes no version. Needs the scope `evals:write`."""
        return await self._call("PATCH /datasets/{}", (dataset_id,), query=params, body=body, kind="j")

    async def delete(self, dataset_id: str | int, /, **query: Unpack[DeleteDatasetQuery]) -> None:
        """Delete a dataset. Removes the dataset with all of its versions and its experiments, which are cancelled if they are executing. Needs the scope `evals:delete`."""
        return await self._call("DELETE /datasets/{}", (dataset_id,), query=query)

    async def items(self, dataset_id: str | int, /, **query: Unpack[ListDatasetItemsQuery]) -> PaginatedDatasetItems:
        """List the items of a dataset. Returns the items of one version, the newest one when none is named. Needs the scope `evals:read`."""
        return await self._call("GET /datasets/{}/items", (dataset_id,), query=query)

    async def change_items(self, dataset_id: str | int, /, *, params: ChangeDatasetItemsQuery | None = None, **body: Unpack[DatasetChange]) -> ChangedDataset:
        """Change the items of a dataset. Adds, replaces and removes items, which makes a new version. Needs the scope `evals:write`."""
        return await self._call("POST /datasets/{}/items", (dataset_id,), query=params, body=body, kind="j")

    async def add_from_trace(self, dataset_id: str | int, /, *, params: AddDatasetItemFromTraceQuery | None = None, **body: Unpack[DatasetItemFromTrace]) -> ChangedDataset:
        """Make an item from a trace. Adds an item with the input and the answer of a run. If the run has not completed, the item has no `expected_output`. Needs the scope `evals:write`."""
        return await self._call("POST /datasets/{}/items/from-trace", (dataset_id,), query=params, body=body, kind="j")

    async def import_items(self, dataset_id: str | int, body: str, /, *, params: ImportDatasetItemsQuery | None = None) -> ChangedDataset:
        """Import items. Adds or replaces items, one as JSON on each line, which makes a new version. Needs the scope `evals:write`."""
        return await self._call("POST /datasets/{}/import", (dataset_id,), query=params, body=body, kind="n")

    async def export_items(self, dataset_id: str | int, /, **query: Unpack[ExportDatasetItemsQuery]) -> str:
        """Export items. Returns the items of one version as JSON lines. Needs the scope `evals:read`."""
        return await self._call("GET /datasets/{}/export", (dataset_id,), query=query)


class AsyncRegistryResource(AsyncResource):
    async def list(self, /, **query: Unpack[ListRegistryQuery]) -> PaginatedRegistry:
        """List what configs can name. Returns the tools, models, schemas and functions of the program that configs can refer to by name. Needs the scope `registry:read`."""
        return await self._call("GET /registry", (), query=query)


class AsyncExperimentsResource(AsyncResource):
    async def list(self, /, **query: Unpack[ListExperimentsQuery]) -> PaginatedExperiments:
        """List the experiments. Returns experiments, the newest first. Needs the scope `evals:read`."""
        return await self._call("GET /experiments", (), query=query)

    async def create(self, /, *, params: CreateExperimentQuery | None = None, **body: Unpack[ExperimentInput]) -> Experiment:
        """Start an experiment. Runs a component with each item of a dataset and rates the answers, in the background. No scope of the component is needed. Needs the scope `evals:write`."""
        return await self._call("POST /experiments", (), query=params, body=body, kind="j")

    async def compare(self, /, **query: Unpack[CompareExperimentsQuery]) -> ExperimentComparison:
        """Compare two experiments. Returns the items of two experiments side by side, and counts what became better or worse. Needs the scope `evals:read`."""
        return await self._call("GET /experiments/compare", (), query=query)

    async def get(self, experiment_id: str | int, /, **query: Unpack[GetExperimentQuery]) -> Experiment:
        """Get an experiment. Returns the experiment: how far it is, and its figures when it is completed. Needs the scope `evals:read`."""
        return await self._call("GET /experiments/{}", (experiment_id,), query=query)

    async def delete(self, experiment_id: str | int, /, **query: Unpack[DeleteExperimentQuery]) -> None:
        """Delete an experiment. Removes the experiment and its results. If it is executing, it is cancelled first. Needs the scope `evals:delete`."""
        return await self._call("DELETE /experiments/{}", (experiment_id,), query=query)

    async def cancel(self, experiment_id: str | int, /, **query: Unpack[CancelExperimentQuery]) -> Experiment:
        """Cancel an experiment. Ends the experiment and cancels its runs. Results that exist stay. Needs the scope `evals:write`."""
        return await self._call("POST /experiments/{}/cancel", (experiment_id,), query=query)

    async def items(self, experiment_id: str | int, /, **query: Unpack[ListExperimentItemsQuery]) -> PaginatedExperimentItems:
        """List the results of an experiment. Returns the result of each item that has one. Needs the scope `evals:read`."""
        return await self._call("GET /experiments/{}/items", (experiment_id,), query=query)


class AsyncSchedulesResource(AsyncResource):
    async def list(self, /, **query: Unpack[ListSchedulesQuery]) -> PaginatedSchedules:
        """List the schedules. Returns the schedules with their next times. Needs the scope `schedules:read`."""
        return await self._call("GET /schedules", (), query=query)

    async def create(self, /, **body: Unpack[ScheduleCreate]) -> Schedule:
        """Create a schedule. Stores a request that the service sends to itself at the times of a cron expression. Needs the scope `schedules:write`."""
        return await self._call("POST /schedules", (), body=body, kind="j")

    async def preview(self, /, **query: Unpack[PreviewCronQuery]) -> CronPreview:
        """Show the next times of a cron expression. Returns the next times of a cron expression, before a schedule has it. Needs the scope `schedules:read`."""
        return await self._call("GET /schedules/next", (), query=query)

    async def get(self, schedule_id: str | int, /) -> Schedule:
        """Get a schedule. Returns one schedule. Needs the scope `schedules:read`."""
        return await self._call("GET /schedules/{}", (schedule_id,))

    async def update(self, schedule_id: str | int, /, **body: Unpack[ScheduleUpdate]) -> Schedule:
        """Change a schedule. Changes the fields that are sent. The next time is computed anew. Needs the scope `schedules:write`."""
        return await self._call("PATCH /schedules/{}", (schedule_id,), body=body, kind="j")

    async def delete(self, schedule_id: str | int, /) -> None:
        """Delete a schedule. Removes the schedule. Runs that it started stay. Needs the scope `schedules:delete`."""
        return await self._call("DELETE /schedules/{}", (schedule_id,))

    async def enable(self, schedule_id: str | int, /) -> ScheduleState:
        """Enable a schedule. Starts the schedule again, from the next time on. Needs the scope `schedules:write`."""
        return await self._call("POST /schedules/{}/enable", (schedule_id,))

    async def disable(self, schedule_id: str | int, /) -> ScheduleState:
        """Disable a schedule. Stops the schedule. Runs that are executing continue. Needs the scope `schedules:write`."""
        return await self._call("POST /schedules/{}/disable", (schedule_id,))

    async def trigger(self, schedule_id: str | int, /) -> ScheduleRun:
        """Trigger a schedule. Sends the request of the schedule now, beside its times. Needs the scope `schedules:write`."""
        return await self._call("POST /schedules/{}/trigger", (schedule_id,))

    async def next(self, schedule_id: str | int, /, **query: Unpack[PreviewScheduleQuery]) -> SchedulePreview:
        """Show the next times. Returns the next times of the schedule. Needs the scope `schedules:read`."""
        return await self._call("GET /schedules/{}/next", (schedule_id,), query=query)

    async def runs(self, schedule_id: str | int, /, **query: Unpack[ListScheduleRunsQuery]) -> PaginatedScheduleRuns:
        """List the runs of a schedule. Returns the attempts of the schedule, the newest first. Needs the scope `schedules:read`."""
        return await self._call("GET /schedules/{}/runs", (schedule_id,), query=query)

    async def run(self, schedule_id: str | int, run_id: str | int, /) -> ScheduleRun:
        """Get a run of a schedule. Returns one attempt of the schedule. Needs the scope `schedules:read`."""
        return await self._call("GET /schedules/{}/runs/{}", (schedule_id, run_id,))


class AsyncWebhooksResource(AsyncResource):
    async def list(self, /, **query: Unpack[ListWebhooksQuery]) -> PaginatedWebhooks:
        """List the webhooks. Returns the webhooks, without their secrets. Needs the scope `webhooks:read`."""
        return await self._call("GET /webhooks", (), query=query)

    async def create(self, /, **body: Unpack[WebhookCreate]) -> WebhookCreated:
        """Create a webhook. Stores an address that the service calls at events. The secret is shown only in this response. Needs the scope `webhooks:write`."""
        return await self._call("POST /webhooks", (), body=body, kind="j")

    async def get(self, webhook_id: str | int, /) -> Webhook:
        """Get a webhook. Returns one webhook, without its secret. Needs the scope `webhooks:read`."""
        return await self._call("GET /webhooks/{}", (webhook_id,))

    async def update(self, webhook_id: str | int, /, **body: Unpack[WebhookUpdate]) -> Webhook:
        """Change a webhook. Changes the fields that are sent. `enabled: true` starts a webhook that the service has disabled. Needs the scope `webhooks:write`."""
        return await self._call("PATCH /webhooks/{}", (webhook_id,), body=body, kind="j")

    async def delete(self, webhook_id: str | int, /) -> None:
        """Delete a webhook. Removes the webhook. Events that wait are not sent any more. Needs the scope `webhooks:delete`."""
        return await self._call("DELETE /webhooks/{}", (webhook_id,))

    async def rotate_secret(self, webhook_id: str | int, /) -> WebhookSecret:
        """Replace the secret of a webhook. Makes a new secret. The one before also signs for a while. Needs the scope `webhooks:write`."""
        return await self._call("POST /webhooks/{}/rotate-secret", (webhook_id,))

    async def test(self, webhook_id: str | int, /) -> WebhookDelivery:
        """Test a webhook. Sends the event `webhook.test`, as the next delivery. Needs the scope `webhooks:write`."""
        return await self._call("POST /webhooks/{}/test", (webhook_id,))

    async def deliveries(self, webhook_id: str | int, /, **query: Unpack[ListWebhookDeliveriesQuery]) -> PaginatedWebhookDeliveries:
        """List the deliveries of a webhook. Returns the calls of the webhook, the newest first. Needs the scope `webhooks:read`."""
        return await self._call("GET /webhooks/{}/deliveries", (webhook_id,), query=query)

    async def delivery(self, webhook_id: str | int, delivery_id: str | int, /) -> WebhookDelivery:
        """Get a delivery. Returns one delivery with the body that was sent. Needs the scope `webhooks:read`."""
        return await self._call("GET /webhooks/{}/deliveries/{}", (webhook_id, delivery_id,))

    async def redeliver(self, webhook_id: str | int, delivery_id: str | int, /) -> WebhookDelivery:
        """Repeat a delivery. Sends the event again, with the same id. Needs the scope `webhooks:write`."""
        return await self._call("POST /webhooks/{}/deliveries/{}/redeliver", (webhook_id, delivery_id,))


class AsyncMediaResource(AsyncResource):
    async def get(self, media_id: str | int, /, **query: Unpack[GetMediaQuery]) -> bytes:
        """Get the bytes of a medium. Returns an image or a clip that a model made in a run. A request may ask for a range of bytes. Needs the scope `sessions:read`."""
        return await self._call("GET /media/{}", (media_id,), query=query)


class AsyncResources:
    """Every resource of the API, by its name."""

    def __init__(self, connection: Connection) -> None:
        self.system = AsyncSystemResource(connection)
        self.databases = AsyncDatabasesResource(connection)
        self.agents = AsyncAgentsResource(connection)
        self.teams = AsyncTeamsResource(connection)
        self.workflows = AsyncWorkflowsResource(connection)
        self.sessions = AsyncSessionsResource(connection)
        self.runs = AsyncRunsResource(connection)
        self.service_accounts = AsyncServiceaccountsResource(connection)
        self.approvals = AsyncApprovalsResource(connection)
        self.memories = AsyncMemoriesResource(connection)
        self.learnings = AsyncLearningsResource(connection)
        self.knowledge = AsyncKnowledgeResource(connection)
        self.users = AsyncUsersResource(connection)
        self.metrics = AsyncMetricsResource(connection)
        self.traces = AsyncTracesResource(connection)
        self.evaluations = AsyncEvaluationsResource(connection)
        self.feedback = AsyncFeedbackResource(connection)
        self.components = AsyncComponentsResource(connection)
        self.datasets = AsyncDatasetsResource(connection)
        self.registry = AsyncRegistryResource(connection)
        self.experiments = AsyncExperimentsResource(connection)
        self.schedules = AsyncSchedulesResource(connection)
        self.webhooks = AsyncWebhooksResource(connection)
        self.media = AsyncMediaResource(connection)
