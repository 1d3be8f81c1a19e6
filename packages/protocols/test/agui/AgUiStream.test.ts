import { describe, expect, it } from "vitest"
import * as AgUiStream from "../../src/agui/AgUiStream.ts"
import { call, content, event, framesOf, paused } from "../Events.ts"

const options = { threadId: "s", runId: "r", isVersion1: true }

const typesOf = (...events: Parameters<typeof framesOf>[1]) =>
  framesOf(AgUiStream.make(options), events).map(({ type }) => type).filter((type) => type !== "RAW")

describe("the AG-UI events of a run", () => {
  it("whatever is open is closed before an error, which is the last event", () => {
    const types = typesOf(
      event("RunStarted", { run_id: "m", agent_name: "Mia" }),
      content("Hel"),
      event("RunError", { content: "It broke" })
    )
    expect(types).toEqual([
      "RUN_STARTED",
      "SUBAGENT_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "SUBAGENT_ERROR",
      "RUN_ERROR"
    ])
  })

  it("a stream whose run has not ended ends with an error", () => {
    expect(typesOf(content("Hel")).at(-1)).toBe("RUN_ERROR")
  })

  it("a call that is started again after a takeover is shown once", () => {
    const types = typesOf(
      call("ToolCallStarted"),
      event("RunContinued"),
      call("ToolCallStarted"),
      call("ToolCallCompleted", { result: "sent" }),
      paused()
    )
    expect(types.filter((type) => type === "TOOL_CALL_START")).toHaveLength(1)
    expect(types.filter((type) => type === "TOOL_CALL_RESULT")).toHaveLength(1)
  })

  it("a member that continues after a pause is another subagent, and its own members name it", () => {
    const frames = framesOf(AgUiStream.make(options), [
      event("RunStarted", { run_id: "m", agent_name: "Mia" }),
      event("RunPaused", { run_id: "m", agent_name: "Mia", content: "It waits", tools: [], requirements: [] }),
      event("RunContinued", { run_id: "m", agent_name: "Mia" }),
      event("RunStarted", { run_id: "n", parent_run_id: "m", agent_name: "Nia" }),
      event("RunError", { run_id: "n", agent_name: "Nia", content: "It broke" }),
      event("RunCompleted", {
        run_id: "m",
        agent_name: "Mia",
        content: "Yes",
        content_type: "str",
        session_state: {},
        metrics: {}
      })
    ])
    expect(frames.filter(({ type }) => type.startsWith("SUBAGENT_"))).toEqual([
      { type: "SUBAGENT_STARTED", subagentRunId: "m", name: "Mia" },
      { type: "SUBAGENT_FINISHED", subagentRunId: "m", outcome: { type: "suspended" } },
      { type: "SUBAGENT_STARTED", subagentRunId: "m-2", name: "Mia" },
      { type: "SUBAGENT_STARTED", subagentRunId: "n", name: "Nia", parentSubagentRunId: "m-2" },
      { type: "SUBAGENT_ERROR", subagentRunId: "n", message: "It broke" },
      { type: "SUBAGENT_FINISHED", subagentRunId: "m-2", outcome: { type: "success" } }
    ])
  })

  it("members of one name are open under different names for clients without a version", () => {
    const frames = framesOf(AgUiStream.make({ ...options, isVersion1: false }), [
      event("RunStarted", { run_id: "m1", agent_name: "Mia" }),
      event("RunStarted", { run_id: "m2", agent_name: "Mia" }),
      event("RunCancelled", { reason: "Enough" })
    ])
    expect(frames.filter(({ type }) => type === "STEP_STARTED")).toMatchObject([
      { stepName: "Mia" },
      { stepName: "Mia (2)" }
    ])
  })
})

describe("the difference of two states", () => {
  it("the patch adds, replaces and removes outermost keys, with escaped names", () => {
    expect(AgUiStream.stateDelta({ a: 1, "b/c": [1], same: { x: 1 } }, { "b/c": [2], same: { x: 1 }, "~": true }))
      .toEqual(
        [
          { op: "remove", path: "/a" },
          { op: "replace", path: "/b~1c", value: [2] },
          { op: "add", path: "/~0", value: true }
        ]
      )
  })
})
