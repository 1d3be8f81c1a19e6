// Why a run is not continued, as an error of the wire, by the reason of the domain error. MCP shows its `detail`.
import { Errors } from "@svc/api"
import type { ContinueRejected } from "@svc/runtime"
import { Effect } from "effect"

const byReason = {
  malformed: Errors.badRequest,
  unresolved: Errors.badRequest,
  mismatch: Errors.conflict,
  notPaused: Errors.conflict,
  conflict: Errors.conflict,
  forbidden: Errors.forbidden
} as const satisfies Record<ContinueRejected["reason"], unknown>

export const continueText = ({ field, message }: ContinueRejected): string =>
  field === undefined ? message : `Invalid structure or content for ${field}: ${message}`

export const continueErrors = {
  ContinueRejected: (error: ContinueRejected) => Effect.fail(byReason[error.reason](continueText(error)))
}
