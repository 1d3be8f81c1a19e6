// The stores of a database by their names: those of the engine, and those of the features of the service. A feature
// declares its stores by declaration merging of `FeatureStores`, and gives them in its record.
import { Context, Layer } from "effect"
import { ApprovalStore } from "../approval/ApprovalStore.ts"
import { IdempotencyStore } from "../idempotency/IdempotencyStore.ts"
import { JobStore } from "../jobs/JobStore.ts"
import { MediaStore } from "../media/MediaStore.ts"
import { RetentionStore } from "../run/store/RetentionStore.ts"
import { type Ports, RunStore } from "../run/store/RunStore.ts"
import { UsageStore } from "../run/store/UsageStore.ts"
import { MemorySettingsStore } from "../session/MemorySettingsStore.ts"
import { SessionStore } from "../session/SessionStore.ts"

const ofEngine = {
  sessions: SessionStore,
  runs: RunStore,
  approvals: ApprovalStore,
  idempotency: IdempotencyStore,
  retention: RetentionStore,
  jobs: JobStore,
  media: MediaStore,
  memorySettings: MemorySettingsStore,
  usage: UsageStore
} as const

/** The stores that features declare, by name: the type of the service of each. */
export interface FeatureStores {}

type Services = typeof ofEngine & FeatureStores

interface Service {
  readonly key: string
  readonly Identifier: unknown
  readonly Service: object
}

type ServiceOf<Name extends keyof Services> = Services[Name] extends Service ? Services[Name] : never

/** Every store by its name. */
export type Stores = { readonly [Name in keyof Services]: ServiceOf<Name>["Service"] }

/** The same as services, with their names. */
export type StoreServices = ServiceOf<keyof Services>["Identifier"] | StoreNames

/** Services of stores by their names. */
export type Named = Readonly<Record<string, { readonly key: string }>>

/** The names of the stores that the features of a service have given. Layers of stores provide it. */
export class StoreNames extends Context.Service<StoreNames, Named>()("@svc-runtime/engine/database/Stores/StoreNames") {
  /** A database with the stores of the engine only. */
  static readonly layerNone: Layer.Layer<StoreNames> = Layer.succeed(StoreNames, {})
}

/** The services of the stores of a database: those of the engine and of its features. */
export const servicesIn = (context: Context.Context<StoreNames>): Named => ({
  ...ofEngine,
  ...Context.get(context, StoreNames)
})

export const fromContext = (context: Context.Context<StoreServices>): Stores =>
  Object.fromEntries(
    Object.entries(servicesIn(context)).map(([name, { key }]) => [name, context.mapUnsafe.get(key)])
  ) as Stores

/** The services that the layers of one database require: its stores, and the ports of its store of runs. */
export type ServedServices = Ports | StoreServices

/** The opposite, with the names of the context from which the stores came. */
export const toContext = (stores: Stores, names: Context.Context<StoreNames>): Context.Context<ServedServices> =>
  Context.merge(
    Context.add(
      Context.makeUnsafe<StoreServices>(
        new Map(Object.entries(servicesIn(names)).map(([name, { key }]) => [key, stores[name as keyof Stores]]))
      ),
      StoreNames,
      Context.get(names, StoreNames)
    ),
    RunStore.portsOf(stores.runs)
  )

/** The stores, each changed by a function for all of them. */
export const map = (stores: Stores, change: <Store extends object>(store: Store, name: string) => Store): Stores =>
  Object.fromEntries(
    Object.entries(stores).map(([name, store]: readonly [string, object]) => [name, change(store, name)])
  ) as Stores
