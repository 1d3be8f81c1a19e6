// For any requests of a model and any behaviour of tools, the loop reaches its answer, and every call is answered once.
import { assert, describe, it } from "@effect/vitest"
import * as Run from "@svc-runtime/domain/Run"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { finish, reasoning, text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { z } from "zod"
import { linesOf, run } from "./Harness.ts"

const cyclic: Record<string, unknown> = {}
cyclic["self"] = cyclic

const behaviours: Record<string, () => unknown> = {
  value: () => ({ a: [1, "two", null] }),
  nothing: () => undefined,
  promise: () => Promise.resolve("later"),
  effect: () => Effect.andThen(Effect.yieldNow, Effect.succeed("effect")),
  throws: () => {
    throw new Error("thrown")
  },
  rejects: () => Promise.reject({ message: 5 }),
  dies: () => Effect.die("dead"),
  interrupts: () => Effect.interrupt,
  cyclic: () => cyclic,
  large: () => 12n,
  stubborn: () => ({ toJSON: () => assert.fail("no") })
}

const tools = [
  ...Object.entries(behaviours).map(([name, execute]) => Tool.make({ name, execute })),
  Tool.make({
    name: "strict",
    parameters: z.object({ a: z.number(), b: z.array(z.string()) }),
    execute: ({ a, b }) => `${a} ${b.join()}`
  }),
  Tool.make({
    name: "decoding",
    parameters: Schema.Struct({ at: Schema.DateTimeUtcFromString }),
    execute: ({ at }) => at.epochMilliseconds
  })
]

const Call = Schema.Struct({
  name: Schema.Literals(["unknown", ...tools.map(({ name }) => name)]),
  params: Schema.Union([
    Schema.String,
    Schema.Finite,
    Schema.Null,
    Schema.Array(Schema.String),
    Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null])),
    Schema.Struct({ a: Schema.Finite, b: Schema.Array(Schema.String) }),
    Schema.Struct({ a: Schema.Finite, b: Schema.Array(Schema.String) }).pipe(Schema.fromJsonString, Schema.toEncoded)
  ])
})

const Turns = Schema.Array(Schema.Array(Call).check(Schema.isMinLength(1), Schema.isMaxLength(4))).check(
  Schema.isMaxLength(4)
)

const isOutput = Schema.is(Run.Output)

describe("the loop", () => {
  it.effect.prop(
    "the loop reaches its answer, and answers every call once and in order",
    [Turns, Schema.Boolean],
    ([turns, stream]) =>
      Effect.gen(function*() {
        let id = 0
        const script = turns.map((calls) => calls.map(({ name, params }) => toolCall(name, params, `id-${id++}`)))
        const { output } = yield* run({ tools }, [...script, [text("Done")]], { stream })
        assert.strictEqual(output.status, "COMPLETED")
        assert.strictEqual(output.content, "Done")
        const answered = output.messages?.flatMap(({ tool_call_id }) => tool_call_id ?? [])
        assert.deepStrictEqual(answered, Array.from({ length: id }, (_, index) => `id-${index}`))
        assert.isTrue(output.tools?.every(({ result }) => typeof result === "string") ?? true)
        assert.isTrue(isOutput(JSON.parse(JSON.stringify(output))))
      }),
    { arbitrary: { runs: Tier.size(30, 100), seed: Seed.seed } }
  )

  it.effect.prop(
    "the loop stays within its limit of tool calls",
    [Turns, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))],
    ([turns, toolCallLimit]) =>
      Effect.gen(function*() {
        const script = turns.map((calls) => calls.map(({ name, params }) => toolCall(name, params)))
        const ran = yield* run({ tools, toolCallLimit }, [...script, [text("Done")]])
        assert.strictEqual(ran.output.status, "COMPLETED")
        assert.isAtMost(ran.output.tools?.length ?? 0, toolCallLimit)
        for (const call of ran.calls) {
          const results = linesOf(call).filter((line) => line.startsWith("tool: ")).length
          assert.strictEqual(call.toolChoice, results >= toolCallLimit ? "none" : "auto")
        }
      }),
    { arbitrary: { runs: Tier.size(30, 100), seed: Seed.seed } }
  )
})

describe("a call of a tool that its provider could not read", () => {
  const unreadable = finish("error", { unreadable_call: true })
  const look = Tool.make({ name: "look", execute: () => "it" })

  it.effect("the model gets a message to write it again, and the words are not part of the run", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [look] }, [[unreadable], [toolCall("look")], [text("found")]])
      assert.deepStrictEqual([ran.output.status, ran.output.content], ["COMPLETED", "found"])
      const [message] = linesOf(ran.calls[1]).slice(-1)
      for (const word of ["user: ", "could not be read", "JSON", "again"]) assert.include(message, word)
      assert.notInclude(linesOf(ran.calls[2]).join(), "could not be read")
      assert.deepStrictEqual(ran.output.messages?.map(({ role }) => role).filter((role) => role !== "system"), [
        "user",
        "assistant",
        "tool",
        "assistant"
      ])
    }))

  it.effect("what the model has written before it stays, and is there once", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [look] }, [[text("I look. "), unreadable], [text("Found.")]])
      assert.deepStrictEqual([ran.output.status, ran.output.content], ["COMPLETED", "I look. Found."])
      assert.include(linesOf(ran.calls[1]).join("\n"), "assistant: I look.")
    }))

  it.effect("a run whose calls cannot be read again and again fails with this reason", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [look] }, Array.from({ length: 10 }, () => [unreadable]))
      assert.strictEqual(ran.output.status, "ERROR")
      assert.include(ran.output.content, "could not be read")
      assert.lengthOf(ran.calls, 3)
    }))
})

describe("an answer that its provider pauses", () => {
  it.effect("the provider gets it back and continues it, and the answer has all parts", () =>
    Effect.gen(function*() {
      const ran = yield* run({}, [
        [text("One, "), finish("pause")],
        [reasoning("hm"), finish("pause")],
        [text("two")]
      ])
      assert.deepStrictEqual([ran.output.status, ran.output.content], ["COMPLETED", "One, two"])
      assert.strictEqual(ran.calls.length, 3)
      assert.deepStrictEqual(linesOf(ran.calls[1]).slice(1), ["assistant: One, "])
      const resumed = yield* run({}, [[text("two")]], { journaled: ran.journal })
      assert.strictEqual(resumed.output.content, "One, two")
      assert.strictEqual(resumed.calls.length, 1)
    }))

  it.effect("an answer after calls begins at the calls", () =>
    Effect.gen(function*() {
      const look = Tool.make({ name: "look", execute: () => "it" })
      const ran = yield* run({ tools: [look] }, [
        [text("Wait. "), toolCall("look")],
        [text("One, "), finish("pause")],
        [text("two")]
      ])
      assert.strictEqual(ran.output.content, "One, two")
    }))
})
