// Evaluations and experiments whose job is gone.
import type { Abandoned } from "@svc/runtime/evaluation/EvalRunStore"
import { abandonedAtOnce } from "@svc/runtime/evaluation/EvaluationLimits"
import type { SqlClient, Statement } from "effect/sql"
import { text, texts } from "./rows.ts"

/** The numbers of some unfinished rows of a table without a job. */
export const seqs = (
  sql: SqlClient.SqlClient,
  table: "svc_eval_runs" | "svc_experiments",
  { before, kinds }: Pick<Abandoned, "before" | "kinds">
): Statement.Fragment => {
  const hasJob = sql.or(
    // one condition for each index
    ["j.status = 'RUNNING'", "j.status = 'PENDING' and j.is_due", "j.status = 'PENDING' and not j.is_due"].map((
      status
    ) =>
      sql`exists (select from svc_jobs j where j.kind = any(${texts(kinds.map(text))}::text[]) and j.key = s.id and ${
        sql.literal(status)
      })`
    )
  )
  return sql`
    select s.seq from ${sql.literal(table)} s
    where s.status in ('PENDING', 'RUNNING') and s.created_at < ${before} and not ${hasJob}
    order by s.created_at limit ${abandonedAtOnce} for update skip locked`
}
