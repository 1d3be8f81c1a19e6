// The rules that hold for every provider, over real HTTP. A subject brings a wire server, the client that speaks to it,
// and where its format puts things in a request.
import { assert, describe, it } from "@effect/vitest"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import type * as WireServer from "@svc-runtime/test-support/wire/WireServer"
import { Duration, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as AiSdkModel from "../src/AiSdkModel.ts"
import * as ModelError from "../src/ModelError.ts"
import * as RequestOptions from "../src/RequestOptions.ts"
import { afterTools, callsOf, finishOf, generated, movie, options, png, streamed, textOf, withImage } from "./Asking.ts"
import { apiKey, type Body, connect, hello, quick, type Subject } from "./ProviderCalls.ts"
import { streams } from "./ProviderStreams.ts"

const ways = [["streamed", streamed], ["not streamed", generated]] as const

const twoCalls = Reply.answer({
  text: ["Let me ", "see."],
  toolCalls: [
    { id: "call_1", name: "add", arguments: ["{\"a\":", "1,\"b\":2}"] },
    { id: "call_2", name: "now", arguments: ["{}"] }
  ]
})

const body = (server: WireServer.WireServer): Effect.Effect<Body> =>
  Effect.map(server.requests, (requests) => requests.at(-1)?.body ?? {})

export const suite = (subject: Subject): void => {
  describe(subject.name, () => {
    describe.each(ways)("%s", (_, ask) => {
      it.effect("an answer is its text, the reason of its end and its usage", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(Reply.answer({
            text: ["Hel", "lo"],
            usage: { input: 100, output: 20, cacheRead: 60, reasoning: 5 }
          }))
          const parts = yield* ask(model)
          assert.strictEqual(textOf(parts), "Hello")
          const { reason, usage } = finishOf(parts)
          assert.strictEqual(reason, "stop")
          assert.strictEqual(usage.inputTokens.total, 100)
          assert.strictEqual(usage.inputTokens.cacheRead, 60)
          assert.strictEqual(usage.inputTokens.uncached, 40)
          assert.strictEqual(usage.outputTokens.total, 20)
          assert.strictEqual(usage.outputTokens.reasoning, 5)
        }))

      it.effect("an answer says which response it was", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(hello)
          const metadata = (yield* ask(model)).find((part) => part.type === "response-metadata")
          assert.strictEqual(metadata?.modelId, "wire-model")
          assert.isDefined(metadata?.id)
        }))

      it.effect("parallel tool calls arrive whole, with their arguments as values", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(twoCalls)
          const parts = yield* ask(model)
          assert.strictEqual(textOf(parts), "Let me see.")
          assert.deepStrictEqual(callsOf(parts), [
            { id: "call_1", name: "add", params: { a: 1, b: 2 } },
            { id: "call_2", name: "now", params: {} }
          ])
          assert.strictEqual(finishOf(parts).reason, "tool-calls")
        }))

      it.effect("a call of a tool that the request did not declare arrives as a call", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(
            Reply.answer({ toolCalls: [{ id: "call_9", name: "fly", arguments: ["{\"to\":\"Rome\"}"] }] })
          )
          assert.deepStrictEqual(callsOf(yield* ask(model)), [{ id: "call_9", name: "fly", params: { to: "Rome" } }])
        }))

      it.effect("a truncated answer says so", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(Reply.answer({ text: ["Once upon"], finish: "length" }))
          assert.strictEqual(finishOf(yield* ask(model)).reason, "length")
        }))

      it.effect("a refused key ends at once, as an authentication error without the key", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(Reply.unauthorized("Incorrect API key provided"))
          const error = yield* Effect.flip(ask(model))
          const { error_type, message } = ModelError.describe(error)
          assert.strictEqual(error_type, "model_authentication_error")
          assert.include(message, "refused the API key (401): Incorrect API key provided: [redacted]")
          assert.notInclude(JSON.stringify(error) + error.message + error.stack, apiKey)
          assert.lengthOf(yield* server.requests, 1)
        }))

      it.effect("a call is repeated when the provider fails or asks to wait", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(
            Reply.failure(500, "Oops"),
            Reply.failure(429, "Slow down", { headers: { "retry-after-ms": "0" } }),
            hello
          )
          assert.strictEqual(textOf(yield* ask(model)), "Hello there")
          assert.lengthOf(yield* server.requests, 3)
        }))

      it.effect("a provider that keeps failing is asked four times in all", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(...Array.from({ length: 4 }, () => Reply.failure(503, "Down for maintenance")))
          const error = yield* Effect.flip(ask(model))
          assert.strictEqual(error.reason._tag, "InternalProviderError")
          assert.deepStrictEqual(ModelError.describe(error), {
            message: `${subject.name} failed (503): Down for maintenance`,
            error_type: "model_provider_error"
          })
          assert.lengthOf(yield* server.requests, 4)
        }))

      it.effect("the wait that a provider asks for is known", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject, { retries: 0 })
          yield* server.script(Reply.failure(429, "Slow down", { headers: { "retry-after": "7" } }))
          const error = yield* Effect.flip(ask(model))
          assert.strictEqual(error.reason._tag, "RateLimitError")
          assert.deepStrictEqual(error.retryAfter, Duration.seconds(7))
        }))

      it.effect("silence before the answer ends in a readable error", () =>
        Effect.gen(function*() {
          const limits = { startTimeout: "30 millis", answerTimeout: "30 millis" } as const
          const { model, server } = yield* connect(subject, limits)
          yield* server.script(Reply.broken("stall", 0, { text: ["never"] }))
          const fiber = yield* Effect.forkChild(Effect.flip(ask(model)))
          yield* server.awaitRequest
          yield* TestClock.adjust("30 millis")
          const error = yield* Fiber.join(fiber)
          assert.match(
            ModelError.describe(error).message,
            new RegExp(`did not answer with ${subject.modelId} within 30ms`)
          )
          yield* server.awaitAborted
        }))

      it.effect("a time limit of the settings of a request stands before that of the service", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(Reply.broken("stall", 0, { text: ["never"] }))
          const settings = { startTimeout: "20 millis", answerTimeout: "20 millis" } as const
          const asking = RequestOptions.provide(ask(model), { settings })
          const fiber = yield* Effect.forkChild(Effect.flip(asking))
          yield* server.awaitRequest
          yield* TestClock.adjust("20 millis")
          assert.match(ModelError.describe(yield* Fiber.join(fiber)).message, /within 20ms$/)
          assert.notProperty(yield* body(server), "startTimeout")
        }))

      it.effect("a page that is no JSON ends in a readable error", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(Reply.raw("<html>hello</html>", "text/html"))
          const error = yield* Effect.flip(ask(model))
          assert.strictEqual(ModelError.describe(error).error_type, "model_provider_error")
          assert.notInclude(ModelError.describe(error).message, "<html>")
        }))

      it.effect("a server that is not there ends in a readable error", () =>
        Effect.gen(function*() {
          const model = yield* AiSdkModel.make({
            model: subject.client("http://127.0.0.1:1/v1", apiKey),
            provider: subject.name,
            retry: quick
          })
          const error = yield* Effect.flip(ask(model))
          assert.strictEqual(error.reason._tag, "NetworkError")
          assert.match(ModelError.describe(error).message, /cannot be reached/)
        }))

      it.effect("an interrupted call aborts its request", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(Reply.broken("stall", 0, { text: ["never"] }))
          const fiber = yield* Effect.forkChild(ask(model))
          yield* server.awaitRequest
          yield* Fiber.interrupt(fiber)
          yield* server.awaitAborted
        }))

      it.effect("tools are sent with their JSON Schema", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(hello)
          yield* ask(model)
          assert.deepStrictEqual(subject.sent.tools(yield* body(server)), subject.expected.tools)
        }))

      it.effect("results of tools are sent, failed ones as failures", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(hello)
          yield* ask(model, afterTools)
          assert.deepStrictEqual(subject.sent.toolResults(yield* body(server)), subject.expected.toolResults)
        }))

      it.effect("images are sent as bytes or as an address", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(hello, hello)
          yield* ask(model, withImage(png))
          assert.deepStrictEqual(subject.sent.image(yield* body(server)), subject.expected.image)
          yield* ask(model, withImage(new URL("https://example.com/a.png")))
          assert.deepStrictEqual(subject.sent.image(yield* body(server)), subject.expected.imageUrl)
        }))

      it.effect("the format of the context is sent as a schema", () =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(Reply.text("{\"title\":", "\"Alien\"}"))
          const parts = yield* RequestOptions.provide(ask(model), { format: movie })
          assert.strictEqual(textOf(parts), "{\"title\":\"Alien\"}")
          assert.deepStrictEqual(subject.sent.schema(yield* body(server)), movie.schema)
        }))
    })

    it.effect("settings are sent with every call", () =>
      Effect.gen(function*() {
        const settings = { temperature: 0.5, topP: 0.9, maxOutputTokens: 50, headers: { "x-team": "blue" } }
        const { model, server } = yield* connect(subject, quick, settings)
        yield* server.script(hello)
        yield* streamed(model)
        const [request] = yield* server.requests
        assert.strictEqual(request?.headers["x-team"], "blue")
        assert.strictEqual(request?.body.temperature, 0.5)
        assert.strictEqual(
          request?.body.max_tokens ?? request?.body.max_output_tokens ?? request?.body.max_completion_tokens,
          50
        )
        assert.deepStrictEqual(model.settings, { temperature: 0.5, top_p: 0.9, max_output_tokens: 50 })
      }))

    it.effect.each(["required", "add"] as const)(
      "the choice of a tool is sent: %s",
      (choice) =>
        Effect.gen(function*() {
          const { model, server } = yield* connect(subject)
          yield* server.script(hello)
          const toolChoice = choice === "add" ? { tool: "add" as const } : choice
          yield* Stream.runDrain(model.languageModel.streamText({ ...options, prompt: "Hi", toolChoice }))
          const sent = subject.sent.toolChoice(yield* body(server))
          assert.deepStrictEqual(sent, subject.expected.toolChoice[choice])
        })
    )

    it.effect("a request without tools sends none", () =>
      Effect.gen(function*() {
        const { model, server } = yield* connect(subject)
        yield* server.script(hello)
        yield* Stream.runDrain(model.languageModel.streamText({ prompt: "Hi" }))
        const sent = yield* body(server)
        assert.isUndefined(sent.tools)
        assert.isUndefined(sent.tool_choice)
      }))

    it.effect("arguments that are no JSON arrive as the text they are", () =>
      Effect.gen(function*() {
        const { model, server } = yield* connect(subject)
        yield* server.script(
          Reply.answer({ toolCalls: [{ id: "call_1", name: "add", arguments: ["{\"a\": 1", ", b"] }] })
        )
        assert.deepStrictEqual(callsOf(yield* streamed(model)), [{ id: "call_1", name: "add", params: "{\"a\": 1, b" }])
      }))

    streams(subject)
  })
}
