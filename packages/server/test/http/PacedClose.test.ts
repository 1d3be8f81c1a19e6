// Thousands of clients that disconnect at once delay other requests by a few milliseconds.
import { assert, describe, it } from "@effect/vitest"
import { Route } from "@svc-runtime/server"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Fiber, Latch } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Socket } from "effect/socket"
import { connect, type Socket as Connection } from "node:net"

const connections = 300

/** A route that never responds, or upgrades its connection and is silent. */
const silent = Effect.gen(function*() {
  let open = 0
  const all = Latch.makeUnsafe(false)
  const opened = Effect.sync(() => {
    if (++open === connections) all.openUnsafe()
  })
  const closed = Effect.sync(() => open--)
  const wait = Effect.ensuring(Effect.andThen(opened, Effect.never), closed)
  const routes = HttpRouter.use((router) =>
    Effect.andThen(
      router.add("GET", "/silent", Effect.as(wait, HttpServerResponse.empty())),
      router.add("GET", "/socket", (request) =>
        Effect.orDie(Effect.scoped(Effect.gen(function*() {
          const pull = yield* Socket.readerString(yield* request.upgrade)
          yield* opened
          yield* Effect.ensuring(Effect.ignore(pull), closed)
          return HttpServerResponse.empty()
        }))))
    )
  )
  return { routes, all: all.await, open: () => open }
})

const upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n" +
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

/** How many ended in the worst turn of the event loop. */
const worstTurn = (open: () => number) =>
  Effect.callback<number>((resume) => {
    let [before, worst] = [open(), 0]
    const look = () => {
      worst = Math.max(worst, before - open())
      before = open()
      if (before > 0) setImmediate(look)
      else resume(Effect.succeed(worst))
    }
    look()
  })

describe("PacedClose", () => {
  for (const [title, path, headers] of [["requests", "/silent", ""], ["sockets", "/socket", upgrade]] as const) {
    it.live(`${title} whose clients disconnect at once end a few in each turn of the event loop`, () =>
      Effect.gen(function*() {
        const { all, open, routes } = yield* silent
        const { port } = yield* TestServer.listen({
          routes: [Route.layer(routes, { "GET /silent": "none", "GET /socket": "none" })]
        })
        const sockets: Array<Connection> = []
        for (let n = 0; n < connections; n++) {
          const socket = connect(port, "127.0.0.1")
          socket.on("error", () => {})
          socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`)
          sockets.push(socket)
        }
        yield* all
        const worst = yield* Effect.forkChild(worstTurn(open))
        yield* Effect.yieldNow
        for (const socket of sockets) socket.destroy()
        assert.isAtMost(yield* Fiber.join(worst), 40)
      }))
  }
})
