// Looks for something in several databases, in order.
import type * as Ids from "@svc/domain/Ids"
import type { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Effect, Option, Result } from "effect"
import { answeringFirst, whileAnswering } from "./answering.ts"
import type { ServedDatabase, ServedDatabases } from "./ServedDatabases.ts"

/** A database that fails matters only if none of the others has it. */
export const firstFound = Effect.fnUntraced(function*<A, E>(
  databases: ServedDatabases["Service"],
  ids: ReadonlyArray<Ids.DatabaseId>,
  look: (served: ServedDatabase) => Effect.Effect<Option.Option<A>, E>
): Effect.fn.Return<Option.Option<A>, E | StorageUnavailable> {
  let failure: E | StorageUnavailable | undefined
  for (const id of yield* answeringFirst(databases, ids)) {
    const asked = ids.length < 2 ? Effect.flatMap(databases.get(id), look) : whileAnswering(databases, id, look)
    const looked = yield* Effect.result(asked)
    if (Result.isFailure(looked)) failure ??= looked.failure
    else if (Option.isSome(looked.success)) return looked.success
  }
  return failure === undefined ? Option.none() : yield* Effect.fail(failure)
})
