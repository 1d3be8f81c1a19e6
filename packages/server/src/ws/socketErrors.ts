// The errors of the run service as the text of an `error` frame, by their tag. Most have the text of HTTP.
import type {
  FactoryError,
  FactoryPermissionError,
  FactoryValidationError
} from "@svc-runtime/agents/factory/FactoryErrors"
import type { ComponentNotFound } from "@svc-runtime/agents/runService/RunServiceErrors"
import type { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import type { RunNotFound } from "@svc-runtime/engine/run/RunErrors"
import * as RequestId from "@svc-runtime/http/requests/RequestId"
import { continueText, type RunError, type runErrors, toWireError } from "@svc-runtime/http/wire/runErrors"
import { Effect } from "effect"
import { error as errorFrame, type Frame } from "./SocketMessage.ts"

const textOf = (error: RunError): Effect.Effect<string> =>
  Effect.match(toWireError(error), { onFailure: ({ detail }) => detail, onSuccess: String })

const factoryText = (error: FactoryError | FactoryPermissionError | FactoryValidationError) =>
  Effect.map(textOf(error), (detail) => `Factory error: ${detail}`)

const rejection = (error: ContinueRejected): string => {
  const { field, message, reason, status } = error
  if (reason === "notPaused" || status !== undefined) return `Run is not paused (status=${status ?? "RUNNING"})`
  return field === "step_requirements" ? `Invalid step_requirements: ${message}` : continueText(error)
}

const overrides = {
  ComponentNotFound: ({ id }: ComponentNotFound) => Effect.succeed(`Workflow ${id} not found`),
  ContinueRejected: (error: ContinueRejected) => Effect.succeed(rejection(error)),
  FactoryError: factoryText,
  FactoryPermissionError: factoryText,
  FactoryValidationError: factoryText,
  RunNotFound: ({ run_id }: RunNotFound) => Effect.succeed(`Run ${run_id} not found`)
}

type Tag = keyof typeof runErrors
const isOverridden = (tag: Tag): tag is keyof typeof overrides => tag in overrides

/** An internal failure. The log has the cause under the id that the client has of the handshake. */
export const defectFrame = Effect.fnUntraced(function*(defect: unknown) {
  const request_id = yield* RequestId.current
  yield* Effect.annotateLogs(Effect.logError("A message of a socket could not be handled", defect), { request_id })
  return errorFrame(`The service failed to respond. Its log says more under request_id ${request_id}.`)
})

export const toFrame = (error: RunError): Effect.Effect<Frame> => {
  const text = isOverridden(error._tag) ? overrides[error._tag](error as never) : textOf(error)
  return Effect.map(text, errorFrame)
}
