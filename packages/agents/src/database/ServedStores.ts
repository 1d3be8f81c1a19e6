// The stores of a served database, as they are used. All statements know their database and have a span. A statement of
// a request also fails if the database does not reply for some seconds, while the engine and the workers wait for it.
import type * as Ids from "@svc-runtime/domain/Ids"
import { CurrentDatabase } from "@svc-runtime/engine/database/CurrentDatabase"
import type { Database } from "@svc-runtime/engine/database/Database"
import { mapStatements, type Statement } from "@svc-runtime/engine/database/mapStatements"
import * as Stores from "@svc-runtime/engine/database/Stores"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import { type Context, Effect } from "effect"

type Engine = RunEngine["Service"]

/** For the engine and the workers. The statements know the database, in whichever fiber they are executed. */
export const forWorkers = (
  id: Ids.DatabaseId,
  context: Context.Context<Stores.StoreServices>
): Context.Context<Stores.ServedServices> => {
  const named = (store: string) => (statement: Statement, method: string) =>
    OperationSpan.statement(Effect.provideService(statement, CurrentDatabase, id), { database: id, store, method })
  const stores = Stores.fromContext(context)
  return Stores.toContext(Stores.map(stores, (store, name) => mapStatements(store, named(name))), context)
}

/** A store of the database of an engine, for requests. */
export const guarded = <Store extends object>(engine: Engine, store: Store): Store =>
  mapStatements(store, engine.whileReplying)

/** For requests. `database` has the stores of the workers. */
export const forRequests = (engine: Engine, { id, tables, ...stores }: Database): Database => ({
  id,
  tables,
  ...Stores.map(stores, (store) => guarded(engine, store))
})
