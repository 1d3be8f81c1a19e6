// The stores of a database. A line here makes a store part of every database, in memory with its `layerMemory`.
// `SqlStores.layer` of the storage package does not compile until it provides the store.
import { Context, Layer } from "effect"
import { ApprovalStore } from "../approval/ApprovalStore.ts"
import { ComponentStore } from "../component/ComponentStore.ts"
import { DatasetStore } from "../evaluation/datasets/DatasetStore.ts"
import { EvalRunStore } from "../evaluation/EvalRunStore.ts"
import { ExperimentStore } from "../evaluation/experiments/ExperimentStore.ts"
import { FeedbackStore } from "../feedback/FeedbackStore.ts"
import { IdempotencyStore } from "../idempotency/IdempotencyStore.ts"
import { MemoryDatabase } from "../inMemory/MemoryDatabase.ts"
import { JobStore } from "../jobs/JobStore.ts"
import { ChunkStore } from "../knowledge/ChunkStore.ts"
import { ContentStore } from "../knowledge/ContentStore.ts"
import { LearningStore } from "../learning/LearningStore.ts"
import { MediaStore } from "../media/MediaStore.ts"
import { MemorySettingsStore } from "../memory/MemorySettingsStore.ts"
import { MemoryStore } from "../memory/MemoryStore.ts"
import { MemoryVectorStore } from "../memory/MemoryVectorStore.ts"
import { MetricsStore } from "../metrics/MetricsStore.ts"
import { UsageStore } from "../metrics/UsageStore.ts"
import { RetentionStore } from "../run/store/RetentionStore.ts"
import { RunStore } from "../run/store/RunStore.ts"
import { ScheduleRunStore } from "../schedule/ScheduleRunStore.ts"
import { ScheduleStore } from "../schedule/ScheduleStore.ts"
import { SessionStore } from "../session/SessionStore.ts"
import { TaskPushStore } from "../taskPush/TaskPushStore.ts"
import { TraceStore } from "../trace/TraceStore.ts"
import { DeliveryStore } from "../webhook/DeliveryStore.ts"
import { WebhookStore } from "../webhook/WebhookStore.ts"

const services = {
  sessions: SessionStore,
  runs: RunStore,
  approvals: ApprovalStore,
  idempotency: IdempotencyStore,
  retention: RetentionStore,
  jobs: JobStore,
  memories: MemoryStore,
  memoryVectors: MemoryVectorStore,
  learnings: LearningStore,
  memorySettings: MemorySettingsStore,
  contents: ContentStore,
  chunks: ChunkStore,
  metrics: MetricsStore,
  traces: TraceStore,
  evalRuns: EvalRunStore,
  components: ComponentStore,
  datasets: DatasetStore,
  experiments: ExperimentStore,
  feedback: FeedbackStore,
  scheduleRuns: ScheduleRunStore,
  schedules: ScheduleStore,
  usage: UsageStore,
  webhooks: WebhookStore,
  deliveries: DeliveryStore,
  taskPushes: TaskPushStore,
  media: MediaStore
} as const

type Services = typeof services

/** Every store by its name. */
export type Stores = { readonly [Name in keyof Services]: Services[Name]["Service"] }

/** The same as services. */
export type StoreServices = Services[keyof Services]["Identifier"]

export const fromContext = (context: Context.Context<StoreServices>): Stores => {
  const entries = Object.entries(services).map(([name, { key }]) => [name, context.mapUnsafe.get(key)])
  return Object.fromEntries(entries) as Stores
}

/** The opposite: the stores as the services that the layers of one database require. */
export const toContext = (stores: Stores): Context.Context<StoreServices> =>
  Context.makeUnsafe(
    new Map(Object.entries(services).map(([name, { key }]) => [key, stores[name as keyof Services]]))
  )

/** The stores, each changed by a function for all of them. */
export const map = (stores: Stores, change: <Store extends object>(store: Store, name: string) => Store): Stores =>
  Object.fromEntries(
    Object.keys(services).map((name) => [name, change(stores[name as keyof Services], name)])
  ) as Stores

/** Stores in memory that see each other's rows. Each build is a database of its own. */
export const layerMemory: Layer.Layer<StoreServices> = Layer.fresh(
  Layer.mergeAll(Layer.empty, ...Object.values(services).map((store) => store.layerMemory)).pipe(
    Layer.provide(MemoryDatabase.layer)
  )
)
