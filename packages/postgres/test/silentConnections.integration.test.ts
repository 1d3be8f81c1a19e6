// Half-open connections: the database sends no reply on them, or a part of one, and they do not break.
import { assert, it } from "@effect/vitest"
import { type Channel, Notifications } from "@svc-runtime/engine/node/Notifications"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Deferred, Effect, Fiber, Layer, Logger, Redacted, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Net from "node:net"
import * as Postgres from "../src/Postgres.ts"
import { ShortStatements } from "../src/ShortStatements.ts"
import { LongStatements } from "../src/sql/LongStatements.ts"

Tier.oneIn(10)

const lostOf = (open: Iterable<{ readonly lost: number }>) => [...open].filter(({ lost }) => lost > 0).length

/** Passes everything on, until its open connections lose what the database sends. Later ones lose nothing. */
const wireTo = Effect.fnUntraced(function*(port: number) {
  const open = new Set<{ passed: number; lost: number }>()
  const sockets = new Set<Net.Socket>()
  const server = Net.createServer((client) => {
    const connection = { passed: Infinity, lost: 0 }
    open.add(connection)
    const database = Net.connect(port, "127.0.0.1")
    for (const [socket, other] of [[client, database], [database, client]] as const) {
      sockets.add(socket)
      socket.on("error", () => {}).once("close", () => {
        open.delete(connection)
        other.destroy()
      })
    }
    client.pipe(database)
    database.on("data", (bytes: Buffer) => {
      const passed = bytes.subarray(0, connection.passed)
      client.write(passed)
      connection.passed -= passed.length
      connection.lost += bytes.length - passed.length
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.close()
        sockets.forEach((socket) => socket.destroy())
      })
  )
  return {
    port: (server.address() as Net.AddressInfo).port,
    /** After so many bytes more. */
    silence: (passed = 0) => open.forEach((connection) => (connection.passed = passed)),
    /** Resolves when so many connections have lost a reply. */
    lost: (count: number) =>
      Effect.repeat(
        Effect.promise(() => new Promise<number>((resolve) => setImmediate(() => resolve(lostOf(open))))),
        { until: (lost) => lost >= count }
      )
  }
})

const world = Effect.gen(function*() {
  const url = new URL(Redacted.value(yield* PostgresLayer.url))
  const wire = yield* wireTo(Number(url.port))
  url.port = String(wire.port)
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
  const context = yield* Layer.build(Layer.provideMerge(Postgres.layer({ url: Redacted.make(url.href) }), logger))
  const short = Context.get(context, ShortStatements)
  return {
    wire,
    lines,
    longStatements: Context.get(context, LongStatements),
    sql: Context.get(context, SqlClient.SqlClient),
    reads: short?.reads ?? assert.fail("no short statements"),
    channel: Context.get(context, Notifications) as Channel
  }
})

const reasonOf = <A>(effect: Effect.Effect<A, SqlError.SqlError>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason._tag)

it.effect("A statement to which the database never replies fails when its time and five seconds are over.", () =>
  Effect.gen(function*() {
    const { lines, reads, sql, wire } = yield* world
    const statements = [
      sql`select 1`,
      sql.withTransaction(sql`select 1`),
      reads`select 1`
    ]
    // two ordinary connections and a shared one
    yield* Effect.scoped(Effect.andThen(sql.reserve, Effect.all(statements)))
    wire.silence()
    const failing = yield* Effect.forkChild(Effect.all(statements.map(reasonOf), { concurrency: "unbounded" }))
    yield* wire.lost(3)
    yield* TestClock.adjust("34 seconds")
    assert.isUndefined(failing.pollUnsafe())
    yield* TestClock.adjust("4 seconds")
    assert.deepStrictEqual(yield* Fiber.join(failing), ["ConnectionError", "ConnectionError", "ConnectionError"])
    assert.match((yield* Instruments).format(), /^svc_database_connections_max 20$/m)
    assert.lengthOf(lines, 1)
    assert.match(
      lines[0]!,
      /^Closed 3 connection\(s\) to the database ".+" on 127\.0\.0\.1:\d+: nothing was received for 35s/
    )
    for (const statement of statements) yield* statement
  }).pipe(Effect.scoped))

it.effect("While a statement may take longer than others, as in migrations, no connection counts as silent.", () =>
  Effect.gen(function*() {
    const { lines, longStatements, sql, wire } = yield* world
    yield* sql`select 1`
    wire.silence()
    const ended = yield* Deferred.make<void>()
    yield* Effect.forkChild(longStatements.allowed(Deferred.await(ended)), { startImmediately: true })
    const failing = yield* Effect.forkChild(reasonOf(sql`select 1`))
    yield* wire.lost(1)
    yield* TestClock.adjust("10 minutes")
    assert.isUndefined(failing.pollUnsafe())
    assert.isEmpty(lines)
    yield* Deferred.succeed(ended, undefined)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* Fiber.join(failing), "ConnectionError")
    assert.match(lines[0] ?? "", /^Closed 1 connection/)
  }).pipe(Effect.scoped))

it.effect("A statement whose reply breaks off fails when the time of idle transactions and five seconds are over.", () =>
  Effect.gen(function*() {
    const { sql, wire } = yield* world
    yield* sql`select 1`
    wire.silence(1000)
    const failing = yield* Effect.forkChild(reasonOf(sql`select repeat('x', 1000) from generate_series(1, 100)`))
    yield* wire.lost(1)
    yield* TestClock.adjust("60 seconds")
    assert.isUndefined(failing.pollUnsafe())
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(yield* Fiber.join(failing), "ConnectionError")
    yield* sql`select 1`
  }).pipe(Effect.scoped))

it.effect("A connection for notifications that falls silent ends, also while it stops to listen.", () =>
  Effect.gen(function*() {
    const { channel, wire } = yield* world
    const listening = yield* Effect.forkChild(Effect.scoped(Effect.gen(function*() {
      const texts = yield* channel.listen
      yield* Effect.forkChild(channel.send("text"))
      yield* Stream.runHead(texts)
      wire.silence()
      // the end of the scope asks the database to stop sending
    })))
    yield* wire.lost(1)
    yield* TestClock.adjust("38 seconds")
    yield* Fiber.join(listening)
  }).pipe(Effect.scoped))

it.effect("A connection that is idle for less than the pool keeps it stays open.", () =>
  Effect.gen(function*() {
    const { lines, sql } = yield* world
    const pid = Effect.map(sql<{ readonly pid: number }>`select pg_backend_pid() as pid`, ([row]) => row?.pid)
    const before = yield* pid
    yield* TestClock.adjust("29 seconds")
    assert.strictEqual(yield* pid, before)
    assert.deepStrictEqual(lines, [])
  }).pipe(Effect.scoped))
