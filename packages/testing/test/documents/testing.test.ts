// The blocks of docs/testing.md, as tests that pass.

// #region
import { Agent, Tool } from "@svc-runtime/server"
import { assertCompleted, assertToolCalls, scriptedModel, testService, toolCall } from "@svc-runtime/testing"
import { expect, test } from "vitest"

const weather = Tool.make({
  name: "weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  effects: "read",
  execute: ({ city }) => `It is sunny in ${String(city)}.`
})

const assistant = (model: Agent.Options["model"]) => Agent.make({ id: "assistant", model, tools: [weather] })

test("the assistant asks the tool for the weather, and answers", async () => {
  const model = scriptedModel([toolCall("weather", { city: "Paris" }), "Take your sunglasses."])
  await using service = await testService({ agents: [assistant(model)] })
  const run = await service.agent("assistant").run("How is the weather in Paris?")
  assertCompleted(run)
  assertToolCalls(run, [{ name: "weather", args: { city: "Paris" }, result: "It is sunny in Paris." }])
  expect(run.content).toBe("Take your sunglasses.")
})
// #endregion

// #region
import { delay, failStatus, object, text, usage } from "@svc-runtime/testing"

const script = scriptedModel([
  "One text",
  [text("A text ", "in three ", "chunks"), usage({ input: 12, output: 3 })],
  [toolCall("weather", { city: "Paris" }), toolCall("weather", { city: "Rome" })],
  object({ title: "Structured output" }),
  [delay("20 seconds"), text("Late")],
  failStatus(429, { retryAfter: 5 }),
  ({ prompt }) => `Message ${prompt.content.length}`
])
// #endregion

test("a script has all kinds of turns", () => {
  expect(script.remaining).toBe(7)
})

// #region
import { createOpenAI } from "@ai-sdk/openai"
import { recordedModel } from "@svc-runtime/testing"

const openai = createOpenAI({ apiKey: process.env["OPENAI_API_KEY"] ?? "none" })
const recorded = recordedModel({ file: "test/recorded/weather.json", model: openai("gpt-5-mini") })
// #endregion

test("a recorded model has the names of the model that it replaces", () => {
  expect(recorded.id).toBe("gpt-5-mini")
})

// #region
import { approve, assertStatus } from "@svc-runtime/testing"

test("a refund is made after a person has approved it", async () => {
  const made: Array<unknown> = []
  const refund = Tool.make({
    name: "refund",
    parameters: { type: "object", properties: { order: { type: "number" } }, required: ["order"] },
    requiresConfirmation: true,
    execute: ({ order }) => {
      made.push(order)
      return "Refunded."
    }
  })
  const model = scriptedModel([toolCall("refund", { order: 17 }), "Order 17 is refunded."])
  await using service = await testService({ agents: [Agent.make({ id: "clerk", model, tools: [refund] })] })
  const paused = await service.agent("clerk").run("Refund order 17")
  assertStatus(paused, "PAUSED")
  assertToolCalls(paused, [{ name: "refund", args: { order: 17 }, result: undefined }])
  expect(made).toEqual([])
  const run = await service.agent("clerk").continue(paused, approve(paused.output))
  assertCompleted(run)
  assertToolCalls(run, [{ name: "refund", args: { order: 17 }, result: "Refunded." }])
  expect(made).toEqual([17])
  expect(run.content).toBe("Order 17 is refunded.")
})
// #endregion

// #region
test("a report is made each morning", async () => {
  const reporter = Agent.make({ id: "reporter", model: scriptedModel(["All is well."]) })
  await using service = await testService({ agents: [reporter], startAt: "2026-01-01T08:59:00Z" })
  await service.client.schedules.create({
    name: "morning",
    cron_expr: "0 9 * * *",
    endpoint: "/agents/reporter/runs",
    payload: { message: "Report", session_id: "reports" }
  })
  await service.advance("1 minute")
  const [report] = await service.client.agent("reporter").list("reports")
  expect(report?.content).toBe("All is well.")
})

test("a slow model ends the run at its time limit", async () => {
  const slow = Agent.make({ id: "slow", model: scriptedModel([delay("1 hour")]), runTimeout: "30 seconds" })
  await using service = await testService({ agents: [slow] })
  const run = await service.until(service.agent("slow").run("Hello"))
  expect(run.status).toBe("ERROR")
})
// #endregion

// #region
test("a second run within a minute is refused", async () => {
  const limited = Agent.make({ id: "limited", model: scriptedModel(["One.", "Two."]), limits: { runsPerMinute: 1 } })
  await using service = await testService({ agents: [limited] })
  await service.agent("limited").run("First")
  await expect(service.agent("limited").run("Second")).rejects.toMatchObject({ status: 429, retryAfter: 60 })
  await service.advance("1 minute")
  assertCompleted(await service.agent("limited").run("Third"))
})
// #endregion
