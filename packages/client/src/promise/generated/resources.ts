// Generated from the API's document: npm run openapi
import type { AgentResponse, AgentSessionDetailSchema, Approval, ApprovalCount, ApprovalResolve, ApprovalStatus, Caller, ChangedDataset, ComponentConfigResponse, ComponentCreate, ComponentDefinition, ComponentDefinitionPatch, ComponentResponse, ComponentUpdate, ConfigCreate, ConfigResponse, ConfigUpdate, ContentForm, ContentPatchForm, ContentResponseSchema, ContentSource, ContentSourceFiles, ContentStatusResponse, CreateSessionRequest, CronPreview, DatabaseNodes, Dataset, DatasetChange, DatasetInput, DatasetItemFromTrace, DatasetPatch, DayMetrics, DefinedComponent, DeleteMemoriesRequest, DeleteSessionRequest, EvalRun, EvalRunAccepted, EvalRunInput, EvalRunRename, EvalRunsRemove, Experiment, ExperimentComparison, ExperimentInput, Feedback, FeedbackInput, HealthResponse, InfoResponse, KnowledgeConfigResponse, Learning, LearningCreate, LearningPatch, Metrics, MetricsRefreshStarted, MetricsRefreshStatus, MigrationResponse, MigrationStatus, MigrationsResponse, Model, OptimizeMemoriesRequest, OptimizeMemoriesResponse, PaginatedApprovals, PaginatedComponents, PaginatedContents, PaginatedDatasetItems, PaginatedDatasets, PaginatedEvalRuns, PaginatedExperimentItems, PaginatedExperiments, PaginatedFeedback, PaginatedLearningUsers, PaginatedLearnings, PaginatedMemories, PaginatedRegistry, PaginatedRuns, PaginatedScheduleRuns, PaginatedSchedules, PaginatedSearchResults, PaginatedServiceAccounts, PaginatedSessions, PaginatedTraceDetails, PaginatedTraceSessionStats, PaginatedTraceSessionStats1, PaginatedTraces, PaginatedUsage, PaginatedUserMemoryStats, PaginatedWebhookDeliveries, PaginatedWebhooks, PartialRunRecord, PartialTeamRunRecord, PartialWorkflowRunRecord, PartlyMigratedResponse, ReadyResponse, RemoteContentForm, RemovedContent, RemovedUserMemory, RenameSessionRequest, Root, RunRecord, Schedule, ScheduleCreate, SchedulePreview, ScheduleRun, ScheduleState, ScheduleUpdate, ServiceAccountCreate, ServiceAccountCreated, TeamFactoryResponse, TeamResponse, TeamRunRecord, TeamSessionDetailSchema, TraceDetail, TraceFilterSchema, TraceNode, TraceSearchRequest, UpdateSessionRequest, UserMemoryCreateSchema, UserMemorySchema, UserMemorySettings, VectorSearchRequest, Webhook, WebhookCreate, WebhookCreated, WebhookDelivery, WebhookSecret, WebhookUpdate, WorkflowResponse, WorkflowRunRecord, WorkflowSessionDetailSchema, WorkflowSummaryResponse } from "./types.ts"
import type { Options } from "../Options.ts"

export interface SystemResource {
  /** Get the name of the service. Returns name and version. A browser gets a page. */
  root(options?: Options): Promise<Root>
  /** Check that the process is running. Responds as long as the process runs, also without its database. For the state of the service, see `/ready`. */
  health(options?: Options): Promise<HealthResponse>
  /** Check that the service accepts work. Responds with 503 and reasons while the database is away, migrations are executed, or the node is stopping. */
  ready(options?: Options): Promise<ReadyResponse>
  /** Get what the service is. Returns versions, numbers of components and how requests are authorized. It needs no credential. */
  info(options?: Options): Promise<InfoResponse>
  /** Get who the caller is. Returns the user and the scopes of the credential, so that a page offers what it allows. Needs a credential, and no scope. */
  caller(options?: Options): Promise<Caller>
  /** Get the configuration. Returns components, databases, models and protocols, as a page for people needs them. Needs the scope `config:read`. */
  config(options?: Options): Promise<ConfigResponse>
  /** List the models. Returns the models that components of the service use. Needs the scope `config:read`. */
  models(options?: Options): Promise<Array<Model>>
  /** List the nodes of each database. Returns the nodes that share each database, whether they are alive, and how many runs they have. Needs the scope `metrics:read`. */
  nodes(options?: Options): Promise<Array<DatabaseNodes>>
  /** Get the metrics for Prometheus. Returns the metrics of this node in the text format of Prometheus. Needs the scope `metrics:read`. */
  prometheusMetrics(options?: Options): Promise<string>
}

export interface MigrateAllDatabasesQuery {
  /** Version to migrate to. Default: the newest */
  target_version?: string | undefined
  /** Whether to show the migrations only, without applying them */
  dry_run?: boolean | undefined
}

export interface MigrateDatabaseQuery {
  /** Version to migrate to. Default: the newest */
  target_version?: string | undefined
  /** Whether to show the migrations only, without applying them */
  dry_run?: boolean | undefined
}

export interface DatabasesResource {
  /** Migrate all databases. Applies the pending migrations to each database. The service does this at its start as well. Needs the scope `config:write`. */
  migrateAll(query?: MigrateAllDatabasesQuery, options?: Options): Promise<MigrationsResponse | PartlyMigratedResponse>
  /** Migrate a database. Applies the pending migrations to one database. Needs the scope `config:write`. */
  migrate(dbId: string | number, query?: MigrateDatabaseQuery, options?: Options): Promise<MigrationResponse>
  /** List the migrations of a database. Returns the applied and the pending migrations. Needs the scope `config:read`. */
  migrations(dbId: string | number, options?: Options): Promise<MigrationStatus>
}

export interface AgentsResource {
  /** List the agents. Returns the agents that the caller may read, with the factories that make agents. Needs the scope `agents:read`. */
  list(options?: Options): Promise<Array<AgentResponse>>
  /** Create an agent. Stores a new agent. It can be run at once, unless its `stage` is `draft`. Needs the scope `agents:write`. */
  create(body: ComponentDefinition, options?: Options): Promise<DefinedComponent>
  /** Get an agent. Returns one agent with its settings. For a factory it returns the schema of its input. Needs the scope `agents:read`. */
  get(agentId: string | number, options?: Options): Promise<AgentResponse>
  /** Change an agent. Changes the stored agent. If its newest version is a draft, the draft is changed, and otherwise a new version is made. Null removes a field. Needs the scope `agents:write`. */
  update(agentId: string | number, body: ComponentDefinitionPatch, options?: Options): Promise<DefinedComponent>
  /** Delete an agent. Removes the stored agent and all of its versions. Its runs and sessions stay. Needs the scope `agents:delete`. */
  delete(agentId: string | number, options?: Options): Promise<void>
}

export interface TeamsResource {
  /** List the teams. Returns the teams that the caller may read, with the factories that make teams. Needs the scope `teams:read`. */
  list(options?: Options): Promise<Array<TeamResponse | TeamFactoryResponse>>
  /** Create a team. Stores a new team. It can be run at once, unless its `stage` is `draft`. Needs the scope `teams:write`. */
  create(body: ComponentDefinition, options?: Options): Promise<DefinedComponent>
  /** Get a team. Returns one team with its settings. For a factory it returns the schema of its input. Needs the scope `teams:read`. */
  get(teamId: string | number, options?: Options): Promise<TeamResponse | TeamFactoryResponse>
  /** Change a team. Changes the stored team. If its newest version is a draft, the draft is changed, and otherwise a new version is made. Null removes a field. Needs the scope `teams:write`. */
  update(teamId: string | number, body: ComponentDefinitionPatch, options?: Options): Promise<DefinedComponent>
  /** Delete a team. Removes the stored team and all of its versions. Its runs and sessions stay. Needs the scope `teams:delete`. */
  delete(teamId: string | number, options?: Options): Promise<void>
}

export interface GetWorkflowQuery {
  /** Number of the version */
  version?: number | undefined
}

export interface WorkflowsResource {
  /** List the workflows. Returns the workflows that the caller may read, with the factories that make workflows. Needs the scope `workflows:read`. */
  list(options?: Options): Promise<Array<WorkflowSummaryResponse>>
  /** Create a workflow. Stores a new workflow. It can be run at once, unless its `stage` is `draft`. Needs the scope `workflows:write`. */
  create(body: ComponentDefinition, options?: Options): Promise<DefinedComponent>
  /** Get a workflow. Returns one workflow with its settings. For a factory it returns the schema of its input. Needs the scope `workflows:read`. */
  get(workflowId: string | number, query?: GetWorkflowQuery, options?: Options): Promise<WorkflowResponse>
  /** Change a workflow. Changes the stored workflow. If its newest version is a draft, the draft is changed, and otherwise a new version is made. Null removes a field. Needs the scope `workflows:write`. */
  update(workflowId: string | number, body: ComponentDefinitionPatch, options?: Options): Promise<DefinedComponent>
  /** Delete a workflow. Removes the stored workflow and all of its versions. Its runs and sessions stay. Needs the scope `workflows:delete`. */
  delete(workflowId: string | number, options?: Options): Promise<void>
}

export interface GetSessionsQuery {
  /** Only entries of this kind */
  type?: "agent" | "team" | "workflow" | undefined
  /** Id of the component */
  component_id?: string | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Only sessions with this text in their name */
  session_name?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Field by which the entries are sorted */
  sort_by?: string | undefined
  /** Direction of the sort: `asc` or `desc` */
  sort_order?: "asc" | "desc" | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface CreateSessionQuery {
  /** Only entries of this kind */
  type?: "agent" | "team" | "workflow" | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface DeleteSessionsQuery {
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface GetSessionByIdQuery {
  /** Only entries of this kind */
  type?: "agent" | "team" | "workflow" | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface UpdateSessionQuery {
  /** Only entries of this kind */
  type?: "agent" | "team" | "workflow" | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface DeleteSessionQuery {
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface GetSessionRunsQuery {
  /** Only entries of this kind */
  type?: "agent" | "team" | "workflow" | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Only entries that were created at or after this time */
  created_after?: number | undefined
  /** Only entries that were created at or before this time */
  created_before?: number | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface GetSessionRunQuery {
  /** Only entries of this kind */
  type?: "agent" | "team" | "workflow" | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface RenameSessionQuery {
  /** Only entries of this kind */
  type?: "agent" | "team" | "workflow" | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface SessionsResource {
  /** List the sessions. Returns sessions, the last changed first. They can be filtered by component, user, name and time. Needs the scope `sessions:read`. */
  list(query?: GetSessionsQuery, options?: Options): Promise<PaginatedSessions>
  /** Create a session. Creates an empty session. Runs create their sessions themselves, so this is needed for a name or a state only. Needs the scope `sessions:write`. */
  create(body?: CreateSessionRequest | null, options?: Options & { query?: CreateSessionQuery }): Promise<AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema>
  /** Delete several sessions. Removes the sessions with their runs, events and traces. Runs that are executing are cancelled. Needs the scope `sessions:delete`. */
  deleteMany(body: DeleteSessionRequest, options?: Options & { query?: DeleteSessionsQuery }): Promise<void>
  /** Get a session. Returns a session with its state, its summary and its messages. Needs the scope `sessions:read`. */
  get(sessionId: string | number, query?: GetSessionByIdQuery, options?: Options): Promise<AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema>
  /** Change a session. Changes the name, the state, the summary or the metadata. Fields that are left out stay. Needs the scope `sessions:write`. */
  update(sessionId: string | number, body: UpdateSessionRequest, options?: Options & { query?: UpdateSessionQuery }): Promise<AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema>
  /** Delete a session. Removes the session with its runs, events and traces. Runs that are executing are cancelled. Needs the scope `sessions:delete`. */
  delete(sessionId: string | number, query?: DeleteSessionQuery, options?: Options): Promise<void>
  /** List the runs of a session. Returns the runs of the session, oldest first. Runs that are executing are part of the list. Needs the scope `sessions:read`. */
  runs(sessionId: string | number, query?: GetSessionRunsQuery, options?: Options): Promise<Array<PartialRunRecord | PartialTeamRunRecord | PartialWorkflowRunRecord>>
  /** Get a run of a session. Returns one run of the session, of any kind of component. Needs the scope `sessions:read`. */
  run(sessionId: string | number, runId: string | number, query?: GetSessionRunQuery, options?: Options): Promise<RunRecord | TeamRunRecord | WorkflowRunRecord>
  /** Rename a session. Gives the session another name. Needs the scope `sessions:write`. */
  rename(sessionId: string | number, body: RenameSessionRequest, options?: Options & { query?: RenameSessionQuery }): Promise<AgentSessionDetailSchema | WorkflowSessionDetailSchema | TeamSessionDetailSchema>
}

export interface ListRunsQuery {
  /** Only entries of this kind */
  type?: "agent" | "team" | "workflow" | undefined
  /** Id of the component */
  component_id?: string | undefined
  /** Id of the run */
  run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id?: string | undefined
  /** Only entries in this state */
  status?: "PENDING" | "RUNNING" | "COMPLETED" | "PAUSED" | "CANCELLED" | "ERROR" | "REGENERATED" | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface RunsResource {
  /** List all runs. Returns the runs of all components, the newest first, without their contents. They can be filtered by component, session, user and status. More than 10,000 runs are not counted. Needs the scope `sessions:read`. */
  list(query?: ListRunsQuery, options?: Options): Promise<PaginatedRuns>
}

export interface CreateMemoryQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface GetMemoriesQuery {
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Only memories with all of these topics */
  topics?: string | Array<string> | undefined
  /** Text to search for */
  search_content?: string | undefined
  /** Whether memories must contain the text, or mean the same */
  search_by?: "text" | "meaning" | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Field by which the entries are sorted */
  sort_by?: string | undefined
  /** Direction of the sort: `asc` or `desc` */
  sort_order?: "asc" | "desc" | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface DeleteMemoriesQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface GetMemoryQuery {
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface UpdateMemoryQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface DeleteMemoryQuery {
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface GetMemoryTopicsQuery {
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface GetUserMemoryStatsQuery {
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface OptimizeMemoriesQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface MemoriesResource {
  /** Create a memory. Stores what agents should remember of a user. Needs the scope `memories:write`. */
  create(body: UserMemoryCreateSchema, options?: Options & { query?: CreateMemoryQuery }): Promise<UserMemorySchema>
  /** List the memories. Returns memories, the last changed first. They can be filtered by user, topic and text. Needs the scope `memories:read`. */
  list(query?: GetMemoriesQuery, options?: Options): Promise<PaginatedMemories>
  /** Delete several memories. Removes the memories. Ids that do not exist are ignored. Needs the scope `memories:delete`. */
  deleteMany(body: DeleteMemoriesRequest, options?: Options & { query?: DeleteMemoriesQuery }): Promise<void>
  /** Get a memory. Returns one memory. Needs the scope `memories:read`. */
  get(memoryId: string | number, query?: GetMemoryQuery, options?: Options): Promise<UserMemorySchema>
  /** Change a memory. Replaces the text and the topics of a memory. Needs the scope `memories:write`. */
  update(memoryId: string | number, body: UserMemoryCreateSchema, options?: Options & { query?: UpdateMemoryQuery }): Promise<UserMemorySchema>
  /** Delete a memory. Removes one memory. Needs the scope `memories:delete`. */
  delete(memoryId: string | number, query?: DeleteMemoryQuery, options?: Options): Promise<void>
  /** List the topics. Returns the topics that memories have. Needs the scope `memories:read`. */
  topics(query?: GetMemoryTopicsQuery, options?: Options): Promise<Array<string>>
  /** Count the memories of users. Returns each user who has memories, with their number and the time of the last change. Needs the scope `memories:read`. */
  userStats(query?: GetUserMemoryStatsQuery, options?: Options): Promise<PaginatedUserMemoryStats>
  /** Shorten the memories of a user. Lets a model join the memories of a user into fewer ones. Without `apply` it only shows what would result. Needs the scope `memories:write`. */
  optimize(body: OptimizeMemoriesRequest, options?: Options & { query?: OptimizeMemoriesQuery }): Promise<OptimizeMemoriesResponse>
}

export interface GetServiceAccountsQuery {
  /** Whether the list has revoked accounts too */
  include_revoked?: boolean | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Field by which the entries are sorted */
  sort_by?: string | undefined
  /** Direction of the sort: `asc` or `desc` */
  sort_order?: string | undefined
}

export interface ServiceaccountsResource {
  /** Create a service account. Makes a token for a program. The token is shown only in this response. Needs the scope `service_accounts:write`. */
  create(body: ServiceAccountCreate, options?: Options): Promise<ServiceAccountCreated>
  /** List the service accounts. Returns the accounts with their scopes, without their tokens. Needs the scope `service_accounts:read`. */
  list(query?: GetServiceAccountsQuery, options?: Options): Promise<PaginatedServiceAccounts>
  /** Revoke a service account. Makes the token useless at once. Open streams end at their next message. Needs the scope `service_accounts:delete`. */
  revoke(serviceAccountId: string | number, options?: Options): Promise<void>
}

export interface ListApprovalsQuery {
  /** Only entries in this state */
  status?: "pending" | "approved" | "rejected" | "expired" | "cancelled" | undefined
  /** Kind of the component that asked for the approval */
  source_type?: "agent" | "team" | "workflow" | undefined
  /** Kind of the approval: `required` pauses the run, `audit` only records the decision */
  approval_type?: "required" | "audit" | undefined
  /** What the run waits for */
  pause_type?: "confirmation" | "user_input" | "external_execution" | undefined
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the schedule */
  schedule_id?: string | undefined
  /** Id of the run */
  run_id?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
}

export interface GetApprovalCountQuery {
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
}

export interface ApprovalsResource {
  /** List the approvals. Returns what waits for a person, or waited. It can be filtered by state, component, user and run. Needs the scope `approvals:read`. */
  list(query?: ListApprovalsQuery, options?: Options): Promise<PaginatedApprovals>
  /** Count the approvals. Returns how many approvals wait for a person. Needs the scope `approvals:read`. */
  count(query?: GetApprovalCountQuery, options?: Options): Promise<ApprovalCount>
  /** Get an approval. Returns one approval, with what a person should know. Needs the scope `approvals:read`. */
  get(approvalId: string | number, options?: Options): Promise<Approval>
  /** Delete an approval. Removes the approval. Its run stays as it is. Needs the scope `approvals:delete`. */
  delete(approvalId: string | number, options?: Options): Promise<void>
  /** Get the state of an approval. Returns the decision, and the state of the run. A client can poll it. Needs the scope `approvals:read`. */
  status(approvalId: string | number, options?: Options): Promise<ApprovalStatus>
  /** Decide an approval. Approves or rejects. The run then continues by itself. Of several decisions, the first one counts. Needs the scope `approvals:write`. */
  resolve(approvalId: string | number, body: ApprovalResolve, options?: Options): Promise<Approval>
}

export interface ListLearningsQuery {
  /** Type of the learning */
  learning_type?: string | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id?: string | undefined
  /** Name that separates learnings of the same type */
  namespace?: string | undefined
  /** Id of the thing that the learning is about */
  entity_id?: string | undefined
  /** Kind of the thing that the learning is about */
  entity_type?: string | undefined
  /** Only entries in this state */
  status?: "proposed" | "approved" | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Field by which the entries are sorted */
  sort_by?: string | undefined
  /** Direction of the sort: `asc` or `desc` */
  sort_order?: "asc" | "desc" | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface CreateLearningQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface ListLearningUsersQuery {
  /** Type of the learning */
  learning_type?: string | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Field by which the entries are sorted */
  sort_by?: string | undefined
  /** Direction of the sort: `asc` or `desc` */
  sort_order?: "asc" | "desc" | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface DeleteUserLearningsQuery {
  /** Type of the learning */
  learning_type?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface GetLearningQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface UpdateLearningQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface DeleteLearningQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface LearningsResource {
  /** List the learnings. Returns what agents have learned. It can be filtered by type, namespace, user and entity. Needs the scope `learnings:read`. */
  list(query?: ListLearningsQuery, options?: Options): Promise<PaginatedLearnings>
  /** Create a learning. Stores something that agents should know. Some types have one record for each user or entity. Needs the scope `learnings:write`. */
  create(body: LearningCreate, options?: Options & { query?: CreateLearningQuery }): Promise<Learning>
  /** List the users with learnings. Returns each user who has learnings, with the time of the last change. Needs the scope `learnings:read`. */
  users(query?: ListLearningUsersQuery, options?: Options): Promise<PaginatedLearningUsers>
  /** Delete the learnings of a user. Removes all learnings of one user. Needs the scope `learnings:delete`. */
  deleteOfUser(userId: string | number, query?: DeleteUserLearningsQuery, options?: Options): Promise<void>
  /** Get a learning. Returns one learning. Needs the scope `learnings:read`. */
  get(learningId: string | number, query?: GetLearningQuery, options?: Options): Promise<Learning>
  /** Change a learning. Replaces the content or the metadata of a learning. Needs the scope `learnings:write`. */
  update(learningId: string | number, body: LearningPatch, options?: Options & { query?: UpdateLearningQuery }): Promise<Learning>
  /** Delete a learning. Removes one learning. Needs the scope `learnings:delete`. */
  delete(learningId: string | number, query?: DeleteLearningQuery, options?: Options): Promise<void>
}

export interface UploadContentQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Id of the knowledge instance. Needed if the service has more than one */
  knowledge_id?: string | undefined
}

export interface GetContentQuery {
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Field by which the entries are sorted */
  sort_by?: string | undefined
  /** Direction of the sort: `asc` or `desc` */
  sort_order?: "asc" | "desc" | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Id of the knowledge instance. Needed if the service has more than one */
  knowledge_id?: string | undefined
}

export interface DeleteAllContentQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Id of the knowledge instance. Needed if the service has more than one */
  knowledge_id?: string | undefined
}

export interface UploadRemoteContentQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Id of the knowledge instance. Needed if the service has more than one */
  knowledge_id?: string | undefined
}

export interface GetContentByIdQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Id of the knowledge instance. Needed if the service has more than one */
  knowledge_id?: string | undefined
}

export interface UpdateContentQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Id of the knowledge instance. Needed if the service has more than one */
  knowledge_id?: string | undefined
}

export interface DeleteContentByIdQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Id of the knowledge instance. Needed if the service has more than one */
  knowledge_id?: string | undefined
}

export interface GetContentStatusQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Id of the knowledge instance. Needed if the service has more than one */
  knowledge_id?: string | undefined
}

export interface SearchKnowledgeQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Id of the knowledge instance. Needed if the service has more than one */
  knowledge_id?: string | undefined
}

export interface GetKnowledgeConfigQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Id of the knowledge instance. Needed if the service has more than one */
  knowledge_id?: string | undefined
}

export interface ListContentSourcesQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface ListContentSourceFilesQuery {
  /** Path of the folder. Default: the top folder */
  prefix?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Character that separates folders */
  delimiter?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface KnowledgeResource {
  /** Add a content. Adds a file, a web page or a text to the knowledge. It is processed in the background: the status says when it can be found. Needs the scope `knowledge:write`. */
  add(body: ContentForm, options?: Options & { query?: UploadContentQuery }): Promise<ContentResponseSchema>
  /** List the contents. Returns the contents of a knowledge instance. Needs the scope `knowledge:read`. */
  list(query?: GetContentQuery, options?: Options): Promise<PaginatedContents>
  /** Delete all contents. Removes all contents of a knowledge instance that belong to the caller. Needs the scope `knowledge:delete`. */
  deleteAll(query?: DeleteAllContentQuery, options?: Options): Promise<"success">
  /** Add contents from a source. Fetches a file or a folder from a configured source, in the background. Needs the scope `knowledge:write`. */
  addRemote(body: RemoteContentForm, options?: Options & { query?: UploadRemoteContentQuery }): Promise<ContentResponseSchema>
  /** Get a content. Returns one content, with how far it is processed. Needs the scope `knowledge:read`. */
  get(contentId: string | number, query?: GetContentByIdQuery, options?: Options): Promise<ContentResponseSchema>
  /** Change a content. Changes the name, the description or the metadata. With another reader it is processed again. Needs the scope `knowledge:write`. */
  update(contentId: string | number, body: ContentPatchForm, options?: Options & { query?: UpdateContentQuery }): Promise<ContentResponseSchema>
  /** Delete a content. Removes a content and all of its chunks. Needs the scope `knowledge:delete`. */
  delete(contentId: string | number, query?: DeleteContentByIdQuery, options?: Options): Promise<RemovedContent>
  /** Get how far a content is processed. Returns the state of the processing, and why it failed if it did. Needs the scope `knowledge:read`. */
  status(contentId: string | number, query?: GetContentStatusQuery, options?: Options): Promise<ContentStatusResponse>
  /** Search the knowledge. Returns the chunks that fit the query best, by meaning, by words or by both. Needs the scope `knowledge:read`. */
  search(body: VectorSearchRequest, options?: Options & { query?: SearchKnowledgeQuery }): Promise<PaginatedSearchResults>
  /** Get what the knowledge can do. Returns readers, chunkers, kinds of search and the metadata to filter by. Needs the scope `knowledge:read`. */
  config(query?: GetKnowledgeConfigQuery, options?: Options): Promise<KnowledgeConfigResponse>
  /** List the sources. Returns the places outside of the service that contents can be fetched from. Needs the scope `knowledge:read`. */
  sources(knowledgeId: string | number, query?: ListContentSourcesQuery, options?: Options): Promise<Array<ContentSource>>
  /** List the files of a source. Returns the files and folders in a folder of the source. Needs the scope `knowledge:read`. */
  sourceFiles(knowledgeId: string | number, sourceId: string | number, query?: ListContentSourceFilesQuery, options?: Options): Promise<ContentSourceFiles>
}

export interface UsersResource {
  /** Get whether agents remember a user. Returns whether agents may keep memories of the user. Needs the scope `memories:read`. */
  memorySettings(userId: string | number, options?: Options): Promise<UserMemorySettings>
  /** Set whether agents remember a user. With `enabled: false` agents neither read nor write memories of the user. Stored ones stay. Needs the scope `memories:write`. */
  setMemorySettings(userId: string | number, body: UserMemorySettings, options?: Options): Promise<UserMemorySettings>
  /** Forget a user. Removes all that agents remember of the user: memories, learnings, summaries, traces and scores. Needs the scope `memories:delete`. */
  deleteMemory(userId: string | number, options?: Options): Promise<RemovedUserMemory>
}

export interface GetMetricsQuery {
  /** First day, in UTC */
  starting_date?: string | undefined
  /** Last day, in UTC */
  ending_date?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface GetUsageQuery {
  /** First day, in UTC */
  starting_date?: string | undefined
  /** Last day, in UTC */
  ending_date?: string | undefined
  /** Whether there is an entry for each hour or for each day */
  interval?: "hour" | "day" | undefined
  /** What the figures are grouped by. Default: one group */
  group_by?: "component" | "user" | "model" | undefined
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Name of the model at its provider */
  model_id?: string | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface RefreshMetricsQuery {
  /** Whether the response is sent at once, with 202, and the work is done in the background */
  background?: boolean | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface GetMetricsRefreshStatusQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface MetricsResource {
  /** Get the metrics by day. Returns runs, sessions, users and tokens of each day, in UTC. Needs the scope `metrics:read`. */
  days(query?: GetMetricsQuery, options?: Options): Promise<Metrics>
  /** Get the usage. Returns runs, tokens, cost and durations by hour or day, grouped by component, user or model. Needs the scope `metrics:read`. */
  usage(query?: GetUsageQuery, options?: Options): Promise<PaginatedUsage>
  /** Refresh the metrics. Computes the metrics of the days that changed, in the background. Needs the scope `metrics:write`. */
  refresh(query?: RefreshMetricsQuery, options?: Options): Promise<Array<DayMetrics> | MetricsRefreshStarted>
  /** Get the state of the refresh. Returns whether a refresh is running, and how the last one ended. Needs the scope `metrics:read`. */
  refreshStatus(query?: GetMetricsRefreshStatusQuery, options?: Options): Promise<MetricsRefreshStatus>
}

export interface GetTracesQuery {
  /** Id of the run */
  run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id?: string | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Only entries in this state */
  status?: string | undefined
  /** Only traces that began at or after this time */
  start_time?: string | undefined
  /** Only traces that ended at or before this time */
  end_time?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface GetTraceQuery {
  /** Id of a span, 16 hexadecimal digits */
  span_id?: string | undefined
  /** Id of the run */
  run_id?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface GetTraceStatsQuery {
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Only traces that began at or after this time */
  start_time?: string | undefined
  /** Only traces that ended at or before this time */
  end_time?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface SearchTracesQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface TracesResource {
  /** List the traces. Returns traces, the newest first. They can be filtered by run, session, user, component, state and time. Needs the scope `traces:read`. */
  list(query?: GetTracesQuery, options?: Options): Promise<PaginatedTraces>
  /** Get what traces can be filtered by. Returns the fields and operators of the filter of a search. Needs the scope `traces:read`. */
  filterSchema(options?: Options): Promise<TraceFilterSchema>
  /** Get a trace. Returns one trace with its spans as a tree. Needs the scope `traces:read`. */
  get(traceId: string | number, query?: GetTraceQuery, options?: Options): Promise<TraceDetail | TraceNode>
  /** Count the traces of sessions. Returns sessions with numbers of traces. Needs the scope `traces:read`. */
  sessionStats(query?: GetTraceStatsQuery, options?: Options): Promise<PaginatedTraceSessionStats>
  /** Search the traces. Returns traces, or sessions with `group_by`, that meet a filter. Needs the scope `traces:read`. */
  search(body: TraceSearchRequest, options?: Options & { query?: SearchTracesQuery }): Promise<PaginatedTraceDetails | PaginatedTraceSessionStats1>
}

export interface GetEvalRunsQuery {
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Name of the model at its provider */
  model_id?: string | undefined
  /** Only entries of this kind */
  type?: "agent" | "team" | "workflow" | undefined
  /** Only evaluations of these kinds, separated by commas */
  eval_types?: string | Array<string> | undefined
  /** Only entries in this state */
  status?: string | Array<string> | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Field by which the entries are sorted */
  sort_by?: string | undefined
  /** Direction of the sort: `asc` or `desc` */
  sort_order?: "asc" | "desc" | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface DeleteEvalRunsQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface RunEvalQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface GetEvalRunQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface UpdateEvalRunQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface CancelEvalRunQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
  /** Accepted for compatibility, and not used: the service chooses its tables */
  table?: string | undefined
}

export interface EvaluationsResource {
  /** List the evaluations. Returns completed evaluations, or those with the given `status`, the newest first. The filters by component do not find evaluations of the kind `agent_as_judge`, which are stored without it. Needs the scope `evals:read`. */
  list(query?: GetEvalRunsQuery, options?: Options): Promise<PaginatedEvalRuns>
  /** Delete evaluations. Removes the evaluations. The sessions of their runs stay. Needs the scope `evals:delete`. */
  deleteMany(body: EvalRunsRemove, options?: Options & { query?: DeleteEvalRunsQuery }): Promise<void>
  /** Evaluate a component. Runs an agent or a team and rates the answers. The response is sent when all runs are rated, or with `background` at once, with 202. No scope of the component is needed. Needs the scope `evals:write`. */
  create(body: EvalRunInput, options?: Options & { query?: RunEvalQuery }): Promise<EvalRun | EvalRunAccepted>
  /** Get an evaluation. Returns one evaluation with its ratings. Needs the scope `evals:read`. */
  get(evalRunId: string | number, query?: GetEvalRunQuery, options?: Options): Promise<EvalRun>
  /** Rename an evaluation. Gives the evaluation another name. Needs the scope `evals:write`. */
  update(evalRunId: string | number, body: EvalRunRename, options?: Options & { query?: UpdateEvalRunQuery }): Promise<EvalRun>
  /** Cancel an evaluation. Ends an evaluation, and cancels the run that it waits for. Needs the scope `evals:write`. */
  cancel(evalRunId: string | number, query?: CancelEvalRunQuery, options?: Options): Promise<EvalRun>
}

export interface GiveFeedbackQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface GetRunFeedbackQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface ListFeedbackQuery {
  /** Id of the run */
  run_id?: string | undefined
  /** Id of the session, the conversation that runs belong to */
  session_id?: string | undefined
  /** Id of the agent */
  agent_id?: string | undefined
  /** Id of the team */
  team_id?: string | undefined
  /** Id of the workflow */
  workflow_id?: string | undefined
  /** Only scores with this key */
  key?: string | undefined
  /** Only scores of this source */
  source?: "user" | "scorer" | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface DeleteFeedbackQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface FeedbackResource {
  /** Score a run. Stores what a person thinks of a run. A second score under the same key replaces the first one. Needs the scope `evals:write`. */
  give(runId: string | number, body: FeedbackInput, options?: Options & { query?: GiveFeedbackQuery }): Promise<Feedback>
  /** List the scores of a run. Returns all scores that one run has. Needs the scope `evals:read`. */
  ofRun(runId: string | number, query?: GetRunFeedbackQuery, options?: Options): Promise<Array<Feedback>>
  /** List the scores. Returns scores of all runs, the newest first. Needs the scope `evals:read`. */
  list(query?: ListFeedbackQuery, options?: Options): Promise<PaginatedFeedback>
  /** Delete a score. Removes one score. Needs the scope `evals:delete`. */
  delete(feedbackId: string | number, query?: DeleteFeedbackQuery, options?: Options): Promise<void>
}

export interface ListComponentsQuery {
  /** Only components of this kind */
  component_type?: "agent" | "team" | "workflow" | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
}

export interface ListComponentConfigsQuery {
  /** Whether the response has the configs */
  include_config?: boolean | undefined
}

export interface ComponentsResource {
  /** List the stored components. Returns stored components of all kinds. Needs the scope `components:read`. */
  list(query?: ListComponentsQuery, options?: Options): Promise<PaginatedComponents>
  /** Create a component. Stores a new agent, team or workflow with its first version. Needs the scope `components:write`. */
  create(body: ComponentCreate, options?: Options): Promise<ComponentResponse>
  /** Get a stored component. Returns one component, without its configs. Needs the scope `components:read`. */
  get(componentId: string | number, options?: Options): Promise<ComponentResponse>
  /** Change a stored component. Changes the name, the description, the metadata or the current version. Needs the scope `components:write`. */
  update(componentId: string | number, body: ComponentUpdate, options?: Options): Promise<ComponentResponse>
  /** Delete a stored component. Removes the component and all of its versions. Its runs and sessions stay. Needs the scope `components:delete`. */
  delete(componentId: string | number, options?: Options): Promise<void>
  /** List the versions of a component. Returns the versions, the newest first. Needs the scope `components:read`. */
  versions(componentId: string | number, query?: ListComponentConfigsQuery, options?: Options): Promise<Array<ComponentConfigResponse>>
  /** Create a version. Stores a new version of the config, as a draft or published. Needs the scope `components:write`. */
  createVersion(componentId: string | number, body: ConfigCreate, options?: Options): Promise<ComponentConfigResponse>
  /** Get the current version. Returns the version that runs use when they name none. Needs the scope `components:read`. */
  currentVersion(componentId: string | number, options?: Options): Promise<ComponentConfigResponse>
  /** Get a version. Returns one version with its config. Needs the scope `components:read`. */
  version(componentId: string | number, version: string | number, options?: Options): Promise<ComponentConfigResponse>
  /** Change a draft. Changes a version that is a draft, or publishes it. A published version never changes. Needs the scope `components:write`. */
  updateVersion(componentId: string | number, version: string | number, body: ConfigUpdate, options?: Options): Promise<ComponentConfigResponse>
  /** Delete a version. Removes a version. The current version cannot be removed. Needs the scope `components:delete`. */
  deleteVersion(componentId: string | number, version: string | number, options?: Options): Promise<void>
  /** Make a version the current one. Runs that start from now on use this version. With an older one, this is a rollback. Needs the scope `components:write`. */
  setCurrent(componentId: string | number, version: string | number, options?: Options): Promise<ComponentResponse>
}

export interface ListDatasetsQuery {
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface CreateDatasetQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface GetDatasetQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface UpdateDatasetQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface DeleteDatasetQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface ListDatasetItemsQuery {
  /** Number of the version */
  version?: number | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface ChangeDatasetItemsQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface AddDatasetItemFromTraceQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface ImportDatasetItemsQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface ExportDatasetItemsQuery {
  /** Number of the version */
  version?: number | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface DatasetsResource {
  /** List the datasets. Returns the datasets, without their items. Needs the scope `evals:read`. */
  list(query?: ListDatasetsQuery, options?: Options): Promise<PaginatedDatasets>
  /** Create a dataset. Stores a dataset. Version 1 has no items: the items of the request make version 2. Needs the scope `evals:write`. */
  create(body: DatasetInput, options?: Options & { query?: CreateDatasetQuery }): Promise<ChangedDataset>
  /** Get a dataset. Returns one dataset, without its items. Needs the scope `evals:read`. */
  get(datasetId: string | number, query?: GetDatasetQuery, options?: Options): Promise<Dataset>
  /** Change a dataset. Changes the name or the description. It makes no version. Needs the scope `evals:write`. */
  update(datasetId: string | number, body: DatasetPatch, options?: Options & { query?: UpdateDatasetQuery }): Promise<Dataset>
  /** Delete a dataset. Removes the dataset with all of its versions and its experiments, which are cancelled if they are executing. Needs the scope `evals:delete`. */
  delete(datasetId: string | number, query?: DeleteDatasetQuery, options?: Options): Promise<void>
  /** List the items of a dataset. Returns the items of one version, the newest one when none is named. Needs the scope `evals:read`. */
  items(datasetId: string | number, query?: ListDatasetItemsQuery, options?: Options): Promise<PaginatedDatasetItems>
  /** Change the items of a dataset. Adds, replaces and removes items, which makes a new version. Needs the scope `evals:write`. */
  changeItems(datasetId: string | number, body: DatasetChange, options?: Options & { query?: ChangeDatasetItemsQuery }): Promise<ChangedDataset>
  /** Make an item from a trace. Adds an item with the input and the answer of a run. If the run has not completed, the item has no `expected_output`. Needs the scope `evals:write`. */
  addFromTrace(datasetId: string | number, body: DatasetItemFromTrace, options?: Options & { query?: AddDatasetItemFromTraceQuery }): Promise<ChangedDataset>
  /** Import items. Adds or replaces items, one as JSON on each line, which makes a new version. Needs the scope `evals:write`. */
  importItems(datasetId: string | number, body: string, options?: Options & { query?: ImportDatasetItemsQuery }): Promise<ChangedDataset>
  /** Export items. Returns the items of one version as JSON lines. Needs the scope `evals:read`. */
  exportItems(datasetId: string | number, query?: ExportDatasetItemsQuery, options?: Options): Promise<string>
}

export interface ListRegistryQuery {
  /** Only entries of this kind */
  resource_type?: "tool" | "model" | "db" | "vector_db" | "schema" | "function" | "agent" | "team" | "knowledge" | "memory_manager" | "session_summary_manager" | undefined
  /** Only entries with this text in their name */
  name?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
}

export interface RegistryResource {
  /** List what configs can name. Returns the tools, models, schemas and functions of the program that configs can refer to by name. Needs the scope `registry:read`. */
  list(query?: ListRegistryQuery, options?: Options): Promise<PaginatedRegistry>
}

export interface ListExperimentsQuery {
  /** Id of the dataset */
  dataset_id?: string | undefined
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface CreateExperimentQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface CompareExperimentsQuery {
  /** Ids, separated by commas */
  ids: string
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface GetExperimentQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface DeleteExperimentQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface CancelExperimentQuery {
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface ListExperimentItemsQuery {
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface ExperimentsResource {
  /** List the experiments. Returns experiments, the newest first. Needs the scope `evals:read`. */
  list(query?: ListExperimentsQuery, options?: Options): Promise<PaginatedExperiments>
  /** Start an experiment. Runs a component with each item of a dataset and rates the answers, in the background. No scope of the component is needed. Needs the scope `evals:write`. */
  create(body: ExperimentInput, options?: Options & { query?: CreateExperimentQuery }): Promise<Experiment>
  /** Compare two experiments. Returns the items of two experiments side by side, and counts what became better or worse. Needs the scope `evals:read`. */
  compare(query: CompareExperimentsQuery, options?: Options): Promise<ExperimentComparison>
  /** Get an experiment. Returns the experiment: how far it is, and its figures when it is completed. Needs the scope `evals:read`. */
  get(experimentId: string | number, query?: GetExperimentQuery, options?: Options): Promise<Experiment>
  /** Delete an experiment. Removes the experiment and its results. If it is executing, it is cancelled first. Needs the scope `evals:delete`. */
  delete(experimentId: string | number, query?: DeleteExperimentQuery, options?: Options): Promise<void>
  /** Cancel an experiment. Ends the experiment and cancels its runs. Results that exist stay. Needs the scope `evals:write`. */
  cancel(experimentId: string | number, query?: CancelExperimentQuery, options?: Options): Promise<Experiment>
  /** List the results of an experiment. Returns the result of each item that has one. Needs the scope `evals:read`. */
  items(experimentId: string | number, query?: ListExperimentItemsQuery, options?: Options): Promise<PaginatedExperimentItems>
}

export interface ListSchedulesQuery {
  /** Only enabled entries, or only disabled ones */
  enabled?: boolean | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
}

export interface PreviewCronQuery {
  /** Times, as a cron expression with five fields */
  cron_expr: string
  /** Time zone of the cron expression */
  timezone?: string | undefined
  /** How many to show */
  count?: number | undefined
}

export interface PreviewScheduleQuery {
  /** How many to show */
  count?: number | undefined
}

export interface ListScheduleRunsQuery {
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
}

export interface SchedulesResource {
  /** List the schedules. Returns the schedules with their next times. Needs the scope `schedules:read`. */
  list(query?: ListSchedulesQuery, options?: Options): Promise<PaginatedSchedules>
  /** Create a schedule. Stores a request that the service sends to itself at the times of a cron expression. Needs the scope `schedules:write`. */
  create(body: ScheduleCreate, options?: Options): Promise<Schedule>
  /** Show the next times of a cron expression. Returns the next times of a cron expression, before a schedule has it. Needs the scope `schedules:read`. */
  preview(query: PreviewCronQuery, options?: Options): Promise<CronPreview>
  /** Get a schedule. Returns one schedule. Needs the scope `schedules:read`. */
  get(scheduleId: string | number, options?: Options): Promise<Schedule>
  /** Change a schedule. Changes the fields that are sent. The next time is computed anew. Needs the scope `schedules:write`. */
  update(scheduleId: string | number, body: ScheduleUpdate, options?: Options): Promise<Schedule>
  /** Delete a schedule. Removes the schedule. Runs that it started stay. Needs the scope `schedules:delete`. */
  delete(scheduleId: string | number, options?: Options): Promise<void>
  /** Enable a schedule. Starts the schedule again, from the next time on. Needs the scope `schedules:write`. */
  enable(scheduleId: string | number, options?: Options): Promise<ScheduleState>
  /** Disable a schedule. Stops the schedule. Runs that are executing continue. Needs the scope `schedules:write`. */
  disable(scheduleId: string | number, options?: Options): Promise<ScheduleState>
  /** Trigger a schedule. Sends the request of the schedule now, beside its times. Needs the scope `schedules:write`. */
  trigger(scheduleId: string | number, options?: Options): Promise<ScheduleRun>
  /** Show the next times. Returns the next times of the schedule. Needs the scope `schedules:read`. */
  next(scheduleId: string | number, query?: PreviewScheduleQuery, options?: Options): Promise<SchedulePreview>
  /** List the runs of a schedule. Returns the attempts of the schedule, the newest first. Needs the scope `schedules:read`. */
  runs(scheduleId: string | number, query?: ListScheduleRunsQuery, options?: Options): Promise<PaginatedScheduleRuns>
  /** Get a run of a schedule. Returns one attempt of the schedule. Needs the scope `schedules:read`. */
  run(scheduleId: string | number, runId: string | number, options?: Options): Promise<ScheduleRun>
}

export interface ListWebhooksQuery {
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
}

export interface ListWebhookDeliveriesQuery {
  /** Only entries in this state */
  status?: "pending" | "succeeded" | "failed" | undefined
  /** Largest number of entries on a page */
  limit?: number | undefined
  /** Number of the page, from 1 */
  page?: number | undefined
}

export interface WebhooksResource {
  /** List the webhooks. Returns the webhooks, without their secrets. Needs the scope `webhooks:read`. */
  list(query?: ListWebhooksQuery, options?: Options): Promise<PaginatedWebhooks>
  /** Create a webhook. Stores an address that the service calls at events. The secret is shown only in this response. Needs the scope `webhooks:write`. */
  create(body: WebhookCreate, options?: Options): Promise<WebhookCreated>
  /** Get a webhook. Returns one webhook, without its secret. Needs the scope `webhooks:read`. */
  get(webhookId: string | number, options?: Options): Promise<Webhook>
  /** Change a webhook. Changes the fields that are sent. `enabled: true` starts a webhook that the service has disabled. Needs the scope `webhooks:write`. */
  update(webhookId: string | number, body: WebhookUpdate, options?: Options): Promise<Webhook>
  /** Delete a webhook. Removes the webhook. Events that wait are not sent any more. Needs the scope `webhooks:delete`. */
  delete(webhookId: string | number, options?: Options): Promise<void>
  /** Replace the secret of a webhook. Makes a new secret. The one before also signs for a while. Needs the scope `webhooks:write`. */
  rotateSecret(webhookId: string | number, options?: Options): Promise<WebhookSecret>
  /** Test a webhook. Sends the event `webhook.test`, as the next delivery. Needs the scope `webhooks:write`. */
  test(webhookId: string | number, options?: Options): Promise<WebhookDelivery>
  /** List the deliveries of a webhook. Returns the calls of the webhook, the newest first. Needs the scope `webhooks:read`. */
  deliveries(webhookId: string | number, query?: ListWebhookDeliveriesQuery, options?: Options): Promise<PaginatedWebhookDeliveries>
  /** Get a delivery. Returns one delivery with the body that was sent. Needs the scope `webhooks:read`. */
  delivery(webhookId: string | number, deliveryId: string | number, options?: Options): Promise<WebhookDelivery>
  /** Repeat a delivery. Sends the event again, with the same id. Needs the scope `webhooks:write`. */
  redeliver(webhookId: string | number, deliveryId: string | number, options?: Options): Promise<WebhookDelivery>
}

export interface GetMediaQuery {
  /** Only what belongs to this user. An isolated caller sees only what is their own */
  user_id?: string | undefined
  /** Id of the database that stores it. Default: the own database of the component */
  db_id?: string | undefined
}

export interface MediaResource {
  /** Get the bytes of a medium. Returns an image or a clip that a model made in a run. A request may ask for a range of bytes. Needs the scope `sessions:read`. */
  get(mediaId: string | number, query?: GetMediaQuery, options?: Options): Promise<Blob>
}

/** Every resource of the API, by its name. */
export interface Resources {
  readonly system: SystemResource
  readonly databases: DatabasesResource
  readonly agents: AgentsResource
  readonly teams: TeamsResource
  readonly workflows: WorkflowsResource
  readonly sessions: SessionsResource
  readonly runs: RunsResource
  readonly memories: MemoriesResource
  readonly serviceAccounts: ServiceaccountsResource
  readonly approvals: ApprovalsResource
  readonly learnings: LearningsResource
  readonly knowledge: KnowledgeResource
  readonly users: UsersResource
  readonly metrics: MetricsResource
  readonly traces: TracesResource
  readonly evaluations: EvaluationsResource
  readonly feedback: FeedbackResource
  readonly components: ComponentsResource
  readonly datasets: DatasetsResource
  readonly registry: RegistryResource
  readonly experiments: ExperimentsResource
  readonly schedules: SchedulesResource
  readonly webhooks: WebhooksResource
  readonly media: MediaResource
}

/** Method and path of each operation; `{}` is a parameter. */
export const operations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  system: {
    root: "GET /",
    health: "GET /health",
    ready: "GET /ready",
    info: "GET /info",
    caller: "GET /caller",
    config: "GET /config",
    models: "GET /models",
    nodes: "GET /nodes",
    prometheusMetrics: "GET /metrics/prometheus"
  },
  databases: {
    migrateAll: "POST /databases/all/migrate",
    migrate: "POST /databases/{}/migrate",
    migrations: "GET /databases/{}/migrations"
  },
  agents: {
    list: "GET /agents",
    create: "POST /agents j",
    get: "GET /agents/{}",
    update: "PATCH /agents/{} j",
    delete: "DELETE /agents/{}"
  },
  teams: {
    list: "GET /teams",
    create: "POST /teams j",
    get: "GET /teams/{}",
    update: "PATCH /teams/{} j",
    delete: "DELETE /teams/{}"
  },
  workflows: {
    list: "GET /workflows",
    create: "POST /workflows j",
    get: "GET /workflows/{}",
    update: "PATCH /workflows/{} j",
    delete: "DELETE /workflows/{}"
  },
  sessions: {
    list: "GET /sessions",
    create: "POST /sessions j",
    deleteMany: "DELETE /sessions j",
    get: "GET /sessions/{}",
    update: "PATCH /sessions/{} j",
    delete: "DELETE /sessions/{}",
    runs: "GET /sessions/{}/runs",
    run: "GET /sessions/{}/runs/{}",
    rename: "POST /sessions/{}/rename j"
  },
  runs: {
    list: "GET /runs"
  },
  memories: {
    create: "POST /memories j",
    list: "GET /memories",
    deleteMany: "DELETE /memories j",
    get: "GET /memories/{}",
    update: "PATCH /memories/{} j",
    delete: "DELETE /memories/{}",
    topics: "GET /memory_topics",
    userStats: "GET /user_memory_stats",
    optimize: "POST /optimize-memories j"
  },
  serviceAccounts: {
    create: "POST /service-accounts j",
    list: "GET /service-accounts",
    revoke: "DELETE /service-accounts/{}"
  },
  approvals: {
    list: "GET /approvals",
    count: "GET /approvals/count",
    get: "GET /approvals/{}",
    delete: "DELETE /approvals/{}",
    status: "GET /approvals/{}/status",
    resolve: "POST /approvals/{}/resolve j"
  },
  learnings: {
    list: "GET /learnings",
    create: "POST /learnings j",
    users: "GET /learnings/users",
    deleteOfUser: "DELETE /learnings/users/{}",
    get: "GET /learnings/{}",
    update: "PATCH /learnings/{} j",
    delete: "DELETE /learnings/{}"
  },
  knowledge: {
    add: "POST /knowledge/content f",
    list: "GET /knowledge/content",
    deleteAll: "DELETE /knowledge/content",
    addRemote: "POST /knowledge/remote-content f",
    get: "GET /knowledge/content/{}",
    update: "PATCH /knowledge/content/{} f",
    delete: "DELETE /knowledge/content/{}",
    status: "GET /knowledge/content/{}/status",
    search: "POST /knowledge/search j",
    config: "GET /knowledge/config",
    sources: "GET /knowledge/{}/sources",
    sourceFiles: "GET /knowledge/{}/sources/{}/files"
  },
  users: {
    memorySettings: "GET /users/{}/memory-settings",
    setMemorySettings: "PUT /users/{}/memory-settings j",
    deleteMemory: "DELETE /users/{}/memory"
  },
  metrics: {
    days: "GET /metrics",
    usage: "GET /metrics/usage",
    refresh: "POST /metrics/refresh",
    refreshStatus: "GET /metrics/refresh/status"
  },
  traces: {
    list: "GET /traces",
    filterSchema: "GET /traces/filter-schema",
    get: "GET /traces/{}",
    sessionStats: "GET /trace_session_stats",
    search: "POST /traces/search j"
  },
  evaluations: {
    list: "GET /eval-runs",
    deleteMany: "DELETE /eval-runs j",
    create: "POST /eval-runs j",
    get: "GET /eval-runs/{}",
    update: "PATCH /eval-runs/{} j",
    cancel: "POST /eval-runs/{}/cancel"
  },
  feedback: {
    give: "POST /runs/{}/feedback j",
    ofRun: "GET /runs/{}/feedback",
    list: "GET /feedback",
    delete: "DELETE /feedback/{}"
  },
  components: {
    list: "GET /components",
    create: "POST /components j",
    get: "GET /components/{}",
    update: "PATCH /components/{} j",
    delete: "DELETE /components/{}",
    versions: "GET /components/{}/configs",
    createVersion: "POST /components/{}/configs j",
    currentVersion: "GET /components/{}/configs/current",
    version: "GET /components/{}/configs/{}",
    updateVersion: "PATCH /components/{}/configs/{} j",
    deleteVersion: "DELETE /components/{}/configs/{}",
    setCurrent: "POST /components/{}/configs/{}/set-current"
  },
  datasets: {
    list: "GET /datasets",
    create: "POST /datasets j",
    get: "GET /datasets/{}",
    update: "PATCH /datasets/{} j",
    delete: "DELETE /datasets/{}",
    items: "GET /datasets/{}/items",
    changeItems: "POST /datasets/{}/items j",
    addFromTrace: "POST /datasets/{}/items/from-trace j",
    importItems: "POST /datasets/{}/import n",
    exportItems: "GET /datasets/{}/export"
  },
  registry: {
    list: "GET /registry"
  },
  experiments: {
    list: "GET /experiments",
    create: "POST /experiments j",
    compare: "GET /experiments/compare",
    get: "GET /experiments/{}",
    delete: "DELETE /experiments/{}",
    cancel: "POST /experiments/{}/cancel",
    items: "GET /experiments/{}/items"
  },
  schedules: {
    list: "GET /schedules",
    create: "POST /schedules j",
    preview: "GET /schedules/next",
    get: "GET /schedules/{}",
    update: "PATCH /schedules/{} j",
    delete: "DELETE /schedules/{}",
    enable: "POST /schedules/{}/enable",
    disable: "POST /schedules/{}/disable",
    trigger: "POST /schedules/{}/trigger",
    next: "GET /schedules/{}/next",
    runs: "GET /schedules/{}/runs",
    run: "GET /schedules/{}/runs/{}"
  },
  webhooks: {
    list: "GET /webhooks",
    create: "POST /webhooks j",
    get: "GET /webhooks/{}",
    update: "PATCH /webhooks/{} j",
    delete: "DELETE /webhooks/{}",
    rotateSecret: "POST /webhooks/{}/rotate-secret",
    test: "POST /webhooks/{}/test",
    deliveries: "GET /webhooks/{}/deliveries",
    delivery: "GET /webhooks/{}/deliveries/{}",
    redeliver: "POST /webhooks/{}/deliveries/{}/redeliver"
  },
  media: {
    get: "GET /media/{}"
  }
}
