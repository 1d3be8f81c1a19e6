// Tools that the provider executes, on the wire of OpenAI's Responses API.
import { createOpenAI } from "@ai-sdk/openai"
import { assert, describe, it } from "@effect/vitest"
import * as Hook from "@svc-runtime/agents/agent/define/Hook"
import * as ProviderTool from "@svc-runtime/engine/tool/ProviderTool"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as OpenAiResponses from "@svc-runtime/test-support/wire/OpenAiResponses"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Effect } from "effect"
import * as McpTools from "../../src/mcpClient/McpTools.ts"
import { at, column, get, list, run, runWhole, serve } from "../Wire.ts"

Tier.oneIn(3)

const search = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "tea", sources: [{ type: "url", url: "https://tea.example/" }] }
}

const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{
    type: "output_text",
    text: "Tea is a leaf.",
    annotations: [{ type: "url_citation", start_index: 0, end_index: 3, url: "https://tea.example/", title: "Tea" }]
  }]
}

const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "add", arguments: "{}", status: "completed" }

const usage = {
  input_tokens: 1,
  output_tokens: 1,
  total_tokens: 2,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 }
}

const reply = (output: ReadonlyArray<object>) =>
  Reply.raw(
    JSON.stringify({ id: "resp_1", object: "response", created_at: 1, status: "completed", model: "m", output, usage })
  )

const serving = (...answers: ReadonlyArray<ReadonlyArray<object>>) => servingWith([], ...answers)

const servingWith = Effect.fnUntraced(function*(
  hooks: ReadonlyArray<Hook.RunHook>,
  ...answers: ReadonlyArray<ReadonlyArray<object>>
) {
  const provider = yield* OpenAiResponses.make
  const replies = answers.map(reply)
  yield* provider.script(...replies)
  const openai = createOpenAI({ apiKey: "key", baseURL: provider.url })
  const agent = Agent.make({
    id: "a",
    model: openai.responses("gpt-5"),
    hooks,
    tools: [
      ProviderTool.make("search", openai.tools.webSearch({ searchContextSize: "low" })),
      Tool.make({ name: "add", requiresConfirmation: true, execute: () => "3" })
    ]
  })
  return { provider, server: yield* serve({ agents: [agent] }) }
})

describe("a tool that the provider executes", () => {
  it.effect("the tool is requested with its settings, and the run shows the call, its result and the sources", () =>
    Effect.gen(function*() {
      const { provider, server } = yield* serving([search, message])
      const { json } = yield* runWhole(server, "a", { message: "Hi" })
      const [request] = yield* provider.requests
      assert.deepInclude(list(request?.body, "tools"), { type: "web_search", search_context_size: "low" })
      assert.strictEqual(at(json, "content"), "Tea is a leaf.")
      const [tool] = list(json, "tools")
      assert.deepInclude(tool, { tool_name: "search", tool_call_id: "ws_1", tool_call_error: false })
      assert.include(String(at(tool, "result")), "https://tea.example/")
      assert.deepStrictEqual(column(list(json, "citations", "urls"), "url"), ["https://tea.example/"])
    }))

  it.effect("a streamed run has the events of the call", () =>
    Effect.gen(function*() {
      const { provider, server } = yield* serving()
      const whole = { id: "resp_1", object: "response", created_at: 1, model: "m", output: [], usage: null }
      const text = { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0 }
      const events = [
        { type: "response.created", response: { ...whole, status: "in_progress" } },
        { type: "response.output_item.added", output_index: 0, item: { ...search, status: "in_progress" } },
        { type: "response.output_item.done", output_index: 0, item: search },
        { type: "response.output_item.added", output_index: 1, item: { ...message, content: [] } },
        { ...text, delta: "Tea is a leaf." },
        { type: "response.output_item.done", output_index: 1, item: message },
        { type: "response.completed", response: { ...whole, status: "completed", output: [search, message], usage } }
      ].map((event, sequence_number) => `data: ${JSON.stringify({ ...event, sequence_number })}\n\n`)
      yield* provider.script(Reply.raw(events.join(""), "text/event-stream"))
      const { text: shown } = yield* run(server, "a", { message: "Hi", stream: "true", stream_events: "true" })
      const order = [...shown.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)
      assert.isBelow(order.indexOf("ToolCallStarted"), order.indexOf("ToolCallCompleted"))
      assert.include(shown, `"tool_name":"search"`)
      assert.include(order, "RunCompleted")
    }))

  it.effect("the agent's details name it", () =>
    Effect.gen(function*() {
      const { server } = yield* serving([message])
      const { json } = yield* get(server, "/agents/a")
      assert.deepStrictEqual(column(list(json, "tools", "tools"), "name"), ["add", "search"])
    }))

  it.effect("the registry lists it, and a tool source as a toolkit", () =>
    Effect.gen(function*() {
      const openai = createOpenAI({ apiKey: "key" })
      const search = ProviderTool.make("search", openai.tools.webSearch())
      const source = McpTools.make({ name: "tickets", url: "https://tickets.example/mcp" })
      const agent = Agent.make({ id: "a", tools: [search, source], toolChoice: { tool: "search" } })
      const { json } = yield* get(yield* serve({ agents: [agent] }), "/registry?resource_type=tool")
      const listed = list(json, "data").map((tool) => [at(tool, "name"), at(tool, "metadata", "is_toolkit")])
      assert.deepStrictEqual(listed, [["search", false], ["tickets", true]])
    }))

  it("a tool that its provider does not execute is refused, and so is a name twice", () => {
    assert.throws(() => ProviderTool.make("t", { type: "function" }), "Tool 't' is no tool that a provider executes")
    const openai = createOpenAI({ apiKey: "key" })
    const tools = [ProviderTool.make("t", openai.tools.webSearch()), Tool.make({ name: "t", execute: () => 1 })]
    assert.throws(() => Agent.make({ id: "a", tools }), "two tools called 't'")
  })
})

describe("a run that pauses after a call of the provider", () => {
  it.effect("the run shows the call of the provider again, once, when it continues", () =>
    Effect.gen(function*() {
      const { provider, server } = yield* serving([search, call], [message])
      const paused = yield* run(server, "a", { message: "Hi", stream: "false", session_id: "s", run_id: "r" })
      assert.strictEqual(at(paused.json, "status"), "PAUSED")
      const tools = list(paused.json, "tools").slice(1).map((tool) => ({ ...(tool as object), confirmed: true }))
      const response = yield* server.fetch("/agents/a/runs/r/continue", {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false", tools: JSON.stringify(tools) })
      })
      const json = yield* Effect.promise(() => response.json())
      assert.deepStrictEqual(column(list(json, "tools"), "tool_name"), ["search", "add"])
      assert.lengthOf(yield* provider.requests, 2)
    }))
})

const guard: Hook.RunHook = {
  name: "guard",
  afterTool: ({ result }) => Hook.change(result.replaceAll("tea.example", "***"))
}

describe("hooks after a call of the provider", () => {
  it.effect("the result is shown, stored and sent again only as the hooks have left it", () =>
    Effect.gen(function*() {
      const { provider, server } = yield* servingWith([guard], [search, call], [{
        ...message,
        content: [{ ...message.content[0], annotations: [] }]
      }])
      const paused = yield* run(server, "a", { message: "Hi", stream: "false", session_id: "s", run_id: "r" })
      assert.strictEqual(at(paused.json, "status"), "PAUSED")
      const tools = list(paused.json, "tools").slice(1).map((tool) => ({ ...(tool as object), confirmed: true }))
      const response = yield* server.fetch("/agents/a/runs/r/continue", {
        method: "POST",
        body: new URLSearchParams({ session_id: "s", stream: "false", tools: JSON.stringify(tools) })
      })
      const json = yield* Effect.promise(() => response.json())
      assert.deepStrictEqual(column(list(json, "tools"), "tool_name"), ["search", "add"])
      assert.include(String(at(list(json, "tools")[0], "result")), "***")
      const stored = yield* get(server, "/sessions/s/runs/r")
      assert.notInclude(JSON.stringify([paused.json, json, stored.json]), "tea.example")
      const [, second] = yield* provider.requests
      assert.notMatch(JSON.stringify(second?.body), /tea\.example|ws_1/)
      assert.include(JSON.stringify(second?.body), "function_call_output")
    }))

  it.effect("a hook that rejects it ends the run before it is shown", () =>
    Effect.gen(function*() {
      const reject: Hook.RunHook = {
        name: "guard",
        afterTool: () => {
          throw new Hook.CheckFailed({ reason: "prompt_injection", message: "Not here" })
        }
      }
      const { server } = yield* servingWith([reject], [search, message])
      const { json } = yield* runWhole(server, "a", { message: "Hi" })
      assert.strictEqual(at(json, "status"), "ERROR")
      assert.notInclude(JSON.stringify(json), "tea.example")
    }))
})
