// The databases of a service, by id, and the rule by which a request selects one. A request may name a database, and a
// table in it. It has to when there are several.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Database, DatabaseInfo } from "@svc-runtime/engine/database/Database"
import { Array, Context, Effect, Layer, Schema } from "effect"
import type { Component } from "../factory/Factory.ts"
import { ServedDatabases } from "./ServedDatabases.ts"

export interface DatabaseChoice {
  readonly db_id?: Ids.DatabaseId | undefined
  readonly table?: string | undefined
}

export class DatabaseNotFound extends Schema.TaggedError<DatabaseNotFound>()("DatabaseNotFound", {
  message: Schema.String
}) {}

/** The request does not select one of several databases. */
export class DatabaseNotChosen extends Schema.TaggedError<DatabaseNotChosen>()("DatabaseNotChosen", {
  message: Schema.String
}) {}

export class Databases extends Context.Service<Databases, {
  /** The first is the service's own: components without a database of their own use it. */
  readonly all: Array.NonEmptyReadonlyArray<DatabaseInfo>
  /** Where a component keeps its runs. */
  readonly infoOf: (component: Pick<Component, "db">) => DatabaseInfo
  readonly choose: (
    choice: DatabaseChoice
  ) => Effect.Effect<Database, DatabaseNotFound | DatabaseNotChosen | StorageUnavailable>
}>()("@svc-runtime/agents/database/Databases") {
  static readonly make = <D extends DatabaseInfo>(
    all: Array.NonEmptyReadonlyArray<D>,
    open: (info: D) => Effect.Effect<Database, StorageUnavailable>
  ) =>
    Databases.of({
      all,
      infoOf: ({ db }) => (db && all.find(({ id }) => id === db.id)) ?? all[0],
      choose: (choice) => Effect.flatMap(select(all, choice), open)
    })

  static readonly layer: Layer.Layer<Databases, never, ServedDatabases> = Layer.effect(
    Databases,
    Effect.map(ServedDatabases, ({ get, ids, own: { database: { tables } } }) =>
      Databases.make(
        Array.map(ids, (id) => ({ id, tables })),
        ({ id }) => Effect.map(get(id), ({ database }) => database)
      ))
  )
}

const notChosen = (when: string) => new DatabaseNotChosen({ message: `The db_id query parameter is required ${when}` })

const select = <D extends DatabaseInfo>(
  all: Array.NonEmptyReadonlyArray<D>,
  { db_id, table }: DatabaseChoice
): Effect.Effect<D, DatabaseNotFound | DatabaseNotChosen> => {
  if (db_id === undefined) {
    if (table !== undefined) return Effect.fail(notChosen("when passing a table"))
    if (new Set(all.map(({ id }) => id)).size > 1) return Effect.fail(notChosen("when using multiple databases"))
    return Effect.succeed(all[0])
  }
  const named = all.filter(({ id }) => id === db_id)
  const [first] = named
  if (first === undefined) {
    return Effect.fail(new DatabaseNotFound({ message: `No database found with id '${db_id}'` }))
  }
  if (table === undefined) return Effect.succeed(first)
  const holding = named.find(({ tables }) => Object.values(tables).includes(table))
  return holding === undefined
    ? Effect.fail(new DatabaseNotFound({ message: `No database with id '${db_id}' has table '${table}'` }))
    : Effect.succeed(holding)
}
