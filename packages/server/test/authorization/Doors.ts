// Every way into a run beside the HTTP API: a request for each route and method of a protocol, and each tool of MCP.
import { assert } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import type { ScopeMappings } from "@svc-runtime/http/authorization/ScopeMappings"
import * as V03 from "@svc-runtime/protocols/a2a/V03"
import * as V10 from "@svc-runtime/protocols/a2a/V10"
import * as OpaqueId from "@svc-runtime/protocols/openai/OpaqueId"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import * as Mcp from "../mcp/Mcp.ts"
import { type Answer, at, serve } from "../Wire.ts"
import { used } from "../wire/Fixtures.ts"
import { call, closed, everything, token } from "./Closed.ts"

/** In all that is stored of the run. */
export const marker = "glade"

export interface Run {
  readonly run: string
  readonly session: string
  /** The id of what it waits for. */
  readonly question: string
  readonly requirements: ReadonlyArray<object>
}

export type Door = (run: Run) => (server: TestServer.TestServer, bearer: string) => Effect.Effect<Answer>

export const request = (
  path: string,
  method: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {}
): ReturnType<Door> =>
(server, bearer) =>
  call(server, {
    path,
    init: {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }
  }, bearer)

const user = { id: "m", role: "user", content: "hi", parts: [{ type: "text", text: "hi" }] }

const interrupt = (run: Run) => ({ interruptId: run.question, status: "resolved", payload: { approved: true } })

const agUi = (run: Run, more: object = {}) => ({
  threadId: run.session,
  runId: `${run.run}-new`,
  messages: [user],
  tools: [],
  context: [],
  state: {},
  forwardedProps: {},
  ...more
})

const answered = ({ question, run }: Run) => ({
  id: run,
  role: "assistant",
  parts: [{
    type: "dynamic-tool",
    toolName: "publish",
    toolCallId: "call",
    state: "approval-responded",
    input: { title: marker },
    approval: { id: question, approved: true }
  }]
})

const push = { id: "p", url: "https://192.0.2.1/hook" }
const message = ({ run, session }: Run) => ({ taskId: run, contextId: session, messageId: `${run}-message` })
const message10 = (run: Run) => ({ ...message(run), role: "ROLE_USER", parts: [{ text: "yes" }] })
const message03 = (run: Run) => ({
  ...message(run),
  kind: "message",
  role: "user",
  parts: [{ kind: "text", text: "yes" }]
})

/** What a method of A2A takes, of either version. */
const params = (method: string, run: Run): object => {
  if (/send|stream/i.test(method)) return { message: method in V10.methods ? message10(run) : message03(run) }
  const config = method in V10.methods ? push : { pushNotificationConfig: push, pushNotificationConfigId: "p" }
  return {
    ...config,
    id: /Push/.test(method) && method in V10.methods ? "p" : run.run,
    taskId: run.run,
    contextId: run.session
  }
}

const a2a = "/a2a/agents/press"

const methods: Readonly<Record<string, Door>> = Object.fromEntries(
  [...Object.keys(V10.methods), ...Object.keys(V03.methods)].map((method): [string, Door] => [
    `A2A ${method}`,
    (run) =>
      request(a2a, "POST", { jsonrpc: "2.0", id: 1, method, params: params(method, run) }, {
        "a2a-version": method in V10.methods ? "1.0" : "0.3"
      })
  ])
)

const rest = (version: "0.3" | "1.0"): Readonly<Record<string, Door>> => {
  const prefix = version === "1.0" ? "/a2a/agents/:id" : "/a2a/agents/:id/v1"
  const sent = (run: Run) => ({
    message: version === "1.0" ? message10(run) : { ...message10(run), content: [{ text: "yes" }] }
  })
  const at = (path: string) => `${prefix.replace(":id", "press")}${path}`
  const headers = { "a2a-version": version }
  const configs = (run: Run) => at(`/tasks/${run.run}/pushNotificationConfigs`)
  return {
    [`POST ${prefix}/message::send`]: (run) => request(at("/message:send"), "POST", sent(run), headers),
    [`POST ${prefix}/message::stream`]: (run) => request(at("/message:stream"), "POST", sent(run), headers),
    [`GET ${prefix}/tasks`]: (run) => request(at(`/tasks?contextId=${run.session}`), "GET", undefined, headers),
    [`GET ${prefix}/tasks/:task`]: (run) => request(at(`/tasks/${run.run}`), "GET", undefined, headers),
    [`POST ${prefix}/tasks/:task`]: (run) => request(at(`/tasks/${run.run}:cancel`), "POST", {}, headers),
    [`GET ${prefix}/tasks/:task/pushNotificationConfigs`]: (run) => request(configs(run), "GET", undefined, headers),
    [`POST ${prefix}/tasks/:task/pushNotificationConfigs`]: (run) => request(configs(run), "POST", push, headers),
    [`GET ${prefix}/tasks/:task/pushNotificationConfigs/:config`]: (run) =>
      request(`${configs(run)}/p`, "GET", undefined, headers),
    [`DELETE ${prefix}/tasks/:task/pushNotificationConfigs/:config`]: (run) =>
      request(`${configs(run)}/p`, "DELETE", undefined, headers)
  }
}

const response = ({ run, session }: Run) =>
  `/v1/responses/${OpaqueId.ofResponse({ run_id: run, session_id: session, model: "press" })}`

const callOutput = ({ run, session }: Run) => [{
  type: "function_call_output",
  call_id: OpaqueId.ofCall({ run_id: run, session_id: session, toolCallId: "call" }),
  output: "yes"
}]

const contract = (run: Run, name: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: `tasks/${name}`,
  params: { id: run.run, contextId: run.session }
})

export const routes: Readonly<Record<string, Door>> = {
  ...rest("1.0"),
  ...rest("0.3"),
  "POST /a2a/agents/:id": (run) =>
    request(a2a, "POST", { jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: run.run } }, {
      "a2a-version": "1.0"
    }),
  "GET /a2a/agents/:id/.well-known/agent-card.json": () => request(`${a2a}/.well-known/agent-card.json`, "GET"),
  "GET /a2a/agents/:id/extendedAgentCard": () => request(`${a2a}/extendedAgentCard`, "GET"),
  "GET /a2a/agents/:id/v1/card": () => request(`${a2a}/v1/card`, "GET"),
  "POST /a2a/agents/:id/v1/tasks::get": (run) => request(`${a2a}/v1/tasks:get`, "POST", contract(run, "get")),
  "POST /a2a/agents/:id/v1/tasks::cancel": (run) => request(`${a2a}/v1/tasks:cancel`, "POST", contract(run, "cancel")),
  "POST /a2a/message/send": (run) =>
    request("/a2a/message/send", "POST", {
      jsonrpc: "2.0",
      id: 1,
      method: "message/send",
      params: { message: { ...message03(run), agentId: "press", metadata: { agentId: "press" } } }
    }),
  "POST /a2a/message/stream": (run) =>
    request("/a2a/message/stream", "POST", {
      jsonrpc: "2.0",
      id: 1,
      method: "message/stream",
      params: { message: { ...message03(run), agentId: "press", metadata: { agentId: "press" } } }
    }),
  "POST /agents/:id/agui": (run) => request("/agents/press/agui", "POST", agUi(run, { resume: [interrupt(run)] })),
  "POST /agents/:id/chat": (run) =>
    request("/agents/press/chat", "POST", { id: run.session, messages: [answered(run)] }),
  "GET /agents/:id/chat/:chat_id/stream": (run) => request(`/agents/press/chat/${run.session}/stream`, "GET"),
  "POST /agents/:id/chat/:chat_id/stop": (run) => request(`/agents/press/chat/${run.session}/stop`, "POST"),
  "GET /copilotkit/info": () => request("/copilotkit/info", "GET"),
  "POST /copilotkit/agent/:id/run": (run) =>
    request("/copilotkit/agent/press/run", "POST", agUi(run, { resume: [interrupt(run)] })),
  "POST /copilotkit/agent/:id/connect": (run) => request("/copilotkit/agent/press/connect", "POST", agUi(run)),
  "POST /copilotkit/agent/:id/stop/:thread_id": (run) =>
    request(`/copilotkit/agent/press/stop/${run.session}`, "POST", {}),
  "GET /v1/models": () => request("/v1/models", "GET"),
  "GET /v1/models/:model": () => request("/v1/models/press", "GET"),
  "POST /v1/chat/completions": (run) =>
    request("/v1/chat/completions", "POST", {
      model: "press",
      session_id: run.session,
      messages: [user, {
        role: "assistant",
        tool_calls: [{ id: "call", type: "function", function: { name: "publish", arguments: "{}" } }]
      }, { role: "tool", tool_call_id: callOutput(run)[0]!.call_id, content: "yes" }]
    }),
  "POST /v1/responses": (run) =>
    request("/v1/responses", "POST", {
      model: "press",
      input: callOutput(run),
      previous_response_id: response(run).slice("/v1/responses/".length)
    }),
  "GET /v1/responses/:response_id": (run) => request(response(run), "GET"),
  "GET /v1/responses/:response_id/input_items": (run) => request(`${response(run)}/input_items`, "GET"),
  "POST /v1/responses/:response_id/cancel": (run) => request(`${response(run)}/cancel`, "POST")
}

/** Requests that the routes above take as well, and other requests of the API about a run. */
const more: Readonly<Record<string, Door>> = {
  "AG-UI that begins a branch": (run) => request("/agents/press/agui", "POST", agUi(run, { parentRunId: run.run })),
  "a chat that is answered again": (run) =>
    request("/agents/press/chat", "POST", {
      id: run.session,
      messages: [user],
      trigger: "regenerate-message",
      messageId: run.run
    }),
  "a response after another one": (run) =>
    request("/v1/responses", "POST", {
      model: "press",
      input: "hi",
      previous_response_id: response(run).slice("/v1/responses/".length)
    }),
  "a response with an item of another one": ({ run, session }) =>
    request("/v1/responses", "POST", {
      model: "press",
      input: [
        {
          type: "item_reference",
          id: OpaqueId.ofInput({ run_id: run, session_id: session, model: "press" })
        },
        user
      ]
    }),
  "a run after another one": (run) => (server, bearer) =>
    call(server, {
      path: "/agents/press/runs",
      init: {
        method: "POST",
        body: new URLSearchParams({
          message: "hi",
          stream: "false",
          session_id: run.session,
          previous_run_id: run.run
        })
      }
    }, bearer),
  "a run that is watched again": (run) => (server, bearer) =>
    call(server, {
      path: `/agents/press/runs/${run.run}/resume`,
      init: { method: "POST", body: new URLSearchParams({ session_id: run.session }) }
    }, bearer),
  "the messages of a run": (run) =>
    request(`/agents/press/runs/${run.run}/checkpoints?session_id=${run.session}`, "GET"),
  "a switch of the branch": (run) => request(`/sessions/${run.session}`, "PATCH", { current_run_id: run.run })
}

const inSession = (ask: (session: Mcp.Session) => Effect.Effect<unknown>): ReturnType<Door> => (server, bearer) =>
  Effect.gen(function*() {
    const json = yield* Effect.flatMap(Mcp.open(server, { bearer }), ask)
    return { status: 200, headers: new Headers(), text: JSON.stringify(json), json }
  })

const component = { agent_id: "press" }

export const tools: Readonly<Record<string, (run: Run) => object>> = {
  get_platform_config: () => ({}),
  run_agent: ({ session }) => ({ ...component, message: "hi", session_id: session }),
  run_team: ({ session }) => ({ team_id: "press", message: "hi", session_id: session }),
  run_workflow: ({ session }) => ({ workflow_id: "press", message: "hi", session_id: session }),
  continue_run: ({ requirements, run, session }) => ({
    ...component,
    run_id: run,
    session_id: session,
    requirements: requirements.map((each) => ({ ...each, confirmation: true }))
  }),
  cancel_run: ({ run, session }) => ({ ...component, run_id: run, session_id: session }),
  get_sessions: () => ({}),
  get_session_runs: ({ session }) => ({ session_id: session })
}

const task = (method: string): Door => ({ question, run }) => (server, bearer) => {
  const taskId = Buffer.from(JSON.stringify(["agent", "press", run])).toString("base64url")
  const version = "2026-07-28"
  return Mcp.post(server, {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      taskId,
      inputResponses: { [question]: { action: "accept", content: {} } },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {
          elicitation: {},
          extensions: { "io.modelcontextprotocol/tasks": {} }
        }
      }
    }
  }, {
    headers: {
      ...Mcp.authorized(bearer),
      "mcp-protocol-version": version,
      "mcp-method": method,
      "mcp-name": taskId
    }
  })
}

const mcp: Readonly<Record<string, Door>> = {
  ...Object.fromEntries(
    Object.entries(tools).map(([name, given]): [string, Door] => [
      `MCP ${name}`,
      (run) => inSession((session) => Mcp.send(session, "tools/call", { name, arguments: given(run) }))
    ])
  ),
  ...Object.fromEntries(["tasks/get", "tasks/update", "tasks/cancel"].map((name) => [`MCP ${name}`, task(name)])),
  "MCP get_session_runs of one run": ({ run, session }) =>
    inSession((opened) =>
      Mcp.send(opened, "tools/call", { name: "get_session_runs", arguments: { session_id: session, run_id: run } })
    ),
  "MCP resources/read": ({ session }) =>
    inSession((opened) => Mcp.send(opened, "resources/read", { uri: `svc://sessions/${session}` })),
  "MCP resources/read of an agent": () =>
    inSession((opened) => Mcp.send(opened, "resources/read", { uri: "svc://agents/press" }))
}

export const doors = Object.entries({ ...routes, ...methods, ...more, ...mcp })

export const all = [...everything, "finance:run"]

/** The component is made by a factory. Only the run that the tests look at has the marker. */
export const served = Effect.fnUntraced(function*(
  scopeMappings: ScopeMappings = { "POST /agents/*/runs": ["agents:run", "finance:run"] }
) {
  const seen = { built: 0, calls: 0, published: 0 }
  let title = "other"
  const publish = Tool.make({
    name: "publish",
    parameters: Schema.Struct({ title: Schema.String }),
    requiresConfirmation: true,
    execute: () => {
      seen.published += 1
      return "published"
    }
  })
  const asks = () => {
    seen.calls += 1
    return [Script.toolCall("publish", { title }, "call"), used]
  }
  const { model } = yield* Script.make(Array.from({ length: 500 }, () => asks))
  const factory = AgentFactory.make({
    id: "press",
    build: () => {
      seen.built += 1
      return Agent.make({ id: "press", model, tools: [publish] })
    }
  })
  const server = yield* serve({
    agents: [factory],
    authorization: {
      ...(yield* closed),
      scopeMappings,
      tenantClaim: "org",
      roles: { reader: ["memories:read", "agents:other:run"], everything: all }
    }
  })
  const titled = (given: string) => Effect.sync(() => void (title = given))
  return { titled, seen, server }
})

/** A run of Ann that waits for a confirmation. */
export const paused = Effect.fnUntraced(function*(
  { server, titled }: Effect.Success<ReturnType<typeof served>>,
  name: string,
  bearer: Effect.Effect<string> = token("ann", ...all)
) {
  const [run, session] = [`run-${name}`, `session-${name}`]
  const body = new URLSearchParams({ message: marker, stream: "false", run_id: run, session_id: session })
  const start = { path: "/agents/press/runs", init: { method: "POST", body } }
  yield* titled(marker)
  const { json, text } = yield* call(server, start, yield* bearer)
  yield* titled("other")
  assert.strictEqual(at(json, "status"), "PAUSED", text)
  const requirements = at(json, "requirements") as Run["requirements"]
  const made: Run = { run, session, requirements, question: String(at(requirements, 0, "id")) }
  return made
})

/** These wait for the end of a paused run. */
export const waits = ([name]: (typeof doors)[number]) => /subscribe|^POST \/a2a\/agents\/:id$/i.test(name)
