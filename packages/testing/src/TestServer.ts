// The whole service over the stores of `TestDatabase`: as a function from request to response, or on a real port for
// what only a socket can show. It runs on the clock of the test, so every stored second is known; what it logs is kept.
import type * as Agent from "@svc-runtime/agents/agent/define/Agent"
import type * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import type { FactoryResolver } from "@svc-runtime/agents/factory/FactoryResolver"
import type { ModelRef } from "@svc-runtime/agents/Models"
import type * as Team from "@svc-runtime/agents/team/Team"
import type * as TeamFactory from "@svc-runtime/agents/team/TeamFactory"
import type { AnyWorkflow } from "@svc-runtime/agents/workflow/define/Node"
import type * as WorkflowFactory from "@svc-runtime/agents/workflow/WorkflowFactory"
import type { OAuthStore, ServiceAccountStore } from "@svc-runtime/auth"
import type * as Ids from "@svc-runtime/domain/Ids"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import { type ByteLimits, defaultByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as RunAdmission from "@svc-runtime/engine/run/engine/RunAdmission"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import type { Settings as BudgetSettings } from "@svc-runtime/features/budgets/BudgetSettings"
import type { ChannelLimits } from "@svc-runtime/features/channels/ChannelSettings"
import type { Declarable } from "@svc-runtime/features/declarations/DeclaredOption"
import type { Limits as EvaluationLimits } from "@svc-runtime/features/evaluation/EvaluationLimits"
import * as Features from "@svc-runtime/features/features"
import type { ScheduleLimits } from "@svc-runtime/features/schedules/Scheduling"
import type { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import type { Limits as WebhookLimits } from "@svc-runtime/features/webhooks/WebhookSettings"
import { type AuthorizationOptions, resolve } from "@svc-runtime/http/authorization/AuthorizationOptions"
import * as HttpCallSender from "@svc-runtime/http/calls/HttpCallSender"
import { keysOf, Secrets } from "@svc-runtime/http/calls/Secrets"
import { type Budgets, budgetsOf } from "@svc-runtime/http/middleware/RequestReadLimiter"
import * as Shutdown from "@svc-runtime/http/requests/Shutdown"
import { defaultLimits, defaultProtocols, type Limits, type Settings } from "@svc-runtime/http/Settings"
import * as ModelCatalog from "@svc-runtime/models/ModelCatalog"
import { Application, HttpServer as SvcServer } from "@svc-runtime/server"
import * as RemoteTasksLayer from "@svc-runtime/server/a2a/remote/RemoteTasksLayer"
import * as DocumentReading from "@svc-runtime/server/DocumentReading"
import * as Routes from "@svc-runtime/server/Routes"
import * as toolServices from "@svc-runtime/server/toolServices"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import type { SpanSink } from "@svc-runtime/telemetry/SpanSink"
import { SpanTracer } from "@svc-runtime/telemetry/SpanTracer"
import { Clock, Context, Effect, Layer, type Redacted, References, Result, Scope, Tracer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as CapturedLog from "./internal/CapturedLog.ts"
import type { LogLine, RequestLogLine } from "./internal/CapturedLog.ts"
import { openDatabase, openOwn } from "./internal/openDatabase.ts"
import { stepped } from "./internal/SteppedClock.ts"
import { isSql } from "./internal/storesOfTests.ts"

export type { LogLine, RequestLogLine } from "./internal/CapturedLog.ts"

type Around = NonNullable<NonNullable<DocumentReading.Options["fetch"]>["around"]>

export interface Options {
  readonly agents?: ReadonlyArray<Agent.Agent | AgentFactory.AgentFactory> | undefined
  readonly teams?: ReadonlyArray<Team.Team | TeamFactory.TeamFactory> | undefined
  readonly workflows?: ReadonlyArray<AnyWorkflow | WorkflowFactory.WorkflowFactory> | undefined
  /** Knowledge bases beside those of agents and teams. */
  readonly knowledge?: Application.Options["knowledge"]
  /** Makes vectors of memories. Nothing does, when left out. */
  readonly embedder?: Application.Options["embedder"]
  readonly registry?: Application.Options["registry"]
  /** What its code declares and the service stores. */
  readonly declared?: Declarable | undefined
  /** Whether its start waits until folders of knowledge are loaded. It does not, when left out. */
  readonly awaitsFolders?: boolean | undefined
  /** Kinds of background jobs. */
  readonly jobs?: Application.Options["jobs"]
  /** What retention keeps. Everything, when left out. */
  readonly retention?: Application.Parts["retention"]
  /** How factories make components. As everywhere, with half a minute for each, when left out. */
  readonly factories?: Layer.Layer<FactoryResolver> | undefined
  readonly settings?: Partial<Settings> | undefined
  /** Where it listens. A free port, when left out. */
  readonly port?: number | undefined
  readonly limits?: Partial<Limits> | undefined
  /** How much is executed at once. */
  readonly admission?: Partial<RunAdmission.Limits> | undefined
  /** How large the values of a run may be. */
  readonly byteLimits?: Partial<ByteLimits> | undefined
  /** How much is shown of what the stores return. The stores themselves have the default limits. */
  readonly storeLimits?: Partial<StoreLimits.Limits> | undefined
  /** How many runs may start. Any number, when left out. */
  readonly startLimits?: Application.Parts["startLimits"]
  /** The address of a server with the interface of OpenAI, for models named `openai-compatible:…`. */
  readonly openaiBaseUrl?: string | undefined
  /** What requests to models cost. */
  readonly prices?: Application.Parts["prices"]
  readonly corsOrigins?: ReadonlyArray<string> | undefined
  /** The service's own database, then any others. `main-db` alone when left out. */
  readonly databases?: readonly [string, ...ReadonlyArray<string>] | undefined
  /** Databases that only components of factories declare. */
  readonly handles?: ReadonlyArray<DatabaseHandle.DatabaseHandle> | undefined
  /** Opens a database beside the service's own. In memory, when left out or when it gives nothing. */
  readonly openDatabase?:
    | ((id: Ids.DatabaseId) => ReturnType<Application.Parts["openDatabase"]> | undefined)
    | undefined
  /** The stores of the service's own database. Those in memory, when left out. */
  readonly stores?: ReturnType<Application.Parts["openDatabase"]> | undefined
  /** Changes the stores in memory before they are used: this is how a database is made to fail. */
  readonly database?: ((database: Database) => Database) | undefined
  /** Its reader of documents ends with it. One that ends with this process, when left out. */
  readonly hasOwnReader?: boolean | undefined
  /** Executes what a process that reads documents does. */
  readonly aroundReader?: Around | undefined
  /** What may be fetched for callers. Public addresses only, when left out. */
  readonly fetch?: DocumentReading.Options["fetch"]
  /** The names by which it may be called, beside those of this machine. Any, when left out. */
  readonly hosts?: ReadonlyArray<string> | undefined
  /** Who may call; everybody, when left out. */
  readonly authorization?: AuthorizationOptions | undefined
  /** Where service accounts are kept. In memory, when left out. */
  readonly accounts?: Layer.Layer<ServiceAccountStore> | undefined
  /** Where the authorization server keeps its clients and tokens. In memory, when left out. */
  readonly oauth?: Layer.Layer<OAuthStore> | undefined
  /** Where approvals are kept. Beside the sessions of the service's own database, when left out. */
  readonly approvals?: Layer.Layer<ApprovalStore> | undefined
  /** Where spans go, with their content. They are not collected, when left out. */
  readonly spans?: SpanSink | undefined
  /** Statements of the database have spans too. */
  readonly statements?: boolean | undefined
  /** Whether traces are continued from callers and to other servers. They are, when left out. */
  readonly propagates?: boolean | undefined
  /** Stores the traces of runs. They are not stored, when left out. */
  readonly traces?: TraceBuffer | undefined
  /** The default model. `fixed`, when left out. */
  readonly model?: ModelRef | undefined
  /** The model of judges. The default one, when left out. */
  readonly judge?: ModelRef | undefined
  /** How long runs and jobs may continue when it is closed. They are interrupted, when left out. */
  readonly drainTimeout?: Application.Parts["drainTimeout"] | undefined
  /** The default limits of evaluations, when left out. */
  readonly evaluations?: Partial<EvaluationLimits> | undefined
  readonly schedules?: Partial<ScheduleLimits> | undefined
  /** Seconds for receivers of webhooks and of changes of tasks to respond. */
  readonly callTimeout?: number | undefined
  /** What stored secrets are sealed with, as SECRETS_KEY. They are stored as they are, when left out. */
  readonly secretsKey?: Redacted.Redacted | undefined
  /** The default limits of webhooks, when left out. */
  readonly webhooks?: Partial<WebhookLimits> | undefined
  /** The default limits of channels, when left out. */
  readonly channelLimits?: Partial<ChannelLimits> | undefined
  /** The default settings of budgets, when left out. */
  readonly budgetSettings?: Partial<BudgetSettings> | undefined
  /** Whether the service stops. It never does, when left out. */
  readonly stopping?: Application.Parts["stopping"] | undefined
  /** Features that it leaves out. */
  readonly without?: Application.Options["without"]
  readonly routes?: Application.Options["routes"]
  readonly middleware?: Application.Options["middleware"]
}

const instant = Date.UTC(2026, 10, 21, 1, 10, 12, 670)

const featuresOf = ({ without = [] }: Options) => Features.allBut(without)

const settingsOf = (options: Options): Settings => ({
  id: "svc",
  name: "Svc",
  description: undefined,
  version: "0.1.0",
  startedAt: instant,
  authMode: "none",
  docs: true,
  console: true,
  mcp: { enabled: true },
  protocols: defaultProtocols,
  allowedHosts: undefined,
  availableModels: [],
  quickPrompts: {},
  manifest: {},
  displayNames: {},
  features: featuresOf(options).map(({ name }) => name),
  strictRequests: false,
  ...options.settings,
  limits: { ...defaultLimits, ...options.limits }
})

let reader: Promise<DocumentReading.DocumentReader["Service"]> | undefined

/** One reader for all servers of this process, because its processes start slowly. They end with this process. */
const sharedReader = Layer.effect(
  DocumentReading.DocumentReader,
  Effect.promise(() =>
    reader ??= Effect.runPromise(
      Effect.map(
        Layer.buildWithScope(DocumentReading.DocumentReader.layer({ timeToLive: "1 hour" }), Scope.makeUnsafe()),
        Context.get(DocumentReading.DocumentReader)
      )
    )
  )
)

const readerOf = ({ aroundReader: around, hasOwnReader }: Options) => {
  const reader = hasOwnReader === true ? DocumentReading.DocumentReader.layer() : sharedReader
  return around === undefined ? reader : Layer.effect(
    DocumentReading.DocumentReader,
    DocumentReading.DocumentReader.use(({ chunk, read }) =>
      Effect.succeed(DocumentReading.DocumentReader.of({
        read: (source, maxLength) => around(read(source, maxLength)),
        chunk: (documents, chunking) => around(chunk(documents, chunking))
      }))
    )
  ).pipe(Layer.provide(reader))
}

/** Components name models by references. */
const defaultModelOf = (model: ModelRef) => {
  if (typeof model === "string") return { model }
  const { id } = ModelCatalog.describe(model)
  return { model: id, given: { [id]: model } }
}

/** What cannot be used is a sentence. */
const orMistake = <A>(result: Result.Result<A, string>): A =>
  Result.getOrThrowWith(result, (problem) => new Mistake(problem))

/** The parts of the service as `Application.make` has them, without its environment. */
const partsOf = (options: Options, responses?: Budgets): Application.Parts => {
  const chosen = settingsOf(options)
  const access = orMistake(resolve(options.authorization ?? {}, chosen.id))
  const { budgetSettings: budgets, channelLimits: channels, evaluations: evaluation, schedules, webhooks } = options
  const features = featuresOf(options)
  const [databaseId = "main-db", ...more] = options.databases ?? []
  return {
    agents: options.agents ?? [],
    teams: options.teams ?? [],
    workflows: options.workflows ?? [],
    knowledge: options.knowledge ?? [],
    reading: DocumentReading.layerWith(readerOf(options), options.fetch),
    registry: options.registry,
    ...options.declared,
    jobs: options.jobs ?? [],
    factoryTimeout: "30 seconds",
    factories: options.factories,
    settings: { ...chosen, authMode: access.settings.mode },
    databaseId,
    isShared: false,
    awaitsFolders: options.awaitsFolders,
    databases: [...(options.handles ?? []), ...more.map((id) => DatabaseHandle.embedded({ id, dataDir: "memory" }))],
    schemas: Schemas.make(),
    openDatabase: ({ id }) =>
      options.openDatabase?.(id) ?? openDatabase(id, { ...options, features: featuresOf(options) }),
    node: "test",
    // a run that a test leaves is interrupted when the test ends
    drainTimeout: options.drainTimeout ?? 0,
    retention: options.retention,
    traces: options.traces,
    startLimits: options.startLimits,
    features: Features.configured(
      features,
      Features.defaultSettings(features, { budgets, channels, evaluation, schedules, webhooks })
    ),
    callSender: HttpCallSender.layerWith(options.fetch, options.callTimeout),
    secrets: Secrets.layerOf(options.secretsKey === undefined ? [] : orMistake(keysOf(options.secretsKey))),
    remoteTasks: RemoteTasksLayer.layerWith(options.fetch),
    toolServices: toolServices.layerWith(options.fetch),
    byteLimits: { ...defaultByteLimits, ...options.byteLimits },
    storeLimits: { ...StoreLimits.defaults, ...options.storeLimits },
    prices: options.prices,
    nodeTimeout: undefined,
    engine: { admission: RunAdmission.make(options.admission), eventInterval: 0 },
    models: {
      ...defaultModelOf(options.model ?? "fixed"),
      judge: options.judge,
      embedder: options.embedder,
      openaiBaseUrl: options.openaiBaseUrl
    },
    corsOrigins: options.corsOrigins ?? [],
    responses: responses ?? budgetsOf(chosen.limits),
    hosts: options.hosts,
    access,
    fetch: options.fetch,
    shutdown: undefined,
    stopping: options.stopping ?? Shutdown.never,
    routes: options.routes ?? [],
    middleware: options.middleware ?? []
  }
}

/** With its database, which is open before the service is built. */
const service = Effect.fnUntraced(function*(options: Options, responses?: Budgets) {
  const parts = partsOf(options, responses)
  const problem = Application.problemOfRoles(parts)
  if (problem !== undefined) return yield* Effect.die(new Mistake(problem))
  const stores = yield* openOwn(parts, options)
  return Application.layerRoutes(parts).pipe(Layer.provide(Layer.succeedContext(stores)), Layer.orDie)
})

/** Statements of a database take turns of the event loop, which a clock that is adjusted waits for. */
export const clockOf = (clock: Clock.Clock): Clock.Clock => isSql ? stepped(clock) : clock

const clockOfTest = Effect.map(Clock.Clock, clockOf)

const componentsOf = ({ agents = [], teams = [], workflows = [] }: Options) =>
  Application.componentsOf({ agents, teams, workflows })

/** What a test wants of the world: its own clock, its own traces, and the log as data. */
const environment = (
  clock: Clock.Clock,
  logs: Array<LogLine>,
  options: Options,
  requests: Array<RequestLogLine> = []
) =>
  Layer.mergeAll(
    Layer.succeed(Clock.Clock, clock),
    Layer.succeed(Instruments.Instruments, Instruments.make(componentsOf(options), options.prices)),
    options.spans === undefined && options.traces === undefined
      ? Layer.empty
      : Layer.succeed(
        Tracer.Tracer,
        new SpanTracer({
          sinks: [options.spans ?? [], options.traces ?? []].flat(),
          hasContent: true,
          hasStatements: options.statements,
          propagates: options.propagates
        })
      ),
    Layer.succeed(References.TracerEnabled, false),
    Layer.succeed(References.MinimumLogLevel, "All"),
    CapturedLog.layer(logs, requests)
  )

export interface TestServer {
  readonly fetch: (path: string, init?: RequestInit) => Effect.Effect<Response>
  /** What was logged so far. */
  readonly logs: ReadonlyArray<LogLine>
}

export const origin = "http://svc.test"

/** The service without a socket. */
export const make = Effect.fnUntraced(
  function*(options: Options = {}): Effect.fn.Return<TestServer, never, Scope.Scope> {
    const logs: Array<LogLine> = []
    const world = yield* Layer.build(environment(yield* clockOfTest, logs, options))
    const app = (yield* Effect.provideContext(service(options), world)).pipe(
      Layer.provide(HttpServer.layerServices),
      Layer.provideMerge(Layer.succeedContext(world))
    )
    const { handler } = yield* Effect.acquireRelease(
      Effect.sync(() => HttpRouter.toWebHandler(app, { disableLogger: true, routerConfig: Routes.routerConfig })),
      ({ dispose }) => Effect.promise(dispose)
    )
    return {
      fetch: (path, init) => Effect.promise(() => handler(new Request(`${origin}${path}`, init))),
      logs
    }
  }
)

export interface Listening {
  readonly host: string
  readonly port: number
  readonly url: string
  readonly logs: ReadonlyArray<LogLine>
  /** The lines of requests, each after the end of its answer. */
  readonly requests: ReadonlyArray<RequestLogLine>
}

/** The service on a free port of the loopback interface. */
export const listen = Effect.fnUntraced(
  function*(options: Options = {}): Effect.fn.Return<Listening, never, Scope.Scope> {
    const logs: Array<LogLine> = []
    const requests: Array<RequestLogLine> = []
    const host = "127.0.0.1"
    const limits = { ...defaultLimits, ...options.limits }
    const world = yield* Layer.build(environment(yield* clockOfTest, logs, options, requests))
    const responses = budgetsOf(limits)
    const app = yield* Effect.provideContext(service(options, responses), world)
    const context = yield* HttpRouter.serve(Layer.provide(app, HttpServer.layerServices), {
      disableLogger: true,
      disableListenLog: true,
      routerConfig: Routes.routerConfig
    }).pipe(
      Layer.provideMerge(
        SvcServer.layer({
          api: Features.apiOf(featuresOf(options)),
          host,
          port: options.port ?? 0,
          limits,
          responses,
          shutdownTimeout: "1 second"
        })
      ),
      Layer.provide(Layer.succeedContext(world)),
      Layer.orDie,
      Layer.build
    )
    const { address } = Context.get(context, HttpServer.HttpServer)
    const port = address._tag === "UnixPathAddress" ? 0 : address.port
    return { host, port, url: `http://${host}:${port}`, logs, requests }
  }
)
