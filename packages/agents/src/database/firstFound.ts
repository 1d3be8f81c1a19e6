// Looks for something in several databases, in order. A database that does not reply must not delay the lookups in the
// others: its connections can take long to fail.
import type * as Ids from "@svc-runtime/domain/Ids"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Array, Cause, Effect, Exit, Option, Result } from "effect"
import type { ServedDatabase, ServedDatabases } from "./ServedDatabases.ts"

const isReplying = (databases: ServedDatabases["Service"], id: Ids.DatabaseId): Effect.Effect<boolean> =>
  Effect.orElseSucceed(Effect.flatMap(databases.get(id), ({ engine }) => engine.isReplying), () => false)

/** The databases in their order, with databases that do not reply at the end. */
const replyingFirst = (databases: ServedDatabases["Service"], ids: ReadonlyArray<Ids.DatabaseId>) =>
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
    const ifKnown = Effect.flatMap(served.engine.isReplying, (isReplying) =>
      isReplying ? Effect.never : Effect.fail(silent))
    return Effect.raceFirst(served.engine.whileReplying(ask(served)), ifKnown)
  })

/** A database that fails, or whose row is damaged, matters only if none of the others has it. */
export const firstFound = Effect.fnUntraced(function*<A, E>(
  databases: ServedDatabases["Service"],
  ids: ReadonlyArray<Ids.DatabaseId>,
  look: (served: ServedDatabase) => Effect.Effect<Option.Option<A>, E>
): Effect.fn.Return<Option.Option<A>, E | StorageUnavailable> {
  let failure: Cause.Cause<E | StorageUnavailable> | undefined
  for (const id of yield* replyingFirst(databases, ids)) {
    const lookup = ids.length < 2 ? Effect.flatMap(databases.get(id), look) : whileReplying(databases, id, look)
    const looked = yield* Effect.exit(lookup)
    if (Exit.isSuccess(looked)) {
      if (Option.isSome(looked.value)) return looked.value
    } else if (Cause.hasInterrupts(looked.cause)) return yield* looked
    else failure ??= looked.cause
  }
  return failure === undefined ? Option.none() : yield* Effect.failCause(failure)
})
