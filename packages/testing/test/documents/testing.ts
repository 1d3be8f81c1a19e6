// The blocks of docs/guides/testing.md, as tests that `node --test` runs, see nodeTest.whole.test.ts.

// #region
import { Agent, Tool } from "@svc-runtime/server"
import { assertCompleted, assertToolCalls, scriptedModel, testService, toolCall } from "@svc-runtime/testing"
import assert from "node:assert/strict"
import { test } from "node:test"

const weather = Tool.make({
  name: "weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  effects: "read",
  execute: ({ city }) => `It is sunny in ${String(city)}.`
})

const assistant = Agent.make({ id: "assistant", tools: [weather] })

test("the assistant asks the tool for the weather, and answers", async () => {
  const model = scriptedModel([toolCall("weather", { city: "Paris" }), "Take your sunglasses."])
  await using service = await testService({ agents: [assistant], model })
  const run = await service.run(assistant, "How is the weather in Paris?")
  assertCompleted(run)
  assertToolCalls(run, [{ name: "weather", args: { city: "Paris" }, result: "It is sunny in Paris." }])
  assert.equal(run.content, "Take your sunglasses.")
})
// #endregion

// #region
import type { Application } from "@svc-runtime/server"

const application = { name: "Desk", agents: [assistant] } satisfies Application.Options

test("the application answers", async () => {
  await using service = await testService({ ...application, model: ["Hello."] })
  assertCompleted(await service.run(assistant, "Hello"))
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

// #region
test("the assistant can be asked twice with Claude", async () => {
  const model = scriptedModel([toolCall("weather", { city: "Paris" }), "Sunny.", "Still sunny."], {
    as: "anthropic:claude-sonnet-4-5"
  })
  await using service = await testService({ agents: [assistant], models: { assistant: model } })
  assertCompleted(await service.run(assistant, { message: "How is it in Paris?", session_id: "s" }))
  assertCompleted(await service.run(assistant, { message: "And now?", session_id: "s" }))
})
// #endregion

test("a script has all kinds of turns", () => {
  assert.equal(script.remaining, 7)
})

// #region
import { createOpenAI } from "@ai-sdk/openai"
import { recordedModel } from "@svc-runtime/testing"

const openai = createOpenAI({ apiKey: process.env["OPENAI_API_KEY"] ?? "none" })
const recorded = recordedModel({ file: "test/recorded/weather.json", model: openai("gpt-5-mini") })
// #endregion

test("a recorded model has the names of the model that it replaces", () => {
  assert.equal(recorded.id, "gpt-5-mini")
})

// #region
import { assertStatus } from "@svc-runtime/testing"

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
  assert.deepEqual(made, [])
  const run = await paused.approve()
  assertCompleted(run)
  assertToolCalls(run, [{ name: "refund", args: { order: 17 }, result: "Refunded." }])
  assert.deepEqual(made, [17])
  assert.equal(run.content, "Order 17 is refunded.")
})
// #endregion

// #region
test("a person can change the arguments of a call", async () => {
  const made: Array<unknown> = []
  const refund = Tool.make({
    name: "refund",
    parameters: { type: "object", properties: { order: { type: "number" } }, required: ["order"] },
    approval: "required",
    execute: ({ order }) => {
      made.push(order)
      return "Refunded."
    }
  })
  const model = scriptedModel([toolCall("refund", { order: 17 }), "Order 18 is refunded."])
  await using service = await testService({ agents: [Agent.make({ id: "clerk", model, tools: [refund] })] })
  const paused = await service.agent("clerk").run("Refund order 17")
  const requirements = (paused.output.requirements ?? []).map((requirement) => ({
    ...requirement,
    tool_execution: { ...requirement.tool_execution, confirmed: true, tool_args: { order: 18 } }
  }))
  assertCompleted(await service.agent("clerk").continue(paused, { requirements }))
  assert.deepEqual(made, [18])
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
  assert.equal(report?.content, "All is well.")
})

test("a slow model ends the run at its time limit", async () => {
  const slow = Agent.make({ id: "slow", model: scriptedModel([delay("1 hour")]), runTimeout: "30 seconds" })
  await using service = await testService({ agents: [slow] })
  const run = await service.until(service.agent("slow").run("Hello"))
  assert.equal(run.status, "ERROR")
})
// #endregion

// #region
test("a second run within a minute is refused", async () => {
  const limited = Agent.make({ id: "limited", model: scriptedModel(["One.", "Two."]), limits: { runsPerMinute: 1 } })
  await using service = await testService({ agents: [limited] })
  await service.agent("limited").run("First")
  await assert.rejects(service.agent("limited").run("Second"), { status: 429, retryAfter: 60 })
  await service.advance("1 minute")
  assertCompleted(await service.agent("limited").run("Third"))
})
// #endregion

// #region
import { Knowledge } from "@svc-runtime/server"

test("the assistant answers from uploaded documents", async () => {
  const handbook = Knowledge.make({ name: "handbook", embedder: "none" })
  const model = scriptedModel([toolCall("search_knowledge", { query: "holiday" }), "You have 30 days."])
  await using service = await testService({ agents: [Agent.make({ id: "assistant", model, knowledge: handbook })] })
  const { knowledge } = service.client
  await knowledge.add({ file: new File(["A year has 30 days of holiday."], "holidays.md") })
  await knowledge.add({ file: new File(["Trains are booked by the office."], "travel.md") })
  await service.until(async () => (await knowledge.list()).data.every(({ status }) => status !== "processing"))
  const run = await service.agent("assistant").run("How many days of holiday do I have?")
  assertToolCalls(run, ["search_knowledge"])
  assert.match(String(run.toolCalls[0]?.result), /30 days of holiday/)
})
// #endregion

// #region
test("the assistant remembers what a user likes", async () => {
  const reader = scriptedModel([
    object({ changes: [{ action: "create", id: "", memory: "Ann likes trains.", topics: ["travel"], reason: "" }] })
  ])
  const assistant = Agent.make({ id: "assistant", model: scriptedModel(["Nice."]), memory: { model: reader } })
  await using service = await testService({ agents: [assistant] })
  await service.agent("assistant").run({ message: "I like trains.", user_id: "ann" })
  await service.until(() => reader.remaining === 0)
  const { data } = await service.client.memories.list({ user_id: "ann" })
  assert.deepEqual(data.map(({ memory }) => memory), ["Ann likes trains."])
})
// #endregion

import { assertEvents } from "@svc-runtime/testing"

test("the assistant greets", async () => {
  await using service = await testService({
    agents: [Agent.make({ id: "assistant", model: scriptedModel(["Hello!"]) })]
  })
  const run = await service.agent("assistant").run("Hi")
  assertEvents(run, ["RunStarted", "RunContent", "RunCompleted"])
})

test("a failed assertion names what the run has", async () => {
  await using service = await testService({ agents: [Agent.make({ id: "assistant", model: scriptedModel([]) })] })
  const run = await service.agent("assistant").run("Hi")
  assert.throws(() => assertCompleted(run), {
    name: "AssertionError",
    message: /^The run is ERROR and not COMPLETED: .*The script has no turn 1/
  })
})
