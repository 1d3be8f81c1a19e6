// What every database contains: the sets of migrations that make its tables, and the stores on them. A resource adds a
// line to each. A folder is not read instead, because a bundle of a service has no folder.
import * as SqlComponentStore from "@svc-runtime/features/components/SqlComponentStore"
import * as SqlDatasetStore from "@svc-runtime/features/evaluation/SqlDatasetStore"
import * as SqlEvalRunStore from "@svc-runtime/features/evaluation/SqlEvalRunStore"
import * as SqlExperimentStore from "@svc-runtime/features/evaluation/SqlExperimentStore"
import * as SqlFeedbackStore from "@svc-runtime/features/feedback/SqlFeedbackStore"
import * as SqlChunkStore from "@svc-runtime/features/knowledge/SqlChunkStore"
import * as SqlContentStore from "@svc-runtime/features/knowledge/SqlContentStore"
import * as SqlLearningStore from "@svc-runtime/features/learning/SqlLearningStore"
import * as SqlMemorySettingsStore from "@svc-runtime/features/memory/SqlMemorySettingsStore"
import * as SqlMemoryStore from "@svc-runtime/features/memory/SqlMemoryStore"
import * as SqlMemoryVectorStore from "@svc-runtime/features/memory/SqlMemoryVectorStore"
import * as SqlMetricsStore from "@svc-runtime/features/metrics/SqlMetricsStore"
import * as SqlUsageStore from "@svc-runtime/features/metrics/SqlUsageStore"
import * as SqlScheduleRunStore from "@svc-runtime/features/schedules/SqlScheduleRunStore"
import * as SqlScheduleStore from "@svc-runtime/features/schedules/SqlScheduleStore"
import * as SqlTaskPushStore from "@svc-runtime/features/taskPush/SqlTaskPushStore"
import * as SqlTraceStore from "@svc-runtime/features/traces/SqlTraceStore"
import * as SqlDeliveryStore from "@svc-runtime/features/webhooks/SqlDeliveryStore"
import * as SqlWebhookStore from "@svc-runtime/features/webhooks/SqlWebhookStore"
import { Layer } from "effect"
import { accounts } from "./migrations/accounts.ts"
import { components } from "./migrations/components.ts"
import { engine } from "./migrations/engine.ts"
import { evaluation } from "./migrations/evaluation.ts"
import { feedback } from "./migrations/feedback.ts"
import { knowledge } from "./migrations/knowledge.ts"
import { learning } from "./migrations/learning.ts"
import { media } from "./migrations/media.ts"
import { memory } from "./migrations/memory.ts"
import { metrics } from "./migrations/metrics.ts"
import { schedules } from "./migrations/schedules.ts"
import { taskPushes } from "./migrations/taskPushes.ts"
import { traces } from "./migrations/traces.ts"
import { webhooks } from "./migrations/webhooks.ts"
import type { MigrationSet } from "./sql/MigrationSet.ts"
import * as SqlApprovalStore from "./SqlApprovalStore.ts"
import * as SqlIdempotencyStore from "./SqlIdempotencyStore.ts"
import * as SqlJobStore from "./SqlJobStore.ts"
import * as SqlMediaStore from "./SqlMediaStore.ts"
import * as SqlRetentionStore from "./SqlRetentionStore.ts"
import * as SqlRunStore from "./SqlRunStore.ts"
import * as SqlSessionStore from "./SqlSessionStore.ts"

/** In a fixed order. The engine is first: the others may refer to its tables, and not to those of each other. */
export const migrationSets: ReadonlyArray<MigrationSet> = [
  engine,
  accounts,
  schedules,
  memory,
  learning,
  knowledge,
  evaluation,
  components,
  traces,
  metrics,
  feedback,
  media,
  taskPushes,
  webhooks
]

export const stores = Layer.mergeAll(
  SqlSessionStore.layer,
  SqlRunStore.layer,
  SqlApprovalStore.layer,
  SqlIdempotencyStore.layer,
  SqlRetentionStore.layer,
  SqlJobStore.layer,
  SqlMemoryStore.layer,
  SqlMemoryVectorStore.layer,
  SqlLearningStore.layer,
  SqlMemorySettingsStore.layer,
  SqlContentStore.layer,
  SqlChunkStore.layer,
  SqlMetricsStore.layer,
  SqlTraceStore.layer,
  SqlEvalRunStore.layer,
  SqlComponentStore.layer,
  SqlDatasetStore.layer,
  SqlExperimentStore.layer,
  SqlFeedbackStore.layer,
  SqlScheduleRunStore.layer,
  SqlScheduleStore.layer,
  SqlTaskPushStore.layer,
  SqlMediaStore.layer,
  SqlUsageStore.layer,
  SqlWebhookStore.layer,
  SqlDeliveryStore.layer
)
