// A transaction of a store. A connection that breaks cannot roll back: that is a failure of the database, no defect.
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlError } from "effect/sql"

/** Of a method of a store that the transaction calls. */
const isUnavailable = Schema.is(StorageUnavailable)

export const inTransaction =
  (sql: SqlClient.SqlClient) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.catchDefect(sql.withTransaction(effect), (defect): Effect.Effect<never, E | SqlError.SqlError> => {
      if (SqlError.isSqlError(defect)) return Effect.fail(defect)
      return isUnavailable(defect) ? Effect.fail(defect as E) : Effect.die(defect)
    })
