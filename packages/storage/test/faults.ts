// Every method of the stores under every kind of failure of the database: it fails with StorageUnavailable, or not at
// all, and after the fault it works again. An unreadable row is a defect in reads of one row.
import { assert, layer } from "@effect/vitest"
import { ServiceAccountStore } from "@svc/auth"
import * as Ids from "@svc/domain/Ids"
import * as Owner from "@svc/domain/Owner"
import { ApprovalStore } from "@svc/runtime/approval/ApprovalStore"
import type { StoreServices } from "@svc/runtime/database/Stores"
import { IdempotencyStore } from "@svc/runtime/idempotency/IdempotencyStore"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import { ChunkStore } from "@svc/runtime/knowledge/ChunkStore"
import { ContentStore } from "@svc/runtime/knowledge/ContentStore"
import { LearningStore } from "@svc/runtime/learning/LearningStore"
import { MemorySettingsStore } from "@svc/runtime/memory/MemorySettingsStore"
import { MemoryStore } from "@svc/runtime/memory/MemoryStore"
import { MemoryVectorStore } from "@svc/runtime/memory/MemoryVectorStore"
import { RetentionStore } from "@svc/runtime/run/RetentionStore"
import { RunStore } from "@svc/runtime/run/RunStore"
import { SessionStore } from "@svc/runtime/session/SessionStore"
import * as FaultySql from "@svc/testing/FaultySql"
import { account, entry } from "@svc/testing/suites/accounts/Accounts"
import { approval, approved, start } from "@svc/testing/suites/approvals/Approvals"
import { job } from "@svc/testing/suites/jobs/Jobs"
import {
  beginning,
  ending,
  newId,
  pastSessions,
  presence,
  session,
  sessionId,
  userId
} from "@svc/testing/suites/Samples"
import { Cause, Effect, Exit, Layer, Option, Predicate, References } from "effect"
import type { SqlClient } from "effect/sql"
import * as Migrations from "../src/Migrations.ts"
import * as SqlServiceAccountStore from "../src/SqlServiceAccountStore.ts"
import * as SqlStores from "../src/SqlStores.ts"
import { knowledgeCalls, vectorCalls } from "./knowledgeCalls.ts"
import { knownCalls } from "./knownCalls.ts"

const stores = Layer.mergeAll(
  SqlStores.layer,
  SqlServiceAccountStore.layer.pipe(Layer.provide(Migrations.layer))
)

const anyone = { owner: Owner.anyone }

type Calls = Readonly<Record<string, Effect.Effect<unknown, { readonly _tag: string }>>>

const runMethods = Effect.gen(function*() {
  const [runs, sessions] = [yield* RunStore, yield* SessionStore]
  const begun = beginning()
  const { run_id, session_id } = begun
  const held = { run_id, attempt: 1 }
  const { past, summary } = pastSessions(session_id)
  const calls: Calls = {
    "runs.create": runs.create(begun),
    "runs.record": runs.record({ ...held, position: 0, entry: {}, events: [] }),
    "runs.appendEvents": runs.appendEvents([{ ...held, events: [] }]),
    "runs.readEvents": runs.readEvents(session_id, run_id, anyone, { after: -1, limit: 1 }),
    "runs.requestCancel": runs.requestCancel(run_id, session_id, anyone),
    "runs.unfinished": runs.unfinished([session_id], Owner.anyone, 9),
    "runs.cancelRequested": runs.cancelRequested("node"),
    "runs.dequeue": runs.dequeue({ node: "node", sessions: [session_id], uncertain: [] }),
    "runs.find": runs.find(session_id, run_id, anyone),
    "runs.list": runs.list(session_id, anyone),
    "runs.snapshot": runs.snapshot(session_id, run_id, anyone),
    "runs.memberHistory": runs.memberHistory({ run_id, component: { kind: "agent", id: "a" }, team: "t", limit: 1 }),
    "runs.recordMembers": runs.recordMembers(held, []),
    "runs.finish": runs.finish(ending(begun)),
    "runs.finishAndDequeue": runs.finishAndDequeue(ending(begun), "node"),
    "runs.resume": runs.resume({ ...held, node: "node", entry: undefined }),
    "runs.takeOver": runs.takeOver({ node: "node", isStarting: true, nodeTimeout: undefined, limit: 1 }),
    "runs.supersede": runs.supersede(run_id, 9),
    "runs.heartbeat": runs.heartbeat(presence("node")),
    "runs.nodes": runs.nodes,
    "runs.release": runs.release("node"),
    "runs.pollEvents": runs.pollEvents([{ run_id, after: -1 }], 1),
    "runs.postpone": runs.postpone({ ...held, seconds: 0 }),
    "runs.load": runs.load(held),
    "runs.setAside": runs.setAside({
      ...held,
      reason: "reason",
      output: ending(begun).run,
      last: undefined,
      updated_at: 1
    }),
    "runs.fork": runs.fork({ source: session_id, session_id: sessionId(), filter: anyone, created_at: 1 }),
    "sessions.find": sessions.find(session_id, Owner.anyone),
    "sessions.getConversation": sessions.getConversation(session_id, Owner.anyone),
    "sessions.list": sessions.list(anyone, { page: 1, limit: 1 }, { by: "created_at", order: "desc" }),
    "sessions.update": sessions.update(session_id, Owner.anyone, { updated_at: 1 }),
    "sessions.findSummary": sessions.findSummary(session_id),
    "sessions.unsummarized": sessions.unsummarized(session_id, { runs: 1, bytes: 1 }, run_id),
    "sessions.summarize": sessions.summarize(summary),
    "sessions.searchPast": sessions.searchPast(past),
    "sessions.removeSummaries": sessions.removeSummaries(userId()),
    "sessions.remove": sessions.remove([session_id], Owner.anyone),
    "sessions.create": sessions.create(session())
  }
  return calls
})

const jobMethods = Effect.gen(function*() {
  const [jobs, retention] = [yield* JobStore, yield* RetentionStore]
  const one = job()
  const lease = { id: one.id, lease: 1 }
  const calls: Calls = {
    "jobs.enqueue": jobs.enqueue(one),
    "jobs.enqueueMissing": jobs.enqueueMissing(job({ key: "key", isUnique: true })),
    "jobs.hasten": jobs.hasten("kind", "key"),
    "jobs.find": jobs.find(one.id, Owner.anyone),
    "jobs.list": jobs.list(anyone, { page: 1, limit: 1 }),
    "jobs.cancel": jobs.cancel(one.id, Owner.anyone),
    "jobs.acquire": jobs.acquire({ node: "node", slots: { [one.kind]: 1 } }),
    "jobs.reclaim": jobs.reclaim({ node: "node", executing: [], nodeTimeout: undefined, dead: [] }),
    "jobs.sync": jobs.sync([{ ...lease, progress: 1 }]),
    "jobs.finish": jobs.finish(lease, { _tag: "Completed" }),
    "jobs.removeOf": jobs.removeOf(Ids.UserId.make(newId("user"))),
    "retention.paused": retention.paused(60, undefined),
    "retention.prune, folds": retention.prune("folds", 60),
    "retention.prune, events": retention.prune("events", 60),
    "retention.prune, journals": retention.prune("journals", 60),
    "retention.prune, idempotency": retention.prune("idempotency", 0),
    "retention.prune, audit": retention.prune("audit", 60),
    "retention.prune, nodes": retention.prune("nodes", 60),
    "retention.prune, jobs": retention.prune("jobs", 60)
  }
  return calls
})

const callerMethods = Effect.gen(function*() {
  const [accounts, approvals, keys] = [yield* ServiceAccountStore, yield* ApprovalStore, yield* IdempotencyStore]
  const [bot, one] = [account(), approval()]
  const held = { key: newId("key"), claim_id: newId("claim") }
  const claim = { ...held, fingerprint: "print", subject: {}, created_at: start, expires_at: start + 60 }
  const calls: Calls = {
    "accounts.insert": accounts.insert(bot, entry(bot, "minted")),
    "accounts.nameOfOthers": accounts.nameOfOthers(bot.name, null),
    "accounts.findByHash": accounts.findByHash(bot.token_hash),
    "accounts.list": accounts.list(
      { includeRevoked: true },
      { page: 1, limit: 1 },
      { by: "created_at", order: "desc" }
    ),
    "accounts.touch": accounts.touch(bot.id, start, start),
    "accounts.revoke": accounts.revoke(bot.id, start, entry(bot, "revoked")),
    "accounts.audit": accounts.audit(bot.id),
    "approvals.create": approvals.create(one, one.run_id),
    "approvals.get": approvals.get(one.id, Owner.anyone, start),
    "approvals.list": approvals.list(anyone, { page: 1, limit: 1 }, start),
    "approvals.countPending": approvals.countPending(Owner.anyone, start),
    "approvals.resolve": approvals.resolve(one.id, Owner.anyone, approved, start),
    "approvals.listByRun": approvals.listByRun(one.run_id, start),
    "approvals.listPendingResumes": approvals.listPendingResumes({ after: undefined, limit: 1 }),
    "approvals.markResumed": approvals.markResumed([one.id]),
    "approvals.closeForRun": approvals.closeForRun(one.run_id, "ERROR", start),
    "approvals.remove": approvals.remove(one.id, Owner.anyone),
    "keys.claim": keys.claim(claim),
    "keys.release": keys.release(held)
  }
  return calls
})

/** They read one row for a request. */
const readsOfOneRow: ReadonlySet<string> = new Set([
  "runs.find",
  "runs.readEvents",
  "runs.load",
  "runs.snapshot",
  "jobs.find",
  "approvals.get",
  "approvals.resolve",
  "contents.get"
])

const methods = Effect.map(
  Effect.all([runMethods, jobMethods, callerMethods, knownCalls, knowledgeCalls, vectorCalls]),
  (all): Calls => Object.assign({}, ...all)
)

const services = {
  accounts: ServiceAccountStore,
  approvals: ApprovalStore,
  chunks: ChunkStore,
  contents: ContentStore,
  jobs: JobStore,
  keys: IdempotencyStore,
  learnings: LearningStore,
  memories: MemoryStore,
  memorySettings: MemorySettingsStore,
  retention: RetentionStore,
  runs: RunStore,
  sessions: SessionStore,
  vectors: MemoryVectorStore
}

/** It executes no statement. */
const withoutStatement = "memories.follow"

export const faulty = <E>(
  name: string,
  database: Layer.Layer<SqlClient.SqlClient, E>,
  more: Readonly<Record<string, string>> = {}
) =>
  layer(stores.pipe(Layer.provide(database)), { excludeTestServices: true })(
    `The stores over ${name}`,
    (it) => {
      it.effect("every method of every store is called under these failures", () =>
        Effect.gen(function*() {
          const { mapUnsafe } = yield* Effect.context<StoreServices>()
          const listed = new Set<string>(Object.values(services).map(({ key }) => key))
          const isStore = (key: string) => /^@svc\/.*Store$/.test(key)
          assert.deepStrictEqual([...mapUnsafe.keys()].filter((key) => isStore(key) && !listed.has(key)), [])
          const called = new Set(Object.keys(yield* methods).map((name) => name.split(",")[0]))
          const all: Array<string> = []
          for (const [name, service] of Object.entries(services)) {
            const store: object = yield* service
            all.push(...Object.keys(store).map((method) => `${name}.${method}`))
          }
          assert.deepStrictEqual(all.filter((name) => !called.has(name)), [withoutStatement])
        }))

      it.effect.each(Object.entries({ ...FaultySql.faults, ...more }))(
        "under %s the stores fail with StorageUnavailable, or a defect for one unreadable row, and work after it",
        ([, fault]) =>
          Effect.gen(function*() {
            const calls = yield* methods
            for (const [method, call] of Object.entries(calls)) {
              const exit = yield* Effect.exit(FaultySql.during(call, fault))
              const isOtherRow = fault === FaultySql.faults["a row of another version"]
              if (isOtherRow && readsOfOneRow.has(method)) {
                assert.isTrue(Exit.hasDies(exit), method)
                continue
              }
              if (Exit.isSuccess(exit)) continue
              assert.isFalse(Cause.hasDies(exit.cause), `${method}: ${Cause.pretty(exit.cause)}`)
              const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
              assert.include(["StorageUnavailable", "SessionNotFound", "ContentSuperseded"], error?._tag, method)
              if (!Predicate.isTagged(error, "StorageUnavailable")) continue
              assert.propertyVal(
                { isSchemaError: false, ...error },
                "isSchemaError",
                fault.startsWith("raise 42"),
                method
              )
            }
            for (const [method, call] of Object.entries(yield* methods)) {
              const exit = yield* Effect.exit(call)
              assert.isTrue(Exit.isSuccess(exit) || !/Unavailable|Die/.test(Cause.pretty(exit.cause)), method)
            }
          }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
      )
    }
  )
