// The errors of the run service as errors of the protocol. An unknown component has no address, so it is a plain 404.
import type { Errors } from "@svc-runtime/api"
import * as Run from "@svc-runtime/domain/Run"
import { componentNotFound } from "@svc-runtime/http/wire/componentNotFound"
import { type RunError, toWireError } from "@svc-runtime/http/wire/runErrors"
import * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import { Effect } from "effect"

/** Refusals that do not depend on the protocol. */
export type Refused = Errors.Forbidden | Errors.NotFound

const reasons: Readonly<Record<string, A2aError.Reason>> = {
  BAD_REQUEST: "INVALID_PARAMS",
  VALIDATION_ERROR: "INVALID_PARAMS",
  PAYLOAD_TOO_LARGE: "INVALID_PARAMS",
  FORBIDDEN: "PERMISSION_DENIED",
  NOT_FOUND: "TASK_NOT_FOUND",
  CONFLICT: "ABORTED",
  TOO_MANY_REQUESTS: "RESOURCE_EXHAUSTED",
  SERVICE_UNAVAILABLE: "UNAVAILABLE"
}

const byCode = (error: RunError) =>
  Effect.catch(
    toWireError(error),
    ({ detail, error_code }) => Effect.fail(A2aError.make(reasons[error_code] ?? "INTERNAL_ERROR", detail))
  )

const notWaiting = (status: Run.Status) =>
  A2aError.make(
    "UNSUPPORTED_OPERATION",
    Run.isActive(status)
      ? "The task is working. It takes no messages until it asks"
      : "The task has ended. Send a message without its taskId"
  )

const translated = (error: RunError): Effect.Effect<never, A2aError.A2aError | Refused> => {
  switch (error._tag) {
    case "ComponentNotFound":
      return componentNotFound(error)
    case "SessionNotFound":
      return Effect.fail(A2aError.make("INVALID_PARAMS", "contextId: there is no such context of yours"))
    case "ContinueRejected":
      if (error.status !== undefined) return Effect.fail(notWaiting(error.status))
      // another person has decided, and the same answer is refused again
      return ["conflict", "decided"].includes(error.reason)
        ? Effect.fail(A2aError.make("INVALID_PARAMS", error.message))
        : byCode(error)
    case "RunNotFound":
      return Effect.fail(A2aError.make("TASK_NOT_FOUND"))
    case "RunExists":
      return Effect.fail(A2aError.make("ABORTED", error.message))
    default:
      return byCode(error)
  }
}

export const toA2a = <A, E extends RunError, R>(effect: Effect.Effect<A, E, R>) => Effect.catch(effect, translated)
