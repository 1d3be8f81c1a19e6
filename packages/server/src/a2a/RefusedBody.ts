// A body that was refused, as an error of the protocol. It has the status of such bodies on all routes.
import type { Refused } from "@svc-runtime/http/forms/FormBody"
import * as WireResponse from "@svc-runtime/http/wire/WireResponse"
import * as A2aError from "@svc-runtime/protocols/a2a/A2aError"

const reasons: Readonly<Record<Refused["_tag"], A2aError.Reason>> = {
  BadRequest: "INVALID_REQUEST",
  Invalid: "INVALID_REQUEST",
  PayloadTooLarge: "INVALID_REQUEST",
  TooManyRequests: "RESOURCE_EXHAUSTED",
  UnsupportedMediaType: "CONTENT_TYPE_NOT_SUPPORTED"
}

/** A body that is no JSON. */
export const isUnreadable = (error: Refused): boolean =>
  error._tag === "Invalid" && error.errors.some(({ type }) => type === "json_invalid")

export const toA2a = (error: Refused): A2aError.A2aError =>
  isUnreadable(error)
    ? A2aError.make("PARSE_ERROR")
    : A2aError.refused(reasons[error._tag], error.detail, WireResponse.statusOf(error))
