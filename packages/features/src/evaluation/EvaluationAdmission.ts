// Stores an evaluation or an experiment with its job, if its user may have another one beside the unfinished ones.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import { roomOf } from "@svc-runtime/engine/limits/Share"
import * as JobStatements from "@svc-runtime/postgres/jobs/JobStatements"
import * as Counted from "@svc-runtime/postgres/sql/Counted"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

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
  const [jobs, counted] = [JobStatements.make(sql), Counted.make(sql)]
  return (table: "svc_eval_runs" | "svc_experiments", { job, limit, row, user_id }: Begun) => {
    const isStored = Effect.map(
      sql`select from ${sql(table)} where id = ${row.id}`,
      ({ length }) => length > 0
    )
    return counted(
      { table, where: unfinished, user_id, room: roomOf(limit), isStored },
      Effect.andThen(
        sql`insert into ${sql(table)} ${sql.insert(row)}`,
        jobs.enqueue({ ...job, caller: user_id })
      )
    )
  }
}
