// The errors of a request whose factory builds no component. The bodies are those of all errors. The start of `detail`
// distinguishes factory errors from others of the same status.
import { Schema } from "effect"

const detailOf = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))

export class FactoryValidationError
  extends Schema.Error<FactoryValidationError>("@svc-runtime/api/FactoryValidationError")({
    _tag: Schema.tagDefaultOmit("FactoryValidationError"),
    detail: detailOf(/^factory_input /),
    error_code: Schema.Literal("BAD_REQUEST")
  }, { identifier: "ErrorResponse", httpApiStatus: 400 })
{}

/** The message comes from the factory. */
export class FactoryPermissionError
  extends Schema.Error<FactoryPermissionError>("@svc-runtime/api/FactoryPermissionError")({
    _tag: Schema.tagDefaultOmit("FactoryPermissionError"),
    detail: Schema.String,
    error_code: Schema.Literal("FORBIDDEN")
  }, { identifier: "ErrorResponse", httpApiStatus: 403 })
{}

export class FactoryError extends Schema.Error<FactoryError>("@svc-runtime/api/FactoryError")({
  _tag: Schema.tagDefaultOmit("FactoryError"),
  detail: detailOf(/^(Agent|Team|Workflow) factory error: /),
  error_code: Schema.Literal("INTERNAL_SERVER_ERROR"),
  /** The log has the cause under this id. */
  request_id: Schema.String
}, { identifier: "InternalErrorResponse", httpApiStatus: 500 }) {}
