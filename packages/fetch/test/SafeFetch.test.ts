import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber, type Scope, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { brotliCompressSync, gzipSync } from "node:zlib"
import type { Resolve } from "../src/guardedLookup.ts"
import { type Options, type Request, SafeFetch } from "../src/SafeFetch.ts"

Tier.oneIn(2)

/** A server on an address of this machine, and its port. */
const serve = (listener: RequestListener, host = "127.0.0.1"): Effect.Effect<number, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer(listener)
          server.listen(0, host, () => resolve(server))
        })
      ),
      (server) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    ),
    (server) => (server.address() as AddressInfo).port
  )

const fetch = (request: Partial<Request> & { readonly url: string }, options: Options = {}) =>
  SafeFetch.use((safe) => safe.fetch({ maxBytes: 10_000, ...request })).pipe(
    Effect.provide(SafeFetch.layer(options))
  )

const failure = (request: Partial<Request> & { readonly url: string }, options: Options = {}) =>
  Effect.flip(fetch(request, options))

const resolveTo = (...addresses: ReadonlyArray<string>): Resolve => (_, reply) =>
  reply(null, addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))

const local = { allow: ["127.0.0.1"] }
const text = (content: string): RequestListener => (_, response) =>
  response.setHeader("content-type", "text/plain").end(content)

describe("SafeFetch", () => {
  it.live("an allowed address is fetched", () =>
    Effect.gen(function*() {
      const port = yield* serve(text("hello"))
      const fetched = yield* fetch({ url: `http://127.0.0.1:${port}/path#part` }, local)
      assert.deepInclude(fetched, { status: 200, url: `http://127.0.0.1:${port}/path` })
      assert.strictEqual(Buffer.from(fetched.body).toString(), "hello")
      assert.strictEqual(fetched.headers["content-type"], "text/plain")
    }))

  it.live("a server that sends too many informational responses is refused, and one that sends a few is not", () =>
    Effect.gen(function*() {
      const port = yield* serve((request, response) => {
        const hints = "HTTP/1.1 103 Early Hints\r\n\r\n"
        if (request.url === "/few") {
          response.socket?.write(hints.repeat(10))
          return void response.end("hello")
        }
        // for as long as it is read
        const flood = () => void (response.socket?.writable === true && response.socket.write(hints.repeat(100), flood))
        flood()
      })
      const few = yield* fetch({ url: `http://127.0.0.1:${port}/few` }, local)
      assert.strictEqual(few.status, 200)
      const error = yield* failure({ url: `http://127.0.0.1:${port}/flood` }, local)
      assert.deepInclude(error, {
        reason: "too_large",
        message: `127.0.0.1:${port} sends more than 10 informational responses (1xx)`
      })
    }))

  it.effect("a body that arrives more slowly than the rate of the request is refused, and others are not", () =>
    Effect.gen(function*() {
      const port = yield* serve((request, response) => {
        response.write("a".repeat(request.url === "/slow" ? 10 : 1000))
        if (request.url === "/whole") response.end()
      })
      // the clock is that of the test: it passes when the body has begun
      const slow = yield* Effect.forkChild(failure({ url: `http://127.0.0.1:${port}/slow`, minRate: 10 }, local))
      const error = yield* Effect.raceFirst(
        Fiber.join(slow),
        TestClock.withLive(Effect.sleep("5 millis")).pipe(Effect.andThen(TestClock.adjust("1 second")), Effect.forever)
      )
      assert.deepInclude(error, { reason: "timeout", message: `127.0.0.1:${port} sends less than 10 bytes a second` })
      const whole = yield* TestClock.withLive(fetch({ url: `http://127.0.0.1:${port}/whole`, minRate: 10 }, local))
      assert.strictEqual(whole.body.length, 1000)
    }))

  it.live("no span has the query of an address, which can be a signature", () =>
    Effect.gen(function*() {
      const port = yield* serve(text("hello"))
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      yield* Effect.withTracer(fetch({ url: `http://127.0.0.1:${port}/?code=hunter2` }, local), tracer)
      const attributes = spans.flatMap((span) => [...span.attributes])
      assert.notInclude(JSON.stringify(attributes), "hunter2")
    }))

  it.live("no request is sent to an address that is refused", () =>
    Effect.gen(function*() {
      let requests = 0
      const port = yield* serve((_, response) => {
        requests += 1
        response.end()
      })
      const error = yield* failure({ url: `http://127.0.0.1:${port}/` }, { allow: [`other.test:${port}`] })
      assert.strictEqual(error.reason, "address")
      assert.strictEqual(requests, 0)
    }))

  it.live.each([
    ["127.0.0.1"],
    ["10.0.0.1"],
    ["169.254.169.254"],
    ["::1"],
    ["::ffff:127.0.0.1"],
    ["64:ff9b::7f00:1"],
    ["fd00::1"],
    ["8.8.8.8", "127.0.0.1"],
    ["2606:4700:4700::1111", "10.0.0.1"]
  ])("a name that resolves to %j is refused", (addresses) =>
    Effect.gen(function*() {
      const error = yield* failure({ url: "http://name.test/" }, { resolve: resolveTo(...addresses) })
      assert.strictEqual(error.reason, "address")
      assert.include(error.message, "name.test is not an address of the public internet")
      assert.include(error.message, "FETCH_ALLOW")
    }))

  it.live("a connection goes to the address that was checked, whatever the name resolves to afterwards", () =>
    Effect.gen(function*() {
      const replies = ["127.0.0.2", "127.0.0.1", "127.0.0.1"]
      let resolved = 0
      const resolve: Resolve = (_, reply) => reply(null, [{ address: replies[resolved++] ?? "127.0.0.1", family: 4 }])
      const port = yield* serve(text("checked"), "127.0.0.2")
      const options = { resolve, allow: ["127.0.0.2"], allowPrivate: false }
      const refused = yield* failure({ url: `http://name.test:${port}/` }, options)
      assert.strictEqual(refused.reason, "port")
      assert.strictEqual(resolved, 0)
      // the name is allowed on its port, and resolved once
      const fetched = yield* fetch({ url: `http://name.test:${port}/` }, { ...options, allow: [`name.test:${port}`] })
      assert.strictEqual(Buffer.from(fetched.body).toString(), "checked")
      assert.strictEqual(resolved, 1)
    }))

  it.live("each redirect is checked", () =>
    Effect.gen(function*() {
      let target = ""
      const port = yield* serve((_, response) => response.writeHead(302, { location: target }).end())
      for (
        const [location, reason] of [
          ["http://127.0.0.2/", "address"],
          ["http://[::1]/", "address"],
          ["http://169.254.169.254/latest/meta-data/", "address"],
          ["//10.0.0.1/", "address"],
          ["file:///etc/passwd", "url"],
          ["http://user:password@example.org/", "url"],
          ["http://example.org:22/", "port"]
        ] as const
      ) {
        target = location
        assert.strictEqual((yield* failure({ url: `http://127.0.0.1:${port}/` }, local)).reason, reason)
      }
    }))

  it.live("five redirects are followed, and no more", () =>
    Effect.gen(function*() {
      const port = yield* serve((request, response) => {
        const left = Number(request.url?.slice(1))
        if (left === 0) response.end("there")
        else response.writeHead(307, { location: `/${left - 1}` }).end("on the way")
      })
      const fetched = yield* fetch({ url: `http://127.0.0.1:${port}/5` }, local)
      assert.strictEqual(fetched.url, `http://127.0.0.1:${port}/0`)
      const error = yield* failure({ url: `http://127.0.0.1:${port}/6` }, local)
      assert.deepInclude(error, { reason: "redirects", message: `127.0.0.1:${port} redirects more than 5 times` })
    }))

  it.live("headers of the caller are not sent to another origin, also after a way back", () =>
    Effect.gen(function*() {
      const seen: Array<string | undefined> = []
      let other = 0
      const port = yield* serve((request, response) => {
        seen.push(`${request.url} ${request.headers.authorization}`)
        if (request.url === "/back") response.end()
        else {
          const location = request.url === "/" ? "/same" : `http://127.0.0.1:${other}/`
          response.writeHead(302, { location }).end()
        }
      })
      other = yield* serve((request, response) => {
        seen.push(`other ${request.headers.authorization}`)
        response.writeHead(302, { location: `http://127.0.0.1:${port}/back` }).end()
      })
      yield* fetch({ url: `http://127.0.0.1:${port}/`, headers: { authorization: "secret" } }, local)
      assert.deepStrictEqual(seen, ["/ secret", "/same secret", "other undefined", "/back undefined"])
    }))

  it.live("a request with a body is sent, and follows no redirect", () =>
    Effect.gen(function*() {
      let received = ""
      const port = yield* serve((request, response) => {
        request.on("data", (part) => (received += String(part)))
        request.on("end", () => response.writeHead(307, { location: "/other" }).end())
      })
      const body = { content: "{}", type: "application/json" }
      const fetched = yield* fetch({ url: `http://127.0.0.1:${port}/`, method: "POST", body }, local)
      assert.deepStrictEqual([fetched.status, received], [307, "{}"])
    }))

  it.live("the bytes of a response are limited, with and without its length", () =>
    Effect.gen(function*() {
      const port = yield* serve((request, response) => {
        if (request.url === "/length") response.setHeader("content-length", 20_000)
        response.write("x".repeat(10_001))
        if (request.url === "/length") response.end("x".repeat(9999))
        // the end never comes
      })
      for (const path of ["length", "endless"]) {
        const error = yield* failure({ url: `http://127.0.0.1:${port}/${path}` }, local)
        assert.deepInclude(error, {
          reason: "too_large",
          message: `The response of 127.0.0.1:${port} has more than 10000 bytes`
        })
      }
    }))

  it.live("a compressed response is decompressed within the limit", () =>
    Effect.gen(function*() {
      const bodies: Readonly<Record<string, readonly [encoding: string, body: Uint8Array]>> = {
        "/gzip": ["gzip", gzipSync("small")],
        "/br": ["br", brotliCompressSync("small")],
        "/bomb": ["gzip", gzipSync(Buffer.alloc(50_000_000))],
        "/damaged": ["gzip", Buffer.from("damaged")],
        "/unknown": ["zstd", Buffer.from("x")]
      }
      const port = yield* serve((request, response) => {
        const [encoding, body] = bodies[request.url ?? ""] ?? ["", Buffer.alloc(0)]
        response.setHeader("content-encoding", encoding).end(body)
      })
      const url = `http://127.0.0.1:${port}`
      assert.strictEqual(Buffer.from((yield* fetch({ url: `${url}/gzip` }, local)).body).toString(), "small")
      assert.strictEqual(Buffer.from((yield* fetch({ url: `${url}/br` }, local)).body).toString(), "small")
      assert.strictEqual((yield* failure({ url: `${url}/bomb`, maxBytes: 1_000_000 }, local)).reason, "too_large")
      assert.strictEqual(
        (yield* failure({ url: `${url}/damaged` }, local)).message,
        "The compressed response is damaged"
      )
      assert.include((yield* failure({ url: `${url}/unknown` }, local)).message, "compressed with zstd")
    }))

  it.live("a response of another media type is refused, before its body is read", () =>
    Effect.gen(function*() {
      const port = yield* serve((request, response) => {
        response.setHeader("content-type", request.url === "/html" ? "text/html; charset=utf-8" : "image/png")
        if (request.url === "/html") response.end("<p>")
        else response.write("endless")
      })
      const url = `http://127.0.0.1:${port}`
      assert.strictEqual((yield* fetch({ url: `${url}/html`, types: ["text/*"] }, local)).status, 200)
      const error = yield* failure({ url: `${url}/png`, types: ["text/html", "application/pdf"] }, local)
      assert.deepInclude(error, {
        reason: "type",
        message: `127.0.0.1:${port} responds with image/png, which is not read`
      })
    }))

  it.live("a response that does not end within the time is given up, and signatures of its URL are in no message", () =>
    Effect.gen(function*() {
      const port = yield* serve((_, response) => void response.write("x"))
      const url = `http://127.0.0.1:${port}/docs/a.md?sig=hush`
      const error = yield* failure({ url }, { ...local, timeout: "300 millis" })
      assert.match(error.message, /\/docs\/a\.md$/)
      assert.deepInclude(error, { _tag: "FetchFailed", reason: "timeout" })
      assert.include(error.message, "No complete response within 0.3 seconds")
    }))

  it.live("a connection that fails says why", () =>
    Effect.gen(function*() {
      const port = yield* Effect.scoped(serve(text("closed")))
      const closed = yield* failure({ url: `http://127.0.0.1:${port}/` }, local)
      assert.deepInclude(closed, {
        reason: "unconnected",
        message: `No response from 127.0.0.1:${port}: the connection was refused`
      })
      const resolve: Resolve = (_, reply) => reply(Object.assign(new Error("no"), { code: "ENOTFOUND" }), [])
      const unknown = yield* failure({ url: "http://unknown.test/" }, { resolve })
      assert.strictEqual(unknown.message, "No response from unknown.test: the name is unknown")
    }))

  it.live("a response with a failure status has its body", () =>
    Effect.gen(function*() {
      const port = yield* serve((_, response) => response.writeHead(404, { "content-type": "text/html" }).end("gone"))
      const fetched = yield* fetch({ url: `http://127.0.0.1:${port}/`, types: ["text/plain"] }, local)
      assert.deepStrictEqual([fetched.status, Buffer.from(fetched.body).toString()], [404, "gone"])
    }))

  it.live("headers of the service's traces are not sent", () =>
    Effect.gen(function*() {
      let headers: ReadonlyArray<string> = []
      const port = yield* serve((request, response) => {
        headers = Object.keys(request.headers)
        response.end()
      })
      yield* Effect.withSpan(fetch({ url: `http://127.0.0.1:${port}/` }, local), "caller")
      assert.deepStrictEqual([...headers].sort(), ["accept", "accept-encoding", "connection", "host", "user-agent"])
    }))
})
