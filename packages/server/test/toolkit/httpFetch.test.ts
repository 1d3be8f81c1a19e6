import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { httpFetch } from "../../src/toolkit/httpFetch.ts"
import * as toolServices from "../../src/toolServices.ts"
import { call } from "./Calls.ts"

const listen = (listener: RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(listener)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

const answering = (type: string, body: string | Buffer, status = 200) =>
  listen((_, response) => void response.writeHead(status, { "content-type": type }).end(body))

const allowed = Effect.provide(toolServices.layerWith({ allowPrivate: true }))

describe("the tool of HTTP requests", () => {
  it.effect("the model reads the text with its status and type", () =>
    Effect.gen(function*() {
      const url = yield* answering("application/json; charset=utf-8", `{"a":1}`, 404)
      assert.strictEqual(
        yield* call(httpFetch(), { url }),
        JSON.stringify({ status: 404, url: `${url}/`, content_type: "application/json", body: `{"a":1}` })
      )
    }).pipe(allowed))

  it.effect("a response that is no text or too large is refused", () =>
    Effect.gen(function*() {
      const image = yield* answering("image/png", Buffer.alloc(10))
      assert.strictEqual(yield* call(httpFetch(), { url: image }), "Error: The response is no text, but image/png")
      const large = yield* answering("text/plain", "x".repeat(101))
      assert.match(yield* call(httpFetch({ maxBytes: 100 }), { url: large }), /has more than 100 bytes$/)
      assert.notMatch(yield* call(httpFetch({ maxBytes: 101 }), { url: large }), /^Error/)
    }).pipe(allowed))

  it.effect("a redirect to a private address is refused, and so is the address itself", () =>
    Effect.gen(function*() {
      const url = yield* answering("text/plain", "secret")
      assert.match(yield* call(httpFetch(), { url }), /is not an address of the public internet/)
      assert.match(yield* call(httpFetch(), { url: "http://169.254.169.254/latest" }), /not an address of the public/)
      assert.match(yield* call(httpFetch(), { url: "file:///etc/passwd" }), /^Error: Only http and https/)
    }).pipe(Effect.provide(toolServices.layerWith())))

  it.effect("a redirect out of the allowed addresses is refused", () =>
    Effect.gen(function*() {
      const url = yield* listen((_, response) =>
        void response.writeHead(302, { location: "http://169.254.169.254/latest" }).end()
      )
      assert.match(yield* call(httpFetch(), { url }), /not an address of the public internet/)
    }).pipe(allowed))
})
