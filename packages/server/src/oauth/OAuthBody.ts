// Reads the requests of the authorization server, and responds with its errors (RFC 6749 §5).
import { OAuthError } from "@svc-runtime/auth"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { errorResponse } from "@svc-runtime/http/middleware/ErrorResponses"
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest, HttpServerResponse } from "effect/http"

const largest = ByteSize.bytes(16 * 1024)

/** Responses with secrets, and about them. */
export const uncached = { "cache-control": "no-store", pragma: "no-cache" }

export const oauthErrorResponse = (
  error: string,
  description: string,
  status = error === "invalid_client" ? 401 : error === "temporarily_unavailable" ? 503 : 400
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ error, error_description: description }, { status, headers: uncached })

export const toResponse = <R>(
  effect: Effect.Effect<HttpServerResponse.HttpServerResponse, OAuthError | StorageUnavailable, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catchTags(effect, {
    OAuthError: ({ description, error }) => Effect.succeed(oauthErrorResponse(error, description)),
    StorageUnavailable: () =>
      Effect.succeed(errorResponse(503, "SERVICE_UNAVAILABLE", "The database does not reply at this moment"))
  })

const invalid = (description: string) => Effect.fail(new OAuthError({ error: "invalid_request", description }))

export const text = (request: HttpServerRequest.HttpServerRequest) =>
  request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, largest),
    Effect.catch(() => invalid("The body of the request cannot be read, or is too large"))
  )

/** Names and values. One name twice is ambiguous (RFC 6749 §3.1). */
export const fieldsOf = (parameters: URLSearchParams) => {
  const repeated = [...new Set(parameters.keys())].find((name) => parameters.getAll(name).length > 1)
  if (repeated !== undefined) return invalid(`The parameter ${repeated.slice(0, 100)} is there more than once`)
  // an empty parameter counts as none
  return Effect.succeed(new Map([...parameters].filter(([, value]) => value !== "")))
}

export type Fields = ReadonlyMap<string, string>

export const form = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase()
  if (type !== "application/x-www-form-urlencoded") {
    return yield* invalid("The body of the request is a form: application/x-www-form-urlencoded")
  }
  return yield* fieldsOf(new URLSearchParams(yield* text(request)))
})

export const required = (fields: Fields, name: string) => {
  const value = fields.get(name)
  return value === undefined ? invalid(`The parameter ${name} is missing`) : Effect.succeed(value)
}
