// Notifications over a real PostgreSQL: every node hears them, and a connection that breaks is noticed.
import { assert, it } from "@effect/vitest"
import { type Channel, Notifications } from "@svc-runtime/engine/node/Notifications"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Context, Effect, Exit, Fiber, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../src/Postgres.ts"

/** A node of its own on the database. */
const node = Effect.fnUntraced(function*(url: Parameters<typeof Postgres.layer>[0]["url"]) {
  const context = yield* Layer.build(Postgres.layer({ url }))
  return { sql: Context.get(context, SqlClient.SqlClient), channel: Context.get(context, Notifications) as Channel }
})

it.live("a notification reaches every node that listens, its sender among them", () =>
  Effect.gen(function*() {
    const url = yield* PostgresLayer.url
    const nodes = [yield* node(url), yield* node(url)]
    const channels = yield* Effect.forEach(nodes, ({ channel }) => channel.listen)
    const reading = yield* Effect.forEach(
      channels,
      (texts) => Effect.forkChild(Stream.runCollect(Stream.take(texts, 2)))
    )
    yield* nodes[0]!.channel.send("one")
    yield* nodes[1]!.channel.send("two")
    for (const fiber of reading) assert.deepStrictEqual(yield* Fiber.join(fiber), ["one", "two"])
  }).pipe(Effect.scoped))

it.live("a connection that breaks ends the stream of notifications with a failure, and a new one can be had", () =>
  Effect.gen(function*() {
    const { channel, sql } = yield* node(yield* PostgresLayer.url)
    const reading = yield* Effect.forkChild(Effect.exit(Effect.scoped(Effect.flatMap(channel.listen, Stream.runDrain))))
    const terminate = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'LISTEN%'`
    yield* Effect.repeat(terminate, { until: (rows) => rows.length > 0 })
    assert.isTrue(Exit.isFailure(yield* Fiber.join(reading)))
    const texts = yield* channel.listen
    const again = yield* Effect.forkChild(Stream.runHead(texts))
    yield* channel.send("back")
    assert.strictEqual(Option.getOrUndefined(yield* Fiber.join(again)), "back")
  }).pipe(Effect.scoped))
