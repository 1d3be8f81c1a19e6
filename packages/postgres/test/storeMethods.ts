// The methods of all stores of a database, for tests that have to call each of them. A store that is missing here fails
// them.
import { assert } from "@effect/vitest"
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import { OAuthStore, ServiceAccountStore } from "@svc-runtime/auth"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { UsageStore } from "@svc-runtime/engine/run/store/UsageStore"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { DatasetStore } from "@svc-runtime/features/evaluation/datasets/DatasetStore"
import { EvalRunStore } from "@svc-runtime/features/evaluation/EvalRunStore"
import { ExperimentStore } from "@svc-runtime/features/evaluation/experiments/ExperimentStore"
import { FeedbackStore } from "@svc-runtime/features/feedback/FeedbackStore"
import { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import { LearningStore } from "@svc-runtime/features/learning/LearningStore"
import { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import { MemoryVectorStore } from "@svc-runtime/features/memory/MemoryVectorStore"
import { MetricsStore } from "@svc-runtime/features/metrics/MetricsStore"
import { ScheduleRunStore } from "@svc-runtime/features/schedules/ScheduleRunStore"
import { ScheduleStore } from "@svc-runtime/features/schedules/ScheduleStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { TaskPushStore } from "@svc-runtime/features/taskPush/TaskPushStore"
import { TraceStore } from "@svc-runtime/features/traces/TraceStore"
import { DeliveryStore } from "@svc-runtime/features/webhooks/DeliveryStore"
import { WebhookStore } from "@svc-runtime/features/webhooks/WebhookStore"
import { Effect, Layer } from "effect"
import * as Migrations from "../src/Migrations.ts"
import * as SqlOAuthStore from "../src/SqlOAuthStore.ts"
import * as SqlServiceAccountStore from "../src/SqlServiceAccountStore.ts"

export const layer = Layer.mergeAll(
  SqlStores.layer,
  Layer.merge(SqlServiceAccountStore.layer, SqlOAuthStore.layer).pipe(Layer.provide(Migrations.layer))
)

/** Under their names in `Stores.ts`, and two that only the own database of the service has. */
const services = {
  accounts: ServiceAccountStore,
  approvals: ApprovalStore,
  chunks: ChunkStore,
  components: ComponentStore,
  contents: ContentStore,
  datasets: DatasetStore,
  deliveries: DeliveryStore,
  evalRuns: EvalRunStore,
  experiments: ExperimentStore,
  feedback: FeedbackStore,
  idempotency: IdempotencyStore,
  jobs: JobStore,
  learnings: LearningStore,
  media: MediaStore,
  memories: MemoryStore,
  memorySettings: MemorySettingsStore,
  memoryVectors: MemoryVectorStore,
  metrics: MetricsStore,
  oauth: OAuthStore,
  retention: RetentionStore,
  runs: RunStore,
  scheduleRuns: ScheduleRunStore,
  schedules: ScheduleStore,
  sessions: SessionStore,
  taskPushes: TaskPushStore,
  traces: TraceStore,
  usage: UsageStore,
  webhooks: WebhookStore
}

/** It executes no statement. */
const withoutStatement = "memories.follow"

/** The methods with statements that `calls` leave out. The name of a call may say more behind a comma. */
export const missing = Effect.fnUntraced(function*(calls: Readonly<Record<string, unknown>>) {
  const { mapUnsafe } = yield* Effect.context<StoreServices>()
  const listed = new Set<string>(Object.values(services).map(({ key }) => key))
  const isStore = (key: string) => /^@svc-runtime\/.*Store$/.test(key)
  // a pattern that matches no key would find nothing
  assert.deepStrictEqual([...listed].filter((key) => !isStore(key)), [])
  const unlisted = [...mapUnsafe.keys()].filter((key) => isStore(key) && !listed.has(key))
  assert.deepStrictEqual(unlisted, [], "add these stores to services in storeMethods.ts")
  const called = new Set(Object.keys(calls).map((name) => name.split(",")[0]))
  const all: Array<string> = []
  for (const [name, service] of Object.entries(services)) {
    const store: object = yield* service
    all.push(...Object.keys(store).map((method) => `${name}.${method}`))
  }
  return all.filter((name) => !called.has(name) && name !== withoutStatement)
})
