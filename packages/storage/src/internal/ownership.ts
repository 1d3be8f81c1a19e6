// Whose rows a statement may touch: `Owner.covers` as SQL, the same for every store.
import type { Owner } from "@svc/domain"
import type { SqlClient, Statement } from "effect/sql"
import { text } from "./rows.ts"

/** `column` is ours and goes into the statement as it is. What nobody owns has null there, which no user equals. */
export const covers = (sql: SqlClient.SqlClient, column: string, owner: Owner.Owner): Statement.Fragment => {
  switch (owner._tag) {
    case "Anyone":
      return sql.literal("true")
    case "User":
      return sql`${sql.literal(column)} = ${text(owner.user_id)}`
    case "Nobody":
      return sql.literal("false")
  }
}
