// Requests of chats and of the API of OpenAI that a client made up or kept too long.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { at, get, post, serve } from "../Wire.ts"
import { plain, toolUser } from "../wire/Fixtures.ts"

Tier.oneIn(8)

const user = { id: "m", role: "user", content: "hi", parts: [{ type: "text", text: "hi" }] }

const show = { type: "function", function: { name: "show" } }

describe("POST /agents/{id}/chat", () => {
  it.effect("an approval of an earlier call does not count for a later call with the same id", () =>
    Effect.gen(function*() {
      const sent: Array<string> = []
      const send = Tool.make({
        name: "send",
        requiresConfirmation: true,
        parameters: Schema.Struct({ to: Schema.String }),
        execute: ({ to }) => void sent.push(to)
      })
      const { model } = yield* toolUser(Script.toolCall("send", { to: "ann" }, "call-1"))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model, tools: [send] })] })
      const ask = (message: object) => post(server, "/agents/a/chat", { id: "s", messages: [user, message] })
      const approving = (id: string | undefined) => ({
        id: "answer",
        role: "assistant",
        parts: [{
          type: "dynamic-tool",
          toolCallId: "call-1",
          state: "approval-responded",
          approval: { id, approved: true }
        }]
      })
      const idIn = (text: string) => /"approvalId":"([^"]+)"/.exec(text)?.[1]
      const first = idIn((yield* ask(user)).text)
      assert.strictEqual((yield* ask(approving(first))).status, 200)
      const second = idIn((yield* ask({ ...user, id: "second" })).text)
      const late = yield* ask(approving(first))
      assert.strictEqual(late.status, 422, late.text)
      assert.deepStrictEqual(sent, ["ann"])
      assert.strictEqual((yield* ask(approving(second))).status, 200)
      assert.deepStrictEqual(sent, ["ann", "ann"])
    }))
})

describe("the ids of chats and threads", () => {
  it.effect.each(["a%00b", "%EF%BF%BD%00"])("the id %s names nothing that runs", (id) =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      assert.strictEqual((yield* get(server, `/agents/plain/chat/${id}/stream`)).status, 204)
      for (const path of [`/agents/plain/chat/${id}/stop`, `/copilotkit/agent/plain/stop/${id}`]) {
        assert.deepStrictEqual((yield* post(server, path, {})).json, { stopped: false })
      }
    }))
})

describe("POST /v1/responses", () => {
  it.effect("a response has the metadata of its request", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const body = { model: "plain", input: "hi", metadata: { topic: "tea" } }
      const { json } = yield* post(server, "/v1/responses", body)
      assert.deepStrictEqual(at(json, "metadata"), { topic: "tea" })
      const { text } = yield* post(server, "/v1/responses", { ...body, stream: true })
      assert.lengthOf(text.match(/"metadata":\{"topic":"tea"\}/g) ?? [], 3)
    }))
})

describe("large requests", () => {
  const large = "x".repeat(2 * 1024 * 1024)

  it.effect("what is stored with a run is limited by MAX_JSON_BYTES, and a message is not", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const status = (path: string, body: object) => Effect.map(post(server, path, body), (answer) => answer.status)
      const input = { threadId: "t", runId: "r", messages: [user] }
      for (const more of [{ state: { large } }, { context: [{ description: "a", value: large }] }]) {
        assert.strictEqual(yield* status("/agents/plain/agui", { ...input, ...more }), 413)
      }
      const tool = { ...show, function: { name: "show", description: large } }
      const completion = { model: "plain", messages: [user], tools: [tool] }
      assert.strictEqual(yield* status("/v1/chat/completions", completion), 413)
      const response = { model: "plain", input: "hi", metadata: { large } }
      assert.strictEqual(yield* status("/v1/responses", response), 413)
      assert.strictEqual(yield* status("/v1/responses", { model: "plain", input: large }), 200)
    }))
})

describe("tools of the client", () => {
  it.effect("a schema with a reference to nothing is refused", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      for (const $ref of ["#/$defs/none", "https://example.org/schema"]) {
        const tool = { name: "show", parameters: { type: "object", properties: { page: { $ref } } } }
        const completion = { model: "plain", messages: [user], tools: [{ type: "function", function: tool }] }
        const refused = yield* post(server, "/v1/chat/completions", completion)
        assert.strictEqual(refused.status, 400)
        assert.strictEqual(at(refused.json, "error", "code"), "validation_error")
        const input = { threadId: "t", runId: "r", messages: [user], tools: [tool] }
        assert.strictEqual((yield* post(server, "/agents/plain/agui", input)).status, 422)
      }
    }))
})

describe("POST /v1/chat/completions", () => {
  it.effect("a paused run with a long history continues, and its model has the instructions and the newest messages", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(Script.toolCall("show", {}, "call-1"))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model })] })
      const earlier = Array.from({ length: 2500 }, (_, index) => ({ role: "user", content: `message ${index}` }))
      const messages = [{ role: "system", content: "Be kind." }, ...earlier]
      const body = { model: "a", messages: [...messages, user], tools: [show] }
      const paused = yield* post(server, "/v1/chat/completions", body)
      const tool_call_id = at(paused.json, "choices", 0, "message", "tool_calls", 0, "id")
      const result = { role: "tool", tool_call_id, content: "shown" }
      const answer = yield* post(server, "/v1/chat/completions", { ...body, messages: [...messages, result] })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(at(answer.json, "choices", 0, "message", "content"), "Tea is a leaf.")
      for (const prompt of yield* script.prompts) {
        const text = JSON.stringify(prompt)
        for (const shown of ["Be kind.", "message 2499"]) assert.include(text, shown)
        assert.notInclude(text, "message 0\"")
      }
    }))

  it.effect.each(["i".repeat(900), "a\0b"])(
    "a call whose provider gave it a long or strange id is answered",
    (id) =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(Script.toolCall("show", {}, id))
        const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
        const body = { model: "a", messages: [user], tools: [show] }
        const paused = yield* post(server, "/v1/chat/completions", body)
        const tool_call_id = at(paused.json, "choices", 0, "message", "tool_calls", 0, "id")
        const result = { role: "tool", tool_call_id, content: "shown" }
        const answer = yield* post(server, "/v1/chat/completions", { ...body, messages: [user, result] })
        assert.strictEqual(answer.status, 200, answer.text)
      })
  )

  it.effect("a conversation without a name is refused", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      for (const conversation of ["", { id: "" }]) {
        const completion = { model: "plain", messages: [user], conversation }
        assert.strictEqual((yield* post(server, "/v1/chat/completions", completion)).status, 400)
        const response = { model: "plain", input: "hi", conversation }
        assert.strictEqual((yield* post(server, "/v1/responses", response)).status, 400)
      }
    }))
})
