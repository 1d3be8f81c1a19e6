// Errors of the wire in the body of the API.
import * as WireResponse from "@svc-runtime/http/wire/WireResponse"
import * as OpenAiError from "@svc-runtime/protocols/openai/OpenAiError"
import { Data, Effect } from "effect"
import { HttpServerResponse } from "effect/http"

/** A request that does not fit its schema is a bad request there. */
const statusOf = (error: WireResponse.WireError): number => {
  const status = WireResponse.statusOf(error)
  return status === 422 ? 400 : status
}

const response = (status: number, failure: OpenAiError.Failure, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe(OpenAiError.bodyOf(failure), { status, headers })

/** An error that only this API has. */
export class OpenAiFailed extends Data.TaggedError("OpenAiFailed")<{
  readonly status: number
  readonly failure: OpenAiError.Failure
  readonly headers?: Readonly<Record<string, string>>
}> {
  /**
   * Of a run that has ended. Its tools may have had effects, and clients execute a request again by themselves: some
   * after each status but 400, the official ones also by this header.
   */
  static readonly ofRun = (failure: OpenAiError.Failure) =>
    new OpenAiFailed({ status: 400, failure, headers: { "x-should-retry": "false" } })
}

export const notFound = (code: string, message: string, param?: string) =>
  new OpenAiFailed({
    status: 404,
    failure: { code, message, isRequest: true, ...(param === undefined ? {} : { param }) }
  })

/** Clients are often configured with the name of a provider's model. */
export const noModel = (model: string) =>
  notFound(
    "model_not_found",
    `The model '${model}' does not exist. Models are agents, teams and workflows by their ids. GET /models at the same base address lists them`
  )

export const badRequest = (message: string, code = "invalid_request") =>
  new OpenAiFailed({ status: 400, failure: { code, message, isRequest: true } })

export const unsupported = (param: string) =>
  new OpenAiFailed({
    status: 400,
    failure: {
      code: "unsupported_parameter",
      message: `\`${param}\` is not supported here, or not with this value`,
      param,
      isRequest: true
    }
  })

const codeOf = (error: WireResponse.WireError): string =>
  "error_code" in error && typeof error.error_code === "string" ? error.error_code.toLowerCase() : "server_error"

export const orError = <E extends WireResponse.WireError | OpenAiFailed, R>(
  responding: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catch(responding, (error: WireResponse.WireError | OpenAiFailed) => {
    if (error instanceof OpenAiFailed) return Effect.succeed(response(error.status, error.failure, error.headers))
    const status = statusOf(error)
    return Effect.succeed(response(status, { code: codeOf(error), message: error.detail, isRequest: status < 500 }))
  })
