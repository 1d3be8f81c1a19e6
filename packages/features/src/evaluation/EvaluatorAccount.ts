// Whether the account that has made an evaluation is still active. Each evaluation asks before its next run: a revoked
// account causes no further ones.
import { Databases } from "@svc-runtime/agents/database/Databases"
import type { EndsWithAccount } from "@svc-runtime/auth"
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Layer } from "effect"

export class EvaluatorAccount extends Context.Service<
  EvaluatorAccount,
  (user_id: Ids.UserId) => Effect.Effect<boolean, StorageUnavailable>
>()("@svc-runtime/features/evaluation/EvaluatorAccount") {}

/** There are no service accounts: nothing ends an evaluation before its last run. */
export const layerNone: Layer.Layer<EvaluatorAccount> = Layer.succeed(EvaluatorAccount, () => Effect.succeed(true))

const errorOf = (user_id: Ids.UserId): string =>
  `It was started by the service account '${user_id}', which was revoked or has expired`

/** Undefined, while the evaluation may continue. */
export const refusal = Effect.fnUntraced(function*(
  isActive: EvaluatorAccount["Service"],
  user_id: Ids.UserId | null
) {
  if (user_id === null || (yield* isActive(user_id))) return undefined
  return errorOf(user_id)
})

/** In all databases. Another account with the name of a revoked one would continue them. */
export const endsWithAccount = Effect.map(Databases, ({ all, choose }): EndsWithAccount => ({
  what: "evaluation(s) and experiment(s) ended",
  end: ({ at, user_id }) => {
    const failed = { user_id, at, error: errorOf(user_id) }
    const counts = Effect.forEach(all, ({ id }) =>
      choose({ db_id: id }).pipe(
        Effect.catchTags({ DatabaseNotChosen: Effect.die, DatabaseNotFound: Effect.die }),
        Effect.flatMap(({ evalRuns, experiments }) =>
          Effect.zipWith(evalRuns.failAll(failed), experiments.failAll(failed), (one, other) => one + other)
        )
      ))
    return Effect.map(counts, (each) => each.reduce((sum, count) => sum + count, 0))
  }
}))
