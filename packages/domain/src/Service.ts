// What a service reports about itself: its name, health, components and settings.
import { Schema } from "effect"
import * as Agent from "./Agent.ts"
import * as Json from "./Json.ts"
import * as Team from "./Team.ts"
import { DateTime } from "./Time.ts"
import * as Workflow from "./Workflow.ts"

/** The API level of the reference service, for existing clients; `OpenApi` has the same. */
export const apiVersion = "2.7.2"

export const AuthMode = Schema.Literals(["none", "security_key", "jwt"])
export type AuthMode = typeof AuthMode.Type

export const Root = Schema.Struct({ name: Schema.String, id: Schema.String, version: Schema.String })
  .annotate({ identifier: "Root" })
export type Root = typeof Root.Type

export const Health = Schema.Struct({ status: Schema.Literal("ok"), instantiated_at: DateTime })
  .annotate({ identifier: "HealthResponse" })
export type Health = typeof Health.Type

export const Ready = Schema.Struct({ status: Schema.Literal("ready") }).annotate({ identifier: "ReadyResponse" })
export type Ready = typeof Ready.Type

export const Mcp = Schema.Struct({
  enabled: Schema.Boolean,
  path: Schema.String,
  oauth: Schema.NullOr(Schema.Struct({
    authorization_servers: Schema.NullOr(Schema.Array(Schema.String)),
    resource: Schema.NullOr(Schema.String)
  }))
}).annotate({ identifier: "McpInfo" })

export const Info = Schema.Struct({
  os_id: Schema.String,
  name: Schema.NullOr(Schema.String),
  /** The version of this project. */
  version: Schema.String,
  /** The API level, under the key where existing clients look for it. */
  agno_version: Schema.String,
  agent_count: Schema.Natural,
  team_count: Schema.Natural,
  workflow_count: Schema.Natural,
  mcp: Mcp,
  auth_mode: AuthMode,
  /** What the service has beside components and their runs. Pages for people hide what is not here. */
  features: Schema.Array(Schema.String)
}).annotate({ identifier: "InfoResponse" })
export type Info = typeof Info.Type

export const Caller = Schema.Struct({
  user_id: Schema.NullOr(Schema.String),
  /** Null: scopes do not limit the caller. */
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  is_isolated: Schema.Boolean,
  /** Of which the caller may choose one: the service's own is the first. */
  databases: Schema.Array(Schema.String)
}).annotate({ identifier: "Caller" })
export type Caller = typeof Caller.Type

export const Model = Schema.Struct({ id: Schema.String, provider: Schema.String }).annotate({ identifier: "Model" })
export type Model = typeof Model.Type

const text = Schema.optionalKey(Schema.String)

export const ConfiguredDatabase = Schema.Struct({
  db_id: Schema.String,
  domain_config: Schema.optionalKey(Schema.Struct({ display_name: Schema.String })),
  tables: Schema.optionalKey(Schema.Array(Schema.String))
}).annotate({ identifier: "DatabaseConfig" })
export type ConfiguredDatabase = typeof ConfiguredDatabase.Type

export const DomainConfig = Schema.Struct({ display_name: text, dbs: Schema.Array(ConfiguredDatabase) })
  .annotate({ identifier: "DomainConfig" })

export const KnowledgeConfig = Schema.Struct({
  display_name: text,
  dbs: Schema.Array(ConfiguredDatabase),
  knowledge_instances: Schema.Array(Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    description: text,
    db_id: Schema.String,
    table: Schema.String
  }))
}).annotate({ identifier: "KnowledgeConfig" })

export const ConfiguredAgent = Schema.Struct({
  id: Agent.Id,
  name: text,
  description: text,
  db_id: text,
  model: Schema.optionalKey(Schema.Struct({ id: text, provider: text })),
  metadata: Schema.optionalKey(Json.Object)
}).annotate({ identifier: "AgentSummaryResponse" })
export type ConfiguredAgent = typeof ConfiguredAgent.Type

export const ConfiguredTeam = Schema.Struct({
  id: Team.Id,
  name: text,
  description: text,
  db_id: text,
  mode: Schema.optionalKey(Team.Mode),
  model: Schema.optionalKey(Schema.Struct({ id: text, provider: text }))
}).annotate({ identifier: "TeamSummaryResponse" })
export type ConfiguredTeam = typeof ConfiguredTeam.Type

export const ManifestEntry = Schema.Struct({
  description: text,
  labels: Schema.optionalKey(Schema.Array(Schema.String)),
  quick_prompts: Schema.optionalKey(Schema.Array(Schema.String))
}).annotate({ identifier: "ManifestEntry" })
export type ManifestEntry = typeof ManifestEntry.Type

export const Config = Schema.Struct({
  os_id: Schema.String,
  name: text,
  description: text,
  available_models: Schema.Array(Schema.String),
  os_database: text,
  databases: Schema.Array(Schema.String),
  chat: Schema.optionalKey(Schema.Struct({
    quick_prompts: Schema.Record(Schema.String, Schema.Array(Schema.String))
  })),
  manifest: Schema.optionalKey(Schema.Record(Schema.String, ManifestEntry)),
  session: DomainConfig,
  metrics: DomainConfig,
  memory: DomainConfig,
  learning: DomainConfig,
  knowledge: KnowledgeConfig,
  evals: DomainConfig,
  traces: DomainConfig,
  agents: Schema.Array(ConfiguredAgent),
  teams: Schema.Array(ConfiguredTeam),
  workflows: Schema.Array(Workflow.Summary),
  interfaces: Schema.Array(Json.Object)
}).annotate({ identifier: "ConfigResponse" })
export type Config = typeof Config.Type
