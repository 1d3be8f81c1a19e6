// From components to a running service. `make` reads the environment and gives a Layer that serves until it is closed.
// `layerRoutes` is the same service without socket, database and environment.
import { Ids } from "@svc/domain"
import {
  type Agent,
  type AgentFactory,
  AgentRegistry,
  type AnyWorkflow,
  ByteLimits,
  ComponentDatabases,
  type DatabaseHandle,
  Databases,
  FactoryResolver,
  handlesOf,
  type JobKind,
  JobPayloadLimit,
  ModelCatalog,
  type ModelOptions,
  RoutedApprovals,
  RoutedRuns,
  RunAdmission,
  type RunEngineOptions,
  RunService,
  ServedDatabases,
  type Team,
  type TeamFactory,
  TeamRegistry,
  type WorkflowFactory,
  WorkflowRegistry
} from "@svc/runtime"
import { Clock, Duration, Effect, Layer, References } from "effect"
import { HttpRouter } from "effect/http"
import { AccessControl } from "./authorization/AccessControl.ts"
import * as Authentication from "./authorization/Authentication.ts"
import { type Access, type AuthorizationOptions, combine, resolve } from "./authorization/AuthorizationOptions.ts"
import { Config, InvalidConfig, isLoopback, openRefusal } from "./Config.ts"
import * as DatabaseWorkers from "./DatabaseWorkers.ts"
import * as HttpServer from "./HttpServer.ts"
import * as Logging from "./Logging.ts"
import { originsOf } from "./middleware/Cors.ts"
import * as ProcessIdentity from "./ProcessIdentity.ts"
import * as Recovery from "./Recovery.ts"
import * as Routes from "./Routes.ts"
import { ServerSettings, type Settings } from "./Settings.ts"
import * as Shutdown from "./Shutdown.ts"
import { logStartup } from "./StartupLog.ts"
import type * as Storage from "./Storage.ts"
import { version } from "./version.ts"
import * as WorkflowSocket from "./ws/WorkflowSocket.ts"

export interface Options {
  /** Agents, and factories that make one for each request. */
  readonly agents: ReadonlyArray<Agent.Agent | AgentFactory.AgentFactory>
  readonly teams?: ReadonlyArray<Team.Team | TeamFactory.TeamFactory> | undefined
  readonly workflows?: ReadonlyArray<AnyWorkflow | WorkflowFactory.WorkflowFactory> | undefined
  /** Kinds of background jobs, beside those of the service itself. */
  readonly jobs?: ReadonlyArray<JobKind.JobKind<never>> | undefined
  /** The id of the service. `svc` when left out. */
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** The id of the service's own database. Default: `svc-db`. */
  readonly databaseId?: string | undefined
  /** Databases that only components of factories declare. Those that `db` options declare are known without it. */
  readonly databases?: ReadonlyArray<DatabaseHandle.DatabaseHandle> | undefined
  /** Suggestions for user interfaces, by the id of the agent. */
  readonly quickPrompts?: Readonly<Record<string, ReadonlyArray<string>>> | undefined
  /** Models that user interfaces may offer. */
  readonly availableModels?: ReadonlyArray<string> | undefined
  /** Who may call. Left out, the environment says it, and where that says nothing the service is open. */
  readonly authorization?: AuthorizationOptions | undefined
}

export interface Parts extends DatabaseWorkers.Options {
  readonly agents: Options["agents"]
  readonly teams: NonNullable<Options["teams"]>
  readonly workflows: NonNullable<Options["workflows"]>
  readonly jobPayloadBytes: number
  readonly factoryTimeout: Duration.Input
  readonly settings: Settings
  /** The service's own database. Its stores are given as services. */
  readonly databaseId: string
  /** Whether other processes may use the service's own database. */
  readonly isShared: boolean
  /** Databases that only components of factories declare. */
  readonly databases: NonNullable<Options["databases"]>
  /** Opens a database that `db` options or `databases` declare. */
  readonly openDatabase: (handle: DatabaseHandle.DatabaseHandle) => ReturnType<typeof Storage.ofHandle>
  readonly models: ModelOptions
  readonly corsOrigins: ReadonlyArray<string>
  /** The host names under which the service can be called, beside those of this machine. Undefined: any. */
  readonly hosts: ReadonlyArray<string> | undefined
  readonly access: Access
}

/** The databases of the service, each with its workers. */
const databases = (parts: Parts, own: Ids.DatabaseId, handles: ReadonlyArray<DatabaseHandle.DatabaseHandle>) => {
  const isShared = new Map(handles.map((handle) => [handle.id, DatabaseWorkers.isShared(handle)]))
  return ServedDatabases.layer({
    own,
    others: handles.map((handle) => ({ id: handle.id, stores: parts.openDatabase(handle) })),
    workers: (id) => DatabaseWorkers.layer(parts, isShared.get(id) ?? parts.isShared)
  })
}

/** Everything between the stores and the router. */
export const layerRoutes = (parts: Parts) =>
  Layer.unwrap(Effect.gen(function*() {
    const own = Ids.DatabaseId.make(parts.databaseId)
    const registry = { agent: parts.agents, team: parts.teams, workflow: parts.workflows }
    const handles = yield* handlesOf(own, registry, parts.databases)
    const ids = [own, ...handles.map(({ id }) => id)] as const
    return Routes.layer({ docs: parts.settings.docs, mcp: parts.settings.mcp.enabled, corsOrigins: parts.corsOrigins })
      .pipe(
        Layer.provide(RunService.layer({ factoryInputBytes: parts.settings.limits.jsonBody })),
        // requests go to the database of their component
        Layer.provide([Databases.layer, RoutedRuns.layer, RoutedApprovals.layer]),
        Layer.provide(Layer.succeed(ComponentDatabases, ComponentDatabases.make(ids, registry))),
        Layer.provide(databases(parts, own, handles)),
        // what is offered
        Layer.provide(WorkflowRegistry.layer(parts.workflows)),
        Layer.provide([
          AgentRegistry.layer(parts.agents),
          TeamRegistry.layer(parts.teams),
          FactoryResolver.layer({ timeout: parts.factoryTimeout, databases: handles }),
          ModelCatalog.layer(parts.models),
          Layer.succeed(ByteLimits, parts.byteLimits),
          Layer.succeed(JobPayloadLimit, parts.jobPayloadBytes),
          Layer.succeed(ServerSettings, parts.settings)
        ]),
        // who may call
        Layer.provide(AccessControl.layer({
          ...parts.access,
          sockets: WorkflowSocket.paths,
          origins: originsOf(parts.corsOrigins),
          hosts: parts.hosts
        })),
        Layer.provide(Authentication.layer(parts.access))
      )
  }))

const idOf = (options: Options) => options.id ?? "svc"

const settingsOf = (options: Options, config: Config, startedAt: number): Omit<Settings, "authMode"> => ({
  id: idOf(options),
  name: options.name ?? "Svc",
  description: options.description,
  version,
  startedAt,
  docs: config.docs,
  mcp: config.mcp,
  allowedHosts: config.allowedHosts,
  limits: config.limits,
  availableModels: options.availableModels ?? [],
  quickPrompts: options.quickPrompts ?? {}
})

const modelsOf = (config: Config): ModelOptions => ({
  model: config.model,
  openaiApiKey: config.openaiApiKey,
  openaiBaseUrl: config.openaiBaseUrl,
  anthropicApiKey: config.anthropicApiKey,
  anthropicBaseUrl: config.anthropicBaseUrl,
  googleApiKey: config.googleApiKey,
  retry: { idleTimeout: config.modelIdleTimeout }
})

const accessOf = Effect.fnUntraced(function*(options: Options, config: Config) {
  // The embedded database is this process's alone: whoever revokes a token does it here.
  const serviceAccountCacheSeconds = config.databaseUrl === undefined ? 30 : 0
  const authorization = combine(options.authorization ?? {}, config.authorization)
  const access = yield* Effect.fromResult(
    resolve({ serviceAccountCacheSeconds, ...authorization }, idOf(options))
  ).pipe(Effect.mapError((message) => new InvalidConfig({ message })))
  const refused = access.settings.mode === "none" ? openRefusal(config) : undefined
  return refused === undefined ? access : yield* new InvalidConfig({ message: refused })
})

/** What everything is kept in. */
export type StorageOf = (config: Config) => ReturnType<typeof Storage.layer>

/** Loaded when a service starts: whoever only wants the routes brings stores and needs no database. */
const storage: StorageOf = (config) =>
  Layer.unwrap(Effect.map(Effect.promise(() => import("./Storage.ts")), (Storage) => Storage.layer(config)))

const openerOf = (config: Config): Parts["openDatabase"] => (handle) =>
  Layer.unwrap(Effect.map(Effect.promise(() => import("./Storage.ts")), (Storage) => Storage.ofHandle(config, handle)))

const nodeTimeoutOf = ({ nodeTimeout }: Config): number | undefined => {
  const seconds = Duration.toSeconds(nodeTimeout)
  return seconds === 0 ? undefined : seconds
}

const limitsOf = ({ maxRestores, maxTakeovers, unservedTimeout }: Config): RunEngineOptions["limits"] => ({
  maxRestores,
  maxTakeovers,
  unservedTimeout: Duration.toSeconds(unservedTimeout)
})

/** What runs where, on one screen. */
const assemble = Effect.fnUntraced(function*(options: Options, storageOf: StorageOf) {
  const config = yield* Config
  const access = yield* accessOf(options, config)
  const settings = {
    ...settingsOf(options, config, yield* Clock.currentTimeMillis),
    authMode: access.settings.mode
  }
  const models = modelsOf(config)
  const shutdown = Shutdown.make(config)
  const node = Recovery.nodeName(config)
  const routes = layerRoutes({
    agents: options.agents,
    teams: options.teams ?? [],
    workflows: options.workflows ?? [],
    jobs: options.jobs ?? [],
    jobPayloadBytes: config.jobPayloadBytes,
    factoryTimeout: config.factoryTimeout,
    settings,
    databaseId: options.databaseId ?? "svc-db",
    isShared: config.databaseUrl !== undefined,
    databases: options.databases ?? [],
    openDatabase: openerOf(config),
    node,
    // requests have had their time when this begins
    drainTimeout: config.drainTimeout,
    keep: config.keep,
    byteLimits: config.byteLimits,
    nodeTimeout: nodeTimeoutOf(config),
    engine: {
      identity: yield* ProcessIdentity.make,
      limits: limitsOf(config),
      admission: RunAdmission.make({ runs: config.maxRuns, inputBytes: config.maxRunInputBytes })
    },
    models,
    corsOrigins: config.corsOrigins,
    // whom nobody asks who they are, and who is called from this machine alone, has the names of this machine
    hosts: access.settings.mode === "none" && isLoopback(config) ? config.allowedHosts ?? [] : undefined,
    access,
    shutdown
  })
  const served = HttpRouter.serve(routes, {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: Routes.routerConfig
  })
  return Layer.effectDiscard(logStartup(config, models, access)).pipe(
    Layer.merge(shutdown.onClose),
    Layer.provide(served),
    Layer.provide(Layer.succeed(Shutdown.IsDraining, shutdown.isDraining)),
    Layer.provide(storageOf(config)),
    // it listens, and answers /health, before the database is migrated
    Layer.provide(HttpServer.layer({
      ...config,
      startedAt: settings.startedAt,
      shutdownTimeout: Duration.sum(config.shutdownTimeout, Shutdown.answerTime)
    })),
    Layer.provide(shutdown.deadline),
    Layer.provide(Logging.layer(config.logLevel)),
    // Spans that nobody collects cost as much as those that somebody does.
    Layer.provide(Layer.succeed(References.TracerEnabled, false))
  )
})

/**
 * The service as a Layer. `serve` launches it and handles signals; this leaves both to the caller. It reads its
 * settings from the environment when it is built, and serves until its scope is closed. Its errors are those that
 * prevent a start, such as `InvalidConfig`. Tests can pass another storage.
 *
 * ```ts
 * import { NodeRuntime } from "@effect/platform-node"
 * import { Agent, Application } from "@svc/server"
 * import { Layer } from "effect"
 *
 * const application = Application.make({ agents: [Agent.make({ id: "assistant" })] })
 *
 * Layer.launch(application).pipe(NodeRuntime.runMain)
 * ```
 */
export const make = (options: Options, storageOf: StorageOf = storage) => Layer.unwrap(assemble(options, storageOf))
