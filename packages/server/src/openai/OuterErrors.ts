// Errors of requests that reach no handler of the API, such as a refused credential: its clients read only its body.
import * as Json from "@svc-runtime/domain/Json"
import * as OpenAiError from "@svc-runtime/protocols/openai/OpenAiError"
import { Effect, Option } from "effect"
import { HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"

const decoder = new TextDecoder()

/** Undefined for a body that has another form. */
const failureIn = ({ body, status }: HttpServerResponse.HttpServerResponse): OpenAiError.Failure | undefined => {
  const found = body._tag === "Uint8Array" ? Option.getOrUndefined(Json.parse(decoder.decode(body.body))) : undefined
  if (!Json.isObject(found)) return undefined
  const { detail, error_code, hint } = found
  return typeof detail === "string" && typeof error_code === "string"
    ? {
      code: error_code.toLowerCase(),
      message: typeof hint === "string" ? `${detail}. ${hint}` : detail,
      isRequest: status < 500
    }
    : undefined
}

/** Errors of requests below `prefix` with the body of the API. */
export const shaped = (prefix: string) => {
  const fixed = new Set(["models", "chat/completions", "responses"].map((path) => `${prefix}/${path}`))
  const isOfApi = ({ url }: HttpServerRequest.HttpServerRequest, status: number): boolean => {
    const [path = ""] = url.split("?")
    // an unknown path, or an unknown method of a path
    if (prefix !== "" && (status === 404 || status === 405) && `${path}/`.startsWith(`${prefix}/`)) return true
    return fixed.has(path) || path.startsWith(`${prefix}/models/`) || path.startsWith(`${prefix}/responses/`)
  }
  return <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(app, (response) =>
      response.status < 400 ? Effect.succeed(response) : Effect.map(
        HttpServerRequest.HttpServerRequest,
        (request) => {
          const failure = isOfApi(request, response.status) ? failureIn(response) : undefined
          return failure === undefined
            ? response
            : HttpServerResponse.setBody(response, HttpBody.jsonUnsafe(OpenAiError.bodyOf(failure)))
        }
      ))
}
