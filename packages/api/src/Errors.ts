// The wire errors: one body, `{"detail", "error_code"}`, for every status. `_tag` distinguishes them internally and is
// not sent.
import { NeededDecision } from "@svc-runtime/domain/NeededDecision"
import { Schema } from "effect"

const identified = { identifier: "ErrorResponse" } as const

const body = <const Tag extends string, const Code extends string>(tag: Tag, code: Code) => ({
  _tag: Schema.tagDefaultOmit(tag),
  detail: Schema.String,
  error_code: Schema.Literal(code)
})

export class BadRequest extends Schema.Error<BadRequest>("@svc-runtime/api/BadRequest")(
  body("BadRequest", "BAD_REQUEST"),
  { ...identified, httpApiStatus: 400 }
) {}

export class Unauthenticated extends Schema.Error<Unauthenticated>("@svc-runtime/api/Unauthenticated")(
  body("Unauthenticated", "UNAUTHENTICATED"),
  { ...identified, httpApiStatus: 401 }
) {}

export class Forbidden extends Schema.Error<Forbidden>("@svc-runtime/api/Forbidden")(
  body("Forbidden", "FORBIDDEN"),
  { ...identified, httpApiStatus: 403 }
) {}

export class NotFound extends Schema.Error<NotFound>("@svc-runtime/api/NotFound")(
  body("NotFound", "NOT_FOUND"),
  { ...identified, httpApiStatus: 404 }
) {}

export class RequestTimeout extends Schema.Error<RequestTimeout>("@svc-runtime/api/RequestTimeout")(
  body("RequestTimeout", "BAD_REQUEST"),
  { ...identified, httpApiStatus: 408 }
) {}

export class Conflict extends Schema.Error<Conflict>("@svc-runtime/api/Conflict")(
  body("Conflict", "CONFLICT"),
  { ...identified, httpApiStatus: 409 }
) {}

export class PayloadTooLarge extends Schema.Error<PayloadTooLarge>("@svc-runtime/api/PayloadTooLarge")(
  body("PayloadTooLarge", "PAYLOAD_TOO_LARGE"),
  { ...identified, httpApiStatus: 413 }
) {}

export class RangeNotSatisfiable extends Schema.Error<RangeNotSatisfiable>("@svc-runtime/api/RangeNotSatisfiable")(
  body("RangeNotSatisfiable", "BAD_REQUEST"),
  { ...identified, httpApiStatus: 416 }
) {}

export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("@svc-runtime/api/UnsupportedMediaType")(
  body("UnsupportedMediaType", "BAD_REQUEST"),
  { ...identified, httpApiStatus: 415 }
) {}

export class TooManyRequests extends Schema.Error<TooManyRequests>("@svc-runtime/api/TooManyRequests")(
  body("TooManyRequests", "TOO_MANY_REQUESTS"),
  { ...identified, httpApiStatus: 429 }
) {}

/** One invalid field of a request. */
export const Problem = Schema.Struct({
  /** The part of the request (`query`, `path`, `body`), then the path to the value. */
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  msg: Schema.String,
  type: Schema.String,
  /** What a decision lacks on what a run waits for. */
  needs: Schema.optionalKey(Schema.Array(NeededDecision))
}).annotate({ identifier: "ValidationProblem" })
export type Problem = typeof Problem.Type

export class Invalid extends Schema.Error<Invalid>("@svc-runtime/api/Invalid")({
  ...body("Invalid", "VALIDATION_ERROR"),
  errors: Schema.Array(Problem)
}, { identifier: "ValidationErrorResponse", httpApiStatus: 422 }) {}

export class Internal extends Schema.Error<Internal>("@svc-runtime/api/Internal")({
  ...body("Internal", "INTERNAL_SERVER_ERROR"),
  /** The log has the cause under this id. */
  request_id: Schema.String,
  /** The evaluation that failed. `error` has the reason. */
  eval_run_id: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String)
}, { identifier: "InternalErrorResponse", httpApiStatus: 500 }) {}

/** Why a service does not execute runs at the moment. */
export const NotReadyReason = Schema.Literals(["database", "migrations", "draining"])
export type NotReadyReason = typeof NotReadyReason.Type

export class NotReady extends Schema.Error<NotReady>("@svc-runtime/api/NotReady")({
  ...body("NotReady", "SERVICE_UNAVAILABLE"),
  reasons: Schema.Array(NotReadyReason)
}, { identifier: "NotReadyResponse", httpApiStatus: 503 }) {}

export class Unavailable extends Schema.Error<Unavailable>("@svc-runtime/api/Unavailable")(
  body("Unavailable", "SERVICE_UNAVAILABLE"),
  { ...identified, httpApiStatus: 503 }
) {}

export const badRequest = (detail: string) => new BadRequest({ detail, error_code: "BAD_REQUEST" })
export const unauthenticated = (detail: string) => new Unauthenticated({ detail, error_code: "UNAUTHENTICATED" })
export const forbidden = (detail: string) => new Forbidden({ detail, error_code: "FORBIDDEN" })
export const notFound = (detail: string) => new NotFound({ detail, error_code: "NOT_FOUND" })
export const requestTimeout = (detail: string) => new RequestTimeout({ detail, error_code: "BAD_REQUEST" })
export const conflict = (detail: string) => new Conflict({ detail, error_code: "CONFLICT" })
export const payloadTooLarge = (detail: string) => new PayloadTooLarge({ detail, error_code: "PAYLOAD_TOO_LARGE" })
export const unsupportedMediaType = (detail: string) => new UnsupportedMediaType({ detail, error_code: "BAD_REQUEST" })
export const tooManyRequests = (detail: string) => new TooManyRequests({ detail, error_code: "TOO_MANY_REQUESTS" })
export const unavailable = (detail: string) => new Unavailable({ detail, error_code: "SERVICE_UNAVAILABLE" })

/** One value that is refused with a sentence of its own. */
export const invalidValue = (loc: Problem["loc"], detail: string, needs?: Problem["needs"]) =>
  new Invalid({
    detail,
    error_code: "VALIDATION_ERROR",
    errors: [{ loc, msg: detail, type: "value_error", ...(needs === undefined ? {} : { needs }) }]
  })

/** `detail` names the first invalid field, so that one log line is enough. */
export const invalid = (errors: ReadonlyArray<Problem>) => {
  const [first] = errors
  const detail = first === undefined ? "The request is not valid" : `${first.loc.join(".")}: ${first.msg}`
  return new Invalid({ detail, error_code: "VALIDATION_ERROR", errors })
}
