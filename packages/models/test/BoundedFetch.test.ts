import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as AiSdkModel from "../src/AiSdkModel.ts"
import * as BoundedFetch from "../src/BoundedFetch.ts"
import * as Embedder from "../src/Embedder.ts"
import * as ModelError from "../src/ModelError.ts"
import { generated, stream, streamed } from "./Asking.ts"

/** A server that sends an answer without an end, as long as it is read. */
const endless = Effect.fnUntraced(function*(contentType: string, beginning: string, part = "a".repeat(16 * 1024)) {
  const closed = yield* Deferred.make<void>()
  const server = yield* Effect.acquireRelease(
    Effect.callback<Http.Server>((resume) => {
      const server = Http.createServer((_, response) => {
        response.writeHead(200, { "content-type": contentType })
        response.write(beginning)
        const write = () => {
          while (!response.destroyed && response.write(part));
        }
        response.on("drain", write)
        response.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
        write()
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void server.close(() => undefined).closeAllConnections())
  )
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const client = createOpenAICompatible({ name: "local", baseURL, fetch: BoundedFetch.make(256 * 1024) })
  const model = yield* AiSdkModel.make({ model: client.chatModel("m"), provider: "Local", format: "chat" })
  return { client, model, closed: Deferred.await(closed) }
})

const word = `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta: { content: "word" } }] })}\n\n`

const problem = "Local sent an answer that cannot be read (too large)"

describe("BoundedFetch", () => {
  it.live("an answer without an end fails, and its connection is closed", () =>
    Effect.gen(function*() {
      const { closed, model } = yield* endless("application/json", "{\"choices\":[{\"message\":{\"content\":\"")
      assert.strictEqual(ModelError.describe(yield* Effect.flip(generated(model))).message, problem)
      yield* closed
    }))

  it.live("a stream whose event has no end fails, and its connection is closed", () =>
    Effect.gen(function*() {
      const { closed, model } = yield* endless("text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"")
      assert.strictEqual(ModelError.describe(yield* Effect.flip(streamed(model))).message, problem)
      yield* closed
    }))

  it.live("a stream of words without an end fails, and its connection is closed", () =>
    Effect.gen(function*() {
      const { closed, model } = yield* endless("text/event-stream", word, word)
      assert.strictEqual(ModelError.describe(yield* Effect.flip(streamed(model))).message, problem)
      yield* closed
    }))

  it.live("a stream of words that is left has its connection closed", () =>
    Effect.gen(function*() {
      const { closed, model } = yield* endless("text/event-stream", word, word)
      const words = stream(model).pipe(Stream.filter((part) => part.type === "text-delta"), Stream.take(100))
      assert.lengthOf(yield* Stream.runCollect(words), 100)
      yield* closed
    }))

  it.live("vectors without an end fail, and their connection is closed", () =>
    Effect.gen(function*() {
      const { client, closed } = yield* endless("application/json", "{\"data\":[{\"embedding\":\"")
      const embedder = yield* Embedder.ofAiSdk(client.embeddingModel("m"))
      const error = yield* Effect.flip(embedder.embedMany(["tea"]))
      assert.include(ModelError.describe(error).message, "sent an answer that cannot be read (too large)")
      yield* closed
    }))
})
