// The removal of what is known about a user is recorded in the audit of its database and in the log, without contents.
import { CurrentPrincipal } from "@svc-runtime/api"
import type { Database } from "@svc-runtime/engine/database/Database"
import { now } from "@svc-runtime/engine/now"
import type * as MemorySettingsStore from "@svc-runtime/engine/session/MemorySettingsStore"
import { Effect } from "effect"

const messages = {
  memory_deleted: "The memory of a user was deleted",
  learnings_deleted: "Learnings of a user were deleted"
}

/** All that `removal` removes is removed and recorded, or nothing: a request that is repeated counts all of it. */
export const perform = Effect.fnUntraced(function*<Counts extends MemorySettingsStore.Erasure["counts"], E, R>(
  { id: db_id, memorySettings }: Pick<Database, "id" | "memorySettings">,
  { action, user_id }: Pick<MemorySettingsStore.Erasure, "action" | "user_id">,
  removal: Effect.Effect<Counts, E, R>
) {
  const { credential, user_id: actor = null } = yield* CurrentPrincipal
  const at = yield* now
  const counts = yield* memorySettings.atomically(
    Effect.tap(removal, (counts) => memorySettings.recordErasure({ user_id, action, actor, credential, at, counts }))
  )
  yield* Effect.logInfo(messages[action]).pipe(
    Effect.annotateLogs({ user_id, actor, credential, db_id, ...counts })
  )
  return counts
})
