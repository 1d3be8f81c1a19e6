// Functions with durable calls: what a crash, a pause and an interruption repeat, and what they do not.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Durable } from "../../src/durable/Durable.ts"
import { ByteLimits, defaultByteLimits } from "../../src/limits/ByteLimits.ts"
import { OutcomeLost } from "../../src/tool/OutcomeLost.ts"
import type * as UserCode from "../../src/userCode/UserCode.ts"
import * as Memory from "./Memory.ts"

type Function = (durable: Durable) => UserCode.Returned<unknown>

const gave = (end: Memory.End): unknown => end._tag === "Gave" ? end.value : end

const messageOf = (end: Memory.End): string => end._tag === "Failed" ? end.error.message : JSON.stringify(end)

describe("a `once` step of unknown outcome", () => {
  const lostIn = (end: Memory.End) => end._tag === "Failed" ? end.error : undefined

  const cut = (f: Function) =>
    Effect.gen(function*() {
      const made = Memory.make(f)
      assert.strictEqual((yield* made.live({ after: 1 }))._tag, "Killed")
      return made
    })

  it.effect.each<readonly [string, (error: unknown) => unknown]>([
    ["lets its error pass", (error) => error],
    ["throws an error of its own", () => new Error("Booking failed")],
    ["throws something else", () => "no"]
  ])("the outcome is unknown for the run, also if the function %s", ([, other]) =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { live } = yield* cut(async ({ step }) => {
        try {
          return await step("charge", () => (done.push("charge"), "charged"))
        } catch (error) {
          throw other(error)
        }
      })
      const end = yield* live()
      assert.instanceOf(lostIn(end), OutcomeLost)
      assert.match(messageOf(end), /stopped while Tool 'work' did step 'charge': it is not known whether/)
      assert.deepStrictEqual(done, ["charge"])
      // only a person has it repeated
      for (const after of [0, Infinity]) yield* live({ after })
      assert.instanceOf(lostIn(yield* live()), OutcomeLost)
      assert.deepStrictEqual(done, ["charge"])
      assert.strictEqual(gave(yield* live({ isDecided: true })), "charged")
      assert.deepStrictEqual(done, ["charge", "charge"])
    }))

  it.effect("a service that stops after it has recorded the loss does not have the step repeated", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { kinds, live } = yield* cut(({ step }) => step("charge", () => done.push("charge")))
      for (let after = 0; after < 4; after++) yield* live({ after })
      assert.include(kinds(), "failed")
      assert.instanceOf(lostIn(yield* live()), OutcomeLost)
      assert.deepStrictEqual(done, ["charge"])
      // and not after the decision, either, if it is lost again
      yield* live({ isDecided: true, after: 2 })
      assert.deepStrictEqual(done, ["charge", "charge"])
      assert.instanceOf(lostIn(yield* live()), OutcomeLost)
      assert.deepStrictEqual(done, ["charge", "charge"])
    }))

  it.effect("a failure that interrupts a `once` step beside it makes its outcome unknown, and a retry does not wait", () =>
    Effect.gen(function*() {
      let isHanging = true
      const { live } = Memory.make(({ asEffect: { run, step } }) =>
        Effect.all([
          step("charge", () => isHanging ? Effect.never : Effect.succeed(1)),
          Effect.as(run(Memory.writer, "a"), 2)
        ], { concurrency: 2 })
      )
      const run = Memory.failingOnce("a")
      assert.strictEqual(messageOf(yield* live({ run })), "No a. It is not known whether step(charge) was done")
      isHanging = false
      assert.instanceOf(lostIn(yield* live({ run })), OutcomeLost)
      assert.deepStrictEqual(gave(yield* live({ run, isDecided: true })), [1, 2])
    }))

  it.effect("a time limit around a `once` step makes its outcome unknown", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(({ asEffect: { step } }) =>
        Effect.timeout(step("charge", () => Effect.never), "30 millis")
      )
      const ended = yield* Effect.forkChild(live())
      yield* TestClock.adjust("30 millis")
      assert.instanceOf(lostIn(yield* Fiber.join(ended)), OutcomeLost)
    }))

  it.effect("a function that has handled the unknown outcome fails like others, and the step is not repeated", () =>
    Effect.gen(function*() {
      let times = 0
      const { live } = yield* cut(async ({ run, step }) => {
        await step("charge", () => ++times).catch(() => "perhaps")
        await step("note", () => "noted")
        return run(Memory.writer, "a")
      })
      const run = Memory.failingOnce("a")
      assert.strictEqual(messageOf(yield* live({ run })), "No a")
      assert.deepInclude(gave(yield* live({ run })), { content: "a!" })
      assert.strictEqual(times, 1)
    }))

  it.effect("a function that handles the unknown outcome continues", () =>
    Effect.gen(function*() {
      let times = 0
      const { live } = yield* cut(async ({ step }) => {
        const charged = await step("charge", () => ++times).catch(() => "perhaps")
        return [charged, await step("note", () => "noted")]
      })
      assert.deepStrictEqual(gave(yield* live()), ["perhaps", "noted"])
      assert.deepStrictEqual(gave(yield* live()), ["perhaps", "noted"])
      assert.strictEqual(times, 1)
    }))
})

describe("a function that is left where it is", () => {
  it.effect("the function runs none of its code after that, and no call of it settles", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const { live } = Memory.make(async ({ pause, step }) => {
        const late = Memory.turns(100).then(() => step("late", () => 1)).then(
          () => seen.push("done"),
          () => seen.push("failed")
        )
        try {
          await pause({ question: "Well?" })
        } finally {
          seen.push("finally")
        }
        return late
      })
      assert.deepStrictEqual(yield* live(), { _tag: "Waits", for: ["Well?"] })
      yield* Effect.promise(() => Memory.turns(200))
      assert.deepStrictEqual(seen, [])
    }))

  it.effect("a function that is an Effect is interrupted, also when its finalizers make calls", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(({ asEffect: { pause, step } }) =>
        Effect.ensuring(pause({ question: "Well?" }), Effect.ignore(step("clean", () => 1)))
      )
      assert.strictEqual((yield* live())._tag, "Waits")
    }))
})

describe("a call without an await", () => {
  it.effect.each<readonly [string, Function, string]>([
    ["a pause", ({ pause }) => (void pause({ question: "Well?" }), "done"), "pause()"],
    [
      "a step",
      ({ step }) => (void step("charge", () => new Promise(() => {}), { effects: "read" }), 1),
      "step(charge)"
    ],
    ["an event", ({ waitFor }) => (void waitFor("paid"), 1), "waitFor(paid)"]
  ])("the function fails if the call is open at its end: %s", ([, f, name]) =>
    Effect.gen(function*() {
      const end = yield* Memory.make(f).live()
      assert.strictEqual(messageOf(end), `Tool 'work' has ended before its call ${name} has: await it`)
    }))

  it.effect("the function fails if the call has failed", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(async ({ step }) => {
        void step("broken", () => {
          throw new Error("No paper")
        })
        await Memory.turns(50)
        return "done"
      })
      assert.strictEqual(messageOf(yield* live()), "No paper")
    }))

  it.effect("the call does not hide the error that the function has thrown", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(async ({ run }) => {
        const first = run(Memory.writer, "a")
        const second = run(Memory.writer, "b")
        return [await first, await second]
      })
      assert.strictEqual(messageOf(yield* live({ run: Memory.failingOnce("a") })), "No a")
    }))

  /** Without the listeners of the test runner, which would report the rejection. */
  const alone = <A>(life: Effect.Effect<A>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const listeners = process.listeners("unhandledRejection")
        process.removeAllListeners("unhandledRejection")
        return listeners
      }),
      () => life,
      (listeners) =>
        Effect.sync(() => {
          process.removeAllListeners("unhandledRejection")
          for (const listener of listeners) process.on("unhandledRejection", listener)
        })
    )

  it.effect.each<readonly [string, (error: unknown) => unknown]>([
    ["its error", (error) => error],
    ["an error with it as its cause", (error) => new Error("No paper", { cause: error })]
  ])(
    "a branch without an await that throws %s fails the function, and does not end the process",
    ([, other]) =>
      Effect.gen(function*() {
        const { live } = Memory.make(async ({ step }) => {
          const branch = async () => {
            try {
              await step("broken", () => Promise.reject(new Error("No paper")))
            } catch (error) {
              throw other(error)
            }
          }
          void branch()
          await step("slow", () => Memory.turns(50), { effects: "read" })
          return "done"
        })
        // the service stops before it has recorded that the function has failed
        assert.strictEqual((yield* alone(live({ after: 3 })))._tag, "Killed")
        assert.strictEqual(messageOf(yield* alone(live())), "No paper")
      })
  )

  it.effect("a branch that makes a call after the end of the function does not end the process", () =>
    Effect.gen(function*() {
      let isLate = false
      const { live } = Memory.make(({ step }) => {
        const branch = async () => {
          await Memory.turns(20)
          isLate = true
          await step("late", () => 1)
        }
        void branch()
        return "done"
      })
      const after = Effect.promise(() => Memory.turns(100))
      assert.strictEqual(gave(yield* alone(Effect.tap(live(), () => after))), "done")
      assert.isTrue(isLate)
    }))

  it.effect("nothing is wrong if the call has ended well, or if a race was awaited", () =>
    Effect.gen(function*() {
      const { cancelled, live } = Memory.make(async ({ pause, run, step }) => {
        void step("note", () => 1)
        await Memory.turns(50)
        return Promise.race([pause({ question: "Well?" }), run(Memory.writer, "slow"), run(Memory.writer, "a")])
      })
      const run = (input: unknown) => input === "slow" ? Effect.never : Effect.succeed("first")
      assert.deepInclude(gave(yield* live({ run })), { content: "first" })
      assert.deepStrictEqual(cancelled, ["all: Tool 'work' has ended"])
    }))
})

describe("a call of an Effect that is interrupted", () => {
  const race: Function = ({ asEffect: { run, step } }) =>
    Effect.gen(function*() {
      const first = yield* Effect.raceFirst(run(Memory.writer, "slow"), run(Memory.writer, "a"))
      return [first.content, yield* step("note", () => "noted", { effects: "read" })]
    })
  const run = (input: unknown) => input === "slow" ? Effect.never : Effect.succeed("first")

  it.effect("the call is cancelled, and the function continues", () =>
    Effect.gen(function*() {
      const { cancelled, live } = Memory.make(race)
      assert.deepStrictEqual(gave(yield* live({ run })), ["first", "noted"])
      assert.deepStrictEqual(cancelled, ["$0: The call was interrupted"])
    }))

  it.effect("the call is interrupted at the same place when the function is repeated", () =>
    Effect.gen(function*() {
      for (let after = 0; after < 6; after++) {
        const { entries, live } = Memory.make(race)
        assert.strictEqual((yield* live({ run, after }))._tag, "Killed")
        // the slow run would win now
        assert.deepStrictEqual(
          gave(yield* live({ run: entries.length < 3 ? run : (input) => Effect.succeed(String(input)) })),
          ["first", "noted"],
          String(after)
        )
      }
    }))

  it.effect("nothing is left of a call that is interrupted before it has begun", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(({ asEffect: { generate, pause, run } }) =>
        Effect.gen(function*() {
          yield* Effect.raceFirst(run(Memory.writer, "slow"), Effect.void)
          return [yield* generate({ prompt: "a" }), yield* pause({ question: "Well?" })]
        })
      )
      assert.strictEqual((yield* live({ run }))._tag, "Waits")
      const answers = { "Well?": { answer: "yes" } }
      assert.deepStrictEqual(gave(yield* Memory.patiently(live({ run, answers }), "1 minute")), ["a", "yes"])
    }))

  it.effect("the call does not keep the function from waiting", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(({ asEffect: { pause, run } }) =>
        Effect.andThen(Effect.timeoutOption(run(Memory.writer, "slow"), "1 second"), pause({ question: "Well?" }))
      )
      assert.deepStrictEqual(yield* Memory.patiently(live({ run })), { _tag: "Waits", for: ["Well?"] })
      const answers = { "Well?": { answer: "yes" } }
      assert.strictEqual(gave(yield* Memory.patiently(live({ run, answers }))), "yes")
    }))

  /** Its first life races a call. The next one only makes the call that lost, which it has to interrupt. */
  const changing = (made: (durable: Durable) => Effect.Effect<unknown, unknown>) => {
    let times = 0
    return Memory.make((durable) => {
      const { run, waitFor } = durable.asEffect
      if (++times > 1) return made(durable)
      const raced = Effect.raceFirst(run(Memory.writer, "a"), waitFor("never"))
      return Effect.andThen(raced, durable.asEffect.pause({ question: "Well?" }))
    })
  }

  it.effect("a function that no longer makes the calls around it fails, and does not wait forever", () =>
    Effect.gen(function*() {
      const { live } = changing(({ asEffect: { waitFor } }) => waitFor("never"))
      const run = Memory.failingOnce()
      assert.strictEqual((yield* live({ run }))._tag, "Waits")
      assert.match(
        messageOf(yield* Memory.patiently(live({ run }), "1 minute")),
        /^Call 1 of Tool 'work' was run\(writer\) before/
      )
    }))

  it.effect("a function that no longer interrupts the call fails, and does not wait forever", () =>
    Effect.gen(function*() {
      const { live } = changing(({ asEffect: { run, waitFor } }) =>
        Effect.all([run(Memory.writer, "a"), waitFor("never")], { concurrency: 2 })
      )
      const run = Memory.failingOnce()
      assert.strictEqual((yield* live({ run }))._tag, "Waits")
      assert.match(messageOf(yield* Memory.patiently(live({ run }), "1 minute")), /waitFor\(never\)/)
    }))

  it.effect("a run that is cancelled stops a function that waits for the interruption", () =>
    Effect.gen(function*() {
      const { live } = changing(({ asEffect: { run, waitFor } }) =>
        Effect.all([run(Memory.writer, "a"), waitFor("never")], { concurrency: 2 })
      )
      const run = Memory.failingOnce()
      assert.strictEqual((yield* live({ run }))._tag, "Waits")
      const fiber = yield* Effect.forkChild(live({ run }), { startImmediately: true })
      yield* Effect.promise(() => Memory.turns(200))
      yield* Fiber.interrupt(fiber)
    }))
})

describe("parallel branches", () => {
  /** The turns that each branch waits before its own call. */
  const branches = (waits: () => readonly [number, number]): Function => async ({ run, step }) => {
    const [first, second] = waits()
    return Promise.all([
      run(Memory.writer, "a").then(async ({ content }) => {
        await Memory.turns(first)
        return step("after a", () => `${String(content)} then a`, { effects: "read" })
      }),
      run(Memory.writer, "b").then(async ({ content }) => {
        await Memory.turns(second)
        return step("after b", () => `${String(content)} then b`, { effects: "read" })
      })
    ])
  }

  it.effect("the branches may wait for other things, which end in another order when the function is repeated", () =>
    Effect.gen(function*() {
      const expected = ["a! then a", "b! then b"]
      for (let after = 0; after < 8; after++) {
        let times = 0
        const { live } = Memory.make(branches(() => ++times === 1 ? [20, 1] : [1, 20]))
        const run = Memory.failingOnce()
        assert.strictEqual((yield* live({ run, after }))._tag, "Killed")
        assert.deepStrictEqual(gave(yield* live({ run })), expected, String(after))
      }
    }))

  it.effect("a branch may do other things for as long as before, when the function is repeated", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(({ asEffect: { pause, step } }) =>
        Effect.gen(function*() {
          const slow = Effect.gen(function*() {
            yield* step("a1", () => 1)
            yield* Effect.sleep("95 seconds")
            return yield* step("a2", () => "a2")
          })
          const other = step("b1", () => Effect.as(Effect.sleep("96 seconds"), "b1"), { effects: "read" })
          const both = yield* Effect.all([slow, other], { concurrency: 2 })
          return [...both, yield* pause({ question: "Is it right?" })]
        })
      )
      const lasting = Effect.fnUntraced(function*(life: Effect.Effect<Memory.End>) {
        const fiber = yield* Effect.forkChild(life, { startImmediately: true })
        for (let time = 0; time < 100; time += 5) {
          yield* Effect.promise(() => Memory.turns(30))
          yield* TestClock.adjust("5 seconds")
        }
        yield* Effect.promise(() => Memory.turns(30))
        return yield* Fiber.join(fiber)
      })
      assert.strictEqual((yield* lasting(live()))._tag, "Waits")
      const answers = { "Is it right?": { answer: "yes" } }
      assert.deepStrictEqual(gave(yield* lasting(live({ answers }))), ["a2", "b1", "yes"])
    }))

  it.effect("a function that makes another call fails, and does not make it", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      let times = 0
      const { live } = Memory.make(({ step }) => {
        const name = ++times === 1 ? "a" : "b"
        return step(name, () => done.push(name))
      })
      assert.strictEqual((yield* live({ after: 1 }))._tag, "Killed")
      const end = yield* Memory.patiently(live())
      assert.match(messageOf(end), /^Call 1 of Tool 'work' was step\(a\) before, and is step\(b\) now/)
      assert.match(messageOf(end), /It is not known whether step\(a\) was done$/)
      assert.deepStrictEqual(done, ["a"])
    }))

  it.effect("a function that waits for something else than its calls does not hang", () =>
    Effect.gen(function*() {
      let times = 0
      const { live } = Memory.make(async ({ generate }) => {
        const first = generate({ prompt: "a" })
        const second = ++times === 1 ? generate({ prompt: "b" }) : first.then(() => generate({ prompt: "b" }))
        return Promise.all([first, second])
      })
      assert.strictEqual((yield* live({ after: 3 }))._tag, "Killed")
      assert.match(
        messageOf(yield* Memory.patiently(live())),
        /^Call 2 of Tool 'work' was generate\(\) before, and is not made now/
      )
    }))
})

describe("a repeated function that changes while a call is performed", () => {
  it.effect("the function fails, although the end of the performed call has to wait", () =>
    Effect.gen(function*() {
      let times = 0
      const { entries, live } = Memory.make(async ({ generate, step }) => {
        const isRepeated = ++times > 1
        const open = step("open", () => isRepeated ? 1 : new Promise(() => {}), { effects: "read" })
        const first = generate({ prompt: "a" })
        return Promise.all([
          open,
          first,
          isRepeated
            ? open.then(() => generate({ prompt: "b" }))
            : generate({ prompt: "b" })
        ])
      })
      assert.strictEqual((yield* live({ after: 4 }))._tag, "Killed")
      assert.strictEqual(entries.length, 4)
      assert.match(
        messageOf(yield* Memory.patiently(live(), "1 minute")),
        /was generate\(\) before, and is not made now/
      )
    }))
})

describe("what a function may keep", () => {
  it.effect("a function that makes too many calls fails, also if it ignores that", () =>
    Effect.gen(function*() {
      const { entries, live } = Memory.make(async ({ step }) => {
        for (;;) await step("again", () => 1).catch(() => undefined)
      })
      assert.match(messageOf(yield* live()), /^Tool 'work' makes more than 1000 durable calls/)
      assert.strictEqual(entries.length, 2000)
    }))

  it.effect("a function whose calls give too many bytes together fails, also if it ignores that", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(async ({ step }) => {
        for (;;) await step("again", () => "x".repeat(60)).catch(() => undefined)
      })
      const limited = Effect.provideService(live(), ByteLimits, { ...defaultByteLimits, output: 1000 })
      assert.match(
        messageOf(yield* limited),
        /what the durable calls of Tool 'work' give together is larger than 1000 bytes \(OUTPUT_MAX_BYTES\)/
      )
    }))

  it.effect("another schema of an event is another call", () =>
    Effect.gen(function*() {
      let times = 0
      const schema = () => ({ type: "object", properties: { [`field ${++times}`]: { type: "string" } } })
      const { live } = Memory.make(({ waitFor }) => waitFor("paid", { schema: schema() }))
      assert.strictEqual((yield* live())._tag, "Waits")
      assert.match(
        messageOf(yield* Memory.patiently(live())),
        /^Call 1 of Tool 'work' was waitFor\(paid\) before, and has another input/
      )
    }))
})
