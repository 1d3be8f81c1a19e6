// Whose bodies give their room to another caller: by bytes and times, without sockets.
import { assert, describe, it } from "@effect/vitest"
import * as ByteBudget from "@svc-runtime/http/requests/ByteBudget"
import * as SlowSenders from "@svc-runtime/http/requests/SlowSenders"
import { Effect } from "effect"

const late = () => Effect.fail("late" as const)

/** Ann and Bob have 50 of 100 bytes each. Others wait for the time of the test. */
const started = Effect.gen(function*() {
  const budget = ByteBudget.make({ total: 100, share: (others) => (100 - others) / 2, timeout: "10 seconds" })
  const senders = SlowSenders.make({ budget, timeout: 10_000 })
  const ended: Array<string> = []
  const received: Record<string, number> = {}
  for (const caller of ["ann", "bob"]) {
    yield* budget.take(caller, 50, late)
    received[caller] = 10
    senders.add({
      caller,
      held: () => 50,
      received: () => received[caller] ?? 0,
      end: () => ended.push(caller)
    })
  }
  const wait = (caller: string) =>
    Effect.andThen(Effect.forkChild(budget.take(caller, 20, late)), Effect.repeat(Effect.yieldNow, { times: 5 }))
  /** The seconds of the test, in each of which bodies get so many bytes. */
  let second = 0
  const pass = (seconds: number, rates: Readonly<Record<string, number>> = {}) => {
    for (let each = 0; each < seconds; each++) {
      for (const [caller, rate] of Object.entries(rates)) received[caller] = (received[caller] ?? 0) + rate
      senders.check(1000 * second++)
    }
  }
  const skip = (seconds: number) => {
    second += seconds
  }
  return { ended, pass, skip, wait }
})

describe("slow senders", () => {
  it.effect("a body that stops is ended when another caller has waited for three seconds", () =>
    Effect.gen(function*() {
      const { ended, pass, wait } = yield* started
      yield* wait("cid")
      pass(3, { ann: 6 })
      assert.deepStrictEqual(ended, [])
      pass(1, { ann: 6 })
      assert.deepStrictEqual(ended, ["bob"])
    }))

  it.effect("bodies that are whole before the one who waits is refused are left alone", () =>
    Effect.gen(function*() {
      const { ended, pass, wait } = yield* started
      yield* wait("cid")
      pass(10, { ann: 5, bob: 4 })
      assert.deepStrictEqual(ended, [])
    }))

  it.effect("the slowest body is ended, and no more of them than the one who waits needs", () =>
    Effect.gen(function*() {
      const { ended, pass, wait } = yield* started
      yield* wait("cid")
      pass(4, { ann: 1 })
      assert.deepStrictEqual(ended, ["bob"])
    }))

  it.effect("no body is ended while none waits, or for one of its own caller", () =>
    Effect.gen(function*() {
      const { ended, pass, wait } = yield* started
      pass(20)
      yield* wait("ann")
      pass(20)
      assert.deepStrictEqual(ended, [])
    }))

  it.effect("what a body did while others waited earlier does not count", () =>
    Effect.gen(function*() {
      const { ended, pass, skip, wait } = yield* started
      pass(2)
      skip(20)
      yield* wait("cid")
      pass(3)
      assert.deepStrictEqual(ended, [])
      pass(1)
      assert.deepStrictEqual(ended, ["ann"])
    }))
})
