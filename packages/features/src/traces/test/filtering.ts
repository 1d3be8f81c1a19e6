// Lists of traces: filters, order and pages.
import { assert, type Vitest } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Result } from "effect"
import * as TraceFilter from "../TraceFilter.ts"
import { TraceStore } from "../TraceStore.ts"
import { at, root } from "./SampleTraces.ts"

const filterOf = (given: Json.Value): TraceFilter.Filter => Result.getOrThrow(TraceFilter.parse(given))

/** One filter of each operator, and filters of a missing value, with the numbers of the matching traces. */
const cases: ReadonlyArray<readonly [Json.Object, ReadonlyArray<number>]> = [
  [{ op: "EQ", key: "status", value: "ERROR" }, [1]],
  [{ op: "NEQ", key: "status", value: "ERROR" }, [0, 2, 3]],
  [{ op: "EQ", key: "agent_id", value: "Sales" }, [0]],
  [{ op: "EQ", key: "agent_id", value: "sales" }, []],
  [{ op: "NEQ", key: "agent_id", value: "Sales" }, [1, 2, 3]],
  [{ op: "IN", key: "agent_id", values: ["Sales", "100%_a\\b"] }, [0, 1]],
  [{ op: "IN", key: "agent_id", values: [] }, []],
  [{ op: "NOT", condition: { op: "IN", key: "agent_id", values: ["Sales"] } }, [1, 2, 3]],
  [{ op: "CONTAINS", key: "agent_id", value: "ALE" }, [0]],
  [{ op: "CONTAINS", key: "agent_id", value: "0%_A\\" }, [1]],
  [{ op: "CONTAINS", key: "agent_id", value: "1%a" }, []],
  [{ op: "STARTSWITH", key: "agent_id", value: "SA" }, [0]],
  [{ op: "NOT", condition: { op: "STARTSWITH", key: "agent_id", value: "sa" } }, [1, 2, 3]],
  [{ op: "CONTAINS", key: "name", value: "agent" }, [0, 1, 2, 3]],
  [{ op: "GT", key: "agent_id", value: "A" }, [0]],
  [{ op: "EQ", key: "duration_ms", value: 1.5 }, [2]],
  [{ op: "GTE", key: "duration_ms", value: "1.5" }, [1, 2, 3]],
  [{ op: "LT", key: "duration_ms", value: 1e300 }, [0, 1, 2, 3]],
  [{ op: "IN", key: "duration_ms", values: [1, 1.5] }, [0, 2]],
  [{ op: "GT", key: "start_time", value: "2026-11-20T10:00:00.001" }, [2, 3]],
  [{ op: "LTE", key: "start_time", value: "2026-11-20T11:00:00.001+01:00" }, [0, 1]],
  [{ op: "LT", key: "end_time", value: "2026-11-20T10:00:00.001001Z" }, [0]],
  [{ op: "GT", key: "created_at", value: "9999-12-31" }, []],
  [{ op: "EQ", key: "run_id", value: "a\ud800" }, [3]],
  [{
    op: "OR",
    conditions: [
      { op: "EQ", key: "status", value: "ERROR" },
      {
        op: "AND",
        conditions: [{ op: "EQ", key: "name", value: "invoke_agent a" }, { op: "EQ", key: "agent_id", value: "Sales" }]
      }
    ]
  }, [0, 1]]
]

export const filtering = (it: Vitest.MethodsNonLive<TraceStore>) => {
  it.effect("each filter finds the traces that it describes, and missing ids match NEQ and NOT only", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const user_id = userId()
      const roots = [
        root({ user_id, agent_id: "Sales" }),
        root({ user_id, agent_id: "100%_a\\b", started_at: at(1), ended_at: at(5), status: "ERROR" }),
        root({ user_id, agent_id: null, started_at: at(2), ended_at: at(3.5) }),
        root({ user_id, agent_id: null, run_id: "a\ufffd", started_at: at(3), ended_at: at(7) })
      ]
      yield* store.write(roots, at(10))
      for (const [given, expected] of cases) {
        const query = { owner: Owner.user(user_id), filter: filterOf(given) }
        const { found, total } = yield* store.list(query, { page: 1, limit: 20 })
        assert.deepStrictEqual(
          found.map(({ trace }) => roots.findIndex(({ trace_id }) => trace_id === trace.trace_id)),
          expected.toReversed(),
          JSON.stringify(given)
        )
        assert.strictEqual(total, expected.length)
      }
    }))

  it.effect("lists are in the order of their starts, the latest first, and every page has the total", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const user_id = userId()
      const roots = [3, 1, 2].map((start) => root({ user_id, started_at: at(start), ended_at: at(9) }))
      yield* store.write(roots, at(10))
      const query = { owner: Owner.user(user_id), filter: TraceFilter.everything }
      const starts = (page: number) =>
        Effect.gen(function*() {
          const listed = yield* store.list(query, { page, limit: 2 })
          const searched = yield* store.search(query, { page, limit: 2 })
          assert.deepStrictEqual(searched.found.map(({ trace }) => trace), listed.found.map(({ trace }) => trace))
          assert.deepStrictEqual([listed.total, searched.total], [3, 3])
          return listed.found.map(({ trace }) => trace.start_time)
        })
      assert.deepStrictEqual(yield* starts(0), [at(3), at(2)])
      assert.deepStrictEqual(yield* starts(2), [at(1)])
      assert.deepStrictEqual(yield* starts(9), [])
    }))

  it.effect("the traces of each session are counted, the session with the newest one first", () =>
    Effect.gen(function*() {
      const store = yield* TraceStore
      const [user_id, one, other] = [userId(), newId("session"), newId("session")]
      yield* store.write([root({ user_id, session_id: one }), root({ user_id })], at(1))
      yield* store.write([root({ user_id, session_id: other, agent_id: "b" })], at(2))
      yield* store.write([root({ user_id, session_id: one, agent_id: null, team_id: "t" })], at(3))
      const query = { owner: Owner.user(user_id), filter: TraceFilter.everything }
      const ids = { user_id, workflow_id: null }
      const first = {
        ...ids,
        session_id: one,
        agent_id: "a",
        team_id: "t",
        total_traces: 2,
        first_trace_at: at(1),
        last_trace_at: at(3)
      }
      const second = {
        ...ids,
        session_id: other,
        agent_id: "b",
        team_id: null,
        total_traces: 1,
        first_trace_at: at(2),
        last_trace_at: at(2)
      }
      assert.deepStrictEqual(yield* store.sessions(query, { page: 1, limit: 20 }), { found: [first, second], total: 2 })
      assert.deepStrictEqual(yield* store.sessions(query, { page: 2, limit: 1 }), { found: [second], total: 2 })
      assert.deepStrictEqual(yield* store.sessions(query, { page: 3, limit: 1 }), { found: [], total: 2 })
    }))
}
