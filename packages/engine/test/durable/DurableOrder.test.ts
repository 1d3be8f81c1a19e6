// The results of durable calls as a repeated function gets them: in their order, each of its own call, and unchanged.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { CallFailed, type Durable } from "../../src/durable/Durable.ts"
import type * as UserCode from "../../src/userCode/UserCode.ts"
import * as Memory from "./Memory.ts"

const gave = (end: Memory.End): unknown => end._tag === "Gave" ? end.value : end

const messageOf = (end: Memory.End): string => end._tag === "Failed" ? end.error.message : JSON.stringify(end)

describe("what a function does with its results", () => {
  it.effect("a result that the function changes is the same when the function is called again", () =>
    Effect.gen(function*() {
      const kept = [1]
      const { live } = Memory.make(async ({ run, step }) => {
        const list = await step("list", () => kept)
        list.push(2)
        kept.push(3)
        await run(Memory.writer, "a")
        return list
      })
      assert.strictEqual(
        messageOf(yield* live({ run: () => Effect.fail(new CallFailed({ kind: "RunFailed", message: "No a" })) })),
        "No a"
      )
      assert.deepStrictEqual(gave(yield* live()), [1, 2])
    }))
})

describe("equal calls that are open at the same time", () => {
  it.effect("steps of branches that wait for other things fail the function, which names what to do", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(({ step }) =>
        Promise.all([5, 10].map(async (count) => {
          await Memory.turns(count)
          return step("charge", () => Memory.turns(100))
        }))
      )
      assert.match(messageOf(yield* live()), /charge\) while an equal call was open.* names of their own/)
    }))

  it.effect("steps that a loop makes at once, and steps after their runs, are allowed", () =>
    Effect.gen(function*() {
      const items = Array.from({ length: 200 }, (_, index) => index)
      const { live } = Memory.make(async ({ asEffect, pause, run, step }) => {
        const made = await Promise.all(items.map((item) => step("charge", () => item)))
        const saved = await Promise.all(items.map(async (item) => {
          await run(Memory.writer, item)
          return step("save", () => item)
        }))
        const effects = await Effect.runPromise(
          Effect.all(items.map((item) => asEffect.step("print", () => item)), { concurrency: "unbounded" })
        )
        await pause({ question: "Is it right?" })
        return [made, saved, effects]
      })
      assert.strictEqual((yield* live())._tag, "Waits")
      const answers = { "Is it right?": { answer: "yes" } }
      assert.deepStrictEqual(gave(yield* live({ answers })), [items, items, items])
    }))

  it.effect("steps that a loop makes at once after something else are allowed", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(async ({ asEffect, pause, step }) => {
        await Memory.turns(5)
        const saved = await Promise.all([1, 2, 3].map((item) => step("save", () => Memory.turns(5).then(() => item))))
        await Memory.turns(5)
        const sent = await Promise.all(
          [4, 5, 6].map((item) => Effect.runPromise(asEffect.step("send", () => Memory.turns(5).then(() => item))))
        )
        await pause({ question: "Is it right?" })
        return [...saved, ...sent]
      })
      assert.strictEqual((yield* live())._tag, "Waits")
      const answers = { "Is it right?": { answer: "yes" } }
      assert.deepStrictEqual(gave(yield* live({ answers })), [1, 2, 3, 4, 5, 6])
    }))

  it.effect("a call may be made again when its equal one has ended", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(async ({ step }) => {
        const first = await step("charge", () => 1)
        await Memory.turns(3)
        return [first, await step("charge", () => 2)]
      })
      assert.deepStrictEqual(gave(yield* live()), [1, 2])
    }))
})

describe("the order of the ends", () => {
  const permutations = (items: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
    items.length === 0
      ? [[]]
      : items.flatMap((item) => permutations(items.filter((each) => each !== item)).map((rest) => [item, ...rest]))

  it.effect.each(permutations(["a", "b", "c", "d"]).map((order) => [order.join(""), order] as const))(
    "a repeated function gets the ends in their order: %s",
    ([, order]) =>
      Effect.gen(function*() {
        const seen: Array<ReadonlyArray<string>> = []
        const made = Memory.make(async ({ pause, step }) => {
          const got: Array<string> = []
          seen.push(got)
          const branches = ["a", "b", "c", "d"].map((name) =>
            step(name, () => Memory.turns(1 + 20 * order.indexOf(name))).then(() => got.push(name))
          )
          await Promise.all(branches)
          await pause({ question: "Is it right?" })
          return got
        })
        assert.strictEqual((yield* made.live())._tag, "Waits")
        assert.deepStrictEqual(gave(yield* made.live({ answers: { "Is it right?": { answer: "yes" } } })), order)
        assert.deepStrictEqual(seen, [order, order])
      })
  )

  it.effect("a race has the same winner when the function is repeated", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(async ({ pause, step }) => {
        const winner = await Promise.race([
          step("a", () => Memory.turns(40).then(() => "a")),
          step("b", () => Memory.turns(5).then(() => "b"))
        ])
        await Memory.turns(100)
        await pause({ question: "Use it?" })
        return step("use", () => `used ${winner}`)
      })
      assert.strictEqual((yield* live())._tag, "Waits")
      assert.strictEqual(gave(yield* live({ answers: { "Use it?": { answer: "yes" } } })), "used b")
    }))

  it.effect("a function with a thousand parallel calls is repeated", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(async ({ pause, step }) => {
        const all = await Promise.all(Array.from({ length: 990 }, (_, index) => step(`s${index}`, () => index)))
        await pause({ question: "Is it right?" })
        return all.length
      })
      assert.strictEqual((yield* live())._tag, "Waits")
      assert.strictEqual(gave(yield* live({ answers: { "Is it right?": { answer: "yes" } } })), 990)
    }))
})

describe("a durable call inside of a step", () => {
  it.effect.each<readonly [string, (durable: Durable) => UserCode.Returned<string>]>([
    ["at once", ({ pause }) => pause({ question: "Well?" })],
    ["after it has awaited something", async ({ pause }) => {
      await Memory.turns(5)
      return pause({ question: "Well?" })
    }],
    ["in an Effect", ({ asEffect: { pause } }) => Effect.delay(pause({ question: "Well?" }), 0)],
    [
      "in a fiber of an Effect",
      ({ pause }) =>
        Effect.raceFirst(Effect.never, Effect.promise(() => Memory.turns(5).then(() => pause({ question: "Well?" }))))
    ],
    [
      "in a promise of an Effect",
      ({ pause }) =>
        Effect.andThen(Effect.promise(() => Memory.turns(5)), Effect.promise(() => pause({ question: "Well?" })))
    ],
    ["in an Effect of a promise", async ({ asEffect: { pause } }) => {
      await Memory.turns(5)
      return Effect.runPromise(pause({ question: "Well?" }))
    }]
  ])("the call fails, instead of waiting for ever: %s", ([, f]) =>
    Effect.gen(function*() {
      const { live } = Memory.make((durable) => durable.step("outer", () => f(durable)))
      assert.match(messageOf(yield* live()), /pause\(\) inside of step 'outer'/)
    }))

  it.effect("calls beside the step, and after it, are allowed", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(async ({ asEffect, step }) => {
        const one = step("one", () => Memory.turns(20).then(() => 1)).then((one) => step("three", () => one + 2))
        const two = Memory.turns(5).then(() => step("two", () => 2))
        const four = Effect.runPromise(
          Effect.andThen(asEffect.step("a", () => Effect.sleep(0)), asEffect.step("b", () => 4))
        )
        return Promise.all([one, two, four])
      })
      const fiber = yield* Effect.forkChild(live(), { startImmediately: true })
      yield* Effect.promise(() => Memory.turns(100))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(gave(yield* Fiber.join(fiber)), [3, 2, 4])
    }))
})
