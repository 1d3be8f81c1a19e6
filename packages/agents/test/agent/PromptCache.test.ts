// What the model of an agent with `promptCache` is sent: after a crash, with other models, and with limits.
import { assert, describe, it } from "@effect/vitest"
import type * as Message from "@svc-runtime/domain/Message"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { AiError } from "effect/ai"
import { TestClock } from "effect/testing"
import { linesOf, logged, run } from "./Harness.ts"

const { text, toolCall } = Script

const look = Tool.make({ name: "look", effects: "read", execute: () => "found it" })

const options = { promptCache: "auto", tools: [look], instructions: "Be brief.", addDatetimeToContext: true } as const

const memories = (words: string) => ({ name: "memories", tokens: 100, section: () => Effect.succeed(words) })

/** The same objects in any order of their keys. */
const bytesOf = ({ prompt, tools }: Script.Call) =>
  JSON.stringify([prompt, tools], (_, value) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value as object).toSorted(([left], [right]) => left < right ? -1 : 1))
      : value)

const message = (role: "assistant" | "user", content: string): Message.Message => ({
  id: content as Message.Message["id"],
  role,
  content,
  created_at: 0,
  from_history: true,
  stop_after_tool_call: false
})

describe("requests for the cache of a provider, in a run", () => {
  it.effect("what changes is before the input, and not in the system message", () =>
    Effect.gen(function*() {
      const { calls } = yield* run(options, [[text("Yes")]], {
        contextSources: [memories("They like tea.")],
        sessionState: { cups: 2 },
        add_session_state_to_context: true,
        history: [message("user", "Earlier"), message("assistant", "Yes")]
      })
      const lines = linesOf(calls[0])
      assert.deepStrictEqual(lines.map((line) => line.slice(0, line.indexOf(":"))), [
        "system",
        "user",
        "assistant",
        "user"
      ])
      assert.strictEqual(lines[0], "system: Be brief.")
      for (const part of ["The time is", "They like tea.", "\"cups\":2", "<current_context>"]) {
        assert.include(lines[3] ?? "", part)
      }
      assert.match(lines[3] ?? "", /<\/current_context>\n\nHi$/)
    }))

  it.effect("a run that is resumed after a crash sends the same bytes, at a later time", () =>
    Effect.gen(function*() {
      const turns = [[toolCall("look", {}, "a")], [toolCall("look", {}, "b")], [text("Done")]]
      const whole = yield* run(options, turns)
      yield* TestClock.adjust("2 hours")
      for (const [place, rest] of [[2, 1], [4, 2]] as const) {
        const resumed = yield* run(options, turns.slice(rest), { journaled: whole.journal.slice(0, place), attempt: 2 })
        const before = whole.calls.slice(rest).map(bytesOf)
        assert.deepStrictEqual(resumed.calls.map(bytesOf), before)
      }
    }))

  it.effect("a model that replaces another one gets the same prompt", () =>
    Effect.gen(function*() {
      const fallback = yield* Script.make([[toolCall("look")], [text("Done")]])
      const broken = [Script.fail(
        AiError.make({
          module: "m",
          method: "streamText",
          reason: new AiError.InternalProviderError({ description: "down" })
        })
      )]
      const ran = yield* run(options, [broken], { fallbacks: [fallback] })
      const calls = yield* fallback.calls
      assert.strictEqual(bytesOf(calls[0]!), bytesOf(ran.calls[0]!))
      assert.deepStrictEqual(linesOf(calls[1]).slice(0, linesOf(calls[0]).length), linesOf(calls[0]))
    }))

  it("a value of promptCache that does not exist is refused", () => {
    const made = (promptCache: unknown) => () => Agent.make({ id: "a", promptCache: promptCache as "auto" })
    assert.throws(made("on"), "Agent 'a': promptCache must be one of auto, off, not on")
    assert.throws(made({ ttl: "2h" }), "Agent 'a': promptCache: ttl must be one of 5m, 1h, not 2h")
    assert.throws(made({ time: "1h" }), "promptCache")
    assert.throws(made(null), "promptCache")
    assert.deepStrictEqual([made("off")().promptCache, made("auto")().promptCache], [undefined, {}])
  })

  it.effect("instructions that change are logged once, and the system message of each run has its own", () =>
    Effect.gen(function*() {
      let count = 0
      const changing = { ...options, instructions: () => `Be brief. ${count++}`, name: "changing" }
      const session = { session_id: "changing" as never }
      const { lines } = yield* logged(Effect.gen(function*() {
        for (let runs = 0; runs < 3; runs++) yield* run(changing, [[text("Yes")]], session)
      }))
      const warnings = lines.filter(({ text }) => text.includes("system message of an agent with promptCache changes"))
      assert.strictEqual(warnings.length, 1)
      assert.strictEqual(warnings[0]?.annotations["agent_id"], "agent")
    }))

  it.effect("tools that a search adds behind the others are no change", () =>
    Effect.gen(function*() {
      const tools = Array.from({ length: 50 }, (_, number) =>
        Tool.make({
          name: `tool_${number}`,
          description: `Counts cups of tea ${number}`,
          execute: () => "done"
        }))
      const { lines } = yield* logged(run({ promptCache: "auto", tools }, [
        [toolCall("search_tools", { query: "tea" })],
        [text("Yes")]
      ], { session_id: "searching" as never }))
      assert.deepStrictEqual(lines.filter((line) => line.text.includes("promptCache changes")), [])
    }))
})
