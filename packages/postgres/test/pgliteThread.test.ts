// The end of the start of an embedded database, in its thread.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { EventEmitter } from "node:events"
import { setImmediate as turn } from "node:timers/promises"
import { vi } from "vitest"
import { answer } from "../src/pglite/pgliteThread.ts"
import * as Child from "./fixtures/child.ts"
import { range } from "./PgliteExits.ts"

/** A thread whose engine replies with what it gets. `settle` sees the number of replies that were sent before it. */
const threadOf = (settle: (replies: number) => void, onEnd = () => {}) => {
  const port = new EventEmitter()
  const replies: Array<object> = []
  const messages: Array<number> = []
  const done = () => Promise.resolve().then(onEnd)
  const reply = (bytes: Uint8Array) => Promise.resolve(bytes)
  answer(
    Object.assign(port, {
      postMessage: (sent: ReadonlyArray<object>) => {
        messages.push(sent.length)
        replies.push(...sent)
      }
    }) as never,
    { run: reply, startup: reply, close: done, discard: done, settle: () => settle(replies.length) }
  )
  const call = Effect.fnUntraced(function*(call: object) {
    const count = replies.length
    port.emit("message", [call])
    yield* Effect.promise(() => turn())
    assert.lengthOf(replies, count + 1)
    return replies[count]
  })
  const callTogether = (calls: ReadonlyArray<object>) => {
    port.emit("message", calls)
    return Effect.as(Effect.promise(() => turn()), replies)
  }
  const execute = call({ method: "run", bytes: new Uint8Array(Buffer.from("B")), endsReady: true })
  return { call, callTogether, execute, messages }
}

const withTimers = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })),
    () => effect,
    () => Effect.sync(() => vi.useRealTimers())
  )

describe("The thread of an embedded database", () => {
  it.live.runIf(Tier.isWhole)(
    "a thread that ends before its start is over leaves no filter of V8 behind",
    () =>
      Effect.gen(function*() {
        const child = yield* Child.start("filter.ts")
        const lines = yield* Effect.replicateEffect(child.line, 4)
        assert.deepStrictEqual(lines, ["none: true", "closed: true", "discarded: true", "failed: true"])
      })
  )

  it.effect("calls that come together have their replies together, in their order", () =>
    Effect.gen(function*() {
      const { callTogether, messages } = threadOf(() => {})
      const [one, two] = [new Uint8Array([1]), new Uint8Array([2])]
      const replies = yield* callTogether([one, two].map((bytes) => ({ method: "run", bytes, endsReady: true })))
      assert.deepStrictEqual(replies, [{ bytes: one }, { bytes: two }])
      assert.deepStrictEqual(messages, [2])
    }).pipe(withTimers))

  it.effect("a start is over after ten seconds, also if statements are executed all the time", () =>
    Effect.gen(function*() {
      let settled = 0
      const { execute } = threadOf(() => settled++)
      for (const second of range(12)) {
        yield* execute
        vi.advanceTimersByTime(1000)
        assert.strictEqual(settled, second < 10 ? 0 : 1)
      }
    }).pipe(withTimers))

  it.effect("the batch that ends a start has its reply before", () =>
    Effect.gen(function*() {
      const settled: Array<number> = []
      const { execute } = threadOf((replies) => settled.push(replies))
      yield* Effect.repeat(execute, { times: 310 })
      assert.deepStrictEqual(settled, [300])
    }).pipe(withTimers))

  it.effect("calls are executed as before when the end of the start fails", () =>
    Effect.gen(function*() {
      const { execute } = threadOf(() => {
        throw new Error("broken")
      })
      yield* Effect.repeat(execute, { times: 310 })
      const rested = threadOf(() => {
        throw new Error("broken")
      })
      vi.advanceTimersByTime(10_000)
      assert.deepStrictEqual(yield* rested.execute, { bytes: new Uint8Array(Buffer.from("B")) })
    }).pipe(withTimers))

  it.effect.each(["close", "discard"])(
    "a start does not end in the call %s, or after it",
    (method) =>
      Effect.gen(function*() {
        let settled = 0
        const { call } = threadOf(() => settled++, () => void vi.advanceTimersByTime(60_000))
        yield* call({ method })
        vi.advanceTimersByTime(60_000)
        assert.strictEqual(settled, 0)
      }).pipe(withTimers)
  )
})
