import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as AuthorReading from "../AuthorReading.ts"
import * as Reader from "../Reader.ts"

const file = { body: new Uint8Array(1), name: "a.mail", type: undefined, reader_id: undefined }

const readerOf = (read: unknown) =>
  Reader.make({ id: "mail", types: [".mail"], timeout: "10 seconds", read: read as Reader.Options["read"] })

it.effect("a reader that does not end is given up after its timeout, also if it cannot be interrupted", () =>
  Effect.gen(function*() {
    for (const read of [() => new Promise(() => {}), () => Effect.never, () => Effect.uninterruptible(Effect.never)]) {
      const reading = yield* Effect.forkChild(Effect.flip(AuthorReading.read(readerOf(read), file)), {
        startImmediately: true
      })
      yield* TestClock.adjust("10 seconds")
      const end = reading.pollUnsafe()
      assert.isDefined(end)
      assert.strictEqual((yield* Fiber.join(reading)).message, "The reader 'mail' did not end within 10s")
    }
  }))

it.effect("a reader that was left behind three times is called again when one of its calls has ended", () =>
  Effect.gen(function*() {
    for (const isPromise of [true, false]) {
      const ends: Array<() => void> = []
      const reader = readerOf(() => {
        const promise = new Promise((resolve) => ends.push(() => resolve([])))
        return isPromise ? promise : Effect.uninterruptible(Effect.promise(() => promise))
      })
      const given = Effect.gen(function*() {
        const reading = yield* Effect.forkChild(Effect.flip(AuthorReading.read(reader, file)), {
          startImmediately: true
        })
        yield* TestClock.adjust("10 seconds")
        return yield* Fiber.join(reading)
      })
      for (const count of [1, 2, 3]) {
        assert.isFalse((yield* given).isTransient)
        assert.strictEqual(ends.length, count)
      }
      const { isTransient, message } = yield* given
      assert.deepStrictEqual([isTransient, ends.length], [true, 3])
      assert.strictEqual(message, "The reader 'mail' has not ended its calls for other contents")
      ends[0]?.()
      yield* Effect.promise(() => new Promise(setImmediate))
      assert.isFalse((yield* given).isTransient)
      assert.strictEqual(ends.length, 4)
    }
  }))

it.effect("whatever a reader returns instead of documents is refused with a sentence", () =>
  Effect.gen(function*() {
    const wrong = [undefined, null, 1, "text", {}, { text: "a" }, ["text"], [{ text: 1 }], [{}], [null], new Map(), [
      { text: "a", metadata: 1 }
    ], [{ text: "a", metadata: { at: new Date(0) } }]]
    for (const returned of wrong) {
      const { message } = yield* Effect.flip(AuthorReading.read(readerOf(() => returned), file))
      assert.strictEqual(message, "The reader 'mail' returned something else than documents")
    }
  }))
