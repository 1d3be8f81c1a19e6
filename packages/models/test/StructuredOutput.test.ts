import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { assert, describe, it } from "@effect/vitest"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect, Schema } from "effect"
import * as AiSdkModel from "../src/AiSdkModel.ts"
import { isStrict } from "../src/AiSdkTools.ts"
import { ResponseFormat } from "../src/Model.ts"
import { generated, movie, streamed, textOf } from "./Asking.ts"

const Movie = Schema.Struct({ title: Schema.String, year: Schema.Int })

const chat = Effect.gen(function*() {
  const server = yield* OpenAiChat.make
  const model = yield* AiSdkModel.make({ model: createOpenAI({ baseURL: server.url, apiKey: "k" }).chat("test-model") })
  const format = Effect.map(server.requests, (requests) => {
    const { json_schema } = requests[0]?.body.response_format as { readonly json_schema: Record<string, unknown> }
    return json_schema
  })
  return { server, model, format }
})

describe("StructuredOutput", () => {
  it.effect("generateObject sends the schema and decodes the answer", () =>
    Effect.gen(function*() {
      const { format, model, server } = yield* chat
      yield* server.script(Reply.text("{\"title\":\"Alien\",\"year\":1979}"))
      const { value } = yield* model.languageModel.generateObject({
        prompt: "A movie",
        schema: Movie,
        objectName: "My Movie"
      })
      assert.deepStrictEqual(value, { title: "Alien", year: 1979 })
      assert.strictEqual((yield* format).name, "My_Movie")
      assert.hasAllKeys(((yield* format).schema as { properties: object }).properties, ["title", "year"])
    }))

  it.effect("a closed schema without optional properties is asked for strictly", () =>
    Effect.gen(function*() {
      const { format, model, server } = yield* chat
      yield* server.script(Reply.text("{}"))
      yield* Effect.provideService(generated(model), ResponseFormat, movie)
      assert.strictEqual((yield* format).strict, true)
    }))

  it.effect("any other schema is asked for loosely, because OpenAI would refuse it", () =>
    Effect.gen(function*() {
      const { format, model, server } = yield* chat
      yield* server.script(Reply.text("{}"))
      const schema = { type: "object", properties: { title: { type: "string" } } }
      yield* Effect.provideService(generated(model), ResponseFormat, { type: "json", name: "Movie", schema })
      assert.strictEqual((yield* format).strict, false)
    }))

  it.effect.each([["streamed", streamed], ["not streamed", generated]] as const)(
    "a Claude without structured output answers through a tool, seen as text: %s",
    ([, ask]) =>
      Effect.gen(function*() {
        const server = yield* AnthropicMessages.make
        yield* server.script(
          Reply.answer({ toolCalls: [{ id: "call_1", name: "json", arguments: ["{\"title\":", "\"Alien\"}"] }] })
        )
        const client = createAnthropic({ baseURL: server.url, apiKey: "k" })
        const model = yield* AiSdkModel.make({ model: client.messages("claude-3-haiku-20240307") })
        const parts = yield* Effect.provideService(ask(model), ResponseFormat, movie)
        assert.strictEqual(textOf(parts), "{\"title\":\"Alien\"}")
        assert.isEmpty(parts.filter((part) => part.type === "tool-call"))
      })
  )

  it.each([
    [movie.schema, true],
    [{ type: "string" }, true],
    [{ type: "object" }, false],
    [{ type: "object", properties: {}, additionalProperties: false }, true],
    [{ type: "object", properties: { a: { type: "string" } }, required: ["a"] }, false],
    [{ type: "object", properties: { a: { type: "string" } }, additionalProperties: false }, false],
    [{ type: "array", items: { type: "object" } }, false],
    [{ $defs: { A: { type: "object" } }, type: "array", items: { $ref: "#/$defs/A" } }, false]
  ])("the schema %o can be strict: %s", (schema, expected) => {
    assert.strictEqual(isStrict(schema), expected)
  })
})
