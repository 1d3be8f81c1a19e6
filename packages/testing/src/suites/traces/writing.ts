// Traces as they are written, in one batch or in several.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc/domain/Owner"
import * as TraceFilter from "@svc/domain/TraceFilter"
import * as TraceParts from "@svc/runtime/trace/TraceParts"
import { TraceStore } from "@svc/runtime/trace/TraceStore"
import { Effect, Option } from "effect"
import { newId, userId } from "../Samples.ts"
import { at, root, span, traceId } from "./SampleTraces.ts"

const first = { page: 1, limit: 20 }

export const writing = (it: Vitest.MethodsNonLive<TraceStore>) => {
  it.effect("a trace has its first start, its last end, and what its highest run says, over all batches", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id, session_id] = [traceId(), userId(), newId("session")]
      const ids = { trace_id, user_id, session_id }
      const call = span({
        ...ids,
        run_id: "member",
        agent_id: "m",
        started_at: at(5),
        ended_at: at(9),
        status: "ERROR"
      })
      yield* store.write([call], at(10))
      const [begun] = (yield* store.list({ owner: Owner.user(user_id), filter: TraceFilter.everything }, first)).found
      assert.deepStrictEqual(
        [begun?.trace.name, begun?.trace.run_id, begun?.trace.session_id, begun?.trace.status],
        ["chat m", null, session_id, "ERROR"]
      )
      const agent = root({ ...ids, run_id: "one", started_at: at(2), ended_at: at(20) })
      const workflow = root({
        ...ids,
        name: "invoke_workflow w",
        run_id: "two",
        agent_id: null,
        workflow_id: "w",
        started_at: at(4),
        attributes: { "input.value": "x".repeat(2000) }
      })
      yield* store.write([agent], at(21))
      yield* store.write([workflow], at(22))
      const expected = {
        trace_id,
        name: "invoke_workflow w",
        status: "ERROR" as const,
        start_time: at(2),
        end_time: at(20),
        run_id: "one",
        session_id,
        user_id,
        agent_id: "a",
        team_id: null,
        workflow_id: "w",
        created_at: at(10)
      }
      const owner = Owner.user(user_id)
      assert.deepStrictEqual(Option.getOrThrow(yield* store.find(trace_id, owner)), {
        trace: expected,
        spans: [agent, workflow, call]
      })
      const { found: [listed] } = yield* store.list({ owner, filter: TraceFilter.everything }, first)
      assert.deepStrictEqual(listed, {
        trace: expected,
        total_spans: 3,
        error_count: 1,
        input: "x".repeat(TraceParts.inputLimit)
      })
    }))

  it.effect("a batch that is written again counts once", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id] = [traceId(), userId()]
      const batch = [root({ trace_id, user_id, status: "ERROR" }), span({ trace_id, user_id })]
      yield* store.write(batch, at(1))
      yield* store.write(batch, at(2))
      yield* store.write([...batch, ...batch, span({ trace_id, user_id })], at(3))
      const { found: [listed], total } = yield* store.list(
        { owner: Owner.user(user_id), filter: TraceFilter.everything },
        first
      )
      assert.deepStrictEqual([total, listed?.total_spans, listed?.error_count], [1, 3, 1])
    }))

  it.effect("texts that databases do not have are stored, and a span is found by its id", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const odd = root({ attributes: { "input.value": "a\0b\ud800", list: ["\0"] }, status_message: "\ud800" })
      yield* store.write([odd], at(1))
      assert.deepStrictEqual(yield* store.findSpans(odd.span_id, Owner.anyone), [odd])
      assert.deepStrictEqual(yield* store.findSpans("f".repeat(16), Owner.anyone), [])
    }))

  it.effect("a user sees the traces of its own runs only, and no span of another user under their id", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [ann, bob] = [userId(), userId()]
      const own = root({ user_id: ann, session_id: newId("session") })
      const stranger = span({ trace_id: own.trace_id, user_id: bob, status: "ERROR" })
      const nobodys = root()
      yield* store.write([own, nobodys], at(1))
      yield* store.write([stranger], at(2))
      for (const owner of [Owner.user(bob), Owner.none]) {
        const query = { owner, filter: TraceFilter.everything }
        assert.deepStrictEqual(yield* store.list(query, first), { found: [], total: 0 })
        assert.deepStrictEqual(yield* store.search(query, first), { found: [], total: 0 })
        assert.deepStrictEqual(yield* store.sessions(query, first), { found: [], total: 0 })
        assert.isTrue(Option.isNone(yield* store.find(own.trace_id, owner)))
        assert.isTrue(Option.isNone(yield* store.find(nobodys.trace_id, owner)))
        assert.deepStrictEqual(yield* store.findSpans(own.span_id, owner), [])
        assert.strictEqual(yield* store.removeOfSessions([own.session_id as never], owner, at(0) - 1), 0)
      }
      const found = Option.getOrThrow(yield* store.find(own.trace_id, Owner.user(ann)))
      assert.deepStrictEqual(found.spans, [own])
      assert.strictEqual(found.trace.status, "OK")
    }))

  it.effect("a trace takes a limited number of spans", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id] = [traceId(), userId()]
      const many = Array.from({ length: TraceParts.limits.spans }, () => span({ trace_id, user_id }))
      yield* store.write(many, at(1))
      yield* store.write([span({ trace_id, user_id, ended_at: at(99) })], at(2))
      const query = { owner: Owner.user(user_id), filter: TraceFilter.everything }
      const { found: [listed] } = yield* store.list(query, first)
      assert.deepStrictEqual([listed?.total_spans, listed?.trace.end_time], [many.length, at(1)])
    }))
}
