import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { describe, expect, it } from "vitest"
import type { RunPiece } from "../../src/run/RunPiece.ts"
import * as RunPieces from "../../src/run/RunPieces.ts"

const agent = { agent_id: "a", agent_name: "Anna", session_id: "s", nested_depth: 0, created_at: 1 }
const workflow = { workflow_id: "w", workflow_name: "Flow", session_id: "s", nested_depth: 0, created_at: 1 }

let index = 0
const event = (fields: object): RunEvent.RunEvent => ({ event_index: index++, ...fields }) as RunEvent.RunEvent
const own = (name: string, fields: object = {}) => event({ ...agent, run_id: "r", event: name, ...fields })
const member = (name: string, fields: object = {}) =>
  event({ ...agent, agent_name: "Mia", run_id: "m", parent_run_id: "r", event: name, ...fields })
const ofWorkflow = (name: string, fields: object = {}) => event({ ...workflow, run_id: "r", event: name, ...fields })

const content = (text: string) => ({ content: text, content_type: "str", reasoning_content: "", workflow_agent: false })
const thought = (text: string) => ({ content_type: "str", reasoning_content: text, workflow_agent: false })
const completed = (text: unknown) => ({ content: text, content_type: "str", session_state: { a: 1 }, metrics: {} })
const tool = (fields: object = {}) => ({
  tool: { tool_call_id: "c", tool_name: "look", tool_args: { q: 1 }, result: null, child_run_id: null, ...fields }
})

const withoutEvent = (piece: RunPiece): object => {
  const { event: _, ...rest } = piece
  return rest._tag === "Member" ? { ...rest, piece: withoutEvent(rest.piece) } : rest
}

const shown = (...events: ReadonlyArray<RunEvent.RunEvent>) => {
  const pieces = RunPieces.make("r")
  return events.flatMap((each) => pieces.push(each)).filter(({ _tag }) => _tag !== "Other").map(withoutEvent)
}

const textsOf = (pieces: ReadonlyArray<object>) =>
  pieces.flatMap((piece) => "segment" in piece && "delta" in piece ? [[piece.segment, piece.delta]] : [])

describe("the pieces of a run", () => {
  it("the pieces have the parts of an answer, and do not repeat the whole answer at the end", () => {
    const pieces = shown(
      own("RunStarted"),
      own("RunContent", content("He")),
      own("RunContent", content("llo")),
      own("ModelRequestCompleted"),
      own("RunCompleted", completed("Hello"))
    )
    expect(pieces.slice(0, 4)).toEqual([
      { _tag: "Started" },
      { _tag: "Text", delta: "He", segment: 0 },
      { _tag: "Text", delta: "llo", segment: 0 },
      { _tag: "State", state: { a: 1 } }
    ])
    expect(pieces[4]).toMatchObject({ _tag: "Completed", text: "Hello" })
  })

  it("the pieces have the whole answer once when no part of it was shown", () => {
    const pieces = shown(own("RunStarted"), own("RunCompleted", completed({ city: "Rome" })))
    expect(textsOf(pieces)).toEqual([[0, "{\"city\":\"Rome\"}"]])
  })

  it("segments count the answers of the model, and the last segment is the stored answer", () => {
    const pieces = shown(
      own("RunContent", content("I look.")),
      own("ModelRequestCompleted"),
      own("ToolCallStarted", tool()),
      own("ToolCallCompleted", tool({ result: "42" })),
      own("RunContent", content("It is 42.")),
      own("ModelRequestCompleted"),
      own("RunCompleted", completed("It is 42."))
    )
    expect(textsOf(pieces)).toEqual([[0, "I look."], [1, "It is 42."]])
    expect(pieces).toContainEqual({ _tag: "ToolCallStarted", id: "c", name: "look", args: { q: 1 } })
    expect(pieces).toContainEqual({
      _tag: "ToolCallEnded",
      id: "c",
      name: "look",
      result: "42",
      isError: false,
      isRejected: false
    })
  })

  it("the text of an answer is void when the run resumes before that answer has ended", () => {
    const pieces = shown(own("RunContent", content("Hel")), own("RunContinued"), own("RunContent", content("Hello")))
    expect(pieces).toEqual([
      { _tag: "Text", delta: "Hel", segment: 0 },
      { _tag: "Resumed", isVoid: true, isReasoningVoid: false },
      { _tag: "Text", delta: "Hello", segment: 1 }
    ])
  })

  it("reasoning is opened and closed around its parts", () => {
    const pieces = shown(
      own("RunContent", thought("Hm")),
      own("RunContent", thought("m")),
      own("RunContent", content("Yes"))
    )
    expect(pieces.map((piece) => "_tag" in piece && piece._tag)).toEqual([
      "ReasoningStarted",
      "Reasoning",
      "Reasoning",
      "ReasoningEnded",
      "Text"
    ])
  })

  it("a reasoning step shows only what it adds", () => {
    const step = (text: string) => own("ReasoningStep", { content: {}, reasoning_content: text })
    const pieces = shown(own("ReasoningStarted"), step("# 1"), step("# 1\n# 2"), own("ReasoningCompleted"))
    expect(pieces).toEqual([
      { _tag: "ReasoningStarted" },
      { _tag: "Reasoning", delta: "# 1" },
      { _tag: "Reasoning", delta: "\n# 2" },
      { _tag: "ReasoningEnded" }
    ])
  })

  it("the pieces of a member are apart from those of the run", () => {
    const pieces = shown(
      member("RunStarted"),
      member("RunContent", content("Ciao")),
      member("RunCompleted", completed("Ciao")),
      own("RunCompleted", completed("Done"))
    )
    const at = { run_id: "m", name: "Mia" }
    expect(pieces.slice(0, 2)).toEqual([
      { _tag: "MemberStarted", ...at },
      { _tag: "Member", ...at, piece: { _tag: "Text", delta: "Ciao", segment: 0 } }
    ])
    expect(pieces).toContainEqual({ _tag: "MemberEnded", ...at, status: "COMPLETED" })
    expect(textsOf(pieces)).toEqual([[0, "Done"]])
  })

  it("a call has no result while its member waits for a person", () => {
    const pieces = shown(
      own("ToolCallStarted", tool()),
      member("RunStarted"),
      member("RunPaused", { content: "It waits", tools: [], requirements: [] }),
      own("ToolCallCompleted", tool({ result: "waits", child_run_id: "m" }))
    )
    expect(pieces.map((piece) => "_tag" in piece && piece._tag)).toEqual([
      "ToolCallStarted",
      "MemberStarted",
      "MemberEnded"
    ])
  })

  it("a workflow shows its steps, its answer at the end, and the usage of its executors", () => {
    const pieces = shown(
      ofWorkflow("WorkflowStarted"),
      ofWorkflow("StepStarted", { step_id: "1", step_name: "Write" }),
      ofWorkflow("StepError", { step_id: "1", step_name: "Write", error: "No ink" }),
      ofWorkflow("StepCompleted", { step_id: "1", step_name: "Write" }),
      ofWorkflow("WorkflowCompleted", {
        content: "Text",
        content_type: "str",
        step_results: [],
        step_executor_runs: [{ agent_id: "a", metrics: { input_tokens: 2 } }],
        metrics: { steps: {}, duration: 1 }
      })
    )
    expect(pieces.slice(0, 5)).toEqual([
      { _tag: "Started" },
      { _tag: "StepStarted", id: "1", name: "Write" },
      { _tag: "StepEnded", id: "1", name: "Write", error: "No ink" },
      { _tag: "StepEnded", id: "1", name: "Write", error: undefined },
      { _tag: "Text", delta: "Text", segment: 0 }
    ])
    expect(pieces[5]).toMatchObject({ _tag: "Completed", metrics: { input_tokens: 2, duration: 1 } })
  })

  const inStep = { workflow_id: "w", workflow_run_id: "r", step_id: "1", step_name: "Write" }
  const executor = (name: string, fields: object = {}, run_id = "x") =>
    event({ ...agent, ...inStep, agent_name: "Ed", run_id, event: name, ...fields })
  const finished = (content: string) =>
    ofWorkflow("WorkflowCompleted", { content, content_type: "str", step_results: [], step_executor_runs: [] })

  it("the text of a step's agent is text of the workflow while it is made, and the answer is not repeated", () => {
    const pieces = shown(
      ofWorkflow("WorkflowStarted"),
      executor("RunStarted"),
      executor("RunContent", content("Dra")),
      executor("RunContent", content("ft")),
      executor("ModelRequestCompleted"),
      executor("RunCompleted", completed("Draft")),
      executor("RunStarted", {}, "y"),
      executor("RunContent", thought("Hm"), "y"),
      executor("RunContent", content("Final"), "y"),
      executor("RunCompleted", completed("Final"), "y"),
      finished("Final")
    )
    expect(textsOf(pieces)).toEqual([[0, "Dra"], [0, "ft"], [1, "Final"]])
    expect(pieces.filter((piece) => "_tag" in piece && /^(Member|Reasoning|State)/.test(String(piece._tag))))
      .toMatchObject([
        { _tag: "MemberStarted", run_id: "x" },
        { _tag: "State" },
        { _tag: "MemberEnded", run_id: "x" },
        { _tag: "MemberStarted", run_id: "y" },
        { _tag: "ReasoningStarted" },
        { _tag: "Reasoning", delta: "Hm" },
        { _tag: "ReasoningEnded" },
        { _tag: "State" },
        { _tag: "MemberEnded", run_id: "y" }
      ])
  })

  it("a workflow shows its answer at its end when it is not the text of its last executor", () => {
    const pieces = shown(
      executor("RunStarted"),
      executor("RunContent", content("draft")),
      executor("RunCompleted", completed("draft")),
      finished("DRAFT")
    )
    expect(textsOf(pieces)).toEqual([[0, "draft"], [1, "DRAFT"]])
  })

  it("the structured answer of an executor and the text of its members are not text of the workflow", () => {
    const pieces = shown(
      executor("RunStarted"),
      executor("RunContent", { ...content("Ciao"), parent_run_id: "x" }, "m"),
      executor("RunContent", { ...content("{}"), content_type: "Plan" }),
      executor("RunCompleted", completed({})),
      finished("done")
    )
    expect(textsOf(pieces)).toEqual([[0, "done"]])
  })

  it("the texts of parallel branches are not mixed: the answer comes at the end", () => {
    const pieces = shown(
      ofWorkflow("ParallelExecutionStarted", { step_id: "p", parallel_step_count: 2 }),
      executor("RunContent", content("One")),
      executor("RunContent", content("Two"), "y"),
      executor("RunCompleted", completed("One")),
      executor("RunCompleted", completed("Two"), "y"),
      ofWorkflow("ParallelExecutionCompleted", { step_id: "p", parallel_step_count: 2, step_results: [] }),
      finished("One, Two")
    )
    expect(textsOf(pieces)).toEqual([[0, "One, Two"]])
  })

  it("text of an executor is void when its run resumes before that answer has ended", () => {
    const pieces = shown(
      executor("RunStarted"),
      executor("RunContent", content("Hel")),
      executor("RunContinued"),
      executor("RunContent", content("Hello")),
      executor("RunCompleted", completed("Hello")),
      finished("Hello")
    )
    expect(pieces).toContainEqual({ _tag: "Resumed", isVoid: true, isReasoningVoid: false })
    expect(textsOf(pieces)).toEqual([[0, "Hel"], [1, "Hello"]])
  })

  it("a custom event shows the author's fields, without those of every event", () => {
    expect(shown(own("CustomEvent", { name: "progress", percent: 10 }))).toEqual([
      { _tag: "Custom", name: "progress", value: { name: "progress", percent: 10 } }
    ])
  })

  it("the media of an answer come before its end", () => {
    const image = { url: "https://example.com/cat.png" }
    const pieces = shown(own("RunCompleted", { ...completed("A cat"), images: [image] }))
    expect(pieces).toContainEqual({ _tag: "Medium", kind: "image", medium: image })
  })

  it("every event has a piece", () => {
    const pieces = RunPieces.make("r")
    expect(pieces.push(own("PreHookStarted")).map(({ _tag }) => _tag)).toEqual(["Other"])
    expect(pieces.push(own("RunError", { content: "It broke", error_type: "E" }))[0]).toMatchObject({
      _tag: "Failed",
      message: "It broke",
      error_type: "E"
    })
    expect(pieces.push(own("RunCancelled", { reason: "No" }))[0]).toMatchObject({ _tag: "Cancelled", reason: "No" })
  })
})
