// How databases are named, listed and selected.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import { type Database, makeDatabase } from "@svc-runtime/engine/database/Database"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Effect, Layer } from "effect"
import { type DatabaseChoice, Databases } from "../../src/database/Databases.ts"

const id = Ids.DatabaseId.make

const open = (name: string, sessions: string) =>
  Effect.map(Layer.build(InMemory.layer), (stores): Database => ({
    ...makeDatabase(name, stores),
    tables: { sessions }
  }))

/** Two databases share the id `main`; `other` is apart. */
const many = Effect.gen(function*() {
  const main = yield* open("main", "main_sessions")
  const second = yield* open("main", "second_sessions")
  const other = yield* open("other", "other_sessions")
  return { main, second, other, databases: Databases.make([main, second, other], Effect.succeed) }
})

describe("choosing a database", () => {
  it.effect("an id selects the first database with that id", () =>
    Effect.gen(function*() {
      const { databases, main, other } = yield* many
      assert.strictEqual(yield* databases.choose({ db_id: id("main") }), main)
      assert.strictEqual(yield* databases.choose({ db_id: id("other") }), other)
    }))

  it.effect("an id and a table select the database that has that table", () =>
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
  ])("a choice by %s is refused", ([, choice, tag, message]) =>
    Effect.gen(function*() {
      const { databases } = yield* many
      const error = yield* Effect.flip(databases.choose(choice))
      assert.strictEqual(error._tag, tag)
      assert.strictEqual(error.message, message)
    }))

  it.effect("a request without both selects the only database, and the first of several with one id", () =>
    Effect.gen(function*() {
      const { main, second } = yield* many
      assert.strictEqual(yield* Databases.make([main], Effect.succeed).choose({}), main)
      assert.strictEqual(yield* Databases.make([main, second], Effect.succeed).choose({}), main)
    }))
})
