// The stores in memory, for tests without a database. They see the rows of each other. Each is a layer with the name of
// its port.
import { ComponentStore as ComponentStorePort } from "@svc-runtime/agents/component/ComponentStore"
import { OAuthStore as OAuthStorePort, ServiceAccountStore as ServiceAccountStorePort } from "@svc-runtime/auth"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as UsageHour from "@svc-runtime/domain/UsageHour"
import * as UsageSums from "@svc-runtime/domain/UsageSums"
import { ApprovalStore as ApprovalStorePort } from "@svc-runtime/engine/approval/ApprovalStore"
import { StoreNames, type StoreServices } from "@svc-runtime/engine/database/Stores"
import { type Claim, IdempotencyStore as IdempotencyStorePort } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import { JobStore as JobStorePort } from "@svc-runtime/engine/jobs/JobStore"
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { MediaStore as MediaStorePort } from "@svc-runtime/engine/media/MediaStore"
import { RetentionStore as RetentionStorePort } from "@svc-runtime/engine/run/store/RetentionStore"
import { RunStore as RunStorePort } from "@svc-runtime/engine/run/store/RunStore"
import { hoursOf, UsageStore as UsageStorePort } from "@svc-runtime/engine/run/store/UsageStore"
import { MemorySettingsStore as MemorySettingsStorePort } from "@svc-runtime/engine/session/MemorySettingsStore"
import { SessionStore as SessionStorePort } from "@svc-runtime/engine/session/SessionStore"
import { DatasetStore as DatasetStorePort } from "@svc-runtime/features/evaluation/datasets/DatasetStore"
import { EvalRunStore as EvalRunStorePort } from "@svc-runtime/features/evaluation/EvalRunStore"
import { ExperimentStore as ExperimentStorePort } from "@svc-runtime/features/evaluation/experiments/ExperimentStore"
import * as FeatureList from "@svc-runtime/features/features"
import { FeedbackStore as FeedbackStorePort } from "@svc-runtime/features/feedback/FeedbackStore"
import { ChunkStore as ChunkStorePort } from "@svc-runtime/features/knowledge/ChunkStore"
import { ContentStore as ContentStorePort } from "@svc-runtime/features/knowledge/ContentStore"
import { LearningStore as LearningStorePort } from "@svc-runtime/features/learning/LearningStore"
import { MemoryStore as MemoryStorePort } from "@svc-runtime/features/memory/MemoryStore"
import { MemoryVectorStore as MemoryVectorStorePort } from "@svc-runtime/features/memory/MemoryVectorStore"
import { MetricsStore as MetricsStorePort } from "@svc-runtime/features/metrics/MetricsStore"
import { RolloutStore as RolloutStorePort } from "@svc-runtime/features/rollouts/RolloutStore"
import { ScheduleRunStore as ScheduleRunStorePort } from "@svc-runtime/features/schedules/ScheduleRunStore"
import { ScheduleStore as ScheduleStorePort } from "@svc-runtime/features/schedules/ScheduleStore"
import { TaskPushStore as TaskPushStorePort } from "@svc-runtime/features/taskPush/TaskPushStore"
import { DeliveryStore as DeliveryStorePort } from "@svc-runtime/features/webhooks/DeliveryStore"
import { WebhookStore as WebhookStorePort } from "@svc-runtime/features/webhooks/WebhookStore"
import { Clock, Effect, Layer } from "effect"
import * as InMemoryMemories from "./InMemoryMemories.ts"
import * as InMemoryVectors from "./InMemoryVectors.ts"
import * as MemoryApprovals from "./MemoryApprovals.ts"
import * as MemoryChunks from "./MemoryChunks.ts"
import * as MemoryComponents from "./MemoryComponents.ts"
import * as MemoryContents from "./MemoryContents.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as MemoryDatasets from "./MemoryDatasets.ts"
import * as MemoryDeliveries from "./MemoryDeliveries.ts"
import * as MemoryEvalRuns from "./MemoryEvalRuns.ts"
import * as MemoryExperiments from "./MemoryExperiments.ts"
import * as MemoryFeedback from "./MemoryFeedback.ts"
import * as MemoryJobs from "./MemoryJobs.ts"
import * as MemoryLearnings from "./MemoryLearnings.ts"
import * as MemoryMedia from "./MemoryMedia.ts"
import * as MemoryMetrics from "./MemoryMetrics.ts"
import * as MemoryOAuth from "./MemoryOAuth.ts"
import * as MemoryRollouts from "./MemoryRollouts.ts"
import * as MemoryRuns from "./MemoryRuns.ts"
import * as MemoryScheduleRuns from "./MemoryScheduleRuns.ts"
import * as MemorySchedules from "./MemorySchedules.ts"
import * as MemoryServiceAccounts from "./MemoryServiceAccounts.ts"
import * as MemorySessions from "./MemorySessions.ts"
import * as MemoryTaskPushes from "./MemoryTaskPushes.ts"
import * as MemoryWebhooks from "./MemoryWebhooks.ts"

export const ComponentStore: Layer.Layer<ComponentStorePort, never, MemoryDatabase | StoreLimits> = Layer.effect(
  ComponentStorePort,
  Effect.gen(function*() {
    return ComponentStorePort.of(MemoryComponents.make(yield* MemoryDatabase, (yield* StoreLimits).response))
  })
)

export const OAuthStore: Layer.Layer<OAuthStorePort> = Layer.sync(
  OAuthStorePort,
  () => OAuthStorePort.of(MemoryOAuth.make())
)

export const ServiceAccountStore: Layer.Layer<ServiceAccountStorePort> = Layer.sync(
  ServiceAccountStorePort,
  () => ServiceAccountStorePort.of(MemoryServiceAccounts.make())
)

export const JobStore: Layer.Layer<JobStorePort, never, MemoryDatabase> = Layer.effect(
  JobStorePort,
  MemoryDatabase.useSync((database) => JobStorePort.of(MemoryJobs.make(database)))
)

export const MediaStore: Layer.Layer<MediaStorePort, never, MemoryDatabase> = Layer.effect(
  MediaStorePort,
  MemoryDatabase.useSync((database) => MediaStorePort.of(MemoryMedia.make(database)))
)

export const SessionStore: Layer.Layer<SessionStorePort, never, MemoryDatabase | StoreLimits> = Layer.effect(
  SessionStorePort,
  Effect.gen(function*() {
    return SessionStorePort.of(MemorySessions.make(yield* MemoryDatabase, (yield* StoreLimits).response))
  })
)

export const IdempotencyStore: Layer.Layer<IdempotencyStorePort> = Layer.sync(IdempotencyStorePort, () => {
  const claims = new Map<string, { readonly claim: Claim; readonly freeFrom: number }>()
  return IdempotencyStorePort.of({
    claim: (claim) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        const known = claims.get(claim.key)
        if (known !== undefined && known.freeFrom > time) return known.claim
        claims.set(claim.key, { claim, freeFrom: time + (claim.expires_at - claim.created_at) * 1000 })
        return claim
      }),
    release: ({ claim_id, key }) =>
      Effect.sync(() => {
        if (claims.get(key)?.claim.claim_id === claim_id) claims.delete(key)
      })
  })
})

export const RunStore: Layer.Layer<RunStorePort, never, MemoryDatabase | StoreLimits> = Layer.effect(
  RunStorePort,
  Effect.gen(function*() {
    const limits = yield* StoreLimits
    return RunStorePort.of(
      MemoryRuns.make(yield* MemoryDatabase, {
        history: limits.history,
        answer: limits.response
      })
    )
  })
)

export const RetentionStore: Layer.Layer<RetentionStorePort> = Layer.succeed(
  RetentionStorePort,
  RetentionStorePort.of({
    paused: () => Effect.succeed([]),
    prune: () => Effect.succeed(0)
  })
)

export const ApprovalStore: Layer.Layer<ApprovalStorePort, never, MemoryDatabase> = Layer.effect(
  ApprovalStorePort,
  MemoryDatabase.useSync((database) => ApprovalStorePort.of(MemoryApprovals.make(database)))
)

export const TaskPushStore: Layer.Layer<TaskPushStorePort, never, MemoryDatabase> = Layer.effect(
  TaskPushStorePort,
  MemoryDatabase.useSync((database) => TaskPushStorePort.of(MemoryTaskPushes.make(database)))
)

export const ScheduleStore: Layer.Layer<ScheduleStorePort, never, MemoryDatabase> = Layer.effect(
  ScheduleStorePort,
  MemoryDatabase.useSync((database) => ScheduleStorePort.of(MemorySchedules.make(database)))
)

export const ScheduleRunStore: Layer.Layer<ScheduleRunStorePort, never, MemoryDatabase> = Layer.effect(
  ScheduleRunStorePort,
  MemoryDatabase.useSync((database) => ScheduleRunStorePort.of(MemoryScheduleRuns.make(database)))
)

export const EvalRunStore: Layer.Layer<EvalRunStorePort, never, MemoryDatabase | StoreLimits> = Layer.effect(
  EvalRunStorePort,
  Effect.gen(function*() {
    return EvalRunStorePort.of(MemoryEvalRuns.make(yield* MemoryDatabase, (yield* StoreLimits).response))
  })
)

export const DatasetStore: Layer.Layer<DatasetStorePort, never, MemoryDatabase | StoreLimits> = Layer.effect(
  DatasetStorePort,
  Effect.gen(function*() {
    return DatasetStorePort.of(MemoryDatasets.make(yield* MemoryDatabase, (yield* StoreLimits).response))
  })
)

export const ExperimentStore: Layer.Layer<ExperimentStorePort, never, MemoryDatabase | StoreLimits> = Layer.effect(
  ExperimentStorePort,
  Effect.gen(function*() {
    return ExperimentStorePort.of(MemoryExperiments.make(yield* MemoryDatabase, (yield* StoreLimits).response))
  })
)

export const MetricsStore: Layer.Layer<MetricsStorePort, never, MemoryDatabase> = Layer.effect(
  MetricsStorePort,
  MemoryDatabase.useSync((database) => MetricsStorePort.of(MemoryMetrics.make(database)))
)

export const UsageStore: Layer.Layer<UsageStorePort, never, MemoryDatabase> = Layer.effect(
  UsageStorePort,
  MemoryDatabase.useSync(({ endedRuns, usageHours }) =>
    UsageStorePort.of({
      rollUp: () =>
        Effect.sync(() => {
          const ended = endedRuns.splice(0)
          const sums = UsageSums.make()
          usageHours.splice(0).forEach(sums.add)
          ended.forEach(sums.addEnded)
          usageHours.push(...sums.rows())
          return ended.length
        }),
      forget: (user_id) =>
        Effect.sync(() => {
          const unnamed = <Row extends { readonly user_id: string }>(row: Row): Row =>
            row.user_id === user_id ? { ...row, user_id: "" } : row
          endedRuns.push(...endedRuns.splice(0).map(unnamed))
          const sums = UsageSums.make()
          for (const row of usageHours.splice(0)) sums.add(unnamed(row))
          usageHours.push(...sums.rows())
        }),
      list: (filter, page) =>
        Effect.sync(() => {
          const hours = hoursOf(filter.interval)
          const keys: ReadonlyArray<string> = filter.group === undefined ? [] : UsageHour.groupKeys[filter.group]
          const rows = usageHours.filter((row) =>
            row.hour >= filter.from && row.hour < filter.to &&
            Owner.covers(filter.owner, row.user_id as never) &&
            (filter.component === undefined ||
              (row.kind === filter.component.kind && row.component_id === filter.component.id)) &&
            (filter.model_id === undefined || row.model_id === filter.model_id)
          )
          const sums = UsageSums.make()
          for (const row of rows) {
            sums.add({
              ...row,
              hour: Math.floor(row.hour / hours) * hours,
              ...(keys.includes("kind") ? {} : { kind: "agent", component_id: "" }),
              ...(keys.includes("user_id") ? {} : { user_id: "" }),
              ...(keys.includes("model_id") ? {} : { model_id: "", model_provider: "" })
            })
          }
          const hidden = ["kind", "component_id", "user_id", "model_id", "model_provider"]
            .filter((name) => !keys.includes(name))
          const figures = sums.rows().map((row) =>
            Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.includes(name))) as UsageHour.Figures
          ).sort((one, other) => one.hour - other.hour)
          return { figures: Pagination.slice(page, figures), total: figures.length }
        })
    })
  )
)

export const FeedbackStore: Layer.Layer<FeedbackStorePort, never, MemoryDatabase> = Layer.effect(
  FeedbackStorePort,
  MemoryDatabase.useSync((database) => FeedbackStorePort.of(MemoryFeedback.make(database)))
)

export const RolloutStore: Layer.Layer<RolloutStorePort, never, MemoryDatabase> = Layer.effect(
  RolloutStorePort,
  MemoryDatabase.useSync((database) => RolloutStorePort.of(MemoryRollouts.make(database)))
)

export const ChunkStore: Layer.Layer<ChunkStorePort, never, MemoryDatabase | StoreLimits> = Layer.effect(
  ChunkStorePort,
  Effect.gen(function*() {
    return ChunkStorePort.of(MemoryChunks.make(yield* MemoryDatabase, (yield* StoreLimits).response))
  })
)

export const ContentStore: Layer.Layer<ContentStorePort, never, MemoryDatabase | StoreLimits> = Layer.effect(
  ContentStorePort,
  Effect.gen(function*() {
    return ContentStorePort.of(MemoryContents.make(yield* MemoryDatabase, (yield* StoreLimits).response))
  })
)

export const WebhookStore: Layer.Layer<WebhookStorePort, never, MemoryDatabase> = Layer.effect(
  WebhookStorePort,
  MemoryDatabase.useSync((database) => WebhookStorePort.of(MemoryWebhooks.make(database)))
)

export const DeliveryStore: Layer.Layer<DeliveryStorePort, never, MemoryDatabase> = Layer.effect(
  DeliveryStorePort,
  Effect.flatMap(
    MemoryDatabase,
    (database) => Effect.map(MemoryDeliveries.make(database), (store) => DeliveryStorePort.of(store))
  )
)

export const LearningStore: Layer.Layer<LearningStorePort, never, MemoryDatabase | StoreLimits> = Layer.effect(
  LearningStorePort,
  Effect.gen(function*() {
    const { learnings, response } = yield* StoreLimits
    return LearningStorePort.of(MemoryLearnings.make(yield* MemoryDatabase, response, learnings))
  })
)

export const MemorySettingsStore: Layer.Layer<MemorySettingsStorePort, never, MemoryDatabase> = Layer.effect(
  MemorySettingsStorePort,
  MemoryDatabase.useSync(({ erasures, withoutMemory }) =>
    MemorySettingsStorePort.of({
      isEnabled: (user_id) => Effect.sync(() => !withoutMemory.has(user_id)),
      set: (user_id, enabled) =>
        Effect.sync(() => {
          if (enabled) withoutMemory.delete(user_id)
          else withoutMemory.add(user_id)
        }),
      listDisabled: (after, count) =>
        Effect.sync(() =>
          [...withoutMemory].filter((user_id) => after === undefined || user_id > after).sort().slice(0, count)
        ),
      disable: (user_ids) => Effect.sync(() => user_ids.forEach((user_id) => withoutMemory.add(user_id))),
      atomically: (effect) => effect,
      recordErasure: (erasure) => Effect.sync(() => void erasures.push(erasure)),
      erasuresOf: (user_id) => Effect.sync(() => erasures.filter((erasure) => erasure.user_id === user_id))
    })
  )
)

export const MemoryVectorStore: Layer.Layer<MemoryVectorStorePort, never, MemoryDatabase> = Layer.effect(
  MemoryVectorStorePort,
  Effect.map(MemoryDatabase, (database) => MemoryVectorStorePort.of(InMemoryVectors.make(database)))
)

export const MemoryStore: Layer.Layer<MemoryStorePort, never, MemoryDatabase | StoreLimits> = Layer.effect(
  MemoryStorePort,
  Effect.gen(function*() {
    const { memories, response } = yield* StoreLimits
    return MemoryStorePort.of(InMemoryMemories.make(yield* MemoryDatabase, response, memories))
  })
)

/** The stores that see the rows of each other. Those of the records of features have rows of their own. */
const shared = Layer.mergeAll(
  Layer.succeed(StoreNames, FeatureList.storeNames(FeatureList.features)),
  ComponentStore,
  JobStore,
  MediaStore,
  SessionStore,
  IdempotencyStore,
  RunStore,
  RetentionStore,
  ApprovalStore,
  TaskPushStore,
  ScheduleStore,
  ScheduleRunStore,
  EvalRunStore,
  DatasetStore,
  ExperimentStore,
  MetricsStore,
  UsageStore,
  FeedbackStore,
  RolloutStore,
  ChunkStore,
  ContentStore,
  WebhookStore,
  DeliveryStore,
  LearningStore,
  MemorySettingsStore,
  MemoryVectorStore,
  MemoryStore
).pipe(Layer.provide(MemoryDatabase.layer)) as Layer.Layer<StoreNames | StoreServices>

/** All stores. Each build is a database of its own. */
export const layer: Layer.Layer<StoreNames | StoreServices> = Layer.fresh(
  Layer.mergeAll(
    Layer.empty,
    ...FeatureList.features.flatMap(({ stores }) => stores === undefined ? [] : [stores.inMemory])
  ).pipe(
    Layer.provideMerge(shared)
  )
)
