// What a statement can fail with, as the ports say it. A database that does not answer is StorageUnavailable. Errors that
// a port has a name for are caught by its adapter before they come here. Whatever else a database says is a defect, and
// so is a row that does not decode.
import { StorageUnavailable } from "@svc/runtime"
import { Cause, Effect, Predicate, Schema } from "effect"
import { SqlError } from "effect/sql"

type Failure = SqlError.SqlError | Schema.SchemaError | Cause.NoSuchElementError

const isFailure = <E>(error: E): error is E & Failure =>
  SqlError.isSqlError(error) || Schema.isSchemaError(error) || Cause.isNoSuchElementError(error)

/** Lost to another transaction and undone by the database, so that it can be tried again whatever it was. */
const isConflict = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")

// By SQLSTATE, for the driver calls them unknown: out of connections, memory or disk; shutting down or starting up;
// failing to read or write its files; standing by for another server.
const silence = /^(53|57P|58|25006)/

// the server ends its connections
const parting = /^57P/

const hasCode = ({ cause }: SqlError.UnknownError, codes: RegExp): boolean =>
  Predicate.hasProperty(cause, "code") && codes.test(String(cause.code))

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
      return hasCode(reason, silence)
    default:
      return false
  }
}

/** Nobody knows what has become of the statement: it may have been done, and only the answer was lost. */
export const isLost = (error: unknown): boolean => SqlError.isSqlError(error) && isSilent(error) && !isConflict(error)

export const orUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    // what succeeds at first, as nearly everything does, never gets to know of a schedule
    Effect.catchIf(isConflict, () => Effect.retry(effect, { times: 2, while: isConflict })),
    Effect.catchIf(
      isFailure,
      (failure) =>
        SqlError.isSqlError(failure) && isSilent(failure)
          ? Effect.fail(new StorageUnavailable({ cause: failure }))
          : Effect.die(failure)
    )
  )

/** What is wrong is the connection, and not what was asked. */
const isBroken = (error: unknown): boolean => {
  if (!SqlError.isSqlError(error)) return false
  const { reason } = error
  return reason._tag === "ConnectionError" || (reason._tag === "UnknownError" && hasCode(reason, parting))
}

/**
 * For what changes nothing. It is asked once more when its connection broke: a server that was started again has broken
 * all of them, and who reads need not get to know of it.
 */
export const readOrUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  orUnavailable(Effect.catchIf(effect, isBroken, () => effect))
