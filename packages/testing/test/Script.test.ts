// What a scripted model answers, and how its errors reach a run.
import { Agent } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { AssertionError } from "node:assert"
import { assert, describe, it } from "vitest"
import {
  assertCompleted,
  assertEvents,
  assertScriptUsed,
  assertStatus,
  assertToolCalls,
  failStatus,
  object,
  reasoning,
  refusal,
  scriptedModel,
  testService,
  text,
  timeOut,
  usage
} from "../src/index.ts"

Tier.oneIn(3)

const runOf = async (model: Agent.Options["model"], options: Partial<Agent.Options> = {}) => {
  await using service = await testService({ agents: [Agent.make({ id: "a", model, ...options })] })
  return await service.agent("a").run("Hi")
}

describe("a scripted model", () => {
  it("turns that are no list, and steps that the kit has not made, are refused", () => {
    assert.throws(
      () => scriptedModel("hello" as never),
      "scriptedModel() must be a list of turns, and is the text 'hello'"
    )
    assert.throws(
      () => scriptedModel([{ text: "x" } as never]),
      "A step of scriptedModel() must be made by text(), toolCall() or another function of the kit, and is an object with text"
    )
  })

  it("chunks are events of their own, and usage is counted", async () => {
    const run = await runOf(scriptedModel([[text("One ", "two"), usage({ input: 7, output: 2 })]]))
    const chunks = run.events.flatMap((event) => event.event === "RunContent" ? [event.content] : [])
    assert.deepStrictEqual(chunks, ["One ", "two"])
    assert.strictEqual(run.output.metrics?.total_tokens, 9)
  })

  it("structured output is the object of the agent's schema", async () => {
    const outputSchema = {
      type: "object",
      title: "Film",
      properties: { title: { type: "string" } },
      required: ["title"]
    } as const
    const run = await runOf(scriptedModel([object({ title: "Alien" })]), { outputSchema })
    assert.deepStrictEqual(run.content, { title: "Alien" })
  })

  it("reasoning is shown with the run", async () => {
    const run = await runOf(scriptedModel([[reasoning("Let me think"), text("Yes")]]))
    assert.strictEqual(run.output.reasoning_content, "Let me think")
  })

  it("errors end the run as those of a provider do", async () => {
    const cases = [
      [failStatus(429, { retryAfter: 5 }), "Scripted is limiting the rate of requests (429). Retry after 5s."],
      [failStatus(500), "Scripted failed (500)"],
      [failStatus(401), "Scripted refused the API key (401)"],
      [refusal(), "Scripted refused the content (400): content_policy: It is against the content policy"],
      [timeOut("3 minutes"), "Scripted did not answer with scripted within 3m"]
    ] as const
    for (const [step, content] of cases) {
      const run = await runOf(scriptedModel([step]))
      assert.deepInclude(run, { status: "ERROR", content })
    }
  })

  it("an agent moves on to its next model", async () => {
    const run = await runOf(scriptedModel([failStatus(503)], { id: "first" }), {
      fallbackModels: [scriptedModel(["Here."], { id: "second" })]
    })
    assertCompleted(run)
    assertEvents(run, ["RunStarted", "ModelFallback", "RunCompleted"])
  })

  it("a turn can depend on the request", async () => {
    const run = await runOf(scriptedModel([({ prompt, tools }) => `${prompt.content.length} and ${tools.length}`]))
    assert.strictEqual(run.content, "1 and 0")
  })
})

describe("an assertion", () => {
  const failure = (assertion: () => void): Error => {
    try {
      assertion()
    } catch (error) {
      if (error instanceof Error) return error
    }
    return assert.fail("It passed")
  }

  it("a failed assertion is an AssertionError with both values", async () => {
    const run = await runOf(scriptedModel(["Hi"]))
    const error = failure(() => assertStatus(run, "PAUSED"))
    assert.instanceOf(error, AssertionError)
    assert.deepStrictEqual([error.actual, error.expected], ["COMPLETED", "PAUSED"])
    assert.match(error.message, /^The run is COMPLETED and not PAUSED: "Hi"/)
    assert.include(failure(() => assertToolCalls(run, ["pay"])), { name: "AssertionError" })
    const missing = failure(() => assertEvents(run, ["RunStarted", "RunPaused"]))
    assert.match(missing.message, /^The run has no RunPaused after RunStarted/)
  })

  it("a script that was not used up is a failure", async () => {
    const model = scriptedModel(["Hi", "Never"])
    assertCompleted(await runOf(model))
    const { message } = failure(() => assertScriptUsed(model))
    assert.match(message, /^The model was asked 1 times, and its script has 1 more turns/)
  })
})
