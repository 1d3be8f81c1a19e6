// Chats of teams and workflows and their pauses, and what ends or repeats an answer, read by the official client.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { lastAssistantMessageIsCompleteWithToolCalls as isComplete, type UIMessage } from "ai"
import { Deferred, Effect, Fiber } from "effect"
import { mail } from "../a2a/Mail.ts"
import * as Pausing from "../protocols/PausingComponents.ts"
import { always, ask, at, column, get, list, post, serve } from "../Wire.ts"
import { toolUser } from "../wire/Fixtures.ts"
import * as ChatClient from "./ChatClient.ts"

Tier.oneIn(10)

const served = Effect.gen(function*() {
  const { agents, teams, workflows } = yield* Pausing.components
  return yield* TestServer.listen({ agents, teams, workflows: [...workflows, yield* Pausing.speaking] })
})

interface OpenCall {
  state: string
  toolCallId: string
  output?: unknown
  approval?: { id: string; approved?: boolean }
}

/** The message with the answer in the part of the open call, as hooks of the client write it. */
const answered = (message: UIMessage, payload: unknown): UIMessage => {
  const copy = structuredClone(message)
  const part = copy.parts.findLast(({ type }) => type === "dynamic-tool") as unknown as OpenCall
  if (part.state === "approval-requested") {
    part.state = "approval-responded"
    part.approval = { id: part.approval?.id ?? "", approved: true }
  } else {
    part.state = "output-available"
    part.output = payload
  }
  return copy
}

describe("chats of teams and workflows", () => {
  it.live("a workflow shows its steps and its members as data, and their text before its answer", () =>
    Effect.gen(function*() {
      const { url } = yield* served
      const reply = ChatClient.withoutErrors(
        yield* ChatClient.make(url, "workflows/speaking").send([ChatClient.user("hi")])
      )
      const data = reply.message.parts.flatMap((part) => "data" in part ? [[part.type, part.data]] : [])
      assert.deepStrictEqual(data, [
        ["data-step", { name: "speak", status: "completed" }],
        ["data-member", { name: "Speaker", status: "COMPLETED" }],
        ["data-step", { name: "last", status: "completed" }]
      ])
      assert.strictEqual(ChatClient.textOf(reply), "I am here.|last done")
    }))

  it.live("a tool that asks again has a part for each question, and the client sends no answer by itself", () =>
    Effect.gen(function*() {
      const tool = Tool.make({
        name: "clean",
        execute: async (_, { pause }) => `${await pause({ question: "Drafts?" })}, ${await pause({ question: "All?" })}`
      })
      const { model } = yield* toolUser(Script.toolCall("clean", {}, "call_1"))
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model, tools: [tool] })] })
      const { send } = ChatClient.make(url, "agents/a")
      const user = ChatClient.user("go")
      const first = ChatClient.withoutErrors(yield* send([user]))
      assert.include(JSON.stringify(first.message.parts), "Drafts?")
      const sent = answered(first.message, { answer: "yes" })
      assert.isTrue(isComplete({ messages: [user, sent] }))
      const second = ChatClient.withoutErrors(yield* send([user, sent]))
      assert.isFalse(isComplete({ messages: [user, second.message] }))
      const open = second.message.parts.filter((part) => "state" in part && part.state === "input-available")
      assert.lengthOf(open, 1)
      assert.include(JSON.stringify(open), "All?")
      const last = ChatClient.withoutErrors(yield* send([user, answered(second.message, { answer: "no" })]))
      const calls = last.message.parts.flatMap((part) =>
        part.type === "dynamic-tool" ? [[part.toolCallId, part.state, part.output]] : []
      )
      assert.deepStrictEqual(calls, [
        ["call_1", "output-available", "yes, no"],
        ["call_1.1", "output-available", { answer: "no" }]
      ])
      assert.strictEqual(ChatClient.textOf(last), "Tea is a leaf.")
    }))

  for (const { id, kind, payload, result } of Pausing.pausing) {
    it.live(`the pause of ${kind}/${id} is answered in the same message`, () =>
      Effect.gen(function*() {
        const { url } = yield* served
        const { send } = ChatClient.make(url, `${kind}/${id}`)
        const question = ChatClient.user("go")
        const paused = ChatClient.withoutErrors(yield* send([question]))
        const reply = ChatClient.withoutErrors(yield* send([question, answered(paused.message, payload)]))
        assert.strictEqual(reply.message.id, paused.message.id)
        assert.include(ChatClient.textOf(reply), result)
        assert.deepInclude(reply.chunks.at(-1), { type: "finish", finishReason: "stop" })
      }))
  }

  it.live.each(["agents/confirmation", "teams/member", "workflows/executor"])(
    "the call that %s asked about has its output when it was executed",
    (path) =>
      Effect.gen(function*() {
        const { url } = yield* served
        const { send } = ChatClient.make(url, path)
        const question = ChatClient.user("go")
        const paused = ChatClient.withoutErrors(yield* send([question]))
        const reply = ChatClient.withoutErrors(yield* send([question, answered(paused.message, undefined)]))
        const calls = reply.message.parts.filter(({ type }) => type === "dynamic-tool") as unknown as Array<OpenCall>
        assert.deepStrictEqual(calls.at(-1)?.output, "sent to ann")
      })
  )

  it.live("a rejected call is denied, and the model answers without it", () =>
    Effect.gen(function*() {
      const { url } = yield* served
      const { send } = ChatClient.make(url, "agents/confirmation")
      const question = ChatClient.user("go")
      const paused = yield* send([question])
      const copy = structuredClone(paused.message)
      const part = copy.parts.findLast(({ type }) => type === "dynamic-tool") as unknown as OpenCall
      Object.assign(part, { state: "approval-responded", approval: { ...part.approval, approved: false } })
      const reply = ChatClient.withoutErrors(yield* send([question, copy]))
      const call = reply.message.parts.findLast(({ type }) => type === "dynamic-tool") as unknown as OpenCall
      assert.strictEqual(call.state, "output-denied")
      assert.strictEqual(ChatClient.textOf(reply), "Tea is a leaf.")
    }))

  it.live("an answer to a chat in which nothing waits is refused", () =>
    Effect.gen(function*() {
      const { url } = yield* served
      const body = { id: "c", messages: [{ id: "x", role: "assistant", parts: [{ type: "text", text: "made up" }] }] }
      const response = yield* Effect.promise(() =>
        fetch(`${url}/agents/confirmation/chat`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body)
        })
      )
      assert.strictEqual(response.status, 409)
    }))
})

describe("POST /agents/{id}/chat/{chat_id}/stop", () => {
  it.live("stop ends the stream with abort", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const { model } = yield* always(
        Script.text("One "),
        Script.wait(Deferred.succeed(begun, undefined)),
        Script.hang
      )
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const sending = yield* Effect.forkChild(ChatClient.make(url, "agents/a").send([ChatClient.user("hi")]))
      yield* Deferred.await(begun)
      const stopped = yield* Effect.promise(() =>
        fetch(`${url}/agents/a/chat/chat/stop`, { method: "POST" }).then((response): Promise<unknown> =>
          response.json()
        )
      )
      assert.deepStrictEqual(stopped, { stopped: true })
      const reply = yield* Fiber.join(sending)
      assert.strictEqual(ChatClient.typesOf(reply).at(-1), "abort")
    }))
})

describe("stop while another message is queued", () => {
  for (const isNamed of [false, true]) {
    it.effect(`the answer that executes is ended, or the one that the request names (named: ${isNamed})`, () =>
      Effect.gen(function*() {
        const begun = yield* Deferred.make<void>()
        const gate = yield* Deferred.make<void>()
        const { model } = yield* Script.make([
          [Script.wait(Deferred.succeed(begun, undefined)), Script.wait(gate), Script.text("slow")],
          [Script.text("Answered.")]
        ])
        const agent = Agent.make({ id: "a", model, addHistoryToContext: true })
        const server = yield* serve({ agents: [agent] })
        const send = (id: string) =>
          post(server, "/agents/a/chat", {
            id: "c",
            messages: [{ id, role: "user", parts: [{ type: "text", text: id }] }]
          })
        const slow = yield* Effect.forkChild(send("slow"))
        yield* Deferred.await(begun)
        const queued = yield* Effect.forkChild(send("queued"))
        // the request that is looked for has to get on meanwhile
        const poll = Effect.andThen(Effect.yieldNow, get(server, "/runs?status=PENDING"))
        const pending = yield* Effect.repeat(poll, { until: ({ json }) => list(json, "data").length > 0 })
        const { run_id } = list(pending.json, "data")[0] as { readonly run_id: string }
        const path = `/agents/a/chat/c/stop${isNamed ? `?message_id=${run_id}` : ""}`
        assert.deepStrictEqual((yield* post(server, path, {})).json, { stopped: true })
        yield* Deferred.succeed(gate, undefined)
        const [first, second] = [yield* Fiber.join(slow), yield* Fiber.join(queued)]
        assert.include(first.text, isNamed ? "\"slow\"" : "\"abort\"")
        assert.include(second.text, isNamed ? "\"abort\"" : "Answered.")
      }))
  }
})

describe("an edited message", () => {
  const user = (id: string, text: string) => ({ id, role: "user", parts: [{ type: "text", text }] })
  /** An agent that asks for each message but `hi`. */
  const asking = Effect.gen(function*() {
    const turn = ({ prompt }: Script.Call) => [
      JSON.stringify(prompt.content.at(-1)).includes("\"hi\"")
        ? Script.text("Hi.")
        : Script.toolCall("send_mail", { to: "ann" }, "call_1")
    ]
    const { model } = yield* Script.make(Array.from({ length: 9 }, () => turn))
    const server = yield* serve({ agents: [Agent.make({ id: "a", model, tools: [mail] })] })
    const send = (messages: ReadonlyArray<object>, messageId?: string, headers?: Record<string, string>) =>
      Effect.map(
        ask(server, "/agents/a/chat", {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify({ id: "c", messages, messageId })
        }),
        ({ text }) => /"messageId":"([^"]+)"/.exec(text)?.[1]
      )
    const waiting = Effect.map(get(server, "/runs?status=PAUSED"), ({ json }) => column(at(json, "data"), "run_id"))
    return { send, waiting }
  })

  it.effect("the questions before it wait on, when the client has given the answers other ids", () =>
    Effect.gen(function*() {
      const { send, waiting } = yield* asking
      const before = [user("m1", "one"), { id: "a1", role: "assistant", parts: [] }]
      const first = yield* send([user("m1", "one")])
      yield* send([user("m2", "two")])
      const third = yield* send([...before, user("m2", "other two")], "m2")
      assert.sameMembers([...yield* waiting], [first, third])
    }))

  it.effect("the run of an edited first message begins anew, and no question that leaves the path waits", () =>
    Effect.gen(function*() {
      const { send, waiting } = yield* asking
      yield* send([user("m1", "one")])
      yield* send([user("m2", "hi")])
      yield* send([user("m3", "three")])
      const edited = yield* send([user("m1", "other one")], "m1")
      assert.deepStrictEqual(yield* waiting, [edited])
    }))

  it.effect("a client that sends all messages edits without their ids, and its message sent twice waits on", () =>
    Effect.gen(function*() {
      const { send, waiting } = yield* asking
      const all = (messages: ReadonlyArray<object>) => send(messages, undefined, { "x-messages": "all" })
      const first = yield* all([user("m1", "one")])
      const answer = { id: first, role: "assistant", parts: [{ type: "text", text: "" }] }
      const second = yield* all([user("m1", "one"), answer, user("m2", "two")])
      assert.sameMembers([...yield* waiting], [first, second])
      const third = yield* all([user("m1", "one"), answer, user("m3", "other two")])
      assert.sameMembers([...yield* waiting], [first, third])
      yield* all([user("m1", "one"), { ...answer, id: "a1" }, user("m4", "hi")])
      assert.sameMembers([...yield* waiting], [first, third])
      for (const _ of [1, 2]) {
        const edited = yield* all([user("m5", "other one")])
        assert.deepStrictEqual(yield* waiting, [edited])
      }
    }))

  it.effect("the question of its answer waits no more, and one that is still shown waits on", () =>
    Effect.gen(function*() {
      const { send, waiting } = yield* asking
      const first = yield* send([user("m1", "one")])
      const answer = { id: first, role: "assistant", parts: [{ type: "text", text: "" }] }
      const second = yield* send([user("m1", "one"), answer, user("m2", "two")])
      assert.sameMembers([...yield* waiting], [first, second])
      yield* send([user("m1", "one"), answer, user("m2", "two"), user("m3", "three")])
      const third = yield* send([user("m1", "one"), answer, user("m2", "other two")], "m2")
      assert.sameMembers([...yield* waiting], [first, third])
    }))
})

describe("POST /agents/{id}/chat/{chat_id}/stop of a paused answer", () => {
  it.effect("a paused answer is cancelled, and the chat waits for nothing", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model, tools: [mail] })] })
      const message = { id: "m", role: "user", parts: [{ type: "text", text: "hi" }] }
      yield* post(server, "/agents/a/chat", { id: "c", messages: [message] })
      const waiting = yield* get(server, "/agents/a/chat/c/stream")
      assert.include(waiting.text, "tool-approval-request")
      assert.deepStrictEqual((yield* post(server, "/agents/a/chat/c/stop", {})).json, { stopped: true })
      assert.strictEqual((yield* get(server, "/agents/a/chat/c/stream")).status, 204)
      assert.deepStrictEqual((yield* post(server, "/agents/a/chat/c/stop", {})).json, { stopped: false })
    }))
})

describe("regenerate-message", () => {
  it.live("the answer is made again in a new message, and the first one stays stored", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.text("First")], [Script.text("Second")]])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const { send } = ChatClient.make(url, "agents/a")
      const question = ChatClient.user("hi")
      const first = ChatClient.withoutErrors(yield* send([question]))
      const second = ChatClient.withoutErrors(
        yield* send([question], { trigger: "regenerate-message", messageId: first.message.id })
      )
      assert.strictEqual(ChatClient.textOf(second), "Second")
      assert.notStrictEqual(second.message.id, first.message.id)
      const run = yield* Effect.promise(() =>
        fetch(`${url}/agents/a/runs/${first.message.id}?session_id=chat`).then((r): Promise<unknown> => r.json())
      )
      assert.strictEqual(at(run, "status"), "COMPLETED")
    }))
})
