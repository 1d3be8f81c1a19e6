// What hooks cannot do: change what they are given without saying so, or give what is larger than the limits.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import { ByteLimits, defaultByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import type * as Hook from "../../src/agent/define/Hook.ts"
import { change } from "../../src/agent/define/Hook.ts"
import { eventsOf, run } from "./Harness.ts"

const hook = (functions: Omit<Hook.RunHook, "name">): ReadonlyArray<Hook.RunHook> => [{ name: "guard", ...functions }]

const limited = <A, E, R>(running: Effect.Effect<A, E, R>) =>
  Effect.provideService(running, ByteLimits, { ...defaultByteLimits, toolResult: 100, output: 100 })

const large = "x".repeat(5000)

const look = (given: Array<Json.Value> = []) =>
  Tool.make({
    name: "look",
    parameters: { type: "object", additionalProperties: true },
    effects: "read",
    stopAfterCall: true,
    execute: (args: Json.Object) => {
      given.push(args)
      return "The code is Ada"
    }
  })

describe("limits of hooks", () => {
  it.effect("what a hook changes in place does not reach the run", () =>
    Effect.gen(function*() {
      const given: Array<Json.Value> = []
      const spoil = (value: Json.Value) => {
        Object.assign(Object(value), { at: "spoiled" })
      }
      const hooks = hook({
        beforeRun: ({ input }) => spoil(input.input_content),
        beforeTool: ({ args }) => spoil(args)
      })
      const turns = [[toolCall("look", { at: "the gate" })]]
      const ran = yield* run({ hooks, tools: [look(given)] }, turns, { input: { input_content: { at: "home" } } })
      assert.deepStrictEqual(given, [{ at: "the gate" }])
      assert.deepStrictEqual(ran.output.input, { input_content: { at: "home" } })
    }))

  it.effect("a changed result is cut as results are", () =>
    Effect.gen(function*() {
      const hooks = hook({ afterTool: () => change(large) })
      const ran = yield* limited(run({ hooks, tools: [look()] }, [[toolCall("look", {})]]))
      assert.include(ran.output.tools?.[0]?.result, "cut after 100 of 5000 bytes")
    }))

  for (
    const [stage, functions] of Object.entries(
      {
        beforeRun: { beforeRun: () => change(large) },
        beforeModel: { beforeModel: () => ({ _tag: "Answered", value: large, reason: undefined }) },
        afterModel: { afterModel: () => change({ text: large }) },
        afterRun: { afterRun: () => change(large) }
      } satisfies Record<string, Omit<Hook.RunHook, "name">>
    )
  ) {
    it.effect(`a value of ${stage} that is larger than the limit of answers ends the run`, () =>
      Effect.gen(function*() {
        const ran = yield* limited(run({ hooks: hook(functions) }, [[text("Fine")]]))
        assert.strictEqual(ran.output.status, "ERROR")
        assert.include(ran.output.content, "larger than 100 bytes (OUTPUT_MAX_BYTES)")
      }))
  }

  it.effect("the result that is the answer is shown once, when the hooks have passed it", () =>
    Effect.gen(function*() {
      const hooks = hook({ afterRun: ({ content }) => change(String(content).replace("Ada", "***")) })
      const ran = yield* run({ hooks, tools: [look()] }, [[toolCall("look", {})]])
      assert.strictEqual(ran.output.content, "The code is ***")
      assert.deepStrictEqual(eventsOf(ran, "RunContent").map(({ content }) => content), ["The code is ***"])
    }))
})
