// What is sent without a stream is what the stream has: text before calls, reasoning, and why an answer is cut.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { lookup, used } from "../wire/Fixtures.ts"
import { call, collected, hi, parameters, serving } from "./OpenAiClient.ts"

Tier.oneIn(3)

const tools = [{ type: "function" as const, name: "show", parameters, strict: false }]
const show = { type: "function", function: { name: "show", description: "Shows a page.", parameters } } as const

const twice = (...steps: ReadonlyArray<ReadonlyArray<Script.Step>>) => Script.make([...steps, ...steps])

describe("without a stream", () => {
  it.live("a response has the items of a streamed one: reasoning, the text before calls, and the calls", () =>
    Effect.gen(function*() {
      const { model } = yield* twice(
        [Script.reasoning("Hm"), Script.text("I look."), Script.toolCall("lookup", { query: "tea" }), used],
        [Script.reasoning("So"), Script.text("Let me", " see."), Script.toolCall("show", { page: "a" }, "c"), used]
      )
      const { client } = yield* serving(Agent.make({ id: "a", model, tools: [lookup] }))
      const request = { model: "a", input: "hi", tools }
      const whole = yield* call(() => client.responses.create(request))
      const streamed = yield* call(() => client.responses.stream(request).finalResponse())
      const typesOf = (output: ReadonlyArray<{ readonly type: string }>) => output.map(({ type }) => type)
      assert.deepStrictEqual(typesOf(whole.output), [
        "reasoning",
        "message",
        "reasoning",
        "message",
        "function_call"
      ])
      assert.deepStrictEqual(typesOf(streamed.output), typesOf(whole.output))
      assert.strictEqual(whole.output_text, "I look.Let me see.")
      assert.strictEqual(streamed.output_text, whole.output_text)
      assert.deepInclude(whole.usage, { input_tokens: 20, output_tokens: 10 })
    }))

  it.live("a completion with calls has the text before them, as the stream has", () =>
    Effect.gen(function*() {
      const { model } = yield* twice([Script.text("Let me see."), Script.toolCall("show", { page: "a" }, "c"), used], [
        Script.toolCall("show", { page: "b" }, "c"),
        used
      ])
      const { client } = yield* serving(Agent.make({ id: "a", model }))
      const ask = (stream: boolean, messages: ReadonlyArray<object>) => {
        const request = { model: "a", messages: messages as never, tools: [show] }
        return call(() =>
          stream
            ? client.chat.completions.stream(request).finalChatCompletion()
            : client.chat.completions.create(request)
        )
      }
      for (const stream of [false, true]) {
        const { message } = (yield* ask(stream, hi)).choices[0]!
        assert.strictEqual(message.content, "Let me see.")
        const result = { role: "tool", tool_call_id: message.tool_calls![0]!.id, content: "shown" }
        const next = (yield* ask(stream, [...hi, message, result])).choices[0]!
        // the stream helper of the client has the empty text with which a message begins
        assert.strictEqual(next.message.content ?? "", "")
        assert.lengthOf(next.message.tool_calls ?? [], 1)
      }
    }))

  it.live("a typed answer is the only text of its response", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.text("I look."), Script.toolCall("lookup", { query: "tea" }), used],
        [Script.text("{\"title\":\"Alien\"}"), used]
      ])
      const { client } = yield* serving(Agent.make({ id: "a", model, tools: [lookup] }))
      const { output_text } = yield* call(() =>
        client.responses.create({
          model: "a",
          input: "hi",
          text: { format: { type: "json_schema", name: "film", schema: { type: "object" } } }
        })
      )
      assert.deepStrictEqual(JSON.parse(output_text), { title: "Alien" })
    }))
})

describe("an answer that is cut", () => {
  const reasons = { length: "max_output_tokens", "content-filter": "content_filter" } as const
  for (const reason of ["length", "content-filter"] as const) {
    it.live(`a response whose answer ends with ${reason} is incomplete, whole, streamed and read`, () =>
      Effect.gen(function*() {
        const { model } = yield* twice([Script.text("Half"), Script.finish(reason)])
        const { client } = yield* serving(Agent.make({ id: "a", model }))
        const request = { model: "a", input: "hi" }
        const whole = yield* call(() => client.responses.create(request))
        const events = yield* call(async () => collected(await client.responses.create({ ...request, stream: true })))
        const last = events.at(-1)!
        assert.strictEqual(last.type, "response.incomplete")
        const streamed = last.type === "response.incomplete" ? last.response : whole
        for (const response of [whole, streamed, yield* call(() => client.responses.retrieve(whole.id))]) {
          assert.deepInclude(response, { status: "incomplete", incomplete_details: { reason: reasons[reason] } })
          assert.deepInclude(response.output[0], { type: "message", status: "incomplete" })
        }
      }))
  }
})
