import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope, Stream } from "effect"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { SafeFetch } from "../src/SafeFetch.ts"

const serve = (listener: RequestListener): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer(listener)
          server.listen(0, "127.0.0.1", () => resolve(server))
        })
      ),
      (server) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  )

const layer = SafeFetch.layer({ allow: ["127.0.0.1"] })

const open = (url: string) => SafeFetch.use((safe) => safe.open({ url, maxBytes: 10 }))

const decoder = new TextDecoder()

describe("SafeFetch.open", () => {
  it.live("a part of a body is read before the next one is sent", () =>
    Effect.gen(function*() {
      let sent: ServerResponse | undefined
      const url = yield* serve((_, response) => {
        sent = response
        response.write("one")
      })
      const { body } = yield* open(url)
      const parts: Array<string> = []
      yield* Stream.runForEach(body, (part) =>
        Effect.sync(() => {
          parts.push(decoder.decode(part))
          sent?.end(parts.length === 1 ? "two" : undefined)
        }))
      assert.strictEqual(parts.join(""), "onetwo")
    }).pipe(Effect.provide(layer)))

  it.live("a body without an end is refused beyond the maximum", () =>
    Effect.gen(function*() {
      const url = yield* serve((_, response) => {
        const flood = () => void (response.writable && response.write("abcdef", () => setImmediate(flood)))
        flood()
      })
      const { body } = yield* open(url)
      const error = yield* Effect.flip(Stream.runDrain(body))
      assert.deepInclude(error, { _tag: "FetchRejected", reason: "too_large" })
    }).pipe(Effect.provide(layer)))

  it.live("a compressed body is refused, because it cannot be read in parts", () =>
    Effect.gen(function*() {
      const url = yield* serve((request, response) => {
        assert.strictEqual(request.headers["accept-encoding"], "identity")
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("hi"))
      })
      assert.deepInclude(yield* Effect.flip(open(url)), { _tag: "FetchRejected", reason: "format" })
    }).pipe(Effect.provide(layer)))

  it.live("a request that was not sent fails in another way than one that was cut off", () =>
    Effect.gen(function*() {
      const cut = yield* serve((request) => request.socket.destroy())
      assert.deepInclude(yield* Effect.flip(open(cut)), { _tag: "FetchFailed", reason: "connection" })
      const closed = yield* Effect.scoped(serve(() => {}))
      assert.deepInclude(yield* Effect.flip(open(closed)), { _tag: "FetchFailed", reason: "unconnected" })
    }).pipe(Effect.provide(layer)))
})
