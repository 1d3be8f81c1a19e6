import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, type Socket } from "node:net"
import { boundedConnect } from "../src/boundedConnect.ts"
import { SafeFetch } from "../src/SafeFetch.ts"

/** A server that responds on each connection with the same bytes, and its port. */
const serve = (response: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((socket) => {
          socket.on("error", () => socket.destroy())
          socket.write(response)
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    ),
    (server) => {
      const address = server.address()
      return typeof address === "object" && address !== null ? address.port : 0
    }
  )

const connect = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) =>
      boundedConnect({ timeout: 10_000 })(
        { hostname: "127.0.0.1", protocol: "http:", port: String(port) },
        (...[error, socket]) => resume(error === null ? Effect.succeed(socket) : Effect.die(error))
      )
    ),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Waits until the connection has all these bytes, without reading them. */
const received = (socket: Socket, bytes: number) =>
  Effect.callback<void>((resume) => {
    const look = () => void (socket.readableLength >= bytes && resume(Effect.void))
    socket.on("readable", look)
    look()
  })

describe("boundedConnect", () => {
  it.live("what has arrived is read in parts of at most 1,024 bytes", () =>
    Effect.gen(function*() {
      const socket = yield* connect(yield* serve("a".repeat(2500)))
      yield* received(socket, 2500)
      const parts = Array.from({ length: 4 }, () => socket.read()?.length ?? null)
      assert.deepStrictEqual(parts, [1024, 1024, 452, null])
    }))

  it.live("nothing is read after the connection was closed", () =>
    Effect.gen(function*() {
      const socket = yield* connect(yield* serve("a".repeat(2500)))
      yield* received(socket, 2500)
      socket.destroy()
      assert.isNull(socket.read())
    }))

  it.live("a response with headers of more than 16 KiB is refused", () =>
    Effect.gen(function*() {
      const port = yield* serve(`HTTP/1.1 200 OK\r\n${"a:\r\n".repeat(20_000)}\r\n`)
      const error = yield* SafeFetch.use(({ fetch }) => fetch({ url: `http://127.0.0.1:${port}/`, maxBytes: 10 }))
        .pipe(Effect.provide(SafeFetch.layer({ allow: ["127.0.0.1"] })), Effect.flip)
      assert.strictEqual(error.message, `No response from 127.0.0.1:${port}: its headers are too large`)
    }))
})
