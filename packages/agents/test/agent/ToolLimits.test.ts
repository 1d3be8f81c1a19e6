// What ends or restricts the calls of a run: tool_call_limit, tool_choice, stopAfterCall, and the limit of requests.
import { assert, describe, it } from "@effect/vitest"
import { ByteLimits, defaultByteLimits } from "@svc-runtime/engine/limits/ByteLimits"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import * as AgentLoop from "../../src/agent/execute/AgentLoop.ts"
import { add, failing, once } from "./CalledTools.ts"
import { eventsOf, run } from "./Harness.ts"

describe("maxResultBytes", () => {
  const long = (maxResultBytes: number) => Tool.make({ name: "long", maxResultBytes, execute: () => "é".repeat(100) })

  it.effect("a longer result of the tool is cut, and says so", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [long(11)] }, once("long"))
      assert.strictEqual(
        output.tools?.[0]?.result,
        "ééééé\n[The result was cut after 11 of 200 bytes (maxResultBytes)]"
      )
      assert.isFalse(output.tools?.[0]?.tool_call_error)
    }))

  it.effect("the limit of the service counts if it is lower", () =>
    Effect.gen(function*() {
      const limits = { ...defaultByteLimits, toolResult: 10 }
      const { output } = yield* Effect.provideService(run({ tools: [long(100)] }, once("long")), ByteLimits, limits)
      assert.match(output.tools?.[0]?.result ?? "", /after 10 of 200 bytes \(TOOL_RESULT_MAX_BYTES\)/)
    }))
})

describe("tool_call_limit", () => {
  it.effect("calls beyond the limit are refused, and the model has to answer without tools", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [add], toolCallLimit: 2 }, [
        [toolCall("add", { a: 1, b: 1 })],
        [toolCall("add", { a: 2, b: 2 }), toolCall("add", { a: 3, b: 3 })],
        [text("Done")]
      ])
      assert.strictEqual(ran.output.content, "Done")
      assert.deepStrictEqual(ran.output.tools?.map(({ result }) => result), ["2", "4"])
      assert.match(ran.output.messages?.at(-2)?.content ?? "", /^Not called: the limit of tool calls/)
      assert.deepStrictEqual(ran.calls.map(({ toolChoice }) => toolChoice), ["auto", "auto", "none"])
    }))

  it.effect("a limit of zero means that the model is never offered a choice", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [add], toolCallLimit: 0, toolChoice: "required" }, [[text("Done")]])
      assert.deepStrictEqual(ran.calls.map(({ toolChoice }) => toolChoice), ["none"])
    }))

  it.effect("the limit applies to one run, not to one request", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [add], toolCallLimit: 1 }, [
        [toolCall("add", { a: 1, b: 1 })],
        [toolCall("add", { a: 2, b: 2 })],
        [text("Done")]
      ])
      assert.strictEqual(output.tools?.length, 1)
    }))
})

describe("maxCalls", () => {
  const limited = Tool.make({ name: "add", maxCalls: 2, execute: () => "called" })

  it.effect("further calls of the tool in a run are not executed, and other tools are", () =>
    Effect.gen(function*() {
      const other = Tool.make({ name: "other", execute: () => "also called" })
      const ran = yield* run({ tools: [limited, other] }, [
        [toolCall("add", {})],
        [toolCall("add", {}), toolCall("add", {}), toolCall("other", {})],
        [text("Done")]
      ])
      assert.strictEqual(ran.output.content, "Done")
      assert.deepStrictEqual(ran.output.tools?.map(({ result }) => result), ["called", "called", "also called"])
      const refused = ran.output.messages?.find(({ content }) => content?.startsWith("Not called"))
      assert.strictEqual(refused?.content, "Not called: 'add' can be called 2 times in a run (maxCalls)")
      assert.isTrue(refused?.tool_call_error)
    }))

  it.effect("a resumed run counts the calls before it was cut off", () =>
    Effect.gen(function*() {
      const turns = [[toolCall("add", {})], [toolCall("add", {}), toolCall("add", {})], [text("Done")]] as const
      const whole = yield* run({ tools: [limited] }, turns)
      const cutOff = whole.journal.slice(0, 2)
      const resumed = yield* run({ tools: [limited] }, turns.slice(1), { journaled: cutOff })
      assert.deepStrictEqual(resumed.output.tools?.map(({ result }) => result), ["called", "called"])
      assert.match(resumed.output.messages?.at(-2)?.content ?? "", /maxCalls/)
    }))
})

describe("tool_choice", () => {
  it.effect.each([["required" as const], [{ tool: "add" }]])(
    "the choice %s applies to the first request only",
    ([toolChoice]) =>
      Effect.gen(function*() {
        const ran = yield* run({ tools: [add], toolChoice }, once("add", { a: 1, b: 2 }))
        assert.deepStrictEqual(ran.calls.map((call) => call.toolChoice), [toolChoice, "auto"])
      })
  )

  it.effect("the choice none applies to every request", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [add], toolChoice: "none" }, once("add", { a: 1, b: 2 }))
      assert.deepStrictEqual(ran.calls.map((call) => call.toolChoice), ["none", "none"])
    }))
})

describe("stopAfterCall", () => {
  const order = Tool.make({ name: "order", stopAfterCall: true, execute: () => ({ number: 7 }) })

  it.effect("stopAfterCall makes the result the answer, and the model is not asked again", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [order] }, [[toolCall("order")]])
      assert.strictEqual(ran.output.content, `{"number":7}`)
      assert.strictEqual(ran.output.status, "COMPLETED")
      assert.strictEqual(ran.output.messages?.at(-1)?.stop_after_tool_call, true)
      assert.strictEqual(ran.output.tools?.[0]?.stop_after_tool_call, true)
    }))

  it.effect("watchers see the result as they see an answer of the model", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [order] }, [[toolCall("order")]])
      assert.deepStrictEqual(eventsOf(ran, "RunContent").map(({ content }) => content), [`{"number":7}`])
      assert.deepStrictEqual(ran.kinds.slice(-4), [
        "ToolCallCompleted",
        "RunContent",
        "RunContentCompleted",
        "RunCompleted"
      ])
    }))

  it.effect("the answer has the results of that tool, not of the tools beside it", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [add, order] }, [
        [toolCall("add", { a: 1, b: 1 }), toolCall("order"), toolCall("fly"), toolCall("order")]
      ])
      assert.strictEqual(output.content, `{"number":7}\n{"number":7}`)
    }))

  it.effect("stopAfterCall does not stop at a call that failed", () =>
    Effect.gen(function*() {
      const broken = Tool.make({
        name: "order",
        stopAfterCall: true,
        execute: () => Effect.fail("Sold out")
      })
      const { output } = yield* run({ tools: [broken] }, once("order"))
      assert.strictEqual(output.content, "Done")
    }))
})

describe("the loop", () => {
  it.effect("the loop ends with an error when the model requests tools forever", () =>
    Effect.gen(function*() {
      const turns = Array.from({ length: AgentLoop.maxRequests }, () => [toolCall("add", { a: 1, b: 1 })])
      const { endEvent: last, output } = yield* run({ tools: [add] }, turns)
      assert.strictEqual(output.status, "ERROR")
      assert.strictEqual(
        output.content,
        `Agent 'agent' asked its model ${AgentLoop.maxRequests} times, which is the limit for a run, and the model ` +
          "still wants to call tools"
      )
      assert.strictEqual(last.event, "RunError")
    }))

  it.effect("the model gets every tool with its description and parameters", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [add, failing] }, [[text("Done")]])
      assert.deepStrictEqual(ran.calls[0]?.tools.map(({ name }) => name), ["add", "fail"])
      assert.deepStrictEqual(ran.calls[0]?.tools[0]?.schema, add.parameters)
    }))
})
