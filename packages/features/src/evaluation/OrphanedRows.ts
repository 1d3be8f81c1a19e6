// Evaluations and experiments whose job has ended or was removed.
import type { SqlClient, Statement } from "effect/sql"
import type { Orphaned } from "./EvalRunStore.ts"
import { orphanedAtOnce } from "./EvaluationLimits.ts"

/** The numbers of some unfinished rows of a table without a job. A newer version can have given the job any kind. */
export const seqs = (
  sql: SqlClient.SqlClient,
  table: "svc_eval_runs" | "svc_experiments",
  { before }: Pick<Orphaned, "before">
): Statement.Fragment =>
  sql`
    select s.seq from ${sql.literal(table)} s
    where s.status in ('PENDING', 'RUNNING') and s.created_at < ${before} and not exists (
      select from svc_jobs j where j.id = s.job_id and j.status in ('PENDING', 'RUNNING')
    )
    order by s.created_at limit ${orphanedAtOnce} for update skip locked`
