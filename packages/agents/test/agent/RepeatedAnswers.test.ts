// Answers of a person that are sent twice, to tools.
import { assert, describe, it } from "@effect/vitest"
import type * as Continuation from "@svc-runtime/engine/run/Continuation"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { turns } from "../../../engine/test/durable/Memory.ts"
import {
  answered,
  answeredWith,
  begun,
  openIn,
  type Paused,
  planOf,
  planWith,
  speaker,
  toolResult,
  toolScene,
  valuesFor,
  woken
} from "./DurableFunctions.ts"

Tier.oneIn(3)

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
      assert.strictEqual(refused.reason, "conflict")
      assert.include(refused.message, "any more")
      const ended = yield* answered(scene, second, valuesFor(second, { answer: "no" }))
      assert.strictEqual(toolResult(ended), "[\"yes\",\"no\"]")
    }))

  it.effect("a question after a refused one, and after a time that is over, has an id of its own", () =>
    Effect.gen(function*() {
      const refusing = yield* toolScene(async ({ pause }) => {
        const sent = await pause({ question: "Send the invoice?" }).catch(() => "no")
        return [sent, await pause({ question: "Delete all customers?" })]
      })
      const first = yield* begun(refusing)
      const refusal = openIn(first).map(({ id }) => ({ id, confirmed: false }))
      const second = yield* answered(refusing, first, refusal)
      assert.strictEqual((yield* Effect.flip(planOf(second, refusal))).reason, "conflict")
      assert.deepStrictEqual(openIn(second).map(({ asked_before }) => asked_before), [1])
      const late = yield* toolScene(async ({ pause, waitFor }) => {
        const paid = await waitFor("paid", { timeout: "1 hour" })
        return paid ?? await pause({ question: "Send a reminder?" })
      })
      const waiting = yield* begun(late)
      yield* TestClock.adjust("1 hour")
      const asking = yield* woken(late, waiting)
      const sent = openIn(waiting).map(({ id }) => ({ id, external_execution_result: "12" }))
      assert.strictEqual((yield* Effect.flip(planOf(asking, sent))).reason, "conflict")
      assert.deepStrictEqual(openIn(asking).map(({ asked_before }) => asked_before), [1])
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
      assert.strictEqual(refused.reason, "conflict")
      assert.strictEqual(calls, 1)
    }))

  const twice = toolScene(async ({ pause }) => [
    await pause({ question: "Send the invoice?" }),
    await pause({ question: "Delete all customers?" })
  ])

  it.effect.each<readonly [string, (sent: object) => Continuation.SentDecisions]>([
    ["in the list of calls", (sent) => ({ tools: [sent] })],
    ["in a requirement without an id", (tool_execution) => ({ requirements: [{ tool_execution }] })]
  ])(
    "an answer that only names its call counts for the first question only: %s",
    ([, decisionsOf]) =>
      Effect.gen(function*() {
        const scene = yield* twice
        const first = yield* begun(scene)
        const short = decisionsOf({ tool_call_id: "w", user_input_schema: [{ name: "answer", value: "yes" }] })
        const second = yield* answeredWith(scene, first, short)
        const refused = yield* Effect.flip(planWith(second, short))
        assert.strictEqual(refused.reason, "malformed")
        assert.include(refused.message, String(openIn(second)[0]?.id))
      })
  )

  it.effect("calls that are sent back as the run shows them have the question that is meant", () =>
    Effect.gen(function*() {
      const scene = yield* twice
      const shown = (paused: Paused) => ({
        tools: (paused.snapshot.output.tools ?? []).map((tool) => ({
          ...tool,
          user_input_schema: [{ name: "answer", value: "yes" }]
        }))
      })
      const first = yield* begun(scene)
      const second = yield* answeredWith(scene, first, shown(first))
      assert.strictEqual((yield* Effect.flip(planWith(second, shown(first)))).reason, "malformed")
      assert.strictEqual(toolResult(yield* answeredWith(scene, second, shown(second))), "[\"yes\",\"yes\"]")
    }))

  it.effect("a short answer to a tool of a run inside of the run counts for the first question only", () =>
    Effect.gen(function*() {
      const ask = Tool.make({
        name: "ask",
        execute: async (_, { pause }) => `${await pause({ question: "One?" })} ${await pause({ question: "Two?" })}`
      })
      const { model } = yield* speaker(toolCall("ask", {}, "i"), text("Inside."))
      const inner = Agent.make({ id: "inner", tools: [ask], model })
      const scene = yield* toolScene(async ({ run }) => (await run(inner, "Go")).content)
      const first = yield* begun(scene)
      const short = { tools: [{ tool_call_id: "i", user_input_schema: [{ name: "answer", value: "yes" }] }] }
      const second = yield* answeredWith(scene, first, short)
      const late = openIn(first).map(({ id }) => ({ id, user_input_schema: [{ name: "answer", value: "yes" }] }))
      assert.strictEqual((yield* Effect.flip(planOf(second, late))).reason, "conflict")
      const refused = yield* Effect.flip(planWith(second, short))
      assert.strictEqual(refused.reason, "malformed")
    }))
})
