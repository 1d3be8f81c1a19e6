// A transaction of a store. A connection that breaks cannot roll back: that is a failure of the database, no defect.
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { InTransaction, isConflict } from "./orUnavailable.ts"

/** Of a method of a store that the transaction calls. */
const isUnavailable = Schema.is(StorageUnavailable)

export const inTransaction =
  (sql: SqlClient.SqlClient) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    sql.withTransaction(Effect.provideService(effect, InTransaction, true)).pipe(
      Effect.catchDefect((defect): Effect.Effect<never, E | SqlError.SqlError> => {
        if (SqlError.isSqlError(defect)) return Effect.fail(defect)
        return isUnavailable(defect) ? Effect.fail(defect as E) : Effect.die(defect)
      }),
      // the caller of a store repeats the transaction, whose statements cannot be repeated alone
      Effect.mapError((error) => isUnavailable(error) && isConflict(error.cause) ? error.cause : error)
    )
