// A body that was refused, as an error of the protocol. It has the status of such bodies on all routes.
import * as A2aError from "@svc/protocols/a2a/A2aError"
import type { Refused } from "../forms/FormBody.ts"
import * as WireResponse from "../wire/WireResponse.ts"

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
