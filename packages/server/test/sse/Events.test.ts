// Every kind of event that an agent's run can produce, with its payload.
import { assert, describe, it } from "@effect/vitest"
import * as Hook from "@svc-runtime/agents/agent/define/Hook"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Schema } from "effect"
import { always, type Frame, hasKeys, kindsOf, runFrames, second, serve } from "../Wire.ts"
import { assistant, broken, details, down, lookedUp, lookup, toolUser, twice, used } from "../wire/Fixtures.ts"

Tier.oneIn(6)

const base = [
  "created_at",
  "event",
  "agent_id",
  "agent_name",
  "run_id",
  "session_id",
  "nested_depth",
  "event_index"
]

const only = (all: ReadonlyArray<Frame>, kind: string) =>
  all.filter((frame) => frame.kind === kind).map(({ data }) => data)

/** The one event of a kind, which has the base fields and these. */
const one = (all: ReadonlyArray<Frame>, kind: string, payload: Record<string, unknown>) => {
  const found = only(all, kind)
  assert.strictEqual(found.length, 1, `${kind} in ${kindsOf(all).join(" ")}`)
  hasKeys(found[0], ...base, ...Object.keys(payload))
  const rest = Object.fromEntries(Object.entries(found[0]!).filter(([key]) => !base.includes(key)))
  assert.deepStrictEqual(rest, payload)
}

const model = { model: "scripted", model_provider: "Scripted" }

const stream = (agent: Agent.Agent, fields: Record<string, string> = {}) =>
  Effect.flatMap(serve({ agents: [agent] }), (server) => runFrames(server, agent.id, { message: "hi", ...fields }))

const request = ["ModelRequestStarted", "ModelRequestCompleted"]
const tool = ["ToolCallStarted", "ToolCallCompleted"]

describe("a run with a tool", () => {
  it.effect("a run with a tool starts, requests, calls, requests again, answers and completes", () =>
    Effect.gen(function*() {
      const { agent } = yield* assistant
      const all = yield* stream(agent, { session_state: "{\"n\":1}", metadata: "{\"m\":2}" })
      assert.deepStrictEqual(kindsOf(all), [
        "RunStarted",
        ...request,
        ...tool,
        "ModelRequestStarted",
        "RunContent",
        "RunContent",
        "ModelRequestCompleted",
        "RunContentCompleted",
        "RunCompleted"
      ])
      one(all, "RunStarted", model)
      const { metrics: _, ...call } = lookedUp(second)
      one(all, "ToolCallStarted", { tool: { ...call, metrics: null, result: null, tool_call_error: null } })
      one(all, "ToolCallCompleted", {
        content: "lookup(query=tea) completed in 0.0000s. ",
        tool: lookedUp(second)
      })
      one(all, "RunContentCompleted", {})
      one(all, "RunCompleted", {
        content: "Tea is a leaf.",
        content_type: "str",
        session_state: { n: 1 },
        metrics: { ...twice, time_to_first_token: 0, duration: 0, details: details(twice) },
        metadata: { m: 2 }
      })
      hasKeys(only(all, "ModelRequestStarted")[0], ...base, ...Object.keys(model))
      const completed = only(all, "ModelRequestCompleted")[0]
      const zeros = { reasoning_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 }
      const counted = { input_tokens: 10, output_tokens: 5, total_tokens: 15, ...zeros, time_to_first_token: 0 }
      hasKeys(completed, ...base, ...Object.keys({ ...model, ...counted }))
      assert.deepInclude(completed, { ...model, ...counted })
      const content = only(all, "RunContent")
      for (const event of content) {
        hasKeys(event, ...base, "content", "workflow_agent", "content_type", "reasoning_content")
        assert.deepInclude(event, { workflow_agent: false, content_type: "str", reasoning_content: "" })
      }
      assert.deepStrictEqual(content.map((event) => event["content"]), ["Tea is", " a leaf."])
    }))

  it.effect("a tool that throws shows both its completion and its error, in this order", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(Script.toolCall("broken", {}, "c"))
      const all = yield* stream(Agent.make({ id: "a", model: script.model, tools: [broken] }))
      assert.deepStrictEqual(kindsOf(all).slice(0, 6), ["RunStarted", ...request, ...tool, "ToolCallError"])
      const completed = only(all, "ToolCallCompleted")[0]?.["tool"]
      one(all, "ToolCallError", { tool: completed, error: "no luck" })
      assert.deepInclude(completed, { tool_call_error: true, result: "no luck" })
      assert.strictEqual(kindsOf(all).at(-1), "RunCompleted")
    }))

  it.effect("a call of an unknown tool has no tool events", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(Script.toolCall("nope", {}))
      const all = yield* stream(Agent.make({ id: "a", model: script.model, tools: [lookup] }))
      assert.deepStrictEqual(kindsOf(all).filter((kind) => kind.startsWith("Tool")), [])
      assert.strictEqual(kindsOf(all).at(-1), "RunCompleted")
    }))

  it.effect("several tool calls all start before the first has ended", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const fast = Tool.make({ name: "fast", execute: () => Effect.as(Deferred.succeed(gate, undefined), "fast") })
      const slow = Tool.make({ name: "slow", execute: () => Effect.as(Deferred.await(gate), "slow") })
      const script = yield* toolUser(Script.toolCall("slow", {}, "1"), Script.toolCall("fast", {}, "2"))
      const all = yield* stream(Agent.make({ id: "a", model: script.model, tools: [slow, fast] }))
      const tools = all.filter(({ kind }) => kind.startsWith("Tool"))
        .map(({ data, kind }) => `${kind} ${(data["tool"] as { tool_name: string }).tool_name}`)
      assert.deepStrictEqual(tools.slice(0, 2), ["ToolCallStarted slow", "ToolCallStarted fast"])
      assert.sameMembers(tools.slice(2), ["ToolCallCompleted slow", "ToolCallCompleted fast"])
    }))
})

describe("reasoning", () => {
  it.effect("the reasoning of the model comes as content events without content", () =>
    Effect.gen(function*() {
      const script = yield* always(Script.reasoning("Hm", "m"), Script.text("Hi"))
      const all = yield* stream(Agent.make({ id: "a", model: script.model }))
      const content = only(all, "RunContent")
      assert.deepStrictEqual(content.map((event) => event["reasoning_content"]), ["Hm", "m", ""])
      hasKeys(content[0], ...base, "workflow_agent", "content_type", "reasoning_content")
      assert.strictEqual(only(all, "RunCompleted")[0]?.["reasoning_content"], "Hmm")
    }))

  it.effect("reasoning in steps comes before the first request, each step with all thoughts so far", () =>
    Effect.gen(function*() {
      const thought = (title: string, next_action: string) => ({
        title,
        action: "look",
        result: "found",
        reasoning: "because",
        next_action,
        confidence: 0.5
      })
      const first = thought("One", "continue")
      const last = thought("Two", "final_answer")
      const script = yield* Script.make([
        [Script.reasoning("Let me"), Script.text(JSON.stringify(first))],
        [Script.text(JSON.stringify(last))],
        [Script.text("Done."), used]
      ])
      const all = yield* stream(Agent.make({ id: "a", model: script.model, reasoning: true }))
      assert.deepStrictEqual(kindsOf(all), [
        "RunStarted",
        "ReasoningStarted",
        "ReasoningContentDelta",
        "ReasoningStep",
        "ReasoningStep",
        "ReasoningCompleted",
        "ModelRequestStarted",
        "RunContent",
        "ModelRequestCompleted",
        "RunContentCompleted",
        "RunCompleted"
      ])
      one(all, "ReasoningStarted", {})
      one(all, "ReasoningContentDelta", { reasoning_content: "Let me" })
      one(all, "ReasoningCompleted", {
        content: { reasoning_steps: [first, last] },
        content_type: "ReasoningSteps"
      })
      const steps = only(all, "ReasoningStep")
      assert.deepStrictEqual(steps.map((step) => step["content"]), [first, last])
      assert.deepStrictEqual(steps.map((step) => step["content_type"]), ["ReasoningStep", "ReasoningStep"])
      assert.match(String(steps[0]?.["reasoning_content"]), /^## One/)
      assert.match(String(steps[1]?.["reasoning_content"]), /## One[^]*## Two/)
      assert.deepStrictEqual(only(all, "RunCompleted")[0]?.["reasoning_steps"], [first, last])
    }))
})

describe("structured answers", () => {
  it.effect("a structured answer comes as one whole object", () =>
    Effect.gen(function*() {
      const Movie = Schema.Struct({ title: Schema.String }).annotate({ title: "Movie" })
      const script = yield* always(Script.text("{\"ti", "tle\":\"Ran\"}"))
      const all = yield* stream(Agent.make({ id: "a", model: script.model, outputSchema: Movie }))
      one(all, "RunContent", {
        content: { title: "Ran" },
        content_type: "Movie",
        workflow_agent: false,
        reasoning_content: ""
      })
      assert.deepInclude(only(all, "RunCompleted")[0], { content: { title: "Ran" }, content_type: "Movie" })
    }))
})

describe("hooks", () => {
  const hook = (name: string): Hook.Hook => ({ name, run: () => undefined })

  it.effect("hooks are shown in pairs: before the first request, and after the content", () =>
    Effect.gen(function*() {
      const script = yield* always(Script.text("Hi"))
      const all = yield* stream(
        Agent.make({ id: "a", model: script.model, preHooks: [hook("one"), hook("two")], postHooks: [hook("three")] })
      )
      assert.deepStrictEqual(kindsOf(all), [
        "RunStarted",
        "PreHookStarted",
        "PreHookCompleted",
        "PreHookStarted",
        "PreHookCompleted",
        "ModelRequestStarted",
        "RunContent",
        "ModelRequestCompleted",
        "RunContentCompleted",
        "PostHookStarted",
        "PostHookCompleted",
        "RunCompleted"
      ])
      assert.deepStrictEqual(only(all, "PreHookStarted").map((event) => event["pre_hook_name"]), ["one", "two"])
      for (const event of [...only(all, "PreHookStarted"), ...only(all, "PreHookCompleted")]) {
        hasKeys(event, ...base, "pre_hook_name", "run_input")
        assert.deepStrictEqual(event["run_input"], { input_content: "hi" })
      }
      one(all, "PostHookStarted", { post_hook_name: "three" })
      one(all, "PostHookCompleted", { post_hook_name: "three" })
    }))

  const refusing: Hook.Hook = {
    name: "guard",
    run: () => Effect.fail(new Hook.CheckFailed({ reason: "prompt_injection", message: "Not this." }))
  }

  it.effect.each(
    [
      ["preHooks", ["RunStarted", "PreHookStarted", "RunError"], "input_check_error"],
      [
        "postHooks",
        [
          "RunStarted",
          "ModelRequestStarted",
          "RunContent",
          "ModelRequestCompleted",
          "RunContentCompleted",
          "PostHookStarted",
          "RunError"
        ],
        "output_check_error"
      ]
    ] as const
  )("a hook that refuses ends the run with its reason: %s", ([when, kinds, type]) =>
    Effect.gen(function*() {
      const script = yield* always(Script.text("Hi"))
      const all = yield* stream(Agent.make({ id: "a", model: script.model, [when]: [refusing] }))
      assert.deepStrictEqual(kindsOf(all), [...kinds])
      one(all, "RunError", { content: "Not this.", error_type: type, error_id: "prompt_injection" })
    }))
})

describe("failures", () => {
  it.effect("a failure of the model ends the run with RunError, and nothing follows", () =>
    Effect.gen(function*() {
      const { agent } = yield* down
      const all = yield* stream(agent)
      assert.deepStrictEqual(kindsOf(all), ["RunStarted", "ModelRequestStarted", "RunError"])
      const [error] = only(all, "RunError")
      hasKeys(error, ...base, "content", "error_type")
      assert.strictEqual(error?.["error_type"], "model_provider_error")
      assert.match(String(error?.["content"]), /provider is down/)
    }))

  it.effect("a failure in the middle of an answer leaves the text so far", () =>
    Effect.gen(function*() {
      const script = yield* always(Script.text("Half a"), Script.fail("gone"))
      const all = yield* stream(Agent.make({ id: "a", model: script.model }))
      assert.deepStrictEqual(kindsOf(all), ["RunStarted", "ModelRequestStarted", "RunContent", "RunError"])
    }))
})
