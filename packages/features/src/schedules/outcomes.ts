// How an attempt of a schedule ended.
import { bodyOf, statusOf, type WireError } from "@svc-runtime/http/wire/WireResponse"
import * as Schedule from "./Schedule.ts"

/** Characters of a stored text. */
const maxCharacters = 10_000

export const ended = (
  fields: Partial<Schedule.Outcome> & Pick<Schedule.Outcome, "status">
): Schedule.Outcome => ({
  ...Schedule.noOutcome,
  ...fields,
  error: fields.error?.slice(0, maxCharacters).toWellFormed() ?? null
})

export const failed = (error: string, fields: Partial<Schedule.Outcome> = {}): Schedule.Outcome =>
  ended({ ...fields, status: "failed", error })

/** The failure with the body that the response to a request would have. */
export const refused = (error: WireError): Schedule.Outcome =>
  failed(JSON.stringify(bodyOf(error)), { status_code: statusOf(error) })
