// Translates the errors of factories to errors of the wire. The cause is logged under the request id that the caller
// gets.
import type {
  FactoryError,
  FactoryPermissionError,
  FactoryValidationError
} from "@svc-runtime/agents/factory/FactoryErrors"
import type { FactoryInputTooLarge } from "@svc-runtime/agents/runService/RunServiceErrors"
import { Errors, FactoryErrors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Cause, Effect } from "effect"
import * as RequestId from "../requests/RequestId.ts"

const prefix = "factory_input "

const invalid = ({ message }: FactoryValidationError) =>
  new FactoryErrors.FactoryValidationError({
    detail: message.startsWith(prefix) ? message : `${prefix}validation failed: ${message}`,
    error_code: "BAD_REQUEST"
  })

const denied = ({ message }: FactoryPermissionError) =>
  new FactoryErrors.FactoryPermissionError({
    detail: message === "" ? "The factory refuses this request" : message,
    error_code: "FORBIDDEN"
  })

const broken = Effect.fnUntraced(function*({ cause, factory, kind, message }: FactoryError) {
  const request_id = yield* RequestId.current
  const { label } = ComponentKind.descriptions[kind]
  yield* Effect.annotateLogs(Effect.logError(message, Cause.die(cause)), { request_id, factory, kind })
  return yield* new FactoryErrors.FactoryError({
    detail: `${label} factory error: ${message} (FactoryError). The log says more under request_id ` +
      `${request_id}.`,
    error_code: "INTERNAL_SERVER_ERROR",
    request_id
  })
})

/** By the tag of the domain error. */
export const factoryErrors = {
  FactoryValidationError: (error: FactoryValidationError) => Effect.fail(invalid(error)),
  FactoryPermissionError: (error: FactoryPermissionError) => Effect.fail(denied(error)),
  FactoryError: broken,
  FactoryInputTooLarge: (error: FactoryInputTooLarge) => Effect.fail(Errors.payloadTooLarge(error.message))
}
