// Removals of traces.
import { assert, type Vitest } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import type * as Span from "@svc-runtime/domain/Span"
import { sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Option } from "effect"
import * as TraceFilter from "../TraceFilter.ts"
import { TraceStore } from "../TraceStore.ts"
import { at, root, span } from "./SampleTraces.ts"

const databaseId = (id: string) => Ids.DatabaseId.make(id)

const page = { page: 1, limit: 20 }

const idsOf = Effect.fnUntraced(function*(owner: Owner.Owner) {
  const store = yield* TraceStore
  const { found } = yield* store.list({ owner, filter: TraceFilter.everything }, page)
  return found.map(({ trace }) => trace.trace_id)
})

export const removing = (it: Vitest.MethodsNonLive<TraceStore>) => {
  it.effect("the traces of removed sessions are gone, and spans that began before are not stored any more", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [user_id, session_id, other] = [userId(), sessionId(), sessionId()]
      const owner = Owner.user(user_id)
      const kept = root({ user_id, session_id: other })
      const both = root({ user_id, session_id: other, started_at: at(1) })
      const second = root({ user_id, session_id, trace_id: both.trace_id, started_at: at(2) })
      const begun = root({ user_id, session_id })
      yield* store.write([kept, both, second], at(3))
      assert.strictEqual(yield* store.removeOfSessions([session_id], owner, at(4)), 1)
      yield* store.write([begun, span({ user_id, session_id, started_at: at(4) })], at(5))
      assert.deepStrictEqual(yield* idsOf(owner), [kept.trace_id])
      assert.isTrue(Option.isNone(yield* store.findSpan(second, owner)))
      const later = root({ user_id, session_id, started_at: at(5) })
      yield* store.write([later], at(6))
      assert.deepStrictEqual(yield* idsOf(owner), [later.trace_id, kept.trace_id])
      assert.strictEqual(yield* store.removeOfSessions([], owner, at(9)), 0)
    }))

  it.effect("a recorded removal refuses spans that began before, and leaves the traces that are stored", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [user_id, session_id] = [userId(), sessionId()]
      const owner = Owner.user(user_id)
      const [stored, late] = [root({ user_id, session_id }), root({ user_id, session_id })]
      yield* store.write([stored], at(1))
      yield* store.recordRemovalOfSessions([session_id], owner, at(2))
      yield* store.recordRemovalOfSessions([], owner, at(9))
      yield* store.write([late], at(3))
      assert.deepStrictEqual(yield* idsOf(owner), [stored.trace_id])
    }))

  it.effect("a removal for a tenant refuses late spans of its users, and of no others", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [session_id, name] = [sessionId(), userId()]
      const users = [`tenant:${name}:ann`, `__scheduler__:tenant:${name}:bob`, `tenant:${name}x:ann`, name].map(userId)
      const owner = Owner.tenant(name)
      yield* store.removeOfSessions([session_id], owner, at(4))
      yield* store.recordRemovalOfSessions([session_id], Owner.tenant(`${name}y`), at(4))
      yield* store.write(users.map((user_id) => root({ user_id, session_id })), at(5))
      const left = yield* Effect.forEach(users, (user_id) => idsOf(Owner.user(user_id)))
      assert.deepStrictEqual(left.map(({ length }) => length), [0, 0, 1, 1])
    }))

  it.effect("the spans of removed sessions are not stored, and others of their trace in one batch are", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [user_id, session_id, removed] = [userId(), sessionId(), sessionId()]
      const owner = Owner.user(user_id)
      yield* store.removeOfSessions([removed], owner, at(4))
      const first = root({ user_id, session_id })
      const { trace_id } = first
      const second = span({ trace_id, user_id, session_id, started_at: at(2), status: "ERROR" })
      const late = span({ trace_id, user_id, session_id: removed, started_at: at(1) })
      yield* store.write([late, second, first], at(5))
      const query = { owner, filter: TraceFilter.everything }
      assert.deepStrictEqual((yield* store.search(query, page)).found.map(({ spans }) => spans), [[first, second]])
      const { found: [listed] } = yield* store.list(query, page)
      assert.deepStrictEqual([listed?.total_spans, listed?.error_count], [2, 1])
    }))

  it.effect("spans that begin after a removal are stored, and earlier ones of their session in the same batch are not", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [user_id, session_id, other] = [userId(), sessionId(), sessionId()]
      const owner = Owner.user(user_id)
      yield* store.removeOfSessions([session_id], owner, at(4))
      const of = (run_id: string, given: Partial<Span.Span> = {}) =>
        root({ user_id, session_id, run_id, attributes: { "input.value": `input of ${run_id}` }, ...given })
      const early = of("early", { name: "invoke_agent early", status: "ERROR" })
      const { trace_id } = early
      const call = span({ trace_id, user_id, session_id, started_at: at(4), status: "ERROR" })
      const late = of("late", { trace_id, started_at: at(5), ended_at: at(6) })
      const beside = span({ trace_id, user_id, session_id: other, started_at: at(6), ended_at: at(6) })
      const untouched = of("untouched", { session_id: other, started_at: at(9) })
      const batch = [call, early, beside, late, untouched]
      yield* store.write(batch, at(7))
      yield* store.write(batch, at(8))
      const query = { owner, filter: TraceFilter.everything }
      const { found } = yield* store.search(query, page)
      assert.deepStrictEqual(found.map(({ spans }) => spans), [[untouched], [late, beside]])
      const { found: [, listed] } = yield* store.list(query, page)
      assert.deepStrictEqual([listed?.total_spans, listed?.error_count, listed?.input], [2, 0, "input of late"])
      assert.deepInclude(listed?.trace, {
        name: late.name,
        status: "OK",
        run_id: "late",
        start_time: at(5),
        end_time: at(6)
      })
    }))

  it.effect("a session removes no traces of a session with its id in another database, and stops no spans of it", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [user_id, session_id] = [userId(), sessionId()]
      const owner = Owner.user(user_id)
      const of = (database: string, given: Partial<Span.Span> = {}) => root({ user_id, session_id, database, ...given })
      const [one, two, unknown] = [of("one"), of("two", { started_at: at(1) }), root({ user_id, session_id })]
      yield* store.write([one, two, unknown], at(1))
      assert.strictEqual(yield* store.removeOfSessions([session_id], owner, at(2), databaseId("one")), 2)
      const next = of("two", { started_at: at(2) })
      yield* store.write([of("one"), next, root({ user_id, session_id })], at(3))
      assert.deepStrictEqual(yield* idsOf(owner), [next.trace_id, two.trace_id])
      assert.strictEqual(yield* store.removeOfSessions([session_id], owner, at(2), databaseId("two")), 2)
      yield* store.write([of("one"), of("two")], at(4))
      assert.deepStrictEqual(yield* idsOf(owner), [])
    }))

  it.effect("a run that began before a removal stores no spans that begin after it", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      for (const isOfUser of [true, false]) {
        const [user_id, session_id] = [userId(), sessionId()]
        const owner = Owner.user(user_id)
        yield* isOfUser ? store.removeOfUser(user_id, at(2)) : store.removeOfSessions([session_id], owner, at(2))
        const times = { user_id, session_id, started_at: at(3), ended_at: at(4) }
        const [late, next] = [root({ ...times, run_started_at: at(1) }), root({ ...times, run_started_at: at(3) })]
        yield* store.write([late], at(5))
        assert.deepStrictEqual(yield* idsOf(owner), [])
        yield* store.write([late, next], at(5))
        assert.deepStrictEqual(yield* idsOf(owner), [next.trace_id])
      }
    }))

  it.effect("an empty id, or one that is too long, names no session, and removes and stops nothing", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const user_id = userId()
      const owner = Owner.user(user_id)
      const empty = [Session.Id.make(""), Session.Id.make("z".repeat(1_000_000))]
      yield* store.recordRemovalOfSessions(empty, owner, at(9))
      assert.strictEqual(yield* store.removeOfSessions(empty, owner, at(9)), 0)
      assert.strictEqual(yield* store.removeOfSessions(empty, Owner.anyone, at(9)), 0)
      const span = root({ user_id, session_id: sessionId() })
      yield* store.write([span], at(1))
      assert.deepStrictEqual(yield* idsOf(owner), [span.trace_id])
    }))

  it.effect("a user removes no session of another one, and stops no spans of it", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [ann, bob, session_id] = [userId(), userId(), sessionId()]
      const stored = root({ user_id: ann, session_id })
      yield* store.write([stored], at(1))
      assert.strictEqual(yield* store.removeOfSessions([session_id], Owner.user(bob), at(9)), 0)
      const next = root({ user_id: ann, session_id, started_at: at(1) })
      yield* store.write([next], at(2))
      assert.deepStrictEqual(yield* idsOf(Owner.user(ann)), [next.trace_id, stored.trace_id])
      assert.strictEqual(yield* store.removeOfSessions([session_id], Owner.anyone, at(9)), 2)
      yield* store.write([root({ user_id: ann, session_id, started_at: at(8) })], at(10))
      assert.deepStrictEqual(yield* idsOf(Owner.user(ann)), [])
    }))

  it.effect("the traces of a removed user are gone, however many, and those of others stay", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [ann, bob] = [userId(), userId()]
      yield* store.write([root({ user_id: bob }), ...Array.from({ length: 450 }, () => root({ user_id: ann }))], at(1))
      assert.strictEqual(yield* store.removeOfUser(ann, at(2)), 450)
      yield* store.write([root({ user_id: ann }), root({ user_id: ann, started_at: at(3) })], at(4))
      assert.lengthOf(yield* idsOf(Owner.user(ann)), 1)
      assert.lengthOf(yield* idsOf(Owner.user(bob)), 1)
    }))
}
