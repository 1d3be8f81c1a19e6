// Which nodes count as dead: the same rule for leases of runs and of jobs.
import type { Deaths } from "@svc-runtime/engine/node/LeasedRuns"
import type { SqlClient, Statement } from "effect/sql"
import { text, texts } from "../sql/rows.ts"

/** Distinguishes the last heartbeat of a row `n` from others. */
export const seenAt = "extract(epoch from n.seen_at)::text"

/** `holds`: whether a row `n` has something to take over. */
export const make = (
  sql: SqlClient.SqlClient,
  { dead = [], isSteady = false, node }: Deaths & { readonly node: string },
  holds: Statement.Fragment
) => {
  const listed = dead === "every" ? [] : dead
  const silent = listed.flatMap((each) => each.seenAt === null ? [] : [{ node: each.node, seenAt: each.seenAt }])
  const gone = listed.filter((each) => each.seenAt === null)

  /** `column` is a constant of ours that names another node, and is inserted unescaped. */
  const isDead = (table: "silent" | "locked") => (column: string): Statement.Fragment => {
    const holder = sql.literal(column)
    return sql`(${holder} <> ${text(node)} and (
      ${dead === "every"}
      or ${holder} = any(${texts(gone.map((each) => text(each.node)))}::text[])
      or ${holder} in (select node from ${sql.literal(table)})
      or (${isSteady} and not exists (select from svc_nodes n where n.node = ${holder}))
    ))`
  }

  const unchanged = sql.literal(`svc_nodes n join judged on judged.node = n.node and judged.seen_at = ${seenAt}`)

  return {
    /** The parts of the statement that the conditions refer to. */
    tables: sql`
      judged (node, seen_at) as materialized (
        select * from unnest(
          ${texts(silent.map((each) => text(each.node)))}::text[], ${texts(silent.map((each) => each.seenAt))}::text[]
        )
      ), silent (node) as materialized (select n.node from ${unchanged}), locked (node) as materialized (
        select n.node from ${unchanged} where ${holds} for update of n skip locked
      )`,
    isSilent: isDead("silent"),
    /** The same, and it cannot send a heartbeat before the statement has ended. */
    isDead: isDead("locked")
  }
}
