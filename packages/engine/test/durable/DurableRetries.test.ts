// What a retry of a function with durable calls makes again: by itself, and after the decision of a person.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Durable } from "../../src/durable/Durable.ts"
import { ByteLimits, defaultByteLimits } from "../../src/limits/ByteLimits.ts"
import { OutcomeLost } from "../../src/tool/OutcomeLost.ts"
import * as Memory from "./Memory.ts"

const gave = (end: Memory.End): unknown => end._tag === "Gave" ? end.value : end

const messageOf = (end: Memory.End): string => end._tag === "Failed" ? end.error.message : JSON.stringify(end)

describe("a retry of a function", () => {
  it.effect("a retry makes the failed call again, and nothing that has ended well", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { live } = Memory.make(async ({ run, step }) => {
        await step("one", ({ effectId }) => (done.push(effectId), 1))
        const [{ content }] = await Promise.all([
          run(Memory.writer, "a"),
          step("two", ({ effectId }) => (done.push(effectId), 2))
        ])
        return content
      })
      const run = Memory.failingOnce("a")
      assert.strictEqual(messageOf(yield* live({ run })), "No a")
      assert.strictEqual(gave(yield* live({ run })), "a!")
      assert.strictEqual(done.length, 2)
    }))

  it.effect("a retry keeps a failure that was handled, and what the function did after it", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const step = (durable: Durable, name: string) => durable.step(name, () => (done.push(name), name))
      const { live } = Memory.make(async (durable) => {
        const first = await durable.run(Memory.writer, "a").then(({ content }) => content, () => "handled")
        const second = await step(durable, "after")
        const { content } = await durable.run(Memory.writer, "b")
        return [first, second, content]
      })
      const run = Memory.failingOnce("a", "b")
      assert.strictEqual(messageOf(yield* live({ run })), "No b")
      assert.deepStrictEqual(gave(yield* live({ run })), ["handled", "after", "b!"])
      assert.deepStrictEqual(done, ["after"])
    }))

  it.effect("a retry keeps the failures that it has not come to", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      let times = 0
      const { live } = Memory.make(async ({ run, step }) => {
        const slow = run(Memory.writer, "a").then(({ content }) => content, () => "handled")
        if (++times === 2) throw new Error("Too early")
        return [await slow, await step("after", () => (done.push("after"), "after")), await run(Memory.writer, "b")]
      })
      const run = Memory.failingOnce("a", "b")
      assert.strictEqual(messageOf(yield* live({ run })), "No b")
      assert.strictEqual(messageOf(yield* live({ run })), "Too early")
      assert.deepStrictEqual(gave(yield* live({ run })), ["handled", "after", { runId: "run $2.1", content: "b!" }])
      assert.deepStrictEqual(done, ["after"])
    }))

  it.effect("a retry repeats nothing when the function has thrown by itself", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      let times = 0
      const { live } = Memory.make(async ({ step }) => {
        await step("charge", () => (done.push("charge"), 1))
        if (++times === 1) throw new Error("Not yet")
        return step("print", () => (done.push("print"), 2))
      })
      assert.strictEqual(messageOf(yield* live()), "Not yet")
      assert.strictEqual(gave(yield* live()), 2)
      assert.deepStrictEqual(done, ["charge", "print"])
    }))

  it.effect.each<readonly ["once" | "idempotent" | "read", number]>([["once", 2], ["idempotent", 1], ["read", 1]])(
    "a retry makes a failed step with effects: %s again, with %i keys",
    ([effects, keys]) =>
      Effect.gen(function*() {
        const seen: Array<string> = []
        const { live } = Memory.make(({ step }) =>
          step("print", ({ effectId }) => {
            if (seen.push(effectId) === 1) throw new Error("No paper")
            return "printed"
          }, { effects })
        )
        assert.strictEqual(messageOf(yield* live()), "No paper")
        assert.strictEqual(gave(yield* live()), "printed")
        assert.strictEqual(new Set(seen).size, keys)
      })
  )

  it.effect("a retry makes the failed one of equal parallel steps again, and not another one", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      let isFirst = true
      const { live } = Memory.make(({ step }) =>
        Promise.all(["a", "b", "c"].map((item) =>
          step("save", () => {
            if (item === "b" && isFirst) {
              isFirst = false
              throw new Error("No b")
            }
            done.push(item)
            return item
          })
        ))
      )
      assert.strictEqual(messageOf(yield* live()), "No b")
      assert.deepStrictEqual(gave(yield* live()), ["a", "b", "c"])
      assert.deepStrictEqual(done, ["a", "c", "b"])
    }))

  it.effect("a retry repeats an open idempotent step with its key", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const { live } = Memory.make(({ run, step }) =>
        Promise.all([
          step("print", ({ effectId, signal }) => {
            if (seen.push(effectId) > 1) return "printed"
            return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("Aborted"))))
          }, { effects: "idempotent" }),
          run(Memory.writer, "a").then(({ content }) => content)
        ])
      )
      const run = Memory.failingOnce("a")
      assert.strictEqual(messageOf(yield* live({ run })), "No a")
      assert.deepStrictEqual(gave(yield* live({ run })), ["printed", "a!"])
      assert.strictEqual(new Set(seen).size, 1)
    }))

  it.effect("an open `once` step that ignores its signal has an unknown outcome", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(({ run, step }) =>
        Promise.all([step("charge", () => new Promise(() => {})), run(Memory.writer, "a")])
      )
      const end = yield* Memory.patiently(live({ run: Memory.failingOnce("a") }))
      assert.strictEqual(messageOf(end), "No a. It is not known whether step(charge) was done")
    }))

  it.effect("an open `once` step that is an Effect is interrupted, and has an unknown outcome", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(({ run, step }) =>
        Promise.all([step("charge", () => Effect.never), run(Memory.writer, "a")])
      )
      const end = yield* live({ run: Memory.failingOnce("a") })
      assert.match(messageOf(end), /^Its function ended while Tool 'work' did step 'charge': it is not known/)
    }))

  it.effect("a retry makes an open run again, and the function waits for an open `once` step", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { cancelled, live } = Memory.make(({ run, step }) =>
        Promise.all([
          run(Memory.writer, "slow"),
          step("charge", async ({ signal }) => {
            await new Promise((resolve) => signal.addEventListener("abort", resolve))
            await Memory.turns(5)
            done.push("charge")
            return 1
          }),
          run(Memory.writer, "a")
        ])
      )
      const failing = Memory.failingOnce("a")
      let isSlow = true
      const run = (input: unknown) => input === "slow" && isSlow ? Effect.never : failing(input)
      assert.strictEqual(messageOf(yield* live({ run })), "No a")
      assert.deepStrictEqual(cancelled, ["all: Tool 'work' has ended"])
      isSlow = false
      const again = yield* live({ run })
      assert.deepStrictEqual((gave(again) as ReadonlyArray<unknown>)[0], { runId: "run $0.1", content: "slow!" })
      assert.deepStrictEqual(done, ["charge"])
    }))
})

describe("a retry that a person decides", () => {
  const failing = (name: string, done: Array<string>) => () => {
    if (done.push(name) > 0 && done.filter((each) => each === name).length === 1) throw new Error(`No ${name}`)
    return name
  }

  it.effect("the failed call is made again, and what the function did after its failure is done again", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { live } = Memory.make(async ({ step }) => {
        await step("before", () => done.push("before"))
        try {
          return await step("charge", failing("charge", done))
        } finally {
          await step("clean", () => done.push("clean"))
        }
      })
      assert.strictEqual(messageOf(yield* live()), "No charge")
      // a retry without a person does nothing twice
      assert.strictEqual(messageOf(yield* live()), "No charge")
      assert.deepStrictEqual(done, ["before", "charge", "clean"])
      assert.strictEqual(gave(yield* live({ decisions: 1 })), "charge")
      assert.deepStrictEqual(done, ["before", "charge", "clean", "charge", "clean"])
      assert.strictEqual(gave(yield* live({ decisions: 1 })), "charge")
      assert.deepStrictEqual(done, ["before", "charge", "clean", "charge", "clean"])
    }))

  it.effect("a step of unknown outcome is made again, although the function made another call after it", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { live } = Memory.make(async ({ step }) => {
        try {
          return await step("charge", () => (done.push("charge"), "charged"))
        } finally {
          await step("clean", () => done.push("clean"))
        }
      })
      assert.strictEqual((yield* live({ after: 1 }))._tag, "Killed")
      const lost = yield* live()
      assert.match(messageOf(lost), /A retry also repeats what the function did after that: step\(clean\)$/)
      assert.deepStrictEqual(done, ["charge", "clean"])
      assert.match(messageOf(yield* live()), /it is not known whether/)
      assert.deepStrictEqual(done, ["charge", "clean"])
      assert.strictEqual(gave(yield* live({ isDecided: true })), "charged")
      assert.deepStrictEqual(done, ["charge", "clean", "charge", "clean"])
    }))

  it.effect("the message names all `once` steps of unknown outcome that a retry makes again", () =>
    Effect.gen(function*() {
      const names = Array.from({ length: 12 }, (_, index) => `pay ${index}`)
      const { live } = Memory.make(({ step }) =>
        Promise.all(names.map((name) => step(name, () => Memory.turns(20).then(() => name))))
      )
      assert.strictEqual((yield* live({ after: 12 }))._tag, "Killed")
      const message = messageOf(yield* live())
      assert.match(
        message,
        /did step 'pay 0': it is not known whether that was done\. Nor is it known of step\(pay 1\), /
      )
      assert.match(message, /step\(pay 10\) and 1 more$/)
      assert.deepStrictEqual(gave(yield* live({ isDecided: true })), names)
    }))

  it.effect("calls that were open when the call failed are kept, and those after its failure are not needed", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { live } = Memory.make(async ({ step }) => {
        const slow = step("slow", () => Memory.turns(50).then(() => done.push("slow")))
        try {
          const charged = await step("charge", failing("charge", done))
          return [charged, await slow]
        } catch (error) {
          await slow
          await step("note", () => done.push("note"))
          throw new Error("Not paid", { cause: error })
        }
      })
      assert.strictEqual(messageOf(yield* live()), "Not paid")
      assert.deepStrictEqual(gave(yield* live({ decisions: 1 })), ["charge", 2])
      assert.deepStrictEqual(done, ["charge", "slow", "note", "charge"])
    }))

  it.effect("a failure that the function has handled stays, if another one has ended it", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { live } = Memory.make(async ({ step }) => {
        const first = await step("look", failing("look", done)).catch(() => "handled")
        try {
          return [first, await step("charge", failing("charge", done))]
        } finally {
          await step("clean", () => done.push("clean"))
        }
      })
      assert.strictEqual(messageOf(yield* live()), "No charge")
      assert.deepStrictEqual(gave(yield* live({ decisions: 1 })), ["handled", "charge"])
      assert.deepStrictEqual(done, ["look", "charge", "clean", "charge", "clean"])
    }))

  it.effect("an idempotent step that is done again has the same key", () =>
    Effect.gen(function*() {
      const keys: Array<string> = []
      const done: Array<string> = []
      const { live } = Memory.make(async ({ step }) => {
        try {
          return await step("charge", failing("charge", done))
        } finally {
          for (let index = 0; index < 2; index++) {
            await step("mail", ({ effectId }) => keys.push(effectId), { effects: "idempotent" })
          }
        }
      })
      assert.strictEqual(messageOf(yield* live()), "No charge")
      assert.strictEqual(gave(yield* live({ decisions: 1 })), "charge")
      assert.deepStrictEqual(keys.slice(2), keys.slice(0, 2))
      assert.strictEqual(new Set(keys).size, 2)
    }))

  it.effect("the service may stop anywhere in the retry: its idempotent steps keep their keys", () =>
    Effect.gen(function*() {
      for (let after = 0; after < 7; after++) {
        const done: Array<string> = []
        const keys = new Set<string>()
        const { live } = Memory.make(async ({ step }) => {
          const charge = failing("charge", done)
          try {
            return await step("charge", ({ effectId }) => (keys.add(effectId), charge()), { effects: "idempotent" })
          } finally {
            await step("clean", ({ effectId }) => void keys.add(effectId), { effects: "idempotent" })
          }
        })
        assert.strictEqual(messageOf(yield* live()), "No charge")
        yield* live({ decisions: 1, after })
        assert.strictEqual(gave(yield* live({ decisions: 1 })), "charge", String(after))
        assert.strictEqual(keys.size, 2, String(after))
      }
    }))
})

describe("a call that was made, and whose result cannot be kept", () => {
  const within = (output: number) => <A>(life: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.provideService(life, ByteLimits, { ...defaultByteLimits, output })

  const cyclic = () => {
    const list: Array<unknown> = []
    list.push(list)
    return list
  }

  class Order {
    readonly id = 1
    toJSON() {
      return undefined
    }
  }

  it.effect.each<readonly [string, () => unknown]>([
    ["a bigint", () => 1n],
    ["a date", () => new Date(0)],
    ["a cycle", cyclic],
    ["a value whose JSON is nothing", () => new Order()],
    ["a long text", () => "x".repeat(3500)],
    ["a text that is too long with what is kept", () => "x".repeat(2000)]
  ])(
    "a `once` step is not done again by a retry, also not by that of a person: %s",
    ([, result]) =>
      Effect.gen(function*() {
        const done: Array<string> = []
        const { live } = Memory.make(async ({ step }) => {
          await step("first", () => "x".repeat(1500), { effects: "read" })
          try {
            return await step("charge", () => (done.push("charge"), result() as object))
          } finally {
            await step("clean", () => 1)
          }
        })
        for (const decisions of [0, 0, 1, 2]) {
          const message = messageOf(yield* within(3000)(live({ decisions })))
          assert.match(message, /^step\(charge\) was done, but its result cannot be kept: .* It is not done again/)
          assert.deepStrictEqual(done, ["charge"])
        }
      })
  )

  it.effect("a function that handles the failure continues, when it is repeated", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { live } = Memory.make(async ({ run, step }) => {
        const charged = await step("charge", () => (done.push("charge"), new Date(0))).catch(({ kind }) => String(kind))
        const { content } = await run(Memory.writer, "a")
        return [charged, content]
      })
      const run = Memory.failingOnce("a")
      assert.strictEqual(messageOf(yield* live({ run })), "No a")
      assert.deepStrictEqual(gave(yield* live({ run })), ["NotKept", "a!"])
      assert.deepStrictEqual(done, ["charge"])
    }))

  it.effect.each(["Interrupted", "OutcomeLost", "NotKept"])(
    "an error of a step is like others when its name is one of the journal: %s",
    (name) =>
      Effect.gen(function*() {
        let times = 0
        const { live } = Memory.make(({ step }) =>
          step("charge", () => {
            if (++times === 1) throw Object.assign(new Error("No money"), { name })
            return times
          })
        )
        assert.strictEqual(messageOf(yield* live()), "No money")
        assert.strictEqual(gave(yield* live()), 2)
      })
  )

  it.effect("an idempotent step is done again with its key", () =>
    Effect.gen(function*() {
      const keys: Array<string> = []
      const { live } = Memory.make(({ step }) =>
        step("mail", ({ effectId }) => keys.push(effectId) === 1 ? new Date(0) : { at: 0 }, { effects: "idempotent" })
      )
      assert.match(
        messageOf(yield* live()),
        /^step\(mail\) was done, but its result cannot be kept: it is an object of the class Date/
      )
      assert.deepStrictEqual(gave(yield* live()), { at: 0 })
      assert.strictEqual(new Set(keys).size, 1)
      assert.strictEqual(keys.length, 2)
    }))

  it.effect("a run is not made as another run", () =>
    Effect.gen(function*() {
      const { live } = Memory.make(({ run }) => run(Memory.writer, "a"))
      const run = () => Effect.succeed("x".repeat(3500))
      assert.match(
        messageOf(yield* within(3000)(live({ run }))),
        /^run\(writer\) was done, but its result cannot be kept/
      )
      // the host has its result
      assert.deepInclude(gave(yield* live({ run })), { runId: "run $0" })
    }))

  it.effect("a `once` step of unknown outcome stays so when its failure is too long to be kept", () =>
    Effect.gen(function*() {
      const done: Array<string> = []
      const { live } = Memory.make(({ step }) => step("charge", () => done.push("charge")))
      assert.strictEqual((yield* live({ after: 1 }))._tag, "Killed")
      for (let times = 0; times < 2; times++) {
        const end = yield* within(10)(live())
        assert.instanceOf(end._tag === "Failed" ? end.error : undefined, OutcomeLost)
      }
      assert.deepStrictEqual(done, ["charge"])
    }))
})
