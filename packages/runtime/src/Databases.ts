// The databases that sessions are kept in, by id, and the one rule for choosing among them. A request may name one, and
// a table in it; when it names none, there has to be just one.
import type { Ids } from "@svc/domain"
import { Context, Effect, Layer, Schema } from "effect"
import { RunStore } from "./run/RunStore.ts"
import { SessionStore } from "./session/SessionStore.ts"

export interface Database {
  readonly id: Ids.DatabaseId
  /** What it keeps, by the name of the table. */
  readonly tables: { readonly sessions: string }
  readonly sessions: SessionStore["Service"]
  readonly runs: RunStore["Service"]
}

export interface DatabaseChoice {
  readonly db_id?: Ids.DatabaseId | undefined
  readonly table?: string | undefined
}

export class DatabaseNotFound extends Schema.TaggedError<DatabaseNotFound>()("DatabaseNotFound", {
  message: Schema.String
}) {}

/** The request does not say enough to choose. */
export class DatabaseNotChosen extends Schema.TaggedError<DatabaseNotChosen>()("DatabaseNotChosen", {
  message: Schema.String
}) {}

export class Databases extends Context.Service<Databases, {
  /** The first is the service's own: agents keep their sessions there. */
  readonly all: readonly [Database, ...Array<Database>]
  readonly choose: (choice: DatabaseChoice) => Effect.Effect<Database, DatabaseNotFound | DatabaseNotChosen>
}>()("@svc/runtime/Databases") {
  static readonly make = (all: readonly [Database, ...Array<Database>]) =>
    Databases.of({
      all,
      choose: ({ db_id, table }) => {
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
    })

  /** One database, of the stores at hand. */
  static readonly layer = (id: Ids.DatabaseId): Layer.Layer<Databases, never, SessionStore | RunStore> =>
    Layer.effect(
      Databases,
      Effect.gen(function*() {
        return Databases.make([{
          id,
          tables: { sessions: "svc_sessions" },
          sessions: yield* SessionStore,
          runs: yield* RunStore
        }])
      })
    )
}

const notChosen = (when: string) => new DatabaseNotChosen({ message: `The db_id query parameter is required ${when}` })
