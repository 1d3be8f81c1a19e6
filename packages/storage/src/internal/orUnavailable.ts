// What a statement can fail with, as the ports say it: StorageUnavailable, whatever the database or the driver said. Errors
// that a port has a name for are caught by its adapter before they come here. A statement that the database rejects, and a
// row that does not decode, are logged with their SQLSTATE and the run or session they are about: nobody expects them.
import { StorageUnavailable } from "@svc/runtime"
import { Cause, Effect, Predicate, Schema } from "effect"
import { SqlError } from "effect/sql"
import { logRejected } from "./rejectedStatements.ts"

type Failure = SqlError.SqlError | Schema.SchemaError | Cause.NoSuchElementError

const isFailure = <E>(error: E): error is E & Failure =>
  SqlError.isSqlError(error) || Schema.isSchemaError(error) || Cause.isNoSuchElementError(error)

const hasCode = ({ cause }: SqlError.SqlErrorReason, codes: RegExp): boolean =>
  Predicate.hasProperty(cause, "code") && codes.test(String(cause.code))

/** Lost to another transaction and undone by the database, so that it can be tried again whatever it was. */
const isConflict = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")

/** The connection lost or outdated the prepared statement. It was not carried out; the driver prepares it anew. */
const isUnprepared = (error: unknown): boolean => SqlError.isSqlError(error) && hasCode(error.reason, /^(26000|0A000)$/)

const isRepeatable = (error: unknown): boolean => isConflict(error) || isUnprepared(error)

// By SQLSTATE, for the driver calls them unknown: out of connections, memory or disk; shutting down or starting up;
// failing to read or write its files; standing by for another server.
const connectionLostCodes = /^(53|57P|58|25006)/

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
      return hasCode(reason, connectionLostCodes)
    default:
      return false
  }
}

/** Nobody knows what has become of the statement: it may have been done, and only the answer was lost. */
export const isLost = (error: unknown): boolean => SqlError.isSqlError(error) && isSilent(error) && !isConflict(error)

/** As a pipe of `Effect.fn` it gets the arguments of the method as well, and names the run and the session in the log. */
export const orUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>, ...about: ReadonlyArray<unknown>) =>
  effect.pipe(
    // what succeeds at first, as nearly everything does, never gets to know of a schedule
    Effect.catchIf(isRepeatable, () => Effect.retry(effect, { times: 2, while: isRepeatable })),
    Effect.catchIf(
      isFailure,
      (failure) =>
        SqlError.isSqlError(failure) && isSilent(failure)
          ? Effect.fail(new StorageUnavailable({ cause: failure }))
          : Effect.andThen(
            logRejected(failure, about),
            Effect.fail(new StorageUnavailable({ cause: failure, isRejected: true }))
          )
    )
  )

/** What is wrong is the connection, and not what was asked. */
const isBroken = (error: unknown): boolean => {
  if (!SqlError.isSqlError(error)) return false
  const { reason } = error
  return reason._tag === "ConnectionError" || (reason._tag === "UnknownError" && hasCode(reason, shutdownCodes))
}

/**
 * For what changes nothing. It is asked once more when its connection broke: a server that was started again has broken
 * all of them, and who reads need not get to know of it.
 */
export const readOrUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>, ...about: ReadonlyArray<unknown>) =>
  orUnavailable(Effect.catchIf(effect, isBroken, () => effect), ...about)
