import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Message from "../src/Message.ts"
import * as Run from "../src/Run.ts"
import * as RunEvent from "../src/RunEvent.ts"
import * as ToolExecution from "../src/ToolExecution.ts"

const output: Run.Output = {
  run_id: Run.Id.make("r"),
  agent_id: "a",
  session_id: "s",
  content_type: "str",
  created_at: 1_795_223_413,
  status: "RUNNING"
}

describe("records", () => {
  it("records of a run without output have every key", () => {
    const record = Run.toRecord(output)
    assert.deepStrictEqual<unknown>(record, {
      run_id: "r",
      parent_run_id: "",
      agent_id: "a",
      user_id: "",
      status: "RUNNING",
      run_input: "",
      content: "",
      run_response_format: "text",
      reasoning_content: "",
      reasoning_steps: [],
      metrics: {},
      messages: null,
      tools: null,
      events: null,
      created_at: "2026-11-21T01:10:13Z",
      references: [],
      citations: null,
      reasoning_messages: [],
      session_state: null,
      images: [],
      videos: [],
      audio: [],
      files: [],
      response_audio: null,
      input_media: { images: [], videos: [], audios: [], files: [] },
      followups: null,
      forked_from_run_id: null,
      forked_from_message_index: null,
      forked_from_session_id: null,
      regenerated_from: null,
      last_checkpoint_at_message_index: null
    })
    assert.deepStrictEqual<unknown>(Schema.encodeSync(Run.Record)(record), record)
  })

  it("records keep zero, false and empty objects", () => {
    const record = Run.toRecord({ ...output, content: 0, session_state: {}, last_checkpoint_at_message_index: 0 })
    assert.strictEqual(record.content, "0")
    assert.deepStrictEqual(record.session_state, {})
    assert.strictEqual(record.last_checkpoint_at_message_index, 0)
    assert.strictEqual(Run.toRecord({ ...output, content: false }).content, "false")
  })

  it.each([["str", "text"], ["Movie", "json"], ["dict", "json"]])(
    "content of the type %s is shown as %s",
    (content_type, format) => {
      assert.strictEqual(Run.toRecord({ ...output, content_type }).run_response_format, format)
    }
  )

  it.each([
    ["text", "text"],
    ["", ""],
    [{ a: [1] }, "{\n  \"a\": [\n    1\n  ]\n}"],
    [null, "null"],
    [3, "3"]
  ])("the input %j is shown as %j", (input_content, text) => {
    assert.strictEqual(Run.inputText({ input_content }), text)
  })

  it("records without nulls match the schema of lists", () => {
    const { citations: _, messages: __, tools: ___, events: ____, ...rest } = Run.toRecord(output)
    assert.isTrue(Schema.is(Run.PartialRecord)(rest))
  })
})

describe("a run that was accepted", () => {
  it("a new run is running, and has only its input", () => {
    const running = Run.running({
      run_id: Run.Id.make("r"),
      component_id: "a",
      session_id: "s",
      user_id: null,
      created_at: 1,
      input: { input_content: "hi" }
    })
    assert.deepStrictEqual<unknown>(running, {
      run_id: "r",
      agent_id: "a",
      session_id: "s",
      content_type: "str",
      created_at: 1,
      status: "RUNNING",
      input: { input_content: "hi" }
    })
  })
})

describe("tool executions", () => {
  it("tool executions have all their twenty keys from the start", () => {
    const call = ToolExecution.requested({ tool_call_id: "c", tool_name: "t", tool_args: { a: 1 }, created_at: 1 })
    assert.strictEqual(Object.keys(call).length, 20)
    assert.deepStrictEqual<unknown>(Schema.encodeSync(ToolExecution.ToolExecution)(call), call)
  })
})

describe("events", () => {
  const kinds = [...RunEvent.kinds]

  it("events are distinguished by their names, which are those of the wire format", () => {
    const custom = 3
    assert.strictEqual(kinds.length, RunEvent.RunEvent.members.length - custom + 1)
    assert.includeMembers(kinds, ["RunStarted", "RunContent", "RunCompleted", "ReasoningStep", "ToolCallError"])
  })

  it("a stream without intermediate events has only the text events and the reason of the end", () => {
    const essential = kinds.filter((event) => RunEvent.isEssential({ event }))
    assert.sameMembers(essential, [
      "RunContent",
      "RunPaused",
      "RunError",
      "RunCancelled",
      "TeamRunContent",
      "TeamRunPaused",
      "TeamRunError",
      "TeamRunCancelled",
      "StepOutput",
      "CustomEvent",
      "WorkflowCompleted",
      "WorkflowPaused",
      "WorkflowCancelled",
      "WorkflowError"
    ])
  })

  it("text events are not shown with a stored run", () => {
    assert.sameMembers(kinds.filter((event) => RunEvent.isContent({ event })), [
      "RunContent",
      "RunContentPartial",
      "TeamRunContent",
      "TeamRunContentPartial",
      "StepOutput"
    ])
  })
})

describe("chat", () => {
  const message = (role: Message.Role, from_history = false): Message.Message => ({
    id: "m",
    from_history,
    stop_after_tool_call: false,
    role,
    created_at: 1
  })

  it.each(["user", "assistant", "system", "developer", "tool"] as const)(
    "a message of the %s belongs to it, unless it is a copy from an earlier run",
    (role) => {
      assert.isTrue(Message.isChat(message(role)))
      assert.isFalse(Message.isChat(message(role, true)))
    }
  )
})
