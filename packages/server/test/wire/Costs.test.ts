// What runs, their members and their session have cost.
import { createOpenAI } from "@ai-sdk/openai"
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as OpenAiResponses from "@svc-runtime/test-support/wire/OpenAiResponses"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, get, post, runWhole, serve } from "../Wire.ts"

Tier.oneIn(3)

const prices = Prices.make([{ models: ["scripted"], input: 2, output: 10, cached_input: 0.5 }])

const used = Script.usage({ input: 1000, output: 100, cacheRead: 400 })
const answer = [Script.text("Yes"), used]
/** 600 × 2 + 400 × 0.5 + 100 × 10, of a million. */
const cost = 0.0024

describe("the cost of a run", () => {
  it.effect("a run, its messages, its models and its session have the cost of their requests", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([answer, answer])
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })], prices })
      const { json } = yield* runWhole(server, "a", { message: "hi", session_id: "s" })
      assert.strictEqual(at(json, "metrics", "cost"), cost)
      assert.strictEqual(at(json, "metrics", "details", "model", 0, "cost"), cost)
      yield* runWhole(server, "a", { message: "hi", session_id: "s" })
      assert.strictEqual(at((yield* get(server, "/sessions/s")).json, "metrics", "cost"), 2 * cost)
    }))

  it.live("a run with a model object of the AI SDK has the price of the vendor, unless its client has another name", () =>
    Effect.gen(function*() {
      const provider = yield* OpenAiResponses.make
      const reply = Reply.answer({ text: ["Yes"], usage: { input: 1000, output: 100 } })
      yield* provider.script(reply, reply)
      const options = { apiKey: "sk-costs-0123456789", baseURL: provider.url }
      const agents = [createOpenAI(options), createOpenAI({ ...options, name: "internal" })].map((client, index) =>
        Agent.make({ id: `a${index}`, model: client.responses("gpt-5") })
      )
      const server = yield* TestServer.make({ agents })
      const runs = [yield* runWhole(server, "a0", { message: "hi" }), yield* runWhole(server, "a1", { message: "hi" })]
      const detail = (index: number, key: string) => at(runs[index]?.json, "metrics", "details", "model", 0, key)
      assert.deepStrictEqual([detail(0, "provider"), detail(1, "provider")], ["openai.responses", "internal.responses"])
      // 1000 × 1.25 + 100 × 10, of a million
      assert.deepStrictEqual([detail(0, "cost"), detail(1, "cost")], [0.00225, undefined])
    }))

  it.effect("the cost of members counts once in the session of their team", () =>
    Effect.gen(function*() {
      const member = yield* Script.make([answer])
      const leader = yield* Script.make([
        [Script.toolCall("delegate_task_to_member", { member_id: "m", task: "Do it" }), used],
        answer
      ])
      const team = Team.make({
        id: "t",
        model: leader.model,
        members: [Agent.make({ id: "m", name: "m", model: member.model })]
      })
      const server = yield* serve({ teams: [team], prices })
      const body = new URLSearchParams({ message: "hi", session_id: "s", stream: "false" })
      const { json } = yield* ask(server, "/teams/t/runs", { method: "POST", body })
      assert.strictEqual(at(json, "metrics", "cost"), 2 * cost)
      assert.strictEqual(at(json, "member_responses", 0, "metrics", "cost"), cost)
      assert.closeTo(Number(at((yield* get(server, "/sessions/s")).json, "metrics", "cost")), 3 * cost, 1e-9)
    }))

  it.live("an experiment has the tokens of models without a price beside the cost of the others", () =>
    Effect.gen(function*() {
      const member = yield* Script.make([answer], { id: "unknown" })
      const leader = yield* Script.make([
        [Script.toolCall("delegate_task_to_member", { member_id: "m", task: "Do it" }), used],
        answer
      ])
      const members = [Agent.make({ id: "m", name: "m", model: member.model })]
      const team = Team.make({ id: "t", model: leader.model, members })
      const server = yield* TestServer.make({ teams: [team], prices })
      const dataset = yield* post(server, "/datasets", { name: "d", items: [{ id: "one", input: "hi" }] })
      const begun = yield* post(server, "/experiments", {
        dataset_id: at(dataset.json, "id"),
        team_id: "t",
        scorers: [{ type: "contains", texts: ["Yes"] }]
      })
      const path = `/experiments/${String(at(begun.json, "id"))}`
      const { json } = yield* Effect.repeat(get(server, path), {
        until: ({ json }) => at(json, "status") === "COMPLETED",
        schedule: Schedule.spaced("10 millis")
      })
      assert.deepInclude(at(json, "summary") as object, { tokens: 3300, cost: 2 * cost, unpriced_tokens: 1100 })
      const items = yield* get(server, `${path}/items`)
      assert.strictEqual(at(items.json, "data", 0, "unpriced_tokens"), 1100)
    }))

  it.effect("a model whose price is zero costs nothing, which is known, and is no cost of a run without tokens", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([answer, [Script.text("Yes")]])
      const free = Prices.make([{ models: ["scripted"], input: 0, output: 0, cached_input: 0 }])
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })], prices: free })
      const { json } = yield* runWhole(server, "a", { message: "hi", session_id: "s" })
      assert.strictEqual(at(json, "metrics", "cost"), 0)
      assert.strictEqual(at(json, "metrics", "details", "model", 0, "cost"), 0)
      assert.strictEqual(at((yield* get(server, "/sessions/s")).json, "metrics", "cost"), 0)
      for (let n = 0; n < 25; n++) yield* TestClock.adjust("1 second")
      const { json: usage } = yield* get(server, "/metrics/usage")
      assert.deepInclude(at(usage, "data", 0) as object, { cost: 0, unpriced_tokens: 0 })
      const without = yield* runWhole(server, "a", { message: "hi", session_id: "t" })
      assert.isUndefined(at(without.json, "metrics", "cost"))
    }))

  it.effect("a model without a price has no cost", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([answer])
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      const { json } = yield* runWhole(server, "a", { message: "hi", session_id: "s" })
      assert.isUndefined(at(json, "metrics", "cost"))
      assert.isUndefined(at((yield* get(server, "/sessions/s")).json, "metrics", "cost"))
    }))
})

describe("the log of models without a price", () => {
  const unpriced = ({ logs }: TestServer.TestServer) =>
    logs.filter(({ message }) => message.startsWith("Tokens of a model have no price"))

  it.effect("a model without a price is logged once, with its provider and the setting that names prices", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([answer, answer], { id: "unknown", provider: "Local" })
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })], prices })
      for (const message of ["hi", "again"]) yield* runWhole(server, "a", { message })
      const [line, ...others] = unpriced(server)
      assert.deepStrictEqual(others, [])
      assert.strictEqual(line?.level, "WARN")
      assert.include(line?.message, "no price is listed for it. MODEL_PRICES names")
      assert.deepInclude(line?.annotations, { model: "unknown", provider: "Local" })
    }))

  it.effect("a model whose price leaves out a kind of tokens is logged, too", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([answer])
      const limited = Prices.make([{ models: ["scripted"], input: 2, output: 10, up_to: 10 }])
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })], prices: limited })
      yield* runWhole(server, "a", { message: "hi" })
      const [line, ...others] = unpriced(server)
      assert.include(line?.message, "no price is listed for a request with more than 10 input tokens")
      assert.deepStrictEqual(others, [])
    }))

  it.effect("a model with a price, one that used no tokens, and the demo model are not logged", () =>
    Effect.gen(function*() {
      const [{ model }, idle] = [
        yield* Script.make([answer]),
        yield* Script.make([[Script.text("Yes")]], { id: "unknown" })
      ]
      const agents = [
        Agent.make({ id: "a", model }),
        Agent.make({ id: "b", model: idle.model }),
        Agent.make({ id: "c" })
      ]
      const server = yield* serve({ agents, prices, model: "demo" })
      for (const id of ["a", "b", "c"]) assert.strictEqual((yield* runWhole(server, id, { message: "hi" })).status, 200)
      assert.deepStrictEqual(unpriced(server), [])
    }))
})
