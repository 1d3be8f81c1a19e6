// The database that a statement is for. Log lines of its stores name it, and limits of such lines count for it alone.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as OperationSpan from "@svc-runtime/telemetry/OperationSpan"
import { Context, Effect } from "effect"
import { mapStatements, type Statement } from "./mapStatements.ts"
import * as Stores from "./Stores.ts"

/** Undefined for stores that belong to no served database. */
export const CurrentDatabase = Context.Reference<Ids.DatabaseId | undefined>(
  "@svc-runtime/engine/database/CurrentDatabase",
  {
    defaultValue: () => undefined
  }
)

/** The stores of a context. Their statements know the database, in whichever fiber they are executed. */
export const storesOf = (
  id: Ids.DatabaseId,
  context: Context.Context<Stores.StoreServices>
): Context.Context<Stores.StoreServices> => {
  const named = (store: string) => (statement: Statement, method: string) =>
    OperationSpan.statement(Effect.provideService(statement, CurrentDatabase, id), { database: id, store, method })
  const stores = Stores.fromContext(context)
  return Stores.toContext(Stores.map(stores, (store, name) => mapStatements(store, named(name))))
}
