// The errors of the run service as errors of a tool, by their tag. Most have the text of HTTP.
import type { ComponentNotFound } from "@svc-runtime/agents/runService/RunServiceErrors"
import { Errors } from "@svc-runtime/api"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import * as McpTool from "@svc-runtime/http/mcpTool/McpTool"
import { type RunError, runErrors, type WireError } from "@svc-runtime/http/wire/runErrors"
import { Effect } from "effect"

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
