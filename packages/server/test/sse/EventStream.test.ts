// Heartbeats between the chunks of a stream of server-sent events.
import { assert, describe, it } from "@effect/vitest"
import { alive } from "@svc-runtime/http/sse/EventStream"
import { Deferred, Effect, Exit, Fiber, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const beat = ": heartbeat\n\n"

/** A stream with heartbeats, as texts that the reader takes one by one. */
const reading = Effect.fnUntraced(function*() {
  const [source, shown] = [yield* Queue.unbounded<string>(), yield* Queue.unbounded<string>()]
  const interrupted = yield* Deferred.make<void>()
  const bytes = Stream.fromEffectRepeat(Effect.map(Queue.take(source), (text) => encoder.encode(text))).pipe(
    Stream.onExit((exit) => Exit.isFailure(exit) ? Deferred.succeed(interrupted, undefined) : Effect.void)
  )
  const reader = yield* Effect.forkChild(
    Stream.runForEach(alive(bytes), (chunk) => Queue.offer(shown, decoder.decode(chunk)))
  )
  return { source, next: Queue.take(shown), reader, interrupted }
})

describe("a stream with heartbeats", () => {
  it.effect("a stream shows each chunk once and in order, with any number of heartbeats between", () =>
    Effect.gen(function*() {
      const { next, source } = yield* reading()
      for (const text of ["a", "b"]) {
        yield* TestClock.adjust("15 seconds")
        assert.strictEqual(yield* next, beat)
        yield* TestClock.adjust("15 seconds")
        assert.strictEqual(yield* next, beat)
        yield* Queue.offer(source, text)
        assert.strictEqual(yield* next, text)
      }
    }))

  it.effect("a stream interrupts its source when its reader disconnects while it waits", () =>
    Effect.gen(function*() {
      const { interrupted, next, reader } = yield* reading()
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* next, beat)
      yield* Fiber.interrupt(reader)
      yield* Deferred.await(interrupted)
    }))
})
