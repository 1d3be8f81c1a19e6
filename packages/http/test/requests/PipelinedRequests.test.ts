import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, IncomingMessage, type Server } from "node:http"
import { type AddressInfo, connect } from "node:net"
import * as PipelinedRequests from "../../src/requests/PipelinedRequests.ts"

const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close())
  )

describe("requests that a client sends before earlier ones have a response", () => {
  it.live("node makes no more requests of a connection that is closed because it sent too many", () =>
    Effect.gen(function*() {
      let made = 0
      class Counted extends IncomingMessage {
        constructor(socket: IncomingMessage["socket"]) {
          super(socket)
          made++
        }
      }
      const server = createServer({ IncomingMessage: Counted }, () => {})
      server.on("clientError", (_, socket) => socket.destroy())
      PipelinedRequests.make(server)
      const port = yield* listening(server)
      yield* Effect.callback<void>((resume) => {
        const client = connect(port, "127.0.0.1")
        client.on("error", () => {})
        client.once("close", () => resume(Effect.void))
        client.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(1500))
      })
      // with the one at which it is closed, and the one at which the parser ends
      assert.isAtMost(made, 102)
    }))
})
