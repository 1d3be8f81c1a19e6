// Stores an evaluation or an experiment with its job, if its user may have another one beside the unfinished ones.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import { hasRoom } from "@svc-runtime/engine/limits/Share"
import * as JobStatements from "@svc-runtime/postgres/jobs/JobStatements"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** Any numbers that nothing else locks. */
const locks = { svc_eval_runs: 5_733_921_008, svc_experiments: 7_316_924_006 } as const

export const unfinished = "status in ('PENDING', 'RUNNING')"

export interface Begun {
  readonly row: Readonly<Record<string, unknown>> & { readonly id: string }
  readonly user_id: Ids.UserId | null
  readonly job: Job.NewJob
  /** Of unfinished rows. */
  readonly limit: number
}

/** The statements that store a row, and whether it is stored, now or by an earlier call whose reply was lost. */
export const make = (sql: SqlClient.SqlClient) => {
  const jobs = JobStatements.make(sql)
  return (table: keyof typeof locks, { job, limit, row, user_id }: Begun) =>
    inTransaction(sql)(Effect.gen(function*() {
      // requests at the same time are counted one after the other
      yield* sql`select pg_advisory_xact_lock(${locks[table]}::bigint)::text as locked`
      const found = yield* sql<{ readonly is_own: boolean | null; readonly is_stored: boolean }>`
        select null::boolean as is_own, true as is_stored from ${sql(table)} where id = ${row.id}
        union all (
          select user_id = ${textOrNull(user_id)}::text, false from ${sql(table)}
          where ${sql.literal(unfinished)} limit ${limit}
        )`
      if (found.some(({ is_stored }) => is_stored)) return true
      const ofUser = found.filter(({ is_own }) => is_own === true).length
      if (!hasRoom({ all: found.length, ofUser }, limit)) return false
      yield* sql`insert into ${sql(table)} ${sql.insert(row)}`
      yield* jobs.enqueue({ ...job, caller: user_id })
      return true
    }))
}
