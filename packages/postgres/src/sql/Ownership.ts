// The rows that a statement may touch: `Owner.covers` as SQL, the same for every store.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Tenant from "@svc-runtime/domain/Tenant"
import type { SqlClient, Statement } from "effect/sql"
import { text } from "./rows.ts"

/** Of a table whose rows belong to sessions: those of the session that the owner is limited to. */
export const coversSession = (
  sql: SqlClient.SqlClient,
  column: string,
  { session_id }: Owner.Owner
): Statement.Fragment =>
  session_id === undefined ? sql.literal("true") : sql`${sql.literal(column)} = ${text(session_id)}`

/** Of a table `alias` whose rows belong to sessions and users. */
export const coversIn = (sql: SqlClient.SqlClient, alias: string, owner: Owner.Owner): Statement.Fragment =>
  sql.and([covers(sql, `${alias}.user_id`, owner), coversSession(sql, `${alias}.session_id`, owner)])

/**
 * As a range of bytes, which an index answers also in a plan that is made once for all calls. The prefix ends with a
 * colon, and a semicolon is the character behind it.
 */
const beginsWith = (sql: SqlClient.SqlClient, column: string, prefix: string): Statement.Fragment => {
  const place = sql.literal(`${column} collate "C"`)
  return sql`(${place} >= ${text(prefix)} and ${place} < ${text(`${prefix.slice(0, -1)};`)})`
}

/** `column` is a constant of ours and is inserted unescaped. Rows without an owner have null, which equals no user. */
export const covers = (sql: SqlClient.SqlClient, column: string, owner: Owner.Owner): Statement.Fragment => {
  switch (owner._tag) {
    case "Anyone":
      return sql.literal("true")
    case "User":
      return sql`${sql.literal(column)} = ${text(owner.user_id)}`
    case "Tenant":
      return sql.or(Tenant.prefixesOf(owner.tenant).map((prefix) => beginsWith(sql, column, prefix)))
    case "Acting": {
      const isOfNone = sql.literal(`${column} is null`)
      const { user_id } = owner
      return user_id === null ? isOfNone : sql.or([isOfNone, covers(sql, column, Owner.user(user_id))])
    }
    case "None":
      return sql.literal("false")
  }
}

/** `Owner.reads` as SQL. */
export const reads = (sql: SqlClient.SqlClient, column: string, owner: Owner.Owner): Statement.Fragment => {
  if (owner._tag !== "User") return covers(sql, column, owner)
  const shared = Owner.sharedWith(owner.user_id)
  return sql.or([
    covers(sql, column, owner),
    sql.literal(`${column} is null`),
    ...(shared === undefined ? [] : [covers(sql, column, Owner.user(shared))])
  ])
}

/** Of a session `s`: its removal has not begun. */
export const isPresent = "s.removed_at is null"

/** Of a session `s`. */
export const isVisible = (sql: SqlClient.SqlClient, owner: Owner.Owner): Statement.Fragment =>
  sql.and([coversIn(sql, "s", owner), sql.literal(isPresent)])
