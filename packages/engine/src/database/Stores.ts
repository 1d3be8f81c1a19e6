// The stores of a database. A line here makes a store part of every database, in memory with its `layerMemory`.
// `SqlStores.layer` of the storage package does not compile until it provides the store.
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { DatasetStore } from "@svc-runtime/features/evaluation/datasets/DatasetStore"
import { EvalRunStore } from "@svc-runtime/features/evaluation/EvalRunStore"
import { ExperimentStore } from "@svc-runtime/features/evaluation/experiments/ExperimentStore"
import { FeedbackStore } from "@svc-runtime/features/feedback/FeedbackStore"
import { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import { LearningStore } from "@svc-runtime/features/learning/LearningStore"
import { MemorySettingsStore } from "@svc-runtime/features/memory/MemorySettingsStore"
import { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import { MemoryVectorStore } from "@svc-runtime/features/memory/MemoryVectorStore"
import { MetricsStore } from "@svc-runtime/features/metrics/MetricsStore"
import { UsageStore } from "@svc-runtime/features/metrics/UsageStore"
import { ScheduleRunStore } from "@svc-runtime/features/schedules/ScheduleRunStore"
import { ScheduleStore } from "@svc-runtime/features/schedules/ScheduleStore"
import { TaskPushStore } from "@svc-runtime/features/taskPush/TaskPushStore"
import { TraceStore } from "@svc-runtime/features/traces/TraceStore"
import { DeliveryStore } from "@svc-runtime/features/webhooks/DeliveryStore"
import { WebhookStore } from "@svc-runtime/features/webhooks/WebhookStore"
import { Context, Layer } from "effect"
import { ApprovalStore } from "../approval/ApprovalStore.ts"
import { IdempotencyStore } from "../idempotency/IdempotencyStore.ts"
import { JobStore } from "../jobs/JobStore.ts"
import { MediaStore } from "../media/MediaStore.ts"
import { RetentionStore } from "../run/store/RetentionStore.ts"
import { type Ports, RunStore } from "../run/store/RunStore.ts"
import { SessionStore } from "../session/SessionStore.ts"

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

/** The services that the layers of one database require: its stores, and the ports of its store of runs. */
export type ServedServices = StoreServices | Ports

/** The opposite. */
export const toContext = (stores: Stores): Context.Context<ServedServices> =>
  Context.merge(
    Context.makeUnsafe<StoreServices>(
      new Map(Object.entries(services).map(([name, { key }]) => [key, stores[name as keyof Services]]))
    ),
    RunStore.portsOf(stores.runs)
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
