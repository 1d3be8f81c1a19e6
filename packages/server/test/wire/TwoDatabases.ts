// A service with a database of its own and one of a tenant, in memory, which tests can cut off.
import { StorageUnavailable } from "@svc/domain"
import { type Database, DatabaseHandle } from "@svc/runtime"
import { Effect, Predicate } from "effect"

export const own = "main-db"

/** Where a handle leads is up to the service: here into memory. */
export const tenant = DatabaseHandle.embedded({ id: "tenant-db", dataDir: "memory" })

const isCallable = (value: unknown): value is (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown> =>
  Predicate.isFunction(value)

/** A database whose statements fail while it is cut off. */
export const cuttable = (id: string) => {
  let isAway = false
  const guarded = (effect: () => Effect.Effect<unknown, unknown>) =>
    Effect.suspend(() => isAway ? Effect.fail(new StorageUnavailable({ cause: "cut off" })) : effect())
  const guardedStore = (store: object) =>
    Object.fromEntries(
      Object.entries(store).map(([name, value]) => [
        name,
        isCallable(value) ? (...args: ReadonlyArray<unknown>) => guarded(() => value(...args)) : guarded(() => value)
      ])
    )
  return {
    cut: () => (isAway = true),
    mend: () => (isAway = false),
    around: (database: Database): Database =>
      database.id === id
        ? {
          ...database,
          ...Object.fromEntries(
            Object.entries(database).flatMap(([name, store]) =>
              Predicate.isObject(store) && name !== "tables" ? [[name, guardedStore(store)]] : []
            )
          )
        }
        : database
  }
}
