// The errors of the run service as errors of a tool, by their tag. Most have the text of HTTP.
import { Errors } from "@svc/api"
import * as ComponentKind from "@svc/domain/ComponentKind"
import type { ContinueRejected } from "@svc/runtime/run/ContinueRejected"
import type { ComponentNotFound } from "@svc/runtime/runService/RunServiceErrors"
import { Effect } from "effect"
import { type RunError, runErrors, type WireError } from "../../handlers/componentRuns/runErrors.ts"
import * as McpTool from "../../mcpTool/McpTool.ts"

const overrides = {
  ComponentNotFound: ({ id, kind }: ComponentNotFound) =>
    Effect.fail(Errors.notFound(`${ComponentKind.descriptions[kind].label} ${id} not found`)),
  ContinueRejected: (error: ContinueRejected) =>
    error.cause === undefined
      ? runErrors.ContinueRejected(error)
      : Effect.fail(McpTool.validationText(`arguments.${error.field}`)(error.cause))
}

const toolErrors = { ...runErrors, ...overrides }

type ToolError<E extends RunError> = WireError<E> | McpTool.ToolRejected

export const toToolError = <E extends RunError>(error: E): Effect.Effect<never, ToolError<E>> => {
  const translate: (error: never) => unknown = toolErrors[error._tag]
  return translate(error as never) as Effect.Effect<never, ToolError<E>>
}
