// Which texts of a run are stored apart from its rows.
import { assert, describe, it } from "@effect/vitest"
import * as LargeTexts from "../src/runs/LargeTexts.ts"

const of = (length: number) => "x".repeat(length)

describe("texts that are stored separately", () => {
  it("a text of 32 KiB is large, and one of 1 KiB in a copy of a message", () => {
    assert.deepStrictEqual([...LargeTexts.find({ a: of(32_768), b: [of(32_767)] })], [of(32_768)])
    const copy = { role: "user", from_history: true, content: of(1024), tool: { args: of(2048) } }
    assert.deepStrictEqual([...LargeTexts.find(copy)], [of(1024)])
  })

  it("a result of a step of 8 KiB is the same text in its journal entry, its events and its run", () => {
    const text = of(8192)
    const output = { step_id: "s", content: { title: "a", pages: [text] }, images: null }
    const around = { step_id: "each", content: [output.content], steps: [output] }
    const stored = [
      { kind: "finished", key: "each/0", output },
      { event: "StepCompleted", step_id: "s", content: output.content, step_response: output },
      { event: "ParallelExecutionCompleted", step_id: "each", step_results: [output] },
      { event: "WorkflowCompleted", content: around.content, step_results: [around] },
      { run_id: "r", content: around.content, step_results: [around] }
    ]
    for (const value of stored) {
      assert.deepStrictEqual([...LargeTexts.find(value)], [text], JSON.stringify(value).slice(0, 60))
      assert.isBelow(
        JSON.stringify(LargeTexts.replace(value, (each) => each === text ? "reference" : each)).length,
        500
      )
    }
  })

  it("a shorter result, and a text beside the result, are in their rows", () => {
    const output = { step_id: "s", content: of(8191), step_name: of(9000) }
    assert.strictEqual(LargeTexts.find([output, { messages: [{ role: "user", content: of(9000) }] }]).size, 0)
  })
})
