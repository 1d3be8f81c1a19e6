// The options of a service, and the parts of its layers.
import { isAgent } from "@svc-runtime/agents/agent/define/Agent"
import type * as Agent from "@svc-runtime/agents/agent/define/Agent"
import type * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import { type Factory, isFactory } from "@svc-runtime/agents/factory/Factory"
import type { FactoryResolver } from "@svc-runtime/agents/factory/FactoryResolver"
import type { EmbedderOptions, EmbedderRef, ModelOptions, ModelRef } from "@svc-runtime/agents/Models"
import type { RemoteTasks } from "@svc-runtime/agents/remote/RemoteTasks"
import { isTeam } from "@svc-runtime/agents/team/Team"
import type * as Team from "@svc-runtime/agents/team/Team"
import type * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import type { AnyWorkflow } from "@svc-runtime/agents/workflow/define/Node"
import { isWorkflow } from "@svc-runtime/agents/workflow/Workflow"
import type * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import type { ManifestEntry } from "@svc-runtime/domain/Service"
import type { Registry, Schemas } from "@svc-runtime/engine/database/Schemas"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import type * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import type { ByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import type * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import type { Notifications } from "@svc-runtime/engine/node/Notifications"
import type { Guest } from "@svc-runtime/engine/run/engine/Guest"
import type { JoinFailed } from "@svc-runtime/engine/run/engine/JoinFailed"
import type * as Retention from "@svc-runtime/engine/run/engine/Retention"
import type { RunEngineOptions } from "@svc-runtime/engine/run/engine/RunEngine"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import { described, mismatch, Mistake, unmade as unmadeOf } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { Declarable } from "@svc-runtime/features/declarations/DeclaredOption"
import type { Configured } from "@svc-runtime/features/Feature"
import * as Features from "@svc-runtime/features/features"
import type { DocumentReading } from "@svc-runtime/features/knowledge/DocumentReading"
import { checkEmbedder, isKnowledge, type Knowledge } from "@svc-runtime/features/knowledge/KnowledgeBase"
import { unmade } from "@svc-runtime/features/knowledge/KnowledgeOption"
import * as DeclaredResources from "@svc-runtime/features/registry/DeclaredResources"
import type { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import type { SafeFetchOptions } from "@svc-runtime/fetch"
import type { Access, AuthorizationOptions } from "@svc-runtime/http/authorization/AuthorizationOptions"
import * as Authorization from "@svc-runtime/http/authorization/AuthorizationOptions"
import type { McpOAuthOptions } from "@svc-runtime/http/authorization/McpOAuth"
import * as McpOAuth from "@svc-runtime/http/authorization/McpOAuth"
import * as Origins from "@svc-runtime/http/authorization/Origins"
import type { CallSender } from "@svc-runtime/http/calls/CallSender"
import type { Secrets } from "@svc-runtime/http/calls/Secrets"
import * as McpOptions from "@svc-runtime/http/mcpTool/McpOptions"
import type { Budgets } from "@svc-runtime/http/middleware/RequestReadLimiter"
import type * as Shutdown from "@svc-runtime/http/requests/Shutdown"
import { type DisplayNames, displayNames, type Settings } from "@svc-runtime/http/Settings"
import type { Prices } from "@svc-runtime/telemetry/Prices"
import { type Duration, Layer, Predicate } from "effect"
import type { McpLinks } from "../mcpClient/McpLinks.ts"
import type * as Routes from "../Routes.ts"
import type { Route } from "../routes/Route.ts"
import type * as Storage from "../Storage.ts"
import type { ToolDatabases } from "../toolkit/ToolDatabases.ts"
import type { ToolFetch } from "../toolkit/ToolFetch.ts"

export interface EvaluationOptions {
  /**
   * The model of judges: `provider:model`, or a model of the AI SDK. Default: JUDGE_MODEL. Without both the default
   * model judges, which is often the one that has answered, and such a judge prefers its own answers.
   */
  readonly judge?: ModelRef | undefined
}

export interface Options extends Declarable {
  /** Agents, and factories that make one for each request. */
  readonly agents?: ReadonlyArray<Agent.Agent | AgentFactory.AgentFactory> | undefined
  /** Teams, and factories that make one for each request. */
  readonly teams?: ReadonlyArray<Team.Team | TeamFactory.TeamFactory> | undefined
  /** Workflows, and factories that make one for each request. */
  readonly workflows?: ReadonlyArray<AnyWorkflow | WorkflowFactory.WorkflowFactory> | undefined
  /**
   * Makes vectors of texts, so that they are found by meaning: `provider:model`, an embedding model of the AI SDK, an
   * `Embedder`, or `none`. Default: EMBEDDER.
   */
  readonly embedder?: EmbedderRef | undefined
  /** How answers are judged in evaluations, in experiments and with `onlineScoring`. */
  readonly evaluations?: EvaluationOptions | undefined
  /** Knowledge bases that callers search and fill, beside those of agents and teams. */
  readonly knowledge?: ReadonlyArray<Knowledge> | undefined
  /** What `GET /registry` lists beside what components have. */
  readonly registry?: DeclaredResources.Options | undefined
  /** Features that the service leaves out, with their endpoints, tables, jobs and settings. Default: none. */
  readonly without?: ReadonlyArray<Features.Name> | undefined
  /** Kinds of background jobs, beside those of the service itself. */
  readonly jobs?: ReadonlyArray<JobKind.JobKind<never>> | undefined
  /** The id of the service. `svc` when left out. */
  readonly id?: string | undefined
  /** The name for people. Default: the id. */
  readonly name?: string | undefined
  /** What the service does. Default: none. */
  readonly description?: string | undefined
  /** The id of the service's own database. Default: `svc-db`. */
  readonly databaseId?: string | undefined
  /** Databases that only components of factories declare. Databases of `db` options are known without it. */
  readonly databases?: ReadonlyArray<DatabaseHandle.DatabaseHandle> | undefined
  /** Suggestions for user interfaces, by the id of the agent. */
  readonly quickPrompts?: Readonly<Record<string, ReadonlyArray<string>>> | undefined
  /** Descriptions, labels and suggestions for user interfaces, by the id of the component. */
  readonly manifest?: Readonly<Record<string, ManifestEntry>> | undefined
  /** The names that user interfaces show for sessions, memories and others, and for databases. */
  readonly displayNames?: DisplayNames | undefined
  /** Models that user interfaces may offer. */
  readonly availableModels?: ReadonlyArray<string> | undefined
  /** Limits of the runs of each user, of each component, and of the service. Default: the environment. */
  readonly limits?: StartLimits.Options | undefined
  /** Authentication and authorization. Default: the environment. Without settings the service is open. */
  readonly authorization?: AuthorizationOptions | undefined
  /** The MCP server: its tools, and who may use it. */
  readonly mcp?:
    | McpOptions.McpOptions & {
      /** OAuth for the endpoint. Default: the environment. */
      readonly oauth?: McpOAuthOptions | undefined
    }
    | undefined
  /** Routes of the application, made by `Route`: each with the scope that it needs. */
  readonly routes?: ReadonlyArray<Route> | undefined
  /** Layers of `HttpRouter.middleware` with `global: true`. They see all requests that access control has admitted. */
  readonly middleware?: ReadonlyArray<Layer.Layer<never, unknown, Routes.OuterMiddleware>> | undefined
}

const evaluations: AuthorOptions.Kinds<keyof EvaluationOptions> = { judge: "any" }

const manifest: AuthorOptions.Kinds<keyof ManifestEntry> = {
  description: "text",
  labels: "list",
  quick_prompts: "list"
}

const kinds: AuthorOptions.Kinds<Exclude<keyof Options, keyof Declarable>> = {
  agents: "list",
  teams: "list",
  workflows: "list",
  embedder: "any",
  evaluations: { options: evaluations },
  knowledge: "list",
  registry: { options: DeclaredResources.kinds },
  without: "list",
  jobs: "list",
  id: "text",
  name: "text",
  description: "text",
  databaseId: "text",
  databases: "list",
  quickPrompts: { each: "list" },
  manifest: { each: { options: manifest } },
  displayNames: { options: displayNames },
  availableModels: "list",
  limits: { options: StartLimits.options },
  authorization: { options: Authorization.kinds },
  mcp: { options: { ...McpOptions.kinds, oauth: { options: McpOAuth.kinds } } },
  routes: "list",
  middleware: "list"
}

/** Settings that authors look for here. */
const variables = { port: "PORT", host: "HOST", model: "MODEL", databaseUrl: "DATABASE_URL", dataDir: "DATA_DIR" }

const componentsOf = {
  agents: { is: isAgent, kind: "agent", expected: "an agent or its factory", made: "Agent.make" },
  teams: { is: isTeam, kind: "team", expected: "a team or its factory", made: "Team.make" },
  workflows: { is: isWorkflow, kind: "workflow", expected: "a workflow or its factory", made: "Workflow.make" }
} as const

/** Where a component or a factory belongs. Undefined: it is none. */
const listOf = (value: unknown): string | undefined =>
  Object.entries(componentsOf).find(([, { is, kind }]) =>
    is(value) || (isFactory(value as Factory<never>) && (value as Factory<never>).kind === kind)
  )?.[0]

/** What has to be made before it is in a list. */
const items = {
  knowledge: { is: isKnowledge, expected: "a knowledge base", made: "Knowledge.make" },
  databases: {
    is: DatabaseHandle.isDatabaseHandle,
    expected: "a database",
    made: "DatabaseHandle.postgres or DatabaseHandle.embedded"
  },
  jobs: {
    is: (value: unknown) => Predicate.hasProperty(value, "execute") && Predicate.hasProperty(value, "encode"),
    expected: "a kind of jobs",
    made: "JobKind.make"
  },
  routes: { is: Predicate.isTagged("Route"), expected: "a route", made: "Route.make" },
  middleware: { is: Layer.isLayer, expected: "a Layer", made: "HttpRouter.middleware" }
} as const

/** The function that is given the options, and the options that only it has. */
export interface Taker {
  readonly name: string
  readonly further: AuthorOptions.Kinds<string>
}

const serve: Taker = { name: "serve", further: {} }

/** Throws for options that are no options of a service, and for components in the wrong list. */
export const checkOptions = (options: Options, { further, name: owner }: Taker = serve): void => {
  if (Array.isArray(options) || options === undefined) {
    throw new Mistake(
      `${owner} takes an object with options, and was given ${described(options)}. Write ${owner}({ agents: [ … ] })`
    )
  }
  const place = listOf(options)
  if (place !== undefined) {
    const given = isFactory(options as Factory<never>) ? "a factory" : described(options)
    throw new Mistake(
      `${owner} takes an object with options, and was given ${given}. Write ${owner}({ ${place}: [ … ] })`
    )
  }
  for (const [name, variable] of Object.entries(variables)) {
    if (!Object.hasOwn(options ?? {}, name) || name in further) continue
    throw new Mistake(`${owner}: there is no option '${name}'. Set the variable ${variable} of the environment`)
  }
  const { knowledge } = options
  if (Predicate.isObject(knowledge) && !Array.isArray(knowledge) && !isKnowledge(knowledge)) {
    throw mismatch(`${owner}: knowledge`, "a list", knowledge, `Write [ ${unmade(knowledge)} ]`)
  }
  AuthorOptions.check(owner, options, { ...kinds, ...Features.declaredKinds, ...further })
  checkEmbedder(owner, options.embedder)
  Validate.model(owner, "evaluations.judge", options.evaluations?.judge)
  Features.checkDeclared(options)
  for (const [name, { expected, is, made }] of Object.entries(items)) {
    const list: ReadonlyArray<unknown> = options[name as keyof typeof items] ?? []
    for (const [index, item] of list.entries()) {
      if (!is(item)) throw mismatch(`${owner}: ${name}[${index}]`, expected, item, `Make it with ${made}`)
    }
  }
  for (const [name, { expected, is, kind, made }] of Object.entries(componentsOf)) {
    for (const [index, component] of (options[name as keyof typeof componentsOf] ?? []).entries()) {
      if (is(component) || (isFactory(component as Factory<never>) && (component as Factory<never>).kind === kind)) {
        continue
      }
      const list = listOf(component)
      const todo = list === undefined ? unmadeOf(component, made) : `Put it into ${list}`
      throw mismatch(`${owner}: ${name}[${index}]`, expected, component, todo)
    }
  }
}

/** Everything that the layers of a service are made of, apart from the stores of its own database. */
export interface Parts extends Declarable {
  readonly agents: NonNullable<Options["agents"]>
  readonly teams: NonNullable<Options["teams"]>
  readonly workflows: NonNullable<Options["workflows"]>
  readonly knowledge: NonNullable<Options["knowledge"]>
  /** Reads uploaded contents. */
  readonly reading: Layer.Layer<DocumentReading>
  readonly registry?: Options["registry"]
  readonly jobs: NonNullable<Options["jobs"]>
  readonly factoryTimeout: Duration.Input
  /** Builds components of factories. Default: `FactoryResolver.layer`. */
  readonly factories?: Layer.Layer<FactoryResolver> | undefined
  readonly routes: NonNullable<Options["routes"]>
  readonly middleware: NonNullable<Options["middleware"]>
  readonly settings: Settings
  /** The service's own database. */
  readonly databaseId: string
  /** The process is a program on the database of a service: it executes only its own runs. */
  readonly guest?: Guest | undefined
  /** Whether the start waits until folders of knowledge are loaded. */
  readonly awaitsFolders?: boolean | undefined
  /** Whether other processes may use the service's own database. */
  readonly isShared: boolean
  /** Databases that only components of factories declare. */
  readonly databases: NonNullable<Options["databases"]>
  /** The schemas of the databases. A database has one before it is open. */
  readonly schemas: Registry
  /** Opens a database that `db` options or `databases` declare. */
  readonly openDatabase: (
    handle: DatabaseHandle.DatabaseHandle
  ) => Layer.Layer<
    Notifications | StoreServices,
    Layer.Error<ReturnType<typeof Storage.ofHandle>>,
    JoinFailed | Schemas
  >
  readonly node: string
  /** How long runs and jobs may be executed after shutdown began. */
  readonly drainTimeout: Duration.Input
  /** The spans that wait to be stored. Undefined: traces are not stored. */
  readonly traces?: TraceBuffer | undefined
  /** Undefined: there is no job that removes ended data. */
  readonly retention: Retention.Ages | undefined
  /** Whether contents of knowledge with vectors of another embedder are embedded again. */
  readonly embedAgain?: boolean | undefined
  /** Of the runs of each user, of each component, and of the service. There are none when left out. */
  readonly startLimits?: StartLimits.Options | undefined
  /** What the service has beside agents, teams, workflows and their runs. */
  readonly features: ReadonlyArray<Configured>
  /** Calls the addresses of webhooks. */
  readonly callSender: Layer.Layer<CallSender>
  /** Seals and opens stored secrets. */
  readonly secrets: Layer.Layer<Secrets>
  /** Calls remote agents. */
  readonly remoteTasks: Layer.Layer<RemoteTasks>
  /** What tools call MCP servers and the web with. */
  readonly toolServices: Layer.Layer<McpLinks | ToolDatabases | ToolFetch>
  /** The size limits of the values of a run. */
  readonly byteLimits: ByteLimits
  readonly storeLimits: StoreLimits.Limits
  /** What requests to models cost. The prices that ship, when left out. */
  readonly prices?: Prices | undefined
  /** Seconds after which the runs of a silent node are taken over. Undefined: never. */
  readonly nodeTimeout: number | undefined
  readonly engine: Pick<RunEngineOptions, "admission" | "eventInterval" | "identity" | "limits">
  readonly models: EmbedderOptions & ModelOptions
  readonly corsOrigins: ReadonlyArray<string>
  /** Of the responses of all requests. */
  readonly responses: Budgets
  /** The host names under which the service can be called, beside those of this machine. Undefined: any. */
  readonly hosts: ReadonlyArray<string> | undefined
  readonly access: Access
  /** What may be fetched for callers. Public addresses only, when left out. */
  readonly fetch?: SafeFetchOptions | undefined
  /** Undefined if it cannot be stopped. */
  readonly shutdown: Shutdown.Shutdown | undefined
  /** What requests can read of the shutdown. */
  readonly stopping: Shutdown.Stopping["Service"]
}

/** The origins whose pages may call. Only a service that is open and local has a list of its host names. */
export const originsOf = ({ corsOrigins, hosts }: Pick<Parts, "corsOrigins" | "hosts">): Origins.Origins =>
  Origins.make({ listed: corsOrigins, isLocal: hosts !== undefined })

/** What is served. */
export const routesOf = (parts: Parts): Routes.Options => {
  const { features, middleware, responses, routes, settings: { console, consoleOAuth, docs, mcp, protocols } } = parts
  return {
    features,
    console,
    consoleOAuth,
    docs,
    mcp: mcp.enabled,
    oauth: mcp.oauth,
    protocols,
    origins: originsOf(parts),
    routes,
    middleware,
    responses
  }
}
