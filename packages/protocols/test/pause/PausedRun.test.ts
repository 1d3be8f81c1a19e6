import { assert, describe, it } from "@effect/vitest"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Run from "@svc-runtime/domain/Run"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as PausedRun from "../../src/pause/PausedRun.ts"

const pausedRun = (id: string): AnyRun.Output => {
  const requested = ToolExecution.requested({
    tool_call_id: `call-${id}`,
    tool_name: "send",
    tool_args: {},
    created_at: 1
  })
  return {
    run_id: Run.Id.make(id),
    agent_id: "agent",
    session_id: "session",
    content_type: "str",
    created_at: 1,
    status: "PAUSED",
    tools: [{ ...requested, tool_call_id: `earlier-${id}` }],
    requirements: [{
      id: `question-${id}`,
      created_at: "2026-01-01T00:00:00Z",
      tool_execution: { ...requested, external_execution_required: true }
    }]
  }
}

const paused = ["1", "2"].map((id) => PausedRun.of(pausedRun(id)))

describe("A paused run", () => {
  it("An answer is for the run that waits for one of its calls.", () => {
    assert.deepStrictEqual(PausedRun.waitingFor(paused, new Set(["call-0", "call-2"])), paused.slice(1))
    assert.deepStrictEqual(PausedRun.waitingFor(paused, new Set(["earlier-1"])), [])
  })

  it("An answer that names a question is for the run that asks it.", () => {
    assert.strictEqual(PausedRun.asking(paused, "question-1"), paused[0])
    assert.isUndefined(PausedRun.asking(paused, "call-1"))
  })

  it("A client has got the calls of the run, and the calls that the run waits for.", () => {
    assert.deepStrictEqual([...PausedRun.shownCalls(paused[0]!).keys()], ["earlier-1", "call-1"])
  })
})
