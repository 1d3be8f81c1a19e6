// How databases are named, listed and selected.
import { assert, describe, it } from "@effect/vitest"
import { Ids } from "@svc/domain"
import { Effect, Layer } from "effect"
import { type Database, type DatabaseChoice, Databases } from "../../src/Databases.ts"
import { MemoryDatabase } from "../../src/MemoryDatabase.ts"
import { RunStore } from "../../src/run/RunStore.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"

const id = Ids.DatabaseId.make

const makeDatabase = Effect.fnUntraced(
  function*(name: string, sessions: string) {
    const database: Database = {
      id: id(name),
      tables: { sessions },
      sessions: yield* SessionStore,
      runs: yield* RunStore
    }
    return database
  },
  Effect.provide(
    Layer.mergeAll(SessionStore.layerMemory, RunStore.layerMemory).pipe(Layer.provide(MemoryDatabase.layer))
  )
)

/** Two databases share the id `main`; `other` is apart. */
const many = Effect.gen(function*() {
  const main = yield* makeDatabase("main", "main_sessions")
  const second = yield* makeDatabase("main", "second_sessions")
  const other = yield* makeDatabase("other", "other_sessions")
  return { main, second, other, databases: Databases.make([main, second, other]) }
})

describe("choosing a database", () => {
  it.effect("by its id gives the first one with that id", () =>
    Effect.gen(function*() {
      const { databases, main, other } = yield* many
      assert.strictEqual(yield* databases.choose({ db_id: id("main") }), main)
      assert.strictEqual(yield* databases.choose({ db_id: id("other") }), other)
    }))

  it.effect("by its id and a table gives the one that has that table", () =>
    Effect.gen(function*() {
      const { databases, main, second } = yield* many
      assert.strictEqual(yield* databases.choose({ db_id: id("main"), table: "main_sessions" }), main)
      assert.strictEqual(yield* databases.choose({ db_id: id("main"), table: "second_sessions" }), second)
    }))

  it.effect.each<[string, DatabaseChoice, string, string]>([
    [
      "a table without an id",
      { table: "main_sessions" },
      "DatabaseNotChosen",
      "The db_id query parameter is required when passing a table"
    ],
    ["an unknown id", { db_id: id("none") }, "DatabaseNotFound", "No database found with id 'none'"],
    [
      "an unknown id and a table",
      { db_id: id("none"), table: "main_sessions" },
      "DatabaseNotFound",
      "No database found with id 'none'"
    ],
    [
      "a table that none of that id has",
      { db_id: id("main"), table: "other_sessions" },
      "DatabaseNotFound",
      "No database with id 'main' has table 'other_sessions'"
    ],
    [
      "nothing, where there is more than one id",
      {},
      "DatabaseNotChosen",
      "The db_id query parameter is required when using multiple databases"
    ]
  ])("by %s is refused", ([, choice, tag, message]) =>
    Effect.gen(function*() {
      const { databases } = yield* many
      const error = yield* Effect.flip(databases.choose(choice))
      assert.strictEqual(error._tag, tag)
      assert.strictEqual(error.message, message)
    }))

  it.effect("by nothing gives the only one, and the first of several with one id", () =>
    Effect.gen(function*() {
      const { main, second } = yield* many
      assert.strictEqual(yield* Databases.make([main]).choose({}), main)
      assert.strictEqual(yield* Databases.make([main, second]).choose({}), main)
    }))
})

describe("Databases.layer", () => {
  it.effect("is one database of the stores at hand", () =>
    Effect.gen(function*() {
      const databases = yield* Databases
      assert.deepStrictEqual(databases.all.map((database) => database.id), [id("only")])
      const chosen = yield* databases.choose({ db_id: id("only"), table: databases.all[0].tables.sessions })
      assert.strictEqual(chosen.runs, yield* RunStore)
      assert.strictEqual(chosen.sessions, yield* SessionStore)
    }).pipe(Effect.provide(
      Databases.layer(id("only")).pipe(
        Layer.provideMerge(Layer.mergeAll(SessionStore.layerMemory, RunStore.layerMemory)),
        Layer.provide(MemoryDatabase.layer)
      )
    )))
})
