// A service with a database of its own and one of a tenant, in memory, which tests can cut off.
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import { Effect, Fiber, Latch, Predicate } from "effect"
import { TestClock } from "effect/testing"

export const own = "main-db"

/** Where a handle leads is up to the service: here into memory. */
export const tenant = DatabaseHandle.embedded({ id: "tenant-db", dataDir: "memory" })

const isCallable = (value: unknown): value is (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown> =>
  Predicate.isFunction(value)

/** A database whose statements fail while it is cut off, and get no reply while it is frozen. */
export const cuttable = (id: string) => {
  let isAway = false
  const answers = Latch.makeUnsafe(true)
  const guarded = (effect: () => Effect.Effect<unknown, unknown>) =>
    Effect.andThen(
      answers.await,
      Effect.suspend(() => isAway ? Effect.fail(new StorageUnavailable({ cause: "cut off" })) : effect())
    )
  const guardedStore = (store: object) =>
    Object.fromEntries(
      Object.entries(store).map(([name, value]) => [
        name,
        isCallable(value) ? (...args: ReadonlyArray<unknown>) => guarded(() => value(...args)) : guarded(() => value)
      ])
    )
  return {
    cut: () => (isAway = true),
    /** Until the scope of the test closes. */
    freeze: Effect.andThen(
      Effect.sync(() => answers.closeUnsafe()),
      Effect.addFinalizer(() => Effect.sync(() => answers.openUnsafe()))
    ),
    thaw: Effect.sync(() => void answers.openUnsafe()),
    mend: () => (isAway = false),
    /** A store that is in the database beside those of the engine. */
    aroundStore: <Store extends object>(store: Store): Store => ({ ...store, ...guardedStore(store) }),
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

/** The response to a request, which has as many seconds of the clock. Without a response the test never ends. */
export const within = Effect.fnUntraced(function*<A, E, R>(seconds: number, request: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(request)
  const settle = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
  yield* settle
  for (let second = 0; second < seconds && fiber.pollUnsafe() === undefined; second++) {
    yield* TestClock.adjust("1 second")
    yield* settle
  }
  return yield* Fiber.join(fiber)
})
