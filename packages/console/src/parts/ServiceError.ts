// What an error of the service means for a person.
import { SvcConnectionError, SvcError } from "@svc-runtime/client"

/** The next step after a response with this status. */
const steps: Readonly<Record<number, string>> = {
  400: "Correct what you have entered, and send it again.",
  401: "Sign in again.",
  403: "Your token lacks the scope for this. Use another token, or ask the operator.",
  404: "It may have been deleted, or belong to another user.",
  409: "It does not fit what is stored. Change what you have entered, or reload the page.",
  413: "Send less at once, or ask the operator to raise the limit.",
  422: "Correct what you have entered, and send it again.",
  500: "The log of the service has the cause, under the id of the request."
}

/** Of a page that shows something: a person has entered filters and the address at most. */
const readSteps: Readonly<Record<number, string>> = {
  400: "Check the filters and the address of this page.",
  409: "It does not fit what is stored. Reload the page.",
  422: "Check the filters and the address of this page."
}

/** `isRead`: a page shows something. Otherwise a person has sent something. */
export const adviceOf = (error: unknown, isRead = false): string | undefined => {
  if (error instanceof SvcConnectionError) return "The service does not respond. Is it running? Try again in a moment."
  if (!(error instanceof SvcError)) return undefined
  if (error.status === 429 || error.status === 503) {
    return `Try again ${error.retryAfter === undefined ? "in a moment" : `in ${error.retryAfter} seconds`}.`
  }
  return (isRead ? readSteps[error.status] : undefined) ?? steps[error.status]
}

/** The same request gets the same response. */
const final = new Set([400, 403, 405, 413, 415, 422])

/** Whether the same request can succeed later. */
export const canBeRepeated = (error: unknown): boolean => !(error instanceof SvcError && final.has(error.status))

/** Another request was first. */
export const isConflict = (error: unknown): boolean => error instanceof SvcError && error.status === 409

/** The refused fields that the message does not name already. */
export const refusedFields = (error: unknown): ReadonlyArray<string> =>
  error instanceof SvcError
    ? error.problems
      .filter(({ msg }) => !error.message.includes(msg))
      .map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`)
    : []
