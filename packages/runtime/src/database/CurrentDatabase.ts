// The database that a statement is for. Log lines of its stores name it, and limits of such lines count for it alone.
import type * as Ids from "@svc/domain/Ids"
import * as Spans from "@svc/telemetry/Spans"
import { Context, Effect } from "effect"
import { mapStatements, type Statement } from "./mapStatements.ts"
import * as Stores from "./Stores.ts"

/** Undefined for stores that belong to no served database. */
export const CurrentDatabase = Context.Reference<Ids.DatabaseId | undefined>("@svc/runtime/database/CurrentDatabase", {
  defaultValue: () => undefined
})

/** The stores of a context. Their statements know the database, in whichever fiber they are executed. */
export const storesOf = (
  id: Ids.DatabaseId,
  context: Context.Context<Stores.StoreServices>
): Context.Context<Stores.StoreServices> => {
  const named = (statement: Statement) => Spans.unauthored(Effect.provideService(statement, CurrentDatabase, id))
  return Stores.toContext(Stores.map(Stores.fromContext(context), (store) => mapStatements(store, named)))
}
