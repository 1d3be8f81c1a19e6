// The handshake, over real sockets: how servers respond, badly and well, and what is made of it.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Environment } from "../../src/Environment.ts"
import { type Entry, verify } from "../../src/mcp/Verification.ts"
import * as NodeHttp from "../../src/NodeHttp.ts"

/** The client that the tool runs on. */
const http = NodeHttp.layer.pipe(
  Layer.provide(Environment.layer({ cwd: "/", home: "/", platform: "linux", variables: {} }))
)

type Step = "initialize" | "notifications/initialized" | "tools/list"
type Responses = Partial<Record<Step, (response: ServerResponse, request: IncomingMessage) => void>>

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) => (response: ServerResponse) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

const initialized = { jsonrpc: "2.0", id: 1, result: { protocolVersion: "2025-06-18" } }
const listed = (tools: unknown) => ({ jsonrpc: "2.0", id: 2, result: { tools } })

const good: Required<Responses> = {
  "initialize": json(initialized),
  "notifications/initialized": json("", 202),
  "tools/list": json(listed([{ name: "a" }, { name: "b" }, "none", null]))
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

const server = (responses: Responses) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const listening = createServer((request, response) => {
        void bodyOf(request).then((body) => {
          const { method } = JSON.parse(body) as { readonly method: Step }
          const respond = responses[method] ?? good[method]
          respond(response, request)
        })
      }).listen(0, "127.0.0.1", () => {
        const { port } = listening.address() as AddressInfo
        const close = () => {
          listening.close()
          listening.closeAllConnections()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/mcp`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const verifying = (responses: Responses, entry: Partial<Entry> = {}) =>
  Effect.gen(function*() {
    const { url } = yield* server(responses)
    return yield* verify({ url, token: undefined, expectsChallenge: false, ...entry })
  }).pipe(Effect.scoped, Effect.provide(http))

const failure = (error: string, status: number) => ({
  ok: false,
  tools: 0,
  status_code: status,
  error,
  oauth_challenge: false
})

const works = (tools: number) => ({ ok: true, tools, status_code: 200, error: null, oauth_challenge: false })

describe("a handshake that works", () => {
  it.live("the verification counts the tools that are objects", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* verifying({}), works(2))
    }))

  it.live("the status of the initialized notification is ignored", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* verifying({ "notifications/initialized": json({}, 500) }), works(2))
    }))

  it.live("an invalid list of tools is read as an empty one", () =>
    Effect.gen(function*() {
      for (const result of [null, 1, {}, { tools: null }, { tools: "x" }]) {
        assert.deepStrictEqual(yield* verifying({ "tools/list": json({ jsonrpc: "2.0", id: 2, result }) }), works(0))
      }
    }))

  it.live("a stream is read up to its response: after other messages, in pieces, and although it stays open", () =>
    Effect.gen(function*() {
      const stream = (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
        const text = ": hello\n\nevent: message\ndata: not json\n\n" +
          "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"ü\":1}}\r\n\r\n" +
          `event: message\r\ndata:${JSON.stringify(listed([{ name: "a" }]))}\r\n\r\n`
        const bytes = Buffer.from(text)
        // in the middle of a character
        const cut = bytes.indexOf(0xc3) + 1
        response.write(bytes.subarray(0, cut))
        setImmediate(() => response.write(bytes.subarray(cut)))
      }
      assert.deepStrictEqual(yield* verifying({ "tools/list": stream }), works(1))
    }))

  it.live("the client sends the token, the session and the agreed version", () =>
    Effect.gen(function*() {
      const received: Array<Record<string, unknown>> = []
      const hear = (step: Step) => (response: ServerResponse, request: IncomingMessage) => {
        const { authorization, "mcp-protocol-version": version, "mcp-session-id": session } = request.headers
        received.push({ authorization, session, version })
        if (step === "initialize") json(initialized, 200, { "mcp-session-id": "s" })(response)
        else good[step](response, request)
      }
      yield* verifying({
        "initialize": hear("initialize"),
        "notifications/initialized": hear("notifications/initialized"),
        "tools/list": hear("tools/list")
      }, { token: Redacted.make("t") })
      const first = { authorization: "Bearer t", session: undefined, version: undefined }
      const later = { authorization: "Bearer t", session: "s", version: "2025-06-18" }
      assert.deepStrictEqual(received, [first, later, later])
    }))
})

describe("what a handshake leaves", () => {
  it.live("a handshake leaves no open connection, whatever was not read", () =>
    Effect.gen(function*() {
      const closed: Array<Promise<void>> = []
      const stays = (step: Step, status: number) => (response: ServerResponse, request: IncomingMessage) => {
        closed.push(new Promise((resolve) => request.socket.once("close", () => resolve())))
        response.writeHead(status, { "content-type": "text/event-stream" })
        response.write(
          step === "initialize" ? `data: ${JSON.stringify(initialized)}\n\n` : `data: ${JSON.stringify(listed([]))}\n\n`
        )
      }
      for (const status of [200, 500]) {
        const { url } = yield* server({
          "initialize": stays("initialize", 200),
          "notifications/initialized": stays("notifications/initialized", 200),
          "tools/list": stays("tools/list", status)
        })
        yield* verify({ url, token: undefined, expectsChallenge: false })
      }
      assert.strictEqual(closed.length, 6)
      // the servers are up: it is this side that lets go
      yield* Effect.promise(() => Promise.all(closed))
    }).pipe(Effect.scoped, Effect.provide(http)))
})

describe("a handshake that fails", () => {
  it.live("a failed handshake is a challenge to sign in where one is expected", () =>
    Effect.gen(function*() {
      const header = { "www-authenticate": "Bearer" }
      for (const status of [401, 403]) {
        assert.deepStrictEqual(
          yield* verifying({ initialize: json("", status, header) }, { expectsChallenge: true }),
          { ok: true, tools: 0, status_code: status, error: null, oauth_challenge: true }
        )
        const bare = yield* verifying({ initialize: json("", status) }, { expectsChallenge: true })
        assert.isFalse(bare.ok)
        assert.include(bare.error, "without a WWW-Authenticate header")
        assert.deepStrictEqual(
          yield* verifying({ initialize: json("", status, header) }),
          failure(`The MCP endpoint rejected the credential (HTTP ${status})`, status)
        )
      }
    }))

  it.live("a failed handshake has the status of any other refusal", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* verifying({ initialize: json("", 404) }, { expectsChallenge: true }),
        failure("The MCP endpoint responded with HTTP 404", 404)
      )
      assert.deepStrictEqual(
        yield* verifying({ "tools/list": json("", 503) }),
        failure("Listing tools failed with HTTP 503", 503)
      )
    }))

  it.live("a failed handshake is an unexpected payload when there is no result", () =>
    Effect.gen(function*() {
      const unexpected = failure("The MCP endpoint responded with an unexpected payload", 200)
      const ended = (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end("data: 1\n\n")
      }
      for (
        const respond of [json("<html>"), json("[]"), json({ error: { code: 1, message: "no" } }), json(""), ended]
      ) {
        assert.deepStrictEqual(yield* verifying({ initialize: respond }), unexpected)
        assert.deepStrictEqual(yield* verifying({ "tools/list": respond }), unexpected)
      }
    }))

  it.live("a failed handshake says why the server was not reached, and is never an error itself", () =>
    Effect.gen(function*() {
      const { close, url } = yield* server({})
      close()
      const unreachable = yield* verify({ url, token: undefined, expectsChallenge: false })
      assert.isFalse(unreachable.ok)
      assert.isNull(unreachable.status_code)
      assert.include(unreachable.error, "ECONNREFUSED")
      const broken = yield* verifying({ "tools/list": (response) => response.destroy() })
      assert.isNull(broken.status_code)
      assert.include(broken.error, "Could not reach")
      const nonsense = yield* verify({ url: "no address", token: undefined, expectsChallenge: false })
      assert.isNull(nonsense.status_code)
    }).pipe(Effect.scoped, Effect.provide(http)))

  it.effect("a handshake waits 15 seconds for a response, and as long for its end", () =>
    Effect.gen(function*() {
      for (const send of ["nothing", "the head"] as const) {
        const reached = Promise.withResolvers<void>()
        const silent = (response: ServerResponse) => {
          if (send === "the head") response.writeHead(200, { "content-type": "application/json" }).flushHeaders()
          reached.resolve()
        }
        const fiber = yield* Effect.forkChild(verifying({ initialize: silent }))
        yield* Effect.promise(() => reached.promise)
        // the head is on its way: both limits are over in any case
        const verification = yield* Effect.race(
          Fiber.join(fiber),
          Effect.forever(
            Effect.andThen(TestClock.adjust("15 seconds"), Effect.promise(() => new Promise(setImmediate)))
          )
        )
        assert.deepInclude(verification, { ok: false, status_code: null })
        assert.include(verification.error, "no response within 15s")
      }
    }))
})
