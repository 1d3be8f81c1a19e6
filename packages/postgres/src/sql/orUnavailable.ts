// Maps failures of statements to StorageUnavailable. An adapter handles the errors of its port before. Rejected
// statements and undecodable rows are unexpected, so they are logged with their SQLSTATE, the run and the session.
import { StorageUnavailable, type Trouble } from "@svc-runtime/domain/StorageUnavailable"
import { Cause, Context, Effect, Predicate, Schema } from "effect"
import { SqlError } from "effect/sql"
import { logRejected } from "./rejectedStatements.ts"

type Failure = SqlError.SqlError | Schema.SchemaError | Cause.NoSuchElementError

const isFailure = <E>(error: E): error is E & Failure =>
  SqlError.isSqlError(error) || Schema.isSchemaError(error) || Cause.isNoSuchElementError(error)

const hasCode = ({ cause }: SqlError.SqlErrorReason, codes: RegExp): boolean =>
  Predicate.hasProperty(cause, "code") && codes.test(String(cause.code))

/** A conflict with another transaction, rolled back by the database, so any statement can be retried. */
export const isConflict = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) &&
  (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")

/** The prepared statement is lost or outdated. It was not executed; the driver prepares it again. */
const isUnprepared = (error: unknown): boolean => SqlError.isSqlError(error) && hasCode(error.reason, /^(26000|0A000)$/)

const isRepeatable = (error: unknown): boolean => isConflict(error) || isUnprepared(error)

// By SQLSTATE, because the driver does not classify them: out of connections, memory or disk; shutting down or starting
// up; failing to read or write its files; a standby server; no database of the name.
const connectionLostCodes = /^(53|57P|58|25006|3D000)/

const troubles: ReadonlyMap<string, Trouble> = new Map([
  ["53100", "disk"],
  ["53200", "memory"],
  ["53300", "connections"],
  ["25006", "readOnly"]
])

const troubleOf = ({ reason: { cause } }: SqlError.SqlError): { readonly trouble?: Trouble } => {
  const trouble = Predicate.hasProperty(cause, "code") ? troubles.get(String(cause.code)) : undefined
  return trouble === undefined ? {} : { trouble }
}

/** An operator has closed the database to connections. Other statements can fail with this code too. */
const isClosed = ({ cause }: SqlError.SqlErrorReason): boolean =>
  Predicate.hasProperty(cause, "code") && cause.code === "55000" && String(cause).includes("accepting connections")

// the server ends its connections
const shutdownCodes = /^57P/

const isSilent = ({ reason }: SqlError.SqlError): boolean => {
  switch (reason._tag) {
    case "ConnectionError":
    case "AuthenticationError":
    case "LockTimeoutError":
    case "StatementTimeoutError":
    case "DeadlockError":
    case "SerializationError":
      return true
    case "UnknownError":
      return hasCode(reason, connectionLostCodes) || isClosed(reason)
    default:
      return false
  }
}

/** The outcome is unknown: the statement may have succeeded and its reply was lost. */
export const isLost = (error: unknown): boolean => SqlError.isSqlError(error) && isSilent(error) && !isConflict(error)

/** The class of SQLSTATEs for missing tables, columns and rights. */
const isSchemaError = (error: Failure): boolean => SqlError.isSqlError(error) && hasCode(error.reason, /^42/)

/** A statement that fails in a transaction ends it, so it cannot be repeated alone. */
export const InTransaction = Context.Reference<boolean>("@svc-runtime/postgres/InTransaction", {
  defaultValue: () => false
})

/** As a pipe of `Effect.fn` it gets the arguments of the method, and logs the run and the session. */
export const orUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>, ...about: ReadonlyArray<unknown>) =>
  effect.pipe(
    // a success, the common case, creates no schedule
    Effect.catchIf(isRepeatable, (error) =>
      Effect.flatMap(InTransaction, (isInTransaction) =>
        isInTransaction ? Effect.fail(error) : Effect.retry(effect, { times: 2, while: isRepeatable }))),
    Effect.catchIf(
      isFailure,
      (failure) =>
        SqlError.isSqlError(failure) && isSilent(failure)
          ? Effect.fail(new StorageUnavailable({ cause: failure, ...troubleOf(failure) }))
          : Effect.andThen(
            logRejected(failure, about),
            Effect.fail(
              new StorageUnavailable({ cause: failure, isRejected: true, isSchemaError: isSchemaError(failure) })
            )
          )
    )
  )

/** It has waited for another transaction as long as it may. */
export const isLockTimeout = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError"

/** The failure is one of the connection, not of the statement. */
export const isBroken = (error: unknown): boolean => {
  if (!SqlError.isSqlError(error)) return false
  const { reason } = error
  return reason._tag === "ConnectionError" || (reason._tag === "UnknownError" && hasCode(reason, shutdownCodes))
}

/** For reads only. A read is retried once if its connection breaks, because a server restart breaks all connections. */
export const readOrUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>, ...about: ReadonlyArray<unknown>) =>
  orUnavailable(Effect.catchIf(effect, isBroken, () => effect), ...about)
