// What every provider has to do with streams: pieces, breaks, silence and interruption.
import { assert, it } from "@effect/vitest"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect, Fiber, Queue, Stream } from "effect"
import type { Response } from "effect/ai"
import * as ModelError from "../src/ModelError.ts"
import { stream, streamed, textOf } from "./Asking.ts"
import { connect, hello, type Subject } from "./ProviderCalls.ts"

export const streams = (subject: Subject): void => {
  it.effect("a stream arrives piece by piece", () =>
    Effect.gen(function*() {
      const { model, server } = yield* connect(subject)
      yield* server.script(hello)
      const deltas = (yield* streamed(model)).flatMap((part) => part.type === "text-delta" ? [part.delta] : [])
      assert.deepStrictEqual(deltas, ["Hel", "lo ", "there"])
    }))

  it.effect("a stream that breaks before the answer begins is asked for again", () =>
    Effect.gen(function*() {
      const { model, server } = yield* connect(subject)
      yield* server.script(Reply.broken("cut", 1, { text: ["Hel", "lo"] }), hello)
      const parts = yield* streamed(model)
      assert.strictEqual(textOf(parts), "Hello there")
      assert.lengthOf(parts.filter((part) => part.type === "response-metadata"), 1)
      assert.lengthOf(yield* server.requests, 2)
    }))

  it.effect.each(["cut", "close", "malformed"] as const)(
    "a stream that breaks in the middle (%s) fails after what has arrived, and is not asked for again",
    (how) =>
      Effect.gen(function*() {
        const { model, server } = yield* connect(subject)
        yield* server.script(Reply.broken(how, subject.eventsBeforeText + 1, { text: ["Hel", "lo"] }))
        const seen: Array<Response.AnyPart> = []
        const error = yield* Effect.flip(
          Stream.runForEach(stream(model), (part) => Effect.sync(() => seen.push(part)))
        )
        assert.strictEqual(textOf(seen), "Hel")
        const { error_type, message } = ModelError.describe(error)
        assert.strictEqual(error_type, "model_provider_error")
        assert.match(message, how === "malformed" ? /cannot be read/ : /broke off|cannot be read/)
        assert.lengthOf(yield* server.requests, 1)
      })
  )

  it.live("silence in the middle of an answer ends in a readable error and aborts the request", () =>
    Effect.gen(function*() {
      const { model, server } = yield* connect(subject, { idleTimeout: "30 millis" })
      yield* server.script(Reply.broken("stall", subject.eventsBeforeText + 1, { text: ["Hel", "lo"] }))
      const error = yield* Effect.flip(streamed(model))
      assert.match(
        ModelError.describe(error).message,
        new RegExp(`sent nothing more of the answer of ${subject.modelId} for 30ms`)
      )
      yield* server.awaitAborted
    }))

  it.effect("a stream that is left aborts its request", () =>
    Effect.gen(function*() {
      const { model, server } = yield* connect(subject)
      yield* server.script(Reply.broken("stall", subject.eventsBeforeText + 1, { text: ["Hel", "lo"] }))
      const first = yield* Stream.runHead(Stream.filter(stream(model), (part) => part.type === "text-delta"))
      assert.strictEqual(first._tag, "Some")
      yield* server.awaitAborted
    }))

  it.effect("an interrupted stream aborts its request", () =>
    Effect.gen(function*() {
      const { model, server } = yield* connect(subject)
      yield* server.script(Reply.broken("stall", subject.eventsBeforeText + 1, { text: ["Hel", "lo"] }))
      const seen = yield* Queue.unbounded<string>()
      const fiber = yield* Effect.forkChild(Stream.runForEach(stream(model), (part) => Queue.offer(seen, part.type)))
      yield* Effect.repeat(Queue.take(seen), { until: (type) => type === "text-delta" })
      yield* Fiber.interrupt(fiber)
      yield* server.awaitAborted
    }))
}
