// Hooks that are instances of classes: their methods are stages, and their fields are their state.
import { assert, describe, it } from "@effect/vitest"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import type * as Hook from "../../src/agent/define/Hook.ts"
import { run } from "./Harness.ts"
import { look } from "./Hooking.ts"

class Counting {
  readonly name = "counting"
  readonly limit = 5
  readonly seen: Array<string> = []
  #calls = 0

  private note(stage: string) {
    this.#calls++
    this.seen.push(stage)
  }
  beforeRun() {
    this.note("beforeRun")
  }
  afterRun({ content }: Hook.AnswerStage) {
    this.note(String(content).length > this.limit ? "long" : "short")
  }
  beforeModel() {
    this.note("beforeModel")
  }
  afterModel() {
    this.note("afterModel")
  }
  beforeTool() {
    this.note("beforeTool")
  }
  afterTool() {
    this.note("afterTool")
  }
  calls() {
    return this.#calls
  }
}

describe("a hook that is an instance of a class", () => {
  it.effect("each stage is called on the instance, which has fields of its own", () =>
    Effect.gen(function*() {
      const hook = new Counting()
      const { tool } = look()
      yield* run({ hooks: [hook], tools: [tool] }, [[toolCall("look", {})], [text("A long answer")]])
      assert.deepStrictEqual(hook.seen, [
        "beforeRun",
        "beforeModel",
        "afterModel",
        "beforeTool",
        "afterTool",
        "beforeModel",
        "afterModel",
        "long"
      ])
      assert.strictEqual(hook.calls(), 8)
    }))

  it.effect("a check before the run can have fields of its own", () =>
    Effect.gen(function*() {
      class Check {
        readonly name = "check"
        called = 0
        run() {
          this.called++
        }
      }
      const check = new Check()
      yield* run({ preHooks: [check], postHooks: [check] }, [[text("Yes")]])
      assert.strictEqual(check.called, 2)
    }))

  it.effect("stages of a class that it extends are called", () =>
    Effect.gen(function*() {
      class Derived extends Counting {
        readonly further = true
      }
      const hook = new Derived()
      yield* run({ hooks: [hook] }, [[text("Yes")]])
      assert.deepStrictEqual(hook.seen, ["beforeRun", "beforeModel", "afterModel", "short"])
    }))
})
