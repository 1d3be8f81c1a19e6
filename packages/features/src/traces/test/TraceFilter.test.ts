import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Time from "@svc-runtime/domain/Time"
import { Option, Result } from "effect"
import * as TraceFilter from "../TraceFilter.ts"

const problemOf = (filter: Json.Value): string => Option.getOrThrow(Result.getFailure(TraceFilter.parse(filter)))

const nested = (depth: number): Json.Value =>
  depth === 1 ? { op: "EQ", key: "name", value: "a" } : { op: "NOT", condition: nested(depth - 1) }

const trace = {
  trace_id: "t1",
  name: "Invoice_agent",
  status: "OK",
  start_time: Option.getOrThrow(Time.microsecondsOf("2026-11-20T10:00:00Z")),
  end_time: Option.getOrThrow(Time.microsecondsOf("2026-11-20T10:00:02.5Z")),
  duration_ms: 2500,
  run_id: "r1",
  session_id: null,
  user_id: "ada",
  agent_id: "invoice",
  team_id: null,
  workflow_id: null,
  created_at: Option.getOrThrow(Time.microsecondsOf("2026-11-20T10:00:03Z"))
}

const matches = (filter: Json.Value): boolean =>
  TraceFilter.matches(Result.getOrThrow(TraceFilter.parse(filter)), trace)

describe("TraceFilter", () => {
  it("a filter that is nested thousands of levels deep is refused like any other", () => {
    const deep: Json.Value = JSON.parse(`${"{\"a\":".repeat(5000)}1${"}".repeat(5000)}`)
    for (const filter of [deep, { op: "AND", conditions: deep }, { op: "EQ", key: "name", value: deep }]) {
      assert.strictEqual(problemOf(filter), "Filter expression exceeds maximum nesting depth of 10")
    }
  })

  it("a filter of an unknown shape is refused with what is wrong", () => {
    const cases: ReadonlyArray<readonly [filter: Json.Value, problem: string]> = [
      [null, "A filter must be an object. Got: null"],
      [{}, "A filter requires an 'op'. Got: {}"],
      [{ op: "LIKE", key: "name", value: "a" }, "Unknown filter operator: LIKE"],
      [{ op: "EQ", key: "name" }, "EQ filter requires 'key' and 'value' fields. Got: {\"op\":\"EQ\",\"key\":\"name\"}"],
      [
        { op: "GT", key: "name", value: null },
        "GT filter requires 'key' and 'value' fields. Got: {\"op\":\"GT\",\"key\":\"name\",\"value\":null}"
      ],
      [
        { op: "AND", conditions: [] },
        "AND filter requires 'conditions', a list that is not empty. Got: {\"op\":\"AND\",\"conditions\":[]}"
      ],
      [{ op: "NOT" }, "NOT filter requires a 'condition' field. Got: {\"op\":\"NOT\"}"],
      [
        { op: "IN", key: "name" },
        "IN filter requires 'key' and 'values' fields. Got: {\"op\":\"IN\",\"key\":\"name\"}"
      ],
      [
        { op: "CONTAINS", key: "duration_ms", value: 1 },
        "CONTAINS filter requires a field with text. Got: 'duration_ms'"
      ],
      [{ op: "EQ", key: "duration_ms", value: "soon" }, "The value of 'duration_ms' must be a number. Got: \"soon\""],
      [{ op: "EQ", key: "name", value: 1 }, "The value of 'name' must be a text. Got: 1"],
      [{ op: "EQ", key: "name", value: "a\0" }, "The value of 'name' must be a text. Got: \"a\\u0000\""],
      [
        { op: "GT", key: "start_time", value: "yesterday" },
        "The value of 'start_time' must be a time in ISO 8601 format. Got: \"yesterday\""
      ]
    ]
    for (const [filter, problem] of cases) assert.strictEqual(problemOf(filter), problem)
  })

  it("a status that does not exist is refused, and so is an operator that it does not have", () => {
    const mustBe = "The value of 'status' must be 'OK' or 'ERROR'. Got: "
    for (const value of ["BAD", "error", "UNSET", ""]) {
      for (const op of ["EQ", "NEQ"]) {
        assert.strictEqual(problemOf({ op, key: "status", value }), `${mustBe}${JSON.stringify(value)}`)
      }
      assert.strictEqual(
        problemOf({ op: "IN", key: "status", values: ["OK", value] }),
        `${mustBe}${JSON.stringify(value)}`
      )
    }
    for (const op of ["GT", "GTE", "LT", "LTE", "CONTAINS", "STARTSWITH"]) {
      assert.strictEqual(
        problemOf({ op, key: "status", value: "OK" }),
        `${op} filter is not possible for 'status'. Allowed: ['EQ', 'NEQ', 'IN']`
      )
    }
    assert.isTrue(matches({ op: "IN", key: "status", values: ["ERROR", "OK"] }))
    assert.isTrue(matches({ op: "NEQ", key: "status", value: "ERROR" }))
  })

  it("every operator that the schema lists for a field is accepted", () => {
    const valueOf = (type: string) => ({ enum: "OK", number: 1, datetime: "2026-11-20" })[type] ?? "a"
    for (const { key, operators, type } of TraceFilter.schema.fields) {
      for (const op of operators) {
        const value = valueOf(type)
        const filter = op === "IN" ? { op, key, values: [value] } : { op, key, value }
        assert.isTrue(Result.isSuccess(TraceFilter.parse(filter)), `${op} ${key}`)
      }
    }
  })

  it("an unknown field is refused with the fields that exist", () => {
    assert.strictEqual(
      problemOf({ op: "EQ", key: "constructor", value: "a" }),
      "Invalid filter field: 'constructor'. Allowed: ['trace_id', 'name', 'status', 'start_time', 'end_time', " +
        "'duration_ms', 'run_id', 'session_id', 'user_id', 'agent_id', 'team_id', 'workflow_id', 'created_at']"
    )
  })

  it("a filter that is too deep or too large is refused with the limit", () => {
    assert.isTrue(Result.isSuccess(TraceFilter.parse(nested(10))))
    assert.strictEqual(problemOf(nested(11)), "Filter expression exceeds maximum nesting depth of 10")
    assert.strictEqual(problemOf(nested(5000)), "Filter expression exceeds maximum nesting depth of 10")
    const condition = { op: "EQ", key: "name", value: "a" }
    assert.strictEqual(
      problemOf({ op: "OR", conditions: Array.from({ length: 100 }, () => condition) }),
      "A filter has at most 100 conditions"
    )
    const searches = (count: number) => ({
      op: "NOT",
      condition: {
        op: "OR",
        conditions: Array.from({ length: count }, (_, index) => ({
          ...condition,
          op: index % 2 === 0 ? "CONTAINS" : "STARTSWITH"
        }))
      }
    })
    assert.isTrue(Result.isSuccess(TraceFilter.parse(searches(10))))
    assert.strictEqual(problemOf(searches(11)), "A filter has at most 10 CONTAINS and STARTSWITH conditions")
    assert.strictEqual(
      problemOf({ op: "IN", key: "name", values: Array.from({ length: 1001 }, () => "a") }),
      "A filter has at most 1000 values"
    )
    assert.strictEqual(
      problemOf({ op: "EQ", key: "name", value: "a".repeat(65_537) }),
      "A filter has at most 65536 characters"
    )
  })

  it("each operator compares as the language says", () => {
    assert.isTrue(matches({ op: "EQ", key: "user_id", value: "ada" }))
    assert.isFalse(matches({ op: "EQ", key: "user_id", value: "ADA" }))
    assert.isTrue(matches({ op: "NEQ", key: "session_id", value: "s1" }))
    assert.isTrue(matches({ op: "CONTAINS", key: "name", value: "voice_A" }))
    assert.isFalse(matches({ op: "CONTAINS", key: "name", value: "%" }))
    assert.isTrue(matches({ op: "STARTSWITH", key: "name", value: "INV" }))
    assert.isTrue(matches({ op: "GTE", key: "duration_ms", value: "2500" }))
    assert.isFalse(matches({ op: "GT", key: "duration_ms", value: 2500 }))
    assert.isTrue(matches({ op: "IN", key: "agent_id", values: ["x", "invoice"] }))
    assert.isFalse(matches({ op: "IN", key: "team_id", values: [] }))
    assert.isTrue(matches({ op: "NOT", condition: { op: "LT", key: "end_time", value: "2026-11-20" } }))
  })

  it("EQ, NEQ and IN compare all runs of a trace and their sessions, and other operators the one that it shows", () => {
    const runs = { run_id: ["r2"], session_id: ["s2"] }
    const ofRuns = (filter: Json.Value): boolean =>
      TraceFilter.matches(Result.getOrThrow(TraceFilter.parse(filter)), { ...trace, runs })
    for (const [key, value] of [["run_id", "r1"], ["run_id", "r2"], ["session_id", "s2"]] as const) {
      assert.isTrue(ofRuns({ op: "EQ", key, value }))
      assert.isFalse(ofRuns({ op: "NEQ", key, value }))
      assert.isTrue(ofRuns({ op: "IN", key, values: ["none", value] }))
      assert.isFalse(ofRuns({ op: "NOT", condition: { op: "IN", key, values: [value] } }))
    }
    assert.isTrue(ofRuns({ op: "NEQ", key: "run_id", value: "s2" }))
    assert.isFalse(ofRuns({ op: "EQ", key: "agent_id", value: "r2" }))
    assert.isFalse(ofRuns({ op: "STARTSWITH", key: "run_id", value: "r2" }))
    assert.isFalse(ofRuns({ op: "CONTAINS", key: "session_id", value: "s2" }))
    assert.isFalse(ofRuns({ op: "GT", key: "run_id", value: "r1" }))
  })

  it("a time without a zone is UTC, and one with an offset is converted", () => {
    const at = (text: string) => Option.getOrThrow(Time.microsecondsOf(text))
    assert.strictEqual(at("2026-11-20T10:00:00"), at("2026-11-20T10:00:00Z"))
    assert.strictEqual(at("2026-11-20T12:00:00+02:00"), at("2026-11-20T10:00:00Z"))
    assert.strictEqual(at("2026-11-20T10:00:00.000001Z"), at("2026-11-20T10:00:00Z") + 1)
    assert.strictEqual(at("2026-11-20"), at("2026-11-20T00:00:00Z"))
    assert.strictEqual(at("2026-11-20 10:00"), at("2026-11-20T10:00:00Z"))
    assert.strictEqual(at("2026-11-20T10:00:00.1234567Z"), at("2026-11-20T10:00:00.123456Z"))
    assert.strictEqual(at("2028-02-29"), at("2028-02-28") + 86_400_000_000)
    const invalid = [
      "",
      "now",
      "20",
      "2026-13-01",
      "2026-02-29",
      "2026-02-30T10:00:00Z",
      "2026-11-20T25:00:00",
      "2026-11-20T10:00:00+25:00",
      "2026-11-20 (noon)",
      "2026-11-20+02:00"
    ]
    for (const text of invalid) {
      assert.isTrue(Option.isNone(Time.microsecondsOf(text)), text)
    }
  })

  it("conditions are combined by AND and OR", () => {
    const isError = { op: "EQ", key: "status", value: "ERROR" }
    const isSlow = { op: "GT", key: "duration_ms", value: 1000 }
    assert.isFalse(matches({ op: "AND", conditions: [isError, isSlow] }))
    assert.isTrue(matches({ op: "OR", conditions: [isError, isSlow] }))
  })
})
