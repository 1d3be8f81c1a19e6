import { assert, describe, it } from "@effect/vitest"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Run from "@svc-runtime/domain/Run"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import { check, type Expected } from "../types/all.ts"

const call = (tool_name: string, tool_args: object = {}, fields: Partial<ToolExecution.ToolExecution> = {}) => ({
  ...ToolExecution.requested({ tool_call_id: "1", tool_name, tool_args: { ...tool_args }, created_at: 1 }),
  result: "done",
  ...fields
})

const run = (
  tools: ReadonlyArray<ToolExecution.ToolExecution>,
  requested: ReadonlyArray<string> = []
): AnyRun.Output => ({
  run_id: Run.Id.make("run"),
  agent_id: "agent",
  session_id: "session",
  content_type: "str",
  created_at: 1,
  status: "COMPLETED",
  tools,
  messages: [{
    id: "m",
    role: "assistant",
    from_history: false,
    stop_after_tool_call: false,
    created_at: 1,
    tool_calls: requested.map((name) => ({ id: name, type: "function", function: { name, arguments: "{}" } }))
  }]
})

const expected = (fields: Partial<Expected>): Expected => ({
  calls: [],
  allowsAdditional: false,
  calledWith: {},
  ...fields
})

const failing = { tool_call_error: true }
const waiting = { result: null, requires_confirmation: true }
const attempted = " (requested but refused/errored — only a call that was executed without an error counts)"

describe("the tool calls of a run", () => {
  it.each([
    ["an expected call was executed", run([call("a")]), { calls: ["a"] }, { passed_tool_calls: ["a"] }],
    ["an expected call is missing", run([]), { calls: ["a", "a"] }, { missing_tool_calls: ["a"] }],
    ["it failed first", run([call("a", {}, failing), call("a")]), { calls: ["a"] }, { passed_tool_calls: ["a"] }],
    ["it failed", run([call("a", {}, failing)]), { calls: ["a"] }, { missing_tool_calls: [`a${attempted}`] }],
    ["it waits", run([call("a", {}, waiting)]), { calls: ["a"] }, { missing_tool_calls: [`a${attempted}`] }],
    ["it was only requested", run([], ["a"]), { calls: ["a"] }, { missing_tool_calls: [`a${attempted}`] }],
    ["another call failed", run([call("b", {}, failing)]), {}, { failed_tool_calls: ["b"] }],
    ["another was only requested", run([], ["b"]), {}, { failed_tool_calls: ["b"] }],
    ["others are allowed", run([call("b")], ["b", "c"]), { allowsAdditional: true }, {
      additional_tool_calls: ["b", "c"]
    }]
  ])("the names are checked when %s", (_, output, wanted, found) => {
    const { eval_status, ...lists } = check(output, expected(wanted))
    const filled = Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0))
    assert.deepStrictEqual(filled, found)
    const isPassed = lists.failed_tool_calls.length === 0 && lists.missing_tool_calls.length === 0
    assert.strictEqual(eval_status, isPassed ? "PASSED" : "FAILED")
  })

  it.each<readonly [string, Expected["calledWith"][string], boolean]>([
    ["some of the arguments", { city: "Oslo" }, true],
    ["another value", { city: "Rome" }, false],
    ["a nested value", { at: { hour: 1 } }, true],
    ["an argument that is missing", { country: "Norway" }, false],
    ["several calls that were made", [{ city: "Oslo" }, { city: "Bonn" }], true],
    ["several calls of which one is missing", [{ city: "Oslo" }, { city: "Rome" }], false]
  ])("arguments are compared with those of clean calls: %s", (_, spec, isPassed) => {
    const output = run([
      call("a", { city: "Oslo", at: { hour: 1 } }),
      call("a", { city: "Bonn" }),
      call("a", { city: "Rome" }, failing)
    ])
    const found = check(output, expected({ calls: ["a"], calledWith: { a: spec } }))
    assert.deepStrictEqual(found[isPassed ? "passed_argument_checks" : "failed_argument_checks"], ["a"])
    assert.strictEqual(found.eval_status, isPassed ? "PASSED" : "FAILED")
  })

  it("arguments of a missing tool are not checked", () => {
    const found = check(run([]), expected({ calls: ["a"], calledWith: { a: {}, b: {} } }))
    assert.deepStrictEqual(found.failed_argument_checks, ["b"])
  })
})
