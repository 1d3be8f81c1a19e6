// Hooks before and after calls of tools: what the tool, the model, the journal and the run have of them.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import * as Hook from "../../src/agent/define/Hook.ts"
import { eventsOf, linesOf, run } from "./Harness.ts"
import { asks, hook, look, reject } from "./Hooking.ts"

describe("hooks that change calls of tools", () => {
  it.effect("a tool gets the arguments that the hooks have left, which are in the journal before the call", () =>
    Effect.gen(function*() {
      const { given, tool } = look()
      const hooks = hook({ beforeTool: ({ args, tool }) => Hook.change({ ...args as Json.Object, tool }) })
      const ran = yield* run({ hooks, tools: [tool] }, [[asks], [text("Done")]])
      assert.deepStrictEqual(given, [{ at: "Ada", tool: "look" }])
      assert.deepStrictEqual(ran.journal.map(({ kind }) => kind), ["asked", "answered"])
      assert.deepStrictEqual(eventsOf(ran, "ToolCallStarted")[0]?.tool.tool_args, { at: "Ada", tool: "look" })
    }))

  it.effect("a replay uses changed arguments and given results, and does not call the hooks again", () =>
    Effect.gen(function*() {
      const { given, tool } = look()
      const first = yield* run({
        hooks: hook({ beforeTool: () => Hook.change({ at: "home" }) }),
        tools: [tool]
      }, [[asks], [text("Done")]])
      const journaled = first.journal.slice(0, 1)
      given.length = 0
      const again = hook({ beforeTool: () => assert.fail("called") })
      const ran = yield* run({ hooks: again, tools: [tool] }, [[text("Done")]], { journaled })
      assert.deepStrictEqual(given, [{ at: "home" }])
      assert.strictEqual(ran.output.content, "Done")
    }))

  it.effect("arguments that a hook has changed are nowhere as the model gave them", () =>
    Effect.gen(function*() {
      const { given, tool } = look()
      const hooks = hook({ beforeTool: () => Hook.change({ at: "***" }) })
      const turns = [[text("I look"), asks, toolCall("unknown", { at: "Ada" })], [text("Done")]]
      const ran = yield* run({ hooks, tools: [tool] }, turns)
      assert.deepStrictEqual(given, [{ at: "***" }])
      const { name: _, ...shown } = ran.output as typeof ran.output & { name?: string }
      assert.notInclude(
        JSON.stringify([shown.messages?.filter(({ role }) => role === "assistant"), ran.journal[0]]),
        "Ada"
      )
      assert.notInclude(JSON.stringify(shown.tools?.map(({ tool_args }) => tool_args)), "Ada")
      assert.notInclude(JSON.stringify(eventsOf(ran, "ToolCallStarted")), "Ada")
      assert.strictEqual(linesOf(ran.calls[1])[1], `assistant: I look | call look {"at":"***"} | call unknown {}`)
    }))

  it.effect("arguments that a hook has rejected are not stored with the run", () =>
    Effect.gen(function*() {
      const { tool } = look()
      const ran = yield* run({ hooks: hook({ beforeTool: reject }), tools: [tool] }, [[asks]])
      assert.strictEqual(ran.output.status, "ERROR")
      assert.deepStrictEqual(ran.output.tools?.map(({ tool_args }) => tool_args), [{}])
      assert.notInclude(JSON.stringify([ran.output, ran.events, ran.journal]), "Ada")
    }))

  it.effect("a rejected result ends a run that is resumed before the other calls have ended", () =>
    Effect.gen(function*() {
      const { given, tool } = look()
      const hooks = hook({ afterTool: ({ args }) => (args as Json.Object)["at"] === "bad" ? reject() : undefined })
      const turn = [toolCall("look", { at: "bad" }), asks]
      const first = yield* run({ hooks, tools: [tool] }, [turn])
      const journaled = first.journal.filter(({ call, kind }) => kind === "asked" || call === 0)
      given.length = 0
      const resumed = yield* run({ hooks, tools: [tool] }, [[text("Done")]], { journaled })
      assert.deepInclude(resumed.endEvent, { error_type: "output_check_error", content: "Not here" })
      assert.deepStrictEqual(given, [{ at: "Ada" }])
      assert.lengthOf(resumed.calls, 0)
    }))

  it.effect("a broken hook of a result ends a resumed run, and its error is not stored", () =>
    Effect.gen(function*() {
      const { tool } = look()
      const hooks = hook({ afterTool: () => Promise.reject(new Error("Ada")) })
      const first = yield* run({ hooks, tools: [tool] }, [[toolCall("look", {})]])
      assert.notInclude(JSON.stringify(first.journal), "Ada")
      const resumed = yield* run({ hooks, tools: [tool] }, [[text("Done")]], { journaled: first.journal })
      assert.deepInclude(resumed.endEvent, { error_type: "agent_run_error", content: "The hook 'guard' failed" })
    }))

  it.effect("a journal with arguments as the model gave them is continued as its next entry has changed them", () =>
    Effect.gen(function*() {
      const { given, tool } = look({ requiresConfirmation: true })
      const paused = yield* run({ tools: [tool] }, [[asks]])
      const journaled: ReadonlyArray<Json.Object> = [
        ...paused.journal,
        { kind: "hooked", calls: [{ call: 0, tool_args: { at: "home" } }] },
        { kind: "resolved", attempt: 1, decisions: [{ call: 0, confirmed: true }], requirements: [] }
      ]
      const hooks = hook({ beforeTool: () => assert.fail("called") })
      const ran = yield* run({ hooks, tools: [tool] }, [[text("Done")]], { journaled })
      assert.strictEqual(ran.output.status, "COMPLETED")
      assert.deepStrictEqual(given, [{ at: "home" }])
    }))

  it.effect("a hook can give the result, and the tool is neither called nor waits for a person", () =>
    Effect.gen(function*() {
      const { given, tool } = look({ requiresConfirmation: true })
      const hooks = hook({ beforeTool: () => Hook.answer("It is closed") })
      const ran = yield* run({ hooks, tools: [tool] }, [[asks], [text("Done")]])
      assert.deepStrictEqual(given, [])
      assert.strictEqual(ran.output.status, "COMPLETED")
      assert.include(linesOf(ran.calls[1]), "tool: result It is closed")
    }))

  it.effect("a person confirms the arguments that the hooks have left", () =>
    Effect.gen(function*() {
      const { tool } = look({ requiresConfirmation: true })
      const ran = yield* run({
        hooks: hook({ beforeTool: () => Hook.change({ at: "home" }) }),
        tools: [tool]
      }, [[asks]])
      assert.strictEqual(ran.output.status, "PAUSED")
      assert.deepStrictEqual(ran.output.tools?.map(({ tool_args }) => tool_args), [{ at: "home" }])
    }))

  it.effect("arguments that a person has edited are given to the hooks again", () =>
    Effect.gen(function*() {
      const { given, tool } = look({ requiresConfirmation: true })
      const options = { hooks: hook({ beforeTool: ({ args }) => Hook.change({ ...args as Json.Object, is: "safe" }) }) }
      const paused = yield* run({ ...options, tools: [tool] }, [[asks]])
      const decided = (tool_args: Json.Object): Json.Object => ({
        kind: "resolved",
        attempt: 1,
        decisions: [{ call: 0, confirmed: true, tool_args }],
        requirements: []
      })
      const journaled = [...paused.journal, decided({ at: "edited" })]
      yield* run({ ...options, tools: [tool] }, [[text("Done")]], { journaled })
      assert.deepStrictEqual(given, [{ at: "edited", is: "safe" }])
    }))

  it.effect("no call begins when a hook rejects one of them", () =>
    Effect.gen(function*() {
      const { given, tool } = look()
      const hooks = hook({ beforeTool: ({ args }) => (args as Json.Object)["at"] === "bad" ? reject() : undefined })
      const ran = yield* run({ hooks, tools: [tool] }, [[asks, toolCall("look", { at: "bad" })]])
      assert.strictEqual(ran.output.status, "ERROR")
      assert.deepStrictEqual(given, [])
    }))

  it.effect("a hook that rejects a result ends the run when the other calls have ended", () =>
    Effect.gen(function*() {
      const { given, tool } = look()
      const hooks = hook({ afterTool: ({ args }) => (args as Json.Object)["at"] === "bad" ? reject() : undefined })
      const ran = yield* run({ hooks, tools: [tool] }, [[toolCall("look", { at: "bad" }), asks]])
      assert.deepInclude(ran.endEvent, { error_type: "output_check_error", content: "Not here" })
      assert.strictEqual(given.length, 2)
      assert.strictEqual(ran.journal.filter(({ kind }) => kind === "answered").length, 2)
      assert.strictEqual(ran.output.tools?.[0]?.result, "Not here")
    }))
})
