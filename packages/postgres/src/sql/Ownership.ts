// The rows that a statement may touch: `Owner.covers` as SQL, the same for every store.
import type * as Owner from "@svc-runtime/domain/Owner"
import type { SqlClient, Statement } from "effect/sql"
import { text } from "./rows.ts"

/** `column` is a constant of ours and is inserted unescaped. Rows without an owner have null, which equals no user. */
export const covers = (sql: SqlClient.SqlClient, column: string, owner: Owner.Owner): Statement.Fragment => {
  switch (owner._tag) {
    case "Anyone":
      return sql.literal("true")
    case "User":
      return sql`${sql.literal(column)} = ${text(owner.user_id)}`
    case "None":
      return sql.literal("false")
  }
}

/** Of a session `s`: its removal has not begun. */
export const isPresent = "s.removed_at is null"

/** Of a session `s`. */
export const isVisible = (sql: SqlClient.SqlClient, owner: Owner.Owner): Statement.Fragment =>
  sql.and([covers(sql, "s.user_id", owner), sql.literal(isPresent)])
