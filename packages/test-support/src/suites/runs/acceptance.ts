// How a run gets into a session, or does not.
import { assert, type Vitest } from "@effect/vitest"
import * as Usage from "@svc-runtime/domain/Usage"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"
import { ending, newId, newRun, runId, session, sessionId, userId } from "../Samples.ts"
import { findSession, refusalOf, runsOf } from "./stored.ts"

export const acceptance = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a first run creates its session", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      for (const kind of ["agent", "team", "workflow"] as const) {
        const begun = newRun({ kind, user_id: userId(), component_metadata: { team: "blue" } })
        assert.deepStrictEqual(yield* store.create(begun), { isQueued: false, session_state: {}, history: [] })
        assert.deepStrictEqual(
          yield* findSession(begun.session_id),
          session({
            session_id: begun.session_id,
            session_type: kind,
            [`${kind}_id`]: begun.component_id,
            user_id: begun.user_id,
            derived_name: begun.derived_name,
            session_state: {},
            session_metrics: {},
            component_data: begun.component_data,
            metadata: { team: "blue" },
            created_at: begun.created_at,
            updated_at: begun.created_at
          })
        )
      }
    }))

  it.effect("a session stays as it is when another run is created in it", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const first = newRun({ user_id: userId() })
      yield* store.create(first)
      yield* store.finish(
        ending(first, { state_changes: { set: { count: 1 }, removed: [] }, usage: { input_tokens: 2 } })
      )
      const before = yield* findSession(first.session_id)
      const second = { ...first, run_id: runId(), created_at: 1_800_000_000, derived_name: "Something else" }
      assert.deepStrictEqual((yield* store.create(second)).session_state, { count: 1 })
      assert.deepStrictEqual(yield* findSession(first.session_id), before)
      assert.deepStrictEqual(yield* runsOf(first.session_id), [first.run_id, second.run_id])
    }))

  it.effect("the stored data of the component is replaced by that of the new run", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const first = newRun()
      yield* store.create(first)
      const before = yield* findSession(first.session_id)
      const component_data = { name: "Renamed" }
      yield* store.create({ ...first, run_id: runId(), created_at: 1_800_000_000, component_data })
      assert.deepStrictEqual(yield* findSession(first.session_id), {
        ...before!,
        component_data,
        updated_at: 1_800_000_000
      })
    }))

  it.effect("a session that was created empty is filled, and keeps its data", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const empty = session()
      const given = session({
        user_id,
        agent_id: "assistant",
        session_name: "Given",
        session_state: { count: 1 },
        metadata: {}
      })
      for (const stored of [empty, given]) {
        yield* SessionStore.use((sessions) => sessions.create(stored))
        const begun = newRun({ session_id: stored.session_id, user_id, component_metadata: { team: "blue" } })
        assert.deepStrictEqual((yield* store.create(begun)).session_state, stored.session_state ?? {})
        assert.deepStrictEqual(yield* findSession(stored.session_id), {
          ...stored,
          agent_id: begun.component_id,
          user_id,
          derived_name: begun.derived_name,
          session_state: stored.session_state ?? {},
          session_metrics: {},
          component_data: begun.component_data,
          metadata: stored.metadata ?? begun.component_metadata,
          updated_at: begun.created_at
        })
      }
    }))

  it.effect("a session of another user, component or kind is not found", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const first = newRun({ user_id: userId() })
      yield* store.create(first)
      const again = { ...first, run_id: runId() }
      for (
        const foreign of [
          { ...again, user_id: userId() },
          { ...again, user_id: null },
          { ...again, component_id: "another" },
          { ...again, kind: "team" as const },
          { ...again, kind: "workflow" as const, user_id: userId(), component_id: "other" },
          // what is not the caller's is answered like what does not exist, whatever else is wrong
          { ...first, user_id: userId() }
        ]
      ) {
        assert.strictEqual(yield* refusalOf(foreign), "SessionNotFound")
      }
      yield* store.create(again)
    }))

  it.effect("the first user with a run in a session without an owner becomes its owner", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const [first, second] = [userId(), userId()]
      const anonymous = newRun()
      yield* store.create(anonymous)
      const run = (user_id: typeof first | null) => ({ ...anonymous, run_id: runId(), user_id })
      yield* store.create(run(null))
      assert.isNull((yield* findSession(anonymous.session_id))!.user_id)
      yield* store.create(run(first))
      assert.strictEqual((yield* findSession(anonymous.session_id))!.user_id, first)
      assert.strictEqual(yield* refusalOf(run(second)), "SessionNotFound")
      assert.strictEqual(yield* refusalOf(run(null)), "SessionNotFound")
      yield* store.create(run(first))
    }))

  it.effect("a used run id is refused, and no session is created for it", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const first = newRun({ user_id: userId() })
      yield* store.create(first)
      const other = newRun()
      yield* store.create(other)
      for (
        const taken of [
          first,
          newRun({ run_id: first.run_id }),
          { ...other, run_id: first.run_id, component_data: { name: "Renamed" }, user_id: userId() }
        ]
      ) {
        assert.strictEqual(yield* refusalOf(taken), "RunExists")
      }
      yield* store.finish(ending(first))
      assert.strictEqual(yield* refusalOf(first), "RunExists")
    }))

  for (const existing of [false, true]) {
    it.effect(`none of 100 runs that are created and end in one ${existing ? "empty" : "new"} session at once is lost`, () =>
      Effect.gen(function*() {
        const store = yield* RunStore
        const session_id = sessionId()
        if (existing) yield* SessionStore.use((sessions) => sessions.create(session({ session_id })))
        const begun = Array.from({ length: 100 }, () => newRun({ session_id, history: 3 }))
        const usage = (place: number): Usage.RunMetrics => ({
          input_tokens: place,
          total_tokens: 1,
          details: { model: [{ id: `m${place % 3}`, provider: "p", input_tokens: place }] }
        })
        yield* Effect.forEach(begun, store.create, { concurrency: "unbounded", discard: true })
        const order = yield* runsOf(session_id)
        assert.deepStrictEqual(order.toSorted(), begun.map(({ run_id }) => run_id).toSorted())
        yield* Effect.forEach(
          begun,
          (run, place) => store.finish(ending(run, { usage: usage(place) })),
          { concurrency: "unbounded", discard: true }
        )
        assert.deepStrictEqual(yield* runsOf(session_id), order)
        const metrics = (yield* findSession(session_id))!.session_metrics!
        const byModel = ({ details }: Usage.SessionMetrics) =>
          details!["model"]!.toSorted((left, right) => left.id < right.id ? -1 : 1)
        const expected = begun.reduce((sum, _, place) => Usage.addToSession(sum, usage(place)), {})
        assert.deepStrictEqual({ ...metrics, details: { model: byModel(metrics) } }, {
          ...expected,
          details: { model: byModel(expected) }
        })
      }))
  }

  it.effect("exactly one of two users with a run at once gets the session without an owner", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const session_id = sessionId()
      yield* SessionStore.use((sessions) => sessions.create(session({ session_id })))
      const users = [userId(), userId()]
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, place) => newRun({ session_id, user_id: users[place % 2]! })),
        (run) => Effect.map(Effect.result(store.create(run)), ({ _tag }) => [run.user_id, _tag] as const),
        { concurrency: "unbounded" }
      )
      const owner = (yield* findSession(session_id))!.user_id
      for (const [user_id, tag] of outcomes) assert.strictEqual(tag, user_id === owner ? "Success" : "Failure")
      assert.strictEqual((yield* runsOf(session_id)).length, 10)
    }))

  it.effect("an id that is used twice at the same moment is accepted once", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const run_id = runId(newId("twin"))
      const twins = [newRun({ run_id }), newRun({ run_id }), newRun({ run_id })]
      const outcomes = yield* Effect.forEach(twins, (run) => Effect.result(store.create(run)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(outcomes.filter(({ _tag }) => _tag === "Success").length, 1)
      const sessions = yield* Effect.forEach(twins, ({ session_id }) => findSession(session_id))
      assert.strictEqual(sessions.filter((session) => session !== undefined).length, 1)
    }))
}
