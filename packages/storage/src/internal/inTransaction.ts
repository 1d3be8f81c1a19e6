// A transaction of a store. A connection that breaks cannot roll back: that is a failure of the database, no defect.
import { Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"

export const inTransaction =
  (sql: SqlClient.SqlClient) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.catchDefect(
      sql.withTransaction(effect),
      (defect) => SqlError.isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
    )
