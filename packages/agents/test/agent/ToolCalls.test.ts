import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { finish, text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { z } from "zod"
import { add, failing, once } from "./CalledTools.ts"
import { eventsOf, linesOf, rolesOf, run } from "./Harness.ts"

const returning = (value: unknown, name = "tool") => Tool.make({ name, execute: () => value })

describe("a tool call", () => {
  it.effect("a tool call is executed, and the model continues with the result", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [add] }, [
        [text("I add."), toolCall("add", { a: 1, b: 2 })],
        [text("It is 3.")]
      ])
      assert.strictEqual(ran.output.status, "COMPLETED")
      assert.strictEqual(ran.output.content, "It is 3.")
      assert.deepStrictEqual(linesOf(ran.calls[1]), [
        "user: Hi",
        `assistant: I add. | call add {"a":1,"b":2}`,
        "tool: result 3"
      ])
    }))

  it.effect("the run's messages have the call as requested, and its answer with it", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [add] }, once("add", { a: 1, b: 2 }))
      const [, request, answered] = output.messages ?? []
      assert.deepStrictEqual(request?.tool_calls, [
        { id: "call_1", type: "function", function: { name: "add", arguments: `{"a":1,"b":2}` } }
      ])
      assert.strictEqual(request?.content, undefined)
      assert.strictEqual(answered?.role, "tool")
      assert.strictEqual(answered?.content, "3")
      assert.strictEqual(answered?.tool_call_id, "call_1")
      assert.strictEqual(answered?.tool_name, "add")
      assert.deepStrictEqual(answered?.tool_args, { a: 1, b: 2 })
      assert.strictEqual(answered?.tool_call_error, false)
    }))

  it.effect("the run's tools have the call with its result and its duration", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(
        run(
          { tools: [Tool.make({ name: "slow", execute: () => Effect.as(Effect.sleep("1500 millis"), "ok") })] },
          once("slow")
        )
      )
      yield* TestClock.adjust("1500 millis")
      const { output } = yield* Fiber.join(fiber)
      const [tool] = output.tools ?? []
      assert.strictEqual(tool?.tool_name, "slow")
      assert.strictEqual(tool?.result, "ok")
      assert.strictEqual(tool?.tool_call_error, false)
      assert.deepStrictEqual(tool?.metrics, { start_time: 0, end_time: 1.5, duration: 1.5 })
    }))

  it.effect("a call has an event before it, and one line of text when it is finished", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [add] }, once("add", { a: 1, b: 2 }))
      const [started] = eventsOf(ran, "ToolCallStarted")
      const [completed] = eventsOf(ran, "ToolCallCompleted")
      assert.isNull(started?.tool.result)
      assert.isNull(started?.tool.metrics)
      assert.strictEqual(completed?.tool.result, "3")
      assert.strictEqual(completed?.content, "add(a=1, b=2) completed in 0.0000s. ")
    }))

  it.effect.each<[string, unknown, string]>([
    ["a text stays as it is", "tea & cake", "tea & cake"],
    ["an object becomes JSON", { a: [1, null] }, `{"a":[1,null]}`],
    ["a list becomes JSON", [1, "two"], `[1,"two"]`],
    ["a number becomes JSON", 1.5, "1.5"],
    ["null becomes JSON", null, "null"],
    ["a date becomes JSON", new Date(0), `"1970-01-01T00:00:00.000Z"`],
    ["nothing becomes an empty text", undefined, ""],
    ["a large integer becomes its digits", 12n, `"12n"`],
    ["what has no JSON says nothing", Symbol("s"), ""],
    ["an error becomes its message", new TypeError("No tea"), "TypeError: No tea"],
    [
      "an error within a value becomes its message",
      { failed: new Error("No tea") },
      `{"failed":{"error":"Error: No tea"}}`
    ],
    ["a map with names becomes an object", new Map([["tea", 2]]), `{"tea":2}`],
    ["another map becomes its pairs", new Map([[1, new Set(["a"])]]), `[[1,["a"]]]`],
    ["a set becomes a list", new Set([1, 2]), "[1,2]"]
  ])("the result of a tool is written as text: %s", ([, value, expected]) =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [returning(value)] }, once("tool"))
      assert.strictEqual(output.status, "COMPLETED")
      assert.strictEqual(output.messages?.at(-2)?.content, expected)
      assert.strictEqual(output.tools?.[0]?.result, expected)
    }))

  it.effect("a result that contains itself says where", () =>
    Effect.gen(function*() {
      const cyclic: Record<string, unknown> = { name: "loop" }
      cyclic["self"] = cyclic
      const { output } = yield* run({ tools: [returning(cyclic)] }, once("tool"))
      assert.strictEqual(output.status, "COMPLETED")
      assert.strictEqual(output.tools?.[0]?.result, `{"name":"loop","self":"(circular)"}`)
    }))

  it.effect("a result that cannot be written as JSON is a failed call", () =>
    Effect.gen(function*() {
      const stubborn = {
        toJSON: () => {
          throw new Error("No")
        }
      }
      const { output } = yield* run({ tools: [returning(stubborn)] }, once("tool"))
      assert.strictEqual(output.status, "COMPLETED")
      assert.strictEqual(output.tools?.[0]?.tool_call_error, true)
      assert.include(output.tools?.[0]?.result, "cannot be written as JSON")
    }))

  it.effect.each([
    [new Response("{}"), "a Response: return await response.json() or response.text()"],
    [{ found: Promise.resolve(1) }, "a promise: write await before it"],
    [[new Blob(["a"]).stream()], "a stream: return what is in it"],
    [new Map([["a", 1]]).values(), "an iterator or a generator: return what is in it"],
    [() => 1, "a function: call it, and return what it gives"]
  ])(
    "a result that the author has not read is a failed call that says what to do: %#",
    ([value, sentence]) =>
      Effect.gen(function*() {
        const { output } = yield* run({ tools: [returning(value)] }, once("tool"))
        assert.strictEqual(output.status, "COMPLETED")
        assert.strictEqual(output.tools?.[0]?.tool_call_error, true)
        assert.include(output.tools?.[0]?.result, `The tool has run, but its result is ${sentence}`)
      })
  )
})

describe("a call that fails", () => {
  it.effect("a failed call is answered with its error, and the run continues", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [failing] }, once("fail"))
      assert.strictEqual(ran.output.status, "COMPLETED")
      assert.strictEqual(ran.output.content, "Done")
      const answered = ran.output.messages?.at(-2)
      assert.strictEqual(answered?.content, "Out of order")
      assert.strictEqual(answered?.tool_call_error, true)
      assert.strictEqual(ran.output.tools?.[0]?.tool_call_error, true)
      assert.strictEqual(eventsOf(ran, "ToolCallError")[0]?.error, "Out of order")
    }))

  it.effect("a call that dies or interrupts itself does not end the run", () =>
    Effect.gen(function*() {
      for (const effect of [Effect.die(new Error("Broken")), Effect.interrupt, Effect.die(undefined)]) {
        const { output } = yield* run({ tools: [returning(effect)] }, once("tool"))
        assert.strictEqual(output.status, "COMPLETED")
        assert.strictEqual(output.tools?.[0]?.tool_call_error, true)
      }
    }))

  it.effect.each<[string, unknown]>([
    ["of the wrong type", { a: "one", b: 2 }],
    ["that are missing", { a: 1 }],
    ["that are no JSON", `{"a": 1, `],
    ["that are JSON of something else", "[1, 2]"],
    ["that are empty", ""]
  ])(
    "a call with arguments %s fails, and the error says what is wrong with them",
    ([, params]) =>
      Effect.gen(function*() {
        const { output } = yield* run({ tools: [add] }, once("add", params))
        assert.strictEqual(output.status, "COMPLETED")
        assert.match(output.messages?.at(-2)?.content ?? "", /^Invalid arguments: /)
      })
  )

  it.effect("a call that the token limit has cut off is not made, and the result says so", () =>
    Effect.gen(function*() {
      const tool = Tool.make({
        name: "send",
        parameters: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        requiresConfirmation: true,
        execute: () => assert.fail("called")
      })
      const cut = [toolCall("send", `{"a": "Dear`), finish("length")]
      const { output } = yield* run({ tools: [tool] }, [cut, [text("Shorter")]])
      assert.strictEqual(output.status, "COMPLETED")
      assert.strictEqual(
        output.messages?.at(-2)?.content,
        "Not called: your answer was cut off at its token limit, so the arguments of 'send' are incomplete. " +
          "Call it again with shorter arguments, or split them over several calls"
      )
    }))

  it.effect("arguments that are JSON in a text are accepted", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [add] }, once("add", `{"a":1,"b":2}`))
      assert.strictEqual(output.tools?.[0]?.result, "3")
      assert.deepStrictEqual(output.tools?.[0]?.tool_args, { a: 1, b: 2 })
    }))

  it.effect("missing arguments are accepted for an object without required fields", () =>
    Effect.gen(function*() {
      const tool = Tool.make({
        name: "tool",
        parameters: Schema.Struct({ a: Schema.optionalKey(Schema.String) }),
        execute: ({ a }) => a ?? "none"
      })
      for (const params of ["", " ", null]) {
        const { output } = yield* run({ tools: [tool] }, once("tool", params))
        assert.strictEqual(output.tools?.[0]?.result, "none")
      }
    }))

  it.effect("a call that takes too long is a failed call", () =>
    Effect.gen(function*() {
      const slow = Tool.make({ name: "slow", timeout: "3 seconds", execute: () => new Promise(() => {}) })
      const fiber = yield* Effect.forkChild(run({ tools: [slow] }, once("slow")))
      yield* TestClock.adjust("3 seconds")
      const { output } = yield* Fiber.join(fiber)
      assert.strictEqual(output.status, "COMPLETED")
      assert.strictEqual(output.tools?.[0]?.result, "The tool did not finish within 3s")
    }))

  it.effect("a call of an unknown tool has no events, and the model gets the list of tools", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [add, failing] }, once("fly", { to: "Rome" }))
      assert.strictEqual(ran.output.status, "COMPLETED")
      assert.strictEqual(ran.output.messages?.at(-2)?.content, "There is no tool 'fly'. Known tools: add, fail")
      assert.strictEqual(ran.output.messages?.at(-2)?.tool_call_error, true)
      assert.isUndefined(ran.output.tools)
      assert.isFalse(ran.kinds.some((kind) => kind.startsWith("ToolCall")))
    }))

  it.effect("an agent without tools answers a call of an unknown tool, too", () =>
    Effect.gen(function*() {
      const ran = yield* run({}, once("fly"))
      assert.strictEqual(ran.output.content, "Done")
      assert.strictEqual(ran.output.messages?.at(-2)?.content, "There is no tool 'fly'. There are no tools")
    }))
})

describe("calls of one request", () => {
  it.effect("calls of one request are executed in parallel, and answered in their order", () =>
    Effect.gen(function*() {
      const gates = { one: yield* Deferred.make<void>(), two: yield* Deferred.make<void>() }
      const bothBegan = yield* Deferred.make<void>()
      let begun = 0
      const wait = Tool.make({
        name: "wait",
        parameters: z.object({ gate: z.enum(["one", "two"]) }),
        execute: ({ gate }) => {
          if (++begun === 2) Deferred.doneUnsafe(bothBegan, Exit.void)
          return Effect.as(Deferred.await(gates[gate]), gate)
        }
      })
      const fiber = yield* Effect.forkChild(run({ tools: [wait] }, [
        [toolCall("wait", { gate: "one" }), toolCall("wait", { gate: "two" })],
        [text("Done")]
      ]))
      yield* Deferred.await(bothBegan)
      yield* Deferred.succeed(gates.two, undefined)
      yield* Effect.yieldNow
      yield* Deferred.succeed(gates.one, undefined)
      const ran = yield* Fiber.join(fiber)
      assert.deepStrictEqual(ran.output.messages?.slice(2, 4).map(({ content }) => content), ["one", "two"])
      assert.deepStrictEqual(ran.output.tools?.map(({ result }) => result), ["one", "two"])
      assert.deepStrictEqual(eventsOf(ran, "ToolCallCompleted").map(({ tool }) => tool.result), ["two", "one"])
    }))

  it.effect("a call that fails leaves the others alone", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [add, failing] }, [
        [toolCall("fail"), toolCall("fly"), toolCall("add", { a: 1, b: 1 })],
        [text("Done")]
      ])
      assert.deepStrictEqual(output.messages?.slice(2, 5).map(({ content }) => content), [
        "Out of order",
        "There is no tool 'fly'. Known tools: add, fail",
        "2"
      ])
    }))
})

describe("roles", () => {
  it.effect("a function of the arguments says which calls wait for a confirmation, once for each call", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const pay = Tool.make({
        name: "pay",
        parameters: z.object({ amount: z.int() }),
        requiresConfirmation: ({ amount }, { toolCallId }) => {
          seen.push([amount, toolCallId])
          return Promise.resolve(amount > 100)
        },
        execute: ({ amount }) => `paid ${amount}`
      })
      const turn = [toolCall("pay", { amount: 5 }), toolCall("pay", { amount: 500 }), toolCall("pay", { amount: "x" })]
      const paused = yield* run({ tools: [pay] }, [turn])
      assert.strictEqual(paused.output.status, "PAUSED")
      const shown = paused.output.tools?.map(({ requires_confirmation, result }) => [requires_confirmation, result])
      assert.deepStrictEqual(shown?.slice(0, 2), [[null, "paid 5"], [true, null]])
      assert.match(String(shown?.[2]?.[1]), /Invalid arguments/)
      const decision = { kind: "resolved", attempt: 1, decisions: [{ call: 1, confirmed: true }], requirements: [] }
      const journaled = [...paused.journal, decision]
      const resumed = yield* run({ tools: [pay] }, [[text("Done")]], { journaled })
      assert.strictEqual(resumed.output.tools?.[1]?.result, "paid 500")
      assert.deepStrictEqual(seen, [[5, "call_1"], [500, "call_2"]])
    }))

  it.effect("a call waits for a confirmation if the function fails or does not end in time", () =>
    Effect.gen(function*() {
      for (const asks of [() => Promise.reject(new Error("broken")), () => Effect.never]) {
        const tool = Tool.make({ name: "tool", requiresConfirmation: asks, timeout: "1 second", execute: () => "no" })
        const running = yield* Effect.forkChild(run({ tools: [tool] }, [[toolCall("tool")]]))
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(running)).output.status, "PAUSED")
      }
    }))

  it.effect("the roles of a run with tools follow the conversation", () =>
    Effect.gen(function*() {
      const ran = yield* run({ description: "You add.", tools: [add] }, once("add", { a: 1, b: 2 }))
      assert.deepStrictEqual(rolesOf(ran), ["system", "user", "assistant", "tool", "assistant"])
    }))
})
