// Traces with several runs, which are found by each of them.
import { assert, type Vitest } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Span from "@svc-runtime/domain/Span"
import { newId, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Result } from "effect"
import * as TraceFilter from "../TraceFilter.ts"
import * as TraceParts from "../TraceParts.ts"
import { TraceStore } from "../TraceStore.ts"
import { at, root, span, traceId } from "./SampleTraces.ts"

const page = { page: 1, limit: 20 }

const equals = (key: string, value: string): Json.Object => ({ op: "EQ", key, value })
const not = (condition: Json.Object): Json.Object => ({ op: "NOT", condition })

/** The traces that a filter finds, the latest start first. The other methods find the same. */
const found = Effect.fnUntraced(function*(owner: Owner.Owner, given: Json.Object) {
  const store = yield* TraceStore
  const query = { owner, filter: Result.getOrThrow(TraceFilter.parse(given)) }
  const { found, total } = yield* store.list(query, page)
  const searched = yield* store.search(query, page)
  assert.deepStrictEqual(searched.found.map(({ trace }) => trace), found.map(({ trace }) => trace))
  assert.deepStrictEqual([searched.total, found.length], [total, total])
  return found.map(({ trace }) => trace.trace_id)
})

/** The run of a member, below a root run. */
const member = (given: Partial<Span.Span>): Span.Span =>
  span({ name: "invoke_agent m", attributes: { "gen_ai.operation.name": "invoke_agent" }, ...given })

export const findingRuns = (it: Vitest.MethodsNonLive<TraceStore>) => {
  for (const batches of ["in one batch", "in several batches", "in one batch, which is written again"] as const) {
    it.effect(`a trace is found by each of its runs and their sessions, and shows the first one, ${batches}`, () =>
      Effect.gen(function*() {
        const store = yield* TraceStore
        const [trace_id, user_id, session_id] = [traceId(), userId(), sessionId()]
        const ids = { trace_id, user_id }
        const [one, two, three, below] = [newId("run"), newId("run"), newId("run"), newId("run")]
        const other = `${sessionId()}"\\,{} 'é`
        const spans = [
          root({ ...ids, session_id, run_id: one }),
          root({ ...ids, session_id: other, run_id: two, started_at: at(2), ended_at: at(6) }),
          member({ ...ids, session_id: sessionId(), run_id: below, started_at: at(3) }),
          root({ ...ids, session_id, run_id: three, started_at: at(7), ended_at: at(8) })
        ]
        const alone = root({ user_id, session_id: sessionId(), run_id: newId("run"), started_at: at(9) })
        if (batches === "in several batches") { for (const one of spans) yield* store.write([one], at(9)) }
        else yield* store.write(spans, at(9))
        if (batches === "in one batch, which is written again") yield* store.write(spans, at(9))
        yield* store.write([alone], at(10))
        const owner = Owner.user(user_id)
        const matching: ReadonlyArray<Json.Object> = [
          ...[one, two, three, below].map((id) => equals("run_id", id)),
          ...[session_id, other].map((id) => equals("session_id", id)),
          { op: "IN", key: "run_id", values: ["none", two] },
          { op: "IN", key: "run_id", values: [below, one] },
          { op: "IN", key: "session_id", values: ["none", other] },
          { op: "AND", conditions: [equals("run_id", two), equals("session_id", session_id)] },
          { op: "OR", conditions: [equals("run_id", "none"), equals("run_id", below)] }
        ]
        for (const given of matching) {
          const text = JSON.stringify(given)
          assert.deepStrictEqual(yield* found(owner, given), [trace_id], text)
          assert.deepStrictEqual(yield* found(owner, not(given)), [alone.trace_id], text)
          assert.deepStrictEqual(yield* found(owner, not(not(given))), [trace_id], text)
          if (given["op"] !== "EQ") continue
          assert.deepStrictEqual(yield* found(owner, { ...given, op: "NEQ" }), [alone.trace_id], text)
        }
        const { found: [, listed] } = yield* store.list({ owner, filter: TraceFilter.everything }, page)
        assert.deepInclude(listed?.trace, { run_id: one, session_id })
      }))
  }

  it.effect("other operators compare the run and the session that a trace shows", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id] = [traceId(), userId()]
      const of = (run_id: string, session_id: string, started: number) =>
        root({ trace_id, user_id, run_id, session_id, started_at: at(started) })
      yield* store.write([of("a-run", "a-session", 0), of("b-run", "b-session", 1)], at(2))
      for (const [key, end] of [["run_id", "-run"], ["session_id", "-session"]] as const) {
        const matches = (op: string, value: string) =>
          Effect.map(found(Owner.user(user_id), { op, key, value }), ({ length }) => length === 1)
        assert.isTrue(yield* matches("STARTSWITH", "a-"))
        assert.isFalse(yield* matches("STARTSWITH", "b-"))
        assert.isTrue(yield* matches("CONTAINS", `a${end}`))
        assert.isFalse(yield* matches("CONTAINS", `b${end}`))
        assert.isTrue(yield* matches("LTE", `a${end}`))
        assert.isFalse(yield* matches("GTE", `b${end}`))
      }
    }))

  it.effect("a trace is not found by the sessions of its members, nor by runs that have not ended", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id] = [traceId(), userId()]
      const [run_id, below, waiting] = [newId("run"), newId("run"), newId("run")]
      const [session_id, inner] = [sessionId(), sessionId()]
      const owner = Owner.user(user_id)
      const ids = { trace_id, user_id }
      yield* store.write([span({ ...ids, session_id, run_id: waiting, started_at: at(1) })], at(2))
      yield* store.write([member({ ...ids, session_id: inner, run_id: below, started_at: at(2) })], at(3))
      assert.deepStrictEqual(yield* found(owner, equals("run_id", below)), [trace_id])
      assert.deepStrictEqual(yield* found(owner, equals("run_id", run_id)), [])
      yield* store.write([root({ ...ids, session_id, run_id })], at(4))
      assert.deepStrictEqual(yield* found(owner, equals("run_id", run_id)), [trace_id])
      assert.deepStrictEqual(yield* found(owner, equals("run_id", below)), [trace_id])
      assert.deepStrictEqual(yield* found(owner, equals("run_id", waiting)), [])
      assert.deepStrictEqual(yield* found(owner, equals("session_id", inner)), [])
    }))

  it.effect("a user finds no traces by the runs of other users, also under one trace id", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, ann, bob, session_id] = [traceId(), userId(), userId(), sessionId()]
      const [first, second, third] = [newId("run"), newId("run"), newId("run")]
      const of = (user_id: string, run_id: string, started: number) =>
        root({ trace_id, user_id, run_id, session_id: `${session_id}-${run_id}`, started_at: at(started) })
      yield* store.write([of(ann, first, 0), of(ann, second, 1), of(bob, third, 2)], at(3))
      for (const [key, prefix] of [["run_id", ""], ["session_id", `${session_id}-`]] as const) {
        const counts = Effect.fnUntraced(function*(run_id: string) {
          const given = equals(key, `${prefix}${run_id}`)
          const owners = [Owner.user(ann), Owner.user(bob), Owner.none, Owner.anyone]
          return yield* Effect.forEach(owners, (owner) => Effect.map(found(owner, given), ({ length }) => length))
        })
        assert.deepStrictEqual(yield* counts(second), [1, 0, 0, 1])
        assert.deepStrictEqual(yield* counts(third), [0, 1, 0, 1])
        assert.deepStrictEqual(yield* found(Owner.user(bob), not(equals(key, `${prefix}${second}`))), [trace_id])
      }
    }))

  it.effect("sessions are counted for the traces that a filter finds by another run of theirs", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id, session_id, other] = [traceId(), userId(), sessionId(), sessionId()]
      const ids = { trace_id, user_id }
      const second = root({ ...ids, session_id: other, run_id: newId("run"), started_at: at(1) })
      yield* store.write([root({ ...ids, session_id, run_id: newId("run") }), second, root({ user_id })], at(3))
      for (const given of [equals("run_id", second.run_id ?? ""), equals("session_id", other)]) {
        const query = { owner: Owner.user(user_id), filter: Result.getOrThrow(TraceFilter.parse(given)) }
        const sessions = yield* store.sessions(query, page)
        assert.deepStrictEqual(sessions.found.map((one) => [one.session_id, one.total_traces]), [[session_id, 1]])
        assert.strictEqual(sessions.total, 1)
      }
    }))

  it.effect("a trace is found by no run whose span it has refused, and removed runs are found no more", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id, session_id, removed] = [traceId(), userId(), sessionId(), sessionId()]
      const owner = Owner.user(user_id)
      const ids = { trace_id, user_id, session_id }
      const [one, two, late] = [newId("run"), newId("run"), newId("run")]
      yield* store.removeOfSessions([removed], owner, at(1))
      const refused = root({ ...ids, session_id: removed, run_id: late })
      yield* store.write([root({ ...ids, run_id: one }), refused, root({ ...ids, run_id: two })], at(2))
      assert.deepStrictEqual(yield* found(owner, equals("run_id", two)), [trace_id])
      assert.deepStrictEqual(yield* found(owner, equals("run_id", late)), [])
      assert.deepStrictEqual(yield* found(owner, equals("session_id", removed)), [])
      assert.strictEqual(yield* store.removeOfSessions([session_id], owner, at(2)), 1)
      const again = root({ ...ids, session_id: sessionId(), run_id: newId("run"), started_at: at(3) })
      yield* store.write([again], at(4))
      assert.deepStrictEqual(yield* found(owner, equals("run_id", two)), [])
      assert.deepStrictEqual(yield* found(owner, equals("run_id", again.run_id ?? "")), [trace_id])
    }))

  it.effect("a full trace is found by the runs that it takes, and not by members that it refuses", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id] = [traceId(), userId()]
      const ids = { trace_id, user_id }
      const [last, below] = [newId("run"), newId("run")]
      const many = Array.from({ length: TraceParts.limits.spans }, () => span(ids))
      yield* store.write([...many, root({ ...ids, run_id: newId("run") })], at(1))
      yield* store.write([member({ ...ids, run_id: below }), root({ ...ids, run_id: last })], at(2))
      const owner = Owner.user(user_id)
      const ofRun = (run_id: string) => {
        const filter = Result.getOrThrow(TraceFilter.parse(equals("run_id", run_id)))
        return Effect.map(store.list({ owner, filter }, page), ({ total }) => total)
      }
      assert.deepStrictEqual([yield* ofRun(last), yield* ofRun(below)], [1, 0])
    }))
}
