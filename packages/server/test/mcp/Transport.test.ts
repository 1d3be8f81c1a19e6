// `/mcp` as a transport: sessions, what is refused before anything is called, and in which words.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { always, ask, at, badRequest, failed, get, serve } from "../Wire.ts"
import { headers, initialize, latest, messages, open, post, request, send } from "./Mcp.ts"

Tier.oneIn(8)

const refused = (
  answer: { readonly status: number; readonly json: unknown; readonly headers: Headers },
  status: number,
  code: number,
  message: RegExp
) => {
  assert.strictEqual(answer.status, status)
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  assert.deepStrictEqual(Object.keys(answer.json as object).sort(), ["error", "id", "jsonrpc"])
  assert.strictEqual(at(answer.json, "error", "code"), code)
  assert.match(String(at(answer.json, "error", "message")), message)
  assert.isUndefined(at(answer.json, "error", "_tag"))
}

const list = request("tools/list")

describe("initialize", () => {
  it.effect.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "initialize accepts the version %s",
    (version) =>
      Effect.gen(function*() {
        const server = yield* serve({ settings: { name: "Mine", version: "1.2.3" } })
        const answer = yield* post(server, initialize(version))
        assert.strictEqual(answer.status, 200)
        const result = at(answer.json, "result")
        assert.strictEqual(at(result, "protocolVersion"), version)
        assert.deepStrictEqual(at(result, "serverInfo"), { name: "Mine", version: "1.2.3" })
        assert.isTrue(at(result, "capabilities", "tools", "listChanged"))
        assert.isUndefined(at(result, "instructions"))
      })
  )

  it.effect("initialize responds to an unknown version with the newest that has sessions", () =>
    Effect.gen(function*() {
      const answer = yield* post(yield* serve(), initialize("2099-01-01"))
      assert.strictEqual(at(answer.json, "result", "protocolVersion"), latest)
    }))

  it.effect("initialize begins a session of its own each time", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const [first, second] = [yield* open(server), yield* open(server)]
      assert.notStrictEqual(first.id, second.id)
      assert.match(first.id, /^[\x21-\x7e]{32,}$/)
    }))

  it.effect("initialize with a large request is refused, because it is kept in memory", () =>
    Effect.gen(function*() {
      const answer = yield* post(yield* serve(), initialize(latest, { experimental: { x: { y: "z".repeat(70_000) } } }))
      refused(answer, 413, -32600, /too large/)
    }))
})

describe("a session", () => {
  it.effect("a session is needed for every other method", () =>
    Effect.gen(function*() {
      refused(yield* post(yield* serve(), list), 400, -32600, /session/i)
    }))

  it.effect("an unknown session is not found", () =>
    Effect.gen(function*() {
      const answer = yield* post(yield* serve(), list, { headers: { "mcp-session-id": "0".repeat(32) } })
      refused(answer, 404, -32600, /^Session not found/)
    }))

  it.effect("a session ends by DELETE, and is not found afterwards", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const session = yield* open(server)
      const end = ask(server, "/mcp", { method: "DELETE", headers: { ...headers, ...session.headers } })
      const ended = yield* end
      assert.deepStrictEqual([ended.status, ended.text], [200, ""])
      refused(yield* post(server, list, { headers: session.headers }), 404, -32600, /^Session not found/)
      refused(yield* end, 404, -32600, /^Session not found/)
    }))

  it.effect("a session that ends leaves others as they are", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const [first, second] = [yield* open(server), yield* open(server)]
      yield* ask(server, "/mcp", { method: "DELETE", headers: { ...headers, ...first.headers } })
      assert.deepStrictEqual(at(yield* send(second, "ping"), "result"), {})
    }))

  it.effect("a session has to be named to be ended", () =>
    Effect.gen(function*() {
      refused(yield* ask(yield* serve(), "/mcp", { method: "DELETE", headers }), 400, -32602, /session/)
    }))
})

describe("messages", () => {
  it.effect("a ping has a response, and an unknown method has its own error", () =>
    Effect.gen(function*() {
      const session = yield* open(yield* serve())
      assert.deepStrictEqual(yield* send(session, "ping"), { jsonrpc: "2.0", id: 2, result: {} })
      assert.strictEqual(at(yield* send(session, "nothing/like/it"), "error", "code"), -32601)
      assert.strictEqual(at(yield* send(session, "tools/call", { name: "nothing" }), "error", "code"), -32602)
      assert.strictEqual(at(yield* send(session, "tools/call", {}), "error", "code"), -32602)
    }))

  it.effect("a service without components has no prompts, and no resources", () =>
    Effect.gen(function*() {
      const session = yield* open(yield* serve())
      assert.deepStrictEqual(at(yield* send(session, "prompts/list"), "result"), { prompts: [] })
      assert.deepStrictEqual(at(yield* send(session, "resources/list"), "result"), { resources: [] })
    }))

  it.effect.each<readonly [string, Readonly<Record<string, string>>, number, number]>([
    ["an Accept without JSON", { accept: "text/event-stream" }, 406, -32600],
    ["an Accept that excludes JSON", { accept: "*/*, application/json;q=0" }, 406, -32600],
    ["another Content-Type", { "content-type": "text/plain" }, 400, -32600],
    ["an unknown version", { "mcp-protocol-version": "1999-01-01" }, 400, -32022]
  ])("a request with %s is refused", ([, given, status, code]) =>
    Effect.gen(function*() {
      const server = yield* serve()
      const session = yield* open(server)
      refused(yield* post(server, list, { headers: { ...session.headers, ...given } }), status, code, /./)
    }))

  it.effect("a body that is not JSON is refused, in a session and without one", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const session = yield* open(server)
      for (const given of [{}, session.headers]) {
        refused(yield* post(server, "{\"jsonrpc", { headers: given }), 400, -32700, /^Parse error/)
      }
    }))

  it.effect.runIf(Tier.isWhole)(
    "a body that is nested too deep is refused, alone and in a batch",
    () =>
      Effect.gen(function*() {
        const server = yield* serve()
        const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${"[".repeat(2000)}${"]".repeat(2000)}}}`
        for (const version of ["2025-03-26", latest]) {
          const session = yield* open(server, { version })
          for (const body of [deep, `[${deep}]`]) {
            refused(yield* post(server, body, { headers: session.headers }), 422, -32600, /at most 200 levels deep/)
          }
        }
      })
  )

  it.effect("several messages at once are refused where the protocol has none", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const session = yield* open(server)
      refused(yield* post(server, [list, list], { headers: session.headers }), 400, -32602, /one message/)
    }))

  it.effect("JSON that is not a message is an error and never a defect", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const session = yield* open(server)
      for (const body of ["{}", "null", "[]", "5", "\"x\"", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}"]) {
        const answer = yield* post(server, body, { headers: session.headers })
        assert.oneOf(answer.status, [200, 400], body)
        assert.oneOf(at(messages(answer)[0], "error", "code"), [-32600, -32602], body)
      }
      assert.deepStrictEqual(server.logs.filter(({ level }) => level === "ERROR"), [])
    }))

  it.effect("a body that is too large is refused in the shape of all errors", () =>
    Effect.gen(function*() {
      const server = yield* serve({ limits: { jsonBody: 1000 } })
      failed(yield* post(server, { ...list, params: { x: "y".repeat(1000) } }), 413, "PAYLOAD_TOO_LARGE")
    }))

  it.effect("A body with more JSON values than allowed is refused before the library decodes it.", () =>
    Effect.gen(function*() {
      const server = yield* serve({ limits: { jsonValues: 100 } })
      const params = Array.from({ length: 200 }, () => ({}))
      const detail = "The body has more than 100 JSON values (MAX_JSON_VALUES)"
      failed(yield* post(server, { ...list, params: { params } }), 413, "PAYLOAD_TOO_LARGE", detail)
      failed(yield* post(server, params), 413, "PAYLOAD_TOO_LARGE", detail)
    }))
})

describe("Accept", () => {
  const stateless = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {}
  }

  it.effect.each(["*/*", "application/*, text/*", "application/json", "APPLICATION/JSON;q=0.9", ""])(
    "a client that accepts %j begins a session and lists tools",
    (accept) =>
      Effect.gen(function*() {
        const server = yield* serve()
        const begun = yield* post(server, initialize(), { headers: { accept } })
        assert.strictEqual(begun.status, 200, begun.text)
        const session = begun.headers.get("mcp-session-id") ?? ""
        const answer = yield* post(server, list, { headers: { accept, "mcp-session-id": session } })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
      })
  )

  it.effect("a client that accepts only JSON gets JSON, also from a call with progress, in every revision", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello"))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      const call = (metadata: object) =>
        request("tools/call", {
          name: "run_agent",
          arguments: { agent_id: "a", message: "Hi" },
          _meta: { progressToken: 1, ...metadata }
        })
      const session = yield* open(server)
      const withoutSession = {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "run_agent"
      }
      for (const [given, body] of [[session.headers, call({})], [withoutSession, call(stateless)]] as const) {
        const streamed = yield* post(server, body, { headers: given })
        assert.match(streamed.headers.get("content-type") ?? "", /^text\/event-stream/)
        const answer = yield* post(server, body, { headers: { ...given, accept: "application/json" } })
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        assert.strictEqual(at(answer.json, "result", "content", 0, "text"), "Hello", answer.text)
      }
    }))

  it.effect("a subscription, which only a stream can answer, is refused for who accepts JSON only", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const listen = request("subscriptions/listen", {
        notifications: { toolsListChanged: true },
        _meta: stateless
      })
      const given = {
        accept: "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen"
      }
      refused(yield* post(server, listen, { headers: given }), 406, -32600, /text\/event-stream/)
    }))
})

describe("other methods", () => {
  it.effect.each(["GET", "PUT", "PATCH"])("the method %s is not allowed", (method) =>
    Effect.gen(function*() {
      const answer = yield* ask(yield* serve(), "/mcp", { method, headers: { host: headers.host } })
      failed(answer, 405, "METHOD_NOT_ALLOWED")
      assert.strictEqual(answer.headers.get("allow"), "POST, DELETE")
    }))

  it.effect("a slash behind the path makes no difference", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* post(yield* serve(), initialize(), { path: "/mcp/" })).status, 200)
    }))
})

describe("MCP_ENABLED", () => {
  it.effect("MCP_ENABLED=false removes the route, and discovery says so", () =>
    Effect.gen(function*() {
      const off = yield* serve({ settings: { mcp: { enabled: false } } })
      failed(yield* post(off, initialize()), 404, "NOT_FOUND", "Not Found")
      failed(yield* get(off, "/mcp"), 404, "NOT_FOUND", "Not Found")
      const shown = at((yield* get(off, "/info")).json, "mcp")
      assert.deepStrictEqual(shown, { enabled: false, path: "/mcp", oauth: null })
      const on = at((yield* get(yield* serve(), "/info")).json, "mcp")
      assert.deepStrictEqual(on, { enabled: true, path: "/mcp", oauth: null })
    }))
})

describe("the name that an open service is called by", () => {
  const under = (server: TestServer.TestServer, host: string) => post(server, initialize(), { headers: { host } })

  it.effect.each(["localhost", "localhost:7777", "127.0.0.1:1", "[::1]:7777", "LOCALHOST"])(
    "an open service accepts its own name %s",
    (host) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* under(yield* serve(), host)).status, 200)
      })
  )

  it.effect.each([
    "evil.example.com",
    "evil.example.com:7777",
    "localhost.evil.example.com",
    "127.0.0.1.evil.example.com",
    "10.0.0.1",
    ""
  ])("an open service refuses the unknown name %j, whatever the method is", (host) =>
    Effect.gen(function*() {
      const server = yield* serve()
      badRequest(yield* under(server, host), /^Host not allowed; add it to ALLOWED_HOSTS$/)
      badRequest(
        yield* ask(server, "/mcp", { method: "DELETE", headers: { ...headers, host } }),
        /^Host not allowed; add it to ALLOWED_HOSTS$/
      )
    }))

  it.effect("an operator lists more, and with them a closed service has names too", () =>
    Effect.gen(function*() {
      const allowedHosts = ["Agents.example.com", "*.internal"]
      const server = yield* serve({ settings: { allowedHosts } })
      for (const host of ["agents.example.com:443", "a.internal", "localhost"]) {
        assert.strictEqual((yield* under(server, host)).status, 200, host)
      }
      for (const host of ["other.example.com", "internal", "evilinternal"]) badRequest(yield* under(server, host))
    }))

  it.effect("a page of another origin is refused, and one of an allowed origin can read its session", () =>
    Effect.gen(function*() {
      const page = "https://inspector.example.com"
      const server = yield* serve({ corsOrigins: [page] })
      failed(yield* post(server, initialize(), { headers: { origin: "https://evil.example" } }), 403, "FORBIDDEN")
      const answer = yield* post(server, initialize(), { headers: { origin: page } })
      assert.strictEqual(answer.status, 200)
      const exposed = answer.headers.get("access-control-expose-headers") ?? ""
      for (const name of ["Mcp-Session-Id", "WWW-Authenticate", "Retry-After"]) assert.include(exposed, name)
    }))
})
