// Translates failures of the runtime to errors of the wire, for all transports.
import type { DatabaseNotChosen, DatabaseNotFound } from "@svc-runtime/agents/database/Databases"
import { Errors } from "@svc-runtime/api"
import { isStorageUnavailable, type StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import type { LimitReached, RunHandedOver, SessionBusy, TooManyRuns } from "@svc-runtime/engine/run/RunErrors"
import type { SessionNotFound } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"

const unavailableDetail = (error: StorageUnavailable): string => {
  const { hasNoHeartbeat, isMigrating, isNewer, isRejected, pendingDatabase, trouble, uncertainRun } = error
  if (pendingDatabase !== undefined || isMigrating === true || uncertainRun !== undefined) return error.message
  if (trouble !== undefined) return `${error.message}, and nothing can be stored. Try again when that is mended.`
  if (hasNoHeartbeat === true) {
    return "This node has no recent heartbeat (NODE_TIMEOUT) and accepts no runs until it stores one. Try again shortly."
  }
  if (isNewer === true) {
    return "A newer version of the service stored the run, and this node cannot read it. Try again: another node may."
  }
  return isRejected === true
    ? "The database rejected a statement. Try again shortly; the log of the service says more."
    : "The database does not reply at the moment. Try again shortly."
}

// The database is available: callers ask for too much at once.

const manySearches = Errors.tooManyRequests("Too many searches are made at once. Try again shortly.")

const crowded = Errors.tooManyRequests(
  "Too many bytes of responses are sent at once (MAX_RESPONSE_BYTES_IN_FLIGHT). Try again shortly."
)

export const storageUnavailable = (error: StorageUnavailable) => {
  if (error.hasManySearches === true) return manySearches
  return error.isCrowded === true ? crowded : Errors.unavailable(unavailableDetail(error))
}

/** The last pipe of a handler: its store calls do not translate their own failures. */
export const orUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(effect, isStorageUnavailable, (error) => Effect.fail(storageUnavailable(error)))

/** Of a list of runs. */
export const notListed = (error: StorageUnavailable | ResponseTooLarge) =>
  error._tag === "ResponseTooLarge" ? Errors.badRequest(error.message) : storageUnavailable(error)

/** Of a run whose output a request awaits. */
export const interrupted = (error: StorageUnavailable | RunHandedOver) => {
  if (error._tag === "StorageUnavailable") return storageUnavailable(error)
  return error.reason === "deleted" ? Errors.notFound(error.message) : Errors.unavailable(error.message)
}

/** A name of a caller in a text of an error. */
export const shortened = (name: string): string => name.length <= 64 ? name : `${name.slice(0, 64)}…`

export const missing = (what: string, id: string) => Errors.notFound(`${what} not found: '${shortened(id)}'`)
export const runNotFound = (id: string) =>
  Errors.notFound(
    `Run not found: '${shortened(id)}'. Check its session_id, and that it is a run of this component and user.`
  )
export const databaseNotFound = (error: DatabaseNotFound) => Errors.notFound(error.message)
export const databaseNotChosen = (error: DatabaseNotChosen) => Errors.badRequest(error.message)
export const tooManyRuns = (error: TooManyRuns) => Errors.tooManyRequests(error.message)
export const limitReached = (error: LimitReached) => Errors.tooManyRequests(error.message)
export const sessionBusy = (error: SessionBusy) => Errors.conflict(error.message)
export const sessionNotFound = (error: SessionNotFound) => Errors.notFound(error.message)
