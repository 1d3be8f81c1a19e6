// Whether a user may make another evaluation or experiment beside the unfinished ones.
import type * as Ids from "@svc/domain/Ids"
import { hasRoom } from "@svc/runtime/evaluation/EvaluationLimits"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { textOrNull } from "../sql/rows.ts"

export const make = (sql: SqlClient.SqlClient) => ({
  has: (table: "svc_eval_runs" | "svc_experiments", user_id: Ids.UserId | null, limit: number) =>
    Effect.map(
      sql<{ readonly is_own: boolean | null }>`
        select user_id = ${textOrNull(user_id)}::text as is_own from ${sql(table)}
        where status in ('PENDING', 'RUNNING') limit ${limit}`,
      (rows) => hasRoom({ all: rows.length, ofUser: rows.filter(({ is_own }) => is_own === true).length }, limit)
    )
})
