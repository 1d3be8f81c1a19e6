// Whether the account that has made an evaluation is still active. Each evaluation asks before its next run: a revoked
// account causes no further ones.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect } from "effect"

export const EvaluatorAccount = Context.Reference<
  (user_id: Ids.UserId) => Effect.Effect<boolean, StorageUnavailable>
>("@svc-runtime/features/evaluation/EvaluatorAccount", { defaultValue: () => () => Effect.succeed(true) })

/** Undefined, while the evaluation may continue. */
export const refusal = Effect.fnUntraced(function*(user_id: Ids.UserId | null) {
  const isActive = yield* EvaluatorAccount
  if (user_id === null || (yield* isActive(user_id))) return undefined
  return `It was started by the service account '${user_id}', which was revoked or has expired`
})
