// What the endpoints of runs have in common, whichever kind of component they are runs of.
import { Session } from "@svc/domain"
import { Schema } from "effect"
import {
  BadRequest,
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  PayloadTooLarge,
  RequestTimeout,
  Unavailable
} from "./Errors.ts"
import { FactoryError, FactoryPermissionError, FactoryValidationError } from "./FactoryErrors.ts"
import { IntText } from "./IntText.ts"

/** Headers of a request that starts a run or goes on with one. */
export const idempotent = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({ description: "The same key with the same request is about the same run, for a day" })
  )
}

/** Why a factory does not give the component that a request is for. */
export const factoryErrors = [FactoryValidationError, FactoryPermissionError, FactoryError] as const

/** Why a form does not start a run, or go on with one. */
export const formErrors = [
  // before others of their status: they are told apart by how their detail begins
  ...factoryErrors,
  BadRequest,
  Forbidden,
  NotFound,
  RequestTimeout,
  Conflict,
  PayloadTooLarge,
  Invalid,
  Unavailable
] as const

/** Of watching a run from an event on. */
export const fromEvent = {
  query: { session_id: Session.Id, last_event_index: Schema.optionalKey(IntText) },
  headers: { "last-event-id": Schema.optionalKey(IntText) }
}

export const CancelAccepted = Schema.Struct({}).annotate({ identifier: "CancelAccepted" })
