import { assert, describe, it } from "@effect/vitest"
import * as BackgroundTask from "@svc-runtime/features/backgroundTasks/BackgroundTask"
import * as TaskResult from "@svc-runtime/features/backgroundTasks/TaskResult"
import { inputOf, ofRecord, type Recorded } from "../src/chat/StoredTurns.ts"

const failed: Recorded = {
  run_id: "r1",
  status: "ERROR",
  run_input: "Refund it",
  content: "The model failed",
  tools: [{ tool_call_id: "t1", tool_name: "refund", tool_args: {}, result: "refunded" }] as never
}

describe("A stored run", () => {
  it("A run that failed shows the calls that it has made, and its error once.", () => {
    const turn = ofRecord(failed, "s1", [failed])
    assert.deepStrictEqual(turn.root.parts.map(({ type }) => type), ["call"])
    assert.strictEqual((turn.error as Error).message, "The model failed")
  })

  it("The page of a run shows the input of an agent and that of a workflow, which has no text of its own.", () => {
    assert.strictEqual(inputOf({ input: { input_content: "Refund it" } }), "Refund it")
    assert.deepStrictEqual(inputOf({ input: { product: "tea", count: 2 } }), { product: "tea", count: 2 })
    assert.strictEqual(inputOf({ input: "Write" }), "Write")
  })

  it("The run with the result of a background task shows which one has ended, and not the text for the model.", () => {
    const task = { id: BackgroundTask.Id.make("t1"), tool_name: "researcher" }
    const run_input = TaskResult.message(task, { status: "COMPLETED", text: "Tea is old." })
    assert.strictEqual(ofRecord({ run_id: "r1", run_input }, "s1", []).input, "researcher has completed.")
    const typed = "The background task t1 of researcher has completed."
    assert.strictEqual(ofRecord({ run_id: "r1", run_input: typed }, "s1", []).input, typed)
  })

  it("A run with members shows what each of them has answered before its own answer.", () => {
    const run: Recorded = { run_id: "r1", status: "COMPLETED", run_input: "Write", content: "Both are done." }
    const member: Recorded = {
      run_id: "r2",
      parent_run_id: "r1",
      agent_name: "Writer",
      status: "COMPLETED",
      content: "A text."
    }
    const { root } = ofRecord(run, "s1", [run, member])
    assert.deepStrictEqual(root.parts, [
      { type: "activity", title: "Writer", state: "completed", parts: [{ type: "text", text: "A text." }] },
      { type: "text", text: "Both are done." }
    ])
  })
})
