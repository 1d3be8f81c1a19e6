// A feature is a folder and one record, which `make` checks and a service composes. The record has what is known of the
// feature in each service: its groups of endpoints, the names of its stores, its tables and its settings. What the
// feature does, such as handlers, stores and background jobs, is loaded by a service that has the record. `features.ts`
// lists the records.
import type { AgentRegistry } from "@svc-runtime/agents/agent/define/AgentRegistry"
import type { ServedPart } from "@svc-runtime/agents/agent/execute/RunPart"
import type * as JobModel from "@svc-runtime/agents/agent/read/JobModel"
import type { StoredComponents } from "@svc-runtime/agents/component/StoredComponents"
import type { ComponentDatabases } from "@svc-runtime/agents/database/ComponentDatabases"
import type { Databases } from "@svc-runtime/agents/database/Databases"
import type { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import type { FactoryResolver } from "@svc-runtime/agents/factory/FactoryResolver"
import type { EmbedderCatalog, ModelCatalog } from "@svc-runtime/agents/Models"
import type { RunScopes } from "@svc-runtime/agents/runService/RunPermission"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type { TeamRegistry } from "@svc-runtime/agents/team/TeamRegistry"
import type { WorkflowRegistry } from "@svc-runtime/agents/workflow/WorkflowRegistry"
import type { Authorization, ContractErrors, CurrentPrincipal } from "@svc-runtime/api"
import {
  type Authenticator,
  type EndsWithAccount,
  type Roles,
  ServiceAccounts,
  type ServiceAccountStore
} from "@svc-runtime/auth"
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { DatabaseIds } from "@svc-runtime/engine/database/DatabaseIds"
import type { Named, ServedServices, StoreServices } from "@svc-runtime/engine/database/Stores"
import type * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import type { Jobs } from "@svc-runtime/engine/jobs/Jobs"
import type { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import type { Task } from "@svc-runtime/engine/run/store/RetentionStore"
import type { JobCancelSignal, JobSignal, RunEndSignal, RunResumeSignal } from "@svc-runtime/engine/signals/Signals"
import type { SafeFetchOptions } from "@svc-runtime/fetch"
import type { ScopeTable } from "@svc-runtime/http/authorization/ScopeTable"
import type { CallSender } from "@svc-runtime/http/calls/CallSender"
import type { Secrets } from "@svc-runtime/http/calls/Secrets"
import type { Forms } from "@svc-runtime/http/forms/Forms"
import type { Stopping } from "@svc-runtime/http/requests/Shutdown"
import type { ServerSettings } from "@svc-runtime/http/Settings"
import type { SqlServices } from "@svc-runtime/postgres/ShortStatements"
import { type ExpirySteps, tasksOf } from "@svc-runtime/postgres/sql/Expiry"
import type { MigrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import type { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Config as Env, Effect, Layer } from "effect"
import type { HttpRouter } from "effect/http"
import type { HttpApiGroup } from "effect/http-api"
import type * as Declaration from "./declarations/Declaration.ts"
import type { InvalidDeclarations } from "./declarations/Declarations.ts"
import type { Declarable, DeclaredOption } from "./declarations/DeclaredOption.ts"
import type { DocumentReading } from "./knowledge/DocumentReading.ts"
import type * as KnowledgeOfComponents from "./knowledge/KnowledgeOfComponents.ts"
import type { DuplicateKnowledge } from "./knowledge/KnowledgeRegistry.ts"
import type * as DeclaredResources from "./registry/DeclaredResources.ts"
import type { TraceBuffer } from "./traces/TraceWriter.ts"
import type { SandboxMissing } from "./workspace/SandboxMissing.ts"

/** What a feature knows of the service that it is a part of: its components, and what the application declares. */
export interface Service extends Declarable, KnowledgeOfComponents.Components {
  /** The service's own database. */
  readonly databaseId: Ids.DatabaseId
  /** Reads uploaded contents. */
  readonly reading: Layer.Layer<DocumentReading>
  readonly registry?: DeclaredResources.Options | undefined
  /** The spans that wait to be stored. Undefined: traces are not stored. */
  readonly traces?: TraceBuffer | undefined
  /** What may be fetched for callers. Public addresses only, when left out. */
  readonly fetch?: SafeFetchOptions | undefined
}

/** One of the databases in which a service executes runs. */
export interface Database {
  readonly id: Ids.DatabaseId
  /** It is the service's own. */
  readonly isOwn: boolean
  /** Another process does the work of the service in it. */
  readonly isGuest: boolean
}

/** One of these databases, for its jobs. */
export interface JobDatabase extends Database {
  /** The service's own database. */
  readonly own: Ids.DatabaseId
  /** The agents and leaders whose models read runs. */
  readonly sources: JobModel.Sources
  /** Whether contents are embedded again whose embedder has changed. */
  readonly embedAgain: boolean
}

/** What the application declares, and the limits of its service. */
type DeclaredContext =
  | AgentRegistry
  | EmbedderCatalog
  | FactoryResolver
  | ModelCatalog
  | StoreLimits
  | TeamRegistry
  | WorkflowRegistry

/** What `service` can use: declarations, the stores of the service's own database, which is open, and its accounts. */
export type ServiceContext =
  | DatabaseIds
  | DeclaredContext
  | Instruments
  | Secrets
  | ServiceAccountStore
  | StoreServices

/** Why a feature prevents the start of a service. */
export type StartFailure = DuplicateKnowledge | InvalidDeclarations | SandboxMissing

/** What is in the place of `starts`: the stores of the service's own database. */
export type StartContext = CallSender | DeclaredContext | Secrets | ServedServices

/** What is in the place of `runs` and of `agents`: the stores of one database, and its signals in this process. */
export type RunContext = JobCancelSignal | JobSignal | RunEndSignal | RunResumeSignal | StartContext

/** What `workers` and `jobs` can use: the stores and the engine of one database. */
export type WorkerContext = Jobs | RunContext | RunEngine | StoredComponents

/** What `requests` and the handlers can use: all databases, and the service of runs. */
export type RequestContext =
  | Authenticator
  | ComponentDatabases
  | DatabaseIds
  | Databases
  | Roles
  | RunScopes
  | RunService
  | ScopeTable
  | ServedDatabases
  | ServerSettings
  | ServiceAccounts
  | StartContext
  | Stopping
  | StoredComponents

/** What handlers have beside that: the middleware of endpoints, and the limits of bodies. */
export type HandlerContext =
  | Authorization
  | ContractErrors
  | Forms
  | HttpRouter.Request<"Requires", CurrentPrincipal>
  | RequestContext

/** The stores of a feature, by the names that `FeatureStores` declares. */
export interface Stores {
  readonly services: Named
  /** The stores on PostgreSQL. */
  readonly layer: Layer.Layer<never, never, SqlServices>
  /** The stores in memory. */
  readonly inMemory: Layer.Layer<never>
}

interface Stored {
  readonly stores?: Stores | undefined
  /** The tables of the feature. They may refer to those of the engine. */
  readonly migrations?: MigrationSet | undefined
  /** What the retention removes of these tables. */
  readonly expiry: Effect.Effect<ExpirySteps>
}

/** What a feature does in a service that has it. */
export interface Live<Settings, Provided, Routed, Handled> {
  /** The handlers of the groups, made by `group`. */
  readonly handlers?: Layer.Layer<Handled, never, HandlerContext | NoInfer<Provided> | NoInfer<Routed>>
  /** The stores on PostgreSQL. */
  readonly stores?: Layer.Layer<never, never, SqlServices>
  readonly expiry?: ExpirySteps<NoInfer<Settings>>
  /**
   * Services that exist once in a service. They are built before its databases, after those of the features before it.
   * `Effect.serviceOption` reads one of another feature, which can be left out.
   */
  readonly service?: (settings: Settings, service: Service) => Layer.Layer<Provided, StartFailure, ServiceContext>
  /** What runs use in each database. It is closed after the engine of the database. */
  readonly runs?: (
    settings: Settings,
    database: Database
  ) => Layer.Layer<never, never, NoInfer<Provided> | RunContext>
  /** What agents get in the runs of each database if their options use the part that has the name of the feature. */
  readonly agents?: (
    settings: Settings,
    database: Database
  ) => Effect.Effect<ServedPart["forAgent"], never, NoInfer<Provided> | RunContext>
  /** What knows the engine of each database. It is closed after the workers, and before the engine. */
  readonly engines?: (
    settings: Settings,
    database: Database
  ) => Layer.Layer<never, never, NoInfer<Provided> | RunContext | RunEngine>
  /** Loops that run in each database. */
  readonly workers?: (
    settings: Settings,
    database: Database
  ) => Layer.Layer<never, never, NoInfer<Provided> | WorkerContext>
  /** Kinds of background jobs, executed in each database. */
  readonly jobs?: (
    settings: Settings,
    database: JobDatabase
  ) => Effect.Effect<ReadonlyArray<JobKind.JobKind<never>>, never, NoInfer<Provided> | WorkerContext>
  /** What starts of runs use. It is built after all databases, and before the service of runs. */
  readonly starts?: (
    settings: Settings
  ) => Layer.Layer<never, never, NoInfer<Provided> | ServedDatabases | StartContext>
  /**
   * The kinds of resources that the application can declare in code and the feature stores. They are applied after
   * the services of handlers are built, and before requests are served.
   */
  readonly declares?: (
    settings: Settings,
    service: Service
  ) => Effect.Effect<
    ReadonlyArray<Declaration.Kind>,
    StorageUnavailable,
    NoInfer<Provided> | NoInfer<Routed> | RequestContext
  >
  /** Services of handlers. They are built after all databases. */
  readonly requests?: (
    settings: Settings,
    service: Service
  ) => Layer.Layer<Routed, never, NoInfer<Provided> | RequestContext>
  /** What acts for service accounts without a request of theirs: when an account is revoked, it ends as well. */
  readonly endsWithAccount?: (
    settings: Settings
  ) => Effect.Effect<EndsWithAccount, never, NoInfer<Provided> | NoInfer<Routed> | RequestContext>
}

type ServiceOf<Group> = Group extends HttpApiGroup.Constraint ? HttpApiGroup.Service<"svc", Group["identifier"]> : never

export interface Options<
  Name extends string,
  Settings,
  Provided,
  Routed,
  Groups extends ReadonlyArray<HttpApiGroup.Constraint>
> {
  /** Names the feature in settings, in messages and in the option `without` of a service. */
  readonly name: Name
  /** Groups of endpoints. `Api.ts` lists them too, because the type of the client depends on it. */
  readonly groups: Groups
  /** Environment variables. */
  readonly settings?: Env.Config<Settings>
  /** The option of the application with resources that `declares` of `live.ts` applies. */
  readonly declared?: DeclaredOption
  /** Why what is declared cannot be used with these settings: a sentence. It is known before the database is open. */
  readonly problemOf?: (settings: NoInfer<Settings>, declarable: Declarable) => string | undefined
  /** The stores, by the names that `FeatureStores` declares. */
  readonly stores?: Named
  /**
   * Imports the stores in memory, for services of tests. If other stores read their rows, or change them, they are in
   * `testing/src/stores` instead.
   */
  readonly inMemory?: () => Promise<{ readonly layer: Layer.Layer<never, never, StoreServices> }>
  /** The tables of the feature. They may refer to those of the engine. */
  readonly migrations?: MigrationSet
  /** Imports what the feature does. A service without the feature does not load it. */
  readonly load: () => Promise<{
    readonly live: Live<NoInfer<Settings>, Provided, Routed, ServiceOf<NoInfer<Groups>[number]>>
  }>
}

/** A feature with its settings. Each layer provides its services, although their types are not known any more. */
export interface Configured extends Stored {
  readonly name: string
  readonly groups: ReadonlyArray<HttpApiGroup.Constraint>
  readonly problemOf: (declarable: Declarable) => string | undefined
  readonly handlers: Layer.Layer<never>
  readonly service: (service: Service) => Layer.Layer<never, StartFailure>
  readonly runs: (database: Database) => Layer.Layer<never>
  readonly agents: (database: Database) => Effect.Effect<ReadonlyArray<ServedPart>>
  readonly engines: (database: Database) => Layer.Layer<never>
  readonly workers: (database: Database) => Layer.Layer<never>
  readonly jobs: (database: JobDatabase) => Effect.Effect<ReadonlyArray<JobKind.JobKind<never>>>
  readonly starts: () => Layer.Layer<never>
  readonly declares: (service: Service) => Effect.Effect<ReadonlyArray<Declaration.Kind>, StorageUnavailable>
  readonly requests: (service: Service) => Layer.Layer<never>
  /** What `expiry` removes, with the ages of the settings. */
  readonly retention: Effect.Effect<ReadonlyArray<Task>>
}

export interface Feature<Name extends string = string> extends Stored {
  readonly name: Name
  readonly groups: ReadonlyArray<HttpApiGroup.Constraint>
  readonly settings: Env.Config<unknown>
  readonly declared: DeclaredOption | undefined
  /** `settings` has what `Feature.settings` read. */
  readonly configure: (settings: unknown) => Configured
}

/** Checks that each part of a feature needs only what it has in its place. */
export const live = <Settings = undefined, Provided = never, Routed = never, Handled = never>(
  parts: Live<Settings, Provided, Routed, Handled>
): Live<Settings, Provided, Routed, Handled> => parts

const inMemory = (load: Options<string, unknown, never, never, []>["inMemory"]): Layer.Layer<never> =>
  load === undefined
    ? Layer.empty
    : Layer.unwrap(
      Effect.map(Effect.promise(load), ({ layer }: { readonly layer: object }) => layer as Layer.Layer<never>)
    )

export const make = <
  const Name extends string,
  const Groups extends ReadonlyArray<HttpApiGroup.Constraint>,
  Settings = undefined,
  Provided = never,
  Routed = never
>(options: Options<Name, Settings, Provided, Routed, Groups>): Feature<Name> => {
  const { groups, migrations, name } = options
  type Loaded = Awaited<ReturnType<typeof options.load>>["live"]
  let live: Loaded | undefined
  const load = Effect.map(Effect.promise(options.load), (module) => live = module.live)
  // each part of each service looks here, and an import takes a while though the module is loaded
  const loaded = Effect.suspend(() => live === undefined ? load : Effect.succeed(live))
  // the types were checked, and a list of features has no common one
  const layerOf = (layer: (live: Loaded) => Layer.Layer<never, unknown, never> | object | undefined) =>
    Layer.unwrap(Effect.map(loaded, (live) => (layer(live) ?? Layer.empty) as Layer.Layer<never>))
  const stored = {
    expiry: Effect.map(loaded, ({ expiry = {} }) => expiry),
    migrations,
    stores: options.stores === undefined
      ? undefined
      : { services: options.stores, layer: layerOf(({ stores }) => stores), inMemory: inMemory(options.inMemory) }
  }
  return {
    ...stored,
    name,
    groups,
    settings: options.settings ?? Env.succeed(undefined),
    declared: options.declared,
    configure: (given) => {
      const settings = given as Settings
      // while the database opens
      if (live === undefined) options.load().catch(() => undefined)
      const erased = {
        ...stored,
        name,
        groups,
        problemOf: (declarable: Declarable) => options.problemOf?.(settings, declarable),
        handlers: layerOf(({ handlers }) => handlers),
        service: (around: Service) => layerOf(({ service }) => service?.(settings, around)),
        runs: (database: Database) => layerOf(({ runs }) => runs?.(settings, database)),
        agents: (database: Database) =>
          Effect.flatMap(loaded, ({ agents }) =>
            agents === undefined
              ? Effect.succeed([])
              : Effect.map(agents(settings, database), (forAgent): ReadonlyArray<ServedPart> => [{ name, forAgent }])),
        engines: (database: Database) => layerOf(({ engines }) => engines?.(settings, database)),
        workers: (database: Database) => layerOf(({ workers }) => workers?.(settings, database)),
        jobs: (database: JobDatabase) =>
          Effect.flatMap(loaded, ({ jobs }) => jobs?.(settings, database) ?? Effect.succeed([])),
        starts: () => layerOf(({ starts }) => starts?.(settings)),
        declares: (around: Service) =>
          Effect.flatMap(loaded, ({ declares }) => declares?.(settings, around) ?? Effect.succeed([])),
        requests: (around: Service) =>
          layerOf(({ endsWithAccount, requests }) => {
            const services = requests?.(settings, around) ?? Layer.empty
            if (endsWithAccount === undefined) return services
            const added = Effect.flatMap(
              endsWithAccount(settings),
              (ends) => Effect.flatMap(ServiceAccounts, ({ endWithAccounts }) => endWithAccounts(ends))
            )
            return Layer.provideMerge(Layer.effectDiscard(added), services)
          }),
        retention: Effect.map(loaded, ({ expiry = {} }) => tasksOf(expiry, settings))
      }
      return erased as unknown as Configured
    }
  }
}
