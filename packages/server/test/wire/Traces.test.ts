// The endpoints of traces: responses with the keys of the contract, errors, and who sees what.
import { assert, describe, it } from "@effect/vitest"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import { Agent } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, closed, everything, seed, serveClosed, token } from "../authorization/Closed.ts"
import { always, ask, at, badRequest, column, get, invalid, list, notFound, post } from "../Wire.ts"
import { arrayOf, type Check, integer, natural, object, string } from "./ResponseShapes.ts"
import { serveTraced, start } from "./TracedRuns.ts"

Tier.oneIn(6)

const optional = Symbol("optional")
type Field = Check | readonly [typeof optional, Check]
const may = (check: Check): Field => [optional, check]

/** The keys of an object, in their order. Those without a value are left out. */
const omitting = (fields: Readonly<Record<string, Field>>): Check => (value) => {
  if (!object(value)) return false
  const keys = Object.keys(value as object)
  const known = Object.keys(fields).filter((key) => typeof fields[key] === "function" || keys.includes(key))
  return keys.join() === known.join() && known.every((key) => {
    const field = fields[key]
    const check = typeof field === "function" ? field : field?.[1]
    return check?.(at(value, key)) === true
  })
}

const time: Check = (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/.test(String(value))
const duration: Check = (value) => /^(\d{1,3}ms|\d+\.\d\ds)$/.test(String(value))
const oneOf = (...values: ReadonlyArray<string>): Check => (value) => values.includes(String(value))
const ids = {
  run_id: may(string),
  session_id: may(string),
  user_id: may(string),
  agent_id: may(string),
  team_id: may(string),
  workflow_id: may(string)
}

const summaryFields = {
  trace_id: (value: unknown) => /^[0-9a-f]{32}$/.test(String(value)),
  name: string,
  status: oneOf("OK", "ERROR"),
  duration,
  start_time: time,
  end_time: time,
  total_spans: natural,
  error_count: natural,
  input: may(string),
  ...ids,
  created_at: time
}
const summary = omitting(summaryFields)

const nodeFields = {
  id: string,
  name: string,
  type: oneOf("WORKFLOW", "TEAM", "AGENT", "LLM", "TOOL", "RETRIEVER", "EMBEDDING", "UNKNOWN"),
  duration,
  start_time: time,
  end_time: time,
  status: oneOf("OK", "ERROR", "UNSET"),
  input: may(string),
  output: may(string),
  error: may(string)
}
const metadata = may(object)
const node: Check = omitting({
  ...nodeFields,
  spans: may((value) => arrayOf(node)(value)),
  step_type: may(string),
  metadata
})
const detail = omitting({ ...summaryFields, output: may(string), error: may(string), tree: arrayOf(node) })

const statistics = omitting({
  session_id: string,
  user_id: may(string),
  agent_id: may(string),
  team_id: may(string),
  workflow_id: may(string),
  total_traces: integer,
  first_trace_at: time,
  last_trace_at: time
})

const guide = Effect.map(always(Script.text("Hello.")), ({ model }) => Agent.make({ id: "guide", model }))

const traced = Effect.gen(function*() {
  const server = yield* serveTraced({ agents: [yield* guide] })
  yield* start(server, "/agents/guide/runs", { session_id: "one" })
  yield* start(server, "/agents/guide/runs", { session_id: "two", user_id: "bob" })
  return server
})

const traceOf = Effect.fnUntraced(function*(server: TestServer.TestServer, query: string) {
  const { json } = yield* get(server, `/traces?${query}`)
  return String(at(json, "data", 0, "trace_id"))
})

const sessionsOf = (json: unknown) => column(list(json, "data"), "session_id")

const search = (server: TestServer.TestServer, filter: unknown, more = {}) =>
  post(server, "/traces/search", { filter, ...more })

describe("traces", () => {
  it.effect("every response has the keys of the contract in its order, and none without a value", () =>
    Effect.gen(function*() {
      const server = yield* traced
      const listed = (yield* get(server, "/traces")).json
      assert.isTrue(list(listed, "data").every(summary), JSON.stringify(listed))
      assert.deepInclude(at(listed, "meta") as object, { page: 1, limit: 20, total_pages: 1, total_count: 2 })
      const trace_id = String(at(listed, "data", 0, "trace_id"))
      const whole = (yield* get(server, `/traces/${trace_id}?run_id=other`)).json
      assert.isTrue(detail(whole), JSON.stringify(whole))
      const found = (yield* search(server, null)).json
      assert.isTrue(list(found, "data").every(detail), JSON.stringify(found))
      for (
        const answer of [
          yield* get(server, "/trace_session_stats"),
          yield* search(server, { op: "NEQ", key: "run_id", value: "x" }, { group_by: "session" })
        ]
      ) {
        assert.isTrue(list(answer.json, "data").every(statistics), answer.text)
        assert.sameMembers([...sessionsOf(answer.json)], ["one", "two"])
      }
      const schema = (yield* get(server, "/traces/filter-schema")).json
      assert.deepStrictEqual(
        [...new Set(list(schema, "fields").map((field) => Object.keys(field as object).join()))],
        ["key,label,type,operators,values"]
      )
      assert.lengthOf(list(schema, "fields"), 13)
      assert.deepStrictEqual(at(schema, "logical_operators"), ["AND", "OR"])
    }))

  it.effect("a list is filtered by each of its parameters, and times with an offset are converted", () =>
    Effect.gen(function*() {
      const server = yield* traced
      const count = Effect.fnUntraced(function*(query: string) {
        return Number(at((yield* get(server, `/traces?${query}`)).json, "meta", "total_count"))
      })
      const run_id = String(at((yield* get(server, "/traces?session_id=one")).json, "data", 0, "run_id"))
      for (
        const [query, expected] of [
          ["session_id=one", 1],
          [`run_id=${run_id}`, 1],
          ["user_id=bob", 1],
          ["agent_id=guide", 2],
          ["team_id=guide", 0],
          ["workflow_id=%00", 0],
          ["status=OK", 2],
          ["status=FAILED", 0],
          ["start_time=2026-11-21T01:00:00", 2],
          ["start_time=2026-11-21T01:00:00-01:00", 0],
          ["start_time=2026-11-21T01:00:00+01:00", 2],
          ["start_time=2026-11-21 01:00", 2],
          ["end_time=2026-11-21T02:30:00+01:00", 2],
          ["end_time=2026-11-21", 0],
          ["start_time=2026-11-21T01:00:00Z&end_time=2026-11-21T01:30:00Z&page=0", 2]
        ] as const
      ) {
        assert.strictEqual(yield* count(query), expected, query)
      }
    }))

  it.effect("bad times, filters and pages are refused with the sentences of the contract", () =>
    Effect.gen(function*() {
      const server = yield* traced
      for (const path of ["/traces", "/trace_session_stats"]) {
        for (const name of ["start_time", "end_time"]) {
          const sentence = new RegExp(`^Invalid ${name} format\\. Use ISO 8601 format`)
          badRequest(yield* get(server, `${path}?${name}=soon`), sentence)
          badRequest(yield* get(server, `${path}?${name}=2026-02-29`), sentence)
        }
      }
      const nested = (depth: number): unknown =>
        depth === 0 ? { op: "EQ", key: "name", value: "a" } : { op: "NOT", condition: nested(depth - 1) }
      for (
        const [filter, sentence] of [
          [{ op: "XOR", conditions: [] }, "Unknown filter operator: XOR"],
          [{ op: "EQ", key: "name" }, /^EQ filter requires 'key' and 'value' fields\. Got: /],
          [{ op: "EQ", key: "name", value: null }, /^EQ filter requires 'key' and 'value' fields\. Got: /],
          [{ op: "EQ", key: "password", value: "x" }, /^Invalid filter field: 'password'\. Allowed: \['trace_id', /],
          [{ op: "AND", conditions: [] }, /^AND filter requires/],
          [{ op: "IN", key: "name", values: Array.from({ length: 1001 }, () => "x") }, /at most 1000 values/],
          [{ op: "GT", key: "duration_ms", value: "fast" }, /must be a number/],
          [
            { op: "EQ", key: "status", value: "error" },
            "The value of 'status' must be 'OK' or 'ERROR'. Got: \"error\""
          ],
          [{ op: "GTE", key: "status", value: "OK" }, /^GTE filter is not possible for 'status'/],
          [nested(10), "Filter expression exceeds maximum nesting depth of 10"],
          [{}, /requires an 'op'/]
        ] as const
      ) {
        const { json, status } = yield* search(server, filter)
        const text = String(at(json, "detail"))
        assert.strictEqual(status, 400)
        assert.match(text, /^Invalid filter expression: /)
        const rest = text.slice("Invalid filter expression: ".length)
        if (typeof sentence === "string") assert.strictEqual(rest, sentence)
        else assert.match(rest, sentence)
      }
      assert.strictEqual((yield* search(server, nested(9))).status, 200)
      for (const body of [{ limit: 101 }, { limit: 0 }, { page: 0 }, { group_by: "user" }, { filter: [] }]) {
        assert.strictEqual((yield* post(server, "/traces/search", body)).status, 422, JSON.stringify(body))
      }
      invalid(yield* get(server, "/traces?limit=0"), [["query", "limit"], "greater_than_equal"])
    }))

  it.effect("a single span is shown without its children, and missing traces and spans are 404", () =>
    Effect.gen(function*() {
      const server = yield* traced
      const [one, two] = [yield* traceOf(server, "session_id=one"), yield* traceOf(server, "session_id=two")]
      const span = String(at((yield* get(server, `/traces/${one}`)).json, "tree", 0, "id"))
      const { json } = yield* get(server, `/traces/${one}?span_id=${span}`)
      assert.isTrue(omitting({ ...nodeFields, metadata })(json), JSON.stringify(json))
      assert.deepInclude(json as object, { id: span, type: "AGENT", input: "How are you?", output: "Hello." })
      notFound(yield* get(server, `/traces/${two}?span_id=${span}`), `Span ${span} does not belong to trace ${two}`)
      notFound(yield* get(server, `/traces/${one}?span_id=none`), "Span not found")
      notFound(yield* get(server, `/traces/${"f".repeat(32)}?span_id=${span}`), "Span not found")
      notFound(yield* get(server, "/traces/none"), "Trace not found")
      notFound(yield* get(server, "/traces?db_id=none"), "No database found with id 'none'")
    }))

  it.effect("a deleted session has no traces, and other sessions keep theirs", () =>
    Effect.gen(function*() {
      const server = yield* traced
      assert.strictEqual((yield* ask(server, "/sessions/one?user_id=bob", { method: "DELETE" })).status, 204)
      assert.sameMembers([...sessionsOf((yield* get(server, "/traces")).json)], ["one", "two"])
      assert.strictEqual((yield* ask(server, "/sessions/one?user_id=ann", { method: "DELETE" })).status, 204)
      assert.deepStrictEqual(sessionsOf((yield* get(server, "/traces")).json), ["two"])
      assert.deepStrictEqual(sessionsOf((yield* get(server, "/trace_session_stats")).json), ["two"])
    }))

  it.effect("an isolated caller sees its own traces, and those of others as missing", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed({
        traces: new TraceBuffer({ hasContent: true }),
        authorization: { ...(yield* closed), userIsolation: true }
      })
      const [ann, bob] = [yield* token("ann", ...everything), yield* token("bob", ...everything)]
      yield* seed(server, ann)
      const read = (bearer: string, path: string) => call(server, { path }, bearer)
      const searched = (bearer: string, body: unknown) =>
        call(server, {
          path: "/traces/search",
          init: { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
        }, bearer)
      const own = (yield* read(ann, "/traces?user_id=bob")).json
      assert.deepStrictEqual(column(list(own, "data"), "user_id"), ["ann", "ann", "ann"])
      const trace_id = String(at(own, "data", 0, "trace_id"))
      const span = String(at((yield* read(ann, `/traces/${trace_id}`)).json, "tree", 0, "id"))
      notFound(yield* read(bob, `/traces/${trace_id}`), "Trace not found")
      notFound(yield* read(bob, `/traces/${trace_id}?span_id=${span}`), "Span not found")
      for (
        const answer of [
          yield* read(bob, "/traces?user_id=ann"),
          yield* read(bob, "/trace_session_stats?user_id=ann"),
          yield* searched(bob, { filter: { op: "EQ", key: "user_id", value: "ann" } }),
          yield* searched(bob, { filter: { op: "NOT", condition: { op: "EQ", key: "user_id", value: "bob" } } }),
          yield* searched(bob, { group_by: "session" })
        ]
      ) {
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(at(answer.json, "data"), [], answer.text)
      }
    }))

  it.effect("a service that stores no traces responds that it has none", () =>
    Effect.gen(function*() {
      const server = yield* serveTraced({ agents: [yield* guide], traces: undefined })
      yield* start(server, "/agents/guide/runs")
      assert.deepStrictEqual(at((yield* get(server, "/traces")).json, "data"), [])
    }))
})
