// The service that dies: the real one, with points around its stores, its model and whatever it does to the world.
import { ApprovalStore } from "@svc/runtime/approval/ApprovalStore"
import { IdempotencyStore } from "@svc/runtime/idempotency/IdempotencyStore"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import { ChunkStore } from "@svc/runtime/knowledge/ChunkStore"
import { ContentStore } from "@svc/runtime/knowledge/ContentStore"
import { LearningStore } from "@svc/runtime/learning/LearningStore"
import { MemoryStore } from "@svc/runtime/memory/MemoryStore"
import { MemoryVectorStore } from "@svc/runtime/memory/MemoryVectorStore"
import { RetentionStore } from "@svc/runtime/run/store/RetentionStore"
import { RunStore } from "@svc/runtime/run/store/RunStore"
import { ScheduleRunStore } from "@svc/runtime/schedule/ScheduleRunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import { Application, Knowledge, run } from "@svc/server"
import * as Storage from "@svc/server/Storage"
import { Pgvector } from "@svc/storage/Pgvector"
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
    Layer.effect(SessionStore, SessionStore.useSync((store) => SessionStore.of(PointedStore.sessions(store)))),
    Layer.effect(LearningStore, LearningStore.useSync((store) => LearningStore.of(PointedStore.learnings(store)))),
    Layer.effect(JobStore, JobStore.useSync((store) => JobStore.of(PointedStore.jobs(store)))),
    Layer.effect(RetentionStore, RetentionStore.useSync((store) => RetentionStore.of(PointedStore.retention(store)))),
    Layer.effect(ContentStore, ContentStore.useSync((store) => ContentStore.of(PointedStore.contents(store)))),
    Layer.effect(ChunkStore, ChunkStore.useSync((store) => ChunkStore.of(PointedStore.chunks(store))))
  ).pipe(
    Layer.provideMerge(Storage.layer(config)),
    // few chunks have an index
    Layer.provide(Layer.succeed(Pgvector, { isUsed: true, minChunks: () => 40 }))
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
    teams: [Components.desk],
    workflows: [Components.purchase],
    knowledge: [Knowledge.make({ name: "handbook", sources: folder === undefined ? [] : [FolderSource.make(folder)] })],
    embedder: "demo",
    jobs: [Components.delivery]
  }, storage).pipe(
    frozenStatement === undefined ? identity : Layer.provide(Layer.succeed(Statement.CurrentTransformer, freezing))
  )
)
