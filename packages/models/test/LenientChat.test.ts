import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ModelCatalog } from "../src/ModelCatalog.ts"
import * as ModelError from "../src/ModelError.ts"
import { callsOf, generated, streamed, textOf } from "./Asking.ts"

const call = (args: unknown) => ({ index: 0, id: "a", type: "function", function: { name: "add", arguments: args } })

const event = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "1", model: "m", created: 1, choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const stream = event({ role: "assistant", content: "", tool_calls: [call({ a: 1, b: { c: "é" } })] }) +
  event({}, "tool_calls") + "data: [DONE]\n\n"

const whole = JSON.stringify({
  id: "1",
  model: "m",
  created: 1,
  choices: [{
    index: 0,
    message: { role: "assistant", content: null, tool_calls: [call({ a: 1, b: { c: "é" } })] },
    finish_reason: "tool_calls"
  }]
})

/** A body whose chunks end anywhere. */
const answering = (text: string, contentType: string): typeof globalThis.fetch => () => {
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7))
      controller.close()
    }
  })
  return Promise.resolve(new Response(body, { headers: { "content-type": contentType } }))
}

describe("a server that sends arguments as an object", () => {
  it.effect.each(
    [
      ["streamed", streamed, stream, "text/event-stream"],
      ["not streamed", generated, whole, "application/json"]
    ] as const
  )("the calls of the server arrive with their arguments: %s", ([, ask, text, contentType]) =>
    Effect.gen(function*() {
      const catalog = ModelCatalog.layer({
        openaiBaseUrl: "https://models.test/v1",
        fetch: answering(text, contentType)
      })
      const model = yield* Effect.provide(
        Effect.flatMap(ModelCatalog, ({ resolve }) => resolve("openai-compatible:m")),
        catalog
      )
      assert.deepStrictEqual(callsOf(yield* ask(model)), [{ id: "a", name: "add", params: { a: 1, b: { c: "é" } } }])
    }))
})

const requesting = (text: string, contentType: string) =>
  Effect.provide(
    Effect.flatMap(ModelCatalog, ({ resolve }) => resolve("openai-compatible:m")),
    ModelCatalog.layer({
      openaiBaseUrl: "https://models.test/v1",
      fetch: answering(text, contentType),
      retry: { retries: 0 }
    })
  )

describe("a server that sends chunks without choices", () => {
  it.effect.each([{ choices: null }, {}, { type: "ping" }])(
    "%j is no part of the answer",
    (chunk) =>
      Effect.gen(function*() {
        const line = `data: ${JSON.stringify({ id: "1", model: "m", created: 1, ...chunk })}\n\n`
        const text = line + event({ role: "assistant", content: "Hello" }) + line + event({}, "stop") + line +
          "data: [DONE]\n\n"
        const model = yield* requesting(text, "text/event-stream")
        assert.strictEqual(textOf(yield* streamed(model)), "Hello")
      })
  )

  it.effect.each([{ choices: null }, {}])(
    "a whole answer with %j is a failure that says so",
    (body) =>
      Effect.gen(function*() {
        const model = yield* requesting(
          JSON.stringify({ id: "1", model: "m", created: 1, ...body }),
          "application/json"
        )
        const error = yield* Effect.flip(generated(model))
        assert.match(ModelError.describe(error).message, /did not contain any choices|cannot be read/)
      })
  )
})
