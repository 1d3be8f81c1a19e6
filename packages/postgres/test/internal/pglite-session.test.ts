// The cutting of what a driver writes, with an engine that only notes what it is given.
import { assert, describe, it } from "@effect/vitest"
import { Buffer } from "node:buffer"
import { once } from "node:events"
import type { Duplex } from "node:stream"
import { setImmediate as turn } from "node:timers/promises"
import type { Engine } from "../../src/pglite/pgliteEngine.ts"
import { PgliteServer } from "../../src/pglite/pgliteServer.ts"

const message = (letter: string, body = ""): Buffer => {
  const bytes = Buffer.from(`${letter}....${body}`)
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}

const first = (code: number, body = ""): Buffer => {
  const bytes = Buffer.from(`........${body}`)
  bytes.writeInt32BE(bytes.length, 0)
  bytes.writeInt32BE(code, 4)
  return bytes
}

const startup = first(196608, "user\0postgres\0\0")

/** Replies to everything with its own letters. */
const make = () => {
  const ran: Array<string> = []
  const lettersOf = (messages: Buffer): string =>
    messages.length === 0
      ? ""
      : String.fromCharCode(messages[0] ?? 0) + lettersOf(messages.subarray(1 + messages.readInt32BE(1)))
  const engine: Engine = {
    startup: () => turn(Buffer.from("hello")),
    run: (messages, { endsReady }) => {
      const letters = `${lettersOf(Buffer.from(messages))}${endsReady ? "!" : "?"}`
      ran.push(letters)
      return turn(Buffer.from(letters))
    },
    close: () => Promise.resolve(),
    discard: () => Promise.resolve()
  }
  return { ran, server: new PgliteServer(engine, undefined) }
}

const reply = (socket: Duplex): Promise<string> => once(socket, "data").then(([chunk]) => String(chunk))

/** What clears up after a connection: Sync, ROLLBACK, DISCARD ALL. */
const cleared = ["S!", "Q!", "Q!"]

describe("The stream to an embedded database", () => {
  it("messages that arrive in pieces are put together", async () => {
    const { ran, server } = make()
    const socket = server.connect()
    for (const byte of startup) socket.write(Buffer.of(byte))
    assert.strictEqual(await reply(socket), "hello")
    const cycle = Buffer.concat([message("P", "a\0SELECT 1\0\0\0"), message("B"), message("E"), message("S")])
    for (const byte of cycle.subarray(0, -1)) socket.write(Buffer.of(byte))
    socket.write(cycle.subarray(-1))
    let all = ""
    while (!all.endsWith("S!")) all += await reply(socket)
    assert.strictEqual(all, "P?B?E?S!")
    assert.deepStrictEqual(ran, ["P?", "B?", "E?", "S!"])
  })

  it("messages that are written together are executed up to each point where the reply ends", async () => {
    const { ran, server } = make()
    const socket = server.connect()
    const cycle = ["P", "B", "E", "S"].map((letter) => message(letter))
    socket.write(Buffer.concat([startup, ...cycle, ...cycle, message("Q", "SELECT 1\0"), message("P")]))
    assert.strictEqual(await reply(socket), "hello")
    while (ran.length < 4) await reply(socket)
    assert.deepStrictEqual(ran, ["PBES!", "PBES!", "Q!", "P?"])
  })

  it("what is written while a statement is executed does not wait for its reply, and replies come in their order", async () => {
    const { ran, server } = make()
    const socket = server.connect()
    socket.write(startup)
    assert.strictEqual(await reply(socket), "hello")
    socket.write(message("Q", "SELECT 1\0"))
    socket.write(message("S"))
    assert.deepStrictEqual(ran, ["Q!", "S!"])
    let all = ""
    while (!all.endsWith("S!")) all += await reply(socket)
    assert.strictEqual(all, "Q!S!")
  })

  it("a connection that is ended by its client gets the replies to what it wrote before", async () => {
    const { server } = make()
    const socket = server.connect()
    socket.write(startup)
    assert.strictEqual(await reply(socket), "hello")
    socket.write(message("Q", "SELECT 1\0"))
    socket.end()
    assert.strictEqual(await reply(socket), "Q!")
  })

  it("encryption is refused, and the connection continues", async () => {
    const { server } = make()
    const socket = server.connect()
    socket.write(first(80877103))
    assert.strictEqual(await reply(socket), "N")
    socket.write(startup)
    assert.strictEqual(await reply(socket), "hello")
  })

  it("a connection that asks to cancel is closed, without a turn", async () => {
    const { ran, server } = make()
    const holder = server.connect()
    holder.write(startup)
    await reply(holder)
    const canceller = server.connect()
    canceller.write(first(80877102, "12345678"))
    await once(canceller, "close")
    holder.write(message("Q", "SELECT 1\0"))
    assert.strictEqual(await reply(holder), "Q!")
    assert.deepStrictEqual(ran, ["Q!"])
  })

  it("a single connection at a time is served, and cleaned up after its end, however it ends", async () => {
    const { ran, server } = make()
    const sockets = [server.connect(), server.connect(), server.connect()]
    for (const socket of sockets) {
      socket.on("error", () => {})
      socket.write(Buffer.concat([startup, message("Q", "SELECT 1\0")]))
    }
    await reply(sockets[0]!)
    assert.strictEqual(await reply(sockets[0]!), "Q!")
    assert.deepStrictEqual(ran, ["Q!"])
    sockets[1]!.destroy(new Error("gave up waiting"))
    sockets[0]!.end(message("X"))
    assert.strictEqual(await reply(sockets[2]!), "hello")
    assert.strictEqual(await reply(sockets[2]!), "Q!")
    assert.deepStrictEqual(ran, ["Q!", ...cleared, "Q!"])
  })
})
