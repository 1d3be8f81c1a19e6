// The checkpoints of a run.
import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as Checkpoint from "../src/Checkpoint.ts"
import type * as Message from "../src/Message.ts"
import * as Run from "../src/Run.ts"
import * as ToolExecution from "../src/ToolExecution.ts"

const message = (role: Message.Role, fields: Partial<Message.Message> = {}): Message.Message => ({
  id: `${role}-id`,
  from_history: false,
  stop_after_tool_call: false,
  role,
  created_at: 5,
  ...fields
})

const calls = message("assistant", {
  tool_calls: [{ id: "a", type: "function", function: { name: "look", arguments: "{}" } }]
})
const answer = message("tool", { tool_call_id: "a", content: "seen" })

const tool = (tool_call_id: string) =>
  ToolExecution.requested({ tool_call_id, tool_name: "look", tool_args: {}, created_at: 5 })

const run = (messages: ReadonlyArray<Message.Message>, fields: Partial<Run.Output> = {}): Run.Output => ({
  ...Run.running({
    run_id: Run.Id.make("r"),
    component_id: "agent",
    session_id: "s",
    user_id: null,
    created_at: 1,
    input: { input_content: "Hi" }
  }),
  status: "COMPLETED",
  messages,
  ...fields
})

const indexesOf = (of: Run.Output) =>
  Checkpoint.list(of).checkpoints.map(({ checkpoint_id, message_index, reason }) => [
    checkpoint_id,
    message_index,
    reason
  ])

describe("the checkpoints of a run", () => {
  it("the checkpoints include the end, with the id of the last message", () => {
    const end = message("assistant", { content: "Hello" })
    assert.deepStrictEqual(Checkpoint.list(run([message("user"), end])), {
      run_id: Run.Id.make("r"),
      session_id: "s",
      checkpoints: [{
        checkpoint_id: "1",
        run_id: Run.Id.make("r"),
        session_id: "s",
        message_index: 2,
        continue_from: 2,
        status: "COMPLETED",
        reason: "end",
        created_at: 5,
        message_id: "assistant-id",
        message_role: "assistant",
        message_preview: "Hello",
        is_latest: true
      }]
    })
  })

  it("a run without messages has its end as the only checkpoint", () => {
    const { messages: _, ...nothing } = run([], { status: "RUNNING" })
    const [only] = Checkpoint.list(nothing).checkpoints
    assert.deepInclude(only, { message_index: 0, status: "RUNNING", created_at: 1, message_id: null })
  })

  it("the checkpoints are the marked messages, the place of the continuation, and the end: sorted and unique", () => {
    const marked = { ...answer, checkpoint_status: "RUNNING", checkpoint_created_at: 9 }
    const messages = [message("user"), calls, marked, message("assistant")]
    const all = run(messages, { last_checkpoint_at_message_index: 1 })
    assert.deepStrictEqual(indexesOf(all), [["1", 1, "checkpoint"], ["2", 3, "checkpoint"], ["3", 4, "end"]])
    assert.deepInclude(Checkpoint.list(all).checkpoints[1], { status: "RUNNING", created_at: 9, is_latest: false })
    assert.deepStrictEqual(indexesOf(run([calls, marked], { last_checkpoint_at_message_index: 2 })), [["1", 2, "end"]])
    assert.deepStrictEqual(indexesOf(run([message("user")], { last_checkpoint_at_message_index: 7 })), [[
      "1",
      1,
      "end"
    ]])
  })

  it("a checkpoint shows one line of at most 120 characters", () => {
    const preview = (content: string) =>
      Checkpoint.list(run([message("user", { content })])).checkpoints[0]?.message_preview
    assert.strictEqual(preview("two\n\nlines"), "two lines")
    assert.strictEqual(preview("x".repeat(120)), "x".repeat(120))
    assert.strictEqual(preview("x".repeat(121)), `${"x".repeat(119)}…`)
  })

  it("a checkpoint shows a message of spaces in time linear in their number", () => {
    assertLinear(20_000, (size) => Checkpoint.list(run([message("user", { content: `x${" ".repeat(size)}x` })])))
  })
})

describe("a run as it was at a message", () => {
  const whole = run([message("user"), calls, answer, message("assistant")], {
    tools: [tool("a"), tool("b")],
    requirements: [{ id: "q", created_at: "", tool_execution: tool("b") }],
    events: [{ event: "RunStarted" }]
  })

  it("a snapshot has the messages and calls up to its index", () => {
    const { checkpoint, snapshot } = Checkpoint.agentSnapshot(whole, 3)
    assert.deepInclude(checkpoint, { checkpoint_id: null, message_index: 3, reason: "snapshot", message_role: "tool" })
    assert.deepStrictEqual(snapshot.messages, whole.messages?.slice(0, 3))
    assert.deepStrictEqual(snapshot.tools, [tool("a")])
    assert.deepStrictEqual(snapshot.requirements, [])
    assert.strictEqual(snapshot.last_checkpoint_at_message_index, 3)
    assert.notProperty(snapshot, "events")
  })

  it("a snapshot has no run inside that a later call has started", () => {
    const called = (id: string): ToolExecution.ToolExecution => ({ ...tool(id), child_run_id: `run of ${id}` })
    const inner = ["a", "b"].map((id) => ({ run_id: `run of ${id}` }))
    const { snapshot } = Checkpoint.agentSnapshot(
      { ...whole, tools: [called("a"), called("b")], member_responses: inner },
      3
    )
    assert.deepStrictEqual(snapshot.member_responses, [{ run_id: "run of a" }])
  })

  it("a snapshot has no call without its answer", () => {
    const { checkpoint, snapshot } = Checkpoint.agentSnapshot(whole, 2)
    assert.strictEqual(checkpoint.message_index, 1)
    assert.deepStrictEqual([snapshot.messages?.length, snapshot.tools], [1, []])
  })

  it("a snapshot at the end is the run itself", () => {
    const { checkpoint, snapshot } = Checkpoint.agentSnapshot(whole, 4)
    assert.deepInclude(checkpoint, { checkpoint_id: "1", reason: "snapshot", is_latest: true })
    assert.deepStrictEqual(snapshot.tools, whole.tools)
  })
})
