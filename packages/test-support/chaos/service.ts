// The service that dies: the real one, with points around its stores, its model and whatever it does to the world.
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { BackgroundTaskStore } from "@svc-runtime/features/backgroundTasks/BackgroundTaskStore"
import { features } from "@svc-runtime/features/features"
import { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import { LearningStore } from "@svc-runtime/features/learning/LearningStore"
import { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import { MemoryVectorStore } from "@svc-runtime/features/memory/MemoryVectorStore"
import { ScheduleRunStore } from "@svc-runtime/features/schedules/ScheduleRunStore"
import { Application, Knowledge, run } from "@svc-runtime/server"
import * as Storage from "@svc-runtime/server/Storage"
import { Effect, identity, Layer } from "effect"
import { Statement } from "effect/sql"
import * as Components from "./Components.ts"
import * as FolderSource from "./FolderSource.ts"
import * as PointedFetch from "./PointedFetch.ts"
import * as PointedStore from "./PointedStore.ts"
import * as Points from "./Points.ts"

const storage: Application.StorageOf = (config) =>
  Layer.mergeAll(
    Layer.effect(RunStore, RunStore.useSync((store) => RunStore.of(PointedStore.make(store)))),
    Layer.effect(ApprovalStore, ApprovalStore.useSync((store) => ApprovalStore.of(PointedStore.approvals(store)))),
    Layer.effect(
      IdempotencyStore,
      IdempotencyStore.useSync((store) => IdempotencyStore.of(PointedStore.idempotency(store)))
    ),
    Layer.effect(MemoryStore, MemoryStore.useSync((store) => MemoryStore.of(PointedStore.memories(store)))),
    Layer.effect(
      MemoryVectorStore,
      MemoryVectorStore.useSync((store) => MemoryVectorStore.of(PointedStore.memoryVectors(store)))
    ),
    Layer.effect(
      ScheduleRunStore,
      ScheduleRunStore.useSync((store) => ScheduleRunStore.of(PointedStore.scheduleRuns(store)))
    ),
    Layer.effect(
      BackgroundTaskStore,
      BackgroundTaskStore.useSync((store) => BackgroundTaskStore.of(PointedStore.backgroundTasks(store)))
    ),
    Layer.effect(SessionStore, SessionStore.useSync((store) => SessionStore.of(PointedStore.sessions(store)))),
    Layer.effect(LearningStore, LearningStore.useSync((store) => LearningStore.of(PointedStore.learnings(store)))),
    Layer.effect(JobStore, JobStore.useSync((store) => JobStore.of(PointedStore.jobs(store)))),
    Layer.effect(RetentionStore, RetentionStore.useSync((store) => RetentionStore.of(PointedStore.retention(store)))),
    Layer.effect(ContentStore, ContentStore.useSync((store) => ContentStore.of(PointedStore.contents(store)))),
    Layer.effect(ChunkStore, ChunkStore.useSync((store) => ChunkStore.of(PointedStore.chunks(store))))
  ).pipe(
    // few chunks have an index
    Layer.provideMerge(
      Storage.layer({ ...config, storeLimits: { ...config.storeLimits, minIndexedChunks: () => 40 } }, features)
    )
  )

const folder = process.env["FOLDER_FILE"]

/** The process stops before the first statement with this text, as at a point of a run. */
const frozenStatement = process.env["FREEZE_STATEMENT"]
let isFrozen = false
const freezing: Statement.Transformer = (statement) =>
  Effect.sync(() => {
    if (!isFrozen && frozenStatement !== undefined && statement.compile()[0].includes(frozenStatement)) {
      isFrozen = true
      Points.freeze(frozenStatement)
    }
    return statement
  })

PointedFetch.install()
run(
  Application.make({
    name: "Chaos",
    agents: [Components.buyer, Components.clerk, Components.guarded, Components.limited, Components.patient],
    teams: [Components.desk, Components.dispatch],
    workflows: [Components.purchase],
    knowledge: [Knowledge.make({ name: "handbook", sources: folder === undefined ? [] : [FolderSource.make(folder)] })],
    embedder: "demo",
    jobs: [Components.delivery]
  }, storage).pipe(
    frozenStatement === undefined ? identity : Layer.provide(Layer.succeed(Statement.CurrentTransformer, freezing))
  )
)
