// How the embedded database serves connections after a crash.
import { assert, describe, it } from "@effect/vitest"
import type { Engine } from "@svc-runtime/postgres/pglite/pgliteEngine"
import { PgliteServer } from "@svc-runtime/postgres/pglite/pgliteServer"
import { Effect } from "effect"
import { Buffer } from "node:buffer"
import { once } from "node:events"
import type { Duplex } from "node:stream"

const startup = Buffer.from([0, 0, 0, 8, 0, 3, 0, 0])
const query = Buffer.concat([Buffer.from("Q"), Buffer.from([0, 0, 0, 6]), Buffer.from("a\0")])

const engine = (run: Engine["run"], log: Array<string> = []): Engine => ({
  run,
  startup: () => Promise.resolve(Buffer.from("started")),
  close: () => Promise.resolve(void log.push("closed")),
  discard: () => Promise.resolve()
})
const working = (log?: Array<string>) => engine(() => Promise.resolve(Buffer.from("done")), log)
const crashing = () => engine(() => Promise.reject(new Error("a crash")))

/** What a connection reads: its reply, or why it was refused. */
const read = (connection: Duplex) =>
  Effect.promise(() => once(connection, "data").then(([bytes]) => String(bytes), (error: Error) => error.message))

const connected = (server: PgliteServer) => {
  const connection = server.connect()
  connection.write(startup)
  return connection
}

const crash = Effect.fnUntraced(function*(server: PgliteServer) {
  const connection = connected(server)
  yield* read(connection)
  connection.write(query)
  return yield* read(connection)
})

describe("a crash of the embedded database", () => {
  it.live("a database that cannot be opened again refuses connections, and is tried again until it opens", () =>
    Effect.gen(function*() {
      const causes: Array<string> = []
      const [full, room] = [Promise.withResolvers<Engine>(), Promise.withResolvers<Engine>()]
      const server = new PgliteServer(crashing(), (cause) => {
        causes.push((cause as Error).message)
        return causes.length === 1 ? full.promise : room.promise
      }, 1)
      assert.strictEqual(yield* crash(server), "The embedded database crashed")
      const waiting = connected(server)
      full.reject(new Error("the disk is full"))
      const refused = "The embedded database could not be opened again"
      assert.strictEqual(yield* read(waiting), refused)
      assert.strictEqual(yield* read(connected(server)), refused)
      room.resolve(working())
      yield* Effect.promise(() => room.promise)
      // the timer of the server runs between them
      const answers = Effect.delay(Effect.suspend(() => read(connected(server))), "1 milli")
      assert.strictEqual(
        yield* Effect.repeat(answers, { until: (answer) => answer === "started", times: 1000 }),
        "started"
      )
      assert.deepStrictEqual(causes, ["a crash", "the disk is full"])
    }))

  it.live("a server that is closed is not opened again, and closes what is opening", () =>
    Effect.gen(function*() {
      let count = 0
      const failing = new PgliteServer(crashing(), () => {
        count++
        return Promise.reject(new Error("the disk is full"))
      }, 3_600_000)
      yield* crash(failing)
      yield* read(connected(failing))
      yield* Effect.promise(failing.close)
      assert.strictEqual(count, 1)

      const log: Array<string> = []
      const opening = Promise.withResolvers<Engine>()
      const server = new PgliteServer(crashing(), () => opening.promise)
      yield* crash(server)
      const closing = server.close()
      opening.resolve(working(log))
      yield* Effect.promise(() => closing)
      assert.deepStrictEqual(log, ["closed"])
    }))
})
