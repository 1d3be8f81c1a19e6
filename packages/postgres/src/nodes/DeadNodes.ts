// Which nodes count as dead: the same rule for leases of runs and of jobs.
import type { Takeover } from "@svc-runtime/engine/node/LeasedRuns"
import type { SqlClient, Statement } from "effect/sql"
import { text, texts } from "../sql/rows.ts"

/** `column` is a constant of ours that names another node, and is inserted unescaped. */
export const isDead = (
  sql: SqlClient.SqlClient,
  column: string,
  { dead = [], node, nodeTimeout }: Pick<Takeover, "dead" | "node" | "nodeTimeout">
): Statement.Fragment => {
  const holder = sql.literal(column)
  return sql`(${holder} <> ${text(node)} and (
    ${holder} = any(${texts(dead.map(text))}::text[])
    or (${nodeTimeout !== undefined} and not exists (
      select from svc_nodes n
      where n.node = ${holder} and n.seen_at >= now() - make_interval(secs => ${nodeTimeout ?? 0}::float8)
    ))
  ))`
}
