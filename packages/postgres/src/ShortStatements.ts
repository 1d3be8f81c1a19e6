// The connections for frequent short statements: reading one session, creating and finishing runs. If a database has
// them, statements of several fibers are pipelined on each connection, which saves most of their cost. Long statements
// use other connections, because they would delay those behind them.
import type { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { Context, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { LongStatements } from "./sql/LongStatements.ts"

interface Connections {
  /** Statements that wait for no lock: many are pipelined on each connection. */
  readonly reads: SqlClient.SqlClient
  /** Statements that may wait for a lock: few are pipelined on each connection. */
  readonly writes: SqlClient.SqlClient
}

/** Undefined: the ordinary connections are used. */
export class ShortStatements extends Context.Service<ShortStatements, Connections | undefined>()(
  "@svc-runtime/postgres/ShortStatements"
) {}

/** Short statements use the ordinary connections, and are not pipelined. */
export const layerNone: Layer.Layer<ShortStatements> = Layer.succeed(ShortStatements, undefined)

/** What stores and migrations are made of: the connections of a database, and the limits of the service. */
export type SqlServices = LongStatements | ShortStatements | SqlClient.SqlClient | StoreLimits
