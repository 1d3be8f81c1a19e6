// The errors of the run service as errors of the wire, by their tag. Sockets and MCP show their `detail`.
import type { ComponentUnusable } from "@svc-runtime/agents/component/StoredComponentErrors"
import type {
  FactoryError,
  FactoryPermissionError,
  FactoryValidationError
} from "@svc-runtime/agents/factory/FactoryErrors"
import type {
  ComponentNotFound,
  EvaluationForbidden,
  FactoryInputTooLarge,
  InputTooLarge,
  InvalidInput,
  LimitedToSession,
  NothingToFork,
  OptionNotOffered,
  ReservedUserId,
  RunForbidden,
  SessionIdRequired
} from "@svc-runtime/agents/runService/RunServiceErrors"
import { Errors, FactoryErrors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { fromSchemaError } from "@svc-runtime/domain/schema/ValidationProblems"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as IdempotencyClaim from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import type { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import type { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type {
  LimitReached,
  RunExists,
  RunHandedOver,
  RunNotFound,
  SessionBusy,
  TooManyRuns
} from "@svc-runtime/engine/run/RunErrors"
import type { SessionNotFound } from "@svc-runtime/engine/session/SessionStore"
import { Cause, Effect } from "effect"
import * as RetryAfter from "../middleware/RetryAfter.ts"
import * as RequestId from "../requests/RequestId.ts"
import { componentNotFound } from "./componentNotFound.ts"
import {
  interrupted,
  limitReached,
  notListed,
  runNotFound,
  sessionBusy,
  sessionNotFound,
  storageUnavailable,
  tooManyRuns
} from "./WireErrors.ts"

const problemsOf = ({ field = "message", isJson, issues }: InvalidInput) =>
  issues.map(({ message, path }) => ({
    loc: ["body", field, ...path],
    msg: message,
    type: isJson ? "value_error" : "json_invalid"
  }))

const continueErrors = {
  fork: Errors.badRequest,
  notPaused: Errors.conflict,
  conflict: Errors.conflict,
  decided: Errors.conflict,
  forbidden: Errors.forbidden,
  unavailable: Errors.unavailable
} as const

export const continueText = ({ field, message, reason }: ContinueRejected): string =>
  field === undefined || reason !== "malformed" ? message : `Invalid structure or content for ${field}: ${message}`

/** The run waits for other decisions. */
const invalidDecisions = (error: ContinueRejected) => {
  const { cause, field = "requirements", needs } = error
  const detail = continueText(error)
  const type = error.reason === "unresolved" ? "missing" : "value_error"
  const errors = cause === undefined
    ? [{ loc: ["body", field], msg: detail, type, ...(needs === undefined ? {} : { needs }) }]
    : fromSchemaError(field, cause).map((problem) => ({ ...problem, loc: ["body", ...problem.loc] }))
  return new Errors.Invalid({ detail, error_code: "VALIDATION_ERROR", errors })
}

const continueError = (error: ContinueRejected) => {
  switch (error.reason) {
    case "malformed":
    case "mismatch":
    case "unresolved":
      return invalidDecisions(error)
    default:
      return continueErrors[error.reason](error.message)
  }
}

// The errors of factories. The cause is logged under the request id that the caller gets.

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

const factoryErrors = {
  FactoryValidationError: (error: FactoryValidationError) => Effect.fail(invalid(error)),
  FactoryPermissionError: (error: FactoryPermissionError) => Effect.fail(denied(error)),
  FactoryError: broken,
  FactoryInputTooLarge: (error: FactoryInputTooLarge) => Effect.fail(Errors.payloadTooLarge(error.message))
}

export const runErrors = {
  ...factoryErrors,
  ResponseTooLarge: (error: ResponseTooLarge) => Effect.fail(notListed(error)),
  ComponentNotFound: (error: ComponentNotFound) => componentNotFound(error),
  ComponentUnusable: (error: ComponentUnusable) => Effect.fail(Errors.conflict(error.message)),
  ContinueRejected: (error: ContinueRejected) => Effect.fail(continueError(error)),
  IdempotencyKeyReused: (error: IdempotencyClaim.IdempotencyKeyReused) => Effect.fail(Errors.conflict(error.message)),
  InputTooLarge: (error: InputTooLarge) => Effect.fail(Errors.payloadTooLarge(error.message)),
  LimitedToSession: (error: LimitedToSession) => Effect.fail(Errors.forbidden(error.message)),
  InvalidInput: (error: InvalidInput) => Effect.fail(Errors.invalid(problemsOf(error))),
  LimitReached: (error: LimitReached) =>
    Effect.andThen(RetryAfter.note(error.retry_after), Effect.fail(limitReached(error))),
  NothingToFork: (error: NothingToFork) => Effect.fail(Errors.badRequest(error.message)),
  OptionNotOffered: ({ message, option }: OptionNotOffered) =>
    Effect.fail(Errors.invalid([{ loc: ["body", option], msg: message, type: "value_error" }])),
  EvaluationForbidden: (error: EvaluationForbidden) => Effect.fail(Errors.forbidden(error.message)),
  ReservedUserId: (error: ReservedUserId) => Effect.fail(Errors.forbidden(error.message)),
  RunForbidden: (error: RunForbidden) => Effect.fail(Errors.forbidden(error.message)),
  RunExists: (error: RunExists) => Effect.fail(Errors.conflict(error.message)),
  RunHandedOver: (error: RunHandedOver) => Effect.fail(interrupted(error)),
  RunNotFound: ({ run_id }: RunNotFound) => Effect.fail(runNotFound(run_id)),
  SessionBusy: (error: SessionBusy) => Effect.fail(sessionBusy(error)),
  SessionIdRequired: (error: SessionIdRequired) => Effect.fail(Errors.badRequest(error.message)),
  SessionNotFound: (error: SessionNotFound) => Effect.fail(sessionNotFound(error)),
  StorageUnavailable: (error: StorageUnavailable) => Effect.fail(storageUnavailable(error)),
  TooManyRuns: (error: TooManyRuns) => Effect.fail(tooManyRuns(error))
}

type Table = typeof runErrors

export type RunError = { [T in keyof Table]: Parameters<Table[T]>[0] }[keyof Table]

/** The error of the wire for each domain error. */
export type WireError<E extends RunError> = Effect.Error<ReturnType<Table[E["_tag"]]>>

export const toWireError = <E extends RunError>(error: E): Effect.Effect<never, WireError<E>> => {
  const translate: (error: never) => unknown = runErrors[error._tag]
  return translate(error as never) as Effect.Effect<never, WireError<E>>
}

export const toWire = <A, E extends RunError, R>(effect: Effect.Effect<A, E, R>) => Effect.catch(effect, toWireError)
