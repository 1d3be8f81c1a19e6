// How the events of a run become what a person reads.
import { assert, describe, it } from "@effect/vitest"
import * as Turn from "../src/chat/Turn.ts"
import { TurnEvents } from "../src/chat/TurnEvents.ts"

const common = { run_id: "r1", session_id: "s1", agent_id: "helper", agent_name: "Helper", created_at: 1 }

const turnOf = (events: ReadonlyArray<object>) => {
  const turn = Turn.make("Hello")
  const reader = new TurnEvents(turn)
  for (const event of events) reader.add({ ...common, ...event } as never)
  return turn
}

const shown = ({ parts }: Turn.Activity): ReadonlyArray<unknown> =>
  parts.map((part) =>
    part.type === "activity"
      ? [part.title, part.state, ...shown(part)]
      : part.type === "call"
      ? `${part.tool.tool_name} ${part.state}`
      : "text" in part
      ? `${part.type}: ${part.text}`
      : part.type
  )

const tool = { tool_call_id: "c1", tool_name: "send_mail", tool_args: {}, result: null, tool_call_error: null }

describe("The turn of a run", () => {
  it("Pieces of an answer are one text, and reasoning before them is a part of its own.", () => {
    const { root, run } = turnOf([
      { event: "RunStarted" },
      { event: "ReasoningContentDelta", reasoning_content: "Think" },
      { event: "RunContent", content: "One ", reasoning_content: "" },
      { event: "RunContent", content: "two", reasoning_content: "" },
      { event: "RunCompleted", content: "One two", metrics: {} }
    ])
    assert.deepStrictEqual(shown(root), ["reasoning: Think", "text: One two"])
    assert.deepStrictEqual([root.state, run], ["completed", { run_id: "r1", session_id: "s1" }])
  })

  it("A workflow that failed says why, and none of its steps executes any more.", () => {
    const turn = turnOf([
      { event: "WorkflowStarted", run_id: "r1", workflow_id: "w" },
      { event: "StepStarted", step_id: "1", step_name: "write" },
      { event: "WorkflowError", error: "The disk is full" }
    ])
    assert.strictEqual((turn.error as Error).message, "The disk is full")
    assert.deepStrictEqual(shown(turn.root), [["write", "failed"]])
  })

  it("A step that waits for a decision about a call of its agent continues in its place.", () => {
    const inside = { run_id: "r2", parent_run_id: "r1", step_id: "1", step_name: "write" }
    const { root } = turnOf([
      { event: "WorkflowStarted" },
      { event: "StepStarted", step_id: "1", step_name: "write" },
      { event: "RunStarted", ...inside },
      { event: "ToolCallStarted", ...inside, tool },
      { event: "RunPaused", ...inside, requirements: [] },
      { event: "StepExecutorPaused", step_id: "1", step_name: "write" },
      { event: "WorkflowPaused", step_requirements: [] },
      { event: "StepContinued", step_id: "1", step_name: "write" },
      { event: "RunContinued", ...inside },
      { event: "ToolCallCompleted", ...inside, tool: { ...tool, result: "sent" } },
      { event: "RunCompleted", ...inside, content: "Done" },
      { event: "StepCompleted", step_id: "1", step_name: "write", content: "Done" },
      { event: "WorkflowCompleted", content: "Done" }
    ])
    assert.deepStrictEqual(shown(root), [
      ["write", "completed", ["Helper", "completed", "send_mail completed", "text: Done"]],
      "text: Done"
    ])
  })

  it("A run whose step has failed waits for a decision about it, until the run continues.", () => {
    const failed = { id: "0!0", step_id: "1", step_name: "pay", step_index: 0, error_message: "No bank" }
    const pause = { event: "WorkflowPaused", error_requirements: [failed] }
    assert.deepStrictEqual<unknown>(turnOf([pause]).errorRequirements, [failed])
    assert.deepStrictEqual(turnOf([pause, { event: "WorkflowStarted" }]).errorRequirements, [])
  })

  it("A request to the model that is repeated after a crash replaces what the first one wrote.", () => {
    const { root } = turnOf([
      { event: "ModelRequestStarted" },
      { event: "RunContent", content: "One two " },
      { event: "ModelRequestStarted" },
      { event: "RunContent", content: "One two three" },
      { event: "ModelRequestCompleted" },
      { event: "ModelRequestStarted" },
      { event: "RunContent", content: " four" }
    ])
    assert.deepStrictEqual(shown(root), ["text: One two three four"])
  })

  it("A call is one part, from its start to its end.", () => {
    const { root } = turnOf([
      { event: "ToolCallStarted", tool },
      { event: "ToolCallCompleted", tool: { ...tool, result: "sent" } },
      { event: "ToolCallStarted", tool: { ...tool, tool_call_id: "c2" } },
      { event: "ToolCallError", tool: { ...tool, tool_call_id: "c2", tool_call_error: true } }
    ])
    assert.deepStrictEqual(shown(root), ["send_mail completed", "send_mail failed"])
  })

  it("The run of a member is shown inside of its team's.", () => {
    const { root } = turnOf([
      { event: "TeamRunStarted" },
      { event: "RunStarted", run_id: "r2", parent_run_id: "r1", agent_name: "Writer" },
      { event: "RunContent", run_id: "r2", parent_run_id: "r1", agent_name: "Writer", content: "Draft" },
      { event: "RunCompleted", run_id: "r2", parent_run_id: "r1", content: "Draft" },
      { event: "TeamRunContent", content: "Done" }
    ])
    assert.deepStrictEqual(shown(root), [["Writer", "completed", "text: Draft"], "text: Done"])
  })

  it("An agent that executes a step of a workflow is shown inside of the step.", () => {
    const step = { step_id: "x", step_name: "write" }
    const { root } = turnOf([
      { event: "WorkflowStarted" },
      { event: "StepStarted", ...step },
      { event: "RunStarted", run_id: "r2", parent_run_id: "r1", ...step },
      { event: "RunContent", run_id: "r2", parent_run_id: "r1", content: "Text", ...step },
      { event: "StepCompleted", ...step, content: "Text" }
    ])
    assert.deepStrictEqual(shown(root), [["write", "completed", ["Helper", "executing", "text: Text"]]])
  })

  it("An answer without pieces is shown at the end of the run.", () => {
    assert.deepStrictEqual(shown(turnOf([{ event: "RunCompleted", content: { a: 1 } }]).root), [
      "value"
    ])
  })

  it("A structured answer that grows is one part, which has the whole value at the end.", () => {
    const { root } = turnOf([
      { event: "RunContentPartial", content_partial: { city: "Ly" } },
      { event: "RunContentPartial", content_partial: { city: "Lyon", days: [] } },
      { event: "RunContent", content: { city: "Lyon", days: ["Monday"] } },
      { event: "RunCompleted", content: { city: "Lyon", days: ["Monday"] } }
    ])
    assert.deepStrictEqual(root.parts, [
      { type: "value", value: { city: "Lyon", days: ["Monday"] }, isGrowing: false }
    ])
  })

  it("A paused run has what it waits for, and nothing of it after it continues.", () => {
    const paused = { event: "RunPaused", content: "", requirements: [{ id: "q1" }] }
    assert.strictEqual(turnOf([paused]).requirements.length, 1)
    const { requirements, root } = turnOf([paused, { event: "RunContinued" }])
    assert.deepStrictEqual([requirements, root.state], [[], "executing"])
  })

  it("A failed run says why.", () => {
    const { error, root } = turnOf([{ event: "RunError", content: "The model failed" }])
    assert.deepStrictEqual([String(error), root.state], ["Error: The model failed", "failed"])
  })

  it("An answer has the passages and pages that it is based on.", () => {
    const citations = { urls: [{ url: "https://example.com" }] }
    const { root } = turnOf([{ event: "RunCompleted", content: "Yes", references: [{ query: "q" }], citations }])
    assert.deepStrictEqual(shown(root), ["text: Yes", "sources"])
    assert.deepStrictEqual(shown(turnOf([{ event: "RunCompleted", content: "Yes", references: [] }]).root), [
      "text: Yes"
    ])
  })

  it("A medium that several events have is shown once.", () => {
    const image = { id: "i1", url: "/media/i1" }
    const { root } = turnOf([{ event: "RunContent", image }, { event: "RunCompleted", images: [image] }])
    assert.deepStrictEqual(shown(root), ["medium"])
  })
})
