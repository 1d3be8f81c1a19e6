// The jobs that are stored with the end of a run.
import { assert, type Vitest } from "@effect/vitest"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import type { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun, Place } from "@svc-runtime/engine/run/store/RunWrites"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"
import { acquire, find, finish, job, list } from "../jobs/Jobs.ts"
import { ending, newId, newRun, sessionId, talk, userId } from "../Samples.ts"
import { begin } from "./begin.ts"

const idsOf = (kind: string) => Effect.map(list({ kind }), ({ jobs }) => jobs.map(({ id }) => id).toReversed())

export const jobsAfterRun = (it: Vitest.MethodsNonLive<JobStore | MemorySettingsStore | RunStore | SessionStore>) => {
  it.effect("the jobs of a run are stored with its end, with every field", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const begun = yield* begin()
      const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` }
      const first = job({ key: "a key", user_id: userId(), session_id: begun.session_id, trace })
      const later = job({ kind: first.kind, run_at: 4_000_000_000 })
      yield* store.finish(ending(begun, { jobs: [first, later] }))
      assert.deepStrictEqual(yield* idsOf(first.kind), [first.id, later.id])
      const { isUnique: _, run_at: __, trace: ___, ...fields } = first
      assert.deepInclude(yield* find(first.id), { ...fields, status: "PENDING", attempts: 0 })
      assert.strictEqual((yield* find(later.id)).run_at, 4_000_000_000)
      const acquired = yield* acquire(first.kind, 2)
      assert.deepStrictEqual(acquired.map(({ id, payload, trace }) => [id, payload, trace]), [
        [first.id, first.payload, trace]
      ])
    }))

  it.effect("an end that is sent again enqueues nothing, also when the job has ended", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const begun = yield* begin()
      const one = job()
      const end = ending(begun, { jobs: [one] })
      yield* store.finish(end)
      yield* store.finish(end)
      const [acquired] = yield* acquire(one.kind)
      if (acquired !== undefined) yield* finish(acquired)
      yield* store.finish(end)
      assert.deepStrictEqual(yield* idsOf(one.kind), [one.id])
      assert.strictEqual((yield* find(one.id)).status, "COMPLETED")
    }))

  it.effect("a job about what is known of a user is left out if the user has switched memory off", () =>
    Effect.gen(function*() {
      const [store, settings] = [yield* RunStore, yield* MemorySettingsStore]
      const [ann, bob] = [userId(), userId()]
      yield* settings.set(ann, false, 1)
      yield* settings.set(bob, true, 1)
      const { kind, ...first } = job({ user_id: ann })
      const off = { ...first, kind, ifMemoryOn: true }
      const other = job({ kind, user_id: ann })
      const on = { ...job({ kind, user_id: bob }), ifMemoryOn: true }
      const unknown = { ...job({ kind, user_id: userId() }), ifMemoryOn: true }
      const begun = yield* begin()
      yield* store.finish(ending(begun, { jobs: [off, other, on, unknown] }))
      assert.sameMembers(yield* idsOf(kind), [other.id, on.id, unknown.id])
    }))

  it.effect("no more jobs of a kind than the limit are stored in a day for the runs of a component", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const { kind } = job()
      const limited = () => ({ ...job({ kind }), perDay: 3 })
      const endOf = (component: Partial<NewRun>) =>
        Effect.map(begin(component), (begun) => ending(begun, { jobs: [limited()] }))
      const [agent, team, other] = [newId("agent"), newId("team"), newId("agent")]
      const ofAgent = yield* Effect.forEach(Array.from({ length: 7 }), () => endOf({ component_id: agent }))
      yield* Effect.forEach(ofAgent, store.finish, { concurrency: "unbounded" })
      const kept = yield* idsOf(kind)
      assert.lengthOf(kept, 3)
      assert.includeMembers(ofAgent.flatMap(({ jobs = [] }) => jobs.map(({ id }) => id)), kept as Array<Job.Id>)
      const late = yield* endOf({ component_id: agent })
      assert.isTrue(yield* store.finish(late))
      const others = [yield* endOf({ kind: "team", component_id: team }), yield* endOf({ component_id: other })]
      yield* Effect.forEach(others, store.finish)
      const without = yield* begin({ component_id: agent })
      yield* store.finish(ending(without, { jobs: [job({ kind })] }))
      assert.lengthOf(yield* idsOf(kind), 6)
    }))

  it.effect("a session of an evaluation has no jobs with a limit of a day", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const [one, unlimited] = [job(), job()]
      const begun = yield* begin({ evaluation: true, component_id: newId("agent") })
      yield* store.finish(ending(begun, { jobs: [{ ...one, perDay: 1 }, unlimited] }))
      assert.deepStrictEqual(yield* idsOf(one.kind), [])
      assert.lengthOf(yield* idsOf(unlimited.kind), 1)
    }))

  it.effect("a run that ends twice, because it was continued, enqueues a job of one id once", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const begun = yield* begin()
      const one = job()
      yield* store.finish(ending(begun, { run: { status: "ERROR" }, jobs: [one] }))
      yield* store.resume({ ...begun, attempt: 1, entry: undefined })
      assert.isTrue(yield* store.finish({ ...ending(begun, { jobs: [one] }), attempt: 2 }))
      assert.deepStrictEqual(yield* idsOf(one.kind), [one.id])
    }))

  it.effect("an end under a lost lease enqueues nothing", () =>
    Effect.gen(function*() {
      const begun = yield* begin()
      const one = job()
      const end = { ...ending(begun, { jobs: [one] }), attempt: 2 }
      assert.isFalse(yield* RunStore.use((store) => store.finish(end)))
      assert.deepStrictEqual(yield* idsOf(one.kind), [])
    }))

  it.effect("a waiting unique job stands for the job of a run that ends", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const [first, second] = [yield* begin(), yield* begin()]
      const one = job({ key: "session", isUnique: true })
      const other = job({ kind: one.kind, key: "session", isUnique: true })
      yield* store.finish(ending(first, { jobs: [one] }))
      assert.isTrue(yield* store.finish(ending(second, { jobs: [other] })))
      assert.deepStrictEqual(yield* idsOf(one.kind), [one.id])
    }))

  it.effect("runs that end at the same moment enqueue their jobs, beside runs without jobs", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const kind = job().kind
      const ends = yield* Effect.forEach(
        Array.from({ length: 12 }),
        (_, place) =>
          Effect.map(
            begin(),
            (begun) => ending(begun, place % 3 === 0 ? {} : { jobs: [job({ kind, key: "one", isUnique: false })] })
          )
      )
      yield* Effect.forEach(ends, store.finish, { concurrency: "unbounded", discard: true })
      const wanted = ends.flatMap(({ jobs = [] }) => jobs.map(({ id }) => id as string))
      assert.sameMembers((yield* idsOf(kind)) as ReadonlyArray<string> as Array<string>, wanted)
    }))

  it.effect("a job for a summary is stored with the end with which the session is due, and not before", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const session_id = sessionId()
      const messages = talk("one", "two")
      const one = job()
      const endOne = Effect.fnUntraced(function*(bytes: number, fields: Partial<NewRun> = {}) {
        const begun = newRun({ session_id, isSerialized: true, ...fields })
        yield* store.create(begun)
        const added = { ...job({ kind: one.kind }), ifDue: { runs: 3, bytes } }
        yield* store.finishAndDequeue(ending(begun, { run: { messages }, jobs: [added] }), "node")
        return (yield* idsOf(one.kind)).includes(added.id)
      })
      const large = 1_000_000
      assert.isFalse(yield* endOne(large))
      assert.isFalse(yield* endOne(large, { isWithoutMemory: true }))
      assert.isFalse(yield* endOne(large))
      assert.isTrue(yield* endOne(large))
      const sessions = yield* SessionStore
      const found = yield* Effect.flatMap(
        sessions.unsummarized(session_id, { runs: 3, bytes: large }),
        Effect.fromOption
      )
      assert.isTrue(yield* sessions.summarize({ ...found, session_id, summary: { summary: "All" }, at: 1 }))
      assert.isFalse(yield* endOne(large))
      assert.isTrue(yield* endOne(100))
    }))

  it.effect("a job for a summary counts the runs on the path, and not what another path has", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const sessions = yield* SessionStore
      const session_id = sessionId()
      const messages = talk("one", "two")
      const one = job()
      const threshold = { runs: 3, bytes: 1_000_000 }
      const end = Effect.fnUntraced(function*(place?: Place) {
        const begun = newRun({ session_id, isSerialized: true, place })
        yield* store.create(begun)
        const added = { ...job({ kind: one.kind }), ifDue: threshold }
        yield* store.finishAndDequeue(ending(begun, { run: { messages }, jobs: [added] }), "node")
        return { run_id: begun.run_id, isDue: (yield* idsOf(one.kind)).includes(added.id) }
      })
      const first = yield* end()
      const second = yield* end()
      assert.isTrue((yield* end()).isDue)
      const found = yield* Effect.flatMap(sessions.unsummarized(session_id, threshold), Effect.fromOption)
      assert.isTrue(yield* sessions.summarize({ ...found, session_id, summary: { summary: "All" }, at: 1 }))
      assert.isTrue((yield* end({ known: [{ run_id: second.run_id }], otherwise: "notFound" })).isDue)
      assert.isFalse((yield* end({ known: [{ run_id: first.run_id }], otherwise: "notFound" })).isDue)
    }))

  it.effect("an end that dequeues the next run of the session enqueues its jobs as well", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const session_id = sessionId()
      const first = newRun({ session_id, isSerialized: true })
      const second = newRun({ session_id, isSerialized: true })
      yield* store.create(first)
      yield* store.create(second)
      const one = job()
      const { isHeld, next } = yield* store.finishAndDequeue(ending(first, { jobs: [one] }), "node")
      assert.isTrue(isHeld)
      assert.strictEqual(next?.run_id, second.run_id)
      assert.deepStrictEqual(yield* idsOf(one.kind), [one.id])
    }))
}
