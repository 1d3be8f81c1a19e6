// Requests after which node reads no more of a connection, and which are refused.
import { assert, describe, it } from "@effect/vitest"
import { Route } from "@svc-runtime/server"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Latch } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { exchange, head, open, replies, served } from "./Exchanges.ts"

Tier.oneIn(3)

const upgrade = (protocol: string) => ["connection: upgrade", `upgrade: ${protocol}`]

const unknown = head("GET /x", ...upgrade("foo"))

const refused: ReadonlyArray<readonly [string, string, number]> = [
  ["an upgrade to an unknown protocol", unknown, 404],
  ["a WebSocket handshake without a key", head("GET /workflows/ws", ...upgrade("websocket")), 400],
  ["CONNECT", head("CONNECT svc.test:443"), 405],
  ["an unknown expectation", head("GET /health", "expect: 200-ok"), 417]
]

/** A route that never responds. */
const silent = () => {
  const [opened, closed] = [Latch.makeUnsafe(false), Latch.makeUnsafe(false)]
  const wait = Effect.ensuring(
    Effect.andThen(opened.open, Effect.never),
    closed.open
  )
  const routes = HttpRouter.use((router) => router.add("GET", "/silent", Effect.as(wait, HttpServerResponse.empty())))
  return { routes, opened: opened.await, closed: closed.await }
}

describe("requests that take their connection", () => {
  it.live.each(refused)(
    "the refusal of %s is sent after the answers to earlier requests",
    ([, bytes, status]) =>
      Effect.gen(function*() {
        const { port } = yield* served()
        const received = yield* exchange(port, head("GET /sessions") + head("GET /health") + bytes)
        assert.deepStrictEqual(replies(received).map((reply) => reply.status), [200, 200, status], received)
      })
  )

  it.live.each(refused.slice(0, 3))(
    "the server closes the connection after its refusal of %s",
    ([, bytes]) =>
      Effect.gen(function*() {
        const { port } = yield* served()
        const socket = yield* open(port, { allowHalfOpen: true })
        yield* Effect.callback<void>((resume) => {
          socket.on("error", () => {})
          socket.on("close", () => resume(Effect.void))
          // only a connection that the server has closed on both sides refuses bytes
          const write = () => socket.write("x", (error) => error ? undefined : setImmediate(write))
          socket.on("end", write)
          socket.resume()
          socket.write(bytes)
        })
      })
  )

  it.live("a request ends when its client disconnects, also if an upgrade waits for its response", () =>
    Effect.gen(function*() {
      const { closed, opened, routes } = silent()
      const { port } = yield* TestServer.listen({ routes: [Route.layer(routes, { "GET /silent": "none" })] })
      const socket = yield* open(port)
      socket.write(head("GET /silent") + unknown)
      yield* opened
      socket.destroy()
      yield* closed
    }))
})
