// Routes that the author of a service adds. Each one declares the scope that it needs, like the service's own routes.
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import type { ScopeName } from "@svc-runtime/api/RequiredScope"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import type * as Principal from "@svc-runtime/domain/Principal"
import { type AnySchema, authored, type Infer, type Shape } from "@svc-runtime/engine/schema/AnySchema"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { isJson } from "@svc-runtime/http/forms/JsonBody"
import { errorResponse } from "@svc-runtime/http/middleware/ErrorResponses"
import * as WireResponse from "@svc-runtime/http/wire/WireResponse"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Method, methods } from "./DeclaredRoute.ts"
import type { Route } from "./EffectRoutes.ts"
import * as RouteDocument from "./RouteDocument.ts"

export { api, layer, requires, type Route, type Scopes } from "./EffectRoutes.ts"

type Names<Path extends string> = Path extends `${infer Segment}/${infer Rest}` ? Names<Segment> | Names<Rest>
  : Path extends `:${infer Name}` ? Name
  : never

export interface Call<Path extends string, Body> {
  readonly params: { readonly [Name in Names<Path>]: string }
  readonly query: URLSearchParams
  /** Their names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if the route has no `body`. */
  readonly body: Body
  /** Undefined: the credential of the caller names no user. */
  readonly userId: Ids.UserId | undefined
  /** The caller: the kind of the credential, its scopes and claims, and whether it sees only its own data. */
  readonly principal: Principal.Principal
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
}

export interface Options<Path extends `/${string}`, S> {
  /** The method of HTTP. */
  readonly method: Method
  /** `:name` is a parameter. A path may end with `/*`. It must not be a path of the service itself. */
  readonly path: Path
  /** The scope that a request needs, such as `orders:read`. `none`: any authenticated caller. */
  readonly scope: ScopeName
  /**
   * Whether tokens that are limited to a session may call it. The handler must then touch nothing of other sessions
   * than `principal.session_id`. Default: false.
   */
  readonly admitsSessionTokens?: boolean | undefined
  /** For the document of the API. */
  readonly summary?: string | undefined
  /** For the document of the API. Default: none. */
  readonly description?: string | undefined
  /** The schema of a body in JSON: Effect Schema, or any Standard Schema. A body that does not match gets 422. */
  readonly body?: S | undefined
  /**
   * Returns a value, a promise or an Effect. A `Response` or an `HttpServerResponse` is sent as it is, and everything
   * else as JSON; undefined is 204. What it throws is logged once, and the response is 500.
   */
  readonly handle: (call: Call<Path, S extends AnySchema ? Infer<S> : undefined>) => UserCode.Returned<unknown>
}

const kinds: AuthorOptions.Kinds<keyof Options<"/", undefined>> = {
  method: "text",
  path: "text",
  scope: "any",
  admitsSessionTokens: "flag",
  summary: "text",
  description: "text",
  body: "any",
  handle: "function"
}

const codes: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  422: "VALIDATION_ERROR",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_SERVER_ERROR",
  501: "NOT_IMPLEMENTED",
  503: "SERVICE_UNAVAILABLE"
}

/** An error in the shape that the service's own routes have. A handler can return or throw it. */
export const failure = (status: number, detail: string): HttpServerResponse.HttpServerResponse =>
  errorResponse(status, codes[status] ?? (status < 500 ? "BAD_REQUEST" : "INTERNAL_SERVER_ERROR"), detail)

const responseOf = (value: unknown): HttpServerResponse.HttpServerResponse => {
  if (HttpServerResponse.isHttpServerResponse(value)) return value
  if (value instanceof Response) return HttpServerResponse.fromWeb(value)
  return value === undefined ? HttpServerResponse.empty() : HttpServerResponse.jsonUnsafe(value)
}

const notJson = Errors.invalid([{ loc: ["body"], msg: "JSON decode error", type: "json_invalid" }])

const bodyOf = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest, shape: Shape<unknown>) {
  if (!isJson(request)) {
    return yield* Errors.unsupportedMediaType("Send the body as JSON, with the header 'Content-Type: application/json'")
  }
  const given = yield* Effect.catchIf(
    request.json,
    ({ reason }) => !("reason" in reason) || reason.reason !== "BodyTooLarge",
    () => notJson
  )
  const refusal = Json.refusalOf(given as Json.Value)
  if (refusal !== undefined) return yield* Errors.invalid([{ loc: ["body"], ...refusal }])
  return yield* Effect.mapError(
    shape.decode(given),
    ({ issues }) =>
      Errors.invalid(issues.map(({ message, path }) => ({ loc: ["body", ...path], msg: message, type: "value_error" })))
  )
})

const handlerOf = <Path extends `/${string}`, S>({ body, handle }: Options<Path, S>) => {
  const shape = body === undefined ? undefined : authored(body as AnySchema)
  return Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const principal = yield* CurrentPrincipal
    const call = {
      params: yield* HttpRouter.params,
      query: new URL(request.url, "http://route").searchParams,
      headers: request.headers,
      body: shape === undefined ? undefined : yield* bodyOf(request, shape),
      userId: principal.user_id,
      principal
    }
    const value = yield* Effect.catch(
      UserCode.call((signal) => handle({ ...call, signal } as never)),
      // the outermost layer logs it and responds
      ({ cause }) => Effect.die(cause)
    )
    return responseOf(value)
  }).pipe(Effect.catchTags({
    Invalid: (error) => Effect.succeed(WireResponse.of(error)),
    UnsupportedMediaType: (error) => Effect.succeed(WireResponse.of(error))
  }))
}

/**
 * A route with a function for its requests. Its scope is checked before the function is called.
 *
 * ```ts
 * import { Route, serve } from "@svc-runtime/server"
 *
 * const orders = [{ id: "o1", user: "ana", cents: 1200 }]
 *
 * serve({
 *   routes: [
 *     Route.make({
 *       method: "GET",
 *       path: "/orders/:order_id",
 *       scope: "orders:read",
 *       handle: ({ params, userId }) =>
 *         orders.find(({ id, user }) => id === params.order_id && user === userId) ??
 *           Route.failure(404, "Order not found")
 *     })
 *   ]
 * })
 * ```
 */
export const make = <const Path extends `/${string}`, const S extends AnySchema | undefined = undefined>(
  options: Options<Path, S>
): Route => {
  AuthorOptions.check("Route", options, kinds)
  const { admitsSessionTokens, method, path, scope } = options
  const owner = `The route ${String(method)} ${String(path)}`
  if (path === undefined) throw new Mistake("A route has no path. Give it one, such as /orders/:order_id")
  if (!path.startsWith("/")) throw new Mistake(`${owner} must begin with /. Write path: "/${String(path)}"`)
  if (!methods.includes(method)) {
    const meant = methods.find((each) => each === String(method).toUpperCase())
    throw new Mistake(
      `${owner} has a method that cannot be added. ${
        meant === undefined ? `The methods are ${methods.join(", ")}` : `Write method: "${meant}"`
      }`
    )
  }
  if (scope === undefined) {
    throw new Mistake(
      `${owner} has no scope. Write the one that a request needs, such as "orders:read", or "none" for each ` +
        "authenticated caller"
    )
  }
  if (options.handle === undefined) throw new Mistake(`${owner} has no handle`)
  const handler = handlerOf(options)
  return {
    _tag: "Route",
    declared: [{ method, path, scope, admitsSessionTokens }],
    layer: HttpRouter.add(method, path, handler),
    document: () => RouteDocument.ofRoute(options)
  }
}
