// The databases of a service, by id, and the rule by which a request selects one. A request may name a database, and a
// table in it. It has to when there are several.
import { Ids } from "@svc/domain"
import { Context, Effect, Layer, Schema } from "effect"
import * as Stores from "./Stores.ts"

/** The names of the tables that a request can name, by what they hold. */
export type TableNames =
  & { readonly sessions: string }
  & Readonly<Partial<Record<"memories" | "learnings" | "metrics" | "evals" | "knowledge" | "traces", string>>>

export interface Database extends Stores.Stores {
  readonly id: Ids.DatabaseId
  readonly tables: TableNames
}

export const defaultTables: TableNames = { sessions: "svc_sessions" }

/** A database of the given stores. */
export const makeDatabase = (id: string, context: Context.Context<Stores.StoreServices>): Database => ({
  id: Ids.DatabaseId.make(id),
  tables: defaultTables,
  ...Stores.fromContext(context)
})

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
  /** The first is the service's own: components without a database of their own use it. */
  readonly all: readonly [Database, ...Array<Database>]
  readonly choose: (choice: DatabaseChoice) => Effect.Effect<Database, DatabaseNotFound | DatabaseNotChosen>
}>()("@svc/runtime/database/Databases") {
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

  /** One database, of the stores in the context. */
  static readonly layer = (id: Ids.DatabaseId): Layer.Layer<Databases, never, Stores.StoreServices> =>
    Layer.effect(
      Databases,
      Effect.map(Effect.context<Stores.StoreServices>(), (context) => Databases.make([makeDatabase(id, context)]))
    )
}

const notChosen = (when: string) => new DatabaseNotChosen({ message: `The db_id query parameter is required ${when}` })
