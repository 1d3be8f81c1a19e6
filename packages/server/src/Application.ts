// Composes a service from components. `make` reads the environment and returns a Layer that serves until it is closed.
// `layerRoutes` is the same service without socket, database and environment.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { AgentRegistry } from "@svc-runtime/agents/agent/define/AgentRegistry"
import * as StoredComponents from "@svc-runtime/agents/component/StoredComponents"
import { ComponentDatabases, handlesOf } from "@svc-runtime/agents/database/ComponentDatabases"
import { Databases } from "@svc-runtime/agents/database/Databases"
import * as RoutedApprovals from "@svc-runtime/agents/database/RoutedApprovals"
import * as RoutedRuns from "@svc-runtime/agents/database/RoutedRuns"
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import { FactoryResolver } from "@svc-runtime/agents/factory/FactoryResolver"
import { EmbedderCatalog, ModelCatalog } from "@svc-runtime/agents/Models"
import * as ComponentModules from "@svc-runtime/agents/modules/ComponentModules"
import { ApprovalResumer } from "@svc-runtime/agents/runService/ApprovalResumer"
import { ClaimedFields } from "@svc-runtime/agents/runService/ClaimedFields"
import { RunService } from "@svc-runtime/agents/runService/RunService"
import { TeamRegistry } from "@svc-runtime/agents/team/TeamRegistry"
import { WorkflowRegistry } from "@svc-runtime/agents/workflow/WorkflowRegistry"
import * as Ids from "@svc-runtime/domain/Ids"
import { currentWorker } from "@svc-runtime/domain/Worker"
import { CurrentDatabase } from "@svc-runtime/engine/database/CurrentDatabase"
import { DatabaseIds } from "@svc-runtime/engine/database/DatabaseIds"
import { Schemas } from "@svc-runtime/engine/database/Schemas"
import type * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as JobWorker from "@svc-runtime/engine/jobs/JobWorker"
import { ByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import * as Signals from "@svc-runtime/engine/signals/Signals"
import * as Declarations from "@svc-runtime/features/declarations/Declarations"
import type { Service, StartFailure } from "@svc-runtime/features/Feature"
import * as Features from "@svc-runtime/features/features"
import * as KnowledgeOfComponents from "@svc-runtime/features/knowledge/KnowledgeOfComponents"
import * as Authentication from "@svc-runtime/http/authorization/Authentication"
import * as Logging from "@svc-runtime/http/logging/Logging"
import * as ProcessGauges from "@svc-runtime/http/process/ProcessGauges"
import type { EarlyRoutes } from "@svc-runtime/http/requests/EarlyResponses"
import { inFlatContext } from "@svc-runtime/http/requests/fastPath"
import * as Shutdown from "@svc-runtime/http/requests/Shutdown"
import { ServerSettings } from "@svc-runtime/http/Settings"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import { Duration, Effect, Layer, References } from "effect"
import { HttpRouter } from "effect/http"
import { checkOptions, type Options, type Parts, routesOf } from "./application/ApplicationOptions.ts"
import * as ApplicationParts from "./application/ApplicationParts.ts"
import * as CallerAccess from "./application/CallerAccess.ts"
import * as JobKinds from "./application/JobKinds.ts"
import * as MigrationRoutes from "./application/MigrationRoutes.ts"
import * as Recovery from "./application/Recovery.ts"
import { logStartup } from "./application/StartupLog.ts"
import { type Config, InvalidConfig, read } from "./Config.ts"
import * as HttpServer from "./HttpServer.ts"
import * as Made from "./local/Made.ts"
import * as Routes from "./Routes.ts"
import type * as Storage from "./Storage.ts"
import * as Tracing from "./telemetry/Tracing.ts"
import { ofWorker } from "./workers/sharedLimits.ts"

export type { Options, Parts } from "./application/ApplicationOptions.ts"

/** The layers that each feature has in one place. */
const ofFeatures = <A, E, R>(
  { features }: Parts,
  layerOf: (feature: Parts["features"][number]) => Layer.Layer<A, E, R>
) => Layer.mergeAll(Layer.empty, ...features.map(layerOf))

/** The services that features have once in a service. Each can use those of the features before it. */
const servicesOf = (parts: Parts, around: Service) =>
  parts.features.reduce(
    (before, feature) => Layer.provideMerge(feature.service(around), before),
    Layer.empty as Layer.Layer<never, StartFailure>
  )

const databaseOf = ({ databaseId, guest }: Parts, id: Ids.DatabaseId) => ({
  id,
  isOwn: id === databaseId,
  isGuest: guest !== undefined
})

/** The background workers of one database. An embedded database has one node, so no other takes over its runs. */
const workers = (parts: Parts, id: Ids.DatabaseId, isShared: boolean) =>
  Layer.mergeAll(
    // resumes the runs that this node was executing when it stopped
    Recovery.layer,
    // executes background jobs, one of which removes expired data; loops of features enqueue more of them
    ofFeatures(parts, (feature) => feature.workers(databaseOf(parts, id))).pipe(
      Layer.provideMerge(JobWorker.layer({ kinds: JobKinds.of(parts, id), drainTimeout: parts.drainTimeout }))
    ),
    // tells callers who wait at shutdown that their runs continue elsewhere
    parts.shutdown === undefined ? Layer.empty : Shutdown.handOver(parts.shutdown)
  ).pipe(
    // resumes the runs whose approvals are resolved
    Layer.provideMerge(ApprovalResumer.layer),
    Layer.provide(ofFeatures(parts, (feature) => feature.engines(databaseOf(parts, id)))),
    // executes runs: heartbeats, takeover, session queue, cancellation, events (its own table names the loops)
    Layer.provideMerge(RunEngine.layer({
      node: parts.node,
      database: id,
      drainTimeout: parts.drainTimeout,
      nodeTimeout: isShared ? parts.nodeTimeout : undefined,
      isShared,
      startLimits: parts.startLimits,
      guest: parts.guest,
      ...parts.engine
    })),
    Layer.provide(ComponentModules.runners),
    // what features add to the agents, with the stores of this database
    Layer.provide(Features.agentParts(parts.features, databaseOf(parts, id))),
    // what features give to the runs of this database
    Layer.provide(ofFeatures(parts, (feature) => feature.runs(databaseOf(parts, id)))),
    Layer.provide(StoredComponents.layerNone),
    Layer.provide(Signals.layer)
  )

const isShared = ({ source }: DatabaseHandle.DatabaseHandle): boolean => source._tag === "Postgres"

/** The databases beside the service's own. */
interface Handles {
  readonly all: ReadonlyArray<DatabaseHandle.DatabaseHandle>
  /** Those of components. The others have knowledge only. */
  readonly withRuns: ReadonlyArray<DatabaseHandle.DatabaseHandle>
}

/** The databases of the service, each with its workers. */
const databases = (parts: Parts, own: Ids.DatabaseId, { all, withRuns }: Handles) => {
  const shared = new Map(all.map((handle) => [handle.id, isShared(handle)]))
  const ids = new Set(withRuns.map(({ id }) => id))
  return ServedDatabases.layer({
    own,
    others: all.map((handle) => ({
      id: handle.id,
      stores: parts.openDatabase(handle),
      hasRuns: ids.has(handle.id)
    })),
    workers: (id) => workers(parts, id, shared.get(id) ?? parts.isShared)
  })
}

/** Refuses what needs a feature that the service lacks. So only a service with knowledge opens databases for it. */
const handlesIn = Effect.fnUntraced(function*(parts: Parts) {
  const unserved = parts.guest === undefined ? Features.unservedTask(parts) : undefined
  const problem = Features.missingFeature(parts.features, parts) ?? unserved ??
    Features.problemOfDeclared(parts.features, parts)
  if (problem !== undefined) return yield* new InvalidConfig({ message: problem })
  const own = Ids.DatabaseId.make(parts.databaseId)
  const registry = { agent: parts.agents, team: parts.teams, workflow: parts.workflows }
  const declared = KnowledgeOfComponents.of(parts).flatMap(({ db }) => db ?? [])
  const handles: Handles = {
    all: yield* handlesOf(own, registry, [...declared, ...parts.databases]),
    withRuns: yield* handlesOf(own, registry, parts.databases)
  }
  return { own, registry, handles }
})

const claimedFieldsOf = ({ access: { settings: { jwt } } }: Parts): ClaimedFields["Service"] => ({
  dependencies: jwt.dependenciesClaims,
  session_state: jwt.sessionStateClaims
})

/** What the application declares of what features store. */
const declared = (parts: Parts, around: Service) =>
  parts.guest === undefined
    ? Layer.unwrap(Effect.map(
      Effect.forEach(parts.features, (feature) => feature.declares(around)),
      (kinds) => Declarations.layer(kinds.flat(), parts)
    ))
    : Layer.empty

/** Why the service cannot start with its roles. Known before its database is. */
export const { problemOfRoles } = CallerAccess

/** Everything between the stores and the router. */
export const layerRoutes = (parts: Parts) =>
  Layer.unwrap(Effect.gen(function*() {
    const { handles, own, registry } = yield* handlesIn(parts)
    const ids = [own, ...handles.withRuns.map(({ id }) => id)] as const
    const around: Service = { ...parts, databaseId: own }
    return Routes.layer(routesOf(parts)).pipe(
      // after what is declared is applied: nothing is served before
      Layer.provide(declared(parts, around)),
      Layer.provide(ofFeatures(parts, (feature) => feature.requests(around))),
      Layer.provide(RunService.layer({
        factoryInputBytes: parts.settings.limits.jsonBody,
        jsonValues: parts.settings.limits.jsonValues
      })),
      Layer.provide(ofFeatures(parts, (feature) => feature.starts())),
      Layer.provide(StoredComponents.layerNone),
      // requests go to the database of their component
      Layer.provide([Databases.layer, RoutedRuns.layer, RoutedApprovals.layer]),
      Layer.provide(ServedDatabases.layerOwnStores),
      Layer.provide(Layer.succeed(ComponentDatabases, ComponentDatabases.make(ids, registry))),
      // authentication, after the engines: accounts are in a database that may not reply
      Layer.provide(CallerAccess.layer(parts)),
      Layer.provide(databases(parts, own, handles)),
      // closed after the runs have ended
      Layer.provide(servicesOf(parts, around)),
      // What follows is in each service, with or without features: what the application declares, its limits, and how
      // it reaches others. Features use it too.
      Layer.provide(WorkflowRegistry.layer(parts.workflows)),
      Layer.provide([
        AgentRegistry.layer(parts.agents),
        TeamRegistry.layer(parts.teams),
        parts.factories ?? FactoryResolver.layer({ timeout: parts.factoryTimeout, databases: handles.withRuns }),
        ModelCatalog.layer(parts.models),
        EmbedderCatalog.layer(parts.models),
        Layer.succeed(ByteLimits, parts.byteLimits),
        Layer.succeed(StoreLimits, parts.storeLimits),
        Layer.succeed(ClaimedFields, claimedFieldsOf(parts)),
        CallerAccess.scopes(parts),
        parts.callSender,
        parts.secrets,
        parts.remoteTasks,
        parts.toolServices,
        Layer.succeed(ServerSettings, parts.settings),
        Layer.succeed(Shutdown.Stopping, parts.stopping),
        Layer.succeed(DatabaseIds, [own, ...handles.all.map(({ id }) => id)]),
        Layer.succeed(Schemas, parts.schemas)
      ]),
      Layer.provide(Authentication.verifier(parts.access))
    )
  }))

/** The stores of the service's own database. */
export type StorageOf = (
  config: Config,
  features: Parts["features"],
  whilePending: Storage.WhilePending | undefined
) => ReturnType<typeof Storage.layer>

const storage: StorageOf = (config, features, whilePending) =>
  Layer.unwrap(Effect.map(ApplicationParts.storage, (Storage) => Storage.layer(config, features, whilePending)))

/** The components that metrics name. */
export const componentsOf = ({ agents, teams, workflows }: Pick<Parts, "agents" | "teams" | "workflows">) => [
  ...agents.map(({ id }) => ({ kind: "agent", id })),
  ...teams.map(({ id }) => ({ kind: "team", id })),
  ...workflows.map(({ id }) => ({ kind: "workflow", id }))
]

/** Workers share their databases, and an embedded one belongs to one process. */
const checkWorkers = Effect.fnUntraced(function*(
  { dataDir, databaseUrl, workers }: Config,
  handles: ReadonlyArray<DatabaseHandle.DatabaseHandle>
) {
  if ((yield* currentWorker) === undefined) return
  const embedded = handles.find((handle) => !isShared(handle))
  const which = databaseUrl === undefined ? `the one in ${dataDir}` : embedded === undefined ? "" : `'${embedded.id}'`
  if (which === "") return
  return yield* new InvalidConfig({
    message: `WORKERS asks for ${workers} processes, and an embedded database (${which}) belongs to one process. ` +
      `Set ${
        databaseUrl === undefined ? "DATABASE_URL to" : "it to"
      } a PostgreSQL that they share, or leave WORKERS out.`
  })
})

/** The layers of the service. */
const assemble = Effect.fnUntraced(function*(options: Options, storageOf: StorageOf) {
  yield* Made.whileServing
  const worker = yield* currentWorker
  const config = ofWorker(yield* read(yield* ApplicationParts.featuresOf(options)), worker)
  const shutdown = Shutdown.make(config)
  const parts = yield* ApplicationParts.make(options, config, shutdown)
  const problem = problemOfRoles(parts)
  if (problem !== undefined) return yield* new InvalidConfig({ message: problem })
  // requests begin in the context around `served`, and copy it: only the routes have the stores
  const earlyRoutes: EarlyRoutes = { handle: undefined }
  const { handles, own } = yield* handlesIn(parts)
  yield* checkWorkers(config, handles.all)
  const ownStorage = Layer.unwrap(
    Effect.map(
      MigrationRoutes.make(config, parts, earlyRoutes, handles.all),
      (whilePending) => storageOf(config, parts.features, whilePending)
    )
  ).pipe(Layer.provide([Layer.succeed(Schemas, parts.schemas), Layer.succeed(CurrentDatabase, own)]))
  const routes = Layer.provide(layerRoutes(parts), [ownStorage, NodeHttpServer.layerHttpServices])
  const served = inFlatContext(HttpRouter.serve(routes, {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: Routes.routerConfig
  }))
  return Layer.effectDiscard(logStartup(config, parts)).pipe(
    Layer.merge(shutdown.onClose),
    Layer.provide(served),
    // it listens, and responds to /health, before the database is migrated
    Layer.provide(HttpServer.layer({
      ...config,
      api: Features.apiOf(parts.features),
      startedAt: parts.settings.startedAt,
      responses: parts.responses,
      earlyRoutes,
      joins: worker?.joins,
      shutdownTimeout: Duration.sum(config.shutdownTimeout, Shutdown.responseTimeout)
    })),
    Layer.provide(shutdown.deadline),
    // closed after the runs have ended: it sends their last spans
    Layer.provide(Tracing.layer(config.traces, parts.node, parts.traces)),
    Layer.provide(ProcessGauges.layer),
    Layer.provide(Layer.succeed(Instruments.Instruments, Instruments.make(componentsOf(parts), parts.prices))),
    Layer.provide(Logging.layer(config.logging, parts.node, worker)),
    // spans cost the same whether they are collected or not
    Layer.provide(Layer.succeed(References.TracerEnabled, false))
  )
})

/**
 * The service as a Layer. `serve` launches it and handles signals; this leaves both to the caller. It reads its
 * settings from the environment when it is built, and serves until its scope is closed. Its errors
 * prevent a start, such as `InvalidConfig`. Tests can pass another storage.
 *
 * ```ts
 * import { NodeRuntime } from "@effect/platform-node"
 * import { Agent, Application } from "@svc-runtime/server"
 * import { Layer } from "effect"
 *
 * const application = Application.make({ agents: [Agent.make({ id: "assistant" })] })
 *
 * Layer.launch(application).pipe(NodeRuntime.runMain)
 * ```
 */
export const make = (options: Options, storageOf: StorageOf = storage) => {
  checkOptions(options)
  return Layer.unwrap(assemble(options, storageOf))
}
