// The database that a statement is for. Log lines of its stores name it, and limits of such lines count for it alone.
import type * as Ids from "@svc/domain/Ids"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Context, Effect, Predicate } from "effect"
import * as Stores from "./Stores.ts"

/** Undefined for stores that belong to no served database. */
export const CurrentDatabase = Context.Reference<Ids.DatabaseId | undefined>("@svc/runtime/database/CurrentDatabase", {
  defaultValue: () => undefined
})

type Statement = Effect.Effect<unknown, StorageUnavailable>

const isStatement = (value: unknown): value is Statement => Effect.isEffect(value)

const named = <Store extends object>(id: Ids.DatabaseId, store: Store): Store => {
  const provided = (value: unknown) => isStatement(value) ? Effect.provideService(value, CurrentDatabase, id) : value
  return {
    ...store,
    ...Object.fromEntries(
      Object.entries(store).map(([name, value]: readonly [string, unknown]) => [
        name,
        Predicate.isFunction(value)
          ? (...args: ReadonlyArray<unknown>) => provided(Reflect.apply(value, store, args))
          : provided(value)
      ])
    )
  }
}

/** The stores of a context. Their statements know the database, in whichever fiber they are executed. */
export const storesOf = (
  id: Ids.DatabaseId,
  context: Context.Context<Stores.StoreServices>
): Context.Context<Stores.StoreServices> => {
  const stores = Object.entries(Stores.fromContext(context)).map(([name, store]) => [name, named(id, store)])
  return Stores.toContext(Object.fromEntries(stores) as Stores.Stores)
}
