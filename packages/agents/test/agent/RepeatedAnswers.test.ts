// Answers of a person that are sent twice, to tools.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { turns } from "../../../engine/test/durable/Memory.ts"
import { answered, begun, openIn, planOf, toolResult, toolScene, valuesFor } from "./DurableFunctions.ts"

describe("an answer to a tool", () => {
  it.effect("an answer that is sent twice does not count for the next question", () =>
    Effect.gen(function*() {
      const scene = yield* toolScene(async ({ pause }) => [
        await pause({ question: "Send the invoice?" }),
        await pause({ question: "Delete all customers?" })
      ])
      const first = yield* begun(scene)
      const answer = openIn(first).map((each) => ({ ...each, user_input_schema: [{ name: "answer", value: "yes" }] }))
      const second = yield* answered(scene, first, answer)
      const refused = yield* Effect.flip(planOf(second, answer))
      assert.strictEqual(refused.reason, "malformed")
      assert.include(refused.message, "the run has no requirement")
      const ended = yield* answered(scene, second, valuesFor(second, { answer: "no" }))
      assert.strictEqual(toolResult(ended), "[\"yes\",\"no\"]")
    }))

  it.effect("a confirmation that is sent twice does not repeat a call whose outcome is unknown", () =>
    Effect.gen(function*() {
      let calls = 0
      const scene = yield* toolScene(async () => {
        calls++
        await turns(50)
        return "charged"
      }, { requiresConfirmation: true })
      const first = yield* begun(scene)
      const answer = openIn(first).map((each) => ({ ...each, confirmation: true }))
      const second = yield* answered(scene, first, answer, 1)
      assert.strictEqual(openIn(second)[0]?.tool_execution.outcome_unknown, true)
      const refused = yield* Effect.flip(planOf(second, answer))
      assert.include(refused.message, "the run has no requirement")
      assert.strictEqual(calls, 1)
    }))
})
