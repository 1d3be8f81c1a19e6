// What hooks remove from a run, on every wire: no answer, no stream, no stored run and no replay has it.
import { assert, describe, it } from "@effect/vitest"
import { Agent, Guardrail, type Hook, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { ask, at, get, run, serve } from "../Wire.ts"

Tier.oneIn(3)

const secrets = ["early", "late", "argument", "result", "thought"].map((name) => `${name}@example.org`)
const [early, late, argument, result, thought] = secrets

const turns: ReadonlyArray<Script.Turn> = [
  [Script.reasoning(`I think of ${thought}`), Script.text(`I ask `, `${early}`), Script.toolCall("look", { argument })],
  [Script.text("It is ", `${late}`)]
]

const look = Tool.make({
  name: "look",
  effects: "read",
  parameters: { type: "object", properties: { argument: { type: "string" } } },
  execute: (args, { emit }) => {
    emit({ seen: JSON.stringify(args) })
    return `Found ${result}`
  }
})

const message = "Who is it?"

const a2a = {
  jsonrpc: "2.0",
  id: 1,
  method: "SendStreamingMessage",
  params: { message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: message }] } }
}

const agui = {
  threadId: "agui",
  runId: "agui",
  state: {},
  messages: [{ id: "1", role: "user", content: message }],
  tools: [],
  context: [],
  forwardedProps: {}
}

const chat = {
  id: "chat",
  messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: message }] }],
  trigger: "submit-message"
}

const protocol = "2026-07-28"
const mcp = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "run_agent",
    arguments: { agent_id: "a", message },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": protocol,
      "io.modelcontextprotocol/clientCapabilities": {}
    }
  }
}

const completions = { model: "agents/a", messages: [{ role: "user", content: message }] }

const wires: ReadonlyArray<[name: string, path: string, body: object, headers?: Readonly<Record<string, string>>]> = [
  ["A2A", "/a2a/agents/a", a2a, { "a2a-version": "1.0" }],
  ["AG-UI", "/agents/a/agui", agui],
  ["the UI message stream", "/agents/a/chat", chat],
  ["completions of OpenAI", "/v1/chat/completions", completions],
  ["streamed completions", "/v1/chat/completions", { ...completions, stream: true }],
  ["responses of OpenAI", "/v1/responses", { model: "agents/a", input: message, stream: true }],
  ["MCP", "/mcp", mcp, {
    host: "localhost",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": protocol,
    "mcp-method": "tools/call",
    "mcp-name": "run_agent"
  }]
]

const serving = Effect.gen(function*() {
  const { model } = yield* Script.make([...turns, ...turns])
  const hooks = [Guardrail.pii({ on: ["input", "output", "results", "arguments"] })]
  const agent = Agent.make({ id: "a", model, tools: [look], hooks, storeEvents: true })
  const team = Team.make({ id: "t", model, members: [Agent.make({ id: "m", model })], tools: [look], hooks })
  const workflow = Workflow.make({ id: "w", steps: [Step.make({ name: "one", agent })] })
  return yield* serve({ agents: [agent], teams: [team], workflows: [workflow] })
})

const assertRemoved = (text: string) => {
  assert.include(text, "[EMAIL]")
  for (const secret of secrets) assert.notInclude(text, secret)
}

describe("what hooks remove", () => {
  it.effect.each(wires)("no answer over %s has it", ([, path, body, headers = {}]) =>
    Effect.gen(function*() {
      const server = yield* serving
      const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }
      const { text } = yield* ask(server, path, { ...init, headers: { ...init.headers, ...headers } })
      assertRemoved(text)
    }))

  it.effect.each(["agents/a", "teams/t", "workflows/w"])(
    "no run, stream, replay or session of /%s has it",
    (path) =>
      Effect.gen(function*() {
        const server = yield* serving
        const fields = { message, session_id: "s", run_id: "r", stream_events: "true" }
        const live = yield* ask(server, `/${path}/runs`, { method: "POST", body: new URLSearchParams(fields) })
        const type = path.slice(0, path.indexOf("s/"))
        const again = yield* get(server, `/${path}/runs/r/events?session_id=s`)
        const stored = yield* get(server, `/sessions/s/runs?type=${type}`)
        for (const { text } of [live, again, stored]) assertRemoved(text)
        const log = server.logs.map((line) => JSON.stringify(line)).join()
        for (const secret of secrets) assert.notInclude(log, secret)
      })
  )

  it.effect("a run that is cancelled while a hook sees its answer does not store the answer", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const hook: Hook.RunHook = {
        name: "slow",
        afterRun: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      }
      const { model } = yield* Script.make([[Script.text(`It is ${late}`)]])
      const server = yield* serve({ agents: [Agent.make({ id: "a", model, hooks: [hook] })] })
      yield* run(server, "a", { message, session_id: "s", run_id: "r", stream: "false", background: "true" })
      yield* Deferred.await(begun)
      yield* ask(server, "/agents/a/runs/r/cancel", { method: "POST" })
      const read = get(server, "/sessions/s/runs/r?type=agent")
      const { json, text } = yield* Effect.repeat(read, { until: ({ json }) => at(json, "status") === "CANCELLED" })
      assert.strictEqual(at(json, "status"), "CANCELLED")
      assert.notInclude(text, "late@example.org")
    }))
})
