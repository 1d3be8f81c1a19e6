// Whether the account that has made an evaluation is still active. Each evaluation asks before its next run: a revoked
// account causes no further ones.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Layer } from "effect"

export class EvaluatorAccount extends Context.Service<
  EvaluatorAccount,
  (user_id: Ids.UserId) => Effect.Effect<boolean, StorageUnavailable>
>()("@svc-runtime/features/evaluation/EvaluatorAccount") {}

/** There are no service accounts: nothing ends an evaluation before its last run. */
export const layerNone: Layer.Layer<EvaluatorAccount> = Layer.succeed(EvaluatorAccount, () => Effect.succeed(true))

/** Undefined, while the evaluation may continue. */
export const refusal = Effect.fnUntraced(function*(
  isActive: EvaluatorAccount["Service"],
  user_id: Ids.UserId | null
) {
  if (user_id === null || (yield* isActive(user_id))) return undefined
  return `It was started by the service account '${user_id}', which was revoked or has expired`
})
