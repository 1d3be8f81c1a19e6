// What only a socket can show: requests that do not end, that are too large or no HTTP at all, and
// clients that go away. Bytes in, bytes out.
import { assert, describe, it } from "@effect/vitest"
import type * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { close, exchange, form, head, json, refused, replies, reset, served } from "./Exchanges.ts"
import { at } from "./Wire.ts"

Tier.oneIn(8)

/** The service is as it was: nothing stored, the model not asked. */
const untouched = Effect.fnUntraced(
  function*(server: { readonly port: number; readonly script: Script.ScriptedModel }) {
    const [reply] = replies(yield* exchange(server.port, head("GET /sessions", close)))
    assert.strictEqual(at(reply?.body, "meta", "total_count"), 0)
    assert.deepStrictEqual(yield* server.script.calls, [])
  }
)

describe("requests to which node responds by itself", () => {
  it.live("CONNECT is 405 and an unknown expectation 417, in the error shape", () =>
    Effect.gen(function*() {
      const server = yield* served()
      refused(yield* exchange(server.port, head("CONNECT svc.test:443")), 405, "METHOD_NOT_ALLOWED")
      refused(yield* exchange(server.port, head("GET /health", "expect: 200-ok")), 417, "BAD_REQUEST")
      yield* untouched(server)
    }))

  it.live("a client that resets its connection before the response ends no more than its connection", () =>
    Effect.gen(function*() {
      const server = yield* served()
      const upgrade = ["connection: upgrade", "upgrade: websocket"]
      for (const bytes of [head("CONNECT svc.test:443"), head("GET /workflows/ws", ...upgrade), "\0\0\r\n\r\n"]) {
        yield* reset(server.port, bytes)
      }
      yield* untouched(server)
    }))

  it.live.each(["GET /health", "GET /sessions", "POST /agents/plain/runs"])(
    "HTTP/1.1 without a Host is 400 in the error shape: %s",
    (line) =>
      Effect.gen(function*() {
        const server = yield* served()
        const upgrade = "connection: upgrade\r\nupgrade: websocket"
        for (const headers of [close, upgrade]) {
          const answered = yield* exchange(server.port, `${line} HTTP/1.1\r\n${headers}\r\n\r\n`)
          refused(answered, 400, "BAD_REQUEST")
        }
        yield* untouched(server)
      })
  )

  const handshake: Readonly<Record<string, string>> = {
    "connection": "upgrade",
    "upgrade": "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
  }
  const handshakes: ReadonlyArray<readonly [string, Readonly<Record<string, string | undefined>>]> = [
    ["without a key", { "sec-websocket-key": undefined }],
    ["with a key that is too short", { "sec-websocket-key": "abc" }],
    ["without a version", { "sec-websocket-version": undefined }],
    ["with an unknown version", { "sec-websocket-version": "99" }],
    ["with one protocol twice", { "sec-websocket-protocol": "a, a" }],
    ["with a protocol that is no token", { "sec-websocket-protocol": "a b" }],
    ["with an unknown protocol", { "sec-websocket-protocol": "graphql-ws, soap" }]
  ]

  it.live.each(handshakes)(
    "a WebSocket handshake %s is 400 in the error shape",
    ([, changed]) =>
      Effect.gen(function*() {
        const { port } = yield* served()
        const headers = Object.entries({ ...handshake, ...changed }).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}: ${value}`]
        )
        for (const path of ["/workflows/ws", "/workflows/brief/ws"]) {
          refused(yield* exchange(port, head(`GET ${path}`, ...headers)), 400, "BAD_REQUEST")
        }
      })
  )
})

describe("requests that do not end", () => {
  const endless: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["a JSON body", [head("POST /sessions", json, "content-length: 100"), "{\"session_id\":"]],
    ["a form", [head("POST /agents/plain/runs", form, "content-length: 100"), "message=hi"]],
    ["a chunked form", [head("POST /agents/plain/runs", form, "transfer-encoding: chunked"), "a\r\nmessage=hi\r\n"]],
    ["a body that was announced and never sent", [head("POST /sessions", json, "content-length: 100")]],
    ["headers", ["POST /sessions HTTP/1.1\r\nhost: svc.test\r\n"]],
    ["a request line", ["GET /hea"]]
  ]

  it.live.each(endless)("an unfinished request with %s is 408", ([, writes]) =>
    Effect.gen(function*() {
      const server = yield* served()
      refused(yield* exchange(server.port, ...writes), 408, "BAD_REQUEST")
      yield* untouched(server)
    }))

  it.live("a body without a reader gets no second response", () =>
    Effect.gen(function*() {
      const server = yield* served()
      const answered = replies(yield* exchange(server.port, head("GET /health", "content-length: 100"), "{"))
      assert.deepStrictEqual(answered.map(({ status }) => status), [200])
    }))
})

describe("requests that are too large", () => {
  it.live("headers over 16 KiB are 413, and just below are read", () =>
    Effect.gen(function*() {
      const { port } = yield* served({})
      const large = (size: number) => head("GET /health", close, `x-large: ${"x".repeat(size)}`)
      refused(yield* exchange(port, large(16 * 1024)), 413, "PAYLOAD_TOO_LARGE")
      assert.strictEqual(replies(yield* exchange(port, large(16 * 1024 - 200)))[0]?.status, 200)
    }))

  it.live("a path over 16 KiB is 413", () =>
    Effect.gen(function*() {
      const { port } = yield* served({})
      refused(yield* exchange(port, head(`GET /sessions/${"x".repeat(17_000)}`, close)), 413, "PAYLOAD_TOO_LARGE")
    }))

  const bodies: ReadonlyArray<readonly [string, string, string]> = [
    ["JSON", "/sessions", json],
    ["a form", "/agents/plain/runs", form],
    ["multipart", "/agents/plain/runs", "content-type: multipart/form-data; boundary=q"]
  ]

  it.live.each(bodies)(
    "a body of %s over the limit is 413 when its length is announced",
    ([, path, type]) =>
      Effect.gen(function*() {
        const server = yield* served()
        const body = "x".repeat(50_000)
        refused(
          yield* exchange(server.port, head(`POST ${path}`, type, close, `content-length: ${body.length}`), body),
          413,
          "PAYLOAD_TOO_LARGE"
        )
        yield* untouched(server)
      })
  )

  it.live.each([...bodies, ["MCP", "/mcp", json] as const])(
    "a body of %s that announces more than the limit is 413 before any byte of it",
    ([, path, type]) =>
      Effect.gen(function*() {
        const server = yield* served()
        for (const length of ["50000", "999999999999999999"]) {
          const announced = head(`POST ${path}`, type, `content-length: ${length}`).replace("svc.test", "localhost")
          const [reply] = replies(yield* exchange(server.port, announced))
          assert.strictEqual(reply?.status, 413)
          assert.strictEqual(at(reply?.body, "error_code"), "PAYLOAD_TOO_LARGE")
        }
        yield* untouched(server)
      })
  )

  it.live.each(bodies)(
    "a body of %s over the limit is 413 when its length is not announced, and never ends",
    ([, path, type]) =>
      Effect.gen(function*() {
        const server = yield* served()
        const chunk = `fa0\r\n${"x".repeat(4000)}\r\n`
        refused(
          yield* exchange(server.port, head(`POST ${path}`, type, "transfer-encoding: chunked"), chunk, chunk),
          413,
          "PAYLOAD_TOO_LARGE"
        )
        yield* untouched(server)
      })
  )
})

describe("requests that lie", () => {
  it.live("a body longer than announced is read as far as announced", () =>
    Effect.gen(function*() {
      const server = yield* served()
      const text = yield* exchange(
        server.port,
        head("POST /agents/plain/runs", form, "content-length: 5"),
        "message=hi"
      )
      const [first] = replies(text)
      assert.include([400, 422], first?.status)
      yield* untouched(server)
    }))

  it.live.each([
    ["no HTTP", "hello\r\n\r\n"],
    ["a TLS handshake", "\u0016\u0003\u0001\u0002\u0000\u0001"],
    ["two hosts", head("GET /health", "Host: other.test", close)],
    ["two lengths", head("POST /sessions", json, "content-length: 2", "content-length: 3") + "{}"],
    ["a length and chunks", head("POST /sessions", json, "content-length: 2", "transfer-encoding: chunked") + "{}"],
    ["a length that is no number", head("POST /sessions", json, "content-length: two") + "{}"],
    ["a chunk that is no chunk", head("POST /sessions", json, "transfer-encoding: chunked") + "zz\r\n{}\r\n"],
    ["a header without an end", head("GET /health", "x-bad: a\u0000b")]
  ])("a request with %s is 400", ([, text]) =>
    Effect.gen(function*() {
      const server = yield* served()
      refused(yield* exchange(server.port, text!), 400, "BAD_REQUEST")
      yield* untouched(server)
    }))
})
