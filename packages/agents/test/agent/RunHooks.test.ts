// Hooks that change, answer or reject: what the model, the journal, the events and the run have of it.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import * as Hook from "../../src/agent/define/Hook.ts"
import { eventsOf, linesOf, run } from "./Harness.ts"
import { asks, hook, look, masked, reject } from "./Hooking.ts"

describe("hooks that change a run", () => {
  it.effect("the model gets the input as the hooks have left it, and the run keeps the input of the caller", () =>
    Effect.gen(function*() {
      const hooks = [
        ...hook({ beforeRun: ({ input }) => Hook.change(masked(String(input.input_content)), "a code") }),
        {
          name: "loud",
          beforeRun: ({ input }) => Hook.change(`${String(input.input_content)}!`)
        } satisfies Hook.RunHook
      ]
      const ran = yield* run({ hooks }, [[text("Yes")]], { input: { input_content: "Is it Ada" } })
      assert.include(linesOf(ran.calls[0]), "user: Is it ***!")
      assert.deepStrictEqual(ran.output.input, { input_content: "Is it Ada" })
      assert.deepStrictEqual(eventsOf(ran, "HookApplied").map(({ action, reason, stage }) => [stage, action, reason]), [
        ["before_run", "changed", "a code"],
        ["before_run", "changed", undefined]
      ])
      assert.deepInclude(ran.journal[0], { kind: "hooked", input: "Is it ***!" })
    }))

  it.effect("a resumed run uses the input that the hooks had changed, and does not call them again", () =>
    Effect.gen(function*() {
      const hooks = hook({ beforeRun: () => assert.fail("called") })
      const ran = yield* run({ hooks }, [[text("Yes")]], { journaled: [{ kind: "hooked", input: "changed" }] })
      assert.include(linesOf(ran.calls[0]), "user: changed")
    }))

  it.effect("a hook can answer the run, and the model gets no request", () =>
    Effect.gen(function*() {
      const ran = yield* run({ hooks: hook({ beforeRun: () => Hook.answer("Closed today") }) }, [])
      assert.strictEqual(ran.output.content, "Closed today")
      assert.strictEqual(ran.output.status, "COMPLETED")
      assert.strictEqual(ran.calls.length, 0)
      assert.deepStrictEqual(eventsOf(ran, "RunContent").map(({ content }) => content), [])
      assert.deepStrictEqual(ran.output.messages?.map(({ content, role }) => [role, content]), [
        ["user", "Hi"],
        ["assistant", "Closed today"]
      ])
    }))

  it.effect("the answer is shown once, as the hooks of the end have left it", () =>
    Effect.gen(function*() {
      const hooks = hook({ afterRun: ({ content }) => Hook.change(masked(String(content))) })
      const ran = yield* run({ hooks }, [[text("It is"), text(" Ada")]])
      assert.strictEqual(ran.output.content, "It is ***")
      assert.deepStrictEqual(eventsOf(ran, "RunContent").map(({ content }) => content), ["It is ***"])
      assert.strictEqual(ran.output.messages?.at(-1)?.content, "It is ***")
      assert.notInclude(JSON.stringify([ran.events, ran.output]), "Ada")
    }))

  it.effect("an answer that a hook of the end rejects, or fails with, is not stored", () =>
    Effect.gen(function*() {
      for (const afterRun of [reject, () => Promise.reject(new Error("broken"))]) {
        const ran = yield* run({ hooks: hook({ afterRun }) }, [[text("It is Ada")]])
        assert.strictEqual(ran.output.status, "ERROR")
        assert.deepStrictEqual(ran.output.messages?.map(({ role }) => role), ["user", "assistant"])
        assert.notInclude(JSON.stringify([ran.events, ran.output, ran.journal]), "Ada")
      }
    }))

  it.effect("a changed answer that is the result of a call does not replace the text before the call", () =>
    Effect.gen(function*() {
      const { tool } = look({ stopAfterCall: true })
      const hooks = hook({ afterRun: () => Hook.change("Another one") })
      const ran = yield* run({ hooks, tools: [tool] }, [[text("I look"), asks]])
      assert.strictEqual(ran.output.content, "Another one")
      assert.deepStrictEqual(ran.output.messages?.map(({ content }) => content), ["Hi", "I look", "The code is Ada"])
    }))

  it.effect("a changed answer that does not fit the output schema fails the run", () =>
    Effect.gen(function*() {
      const hooks = hook({ afterRun: () => Hook.change({ a: "no number" }) })
      const outputSchema = Schema.Struct({ a: Schema.Int })
      const ran = yield* run({ hooks, outputSchema }, [[text(`{"a":1}`)]])
      assert.strictEqual(ran.output.status, "ERROR")
    }))

  it.effect("a hook that rejects ends the run with its reason, and says whether it was the input or the output", () =>
    Effect.gen(function*() {
      const stages = { beforeRun: "input", beforeModel: "input", afterModel: "output", afterRun: "output" } as const
      for (const [stage, kind] of Object.entries(stages)) {
        const ran = yield* run({ hooks: hook({ [stage]: reject }) }, [[text("Yes")]])
        assert.strictEqual(ran.output.status, "ERROR", stage)
        assert.deepInclude(ran.endEvent, {
          error_type: `${kind}_check_error`,
          error_id: "off_topic",
          content: "Not here"
        })
        assert.deepStrictEqual(eventsOf(ran, "HookApplied").map(({ action }) => action), ["rejected"], stage)
        assert.deepStrictEqual(eventsOf(ran, "RunContent"), [], stage)
      }
    }))

  it.effect("a hook that returns what it must not, or something unknown, fails the run", () =>
    Effect.gen(function*() {
      const wrong: ReadonlyArray<Omit<Hook.RunHook, "name">> = [
        { beforeRun: () => "text" as never },
        { beforeRun: () => Hook.change((() => 1) as never) },
        { afterRun: () => Hook.answer("no") as never },
        { beforeModel: () => Hook.change([{ role: "unknown", content: "x" }] as never) },
        { afterModel: () => Hook.change({ text: 1 } as never) },
        { beforeRun: () => Promise.reject(new Error("broken")) }
      ]
      for (const functions of wrong) {
        const ran = yield* run({ hooks: hook(functions) }, [[text("Yes")]])
        assert.deepInclude(ran.endEvent, { error_type: "agent_run_error", content: "The hook 'guard' failed" })
      }
    }))
})

describe("options of hooks", () => {
  it("two hooks with one name, and a model that no provider has, are refused when the agent is made", () => {
    const make = (hooks: ReadonlyArray<Hook.RunHook>) => () => Agent.make({ id: "agent", hooks })
    const [one] = hook({ beforeRun: () => undefined })
    assert.throws(make([{ ...one, name: "one" }, { ...one, name: "one" }]), "two hooks called 'one'")
    assert.throws(make([{ ...one, name: "one", model: "nonsense" }]), "the model of the hook 'one'")
  })
})

describe("hooks that change requests to the model", () => {
  it.effect("the messages of a request are changed for this request alone", () =>
    Effect.gen(function*() {
      const { tool } = look()
      let count = 0
      const hooks = hook({
        beforeModel: ({ messages }) =>
          count++ === 0 ? Hook.change([{ role: "system", content: "Be short" }, ...messages]) : undefined
      })
      const ran = yield* run({ hooks, tools: [tool] }, [[asks], [text("Done")]])
      assert.strictEqual(linesOf(ran.calls[0])[0], "system: Be short")
      assert.notInclude(linesOf(ran.calls[1]), "system: Be short")
    }))

  it.effect("a hook can give the text instead of the model", () =>
    Effect.gen(function*() {
      const ran = yield* run({ hooks: hook({ beforeModel: () => Hook.answer("From the cache") }) }, [])
      assert.strictEqual(ran.output.content, "From the cache")
      assert.notInclude(ran.kinds, "ModelRequestStarted")
    }))

  it.effect("text before calls is changed in the stream, the messages and the next request", () =>
    Effect.gen(function*() {
      const { tool } = look()
      const hooks = hook({
        afterModel: ({ calls, text }) => Hook.change({ text: masked(text) }, calls.join()),
        afterTool: ({ result }) => Hook.change(masked(result)),
        beforeTool: () => Hook.change({ at: "the gate" })
      })
      const ran = yield* run({ hooks, tools: [tool] }, [[text("I look for Ada"), asks], [text("It is Ada")]])
      assert.deepStrictEqual(eventsOf(ran, "RunContent").map(({ content }) => content), ["I look for ***", "It is ***"])
      assert.strictEqual(linesOf(ran.calls[1])[1], `assistant: I look for *** | call look {"at":"the gate"}`)
      assert.strictEqual(ran.output.content, "It is ***")
    }))
})
