// The removal of what is known about a user is recorded in the audit of its database and in the log, without contents.
import { CurrentPrincipal } from "@svc/api"
import type * as Ids from "@svc/domain/Ids"
import type * as UserMemory from "@svc/domain/UserMemory"
import type { Database } from "@svc/runtime/database/Database"
import { now } from "@svc/runtime/now"
import { Effect } from "effect"

const messages = {
  memory_deleted: "The memory of a user was deleted",
  learnings_deleted: "Learnings of a user were deleted"
}

export const record = Effect.fnUntraced(function*(
  { id: db_id, memorySettings }: Pick<Database, "id" | "memorySettings">,
  user_id: Ids.UserId,
  { action, counts }: Pick<UserMemory.Erasure, "action" | "counts">
) {
  const { credential, user_id: actor = null } = yield* CurrentPrincipal
  yield* memorySettings.recordErasure({ user_id, action, actor, credential, at: yield* now, counts })
  yield* Effect.logInfo(messages[action]).pipe(
    Effect.annotateLogs({ user_id, actor, credential, db_id, ...counts })
  )
})
