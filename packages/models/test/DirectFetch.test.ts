// The same requests to the same server give the same answers as with `fetch`.
import { assert, describe, it, vi } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import * as BoundedFetch from "../src/BoundedFetch.ts"
import * as DirectFetch from "../src/DirectFetch.ts"

type Answer = (response: Http.ServerResponse, request: Http.IncomingMessage, body: string) => void

const serving = (answer: Answer) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<Http.Server>((resume) => {
        const server = Http.createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk) => chunks.push(chunk))
          request.once("end", () => answer(response, request, Buffer.concat(chunks).toString()))
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close(() => undefined).closeAllConnections())
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

const limit = 256 * 1024

const direct = BoundedFetch.make(limit)

/** Without a dispatcher everything is left to `fetch`. */
const whole = BoundedFetch.make(limit, () => undefined)

const request = (signal?: AbortSignal): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", "x-given": "yes" },
  body: JSON.stringify({ text: "Grüße 🙂" }),
  ...(signal === undefined ? {} : { signal })
})

const failureOf = (cause: unknown): unknown =>
  cause instanceof Error
    ? { name: cause.name, message: cause.message, code: Reflect.get(cause, "code"), cause: failureOf(cause.cause) }
    : cause

const outcome = (fetch: typeof globalThis.fetch, url: string) =>
  Effect.promise(() =>
    fetch(url, request()).then(async (response) => {
      const { headers, ok, status, statusText } = response
      const answered = { ok, status, statusText, headers: [...headers].filter(([name]) => name !== "date") }
      return { ...answered, body: await response.text().catch(failureOf) }
    }).catch(failureOf)
  )

const answers: ReadonlyArray<readonly [string, Answer]> = [
  ["a text", (response, { headers, method, url }, body) => {
    response.writeHead(200, "Fine", { "x-latin": "caf\u00e9", "set-cookie": ["a=1", "b=2"] })
    response.end(JSON.stringify({ method, url, body, type: headers["content-type"], given: headers["x-given"] }))
  }],
  ["no text", (response) => response.writeHead(204).end()],
  ["an empty text", (response) => response.writeHead(200).end()],
  ["an error", (response) => response.writeHead(429, { "retry-after": "7" }).end("{\"error\":\"slow\"}")],
  ["hints before the answer", (response) => {
    response.writeEarlyHints({ link: "</a.css>; rel=preload; as=style" })
    response.end("after")
  }],
  ["a gzipped text", (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("zip"))],
  ["a deflated text", (response) => response.writeHead(200, { "content-encoding": "deflate" }).end(deflateSync("zip"))],
  ["a text of br", (response) => response.writeHead(200, { "content-encoding": "br" }).end(brotliCompressSync("zip"))],
  ["an unknown encoding", (response) => response.writeHead(200, { "content-encoding": "zip" }).end("zip")],
  ["another place", (response, { url }) => {
    if (url === "/there") response.end("there")
    else response.writeHead(307, { location: "/there" }).end()
  }],
  ["a place without an address", (response) => response.writeHead(302).end("here")],
  ["too many bytes", (response) => response.end("a".repeat(limit + 1))],
  [
    "too many compressed bytes",
    (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("a".repeat(limit + 1)))
  ],
  ["an error without a body whose headers name a compression", (response) => {
    response.writeHead(500, { "content-encoding": "gzip", "content-length": "0" }).end()
  }],
  ["a body that is cut", (response) => {
    response.writeHead(200, { "content-length": "100" })
    response.write("half", () => response.destroy())
  }],
  ["no answer", (response) => response.destroy()]
]

describe("DirectFetch", () => {
  it.live.each(answers)("the answer is that of fetch: %s", ([, answer]) =>
    Effect.gen(function*() {
      const url = yield* serving(answer)
      assert.deepStrictEqual(yield* outcome(direct, `${url}/a?b=c#d`), yield* outcome(whole, `${url}/a?b=c#d`))
    }))

  it.live.each(["http://name:secret@127.0.0.1:9/", "ftp://127.0.0.1/", "no url"])(
    "the failure is that of fetch: %s",
    (url) =>
      Effect.gen(function*() {
        const failure = yield* outcome(whole, url)
        assert.property(failure, "message")
        assert.deepStrictEqual(yield* outcome(direct, url), failure)
      })
  )

  it.live("the failure is that of fetch: a server that has stopped", () =>
    Effect.gen(function*() {
      const url = yield* Effect.scoped(serving(() => {}))
      const failure = yield* outcome(whole, url)
      assert.include(JSON.stringify(failure), "ECONNREFUSED")
      assert.deepStrictEqual(yield* outcome(direct, url), failure)
    }))

  it.live("a request whose signal is aborted before is not sent", () =>
    Effect.gen(function*() {
      const url = yield* serving(() => assert.fail("sent"))
      const reason = yield* Effect.promise(() =>
        direct(url, request(AbortSignal.abort("left"))).catch((cause) => cause)
      )
      assert.strictEqual(reason, "left")
    }))

  it.live("a request that is aborted before its answer fails with the reason, and its connection is closed", () =>
    Effect.gen(function*() {
      const closed = yield* Deferred.make<void>()
      const abort = new AbortController()
      const url = yield* serving((response) => {
        response.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
        abort.abort("left")
      })
      const reason = yield* Effect.promise(() => direct(url, request(abort.signal)).catch((cause) => cause))
      assert.strictEqual(reason, "left")
      yield* Deferred.await(closed)
    }))

  it.live.each(["aborted", "cancelled"])(
    "a body that is %s has its connection closed",
    (how) =>
      Effect.gen(function*() {
        const closed = yield* Deferred.make<void>()
        const abort = new AbortController()
        const url = yield* serving((response) => {
          response.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
          response.write("first")
        })
        const response = yield* Effect.promise(() => direct(url, request(abort.signal)))
        const reader = response.body!.getReader()
        yield* Effect.promise(() => reader.read())
        const rest = reader.read().then(({ done }) => done, (cause) => cause)
        if (how === "aborted") abort.abort("left")
        else yield* Effect.promise(() => reader.cancel("left"))
        assert.strictEqual(yield* Effect.promise(() => rest), how === "aborted" ? "left" : true)
        yield* Deferred.await(closed)
      })
  )

  it.live("a fetch that replaces the one of the process gets the requests", () =>
    Effect.gen(function*() {
      const url = yield* serving((response) => response.end("sent"))
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.stubGlobal("fetch", () => Promise.resolve(new Response("replaced")))),
        () => Effect.sync(() => vi.unstubAllGlobals())
      )
      assert.strictEqual(yield* Effect.promise(() => direct(url, request()).then((sent) => sent.text())), "replaced")
    }))

  it.live("a fetch that was replaced before the module was loaded gets the requests", () =>
    Effect.gen(function*() {
      const { fetch } = globalThis
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.stubGlobal("fetch", (...given: Parameters<typeof fetch>) => fetch(...given))),
        () => Effect.sync(() => vi.unstubAllGlobals())
      )
      const again = new URL("../src/DirectFetch.ts?again", import.meta.url).href
      const { ofProcess } = yield* Effect.promise(() => import(again) as Promise<typeof DirectFetch>)
      assert.isUndefined(ofProcess())
    }))

  it.live("a dispatcher of the author can copy the headers of a request", () =>
    Effect.gen(function*() {
      const url = yield* serving((response, { headers }) => response.end(`${headers["x-given"]} ${headers["x-own"]}`))
      const dispatcher = DirectFetch.ofProcess()
      assert.isDefined(dispatcher)
      const copying = BoundedFetch.make(limit, () => ({
        dispatch: (options: { readonly headers?: object }, handler) =>
          dispatcher.dispatch({ ...options, headers: { ...options.headers, "x-own": "also" } }, handler)
      }))
      const answered = yield* Effect.promise(() => copying(url, request()).then((sent) => sent.text()))
      assert.strictEqual(answered, "yes also")
    }))

  it.live("a reason phrase of other letters does not hide the status", () =>
    Effect.gen(function*() {
      const url = yield* serving((response) => {
        response.socket?.end("HTTP/1.1 429 \u8bf7\u6c42\r\nretry-after: 3\r\ncontent-length: 0\r\n\r\n")
      })
      for (const fetch of [direct, whole]) {
        const answered = yield* Effect.promise(() => fetch(url, request()))
        assert.deepStrictEqual([answered.status, answered.headers.get("retry-after")], [429, "3"])
      }
    }))

  it.live("a second request uses the connection of the first one", () =>
    Effect.gen(function*() {
      const ports = new Set<number | undefined>()
      const url = yield* serving((response, { socket }) => {
        ports.add(socket.remotePort)
        response.end("text")
      })
      yield* outcome(direct, url)
      // a connection is free again in the next turn
      yield* Effect.promise(() => new Promise(setImmediate))
      yield* outcome(direct, url)
      assert.strictEqual(ports.size, 1)
    }))

  it.live("what waits for its reader is bounded by bytes", () =>
    Effect.gen(function*() {
      let delivered = 0
      let isPaused = false
      const send = BoundedFetch.make(1024 * 1024 * 1024, () => ({
        dispatch: (_, { onConnect, onData, onHeaders }) => {
          onConnect(() => {})
          onHeaders(200, [], () => isPaused = false, "OK")
          const deliver = () => {
            for (isPaused = false; !isPaused; delivered += 1000) isPaused = !onData(new Uint8Array(1000))
          }
          deliver()
        }
      }))
      const response = yield* Effect.promise(() => send("http://provider.test/", request()))
      assert.isBelow(delivered, 1024 * 1024)
      const reader = response.body!.getReader()
      yield* Effect.promise(() => reader.read())
      assert.isFalse(isPaused)
    }))
})
