// Thousands of clients that send a request at once delay other requests by a few milliseconds.
import { assert, describe, it } from "@effect/vitest"
import { Route } from "@svc-runtime/server"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { connect, type Socket as Connection } from "node:net"

Tier.oneIn(12)

const connections = 300

const counted = () => {
  let started = 0
  const routes = HttpRouter.use((router) =>
    router.add(
      "GET",
      "/counted",
      Effect.sync(() => {
        started++
        return HttpServerResponse.empty()
      })
    )
  )
  return { routes: [Route.layer(routes, { "GET /counted": "none" })], started: () => started }
}

const send = (socket: Connection, path: string, headers = "") =>
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`)

const upgrade = "connection: upgrade\r\nupgrade: websocket\r\n"

/** A connection that the server has accepted: node accepts one in each turn. */
const open = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Connection>((resume) => {
      const socket = connect(port, "127.0.0.1")
      socket.once("data", () => resume(Effect.succeed(socket)))
      send(socket, "/health")
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** How many started in the worst turn of the event loop. */
const worstTurn = (started: () => number) =>
  Effect.callback<number>((resume) => {
    let [before, worst] = [started(), 0]
    const look = () => {
      worst = Math.max(worst, started() - before)
      before = started()
      if (before < connections) setImmediate(look)
      else resume(Effect.succeed(worst))
    }
    look()
  })

const openMany = (port: number) =>
  Effect.all(Array.from({ length: connections }, () => open(port)), { concurrency: "unbounded" })

describe("requests of many connections at once", () => {
  for (const [what, headers] of [["requests", ""], ["upgrades", upgrade]] as const) {
    it.live(`${what} start a few in each turn of the event loop, and those for the health do not wait for them`, () =>
      Effect.gen(function*() {
        const { routes, started } = counted()
        const { port } = yield* TestServer.listen({ routes })
        const sockets = yield* openMany(port)
        const health = yield* open(port)
        const worst = yield* Effect.forkChild(worstTurn(started))
        yield* Effect.yieldNow
        for (const socket of sockets) send(socket, "/counted", headers)
        send(health, "/health")
        const startedBefore = yield* Effect.callback<number>((resume) => {
          health.once("data", () => resume(Effect.succeed(started())))
        })
        assert.isBelow(startedBefore, connections)
        assert.isAtMost(yield* Fiber.join(worst), 40)
      }))
  }

  it.live("a request does not wait for the requests for the health", () =>
    Effect.gen(function*() {
      const { routes } = counted()
      const { port } = yield* TestServer.listen({ routes })
      const sockets = yield* openMany(port)
      const other = yield* open(port)
      let answers = 0
      for (const socket of sockets) {
        socket.on("data", () => answers++)
        send(socket, "/health")
      }
      send(other, "/counted")
      const answersBefore = yield* Effect.callback<number>((resume) => {
        other.once("data", () => resume(Effect.succeed(answers)))
      })
      assert.isBelow(answersBefore, connections)
    }))

  it.live("a client may reset its connection while its upgrade waits", () =>
    Effect.gen(function*() {
      const { routes, started } = counted()
      const { port } = yield* TestServer.listen({ routes })
      const sockets = yield* openMany(port)
      for (const socket of sockets) send(socket, "/counted", upgrade)
      for (const socket of sockets) socket.resetAndDestroy()
      yield* open(port)
      assert.isBelow(started(), connections)
    }))
})
