// Which databases reply. One that does not must not delay requests to the others: its connections can take long to
// fail.
import type * as Ids from "@svc-runtime/domain/Ids"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { detached } from "@svc-runtime/engine/node/detached"
import { Array, Effect, Result } from "effect"
import type { ServedDatabase, ServedDatabases } from "./ServedDatabases.ts"

/** The interval of checks whether a database replies during a statement. */
const pollInterval = "1 second"

/** Known within two seconds, and without a statement for a second after that. */
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

/** Fails when the database does not reply. Whether a write was stored is unknown then. */
export const whileReplying = <A, E>(
  databases: ServedDatabases["Service"],
  id: Ids.DatabaseId,
  ask: (served: ServedDatabase) => Effect.Effect<A, E>
): Effect.Effect<A, E | StorageUnavailable> =>
  Effect.flatMap(databases.get(id), (served) => {
    const silent = new StorageUnavailable({ cause: `The database '${id}' does not reply` })
    const untilSilent = served.engine.isAble.pipe(
      Effect.flatMap((isAble) => isAble ? Effect.sleep(pollInterval) : Effect.fail(silent)),
      Effect.forever
    )
    return Effect.raceFirst(detached(ask(served)), untilSilent)
  })
