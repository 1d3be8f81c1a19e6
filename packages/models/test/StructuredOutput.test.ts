import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { assert, describe, it } from "@effect/vitest"
import * as AnthropicMessages from "@svc-runtime/test-support/wire/AnthropicMessages"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect, Schema } from "effect"
import * as AiSdkModel from "../src/AiSdkModel.ts"
import * as AnswerSchema from "../src/AnswerSchema.ts"
import * as RequestOptions from "../src/RequestOptions.ts"
import * as Schemas from "../src/wire/Schemas.ts"
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
      yield* RequestOptions.provide(generated(model), { format: movie })
      assert.strictEqual((yield* format).strict, true)
    }))

  it.effect("any other schema is asked for loosely, because OpenAI would refuse it", () =>
    Effect.gen(function*() {
      const { format, model, server } = yield* chat
      yield* server.script(Reply.text("{}"))
      const schema = { type: "object", properties: { title: { type: "string" } } } // title is optional
      yield* RequestOptions.provide(generated(model), { format: { type: "json", name: "Movie", schema } })
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
        const parts = yield* RequestOptions.provide(ask(model), { format: movie })
        assert.strictEqual(textOf(parts), "{\"title\":\"Alien\"}")
        assert.isEmpty(parts.filter((part) => part.type === "tool-call"))
      })
  )

  it.each<readonly [schema: object, strict: object | undefined]>([
    [movie.schema, movie.schema],
    [{ type: "string" }, undefined],
    [{ type: "object" }, undefined],
    [
      { type: "object", properties: {}, additionalProperties: false },
      { type: "object", properties: {}, additionalProperties: false, required: [] }
    ],
    [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false }
    ],
    [{ type: "object", properties: { a: { type: "string" } }, additionalProperties: false }, undefined],
    [{ type: "object", properties: { a: { type: "object" } }, required: ["a"] }, undefined],
    [
      { type: "object", properties: { a: { allOf: [{ type: "string" }, { minLength: 1 }] } }, required: ["a"] },
      undefined
    ],
    [
      { type: "object", properties: { a: { type: "string", format: "uri", description: "Where" } }, required: ["a"] },
      {
        type: "object",
        properties: { a: { type: "string", description: "Where (format: \"uri\")" } },
        required: ["a"],
        additionalProperties: false
      }
    ],
    [
      { type: "object", properties: { a: { oneOf: [{ type: "string" }, { type: "null" }] } }, required: ["a"] },
      {
        type: "object",
        properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } },
        required: ["a"],
        additionalProperties: false
      }
    ]
  ])("the strict form of %o is %o", (schema, expected) => {
    assert.deepStrictEqual(Schemas.openAiStrict(schema as never), expected as never)
  })

  it("parameters are one object without alternatives at the root", () => {
    const { properties, type } = Schemas.flatRoot({
      type: "object",
      anyOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "number" } } }]
    })
    assert.deepStrictEqual({ properties, type }, {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } }
    })
  })

  it("exclusive bounds of earlier drafts become numbers", () => {
    const schema = {
      type: "object",
      properties: { n: { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: false } }
    }
    assert.deepStrictEqual(Schemas.repaired(schema), {
      type: "object",
      properties: { n: { type: "number", exclusiveMinimum: 1, maximum: 2 } }
    })
  })

  it("Gemini gets enums for constants, alternatives for lists of types, and definitions at the root", () => {
    const schema = {
      type: "object",
      properties: {
        kind: { const: "a" },
        v: { type: ["string", "integer", "null"] },
        item: { $ref: "#/definitions/I", description: "One" }
      },
      definitions: { I: { type: ["object", "null"], properties: {} } }
    }
    assert.deepStrictEqual(Schemas.gemini(schema), {
      type: "object",
      properties: {
        kind: { enum: ["a"] },
        v: { anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] },
        item: { $ref: "#/$defs/I" }
      },
      $defs: { I: { type: ["object", "null"], properties: {} } }
    })
  })

  it("a root that is no object becomes the value of a field, and is taken out of it", () => {
    const list = { type: "array", items: { $ref: "#/$defs/A" }, $defs: { A: { type: "array", items: { $ref: "#" } } } }
    const schema = AnswerSchema.wrapped(list)
    assert.deepStrictEqual(schema, {
      type: "object",
      properties: { value: { type: "array", items: { $ref: "#/$defs/A" } } },
      required: ["value"],
      additionalProperties: false,
      $defs: { A: { type: "array", items: { $ref: "#/properties/value" } } }
    })
    assert.deepStrictEqual(AnswerSchema.unwrapped(list, { value: ["a"] }), ["a"])
    assert.isUndefined(AnswerSchema.unwrapped(movie.schema, { value: ["a"] }))
  })
})
