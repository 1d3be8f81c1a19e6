// What the endpoints of runs have in common, whichever kind of component they are runs of.
import { Run, Session } from "@svc/domain"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import {
  BadRequest,
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  PayloadTooLarge,
  RequestTimeout,
  TooManyRequests,
  Unavailable,
  UnsupportedMediaType
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
  UnsupportedMediaType,
  Invalid,
  TooManyRequests,
  Unavailable
] as const

/** Why a run cannot be watched again by a form. */
export const resumeErrors = [
  BadRequest,
  RequestTimeout,
  NotFound,
  PayloadTooLarge,
  UnsupportedMediaType,
  Invalid,
  TooManyRequests,
  Unavailable
] as const

/** The same fields, as a form in either encoding or as JSON. */
export const formOf = <S extends Schema.Top>(form: S) =>
  [form, form.pipe(HttpApiSchema.asMultipart()), form.pipe(HttpApiSchema.asFormUrlEncoded())] as const

/** Of a run that goes on by itself. */
export const accepted = Run.Accepted.pipe(HttpApiSchema.status(202))

/** Of watching a run from an event on. */
export const fromEvent = {
  query: { session_id: Session.Id, last_event_index: Schema.optionalKey(IntText) },
  headers: { "last-event-id": Schema.optionalKey(IntText) }
}

export const CancelAccepted = Schema.Struct({}).annotate({ identifier: "CancelAccepted" })
