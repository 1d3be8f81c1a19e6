// GET /sessions: filters, sorting, pages, and the databases to choose from.
import { assert, describe, it } from "@effect/vitest"
import * as Usage from "@svc-runtime/domain/Usage"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, column, dateTime, get, hasKeys, list, post, runWhole, send, serve } from "../Wire.ts"
import { five, ids } from "./FiveSessions.ts"
import { assistant, details, plain, twice } from "./Fixtures.ts"

Tier.oneIn(12)

describe("items", () => {
  it.effect.runIf(Tier.isWhole)(
    "sessions after a full response are listed without their states, which a header says",
    () =>
      Effect.gen(function*() {
        const server = yield* serve({ agents: [(yield* assistant).agent] })
        const session_state = { text: "x".repeat(1_000_000) }
        for (let created = 0; created < 36; created++) {
          assert.strictEqual((yield* post(server, "/sessions?type=agent", { session_state })).status, 201)
        }
        const all = yield* get(server, "/sessions?limit=1000000")
        assert.strictEqual(all.headers.get("x-session-states"), "partial")
        assert.isBelow(all.text.length, 34 * 1024 * 1024)
        assert.lengthOf(at(all.json, "data") as ReadonlyArray<unknown>, 36)
        const few = yield* get(server, "/sessions?limit=20")
        assert.isNull(few.headers.get("x-session-states"))
      })
  )

  it.effect("items have only keys with a value", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* assistant).agent] })
      yield* runWhole(server, "assistant", {
        message: "what is tea?",
        session_id: "s",
        user_id: "ann",
        session_state: "{\"n\":1}"
      })
      const { json, status } = yield* get(server, "/sessions")
      assert.strictEqual(status, 200)
      hasKeys(json, "data", "meta")
      assert.deepStrictEqual(at(json, "data"), [{
        session_id: "s",
        session_name: "what is tea?",
        session_state: { n: 1 },
        created_at: dateTime,
        updated_at: dateTime,
        session_type: "agent",
        user_id: "ann",
        agent_id: "assistant",
        metrics: { ...Usage.zero, ...twice, details: details(twice) },
        total_tokens: 30
      }])
      assert.deepStrictEqual(at(json, "meta"), {
        page: 1,
        limit: 20,
        total_pages: 1,
        total_count: 1,
        search_time_ms: 0
      })
    }))

  it.effect("items of minimal rows have four keys", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* post(server, "/sessions", { session_id: "s" })
      const { json } = yield* get(server, "/sessions")
      hasKeys(at(json, "data", 0), "session_id", "session_name", "created_at", "updated_at", "session_type")
      assert.strictEqual(at(json, "data", 0, "session_name"), "")
    }))

  it.effect("items show the fields of a PATCH: summary, metadata, name and state", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* post(server, "/sessions?type=workflow", { session_id: "s", workflow_id: "w" })
      const summary = { summary: "Short", topics: ["a"], updated_at: "2026-01-01T00:00:00Z" }
      const body = { session_name: "N", session_state: { a: 1 }, metadata: { b: 2 }, summary }
      assert.strictEqual((yield* send(server, "PATCH", "/sessions/s", body)).status, 200)
      const { json } = yield* get(server, "/sessions")
      assert.deepInclude(at(json, "data", 0), {
        session_name: "N",
        session_state: { a: 1 },
        metadata: { b: 2 },
        session_summary: summary,
        session_type: "workflow",
        workflow_id: "w",
        metrics: Usage.zero
      })
    }))
})

describe("filters", () => {
  const filtered: ReadonlyArray<readonly [query: string, found: ReadonlyArray<string>]> = [
    ["", ["d", "b", "e", "a", "c"]],
    ["?type=agent", ["d", "b", "c"]],
    ["?type=team", ["a"]],
    ["?type=workflow", ["e"]],
    ["?component_id=plain", ["d", "c"]],
    ["?component_id=desk", ["a"]],
    ["?component_id=brief", ["e"]],
    ["?component_id=unknown", []],
    ["?user_id=ann", ["e", "c"]],
    ["?user_id=Ann", []],
    ["?session_name=kyoto", ["a", "c"]],
    ["?session_name=TRIP", ["a", "c"]],
    ["?session_name=2", ["a"]],
    ["?session_name=%25", ["b"]],
    ["?session_name=_", ["b"]],
    ["?session_name=%25_sure", []],
    ["?session_name=sure_", ["b"]],
    ["?session_name=%5C", []],
    ["?type=agent&user_id=ann&component_id=plain&session_name=trip", ["c"]],
    ["?type=team&user_id=ann", []],
    ["?unknown=1&limit=20", ["d", "b", "e", "a", "c"]]
  ]

  it.effect.each(filtered)("the filter %s finds the sessions %j", ([query, found]) =>
    Effect.gen(function*() {
      const server = yield* five
      assert.deepStrictEqual(yield* ids(server, query), [...found])
      assert.strictEqual(at((yield* get(server, `/sessions${query}`)).json, "meta", "total_count"), found.length)
    }))

  it.effect("a session without a name is not found by name", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      yield* runWhole(server, "plain", { message: "derived words", session_id: "s" })
      assert.deepStrictEqual(yield* ids(server, "?session_name=derived"), [])
    }))
})

describe("sorting", () => {
  const orders: ReadonlyArray<readonly [query: string, sorted: ReadonlyArray<string>]> = [
    ["?sort_by=created_at&sort_order=asc", ["c", "a", "e", "b", "d"]],
    ["?sort_by=created_at", ["d", "b", "e", "a", "c"]],
    ["?sort_order=asc", ["c", "a", "e", "b", "d"]],
    ["?sort_by=session_id&sort_order=asc", ["a", "b", "c", "d", "e"]],
    ["?sort_by=session_id&sort_order=desc", ["e", "d", "c", "b", "a"]],
    ["?sort_by=session_type&sort_order=asc", ["c", "b", "d", "a", "e"]],
    ["?sort_by=team_id&sort_order=asc&limit=1", ["a"]],
    ["?sort_by=workflow_id&sort_order=asc&limit=1", ["e"]],
    ["?sort_by=agent_id&sort_order=asc&limit=1", ["b"]],
    ["?sort_by=user_id&sort_order=asc&limit=3", ["c", "e", "a"]]
  ]

  it.effect.each(orders)("the order %s lists the sessions %j", ([query, sorted]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* ids(yield* five, query), [...sorted])
    }))

  it.effect("the order by updated_at follows every change", () =>
    Effect.gen(function*() {
      const server = yield* five
      yield* send(server, "PATCH", "/sessions/e", {})
      yield* TestClock.adjust("10 seconds")
      yield* post(server, "/sessions/c/rename", { session_name: "x" })
      assert.deepStrictEqual(yield* ids(server, "?sort_by=updated_at"), ["c", "e", "d", "b", "a"])
    }))

  it.effect.each(["nonsense", "", "runs", "__proto__", "created_at; drop table svc_sessions"])(
    "the order by an unknown column (%s) is no error, and loses nothing",
    (column) =>
      Effect.gen(function*() {
        const found = yield* ids(yield* five, `?sort_by=${encodeURIComponent(column)}`)
        assert.sameMembers([...found], ["a", "b", "c", "d", "e"])
      })
  )

  it.effect("sessions of the same second keep the order of their creation", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      for (const id of ["x", "m", "a"]) yield* post(server, "/sessions", { session_id: id })
      assert.deepStrictEqual(yield* ids(server, "?sort_order=asc"), ["x", "m", "a"])
      assert.deepStrictEqual(yield* ids(server, "?sort_order=desc"), ["a", "m", "x"])
    }))
})

describe("pages", () => {
  const pages: ReadonlyArray<readonly [query: string, data: ReadonlyArray<string>, meta: object]> = [
    ["?limit=2", ["d", "b"], { page: 1, limit: 2, total_pages: 3, total_count: 5 }],
    ["?limit=2&page=2", ["e", "a"], { page: 2, limit: 2, total_pages: 3, total_count: 5 }],
    ["?limit=2&page=3", ["c"], { page: 3, limit: 2, total_pages: 3, total_count: 5 }],
    ["?limit=2&page=0", ["d", "b"], { page: 0, limit: 2, total_pages: 3, total_count: 5 }],
    ["?limit=2&page=4", [], { page: 4, limit: 2, total_pages: 3, total_count: 5 }],
    ["?limit=5&page=9007199254740991", [], { page: 9007199254740991, limit: 5, total_pages: 1, total_count: 5 }],
    [
      "?limit=9007199254740991&page=9007199254740991",
      [],
      { page: 9007199254740991, limit: 9007199254740991, total_pages: 1, total_count: 5 }
    ],
    ["?limit=1000000", ["d", "b", "e", "a", "c"], { page: 1, limit: 1000000, total_pages: 1, total_count: 5 }],
    ["?type=team&limit=1", ["a"], { page: 1, limit: 1, total_pages: 1, total_count: 1 }]
  ]

  it.effect.each(pages)("the page %s has the sessions %j", ([query, data, meta]) =>
    Effect.gen(function*() {
      const { json } = yield* get(yield* five, `/sessions${query}`)
      assert.deepStrictEqual(column(at(json, "data"), "session_id"), [...data])
      assert.deepStrictEqual(at(json, "meta"), { ...meta, search_time_ms: 0 })
    }))

  it.effect("an empty list has no pages", () =>
    Effect.gen(function*() {
      const { json } = yield* get(yield* serve(), "/sessions")
      assert.deepStrictEqual(list(json, "data"), [])
      assert.deepStrictEqual(at(json, "meta"), {
        page: 1,
        limit: 20,
        total_pages: 0,
        total_count: 0,
        search_time_ms: 0
      })
    }))
})
