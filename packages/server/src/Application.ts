// From components to a running service. `make` reads the environment and gives a Layer that serves until it is closed.
// `layerRoutes` is the same service without socket, database and environment.
import { Ids } from "@svc/domain"
import {
  type Agent,
  type AgentFactory,
  AgentRegistry,
  type AnyWorkflow,
  ApprovalResumer,
  ByteLimits,
  ComponentModules,
  Databases,
  FactoryResolver,
  type JobKind,
  JobPayloadLimit,
  JobWorker,
  ModelCatalog,
  type ModelOptions,
  Retention,
  RunEngine,
  type RunEngineOptions,
  RunService,
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
  /** The id of the database that sessions are kept in. `svc-db` when left out. */
  readonly databaseId?: string | undefined
  /** Suggestions for user interfaces, by the id of the agent. */
  readonly quickPrompts?: Readonly<Record<string, ReadonlyArray<string>>> | undefined
  /** Models that user interfaces may offer. */
  readonly availableModels?: ReadonlyArray<string> | undefined
  /** Who may call. Left out, the environment says it, and where that says nothing the service is open. */
  readonly authorization?: AuthorizationOptions | undefined
}

export interface Parts {
  readonly agents: Options["agents"]
  readonly teams: NonNullable<Options["teams"]>
  readonly workflows: NonNullable<Options["workflows"]>
  readonly jobs: NonNullable<Options["jobs"]>
  readonly jobPayloadBytes: number
  readonly factoryTimeout: Duration.Input
  readonly settings: Settings
  readonly databaseId: string
  readonly node: string
  readonly drainTimeout: Duration.Input
  /** How long things are kept. */
  readonly keep: Retention.Options["keep"]
  /** How large the values of a run may be. */
  readonly byteLimits: ByteLimits
  /** Seconds after which the runs of a node that says nothing are taken over. Undefined where there is one node. */
  readonly nodeTimeout: number | undefined
  readonly engine: Pick<RunEngineOptions, "admission" | "identity" | "isShared" | "limits">
  readonly models: ModelOptions
  readonly corsOrigins: ReadonlyArray<string>
  /** The names by which it may be called, beside those of this machine. Undefined where it has any name. */
  readonly hosts: ReadonlyArray<string> | undefined
  readonly access: Access
  /** Undefined if it cannot be stopped. */
  readonly shutdown?: Shutdown.Shutdown | undefined
}

/** The background work of a service that is no run, by kind. */
const jobKinds = ({ jobs, keep }: Parts) => Effect.map(Retention.kind({ keep }), (retention) => [retention, ...jobs])

/** Everything between the stores and the router. */
export const layerRoutes = (parts: Parts) =>
  Routes.layer({ docs: parts.settings.docs, mcp: parts.settings.mcp.enabled, corsOrigins: parts.corsOrigins }).pipe(
    Layer.provide(Recovery.layer),
    Layer.merge(JobWorker.layer({ kinds: jobKinds(parts), drainTimeout: parts.drainTimeout })),
    Layer.provide(parts.shutdown === undefined ? Layer.empty : Shutdown.handOver(parts.shutdown)),
    Layer.provide(RunService.layer({ factoryInputBytes: parts.settings.limits.jsonBody })),
    Layer.provide(ApprovalResumer.layer),
    Layer.provide(
      RunEngine.layer({
        node: parts.node,
        drainTimeout: parts.drainTimeout,
        nodeTimeout: parts.nodeTimeout,
        ...parts.engine
      })
    ),
    Layer.provide(Layer.succeed(ByteLimits, parts.byteLimits)),
    Layer.provide(Layer.succeed(JobPayloadLimit, parts.jobPayloadBytes)),
    Layer.provide(ComponentModules.runners),
    Layer.provide(WorkflowRegistry.layer(parts.workflows)),
    Layer.provide([
      AgentRegistry.layer(parts.agents),
      FactoryResolver.layer({ timeout: parts.factoryTimeout }),
      TeamRegistry.layer(parts.teams),
      ModelCatalog.layer(parts.models),
      Databases.layer(Ids.DatabaseId.make(parts.databaseId)),
      Layer.succeed(ServerSettings, parts.settings)
    ]),
    Layer.provide(AccessControl.layer({
      ...parts.access,
      sockets: WorkflowSocket.paths,
      origins: originsOf(parts.corsOrigins),
      hosts: parts.hosts
    })),
    Layer.provide(Authentication.layer(parts.access))
  )

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

/** An embedded database is one process's own. */
const nodeTimeoutOf = ({ databaseUrl, nodeTimeout }: Config): number | undefined => {
  const seconds = Duration.toSeconds(nodeTimeout)
  return databaseUrl === undefined || seconds === 0 ? undefined : seconds
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
  const shutdown = Shutdown.make(config.shutdownTimeout)
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
    node,
    // requests have had their time when this begins
    drainTimeout: config.drainTimeout,
    keep: config.keep,
    byteLimits: config.byteLimits,
    nodeTimeout: nodeTimeoutOf(config),
    engine: {
      identity: yield* ProcessIdentity.make,
      isShared: config.databaseUrl !== undefined,
      limits: limitsOf(config),
      admission: { runs: config.maxRuns, inputBytes: config.maxRunInputBytes }
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
