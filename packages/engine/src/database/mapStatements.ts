// Changes each statement of a store: what its methods return, and those of its values that are effects.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Predicate } from "effect"

export type Statement = Effect.Effect<unknown, StorageUnavailable>

const isStatement = (value: unknown): value is Statement => Effect.isEffect(value)

export const mapStatements = <Store extends object>(
  store: Store,
  change: (statement: Statement, method: string) => Statement
): Store => {
  const changed = (value: unknown, method: string) => isStatement(value) ? change(value, method) : value
  return {
    ...store,
    ...Object.fromEntries(
      Object.entries(store).map(([name, value]: readonly [string, unknown]) => [
        name,
        Predicate.isFunction(value)
          ? (...args: ReadonlyArray<unknown>) => changed(Reflect.apply(value, store, args), name)
          : changed(value, name)
      ])
    )
  }
}
