// Whether there is room for a learning that was inserted in the same transaction. It is counted after the insert, which
// locks the count of its user until the end of the transaction.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { Limits } from "@svc-runtime/engine/limits/StoreLimits"
import { text } from "@svc-runtime/postgres/sql/rows"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type * as Learning from "./Learning.ts"
import { TooManyLearnings } from "./LearningErrors.ts"

export const make = (sql: SqlClient.SqlClient, { perUser, proposedPerUser }: Limits["learnings"]) => {
  /** Proposals of one user are inserted one after the other. */
  const lock = (proposer: Ids.UserId | null) =>
    proposer === null
      ? Effect.void
      : sql`select pg_advisory_xact_lock(hashtextextended(${text(proposer)}, 76))::text as locked`

  const hasMoreOf = (user_id: Ids.UserId) =>
    sql`select from svc_learning_users where user_id = ${
      text(user_id)
    } and learning_type = '' and learnings > ${perUser}`

  const hasMoreBy = (proposer: Ids.UserId) =>
    sql`select from svc_learnings where proposed_by = ${text(proposer)} offset ${proposedPerUser} limit 1`

  /** The limit that the learning exceeds. */
  const exceeded = Effect.fnUntraced(function*({ user_id }: Learning.Learning, proposer: Ids.UserId | null) {
    if (user_id !== null && (yield* hasMoreOf(user_id)).length > 0) {
      return new TooManyLearnings({ user_id, limit: perUser, isProposed: false })
    }
    if (proposer !== null && (yield* hasMoreBy(proposer)).length > 0) {
      return new TooManyLearnings({ user_id: proposer, limit: proposedPerUser, isProposed: true })
    }
    return undefined
  })

  return { exceeded, lock }
}
