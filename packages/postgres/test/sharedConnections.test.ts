import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Net from "node:net"
import * as SilentConnections from "../src/sql/SilentConnections.ts"

/** A connection to a server that accepts everything. */
const connected = Effect.fnUntraced(function*(kind: "connect" | "connectShared") {
  const server = Net.createServer((socket) => socket.on("error", () => {}).resume())
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  const { port } = server.address() as Net.AddressInfo
  const connections = yield* SilentConnections.make({
    name: "test",
    maxConnections: 1,
    options: { port, host: "127.0.0.1" }
  })
  const socket = yield* Effect.acquireRelease(
    Effect.sync(connections[kind]),
    (socket) => Effect.sync(() => socket.destroy())
  )
  yield* Effect.callback<void>((resume) => void socket.once("connect", () => resume(Effect.void)))
  return socket
})

const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

describe("connections to the database", () => {
  it.effect("statements of one turn of the event loop leave a shared connection together", () =>
    Effect.gen(function*() {
      const socket = yield* connected("connectShared")
      socket.write("first")
      socket.write("second")
      assert.strictEqual(socket.writableCorked, 1)
      yield* turn
      assert.strictEqual(socket.writableCorked, 0)
      socket.write("third")
      assert.strictEqual(socket.writableCorked, 1)
    }))

  it.effect("a statement on a connection of its own leaves at once", () =>
    Effect.gen(function*() {
      const socket = yield* connected("connect")
      socket.write("first")
      assert.strictEqual(socket.writableCorked, 0)
    }))
})
