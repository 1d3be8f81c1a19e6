// The rule for clients that do not read: each client here is a pair of numbers, and time is an argument.
import { assert, describe, it } from "@effect/vitest"
import * as ByteBudget from "@svc-runtime/http/requests/ByteBudget"
import * as SlowReaders from "@svc-runtime/http/requests/SlowReaders"
import { Effect, Fiber } from "effect"

const millis = 30_000
const mebibyte = 1024 * 1024

const budgetOf = (total: number) =>
  ByteBudget.make({ total, share: (others) => (total - others) / 4, timeout: "1 hour" })

/** A client for which bytes wait. It takes as many as `takes` says of each second, in which others are produced. */
const client = (written: number, takes: (second: number) => number, produced = 0) => {
  const state = { written, taken: 0, endedAt: undefined as number | undefined, second: 0 }
  const connection: SlowReaders.Connection = {
    key: state,
    waiting: () => state.written - state.taken,
    taken: () => state.taken,
    held: () => state.written - state.taken,
    end: () => {
      state.endedAt = state.second
    }
  }
  return {
    connection,
    state,
    pass: (second: number) => {
      state.second = second
      state.written += produced
      state.taken = Math.min(state.written, state.taken + takes(second))
    }
  }
}

const follow = (clients: ReadonlyArray<ReturnType<typeof client>>, seconds: number, maxBytes = 256 * mebibyte) => {
  const readers = SlowReaders.make({ millis, budget: budgetOf(maxBytes) })
  for (const { connection } of clients) readers.add(connection)
  readers.check(0)
  for (let second = 1; second <= seconds; second++) {
    for (const { pass } of clients) pass(second)
    readers.check(second * 1000)
  }
}

describe("clients that do not read", () => {
  it("a client that takes nothing is ended when the time limit has passed", () => {
    const deaf = client(mebibyte, () => 0)
    follow([deaf], 100)
    assert.strictEqual(deaf.state.endedAt, 30)
  })

  it("a client that takes what the connection buffers, and then nothing, is ended within two time limits", () => {
    const deaf = client(8 * mebibyte, (second) => second === 1 ? 2 * mebibyte : 0)
    follow([deaf], 100)
    assert.strictEqual(deaf.state.endedAt, 60)
  })

  it("a client that takes a few bytes each eight seconds is ended", () => {
    const drip = client(mebibyte, (second) => second % 8 === 0 ? 40 : 0)
    follow([drip], 100)
    assert.strictEqual(drip.state.endedAt, 30)
  })

  it("a client on a slow line that takes two kilobytes in a second is left alone", () => {
    const slow = client(mebibyte, () => 2048)
    follow([slow], 600)
    assert.strictEqual(slow.state.endedAt, undefined)
    assert.strictEqual(slow.connection.waiting(), 0)
  })

  it("a client is left alone that reads what the system took at once, and ended if it reads nothing of that", () => {
    const buffered = (read: number) => {
      const { connection, pass, state } = client(8 * mebibyte, (second) => second === 1 ? 4 * mebibyte : 0)
      const inSystem = () => Math.max(0, state.taken - read * state.second)
      return { connection: { ...connection, inSystem }, pass, state }
    }
    const [slow, deaf] = [buffered(4096), buffered(0)]
    follow([slow, deaf], 600)
    assert.strictEqual(slow.state.endedAt, undefined)
    assert.strictEqual(deaf.state.endedAt, 75)
  })

  it("a client that takes all of the few bytes of a slow event stream is left alone", () => {
    const watcher = client(100, () => 100, 100)
    follow([watcher], 600)
    assert.strictEqual(watcher.state.endedAt, undefined)
  })

  it("a client for which nothing waits is left alone", () => {
    const idle = client(0, () => 0)
    follow([idle], 600)
    assert.strictEqual(idle.state.endedAt, undefined)
  })

  it("the bytes that wait for all clients are bounded, and clients that read least recently are ended first", () => {
    const deaf = Array.from({ length: 10 }, () => client(mebibyte, () => 0))
    const reader = client(mebibyte, () => 20_000)
    follow([...deaf, reader], 5, 5 * mebibyte)
    const left = deaf.filter(({ state }) => state.endedAt === undefined)
    assert.isAtMost(left.length, 4)
    assert.strictEqual(reader.state.endedAt, undefined)
  })

  it("what waits for a client counts in the budget of all responses, as far as its requests do not hold it", () => {
    const budget = budgetOf(10 * mebibyte)
    const readers = SlowReaders.make({ millis, budget })
    const { connection, state } = client(3 * mebibyte, () => 0)
    readers.add(connection)
    budget.note(connection.key, "ann", 0)
    readers.check(0)
    assert.strictEqual(budget.heldBy("ann"), 3 * mebibyte)
    budget.occupy("ann", 2 * mebibyte)
    budget.note(connection.key, "ann", 2 * mebibyte)
    readers.check(1000)
    assert.strictEqual(budget.heldBy("ann"), 3 * mebibyte)
    state.taken = state.written
    readers.check(2000)
    assert.strictEqual(budget.heldBy("ann"), 2 * mebibyte)
  })

  it.effect("a caller who waits for room gets that of the slowest client of a caller who holds more", () =>
    Effect.gen(function*() {
      const budget = budgetOf(3 * mebibyte)
      const readers = SlowReaders.make({ millis, budget })
      const held = (caller: string, rate: number) => {
        const slow = client(mebibyte, () => rate)
        readers.add(slow.connection)
        budget.occupy(caller, mebibyte)
        budget.note(slow.connection.key, caller, mebibyte)
        return slow
      }
      const [slow, slower, fast] = [held("ann", 4096), held("bob", 2048), held("eve", 100_000)]
      const waiting = yield* Effect.forkChild(budget.take("dan", mebibyte, () => Effect.die("late")))
      yield* Effect.yieldNow
      for (let second = 0; second < 8; second++) {
        for (const { pass } of [slow, slower, fast]) pass(second)
        readers.check(second * 1000)
        if (slower.state.endedAt === second) budget.release("bob", mebibyte)
      }
      assert.deepStrictEqual([slow, slower, fast].map(({ state }) => state.endedAt), [undefined, 3, undefined])
      yield* Fiber.join(waiting)
    }))

  it("a client that reads is left alone, however much waits for it", () => {
    const reader = client(100 * mebibyte, () => mebibyte)
    follow([reader], 50, mebibyte)
    assert.strictEqual(reader.state.endedAt, undefined)
    assert.isAbove(reader.state.taken, 40 * mebibyte)
  })
})
