// The stores of a database for requests: a statement fails if the database does not reply for some seconds. The stores
// of the engine wait for the database.
import type { Database } from "@svc-runtime/engine/database/Database"
import { mapStatements } from "@svc-runtime/engine/database/mapStatements"
import * as Stores from "@svc-runtime/engine/database/Stores"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"

type Engine = RunEngine["Service"]

/** The store for requests, of an engine in the same database. */
export const guarded = <Store extends object>(engine: Engine, store: Store): Store =>
  mapStatements(store, engine.whileReplying)

export const of = (engine: Engine, database: Database): Database => ({
  ...database,
  ...Stores.map(database, (store) => guarded(engine, store))
})
