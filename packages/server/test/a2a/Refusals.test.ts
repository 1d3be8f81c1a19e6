// What A2A refuses, with the errors of each wire, and whose tasks a caller may touch.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { closed, token } from "../authorization/Closed.ts"
import { ask, at, get, post, serve } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"
import { base, codeOf, current, legacy, message, reasonOf, rpc } from "./Requests.ts"

Tier.oneIn(4)

describe("JSON-RPC", () => {
  it.effect("a body that is no request is refused with the code of its problem", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const init = { method: "POST", headers: current }
      const sent = (body: string) => ask(server, base, { ...init, body })
      assert.deepStrictEqual((yield* sent("{")).json, {
        jsonrpc: "2.0",
        id: null,
        error: {
          code: -32700,
          message: "The body is not JSON",
          data: [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "PARSE_ERROR",
            domain: "a2a-protocol.org",
            metadata: {}
          }]
        }
      })
      for (const body of ["[]", "1", "{}", "{\"jsonrpc\":\"2.0\"}"]) {
        assert.strictEqual(codeOf(yield* sent(body)), -32600, body)
      }
      for (const id of ["12345678901234567890", "1.5"]) {
        const { json } = yield* sent(`{"jsonrpc":"2.0","id":${id},"method":"GetTask","params":{"id":"t"}}`)
        assert.deepInclude(json, { id: null }, id)
        assert.strictEqual(at(json, "error", "code"), -32600, id)
      }
      assert.strictEqual(codeOf(yield* ask(server, `${base}/v1/message:stream`, { ...init, body: "{" })), -32700)
      assert.strictEqual(codeOf(yield* rpc(server, "NoMethod", {})), -32601)
      assert.strictEqual(codeOf(yield* rpc(server, "constructor", {})), -32601)
    }))

  it.effect.each<readonly [string, object, number]>([
    ["an unknown method", { method: "message/sendXXX", params: {} }, -32601],
    ["wrong parameters in 0.3", { method: "message/send", params: { foo: "bar" } }, -32602],
    ["wrong parameters in 1.0", { method: "SendMessage", params: { foo: "bar" } }, -32602],
    ["parameters that are no object", { method: "message/send", params: [] }, -32602],
    ["an id of another type", { method: "message/send", params: { foo: "bar" }, id: {} }, -32600],
    ["nothing else wrong in 0.3", { method: "message/send", params: legacy() }, -32600],
    ["nothing else wrong in 1.0", { method: "SendMessage", params: message(), id: null }, -32600]
  ])(
    "a request without an id, with %s, is refused with the code of its first problem",
    ([, body, code]) =>
      Effect.gen(function*() {
        const { agent, script } = yield* plain
        const server = yield* serve({ agents: [agent] })
        const answer = yield* ask(server, base, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", ...body })
        })
        assert.deepInclude(answer.json, { id: null })
        assert.strictEqual(codeOf(answer), code)
        assert.deepStrictEqual(yield* script.calls, [])
      })
  )

  it.effect("messages that do not fit their version are refused, and nothing is started", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* serve({ agents: [agent] })
      const bad: ReadonlyArray<readonly [string, object, object]> = [
        ["SendMessage", message({ parts: [] }), current],
        ["SendMessage", message({ parts: [{}] }), current],
        ["SendMessage", message({ parts: [{ text: "a", url: "https://example.com" }] }), current],
        ["SendMessage", message({ parts: [{ raw: "not base64!" }] }), current],
        ["SendMessage", message({ parts: [{ url: "file:///etc/passwd" }] }), current],
        ["SendMessage", message({ messageId: "" }), current],
        ["SendMessage", message({ role: "ROLE_AGENT" }), current],
        ["SendMessage", legacy(), current],
        ["SendMessage", message({ contextId: 5 }), current],
        ["SendMessage", message({ contextId: "a\0b" }), current],
        ["SendMessage", message({ messageId: "\ud800" }), current],
        ["SendMessage", message({ taskId: "x".repeat(513) }), current],
        ["ListTasks", { contextId: "\udfff" }, current],
        ["SendMessage", message({ metadata: { long: "x".repeat(70_000) } }), current],
        ["SendMessage", message({ extensions: Array.from({ length: 10_000 }, () => "x".repeat(10)) }), current],
        ["SendMessage", { ...message(), configuration: { historyLength: -1 } }, current],
        ["message/send", message(), {}],
        ["message/send", legacy({ parts: [{ kind: "video", video: "x" }] }), {}],
        ["message/send", legacy({ parts: [] }), {}],
        ["tasks/get", { id: "x", historyLength: -1 }, {}]
      ]
      for (const [method, params, headers] of bad) {
        assert.strictEqual(codeOf(yield* rpc(server, method, params, headers)), -32602, JSON.stringify(params))
      }
      const file = message({ parts: [{ raw: "AAAA", mediaType: "application/x-unknown" }] })
      assert.strictEqual(codeOf(yield* rpc(server, "SendMessage", file)), -32005)
      assert.deepStrictEqual(yield* script.calls, [])
    }))

  it.effect("a body of another type, or one that is too large, is refused with the error of the protocol", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], limits: { a2aBody: 10_000 } })
      const request = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "SendMessage", params: message() })
      const headers = { ...current, "content-type": "text/plain" }
      const typed = yield* ask(server, base, { method: "POST", headers, body: request })
      assert.deepStrictEqual([typed.status, codeOf(typed)], [415, -32005])
      const rest = yield* ask(server, `${base}/message:send`, { method: "POST", headers, body: "{}" })
      assert.deepStrictEqual([rest.status, codeOf(rest), reasonOf(rest)], [415, 415, "CONTENT_TYPE_NOT_SUPPORTED"])
      const large = yield* rpc(server, "SendMessage", message({ parts: [{ text: "x".repeat(20_000) }] }))
      assert.deepStrictEqual([large.status, codeOf(large)], [413, -32600])
    }))

  it.effect("a version that is not supported is refused, in the header and in the query", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      assert.strictEqual(codeOf(yield* rpc(server, "SendMessage", message(), { "a2a-version": "2.0" })), -32009)
      assert.strictEqual(codeOf(yield* rpc(server, "message/send", legacy(), { "a2a-version": "1.0" })), -32009)
      const queried = yield* get(server, `${base}/tasks?A2A-Version=2.0`)
      assert.deepStrictEqual([queried.status, reasonOf(queried)], [400, "VERSION_NOT_SUPPORTED"])
      const mixed = yield* ask(server, `${base}/tasks`, { headers: { "a2a-version": "0.3" } })
      assert.deepStrictEqual([mixed.status, reasonOf(mixed)], [400, "VERSION_NOT_SUPPORTED"])
    }))

  it.effect("tasks that a client made up, and tasks that have ended, take no messages", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      assert.strictEqual(codeOf(yield* rpc(server, "SendMessage", message({ taskId: "mine" }))), -32001)
      const sent = yield* rpc(server, "SendMessage", message({ contextId: "c1" }))
      const taskId = at(sent.json, "result", "task", "id")
      const ended = yield* rpc(server, "SendMessage", message({ taskId }))
      assert.strictEqual(codeOf(ended), -32004)
      assert.strictEqual(
        at(ended.json, "error", "message"),
        "The task has ended. Send a message without its taskId"
      )
      const other = message({ taskId, contextId: "c2" })
      assert.strictEqual(codeOf(yield* rpc(server, "SendMessage", other)), -32602)
      assert.strictEqual(codeOf(yield* rpc(server, "SubscribeToTask", { id: taskId })), -32004)
      assert.strictEqual(codeOf(yield* rpc(server, "CancelTask", { id: taskId })), -32002)
      for (const pageSize of [0, 101, "x"]) {
        assert.strictEqual(codeOf(yield* rpc(server, "ListTasks", { pageSize })), -32602)
      }
    }))
})

describe("HTTP", () => {
  it.effect("errors have the status and the details of their reason", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      const unknown = yield* get(server, `${base}/tasks/none`)
      assert.deepStrictEqual([unknown.status, unknown.json], [404, {
        error: {
          code: 404,
          status: "NOT_FOUND",
          message: "Task not found",
          details: [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "TASK_NOT_FOUND",
            domain: "a2a-protocol.org",
            metadata: {}
          }]
        }
      }])
      const old = yield* get(server, `${base}/v1/tasks/none`)
      assert.deepStrictEqual([old.status, at(old.json, "code")], [404, -32001])
      const pages = yield* get(server, `${base}/tasks?pageSize=101`)
      assert.deepStrictEqual([pages.status, reasonOf(pages)], [400, "INVALID_PARAMS"])
      for (const id of ["%00", "%ED%A0%80x", "x".repeat(5000)]) {
        const impossible = yield* get(server, `${base}/tasks/${id}/pushNotificationConfigs`)
        assert.strictEqual(impossible.status, 404, impossible.text)
      }
      const named = yield* post(server, `${base}/v1/tasks:cancel`, { params: { id: "x".repeat(513), contextId: "\0" } })
      assert.strictEqual(named.status, 400)
      const verb = yield* post(server, `${base}/tasks/none`, {})
      assert.deepStrictEqual([verb.status, verb.headers.get("allow"), reasonOf(verb)], [
        405,
        "GET",
        "METHOD_NOT_ALLOWED"
      ])
      const reading = yield* get(server, `${base}/tasks/none:cancel`)
      assert.deepStrictEqual([reading.status, reading.headers.get("allow")], [405, "POST"])
      for (const path of [base, `${base}/message:send`, `${base}/v1/message:stream`]) {
        const wrong = yield* get(server, path)
        assert.deepStrictEqual([wrong.status, wrong.headers.get("allow")], [405, "POST"], path)
      }
      const absent = yield* post(server, "/a2a/agents/none/message:send", message())
      assert.strictEqual(absent.status, 404)
      assert.match(String(at(absent.json, "detail")), /^Agent not found: '/)
    }))
})

describe("access", () => {
  const bearer = (credential: string) => ({ ...current, authorization: `Bearer ${credential}` })

  it.effect("each method needs its scope, for all components or for one", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent], authorization: yield* closed })
      const send = (...scopes: ReadonlyArray<string>) =>
        Effect.flatMap(token("ann", ...scopes), (credential) =>
          Effect.map(rpc(server, "SendMessage", message(), bearer(credential)), ({ status }) => status))
      const read = (...scopes: ReadonlyArray<string>) =>
        Effect.flatMap(token("ann", ...scopes), (credential) =>
          Effect.map(rpc(server, "ListTasks", {}, bearer(credential)), ({ status }) =>
            status))
      assert.strictEqual((yield* rpc(server, "SendMessage", message())).status, 401)
      assert.strictEqual(yield* send("agents:read"), 403)
      assert.strictEqual(yield* send("agents:run"), 200)
      assert.strictEqual(yield* send("agents:plain:run"), 200)
      assert.strictEqual(yield* send("agents:other:run"), 403)
      assert.strictEqual(yield* read("agents:run"), 403)
      assert.strictEqual(yield* read("agents:read"), 200)
    }))

  it.effect("the tasks of other users are not found", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.text("One")], [Script.text("Two")]])
      const server = yield* serve({
        agents: [Agent.make({ id: "plain", name: "Plain", model: script.model })],
        authorization: yield* closed
      })
      const scopes = ["agents:run", "agents:read"]
      const [ann, bob] = [bearer(yield* token("ann", ...scopes)), bearer(yield* token("bob", ...scopes))]
      const sent = yield* rpc(server, "SendMessage", message({ contextId: "c1" }), ann)
      const id = at(sent.json, "result", "task", "id")
      assert.strictEqual(at((yield* rpc(server, "GetTask", { id }, ann)).json, "result", "id"), id)
      for (const method of ["GetTask", "CancelTask", "SubscribeToTask"]) {
        assert.strictEqual(codeOf(yield* rpc(server, method, { id }, bob)), -32001, method)
      }
      const config = { taskId: id, url: "https://example.com/" }
      assert.strictEqual(codeOf(yield* rpc(server, "CreateTaskPushNotificationConfig", config, bob)), -32001)
      assert.deepStrictEqual(at((yield* rpc(server, "ListTasks", {}, bob)).json, "result", "tasks"), [])
      assert.strictEqual(codeOf(yield* rpc(server, "SendMessage", message({ taskId: id }), bob)), -32001)
      assert.strictEqual(codeOf(yield* rpc(server, "SendMessage", message({ contextId: "c1" }), bob)), -32602)
    }))
})
