// Which databases reply. One that does not must not delay requests to the others: its connections can take long to
// fail.
import type * as Ids from "@svc-runtime/domain/Ids"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Array, Effect, Result } from "effect"
import type { ServedDatabase, ServedDatabases } from "./ServedDatabases.ts"

const isReplying = (databases: ServedDatabases["Service"], id: Ids.DatabaseId): Effect.Effect<boolean> =>
  Effect.orElseSucceed(Effect.flatMap(databases.get(id), ({ engine }) => engine.isAble), () => false)

/** The databases in their order, with databases that do not reply at the end. */
export const replyingFirst = (databases: ServedDatabases["Service"], ids: ReadonlyArray<Ids.DatabaseId>) =>
  ids.length < 2 ? Effect.succeed(ids) : Effect.map(
    Effect.forEach(
      ids,
      (id) => Effect.map(isReplying(databases, id), (is) => is ? Result.succeed(id) : Result.fail(id)),
      { concurrency: "unbounded" }
    ),
    (results) => {
      const [silent, replying] = Array.separate(results)
      return [...replying, ...silent]
    }
  )

/** Fails when the database does not reply, and at once if this is known. Whether a write was stored is unknown then. */
export const whileReplying = <A, E>(
  databases: ServedDatabases["Service"],
  id: Ids.DatabaseId,
  ask: (served: ServedDatabase) => Effect.Effect<A, E>
): Effect.Effect<A, E | StorageUnavailable> =>
  Effect.flatMap(databases.get(id), (served) => {
    const silent = new StorageUnavailable({ cause: `The database '${id}' does not reply` })
    const ifKnown = Effect.flatMap(served.engine.isAble, (isAble) => isAble ? Effect.never : Effect.fail(silent))
    return Effect.raceFirst(served.engine.whileReplying(ask(served)), ifKnown)
  })
