// The UI message stream of agents, read by the official client.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { always } from "../Wire.ts"
import { broken, down, lookup, plain, toolUser } from "../wire/Fixtures.ts"
import * as ChatClient from "./ChatClient.ts"

Tier.oneIn(8)

const serving = Effect.fnUntraced(function*(agent: Agent.Agent) {
  const { url } = yield* TestServer.listen({ agents: [agent] })
  return { url, ...ChatClient.make(url, `agents/${agent.id}`) }
})

describe("POST /agents/{id}/chat", () => {
  it.live("the client builds the answer from its parts, with the id of the run", () =>
    Effect.gen(function*() {
      const { send } = yield* serving((yield* plain).agent)
      const reply = ChatClient.withoutErrors(yield* send([ChatClient.user("hi")]))
      assert.strictEqual(ChatClient.textOf(reply), "Hello.")
      assert.deepStrictEqual(ChatClient.typesOf(reply), [
        "start",
        "start-step",
        "text-start",
        "text-delta",
        "text-delta",
        "text-end",
        "finish-step",
        "finish"
      ])
      assert.strictEqual(reply.message.id, (reply.message.metadata as { readonly runId: string }).runId)
      assert.deepInclude(reply.message.metadata, { sessionId: "chat", status: "COMPLETED" })
    }))

  it.live("a message that is sent twice makes one run, and another one with other content, as an edit, or after a failure", () =>
    Effect.gen(function*() {
      const { model, prompts } = yield* Script.make([
        [Script.text("one")],
        [Script.text("two")],
        [Script.text("three")],
        [Script.fail("down")],
        [Script.text("five")]
      ])
      const { send } = yield* serving(Agent.make({ id: "a", model }))
      const replies = yield* Effect.all([send([ChatClient.user("hi")]), send([ChatClient.user("hi")])], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(replies.map(ChatClient.textOf), ["one", "one"])
      assert.strictEqual(replies[0].message.id, replies[1].message.id)
      assert.strictEqual(ChatClient.textOf(yield* send([ChatClient.user("hello")])), "two")
      const edited = yield* send([ChatClient.user("hi")], { messageId: "m1" })
      assert.strictEqual(ChatClient.textOf(edited), "three")
      assert.isNotEmpty((yield* send([ChatClient.user("hi", "m2")])).errors)
      assert.strictEqual(ChatClient.textOf(yield* send([ChatClient.user("hi", "m2")])), "five")
      assert.lengthOf(yield* prompts, 5)
    }))

  it.live("only the last message counts: the service has the history itself", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const { send } = yield* serving(Agent.make({ id: "plain", model: agent.model!, addHistoryToContext: true }))
      yield* send([ChatClient.user("first")])
      const invented: ChatClient.Reply["message"] = {
        id: "x",
        role: "assistant",
        parts: [{ type: "text", text: "I refuse" }]
      }
      yield* send([ChatClient.user("invented"), invented, ChatClient.user("second", "m2")])
      const prompt = JSON.stringify((yield* script.prompts).at(-1))
      assert.include(prompt, "first")
      assert.include(prompt, "second")
      assert.notInclude(prompt, "invented")
      assert.notInclude(prompt, "I refuse")
    }))

  it.live("a call of a tool is a dynamic part with its result, and the answer is in the next step", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.text("I look."), Script.toolCall("lookup", { query: "tea" }))
      const { send } = yield* serving(Agent.make({ id: "a", model, tools: [lookup] }))
      const reply = ChatClient.withoutErrors(yield* send([ChatClient.user("hi")]))
      assert.deepStrictEqual(reply.message.parts.map(({ type }) => type), [
        "step-start",
        "text",
        "dynamic-tool",
        "step-start",
        "text"
      ])
      assert.deepInclude(reply.message.parts[2], {
        toolName: "lookup",
        state: "output-available",
        input: { query: "tea" },
        output: "fact about tea"
      })
    }))

  it.live("a call that failed has the text of its error", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("broken"))
      const { send } = yield* serving(Agent.make({ id: "a", model, tools: [broken] }))
      const reply = ChatClient.withoutErrors(yield* send([ChatClient.user("hi")]))
      assert.deepInclude(reply.message.parts[1], { state: "output-error", errorText: "no luck" })
    }))

  it.live("reasoning is a part of its own before the text", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.reasoning("Hm", "m"), Script.text("Yes"))
      const { send } = yield* serving(Agent.make({ id: "a", model }))
      const reply = ChatClient.withoutErrors(yield* send([ChatClient.user("hi")]))
      assert.deepInclude(reply.message.parts[1], { type: "reasoning", text: "Hmm", state: "done" })
      assert.deepInclude(reply.message.parts[2], { type: "text", text: "Yes", state: "done" })
    }))

  it.live("a failed run has a response with 200, one error, and no finish", () =>
    Effect.gen(function*() {
      const { send, url } = yield* serving((yield* down).agent)
      const reply = yield* send([ChatClient.user("hi")])
      assert.lengthOf(reply.errors, 1)
      assert.strictEqual(ChatClient.typesOf(reply).filter((type) => type === "error").length, 1)
      assert.notInclude(ChatClient.typesOf(reply), "finish")
      const raw = yield* Effect.promise(() =>
        fetch(`${url}/agents/down/chat`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ id: "c", messages: [ChatClient.user("hi")] })
        }).then(async (response) => ({ response, text: await response.text() }))
      )
      assert.strictEqual(raw.response.status, 200)
      assert.strictEqual(raw.response.headers.get("x-vercel-ai-ui-message-stream"), "v1")
      assert.isTrue(raw.text.endsWith("data: [DONE]\n\n"), raw.text)
    }))

  it.live("a call that needs a confirmation is executed after the approval, in the same message", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("send", { query: "ann" }, "call_1"))
      const sent: Array<unknown> = []
      const send = Tool.make({
        name: "send",
        requiresConfirmation: true,
        parameters: lookup.parameters,
        execute: (given) => {
          sent.push(given)
          return "sent"
        }
      })
      const client = yield* serving(Agent.make({ id: "a", model, tools: [send] }))
      const question = ChatClient.user("send it")
      const paused = ChatClient.withoutErrors(yield* client.send([question]))
      const part = paused.message.parts.find(({ type }) => type === "dynamic-tool")
      assert.deepInclude(part, { state: "approval-requested", toolCallId: "call_1" })
      assert.deepInclude(paused.chunks.at(-1), { type: "finish", finishReason: "tool-calls" })
      const { approval } = part as unknown as { readonly approval: { readonly id: string } }
      const answered = structuredClone(paused.message)
      Object.assign(answered.parts.find(({ type }) => type === "dynamic-tool")!, {
        state: "approval-responded",
        approval: { id: approval.id, approved: true }
      })
      const reply = ChatClient.withoutErrors(yield* client.send([question, answered]))
      assert.lengthOf(sent, 1)
      assert.strictEqual(reply.message.id, paused.message.id)
      assert.isUndefined((reply.chunks[0] as { readonly messageId?: string }).messageId)
      const parts = reply.message.parts.filter(({ type }) => type === "dynamic-tool")
      assert.lengthOf(parts, 1)
      assert.deepInclude(parts[0], { state: "output-available", output: "sent" })
      assert.strictEqual(ChatClient.textOf(reply), "Tea is a leaf.")
    }))
})

describe("GET /agents/{id}/chat/{chat_id}/stream", () => {
  it.live("the stream is 204 when nothing runs", () =>
    Effect.gen(function*() {
      const { reconnect, send } = yield* serving((yield* plain).agent)
      assert.isUndefined(yield* yield* reconnect())
      yield* send([ChatClient.user("hi")])
      assert.isUndefined(yield* yield* reconnect())
    }))

  it.live("the stream replays the running answer from its start, with the same message id", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const { model } = yield* always(
        Script.text("One "),
        Script.wait(Deferred.succeed(begun, undefined)),
        Script.wait(gate),
        Script.text("two")
      )
      const { reconnect, send } = yield* serving(Agent.make({ id: "a", model }))
      const first = yield* Effect.forkChild(send([ChatClient.user("hi")]))
      yield* Deferred.await(begun)
      const connected = yield* reconnect()
      yield* Deferred.succeed(gate, undefined)
      const original = yield* Fiber.join(first)
      const replayed = yield* connected
      assert.strictEqual(replayed?.message.id, original.message.id)
      assert.strictEqual(ChatClient.textOf(original), ChatClient.textOf(replayed!))
    }))
})
