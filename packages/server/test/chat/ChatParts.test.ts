// The parts of an answer beside its text, and the replay of a paused answer, read by the official client.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { at } from "../Wire.ts"
import { toolUser, used } from "../wire/Fixtures.ts"
import * as ChatClient from "./ChatClient.ts"

Tier.oneIn(3)

const serving = Effect.fnUntraced(function*(agent: Agent.Agent) {
  const { url } = yield* TestServer.listen({ agents: [agent] })
  return ChatClient.make(url, `agents/${agent.id}`)
})

describe("the parts of a message", () => {
  it.live("files, sources, data of the author, the session state and the usage are parts of the message", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("work", {}), used],
        [
          Script.part({ type: "file", mediaType: "image/png", data: "AAEC" }),
          Script.part({ type: "source", sourceType: "url", id: "1", url: "https://example.com/", title: "Example" }),
          Script.text("See."),
          used
        ]
      ])
      const work = Tool.make({
        name: "work",
        execute: (_, { emit, sessionState }) => {
          emit({ name: "progress", percent: 10 })
          sessionState["done"] = true
          return { ok: true }
        }
      })
      const { send } = yield* serving(Agent.make({ id: "a", model, tools: [work] }))
      const { message } = ChatClient.withoutErrors(yield* send([ChatClient.user("hi")]))
      const partOf = (type: string) => message.parts.find((part) => part.type === type)
      assert.deepInclude(partOf("file"), { mediaType: "image/png", url: "data:image/png;base64,AAEC" })
      assert.deepInclude(partOf("source-url"), { url: "https://example.com/", title: "Example" })
      assert.strictEqual(at(partOf("data-progress"), "data", "percent"), 10)
      assert.deepInclude(partOf("data-state"), { data: { done: true } })
      assert.deepInclude(partOf("dynamic-tool"), { state: "output-available", output: { ok: true } })
      assert.deepStrictEqual(at(message.metadata, "usage"), { inputTokens: 20, outputTokens: 10, totalTokens: 30 })
    }))
})

describe("edited arguments", () => {
  const order = Tool.make({
    name: "order",
    requiresConfirmation: true,
    parameters: Schema.Struct({ item: Schema.String }),
    execute: ({ item }) => `Ordered ${item}.`
  })
  const ordered = { state: "output-available", input: { item: "coffee" }, output: "Ordered coffee." }

  it.live("the message shows the arguments with which the call was executed", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.text("I order."), Script.toolCall("order", { item: "tea" }, "c1"))
      const client = yield* serving(Agent.make({ id: "a", model, tools: [order] }))
      const question = ChatClient.user("hi")
      const { message } = ChatClient.withoutErrors(yield* client.send([question]))
      const part = message.parts.find(({ type }) => type === "dynamic-tool")!
      const answered = { accepted: true, editedArgs: { item: "coffee" } }
      Object.assign(part, { state: "output-available", output: answered })
      const reply = ChatClient.withoutErrors(yield* client.send([question, message]))
      const calls = reply.message.parts.filter(({ type }) => type === "dynamic-tool")
      assert.lengthOf(calls, 1)
      assert.deepInclude({ ...calls[0] }, ordered)
    }))
})

describe("tools of the page", () => {
  const tools = { paint: { description: "Paints", parameters: { type: "object", properties: {} } } }

  it.live("a call of one is a call without an output, and the page answers it", () =>
    Effect.gen(function*() {
      const { calls, model } = yield* Script.make([[Script.toolCall("paint", { color: "red" }, "c1")], ({ prompt }) => [
        Script.text(JSON.stringify(prompt.content.at(-1)?.content))
      ]])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const { send } = ChatClient.make(url, "agents/a", { body: { tools } })
      const question = ChatClient.user("paint it")
      const { message } = ChatClient.withoutErrors(yield* send([question]))
      assert.deepStrictEqual((yield* calls)[0]?.tools.map(({ name }) => name), ["paint"])
      const part = message.parts.find(({ type }) => type === "dynamic-tool")!
      assert.deepInclude(part, { toolName: "paint", state: "input-available", input: { color: "red" } })
      Object.assign(part, { state: "output-available", output: "painted red" })
      const reply = ChatClient.withoutErrors(yield* send([question, message]))
      assert.include(ChatClient.textOf(reply), "painted red")
    }))

  it.live("tools that are none are refused", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      for (const wrong of [["paint"], { "no name": {} }, { paint: { parameters: { type: "string" } } }]) {
        const body = JSON.stringify({ id: "c", messages: [ChatClient.user("hi")], tools: wrong })
        const init = { method: "POST", headers: { "content-type": "application/json" }, body }
        assert.strictEqual((yield* Effect.promise(() => fetch(`${url}/agents/a/chat`, init))).status, 422)
      }
    }))
})

describe("a page that is loaded while a run waits for a person", () => {
  it.live("the replay has the message with its id and its question, and the answer continues it", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("send", {}, "call_1"))
      const tool = Tool.make({ name: "send", requiresConfirmation: true, execute: () => "sent" })
      const { reconnect, send } = yield* serving(Agent.make({ id: "a", model, tools: [tool] }))
      const question = ChatClient.user("send it")
      const paused = ChatClient.withoutErrors(yield* send([question]))
      const replayed = ChatClient.withoutErrors((yield* yield* reconnect())!)
      assert.deepStrictEqual(replayed.message, paused.message)
      const part = replayed.message.parts.find(({ type }) => type === "dynamic-tool")!
      const approval = { id: String(at(part, "approval", "id")), approved: true }
      Object.assign(part, { state: "approval-responded", approval })
      const reply = ChatClient.withoutErrors(yield* send([question, replayed.message]))
      assert.strictEqual(ChatClient.textOf(reply), "Tea is a leaf.")
      assert.isUndefined(yield* yield* reconnect())
    }))
})
