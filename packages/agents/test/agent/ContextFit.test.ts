// What requests leave out so that they fit, and what stays.
import { assert, describe, it } from "@effect/vitest"
import type * as Message from "@svc-runtime/domain/Message"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { text, toolCall, usage } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { Prompt } from "effect/ai"
import type { Settings } from "../../src/agent/define/ContextLimits.ts"
import * as ContextFit from "../../src/agent/execute/context/ContextFit.ts"
import { toPrompt } from "../../src/agent/execute/context/Conversation.ts"
import { eventsOf, linesOf, run } from "./Harness.ts"

const message = (role: "assistant" | "tool" | "user", content: string, rest: Partial<Message.Message> = {}) =>
  ({
    id: content,
    role,
    content,
    created_at: 0,
    from_history: true,
    stop_after_tool_call: false,
    ...rest
  }) as Message.Message

const called = (id: string) => ({ id, type: "function" as const, function: { name: "look", arguments: "{}" } })

const history = [
  message("user", "first"),
  message("assistant", "one", { tool_calls: [called("a")] }),
  message("tool", "result a", { tool_call_id: "a", tool_name: "look" }),
  message("assistant", "done"),
  message("user", "second"),
  message("assistant", "two")
]

const look = Tool.make({ name: "look", effects: "read", execute: () => "x".repeat(400) })

const placeholder = /^tool: result \(This earlier result is left out/

describe("what requests leave out", () => {
  it.effect("the history begins with a message of the user, and has at most the number of messages", () =>
    Effect.gen(function*() {
      for (const [numHistoryMessages, expected] of [[3, 2], [2, 2], [1, 0], [0, 0], [6, 6]] as const) {
        const ran = yield* run({ numHistoryMessages, tools: [look] }, [[text("Yes")]], { history })
        assert.strictEqual(linesOf(ran.calls[0]).length, expected + 1, String(numHistoryMessages))
        const trimmed = { messages: 6 - expected, tool_results: 0 }
        assert.deepStrictEqual(ran.output.context_trimmed, expected === 6 ? undefined : trimmed)
      }
    }))

  it.effect("only the latest results of tools are sent in full, and all of them are stored", () =>
    Effect.gen(function*() {
      const turns = [[toolCall("look", {}, "b")], [toolCall("look", {}, "c")], [text("Done")]]
      const ran = yield* run({ numToolResults: 1, tools: [look] }, turns, { history })
      const results = linesOf(ran.calls[2]).filter((line) => line.startsWith("tool:"))
      assert.strictEqual(results.length, 3)
      assert.match(results[0] ?? "", placeholder)
      assert.match(results[1] ?? "", placeholder)
      assert.strictEqual(results[2], `tool: result ${"x".repeat(400)}`)
      assert.deepStrictEqual(ran.output.context_trimmed, { messages: 0, tool_results: 2 })
      assert.strictEqual(ran.output.messages?.filter(({ content }) => content === "x".repeat(400)).length, 2)
      assert.deepStrictEqual(eventsOf(ran, "ContextTrimmed").map((event) => event.tool_results), [1, 2])
    }))

  it.effect("results that the model has not seen stay, whatever the limits are", () =>
    Effect.gen(function*() {
      const options = { numToolResults: 0, maxContextTokens: 1, tools: [look] }
      const ran = yield* run(options, [[toolCall("look")], [text("Done")]])
      assert.include(linesOf(ran.calls[1]), `tool: result ${"x".repeat(400)}`)
    }))

  it.effect("all results of the last turn stay, also when the model has made several calls", () =>
    Effect.gen(function*() {
      const options = { numToolResults: 1, maxContextTokens: 1, tools: [look] }
      const turns = [[toolCall("look", {}, "a"), toolCall("look", {}, "b")], [toolCall("look", {}, "c")], [
        text("Done")
      ]]
      const ran = yield* run(options, turns)
      const placeholders = (call: number) => linesOf(ran.calls[call]).filter((line) => placeholder.test(line)).length
      assert.deepStrictEqual([placeholders(1), placeholders(2)], [0, 2])
    }))

  it.effect("beyond the tokens, the oldest messages are left out first, and the input stays", () =>
    Effect.gen(function*() {
      const long = [message("user", "a".repeat(400)), message("assistant", "b".repeat(400)), message("user", "c")]
      const ran = yield* run({ maxContextTokens: 60 }, [[text("Yes")]], { history: long })
      assert.deepStrictEqual(linesOf(ran.calls[0]), ["user: c", "user: Hi"])
      const none = yield* run({ maxContextTokens: 1 }, [[text("Yes")]], { history: long })
      assert.deepStrictEqual(linesOf(none.calls[0]), ["user: Hi"])
    }))

  it.effect("what the provider has counted corrects the estimate of the next request", () =>
    Effect.gen(function*() {
      const long = [message("user", "a".repeat(400)), message("assistant", "b")]
      const turns = [[usage({ input: 500 }), toolCall("look")], [text("Done")]]
      const ran = yield* run({ maxContextTokens: 400, tools: [look] }, turns, { history: long })
      assert.strictEqual(linesOf(ran.calls[0]).length, 3)
      assert.notInclude(linesOf(ran.calls[1]).join(), "aaa")
    }))
})

const summarized: Prompt.Message = Prompt.userMessage({ content: [Prompt.textPart({ text: "They talked about tea" })] })

const fitted = (settings: Partial<Settings>, isHistoryFull: boolean) => {
  const none = { maxContextTokens: undefined, numHistoryMessages: undefined, numToolResults: undefined }
  const events: Array<RunEvent.Payload> = []
  const fit = ContextFit.make({ ...none, ...settings, emit: (event) => void events.push(event) })
  const opening = {
    system: [],
    history: toPrompt(history).content,
    input: toPrompt([message("user", "now")]).content,
    summary: summarized,
    isHistoryFull
  }
  const sent = fit.promptOf(opening, Prompt.empty).content
  return { sent, fit, events, first: sent[0] === summarized, size: JSON.stringify(sent).length }
}

describe("a summary in the place of what requests leave out", () => {
  it("the summary stands before the history if messages are left out, and the run says so", () => {
    const { events, first, fit, sent } = fitted({ numHistoryMessages: 2 }, false)
    assert.isTrue(first)
    assert.strictEqual(sent.length, 4)
    assert.deepStrictEqual(fit.trimmed(), {
      context_trimmed: { messages: 4, tool_results: 0, is_summarized: true }
    })
    assert.deepInclude(events[0], { event: "ContextTrimmed", messages: 4, is_summarized: true })
  })

  it("the summary stands before a history that has as many runs as it may have", () => {
    const { first, fit, sent } = fitted({}, true)
    assert.isTrue(first)
    assert.strictEqual(sent.length, history.length + 2)
    assert.deepStrictEqual(fit.trimmed(), { context_trimmed: { messages: 0, tool_results: 0, is_summarized: true } })
  })

  it("the summary is left out while the history is whole", () => {
    const { events, first, fit } = fitted({ maxContextTokens: 10_000 }, false)
    assert.isFalse(first)
    assert.deepStrictEqual(fit.trimmed(), {})
    assert.deepStrictEqual(events, [])
  })

  it("the summary counts for the tokens of the request", () => {
    const room = 60
    const { first, size } = fitted({ maxContextTokens: room }, false)
    assert.isTrue(first)
    assert.isBelow(size, room * 4 * 2)
    assert.strictEqual(fitted({ maxContextTokens: 1 }, false).sent.length, 2)
  })
})
