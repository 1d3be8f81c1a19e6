import type { ToolExecution } from "@svc-runtime/domain/ToolExecution"
import { describe, expect, it } from "vitest"
import * as ChatStream from "../../src/chat/ChatStream.ts"
import { call, completed, content, event, framesOf, paused, requested } from "../Events.ts"

const typesOf = (...events: Parameters<typeof framesOf>[1]) =>
  framesOf(ChatStream.make({ messageId: "r", metadata: {} }), events).map(({ type }) => type)

describe("the UI message stream of a run", () => {
  it("a replay shows the approval of a call that was executed behind the pause", () => {
    const types = typesOf(
      paused(),
      event("RunContinued"),
      call("ToolCallStarted"),
      call("ToolCallCompleted", { result: "sent" }),
      event("ModelRequestStarted"),
      content("Done"),
      event("ModelRequestCompleted"),
      completed("Done")
    )
    expect(types).toEqual([
      "start",
      "start-step",
      "tool-input-available",
      "tool-approval-request",
      "tool-approval-response",
      "tool-output-available",
      "finish-step",
      "start-step",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "finish"
    ])
  })

  it("a replay shows the arguments with which a call was executed", () => {
    const frames = framesOf(ChatStream.make({ messageId: "r", metadata: {} }), [
      paused(),
      event("RunContinued"),
      call("ToolCallStarted", { tool_args: { to: "bob" } }),
      call("ToolCallCompleted", { tool_args: { to: "bob" }, result: "sent" })
    ])
    expect(frames.flatMap((each) => "input" in each ? [each.input] : [])).toEqual([{}, { to: "bob" }])
  })

  it("a replay shows that a call was denied when the model answers without it", () => {
    const types = typesOf(paused(), event("RunContinued"), event("ModelRequestStarted"), content("No"), completed("No"))
    expect(types.slice(2, 5)).toEqual(["tool-input-available", "tool-approval-request", "tool-output-denied"])
  })

  it("a replay ends the call of each question when the run no longer waits for its answer", () => {
    const asking = (id: string, asked_before?: number) => {
      const tool_execution = { ...requested, requires_user_input: true }
      const more = asked_before === undefined ? {} : { asked_before }
      return event("RunPaused", {
        content: "It waits.",
        tools: [],
        requirements: [{ id, created_at: "", tool_execution, ...more }]
      })
    }
    const frames = framesOf(ChatStream.make({ messageId: "r", metadata: {} }), [
      asking("q"),
      event("RunContinued"),
      call("ToolCallStarted"),
      asking("q1", 1),
      event("RunContinued"),
      call("ToolCallStarted"),
      call("ToolCallCompleted", { result: "sent" }),
      completed("Done")
    ])
    expect(
      frames.filter(({ type }) => type.startsWith("tool-")).map((frame) => [
        frame.type,
        "toolCallId" in frame && frame.toolCallId,
        "output" in frame ? frame.output : undefined
      ])
    ).toEqual([
      ["tool-input-available", "c", undefined],
      ["tool-output-available", "c", "Answered"],
      ["tool-input-available", "c.1", undefined],
      ["tool-output-available", "c.1", "Answered"],
      ["tool-output-available", "c", "sent"]
    ])
  })

  it("a replay shows the decisions about calls that were not executed here", () => {
    const decided = (fields: Partial<ToolExecution>) => ({ tools: [{ ...requested, ...fields }] })
    const rejected = typesOf(
      paused(),
      event("RunContinued", decided({ confirmed: false, result: "No", tool_call_error: true })),
      event("ModelRequestStarted"),
      completed("No")
    )
    expect(rejected.slice(3, 5)).toEqual(["tool-approval-request", "tool-output-denied"])
    expect(rejected.filter((type) => type === "tool-output-denied")).toHaveLength(1)
    const elsewhere = typesOf(
      event("RunPaused", {
        content: "It waits.",
        tools: [],
        requirements: [{ id: "q", created_at: "", tool_execution: { ...requested, external_execution_required: true } }]
      }),
      event("RunContinued", decided({ result: "sent", tool_call_error: false })),
      completed("Done")
    )
    expect(elsewhere.slice(2, 4)).toEqual(["tool-input-available", "tool-output-available"])
  })

  it("the reasoning of an answer that broke off is reset when it is made again", () => {
    const types = typesOf(
      event("ModelRequestStarted"),
      content("", "Hm"),
      event("RunContinued"),
      event("ModelRequestStarted"),
      content("", "Hmm"),
      content("Hello"),
      event("ModelRequestCompleted"),
      completed("Hello")
    )
    expect(types).toEqual([
      "start",
      "start-step",
      "reasoning-start",
      "reasoning-delta",
      "reasoning-end",
      "reset-step",
      "reasoning-start",
      "reasoning-delta",
      "reasoning-end",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "finish"
    ])
  })

  it("the parts of an answer that broke off are reset when it is made again", () => {
    const types = typesOf(
      event("ModelRequestStarted"),
      content("Hel"),
      event("RunContinued"),
      event("ModelRequestStarted"),
      content("Hello"),
      event("ModelRequestCompleted"),
      completed("Hello")
    )
    expect(types).toEqual([
      "start",
      "start-step",
      "text-start",
      "text-delta",
      "reset-step",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "finish"
    ])
  })
})
