// HTTP as the tool does it: against real sockets.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClientRequest } from "effect/http"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo, Server } from "node:net"
import { exchange } from "../src/calls/Exchange.ts"
import { Environment } from "../src/Environment.ts"
import * as NodeHttp from "../src/NodeHttp.ts"

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly body: string
  readonly port: number | undefined
}

const listening = (respond: (request: Seen, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<{ readonly url: string; readonly seen: Array<Seen>; readonly close: () => void }>((resolve) => {
        const seen: Array<Seen> = []
        const server = createServer((request: IncomingMessage, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const { headers: { authorization }, method, url } = request
            const body = Buffer.concat(chunks).toString()
            const one = { method, url, authorization, body, port: request.socket.remotePort }
            seen.push(one)
            respond(one, response)
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          const close = () => {
            server.closeAllConnections()
            server.close()
          }
          resolve({ url: `http://127.0.0.1:${port}`, seen, close })
        })
      })
    ),
    ({ close }) => Effect.sync(close)
  )

const clientOf = (variables: Readonly<Record<string, string>> = {}) =>
  NodeHttp.layer.pipe(
    Layer.provide(Environment.layer({ cwd: "/", home: "/", platform: process.platform, variables }))
  )

const bearer = HttpClientRequest.setHeader("authorization", "Bearer secret")

const ok = (_: Seen, response: ServerResponse) => void response.end("ok")
const redirect = (status: number, location: string) => (seen: Seen, response: ServerResponse) =>
  void (seen.url === "/done" ? response.end("ok") : response.writeHead(status, { location }).end())

describe("NodeHttp", () => {
  it.live("the client sends bodies and credentials, and returns any status with its text", () =>
    Effect.gen(function*() {
      const server = yield* listening((_, response) => void response.writeHead(418, { "x-kind": "tea" }).end("pöt"))
      const request = HttpClientRequest.post(`${server.url}/a?b=c`).pipe(
        HttpClientRequest.bodyJsonUnsafe({ é: 1 }),
        bearer
      )
      const reply = yield* exchange(request, "5 seconds")
      assert.strictEqual(reply.status, 418)
      assert.strictEqual(reply.text, "pöt")
      assert.strictEqual(reply.headers["x-kind"], "tea")
      assert.lengthOf(server.seen, 1)
      assert.deepInclude(server.seen[0], {
        method: "POST",
        url: "/a?b=c",
        authorization: "Bearer secret",
        body: "{\"é\":1}"
      })
    }).pipe(Effect.provide(clientOf())))

  it.live("the client follows redirects, with the credential on the same origin and without it to another", () =>
    Effect.gen(function*() {
      const same = yield* listening(redirect(307, "/done"))
      const other = yield* listening(ok)
      const away = yield* listening((_, response) => void response.writeHead(302, { location: `${other.url}/x` }).end())
      yield* exchange(bearer(HttpClientRequest.get(`${same.url}/start`)), "5 seconds")
      assert.deepStrictEqual(same.seen.map(({ authorization }) => authorization), ["Bearer secret", "Bearer secret"])
      const reply = yield* exchange(bearer(HttpClientRequest.get(`${away.url}/start`)), "5 seconds")
      assert.strictEqual(reply.text, "ok")
      assert.deepStrictEqual(other.seen.map(({ authorization }) => authorization), [undefined])
    }).pipe(Effect.provide(clientOf())))

  it.live("the error says why there was no response", () =>
    Effect.gen(function*() {
      const server = yield* listening(ok)
      server.close()
      const refused = yield* Effect.flip(exchange(HttpClientRequest.get(server.url), "5 seconds"))
      assert.include(refused.message, "ECONNREFUSED")
      assert.isFalse(refused.isRequestInvalid)
      const silent = yield* listening(() => undefined)
      const late = yield* Effect.flip(exchange(HttpClientRequest.get(silent.url), "50 millis"))
      assert.include(late.message, "no response within 50ms")
      const half = yield* listening((_, response) =>
        void response.writeHead(200, { "content-length": "9" }).write("half")
      )
      const broken = yield* Effect.flip(exchange(HttpClientRequest.get(half.url), "50 millis"))
      assert.include(broken.message, "no response within 50ms")
    }).pipe(Effect.provide(clientOf())))

  it.live("a request that cannot be sent fails with a readable error", () =>
    Effect.gen(function*() {
      const reasonOf = (request: HttpClientRequest.HttpClientRequest) =>
        Effect.map(Effect.flip(exchange(request, "5 seconds")), ({ message }) => message)
      assert.include(yield* reasonOf(HttpClientRequest.get("ftp://localhost/health")), "\"ftp:\" not supported")
      const odd = HttpClientRequest.get("http://127.0.0.1:9").pipe(
        HttpClientRequest.setHeader("authorization", "Bearer secret\n")
      )
      const reason = yield* reasonOf(odd)
      assert.include(reason, "Invalid character in header")
      assert.isTrue((yield* Effect.flip(exchange(odd, "5 seconds"))).isRequestInvalid)
      assert.notInclude(reason, "secret")
      assert.include(yield* reasonOf(HttpClientRequest.get("https://127.0.0.1:9")), "/nowhere.pem")
    }).pipe(Effect.provide(clientOf({ SSL_CERT_FILE: "/nowhere.pem" }))))

  it.live("requests to one origin share a connection", () =>
    Effect.gen(function*() {
      const ports = new Set<unknown>()
      const server = yield* listening((seen, response) => {
        ports.add(seen.port)
        response.end("ok")
      })
      yield* Effect.forEach(
        [1, 2, 3],
        () => exchange(HttpClientRequest.get(`${server.url}/health`), "5 seconds")
      ).pipe(Effect.provide(clientOf()))
      assert.lengthOf(server.seen, 3)
      assert.strictEqual(ports.size, 1)
    }))

  it.live("ALL_PROXY is the proxy where there is no other, with or without a scheme", () =>
    Effect.gen(function*() {
      const proxy = yield* listening((_, response) => void response.end("by proxy"))
      for (const all_proxy of [proxy.url, proxy.url.replace("http://", "")]) {
        const { text } = yield* exchange(HttpClientRequest.get("http://svc.invalid/health"), "5 seconds").pipe(
          Effect.provide(clientOf({ all_proxy }))
        )
        assert.strictEqual(text, "by proxy")
      }
      const direct = { ALL_PROXY: proxy.url, NO_PROXY: "svc.invalid" }
      const failure = yield* Effect.flip(
        exchange(HttpClientRequest.get("http://svc.invalid/health"), "5 seconds").pipe(Effect.provide(clientOf(direct)))
      )
      assert.include(failure.message, "svc.invalid")
      assert.lengthOf(proxy.seen, 2)
    }))

  it.live("a proxy of another kind is an error, and never passed by", () =>
    Effect.gen(function*() {
      for (
        const variables of [{ ALL_PROXY: "socks5://127.0.0.1:9" }, { http_proxy: "socks5h://user:secret@127.0.0.1:9" }]
      ) {
        const failure = yield* Effect.flip(
          exchange(HttpClientRequest.get("http://svc.invalid/health"), "5 seconds").pipe(
            Effect.provide(clientOf(variables))
          )
        )
        assert.match(failure.message, /socks5h? is not supported, only http and https/)
        assert.notInclude(failure.message, "secret")
      }
    }))

  it.live("requests use the proxy of the environment, but not to this machine", () =>
    Effect.gen(function*() {
      const proxy = yield* listening((_, response) => void response.end("by proxy"))
      const server = yield* listening((_, response) => void response.end("directly"))
      const texts = yield* Effect.forEach(["http://svc.invalid/health", `${server.url}/health`], (url) =>
        exchange(HttpClientRequest.get(url), "5 seconds")).pipe(Effect.provide(clientOf({ http_proxy: proxy.url })))
      assert.deepStrictEqual(
        texts.map(({ text }) =>
          text
        ),
        ["by proxy", "directly"]
      )
      assert.strictEqual(proxy.seen[0]?.url, "http://svc.invalid/health")
    }))

  /** No handshake ends, so that the server needs no certificate. */
  it.live.each<readonly [string, string, () => Server, RegExp]>([
    [
      "https",
      "http",
      () => createServer(),
      /does not speak https\. If it is the service, begin its address with http:\/\/$/
    ],
    ["http", "https", () => createSecureServer({}), /If the service speaks https, begin its address with https:\/\/$/]
  ])(
    "a request by %s to a service that speaks %s says what to change",
    ([scheme, , make, sentence]) =>
      Effect.gen(function*() {
        const server = yield* Effect.acquireRelease(Effect.sync(make), (server) => Effect.sync(() => server.close()))
        yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
        const { port } = server.address() as AddressInfo
        const request = HttpClientRequest.get(`${scheme}://127.0.0.1:${port}/info`)
        const { reason } = yield* Effect.flip(exchange(request, "5 seconds"))
        assert.match(reason, sentence)
      }).pipe(Effect.provide(clientOf()), Effect.scoped)
  )
})
