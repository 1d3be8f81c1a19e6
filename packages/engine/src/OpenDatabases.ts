// What each open database offers to runs and jobs of other databases. A database adds it here when it opens.
import type * as Ids from "@svc-runtime/domain/Ids"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, type Scope } from "effect"

export interface OpenDatabases<A> {
  readonly get: (id: Ids.DatabaseId) => Effect.Effect<A, StorageUnavailable>
  /** Until the scope is closed. */
  readonly add: (id: Ids.DatabaseId, offered: A) => Effect.Effect<void, never, Scope.Scope>
}

export const make = <A extends object>(): OpenDatabases<A> => {
  const open = new Map<Ids.DatabaseId, A>()
  return {
    get: (id) => {
      const offered = open.get(id)
      return offered === undefined
        ? Effect.fail(new StorageUnavailable({ cause: `The database '${id}' is not open` }))
        : Effect.succeed(offered)
    },
    add: (id, offered) =>
      Effect.acquireRelease(
        Effect.sync(() => void open.set(id, offered)),
        () => Effect.sync(() => open.delete(id))
      )
  }
}
