// How declarations are applied, by one node and by several, on a database that can roll back.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { mapStatements } from "@svc-runtime/engine/database/mapStatements"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Exit, Layer, Option, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type * as Declaration from "../Declaration.ts"
import * as Declarations from "../Declarations.ts"
import { DeclarationStore, enoughLooks } from "../DeclarationStore.ts"
import * as SqlDeclarationStore from "../SqlDeclarationStore.ts"

Tier.oneIn(6)

const database = SqlDeclarationStore.layer.pipe(
  Layer.provide(Migrations.layer),
  Layer.provideMerge(PgliteLayer.layer)
)

interface Bells {
  readonly [name: string]: string
}

/** A kind whose resources are rows of a table, which takes part in the transaction. */
const bellsOf = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, declared: Bells, broken?: string) {
  yield* Effect.orDie(sql`create table if not exists bells (id serial primary key, tone text, is_kept boolean)`)
  const writes: Array<string> = []
  const kind: Declaration.Kind = {
    kind: "schedule",
    problems: [],
    items: Object.entries(declared).map(([name, tone]): Declaration.Item => ({
      name,
      content: { tone },
      create: Effect.suspend(() => {
        if (name === broken) return Effect.die(new Error("The process ends here"))
        writes.push(`create ${name}`)
        return Effect.orDie(
          Effect.map(
            sql<{ readonly id: number }>`insert into bells (tone) values (${tone}) returning id`,
            ([row]) => String(row?.id)
          )
        )
      }),
      change: (id) =>
        Effect.suspend(() => {
          writes.push(`change ${name}`)
          return Effect.orDie(
            Effect.map(
              sql`update bells set tone = ${tone} where id = ${Number(id)} returning id`,
              ({ length }) => length > 0 ? Option.some(id) : Option.none()
            )
          )
        })
    })),
    remove: (id) =>
      Effect.suspend(() => {
        writes.push(`remove ${id}`)
        return Effect.orDie(
          Effect.map(sql`delete from bells where id = ${Number(id)} and is_kept is null returning id`, (rows) =>
            rows.length > 0)
        )
      })
  }
  return { kind, writes }
})

const start = Effect.fnUntraced(function*(node: string, declared: Bells, isShared = true, broken?: string) {
  const sql = yield* SqlClient.SqlClient
  const scope = yield* Scope.fork(yield* Effect.scope)
  const { kind, writes } = yield* bellsOf(sql, declared, broken)
  yield* Layer.build(Declarations.layer([kind], { node, isShared })).pipe(Scope.provide(scope))
  return { writes, stop: Scope.close(scope, Exit.void) }
})

const tones = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql<{ readonly tone: string }>`select tone from bells order by tone`).map(({ tone }) => tone)
})

/** Each statement of the store has no reply once. */
const silentOnce = (store: DeclarationStore["Service"]): DeclarationStore["Service"] => {
  const begun = new Set<string>()
  return mapStatements(store, (statement, name) =>
    Effect.suspend(() => {
      if (begun.has(name)) return statement
      begun.add(name)
      return Effect.fail(new StorageUnavailable({ cause: "A statement has no reply" }))
    }))
}

describe("what is declared in code", () => {
  it.live("a start waits for a database that does not reply for a moment, and then applies what is declared", () =>
    Effect.gen(function*() {
      const store = yield* DeclarationStore
      const silent = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.provideService(effect, DeclarationStore, silentOnce(store))
      yield* silent(start("one", {}, false))
      const { writes } = yield* silent(start("one", { low: "a" }, false))
      assert.strictEqual(writes.at(-1), "create low")
      assert.deepStrictEqual(yield* tones, ["a"])
    }).pipe(Effect.provide(database)))

  it.live("a resource is created once, changed when its declaration changes, and removed when it leaves the code", () =>
    Effect.gen(function*() {
      const first = yield* start("one", { low: "a", high: "c" }, false)
      assert.deepStrictEqual(first.writes, ["create low", "create high"])
      const again = yield* start("one", { high: "c", low: "a" }, false)
      assert.deepStrictEqual(again.writes, [])
      const changed = yield* start("one", { low: "b", high: "c" }, false)
      assert.deepStrictEqual(changed.writes, ["change low"])
      assert.deepStrictEqual(yield* tones, ["b", "c"])
      yield* start("one", { high: "c" }, false)
      assert.deepStrictEqual(yield* tones, ["c"])
      const none = yield* start("one", {}, false)
      assert.lengthOf(none.writes, 1)
      assert.deepStrictEqual(yield* tones, [])
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(database))))

  it.live("what is kept for its records is taken up again when the code declares it again", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* start("one", { low: "a" }, false)
      yield* sql`update bells set is_kept = true`
      yield* start("one", {}, false)
      assert.deepStrictEqual(yield* tones, ["a"])
      const back = yield* start("one", { low: "b" }, false)
      assert.deepStrictEqual(back.writes, ["change low"])
      assert.deepStrictEqual(yield* tones, ["b"])
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(database))))

  it.live("a resource that was removed from the database is created when its declaration changes", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* start("one", { low: "a" }, false)
      yield* sql`delete from bells`
      const changed = yield* start("one", { low: "b" }, false)
      assert.deepStrictEqual(changed.writes, ["change low", "create low"])
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(database))))

  it.live("a process that ends between two steps has stored none, and the next start stores all once", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(start("one", { low: "a", high: "c" }, false, "high"))
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(yield* tones, [])
      const next = yield* start("one", { low: "a", high: "c" }, false)
      assert.deepStrictEqual(next.writes, ["create low", "create high"])
      assert.deepStrictEqual(yield* tones, ["a", "c"])
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(database))))

  it.live("a node of the former version that starts during a deployment changes nothing", () =>
    Effect.gen(function*() {
      yield* start("old", { low: "a" })
      yield* start("new", { low: "b" })
      const late = yield* start("old-2", { low: "a" })
      assert.deepStrictEqual(late.writes, [])
      const other = yield* start("new-2", { low: "b" })
      assert.deepStrictEqual(other.writes, [])
      assert.deepStrictEqual(yield* tones, ["b"])
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(database))))

  it.effect("after a rollback, the former declarations apply although a node of the new version was lost", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const old = yield* start("old", { low: "a" })
      yield* (yield* start("new", { low: "b" })).stop
      yield* sql`
        insert into svc_declaring_nodes (node, hash, seen_at)
        select 'lost', hash, now() - interval '2 days' from svc_declaration_sets order by seq desc limit 1`
      // it stands for longer than the other one is silent
      yield* sql`update svc_declaring_nodes set started_at = now() - interval '3 days' where node like 'old %'`
      const looked = (node: string, looks: number) =>
        Effect.gen(function*() {
          yield* TestClock.adjust("15 seconds")
          const rows = yield* sql`select from svc_declaring_nodes where node like ${`${node} %`} and looks >= ${looks}`
          return rows.length > 0
        }).pipe(Effect.repeat({ until: (hasLooked) => hasLooked }))
      yield* looked("old", enoughLooks + 1)
      assert.deepStrictEqual(yield* tones, ["b"], "silence removes nothing")
      const again = yield* start("again", { low: "a" })
      assert.deepStrictEqual(again.writes, [])
      yield* looked("again", enoughLooks + 1)
      yield* Effect.repeat(tones, { until: ([tone]) => tone === "a" })
      assert.deepStrictEqual(again.writes.length + old.writes.length, 2)
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(database))))

  it.effect("after a rollback, a node that stands applies its declarations by itself, within seconds", () =>
    Effect.gen(function*() {
      const old = yield* start("old", { low: "a" })
      const stopped = yield* start("new", { low: "b" })
      assert.deepStrictEqual(yield* tones, ["b"])
      yield* stopped.stop
      yield* TestClock.adjust("15 seconds")
      yield* Effect.repeat(tones, { until: ([tone]) => tone === "a" })
      assert.deepStrictEqual(old.writes, ["create low", "change low"])
      yield* old.stop
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(database))))

  it.live("declarations that cannot be used are refused all at once, and nothing is stored", () =>
    Effect.gen(function*() {
      const { kind } = yield* bellsOf(yield* SqlClient.SqlClient, { low: "a", "": "b" })
      const webhooks = { ...kind, kind: "webhook" as const, problems: ["The webhook 'w' has no secret"] }
      const twice = { ...kind, items: [...kind.items, ...kind.items.slice(0, 1)] }
      const refused = yield* Effect.flip(
        Effect.scoped(Layer.build(Declarations.layer([twice, webhooks], { node: "one", isShared: false })))
      )
      assert.strictEqual(
        refused.message,
        "What the application declares cannot be used. A schedule has the name '': it must be one line of 1 to 255 " +
          "characters. Two schedules are called 'low'. The webhook 'w' has no secret. A webhook has the name '': it " +
          "must be one line of 1 to 255 characters."
      )
      assert.deepStrictEqual(yield* tones, [])
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(database))))
})
