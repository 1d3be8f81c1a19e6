// The connections for statements that are short and many: reading one session, beginning and ending runs. Where a
// database has such connections, the statements of several fibers are pipelined on each of them, which saves most of what
// a short statement costs. A long one would hold up all that come behind it, so everything else has connections of its own.
import { Context } from "effect"
import type { SqlClient } from "effect/sql"

/** Undefined: the database's ordinary connections do. */
export const ShortStatements = Context.Reference<SqlClient.SqlClient | undefined>("@svc/storage/ShortStatements", {
  defaultValue: () => undefined
})
