// Stores an evaluation or an experiment with its job, if its user may have another one beside the unfinished ones.
import type * as Ids from "@svc/domain/Ids"
import { hasRoom } from "@svc/runtime/evaluation/EvaluationLimits"
import type * as Job from "@svc/runtime/jobs/Job"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as JobStatements from "../jobs/jobStatements.ts"
import { inTransaction } from "../sql/inTransaction.ts"
import { textOrNull } from "../sql/rows.ts"

/** Any numbers that nothing else locks. */
const locks = { svc_eval_runs: 5_733_921_008, svc_experiments: 7_316_924_006 } as const

export const unfinished = "status in ('PENDING', 'RUNNING')"

export interface Begun {
  readonly row: Readonly<Record<string, unknown>>
  readonly user_id: Ids.UserId | null
  readonly job: Job.NewJob
  /** Of unfinished rows. */
  readonly limit: number
}

/** The statement that stores a row, and whether it did. */
export const make = (sql: SqlClient.SqlClient) => {
  const jobs = JobStatements.make(sql)
  return (table: keyof typeof locks, { job, limit, row, user_id }: Begun) =>
    inTransaction(sql)(Effect.gen(function*() {
      // requests at the same time are counted one after the other
      yield* sql`select pg_advisory_xact_lock(${locks[table]}::bigint)::text as locked`
      const others = yield* sql<{ readonly is_own: boolean | null }>`
        select user_id = ${textOrNull(user_id)}::text as is_own from ${sql(table)}
        where ${sql.literal(unfinished)} limit ${limit}`
      const ofUser = others.filter(({ is_own }) => is_own === true).length
      if (!hasRoom({ all: others.length, ofUser }, limit)) return false
      yield* sql`insert into ${sql(table)} ${sql.insert(row)}`
      yield* jobs.enqueue(job)
      return true
    }))
}
