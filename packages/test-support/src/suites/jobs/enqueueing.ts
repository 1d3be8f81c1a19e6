// How jobs come into the store, are read, and are removed.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { newId, session, userId } from "../Samples.ts"
import { acquire, enqueue, everything, find, finish, job, list, statusOf } from "./Jobs.ts"

export const enqueueing = (it: Vitest.MethodsNonLive<JobStore | SessionStore>) => {
  it.effect("a job is stored with everything that it was enqueued with", () =>
    Effect.gen(function*() {
      const stored = job({ key: "key", user_id: userId(), session_id: "session", run_at: 4_000_000_000 })
      assert.deepStrictEqual(yield* enqueue(stored), [{ id: stored.id, isNew: true }])
      const { isUnique: _, ...fields } = stored
      const { created_at, updated_at, ...found } = yield* find(stored.id)
      assert.deepStrictEqual(found, {
        ...fields,
        run_at: 4_000_000_000,
        status: "PENDING",
        progress: null,
        attempts: 0,
        last_error: null,
        is_cancel_requested: false
      })
      assert.strictEqual(created_at, updated_at)
    }))

  it.effect("a job is acquired with the trace of its start, and is shown without it", () =>
    Effect.gen(function*() {
      const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` }
      const stored = job({ trace })
      yield* enqueue(stored)
      assert.notProperty(yield* find(stored.id), "trace")
      const [acquired] = yield* acquire(stored.kind)
      assert.deepStrictEqual(acquired?.trace, trace)
    }))

  it.effect("a unique job is stored once until it starts, under the earlier of two times", () =>
    Effect.gen(function*() {
      const { kind } = job()
      const make = (run_at?: number) => job({ kind, key: "key", isUnique: true, run_at })
      const first = make(4_000_000_000)
      yield* enqueue(first)
      assert.deepStrictEqual(yield* enqueue(make(4_000_000_001)), [{ id: first.id, isNew: false }])
      assert.strictEqual((yield* find(first.id)).run_at, 4_000_000_000)
      assert.deepStrictEqual(yield* acquire(kind), [])
      assert.deepStrictEqual(yield* enqueue(make()), [{ id: first.id, isNew: false }])
      assert.strictEqual((yield* acquire(kind))[0]?.id, first.id)
      const second = make()
      assert.deepStrictEqual(yield* enqueue(second), [{ id: second.id, isNew: true }])
      const other = job({ kind, key: "other", isUnique: true })
      assert.deepStrictEqual(yield* enqueue(other), [{ id: other.id, isNew: true }])
    }))

  it.effect("exactly one of many equal unique jobs that are enqueued at once is stored", () =>
    Effect.gen(function*() {
      const { kind } = job()
      const store = yield* JobStore
      const enqueued = yield* Effect.forEach(
        Array.from({ length: 8 }, () => job({ kind, key: "key", isUnique: true })),
        store.enqueue,
        { concurrency: "unbounded" }
      )
      assert.strictEqual(enqueued.filter(({ isNew }) => isNew).length, 1)
      assert.strictEqual(new Set(enqueued.map(({ id }) => id)).size, 1)
    }))

  it.effect("a missing job is stored unless one of its kind and key waits, is executed or is repeated later", () =>
    Effect.gen(function*() {
      const { kind } = job()
      const store = yield* JobStore
      const missing = Effect.suspend(() => store.enqueueMissing(job({ kind, key: "key", isUnique: true })))
      const stored = yield* Effect.all(Array.from({ length: 8 }, () => missing), { concurrency: "unbounded" })
      assert.strictEqual(stored.filter((isNew) => isNew).length, 1)
      const [first] = yield* acquire(kind)
      assert.isFalse(yield* missing, "it is executed")
      yield* finish(first!, { _tag: "Retry", error: "failed", seconds: 100 })
      assert.isFalse(yield* missing, "it is tried again")
      yield* store.cancel(first!.id, Owner.anyone)
      assert.isTrue(yield* missing, "it was cancelled")
      const [second] = yield* acquire(kind)
      yield* finish(second!, { _tag: "Repeat", seconds: 100 })
      assert.isFalse(yield* missing, "it is repeated")
      assert.isTrue(yield* store.enqueueMissing(job({ kind, key: "other", isUnique: true })))
    }))

  it.effect("a next job is stored unless one of its kind and key waits, also while one is executed", () =>
    Effect.gen(function*() {
      const { kind } = job()
      const store = yield* JobStore
      const next = Effect.suspend(() => store.enqueueNext(job({ kind, key: "key", isUnique: true })))
      const stored = yield* Effect.all(Array.from({ length: 8 }, () => next), { concurrency: "unbounded" })
      assert.strictEqual(stored.filter((isNew) => isNew).length, 1)
      const [first] = yield* acquire(kind)
      assert.isTrue(yield* next, "one is executed")
      assert.isFalse(yield* next, "one is executed, and one waits")
      assert.deepStrictEqual(yield* acquire(kind), [])
      yield* finish(first!, { _tag: "Repeat", seconds: 100 })
      assert.strictEqual(yield* statusOf(first!.id), "COMPLETED")
      const [second] = yield* acquire(kind)
      yield* finish(second!, { _tag: "Retry", error: "failed", seconds: 100 })
      assert.isFalse(yield* next, "one is tried again")
    }))

  it.effect("the waiting job of a kind and a key is made due, and no other one changes", () =>
    Effect.gen(function*() {
      const { kind } = job()
      const store = yield* JobStore
      const later = 4_000_000_000
      const [one, other] = ["key", "other"].map((key) => job({ kind, key, isUnique: true, run_at: later }))
      yield* enqueue(one!, other!)
      yield* store.hasten(kind, "key")
      assert.strictEqual((yield* find(other!.id)).run_at, later)
      const [acquired, ...more] = yield* acquire(kind, 2)
      assert.deepStrictEqual([acquired?.id, more], [one!.id, []])
      yield* store.hasten(kind, "key")
      assert.strictEqual(yield* statusOf(one!.id), "RUNNING")
      yield* finish(acquired!, { _tag: "Repeat", seconds: 100 })
      assert.deepStrictEqual(yield* acquire(kind, 2), [])
      yield* store.hasten(kind, "key")
      assert.deepStrictEqual((yield* acquire(kind, 2)).map(({ id }) => id), [one!.id])
    }))

  it.effect("jobs are listed newest first, in pages, by kind, key, status and owner", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const [{ kind }, user_id] = [job(), userId()]
      const jobs = [job({ kind, key: "a" }), job({ kind, key: "b", user_id }), job({ kind, key: "a", user_id })]
      yield* enqueue(...jobs)
      const ids = jobs.map(({ id }) => id).reverse()
      const idsOf = Effect.fnUntraced(function*(filter: Parameters<typeof list>[0]) {
        const { jobs, total } = yield* list(filter)
        assert.strictEqual(total, jobs.length)
        return jobs.map(({ id }) => id)
      })
      assert.deepStrictEqual(yield* idsOf({ kind }), ids)
      assert.deepStrictEqual(yield* idsOf({ kind, key: "a" }), [ids[0], ids[2]])
      assert.deepStrictEqual(yield* idsOf({ kind, owner: Owner.user(user_id) }), ids.slice(0, 2))
      assert.deepStrictEqual(yield* idsOf({ kind, owner: Owner.user(userId()) }), [])
      yield* acquire(kind)
      assert.deepStrictEqual(yield* idsOf({ kind, status: "RUNNING" }), [ids[2]])
      const page = yield* store.list({ owner: Owner.anyone, kind }, { page: 2, limit: 2 })
      assert.deepStrictEqual([page.jobs.map(({ id }) => id), page.total], [[ids[2]], 3])
      const past = yield* store.list({ owner: Owner.anyone, kind }, { page: 9, limit: 2 })
      assert.deepStrictEqual(past, { jobs: [], total: 3 })
    }))

  it.effect("a job is shown to its owner alone, and other users cannot cancel it", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const mine = job({ user_id: userId() })
      yield* enqueue(mine)
      const other = Owner.user(userId())
      assert.deepStrictEqual(yield* store.find(mine.id, other), Option.none())
      assert.deepStrictEqual(yield* store.cancel(mine.id, other), Option.none())
      assert.strictEqual(yield* statusOf(mine.id), "PENDING")
      assert.isTrue(Option.isSome(yield* store.find(mine.id, Owner.user(mine.user_id!))))
    }))

  it.effect("the jobs of a user are removed by their kinds, and counted", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const [user_id, kept] = [userId(), job().kind]
      const mine = [job({ user_id }), job({ user_id })]
      yield* enqueue(...mine, job({ kind: kept, user_id }))
      assert.strictEqual(yield* store.removeOf(user_id, mine.map(({ kind }) => kind)), 2)
      assert.strictEqual(yield* store.removeOf(user_id, mine.map(({ kind }) => kind)), 0)
      assert.strictEqual((yield* list({ kind: kept })).total, 1)
    }))

  it.effect("the jobs of a user are removed, of any status, and no others", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const [{ kind }, user_id] = [job(), userId()]
      const mine = [job({ kind, user_id }), job({ kind, user_id })]
      const others = [job({ kind, user_id: userId() }), job({ kind })]
      yield* enqueue(...mine, ...others)
      const [running] = yield* acquire(kind)
      assert.strictEqual(running?.id, mine[0]?.id)
      yield* store.removeOf(user_id)
      assert.deepStrictEqual((yield* list({ kind })).jobs.map(({ id }) => id), others.map(({ id }) => id).reverse())
      assert.isFalse(yield* store.finish(running!, { _tag: "Completed" }))
    }))

  it.effect("a waiting job is cancelled at once, and an ended one is not", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const waiting = job()
      yield* enqueue(waiting)
      for (let times = 0; times < 2; times++) {
        const cancelled = Option.getOrThrow(yield* store.cancel(waiting.id, Owner.anyone))
        assert.strictEqual(cancelled.status, "CANCELLED")
      }
      assert.deepStrictEqual(yield* acquire(waiting.kind), [])
      assert.deepStrictEqual(yield* store.cancel(Job.Id.make(newId("none")), Owner.anyone), Option.none())
      const page = yield* store.list({ owner: Owner.anyone, kind: waiting.kind }, everything)
      assert.strictEqual(page.jobs[0]?.status, "CANCELLED")
    }))

  it.effect("the jobs of a session are removed with it", () =>
    Effect.gen(function*() {
      const [jobs, sessions] = [yield* JobStore, yield* SessionStore]
      const [gone, kept] = [session(), session()]
      yield* Effect.forEach([gone, kept], sessions.create)
      const { kind } = job()
      yield* enqueue(job({ kind, session_id: gone.session_id }), job({ kind, session_id: kept.session_id }))
      yield* sessions.remove([gone.session_id], Owner.anyone)
      const page = yield* jobs.list({ owner: Owner.anyone, kind }, everything)
      assert.deepStrictEqual(page.jobs.map(({ session_id }) => session_id), [kept.session_id])
    }))
}
