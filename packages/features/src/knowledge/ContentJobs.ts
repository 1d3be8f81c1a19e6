// Contents and the jobs that process them: which have a job, and which were left without one.
import type * as Job from "@svc-runtime/engine/jobs/Job"
import { text, textOrNull, texts } from "@svc-runtime/postgres/sql/rows"
import type { SqlClient, Statement } from "effect/sql"
import type { Orphaned } from "./ContentStore.ts"
import { orphanedAtOnce } from "./KnowledgeLimits.ts"
import { isPresent } from "./knowledgeRows.ts"

export const make = (sql: SqlClient.SqlClient) => {
  /** A job `j` that waits or is executed: one condition for each index. */
  const unfinished = [
    "j.status = 'RUNNING'",
    "j.status = 'PENDING' and j.is_due",
    "j.status = 'PENDING' and not j.is_due"
  ]
    .map((status) => sql.literal(status))

  const hasJob = (kinds: Statement.Fragment, isOfContent: Statement.Fragment) =>
    sql.or(
      unfinished.map((status) =>
        sql`exists (select from svc_jobs j where j.kind = any(${kinds}) and ${isOfContent} and ${status})`
      )
    )

  /** The kinds of unfinished jobs in their order. Each look-up skips the other jobs of a kind. */
  const nextKind = (before: string) =>
    sql`select min(n.kind) from (${
      sql.join(" union all ", false)(
        unfinished.map((status) =>
          sql`(select j.kind from svc_jobs j where j.kind > ${
            sql.literal(before)
          } and ${status} order by j.kind limit 1)`
        )
      )
    }) n`

  const hasLaterJob = ({ id, key }: Pick<Job.Acquired, "id" | "key">, kinds: ReadonlyArray<string>) => {
    const isLater = sql`j.key = ${textOrNull(key)} and j.seq > (select seq from svc_jobs where id = ${text(id)})`
    return sql`select 1 where ${hasJob(sql`${texts(kinds.map(text))}::text[]`, isLater)}`
  }

  // a newer version can have given the job any kind
  const failOrphaned = ({ before, status_message }: Orphaned, at: number) => {
    const isOfContent = sql.literal("j.key = s.instance || chr(10) || s.content_id")
    return sql`
      with recursive kinds (kind) as (
        ${nextKind("''")} union all select (${nextKind("k.kind")}) from kinds k where k.kind is not null
      ), ended as (
        update svc_contents c set status = 'failed', status_message = ${text(status_message)}, updated_at = ${at}
        where c.seq = any(array(
          select s.seq from svc_contents s
          where s.status = 'processing' and s.updated_at < ${before}
            -- folders in code have no job
            and coalesce(s.folder::text, '') <> '{}' and not ${
      hasJob(sql`array(select k.kind from kinds k)`, isOfContent)
    }
            and ${sql.literal(isPresent)}
          order by s.updated_at limit ${orphanedAtOnce} for update skip locked
        ))
        returning c.seq
      ), gone as (delete from svc_content_bodies b using ended where b.content_seq = ended.seq)
      select 1 from ended`
  }

  return { failOrphaned, hasLaterJob }
}
