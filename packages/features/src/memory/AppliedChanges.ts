// Whether changes of memories and learnings may be applied: under a new key, under the lease of their job, and by a run
// that is newer than the last removal of what is known about its user.
import * as MemoryErasures from "@svc-runtime/postgres/sessions/MemoryErasures"
import { text } from "@svc-runtime/postgres/sql/rows"
import type { SqlClient } from "effect/sql"
import type { ChangeSource } from "./ChangeSource.ts"

/** How long an applied key is kept. A job that applies changes is not repeated for as long. */
const retentionDays = 30

/** Removed with each application: more than one, so that a backlog shrinks. */
const sweptAtOnce = 10

export const make = (sql: SqlClient.SqlClient, table: "svc_memory_keys" | "svc_learning_keys") => {
  const keys = sql.literal(table)

  /** Removes old keys. */
  const sweep = ({ key }: ChangeSource) =>
    sql`
      delete from ${keys} where key in (
        select key from ${keys} where applied_at <= now() - make_interval(days => ${retentionDays})
          and key <> ${text(key)} order by applied_at limit ${sweptAtOnce} for update skip locked
      )`

  /** No row if the lease is lost. */
  const leased = ({ lease }: ChangeSource) =>
    lease === undefined ? sql`select 1` : sql`
      select 1 from svc_jobs where id = ${text(lease.id)} and lease = ${lease.lease} and status = 'RUNNING' for share`

  /** Of a row of `erasure`. Also a run that was removed is refused: it could be older. */
  const isErased = ({ root_run_id }: ChangeSource) =>
    root_run_id === null ? sql`false` : sql`(
      erasure.erased_run > 0 and not exists (
        select from svc_runs r where r.run_id = ${
      text(root_run_id)
    } and coalesce(r.origin_seq, r.seq) > erasure.erased_run
      )
    )`

  return { erasure: MemoryErasures.make(sql).latest, isErased, leased, sweep }
}
