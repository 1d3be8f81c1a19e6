// What a request gets whose component is made by a factory that does not give it one. The bodies are those of all errors;
// where the beginning of `detail` tells a factory's error from others of its status, clients get it as one of these.
import { Schema } from "effect"

const detailOf = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))

export class FactoryValidationError extends Schema.Error<FactoryValidationError>("@svc/api/FactoryValidationError")({
  _tag: Schema.tagDefaultOmit("FactoryValidationError"),
  detail: detailOf(/^factory_input /),
  error_code: Schema.Literal("BAD_REQUEST")
}, { identifier: "ErrorResponse", httpApiStatus: 400 }) {}

/** The message is the factory's own. */
export class FactoryPermissionError extends Schema.Error<FactoryPermissionError>("@svc/api/FactoryPermissionError")({
  _tag: Schema.tagDefaultOmit("FactoryPermissionError"),
  detail: Schema.String,
  error_code: Schema.Literal("FORBIDDEN")
}, { identifier: "ErrorResponse", httpApiStatus: 403 }) {}

export class FactoryError extends Schema.Error<FactoryError>("@svc/api/FactoryError")({
  _tag: Schema.tagDefaultOmit("FactoryError"),
  detail: detailOf(/^(Agent|Team|Workflow) factory error: /),
  error_code: Schema.Literal("INTERNAL_SERVER_ERROR"),
  /** Under this id the log holds what went wrong. */
  request_id: Schema.String
}, { identifier: "InternalErrorResponse", httpApiStatus: 500 }) {}
