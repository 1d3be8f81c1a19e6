// The order of a run's events, from start to end.
import { assert, describe, it } from "@effect/vitest"
import * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { reasoning, text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import * as Hook from "../../src/agent/define/Hook.ts"
import { eventsOf, type Ran, run } from "./Harness.ts"

const add = Tool.make({ name: "add", execute: () => 3 })
const broken = Tool.make({ name: "broken", execute: () => Effect.fail("No") })
const hook = (name: string, run: Hook.Hook["run"] = () => {}): Hook.Hook => ({ name, run })
const refuse = () => {
  throw new Hook.CheckFailed({ reason: "off_topic", message: "Not about tea" })
}

const request = (...between: ReadonlyArray<RunEvent.Kind>): ReadonlyArray<RunEvent.Kind> => [
  "ModelRequestStarted",
  ...between,
  "ModelRequestCompleted"
]
const ending: ReadonlyArray<RunEvent.Kind> = ["RunContentCompleted", "RunCompleted"]

const contents = (ran: Ran) => eventsOf(ran, "RunContent").map(({ content }) => content)

describe("the events of a run", () => {
  it.effect("a run that answers at once has the recorded events", () =>
    Effect.gen(function*() {
      const ran = yield* run({}, [[text("Hel", "lo")]])
      assert.deepStrictEqual(ran.kinds, ["RunStarted", ...request("RunContent", "RunContent"), ...ending])
      assert.deepStrictEqual(contents(ran), ["Hel", "lo"])
    }))

  it.effect("all events have the shape of the contract", () =>
    Effect.gen(function*() {
      const isEvent = Schema.is(RunEvent.RunEvent)
      const thought = {
        title: "T",
        action: "A",
        result: "R",
        reasoning: "W",
        next_action: "final_answer",
        confidence: 1
      }
      const ran = yield* run({
        tools: [add, broken],
        reasoning: true,
        preHooks: [hook("before")],
        postHooks: [hook("after")],
        metadata: { a: 1 }
      }, [
        [reasoning("Hm"), text(JSON.stringify(thought))],
        [reasoning("Well"), toolCall("add"), toolCall("broken")],
        [text("Done")]
      ])
      const base = {
        created_at: 0,
        agent_id: "agent",
        agent_name: "agent",
        run_id: "run",
        session_id: "session",
        nested_depth: 0,
        event_index: 0
      }
      for (const event of ran.events) assert.isTrue(isEvent({ ...base, ...event }), event.event)
      assert.isAbove(new Set(ran.kinds).size, 15)
    }))

  it.effect("a tool call has an event before and after it, between two requests", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [add] }, [[text("I add."), toolCall("add")], [text("3")]])
      assert.deepStrictEqual(ran.kinds, [
        "RunStarted",
        ...request("RunContent"),
        "ToolCallStarted",
        "ToolCallCompleted",
        ...request("RunContent"),
        ...ending
      ])
    }))

  it.effect("a tool that fails has its completed event first, then the error", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [broken] }, [[toolCall("broken")], [text("3")]])
      assert.deepStrictEqual(ran.kinds, [
        "RunStarted",
        ...request(),
        "ToolCallStarted",
        "ToolCallCompleted",
        "ToolCallError",
        ...request("RunContent"),
        ...ending
      ])
      assert.strictEqual(eventsOf(ran, "ToolCallCompleted")[0]?.tool.tool_call_error, true)
    }))

  it.effect("parallel tools are all started before the first has finished", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const first = Tool.make({ name: "first", execute: () => Deferred.await(begun) })
      const second = Tool.make({ name: "second", execute: () => Deferred.doneUnsafe(begun, Exit.void) })
      const ran = yield* run({ tools: [first, second] }, [[toolCall("first"), toolCall("second")], [text("3")]])
      assert.deepStrictEqual(ran.kinds.slice(3, 7), [
        "ToolCallStarted",
        "ToolCallStarted",
        "ToolCallCompleted",
        "ToolCallCompleted"
      ])
    }))

  it.effect("the thoughts of a reasoning model are pieces without content", () =>
    Effect.gen(function*() {
      const ran = yield* run({}, [[reasoning("Let me ", "see"), text("Yes")]])
      assert.deepStrictEqual(ran.kinds, ["RunStarted", ...request("RunContent", "RunContent", "RunContent"), ...ending])
      assert.deepStrictEqual(
        eventsOf(ran, "RunContent").map(({ content, reasoning_content }) => [content, reasoning_content]),
        [[undefined, "Let me "], [undefined, "see"], ["Yes", ""]]
      )
      assert.strictEqual(ran.output.reasoning_content, "Let me see")
      assert.strictEqual(ran.output.messages?.at(-1)?.reasoning_content, "Let me see")
      assert.strictEqual(eventsOf(ran, "RunCompleted")[0]?.reasoning_content, "Let me see")
    }))

  it.effect("each hook has a pair of events, before the model is asked or after it has answered", () =>
    Effect.gen(function*() {
      const ran = yield* run({
        preHooks: [hook("one"), hook("two")],
        postHooks: [hook("three")]
      }, [[text("Yes")]])
      assert.deepStrictEqual(ran.kinds, [
        "RunStarted",
        "PreHookStarted",
        "PreHookCompleted",
        "PreHookStarted",
        "PreHookCompleted",
        ...request("RunContent"),
        "RunContentCompleted",
        "PostHookStarted",
        "PostHookCompleted",
        "RunCompleted"
      ])
      assert.deepStrictEqual(
        eventsOf(ran, "PreHookStarted").map(({ pre_hook_name, run_input }) => [pre_hook_name, run_input]),
        [
          ["one", { input_content: "Hi" }],
          ["two", { input_content: "Hi" }]
        ]
      )
      assert.strictEqual(eventsOf(ran, "PostHookCompleted")[0]?.post_hook_name, "three")
    }))

  it.effect("a pre-hook that refuses has its start event, then the error, and nothing else", () =>
    Effect.gen(function*() {
      const ran = yield* run({ preHooks: [hook("no", refuse)] }, [])
      assert.deepStrictEqual(ran.kinds, ["RunStarted", "PreHookStarted", "RunError"])
    }))

  it.effect("a post-hook that refuses has the error in the place of the end", () =>
    Effect.gen(function*() {
      const ran = yield* run({ postHooks: [hook("no", refuse)] }, [[text("Yes")]])
      assert.deepStrictEqual(ran.kinds, [
        "RunStarted",
        ...request("RunContent"),
        "RunContentCompleted",
        "PostHookStarted",
        "RunError"
      ])
    }))

  it.effect("a run whose model fails has the pieces before it, then the error", () =>
    Effect.gen(function*() {
      const ran = yield* run({}, [[text("Half an"), Script.fail("It is down")]])
      assert.deepStrictEqual(ran.kinds, ["RunStarted", "ModelRequestStarted", "RunContent", "RunError"])
    }))

  it.effect("the start of the run and of each request names the model", () =>
    Effect.gen(function*() {
      const ran = yield* run({}, [[text("Yes"), Script.usage({ input: 7, output: 3, cacheRead: 2, reasoning: 1 })]])
      const names = { model: "scripted", model_provider: "Scripted" }
      assert.deepStrictEqual(ran.events[0], { event: "RunStarted", ...names })
      assert.deepStrictEqual(eventsOf(ran, "ModelRequestStarted"), [{ event: "ModelRequestStarted", ...names }])
      assert.deepStrictEqual(eventsOf(ran, "ModelRequestCompleted"), [{
        event: "ModelRequestCompleted",
        ...names,
        input_tokens: 7,
        output_tokens: 3,
        total_tokens: 10,
        time_to_first_token: 0,
        reasoning_tokens: 1,
        cache_read_tokens: 2,
        cache_write_tokens: 0
      }])
    }))

  it.effect("the last event has the whole answer, the state and the usage", () =>
    Effect.gen(function*() {
      const ran = yield* run({ metadata: { a: 1 } }, [[text("Hel", "lo")]], { sessionState: { b: 2 } })
      const { metrics, ...last } = eventsOf(ran, "RunCompleted")[0]!
      assert.deepStrictEqual(last, {
        event: "RunCompleted",
        content: "Hello",
        content_type: "str",
        session_state: { b: 2 },
        metadata: { a: 1 }
      })
      assert.deepStrictEqual(metrics, ran.output.metrics)
    }))
})

describe("streamed or not, a run gives the same output", () => {
  const turns: ReadonlyArray<Script.Turn> = [
    [reasoning("Hm"), text("I ", "add."), toolCall("add"), toolCall("broken"), Script.usage({ input: 5, output: 5 })],
    [
      text("It is ", "3."),
      Script.part({ type: "file", mediaType: "image/png", data: "AAAA" }),
      Script.part({ type: "source", sourceType: "url", id: "s", url: "https://example.com/", title: "Example" }),
      Script.usage({ input: 9, output: 2 })
    ]
  ]

  it.effect("a streamed run has the same messages, tools, media, citations and metrics as any other", () =>
    Effect.gen(function*() {
      const options = { tools: [add, broken], description: "You add." }
      const streamed = yield* run(options, turns, { stream: true })
      const whole = yield* run(options, turns, { stream: false })
      const strip = ({ output }: Ran) => ({
        ...output,
        messages: output.messages?.map(({ id: _, ...message }) => message)
      })
      assert.deepStrictEqual(strip(whole), strip(streamed))
      assert.deepStrictEqual(whole.output.images?.map(({ content, size }) => ({ content, size })), [
        { content: undefined, size: 3 }
      ])
      assert.deepStrictEqual(whole.output.citations, { urls: [{ url: "https://example.com/", title: "Example" }] })
      assert.deepStrictEqual(streamed.calls.map(({ method }) => method), ["streamText", "streamText"])
      assert.deepStrictEqual(whole.calls.map(({ method }) => method), ["generateText", "generateText"])
    }))

  it.effect("the pieces of a streamed answer are the answer", () =>
    Effect.gen(function*() {
      const ran = yield* run({}, [[text("a", "", "b", "c")]])
      assert.deepStrictEqual(contents(ran), ["a", "b", "c"])
      assert.strictEqual(ran.output.content, "abc")
    }))

  it.effect("a piece is shown before the next one is there", () =>
    Effect.gen(function*() {
      const shown = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const seen: Array<unknown> = []
      const turn = [
        text("first"),
        Script.wait(Effect.andThen(Deferred.succeed(shown, undefined), Deferred.await(gate))),
        text("second")
      ]
      const fiber = yield* Effect.forkChild(run({}, [turn], { onEvent: (event) => seen.push(event) }))
      yield* Deferred.await(shown)
      assert.strictEqual(seen.length, 3)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(fiber)).output.content, "firstsecond")
    }))
})
