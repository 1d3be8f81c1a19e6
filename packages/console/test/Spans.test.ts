// How traces become the rows of a timeline.
import { assert, describe, it } from "@effect/vitest"
import type { TraceDetail, TraceNode } from "@svc-runtime/client"
import { failuresOf, labelOf, slowestOf, timelineOf, timesOf } from "../src/runs/Spans.ts"

const at = (millis: number) => new Date(Date.UTC(2026, 0, 1) + millis).toISOString()

const node = (id: string, start: number, end: number, spans: Array<TraceNode> = []): TraceNode => ({
  id,
  name: id,
  type: "LLM",
  duration: "",
  start_time: at(start),
  end_time: at(end),
  status: "OK",
  spans
})

const trace = (tree: Array<TraceNode>): TraceDetail => ({
  trace_id: "t",
  name: "t",
  status: "OK",
  duration: "",
  start_time: tree[0]!.start_time,
  end_time: tree[0]!.end_time,
  total_spans: 1,
  error_count: 0,
  created_at: at(0),
  tree
})

describe("A timeline", () => {
  it("A row has its depth, its start and its length.", () => {
    const { length, rows } = timelineOf([trace([node("run", 1000, 2000, [node("model", 1100, 1400)])])])
    assert.strictEqual(length, 1000)
    assert.deepStrictEqual(rows.map(({ depth, id, length, start }) => [id, depth, start, length]), [
      ["run", 0, 0, 1000],
      ["model", 1, 100, 300]
    ])
  })

  it("The slowest rows are those without rows in them, the longest first.", () => {
    const tree = [node("run", 0, 2000, [node("tool", 0, 300), node("model", 300, 1900), node("at once", 1900, 1900)])]
    assert.deepStrictEqual(slowestOf(timelineOf([trace(tree)]), 3).map(({ id }) => id), ["model", "tool"])
    assert.deepStrictEqual(slowestOf(timelineOf([trace(tree)]), 1).map(({ id }) => id), ["model"])
  })

  it("The time of a run is summed by kinds of calls, and what has calls in it is not counted twice.", () => {
    const named = (name: string, start: number, end: number, spans: Array<TraceNode> = []) => ({
      ...node(name, start, end, spans),
      name
    })
    const statement = { ...named("finish runs", 0, 5), type: "STATEMENT" as const }
    const tree = named("invoke_agent shop", 0, 2000, [
      named("chat gpt", 0, 500),
      named("execute_tool find", 500, 600, [statement]),
      named("chat gpt", 600, 2000)
    ])
    assert.deepStrictEqual(timesOf(timelineOf([trace([tree])])), [
      { kind: "model", count: 2, millis: 1900 },
      { kind: "tool", count: 1, millis: 100 }
    ])
  })

  it("What failed is the innermost row: those around it failed because of it.", () => {
    const failed = { ...node("tool", 0, 1), status: "ERROR" as const }
    const run = { ...node("run", 0, 3, [failed, node("model", 1, 2)]), status: "ERROR" as const }
    assert.deepStrictEqual(failuresOf(timelineOf([trace([run])])).map(({ id }) => id), ["tool"])
    assert.deepStrictEqual(failuresOf(timelineOf([trace([node("run", 0, 1)])])), [])
  })

  it("A row is named as people name it: by its kind, and what it is of.", () => {
    assert.deepStrictEqual(labelOf({ name: "execute_tool find order", type: "TOOL" }), {
      title: "find order",
      kind: "tool"
    })
    assert.deepStrictEqual(labelOf({ name: "invoke_agent desk", type: "TEAM" }), { title: "desk", kind: "team" })
    assert.deepStrictEqual(labelOf({ name: "invoke_agent desk", team_id: "desk" }), { title: "desk", kind: "team" })
    // a trace with runs of a team and of a workflow
    assert.deepStrictEqual(labelOf({ name: "invoke_workflow flow", team_id: "desk" }), {
      title: "flow",
      kind: "workflow"
    })
    assert.deepStrictEqual(labelOf({ name: "finish runs", type: "STATEMENT" }), {
      title: "finish runs",
      kind: "statement"
    })
    assert.deepStrictEqual(labelOf({ name: "read file" }), { title: "read file", kind: "" })
  })

  it("Rows beyond the limit of the page are counted.", () => {
    const spans = Array.from({ length: 6000 }, (_, index) => node(String(index), 0, 10))
    const { omitted, rows } = timelineOf([trace([node("run", 0, 10, spans)])])
    assert.deepStrictEqual([rows.length, omitted], [5000, 1001])
  })

  it("A run that was resumed has its attempts in their order, and the time in which it waited.", () => {
    const { gaps, rows } = timelineOf([trace([node("second", 5000, 5500)]), trace([node("first", 0, 1000)])])
    assert.deepStrictEqual(rows.map(({ attempt, id }) => [id, attempt]), [["first", 1], ["second", 2]])
    assert.deepStrictEqual(gaps, [{ start: 1000, length: 4000, attempt: 2 }])
  })
})
