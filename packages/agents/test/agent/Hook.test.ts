import { assert, describe, it } from "@effect/vitest"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import * as Hook from "../../src/agent/define/Hook.ts"
import { eventsOf, linesOf, logged, rolesOf, run } from "./Harness.ts"

const hook = (run: Hook.Hook["run"]): Hook.Hook => ({ name: "check", run })
const failure = new Hook.CheckFailed({ reason: "pii_detected", message: "There is a name in it" })
const secret = new Error("password=hunter2")

const throwing = (thrown: unknown): Record<string, Hook.Hook["run"]> => ({
  throws: () => {
    throw thrown
  },
  rejects: () => Promise.reject(thrown),
  fails: () => Effect.fail(thrown),
  dies: () => Effect.die(thrown)
})

describe("a hook", () => {
  it.effect("a hook gets the input and, after the run, the answer", () =>
    Effect.gen(function*() {
      const seen: Array<Hook.HookInput> = []
      const look = hook((input) => {
        seen.push(input)
      })
      yield* run({ preHooks: [look], postHooks: [look] }, [[text("Yes")]], { dependencies: { a: 1 } })
      assert.deepStrictEqual(seen.map(({ content }) => content), [undefined, "Yes"])
      assert.deepStrictEqual(seen[0]?.input, { input_content: "Hi" })
      assert.deepStrictEqual(seen[0]?.context.dependencies, { a: 1 })
    }))

  it.effect("a hook gets the object of a structured answer", () =>
    Effect.gen(function*() {
      let seen: unknown
      const look = hook(({ content }) => {
        seen = content
      })
      yield* run({ postHooks: [look], outputSchema: Schema.Struct({ a: Schema.Int }) }, [[text(`{"a":1}`)]])
      assert.deepStrictEqual(seen, { a: 1 })
    }))

  it.effect("a hook can be plain, async or an Effect, and the next step waits for it", () =>
    Effect.gen(function*() {
      const order: Array<string> = []
      const ran = yield* run({
        preHooks: [
          hook(() => {
            order.push("plain")
          }),
          hook(async () => {
            await Promise.resolve()
            order.push("async")
          }),
          hook(() => Effect.andThen(Effect.yieldNow, Effect.sync(() => order.push("effect"))))
        ]
      }, [() => [text(order.join(" "))]])
      assert.strictEqual(ran.output.content, "plain async effect")
    }))

  it.effect("a hook can change the state of the session, and the instructions get the changes", () =>
    Effect.gen(function*() {
      const ran = yield* run({
        preHooks: [hook(({ context }) => {
          context.sessionState["seen"] = true
        })],
        instructions: ({ sessionState }) => JSON.stringify(sessionState)
      }, [[text("Yes")]])
      assert.deepStrictEqual(ran.stateChanges, { set: { seen: true }, removed: [] })
      assert.strictEqual(linesOf(ran.calls[0])[0], `system: {"seen":true}`)
    }))
})

describe("a check that fails", () => {
  it.effect.each(Object.entries(throwing(failure)))(
    "a check before the run (%s) refuses the input for its reason",
    ([, check]) =>
      Effect.gen(function*() {
        const ran = yield* run({ preHooks: [hook(check)] }, [])
        assert.strictEqual(ran.output.status, "ERROR")
        assert.strictEqual(ran.output.content, "There is a name in it")
        assert.strictEqual(ran.output.content_type, "str")
        assert.deepStrictEqual(ran.endEvent, {
          event: "RunError",
          content: "There is a name in it",
          error_type: "input_check_error",
          error_id: "pii_detected"
        })
        assert.deepStrictEqual(ran.calls, [])
      })
  )

  it.effect("a check after the run refuses the answer, and the conversation stays in the run", () =>
    Effect.gen(function*() {
      const ran = yield* run({ postHooks: [hook(() => Effect.fail(failure))] }, [[text("Ada")]])
      assert.strictEqual(ran.output.content, "There is a name in it")
      assert.strictEqual(eventsOf(ran, "RunError")[0]?.error_type, "output_check_error")
      assert.deepStrictEqual(rolesOf(ran), ["user", "assistant"])
    }))

  it.effect("a failed check keeps the later hooks from running", () =>
    Effect.gen(function*() {
      const ran = yield* run({ preHooks: [hook(() => Effect.fail(failure)), hook(() => assert.fail("called"))] }, [])
      assert.strictEqual(ran.output.content, "There is a name in it")
    }))
})

describe("a hook that breaks", () => {
  it.effect.each([...Object.entries(throwing(secret)), ["interrupts itself", () => Effect.interrupt] as const])(
    "a hook that %s ends the run without showing why, and the log has the cause",
    ([, broken]) =>
      Effect.gen(function*() {
        const { lines, result } = yield* logged(run({ preHooks: [hook(broken)] }, []))
        assert.strictEqual(result.output.status, "ERROR")
        assert.strictEqual(result.output.content, "The hook 'check' failed")
        assert.deepStrictEqual(result.endEvent, {
          event: "RunError",
          content: "The hook 'check' failed",
          error_type: "agent_run_error"
        })
        assert.notInclude(JSON.stringify([result.output, result.events]), "hunter2")
        const line = lines.find(({ level }) => level === "Warn")
        assert.include(line?.text, "HookBroken")
        assert.deepInclude(line?.annotations, { run_id: "run" })
      })
  )
})
