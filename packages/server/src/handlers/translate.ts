// From the failures of the runtime to the errors of the wire, for what several handlers have in common.
import { Errors } from "@svc/api"
import type {
  DatabaseNotChosen,
  DatabaseNotFound,
  RunHandedOver,
  SessionBusy,
  SessionNotFound,
  StorageUnavailable
} from "@svc/runtime"

export const storageUnavailable = (_: StorageUnavailable) =>
  Errors.unavailable("The database does not answer at the moment. Try again shortly.")
/** Of a run that somebody waits for. */
export const interrupted = (error: StorageUnavailable | RunHandedOver) =>
  error._tag === "RunHandedOver" ? Errors.unavailable(error.message) : storageUnavailable(error)
export const databaseNotFound = (error: DatabaseNotFound) => Errors.notFound(error.message)
export const databaseNotChosen = (error: DatabaseNotChosen) => Errors.badRequest(error.message)
export const sessionBusy = (error: SessionBusy) => Errors.conflict(error.message)
export const sessionNotFound = (error: SessionNotFound) => Errors.notFound(error.message)
