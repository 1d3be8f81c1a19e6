// The connections for frequent short statements: reading one session, creating and finishing runs. If a database has
// them, statements of several fibers are pipelined on each connection, which saves most of their cost. Long statements
// use other connections, because they would delay those behind them.
import { Context } from "effect"
import type { SqlClient } from "effect/sql"

interface Connections {
  /** Statements that wait for no lock: many are pipelined on each connection. */
  readonly reads: SqlClient.SqlClient
  /** Statements that may wait for a lock: few are pipelined on each connection. */
  readonly writes: SqlClient.SqlClient
}

/** Undefined: the ordinary connections are used. */
export const ShortStatements = Context.Reference<Connections | undefined>("@svc-runtime/postgres/ShortStatements", {
  defaultValue: () => undefined
})
