import { assert, describe, it } from "@effect/vitest"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as Learning from "@svc-runtime/features/learning/Learning"
import { LearningStore } from "@svc-runtime/features/learning/LearningStore"
import { MemoryStore } from "@svc-runtime/features/memory/MemoryStore"
import { MemoryVectorStore } from "@svc-runtime/features/memory/MemoryVectorStore"
import { memory } from "@svc-runtime/features/memory/test/SampleMemories"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { SqlJobStore } from "@svc-runtime/postgres"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { ending, newRun, runId, talk, userId } from "@svc-runtime/test-support/suites/Samples"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { delivery } from "./Components.ts"
import * as Kills from "./Kills.ts"
import * as Points from "./Points.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"

const databaseOf = (url: Redacted.Redacted) =>
  Layer.merge(Postgres.layer({ url, maxConnections: 1 }), StoreLimits.layerWith())

const points = [
  "acquire.after.1",
  "reserve.before.1",
  "reserve.during.1",
  "reserve.end.1",
  "finish.before.1",
  "finish.during.1",
  "finish.after.1"
]

const extractionPoints = [
  "acquire.after.1",
  "apply.before.1",
  "apply.during.1",
  "apply.after.1",
  "finish.before.1",
  "finish.during.1",
  "finish.after.1"
]

const summaryPoints = [
  "acquire.after.1",
  "summarize.before.1",
  "summarize.during.1",
  "summarize.after.1",
  "finish.before.1",
  "finish.during.1",
  "finish.after.1"
]

const vectorPoints = [
  "acquire.after.1",
  "put.before.1",
  "put.during.1",
  "put.after.1",
  "finish.before.1",
  "finish.during.1",
  "finish.after.1"
]

const learningOptions = { types: ["user_memory"], namespace: "user", isProposed: false }

/** The memories in the learnings of a user. */
const memoriesIn = (learnings: LearningStore["Service"], user_id: Ids.UserId) =>
  Effect.map(
    learnings.find(Learning.Id.make(`memories_${user_id}`), Owner.anyone),
    (found) => (Option.getOrThrow(found).content?.["memories"] ?? []) as ReadonlyArray<unknown>
  )

const jobOf = (id: string): Job.NewJob => ({
  id: Job.Id.make(id),
  kind: delivery.name,
  key: null,
  isUnique: false,
  payload: { run: id },
  max_attempts: 5,
  user_id: null,
  session_id: null,
  run_at: undefined
})

/** The job as it is after its end. */
const ended = (jobs: JobStore["Service"], id: Job.Id) =>
  jobs.find(id, Owner.anyone).pipe(
    Effect.tap(() => Effect.sleep("100 millis")),
    Effect.map(Option.getOrThrow),
    Effect.repeat({ until: ({ status }) => Job.isEnded(status) })
  )

Tier.oneIn(4)

describe("a service on PostgreSQL that is killed at every point of a background job", () => {
  it.live("a killed service completes the job after its next start, and has its effect under one key", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const { ledger, signs, start } = yield* Kills.world(Subjects.agent, { DATABASE_URL: Redacted.value(url) })
      let service = yield* start
      const database = databaseOf(url)
      const store = Context.get(yield* Layer.build(SqlJobStore.layer.pipe(Layer.provide(database))), JobStore)
      for (const point of Tier.some(points, 1)) {
        yield* Progress.watched(
          point,
          signs,
          Effect.gen(function*() {
            const { id } = yield* store.enqueue(jobOf(Points.runIdOf([1, point])))
            assert.strictEqual(yield* service.ended, "SIGKILL", point)
            service = yield* start
            const completed = yield* ended(store, id)
            assert.strictEqual(completed.status, "COMPLETED", point)
            const isStored = point === "finish.after.1"
            if (isStored) assert.strictEqual(completed.attempts, 1)
            const calls = ledger.of(id)
            assert.deepStrictEqual([...new Set(calls.map(({ key }) => key))], [id], point)
            assert.isAtMost(calls.length, isStored ? 1 : 2, point)
          })
        )
      }
    })))

  it.live("a killed service applies the changes of an extraction exactly once after its next start", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const { signs, start } = yield* Kills.world(Subjects.agent, { DATABASE_URL: Redacted.value(url) })
      let service = yield* start
      const stores = yield* Layer.build(SqlStores.layer.pipe(Layer.provide(databaseOf(url))))
      const [jobs, runs] = [Context.get(stores, JobStore), Context.get(stores, RunStore)]
      const [memories, learnings] = [Context.get(stores, MemoryStore), Context.get(stores, LearningStore)]
      for (const point of Tier.some(extractionPoints, 1)) {
        for (const kind of ["memory-extraction", "learning-extraction"]) {
          yield* Progress.watched(
            `${kind} ${point}`,
            signs,
            Effect.gen(function*() {
              const user_id = userId()
              const begun = newRun({ user_id })
              yield* runs.create(begun)
              yield* runs.finish(ending(begun, { run: { messages: talk("I like tea.", "Noted.") } }))
              const { run_id, session_id } = begun
              const job = {
                ...jobOf(`${kind}:${Points.runIdOf([1, point])}`),
                kind,
                key: user_id,
                user_id,
                session_id,
                payload: { run_id, session_id, agent_id: "buyer", team_id: null, ...learningOptions }
              }
              const { id } = yield* jobs.enqueue(job)
              assert.strictEqual(yield* service.ended, "SIGKILL", id)
              service = yield* start
              const completed = yield* ended(jobs, id)
              assert.strictEqual(completed.status, "COMPLETED", id)
              const stored = kind === "memory-extraction"
                ? yield* memories.relevant(user_id, { maxBytes: 1000, maxCount: 10 })
                : yield* memoriesIn(learnings, user_id)
              assert.strictEqual(stored.length, 1, id)
            })
          )
        }
      }
    })))

  it.live("a killed service summarizes a session exactly once after its next start", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const { signs, start } = yield* Kills.world(Subjects.agent, { DATABASE_URL: Redacted.value(url) })
      let service = yield* start
      const stores = yield* Layer.build(SqlStores.layer.pipe(Layer.provide(databaseOf(url))))
      const [jobs, runs] = [Context.get(stores, JobStore), Context.get(stores, RunStore)]
      const sessions = Context.get(stores, SessionStore)
      for (const point of Tier.some(summaryPoints, 1)) {
        yield* Progress.watched(
          point,
          signs,
          Effect.gen(function*() {
            const session_id = Session.Id.make(Points.runIdOf([1, point]))
            const begun = newRun({ session_id, user_id: userId() })
            yield* runs.create(begun)
            yield* runs.finish(ending(begun, { run: { messages: talk("I like tea.", "Noted.") } }))
            const job = {
              ...jobOf(`summary:${session_id}`),
              kind: "session-summary",
              key: session_id,
              session_id,
              payload: { session_id, agent_id: "buyer", team_id: null, runs: 1, bytes: 1 }
            }
            const { id } = yield* jobs.enqueue(job)
            assert.strictEqual(yield* service.ended, "SIGKILL", id)
            service = yield* start
            const completed = yield* ended(jobs, id)
            assert.strictEqual(completed.status, "COMPLETED", id)
            const summary = Option.getOrThrow(yield* sessions.findSummary(session_id, runId()))
            assert.strictEqual(summary.summary, "Tea.", id)
            assert.isTrue(Option.isNone(yield* sessions.unsummarized(session_id, { runs: 1, bytes: 1 })), id)
          })
        )
      }
    })))

  it.live("a killed service makes the vector of a memory after its next start", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const { signs, start } = yield* Kills.world(Subjects.agent, { DATABASE_URL: Redacted.value(url) })
      let service = yield* start
      const database = databaseOf(url)
      const stores = yield* Layer.build(SqlStores.layer.pipe(Layer.provideMerge(database)))
      const [jobs, memories] = [Context.get(stores, JobStore), Context.get(stores, MemoryStore)]
      const [sql, vectors] = [Context.get(stores, SqlClient.SqlClient), Context.get(stores, MemoryVectorStore)]
      // the job of the service itself would make the vectors
      yield* sql`update svc_jobs set is_due = false, run_at = now() + interval '1 day' where kind = 'memory-vectors' and status = 'PENDING'`
        .pipe(
          Effect.andThen(
            sql`select 1 as one from svc_jobs where kind = 'memory-vectors' and run_at > now() + interval '1 hour'`
          ),
          Effect.repeat({ until: (rows) => rows.length === 1 })
        )
      for (const point of Tier.some(vectorPoints, 1)) {
        yield* Progress.watched(
          point,
          signs,
          Effect.gen(function*() {
            const user_id = userId()
            const job = {
              ...jobOf(`vectors:${Points.runIdOf([1, point])}`),
              kind: "memory-vectors",
              payload: null,
              user_id
            }
            yield* sql.withTransaction(Effect.andThen(memories.create(memory({ user_id })), jobs.enqueue(job)))
            assert.strictEqual(yield* service.ended, "SIGKILL", point)
            service = yield* start
            yield* vectors.countOf(user_id).pipe(
              Effect.tap(() => Effect.sleep("100 millis")),
              Effect.repeat({ until: (count) => count === 1 })
            )
            // its execution would make the vector of the next memory too
            yield* sql`
              select 1 as one from svc_jobs
              where id = ${job.id} and status = 'PENDING' and run_at > now() + interval '10 seconds'`.pipe(
              Effect.tap(() => Effect.sleep("100 millis")),
              Effect.repeat({ until: (rows) => rows.length === 1 })
            )
            yield* jobs.removeOf(user_id, ["memory-vectors"])
          })
        )
      }
    })))
})
