// Looks for something in several databases, in order.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Cause, Effect, Exit, Option } from "effect"
import { replyingFirst, whileReplying } from "./replying.ts"
import type { ServedDatabase, ServedDatabases } from "./ServedDatabases.ts"

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
