// The parts of a service from its options and from the settings of the environment.
import { type EmbedderOptions, modelNameProblem, type ModelOptions } from "@svc-runtime/agents/Models"
import type { ServiceApi } from "@svc-runtime/api"
import type { AuthMode } from "@svc-runtime/domain/Service"
import { currentWorker } from "@svc-runtime/domain/Worker"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as RunAdmission from "@svc-runtime/engine/run/engine/RunAdmission"
import type { RunEngineOptions } from "@svc-runtime/engine/run/engine/RunEngine"
import * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import * as Features from "@svc-runtime/features/features"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import { type Access, combine, resolve } from "@svc-runtime/http/authorization/AuthorizationOptions"
import * as ConsoleOAuth from "@svc-runtime/http/authorization/ConsoleOAuth"
import * as McpOAuth from "@svc-runtime/http/authorization/McpOAuth"
import * as ScopeTable from "@svc-runtime/http/authorization/ScopeTable"
import { Secrets } from "@svc-runtime/http/calls/Secrets"
import * as NodeName from "@svc-runtime/http/config/NodeName"
import * as McpOptions from "@svc-runtime/http/mcpTool/McpOptions"
import { budgetsOf } from "@svc-runtime/http/middleware/RequestReadLimiter"
import * as ProcessIdentity from "@svc-runtime/http/process/ProcessIdentity"
import type * as Shutdown from "@svc-runtime/http/requests/Shutdown"
import { mcpPath, type Settings } from "@svc-runtime/http/Settings"
import { version } from "@svc-runtime/http/version"
import * as Prices from "@svc-runtime/telemetry/Prices"
import { Clock, Duration, Effect, Layer, Redacted, Result, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { type Config, InvalidConfig } from "../Config.ts"
import * as ConsoleRoutes from "../console/ConsoleRoutes.ts"
import * as Protocols from "../Protocols.ts"
import * as DeclaredRoute from "../routes/DeclaredRoute.ts"
import type { Route } from "../routes/Route.ts"
import type { Options, Parts } from "./ApplicationOptions.ts"

// Where a service without authentication may listen.

/** Addresses that only this machine can reach. */
const loopback = /^(127(\.\d{1,3}){3}|::1|\[::1\]|localhost)$/

const isLoopback = ({ host }: Pick<Config, "host">): boolean => loopback.test(host)

/** Why a service without authentication must not listen there; undefined when it may. */
export const openRefusal = ({ allowOpen, host }: Config): string | undefined =>
  isLoopback({ host }) || allowOpen
    ? undefined
    : `HOST=${host} would let everybody who can reach this machine call the service. Say who may call ` +
      "(AUTHORIZATION=true with a key, or OS_SECURITY_KEY), keep HOST on a loopback address, or set ALLOW_OPEN=true if " +
      "the network is closed by other means."

// The prices of models: the table that ships, and the file that MODEL_PRICES names. An unusable file stops the
// start.
const decodePrices = Schema.decodeUnknownEffect(Schema.fromJsonString(Prices.PriceList), { errors: "all" })

const unusablePrices = (path: string, problem: string) =>
  new InvalidConfig({ message: `MODEL_PRICES ${path}: ${problem}. docs/operate/observability.md has an example.` })

export const readPrices = Effect.fnUntraced(function*(path: string | undefined) {
  if (path === undefined) return Prices.withList({ models: [] })
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) => unusablePrices(path, error instanceof Error ? error.message : "it cannot be read")
  })
  return Prices.withList(yield* Effect.mapError(decodePrices(text), ({ message }) => unusablePrices(path, message)))
})

const idOf = (options: Options) => options.id ?? "svc"

const settingsOf = (
  options: Options,
  config: Config,
  startedAt: number
): Omit<Settings, "authMode" | "features" | "mcp"> => ({
  id: idOf(options),
  name: options.name ?? "Svc",
  description: options.description,
  version,
  startedAt,
  docs: config.docs,
  console: config.console,
  protocols: config.protocols,
  allowedHosts: config.allowedHosts,
  limits: config.limits,
  strictRequests: config.strictRequests,
  availableModels: options.availableModels ?? [],
  quickPrompts: options.quickPrompts ?? {},
  manifest: options.manifest ?? {},
  displayNames: options.displayNames ?? {}
})

const modelsOf = (options: Options, config: Config): EmbedderOptions & ModelOptions => ({
  model: config.model,
  judge: options.evaluations?.judge ?? config.judge,
  embedder: options.embedder ?? config.embedder,
  embedderDimensions: config.embedderDimensions,
  embedderRate: config.embedderRate,
  ...config.providers,
  ...config.modelRequests
})

const accessOf = Effect.fnUntraced(function*(options: Options, config: Config) {
  // A token of an embedded database can only be revoked in this process.
  const serviceAccountCacheSeconds = config.databaseUrl === undefined ? 30 : 0
  const authorization = combine(options.authorization ?? {}, config.authorization)
  const access = yield* Effect.fromResult(
    resolve({ serviceAccountCacheSeconds, ...authorization }, idOf(options))
  ).pipe(Effect.mapError((message) => new InvalidConfig({ message })))
  const refused = access.settings.mode === "none" ? openRefusal(config) : undefined
  if (refused !== undefined) return yield* new InvalidConfig({ message: refused })
  // the service calls itself with it
  const internalToken = access.settings.internalToken ?? (yield* currentWorker)?.internalToken ??
    Redacted.make(randomBytes(32).toString("base64url"))
  return { ...access, settings: { ...access.settings, internalToken } }
})

const oauthOf = ({ mcp }: Options, config: Config, authMode: AuthMode) =>
  McpOAuth.resolve({ ...config.mcp.oauth, ...mcp?.oauth }, {
    host: config.host,
    port: config.port,
    publicUrl: config.protocols.publicUrl,
    isLoopback: isLoopback(config),
    isMcpEnabled: config.mcp.enabled,
    authMode,
    mcpPath
  }).pipe(Result.mapError((message) => new InvalidConfig({ message })), Effect.fromResult)

const consoleOAuthOf = ({ consoleOAuthClientId }: Config, { settings }: Access) =>
  ConsoleOAuth.resolve(consoleOAuthClientId, settings).pipe(
    Result.mapError((message) => new InvalidConfig({ message })),
    Effect.fromResult
  )

const checkJudge = ({ evaluations }: Options) => {
  const judge = evaluations?.judge
  const problem = typeof judge === "string" ? modelNameProblem(judge) : undefined
  return problem === undefined
    ? Effect.void
    : Effect.fail(new InvalidConfig({ message: `evaluations.judge cannot be used. ${problem}` }))
}

/** Routes that would be open, or hide another one, and scopes of routes that do not exist, stop the start. */
const checkRoutes = (
  routes: ReadonlyArray<Route>,
  api: ServiceApi.AnyApi,
  { excludedRoutes, mappings, settings }: Access,
  { protocols }: Config
) => {
  const declared = routes.flatMap((route) => route.declared)
  const known = DeclaredRoute.builtIn(ScopeTable.defaults(api), Protocols.routesOf(protocols))
  const message = DeclaredRoute.problemOf(declared, settings.adminScope, known) ??
    DeclaredRoute.uselessMapping(mappings, [...known, ...declared.flatMap(DeclaredRoute.toScoped)], [
      ...excludedRoutes,
      ...ConsoleRoutes.paths
    ])
  return message === undefined ? Effect.void : Effect.fail(new InvalidConfig({ message }))
}

/** Loads the storage at the start. A service whose routes use other stores needs no database. */
export const storage = Effect.promise(() => import("../Storage.ts"))

/** Loads the readers at the start. */
const documentReading = Effect.promise(() => import("../DocumentReading.ts"))

/** Loads the sender of webhooks at the start. */
const callSender = Effect.promise(() => import("@svc-runtime/http/calls/HttpCallSender"))

/** Loads the client of remote agents at the start. */
const remoteTasks = Effect.promise(() => import("../a2a/remote/RemoteTasksLayer.ts"))

/** Loads what tools reach the world with at the start. */
const toolServices = Effect.promise(() => import("../toolServices.ts"))

const nodeTimeoutOf = ({ nodeTimeout }: Config): number | undefined => {
  const seconds = Duration.toSeconds(nodeTimeout)
  return seconds === 0 ? undefined : seconds
}

const limitsOf = ({ maxRestores, maxTakeovers, unservedTimeout }: Config): RunEngineOptions["limits"] => ({
  maxRestores,
  maxTakeovers,
  unservedTimeout: Duration.toSeconds(unservedTimeout)
})

/** All features except what the application leaves out. */
export const featuresOf = ({ without = [] }: Pick<Options, "without">) => {
  const problem = Features.unknownFeature(without)
  return problem === undefined
    ? Effect.succeed(Features.allBut(without))
    : Effect.fail(new InvalidConfig({ message: problem }))
}

export const make = Effect.fnUntraced(function*(options: Options, config: Config, shutdown: Shutdown.Shutdown) {
  const worker = yield* currentWorker
  const access = yield* accessOf(options, config)
  yield* checkJudge(options)
  const mcpOptions = { ...config.mcp.options, ...options.mcp }
  const mcpProblem = McpOptions.problemOf(mcpOptions)
  if (mcpProblem !== undefined) return yield* new InvalidConfig({ message: mcpProblem })
  const routes = options.routes ?? []
  const features = yield* featuresOf(options)
  yield* checkRoutes(routes, Features.apiOf(features), access, config)
  const oauth = yield* oauthOf(options, config, access.settings.mode)
  const configured = Features.configured(features, config.features)
  const parts: Parts = {
    agents: options.agents ?? [],
    teams: options.teams ?? [],
    workflows: options.workflows ?? [],
    knowledge: options.knowledge ?? [],
    registry: options.registry,
    ...Features.declaredIn(options),
    reading: Layer.unwrap(Effect.map(documentReading, ({ layer }) => layer(config))),
    jobs: options.jobs ?? [],
    factoryTimeout: config.factoryTimeout,
    settings: {
      ...settingsOf(options, config, yield* Clock.currentTimeMillis),
      authMode: access.settings.mode,
      consoleOAuth: yield* consoleOAuthOf(config, access),
      mcp: { enabled: config.mcp.enabled, oauth, options: mcpOptions },
      features: features.map(({ name }) => name)
    },
    databaseId: options.databaseId ?? "svc-db",
    isShared: config.databaseUrl !== undefined,
    databases: options.databases ?? [],
    schemas: Schemas.make(),
    openDatabase: (handle) =>
      Layer.unwrap(Effect.map(storage, (Storage) => Storage.ofHandle(config, configured, handle))),
    node: NodeName.of(config, worker),
    // requests have had their time when this begins
    drainTimeout: config.drainTimeout,
    retention: config.retention,
    traces: config.storedTraces === undefined ? undefined : new TraceBuffer(config.storedTraces),
    embedAgain: config.embedAgain,
    startLimits: StartLimits.merged(config.startLimits, options.limits ?? {}),
    features: configured,
    callSender: Layer.unwrap(
      Effect.map(callSender, ({ layerWith }) => layerWith(config.fetch, Duration.toSeconds(config.callTimeout)))
    ),
    secrets: Secrets.layerOf(config.secretKeys),
    remoteTasks: Layer.unwrap(Effect.map(remoteTasks, ({ layerWith }) => layerWith(config.fetch))),
    toolServices: Layer.unwrap(Effect.map(toolServices, ({ layerWith }) => layerWith(config.fetch))),
    byteLimits: config.byteLimits,
    storeLimits: config.storeLimits,
    prices: yield* readPrices(config.modelPrices),
    nodeTimeout: nodeTimeoutOf(config),
    engine: {
      identity: yield* ProcessIdentity.make,
      limits: limitsOf(config),
      admission: RunAdmission.make({ runs: config.maxRuns, inputBytes: config.maxRunInputBytes })
    },
    models: modelsOf(options, config),
    corsOrigins: config.corsOrigins,
    responses: budgetsOf(config.limits),
    // an open service on a loopback address accepts only the host names of this machine
    hosts: access.settings.mode === "none" && isLoopback(config) ? config.allowedHosts ?? [] : undefined,
    access,
    fetch: config.fetch,
    shutdown,
    stopping: shutdown,
    routes,
    middleware: options.middleware ?? []
  }
  return parts
})
