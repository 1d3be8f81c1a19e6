// Traces as they are written, in one batch or in several.
import { assert, type Vitest } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import type * as Span from "@svc-runtime/domain/Span"
import { newId, sessionId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Option } from "effect"
import * as TraceFilter from "../TraceFilter.ts"
import * as TraceParts from "../TraceParts.ts"
import { TraceStore } from "../TraceStore.ts"
import { at, root, span, traceId } from "./SampleTraces.ts"

const page = { page: 1, limit: 20 }

const userIdOf = ({ user_id }: Span.Span) => Ids.UserId.make(user_id ?? "")
const sessionIdOf = ({ session_id }: Span.Span) => Session.Id.make(session_id ?? "")

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
      const [begun] = (yield* store.list({ owner: Owner.user(user_id), filter: TraceFilter.everything }, page)).found
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
      const { found: [listed] } = yield* store.list({ owner, filter: TraceFilter.everything }, page)
      assert.deepStrictEqual(listed, {
        trace: expected,
        total_spans: 3,
        error_count: 1,
        input: "x".repeat(TraceParts.inputLimit)
      })
    }))

  it.effect("jobs of a run count neither for the times nor for the status of its trace, before it and after it", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const run = { started_at: at(10), ended_at: at(20) }
      const failed = {
        is_after_run: true,
        is_root: true,
        started_at: at(30),
        ended_at: at(40),
        status: "ERROR"
      } as const
      const listed = Effect.fnUntraced(function*(...batches: ReadonlyArray<"run" | "job">) {
        const ids = { trace_id: traceId(), user_id: userId() }
        for (const batch of batches) {
          const one = batch === "run" ? root({ ...ids, ...run }) : span({ ...ids, ...failed, name: "job extraction" })
          yield* store.write([one], at(50))
        }
        const { found: [found] } = yield* store.list(
          { owner: Owner.user(ids.user_id), filter: TraceFilter.everything },
          page
        )
        const { end_time, name, start_time, status } = found?.trace ?? {}
        return [name, status, start_time, end_time, found?.total_spans]
      })
      const { name } = root()
      assert.deepStrictEqual(yield* listed("job"), ["job extraction", "ERROR", at(30), at(40), 1])
      assert.deepStrictEqual(yield* listed("run", "job"), [name, "OK", at(10), at(20), 2])
      assert.deepStrictEqual(yield* listed("job", "run"), [name, "OK", at(10), at(20), 2])
      assert.deepStrictEqual(yield* listed("run", "job", "job"), [name, "OK", at(10), at(20), 3])
    }))

  it.effect("a batch that is written again counts once", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id] = [traceId(), userId()]
      const batch = [root({ trace_id, user_id, status: "ERROR" }), span({ trace_id, user_id })]
      yield* store.write(batch, at(1))
      yield* store.write(batch, at(2))
      yield* store.write([span({ trace_id, user_id })], at(3))
      const { found: [listed], total } = yield* store.list(
        { owner: Owner.user(user_id), filter: TraceFilter.everything },
        page
      )
      assert.deepStrictEqual([total, listed?.total_spans, listed?.error_count], [1, 3, 1])
    }))

  it.effect("texts that databases do not have are stored, and a span is found by its id within its trace", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const odd = root({ attributes: { "input.value": "a\0b\ud800", list: ["\0"] }, status_message: "\ud800" })
      yield* store.write([odd], at(1))
      const { span_id, trace_id } = odd
      const found = (ids: typeof odd | { readonly span_id: string; readonly trace_id: string }) =>
        Effect.map(store.findSpan(ids, Owner.anyone), Option.getOrUndefined)
      assert.deepStrictEqual(yield* found(odd), odd)
      assert.isUndefined(yield* found({ trace_id, span_id: "f".repeat(16) }))
      assert.isUndefined(yield* found({ trace_id: traceId(), span_id }))
      assert.isUndefined(yield* found({ trace_id, span_id: "\"\0\ud800%" }))
    }))

  it.effect("users under one trace id have a trace each, and a reader of all traces sees them as one", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, ann, bob] = [traceId(), userId(), userId()]
      const of = (user_id: string) => ({ trace_id, user_id, session_id: sessionId() })
      const first = root({ ...of(ann), ended_at: at(5) })
      const second = root({ ...of(bob), started_at: at(2), ended_at: at(9), status: "ERROR" })
      const unowned = root({ trace_id, started_at: at(3) })
      yield* store.write([first], at(5))
      yield* store.write([second, unowned, first], at(9))
      for (const own of [first, second]) {
        const owner = Owner.user(userIdOf(own))
        const query = { owner, filter: TraceFilter.everything }
        const whole = Option.getOrThrow(yield* store.find(trace_id, owner))
        assert.deepStrictEqual([whole.trace.end_time, whole.trace.status], [own.ended_at, own.status])
        assert.deepStrictEqual(whole.spans, [own])
        assert.deepStrictEqual((yield* store.search(query, page)).found, [whole])
        assert.deepStrictEqual((yield* store.list(query, page)).found.map(({ total_spans }) => total_spans), [1])
      }
      const all = Option.getOrThrow(yield* store.find(trace_id, Owner.anyone))
      assert.deepStrictEqual(all.spans, [first, second, unowned])
      assert.deepInclude(all.trace, { user_id: ann, start_time: at(0), end_time: at(9), status: "ERROR" })
      assert.strictEqual(yield* store.removeOfSessions([sessionIdOf(second)], Owner.anyone, at(10)), 1)
      assert.isTrue(Option.isNone(yield* store.find(trace_id, Owner.user(bob))))
      assert.strictEqual(yield* store.removeOfUser(ann, at(10)), 1)
      assert.deepStrictEqual(Option.getOrThrow(yield* store.find(trace_id, Owner.anyone)).spans, [unowned])
    }))

  it.effect("a user sees the traces of its own runs only", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [ann, bob] = [userId(), userId()]
      const own = root({ user_id: ann, session_id: newId("session") })
      const unowned = root()
      yield* store.write([own, unowned], at(1))
      for (const owner of [Owner.user(bob), Owner.none]) {
        const query = { owner, filter: TraceFilter.everything }
        assert.deepStrictEqual(yield* store.list(query, page), { found: [], total: 0 })
        assert.deepStrictEqual(yield* store.search(query, page), { found: [], total: 0 })
        assert.deepStrictEqual(yield* store.sessions(query, page), { found: [], total: 0 })
        assert.isTrue(Option.isNone(yield* store.find(own.trace_id, owner)))
        assert.isTrue(Option.isNone(yield* store.find(unowned.trace_id, owner)))
        assert.isTrue(Option.isNone(yield* store.findSpan(own, owner)))
        assert.strictEqual(yield* store.removeOfSessions([own.session_id as never], owner, at(0) - 1), 0)
      }
    }))

  it.effect("a trace takes a limited number of spans, and the write that fills it says so", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id] = [traceId(), userId()]
      const many = Array.from({ length: TraceParts.limits.spans }, () => span({ trace_id, user_id }))
      assert.deepStrictEqual(yield* store.write(many.slice(1), at(1)), [])
      assert.deepStrictEqual(yield* store.write([...many.slice(0, 1), span()], at(1)), [trace_id])
      assert.deepStrictEqual(yield* store.write([span({ trace_id, user_id, ended_at: at(99) })], at(2)), [])
      const query = { owner: Owner.user(user_id), filter: TraceFilter.everything }
      const { found: [listed] } = yield* store.list(query, page)
      assert.deepStrictEqual([listed?.total_spans, listed?.trace.end_time], [many.length, at(1)])
    }))

  it.effect("a full trace takes the runs, which end last, and shows what they say", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id] = [traceId(), userId()]
      const [first, ...others] = Array.from({ length: TraceParts.limits.spans }, () => span({ trace_id, user_id }))
      assert.deepStrictEqual(yield* store.write(others, at(1)), [])
      const [run, late] = [{ trace_id, user_id, run_id: "one" }, span({ trace_id, user_id, ended_at: at(99) })]
      const earlier = root({ ...run, ended_at: at(40), attributes: { "input.value": "Question" } })
      const last = root({ ...run, started_at: at(50), ended_at: at(60), status: "ERROR" })
      const filling = first === undefined ? [] : [first, earlier]
      assert.deepStrictEqual(yield* store.write(filling, at(41)), [trace_id])
      assert.deepStrictEqual(yield* store.write(filling, at(42)), [])
      assert.deepStrictEqual(yield* store.write([late, last], at(61)), [])
      assert.deepStrictEqual(yield* store.write([late, last], at(62)), [])
      const owner = Owner.user(user_id)
      const { found: [listed] } = yield* store.list({ owner, filter: TraceFilter.everything }, page)
      assert.deepStrictEqual([listed?.total_spans, listed?.input], [TraceParts.limits.spans + 2, "Question"])
      assert.deepInclude(listed?.trace, {
        name: "invoke_agent a",
        run_id: "one",
        agent_id: "a",
        status: "ERROR",
        end_time: at(60)
      })
      assert.isTrue(Option.isSome(yield* store.findSpan(last, owner)))
      assert.isTrue(Option.isNone(yield* store.findSpan(late, owner)))
    }))

  it.effect("a full trace takes a limited number of runs", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [trace_id, user_id] = [traceId(), userId()]
      const many = (length: number, one: typeof span) => Array.from({ length }, () => one({ trace_id, user_id }))
      yield* store.write(many(TraceParts.limits.spans, span), at(1))
      yield* store.write(many(TraceParts.runLimits.spans - TraceParts.limits.spans, root), at(2))
      yield* store.write(many(1, root), at(3))
      const { found: [listed] } = yield* store.list(
        { owner: Owner.user(user_id), filter: TraceFilter.everything },
        page
      )
      assert.strictEqual(listed?.total_spans, TraceParts.runLimits.spans)
    }))
}
