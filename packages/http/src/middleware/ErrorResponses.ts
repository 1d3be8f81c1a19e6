// The outermost layer of every request: it gives all remaining failures the common error shape. The log has the
// cause under the id that the caller gets. The response never has it.
import { Errors, type ServiceApi } from "@svc-runtime/api"
import { fromSchemaError } from "@svc-runtime/domain/schema/ValidationProblems"
import { NewId } from "@svc-runtime/engine/NewId"
import { Cause, Effect } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiError } from "effect/http-api"
import type { ProtocolRoute } from "../authorization/ProtocolRoute.ts"
import { ofEndpoint } from "../authorization/RoutePattern.ts"
import * as RequestRecord from "../logging/RequestRecord.ts"
import { mcpPath } from "../Settings.ts"
import * as NearRoute from "./NearRoute.ts"
import * as RetryAfter from "./RetryAfter.ts"

// The methods of a path, from the API and the protocols: the router does not report them when no route matches.

interface Route extends NearRoute.Route {
  readonly pattern: RegExp
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** The path is in the syntax of the router. */
const routeOf = ({ method, path }: { readonly method: string; readonly path: string }): Route => {
  const segments = ofEndpoint(path)
  const patterns = segments.map((segment) =>
    "name" in segment ? "[^/]+" : segment.literal === "*" ? ".*" : escape(segment.literal)
  )
  return { method, segments, pattern: new RegExp(`^/${patterns.join("/")}/?$`) }
}

const tablesOfProtocols = new WeakMap<ReadonlyArray<ProtocolRoute>, ReadonlyArray<Route>>()

const ofProtocols = (served: ReadonlyArray<ProtocolRoute>): ReadonlyArray<Route> => {
  const found = tablesOfProtocols.get(served) ?? served.map(routeOf)
  tablesOfProtocols.set(served, found)
  return found
}

const tablesOfApis = new WeakMap<ServiceApi.AnyApi, ReadonlyArray<Route>>()

const ofApi = (api: ServiceApi.AnyApi): ReadonlyArray<Route> => {
  const table = tablesOfApis.get(api)
  if (table !== undefined) return table
  const found: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      found.push(routeOf(endpoint))
    }
  })
  tablesOfApis.set(api, found)
  return found
}

/** The pages that are served beside the API. */
const docs = /^\/(openapi\.json|docs|docs\/oauth2-redirect|redoc)\/?$/

const mcp = new RegExp(`^${mcpPath}/?$`)

interface Served {
  readonly api: ServiceApi.AnyApi
  readonly docs: boolean
  readonly mcp: boolean
  readonly protocols: ReadonlyArray<ProtocolRoute>
  /** Those of the author. */
  readonly added: ReadonlyArray<ProtocolRoute>
}

const ownRoutes = ({ api, protocols }: Served): ReadonlyArray<Route> => [...ofApi(api), ...ofProtocols(protocols)]

const routesOf = (served: Served): ReadonlyArray<Route> => [...ownRoutes(served), ...ofProtocols(served.added)]

const allowedMethods = (url: string, served: Served): ReadonlyArray<string> => {
  const path = url.split("?")[0] ?? url
  if (served.docs && docs.test(path)) return ["GET"]
  if (served.mcp && mcp.test(path)) return ["POST", "DELETE"]
  const all = routesOf(served).filter(({ pattern }) => pattern.test(path))
  return [...new Set(all.map(({ method }) => method))]
}

const body = (status: number, value: object, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe(value, { status, headers })

export const errorResponse = (status: number, error_code: string, detail: string, headers?: Record<string, string>) =>
  body(status, { detail, error_code }, headers)

const bodyTooLarge = errorResponse(413, "PAYLOAD_TOO_LARGE", "The body of the request is too large")

const isParseError = (error: unknown): error is HttpServerError.HttpServerError & {
  readonly reason: HttpServerError.RequestParseError
} => HttpServerError.isHttpServerError(error) && error.reason._tag === "RequestParseError"

export const invalidResponse = (problems: Parameters<typeof Errors.invalid>[0]) => {
  const { detail, error_code, errors } = Errors.invalid(problems)
  return body(422, { detail, error_code, errors })
}

/** Without documents, callers do not learn the routes of the author. */
const hintFor = ({ method, url }: HttpServerRequest.HttpServerRequest, served: Served): string | undefined => {
  const near = NearRoute.of(method, url, served.docs ? routesOf(served) : ownRoutes(served))
  if (near === undefined && !served.docs) return undefined
  return [
    `There is no route ${method} ${NearRoute.shown(url)}.`,
    ...(near === undefined ? [] : [`Did you mean ${near}?`]),
    ...(served.docs ? ["GET /docs lists all routes."] : [])
  ].join(" ")
}

/** Clients compare the text of `detail`: the rest is beside it. */
const unknownRoute = (request: HttpServerRequest.HttpServerRequest, served: Served) => {
  const hint = hintFor(request, served)
  return body(404, { detail: "Not Found", error_code: "NOT_FOUND", ...(hint === undefined ? {} : { hint }) })
}

const notRouted = (request: HttpServerRequest.HttpServerRequest, served: Served) => {
  const methods = allowedMethods(request.url, served)
  // The method is allowed, so the path is invalid, for example because it is not text.
  const isKnown = methods.includes(request.method === "HEAD" ? "GET" : request.method)
  if (isKnown) return errorResponse(404, "NOT_FOUND", "Not Found")
  return methods.length === 0
    ? unknownRoute(request, served)
    : errorResponse(405, "METHOD_NOT_ALLOWED", "Method Not Allowed", { allow: methods.join(", ") })
}

/** Undefined: an internal failure. */
const known = (error: unknown, request: HttpServerRequest.HttpServerRequest, served: Served) => {
  if (isParseError(error)) {
    return error.reason.reason === "BodyTooLarge"
      ? bodyTooLarge
      : errorResponse(400, "BAD_REQUEST", "The body of the request cannot be read")
  }
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
    return notRouted(request, served)
  }
  if (HttpApiError.HttpApiSchemaError.is(error) && error.kind !== "Body") {
    return invalidResponse(fromSchemaError("query", error.cause))
  }
  return undefined
}

const internal = Effect.fnUntraced(
  function*(cause: Cause.Cause<unknown>, request: HttpServerRequest.HttpServerRequest) {
    const request_id = RequestRecord.of(request)?.id ?? (yield* NewId)()
    yield* Effect.annotateLogs(Effect.logError("A request failed", cause), {
      request_id,
      method: request.method,
      path: request.url.split("?")[0]
    })
    return body(500, {
      detail: `The service failed to respond. Its log says more under request_id ${request_id}.`,
      error_code: "INTERNAL_SERVER_ERROR",
      request_id
    })
  }
)

const isClientAbort = (reason: Cause.Reason<unknown>): boolean =>
  reason._tag === "Interrupt" && reason.annotations.has(HttpServerError.ClientAbort.key)

const interrupted = errorResponse(
  503,
  "SERVICE_UNAVAILABLE",
  "The service stopped or interrupted the request. What the request began may be stored: read it before you repeat it."
)

const isJson = (response: HttpServerResponse.HttpServerResponse) =>
  response.headers["content-type"]?.includes("json") ?? false

/** Responses that the library gives by itself, in its own words. */
const normalize = (
  response: HttpServerResponse.HttpServerResponse,
  request: HttpServerRequest.HttpServerRequest
) => {
  if ((response.status === 429 || response.status === 503) && response.headers["retry-after"] === undefined) {
    return HttpServerResponse.setHeader(response, "retry-after", RetryAfter.of(request))
  }
  if (response.status < 400 || isJson(response)) return response
  switch (response.status) {
    case 413:
      return bodyTooLarge
    case 415:
      return errorResponse(
        415,
        "BAD_REQUEST",
        "Send the body as JSON, with the header 'Content-Type: application/json'"
      )
    default:
      return response
  }
}

export const errorResponses = (served: Served) =>
<E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
  app.pipe(
    Effect.flatMap((response) =>
      response.status < 400
        ? Effect.succeed(response)
        : Effect.map(HttpServerRequest.HttpServerRequest, (request) => normalize(response, request))
    ),
    Effect.catchCause((cause) =>
      Effect.gen(function*() {
        const isInterrupted = Cause.hasInterruptsOnly(cause)
        if (isInterrupted && cause.reasons.some(isClientAbort)) return yield* Effect.failCause(cause)
        const request = yield* HttpServerRequest.HttpServerRequest
        if (isInterrupted) return normalize(interrupted, request)
        for (const reason of cause.reasons) {
          const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
          if (HttpServerResponse.isHttpServerResponse(error)) return normalize(error, request)
          const response = known(error, request, served)
          if (response !== undefined) return response
        }
        return yield* internal(cause, request)
      })
    )
  )
