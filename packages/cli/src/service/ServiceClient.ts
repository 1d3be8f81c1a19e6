// Requests to the service that a command is about, derived from the endpoints of the API, with the credential and with
// errors that say what to do next. A response is used as it is: a service of another version may have more fields.
import { type Brand, Data, type Duration, Effect, Option, type Redacted, type Schema } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { isObject, type JsonObject, jsonOf, reasonOf } from "../calls/Exchange.ts"
import { CommandFailed } from "../CliError.ts"
import type { Descriptor } from "../discovery/Discovery.ts"
import * as FlagWords from "./FlagWords.ts"

export interface Service {
  readonly url: string
  readonly token: Redacted.Redacted | undefined
}

/** The service responded with an error. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly status: number
  readonly detail: string
  readonly retryAfter?: number | undefined
}> {}

/** The request did not reach the service, or its response broke off. */
export class NoResponse extends Data.TaggedError("NoResponse")<{ readonly message: string }> {}

/** The response is of something else, or the request does not match the API. */
export class Unexpected extends Data.TaggedError("Unexpected")<{ readonly message: string }> {}

export type Failure = Refused | NoResponse | Unexpected

const hints: Readonly<Record<number, string>> = {
  401: "Export a valid token as PLATFORM_ADMIN_TOKEN.",
  403: "Export a token with the scope as PLATFORM_ADMIN_TOKEN. An operator makes one with svc tokens create.",
  429: "Wait, and try again.",
  503: "Try again when svc status finds the service ready."
}

/** `action` is the subject of the sentence about the failure: `Listing sessions`. */
export const failed = (action: string) => (failure: Failure): CommandFailed => {
  switch (failure._tag) {
    case "Refused":
      return new CommandFailed({
        message: `${action} failed: ${failure.detail} (HTTP ${failure.status})`,
        hint: hints[failure.status],
        status: failure.status
      })
    case "NoResponse":
      return new CommandFailed({
        message: `${action} failed: ${failure.message}`,
        hint: "See whether it is up with svc status."
      })
    case "Unexpected":
      return new CommandFailed({ message: `${action} failed: ${failure.message}` })
  }
}

/** A client of the service that was found. */
export const of = Effect.fn("ServiceClient.of")(function*(found: Descriptor, given: AdminTarget.Given) {
  const service: Service = yield* AdminTarget.access(found, given, { secretResponse: false })
  return service
})

/** A client of the service that is found or given. */
export const open = Effect.fn("ServiceClient.open")(function*(given: AdminTarget.Given) {
  return yield* of(yield* AdminTarget.find(given), given)
})

type Endpoint = HttpApiEndpoint.Constraint & { readonly method: string; readonly path: string }

type Group = HttpApiGroup.Constraint & { readonly endpoints: Readonly<Record<string, Endpoint>> }

type EndpointName<G extends Group> = keyof G["endpoints"] & string

/** Ids are plain texts in a command. */
type Plain<Value> = Value extends Brand.Brand<infer _Name> ? Brand.Brand.Unbranded<Value> : Value

type Decoded<S> = S extends { readonly Type: infer A } ? A : never

type Fields<S> = S extends { readonly Type: infer T } ? { readonly [Name in keyof T]?: Plain<T[Name]> | undefined }
  : never

export interface Request<E> {
  readonly params?: E extends { readonly "~Params": infer S } ? Fields<S> : never
  readonly query?: E extends { readonly "~Query": infer S } ? Fields<S> : never
  readonly headers?: E extends { readonly "~Headers": infer S } ? Fields<S> : never
  readonly payload?: E extends { readonly "~Payload": infer S } ? Decoded<S> | FormData : never
}

/** The body of a response. */
export type Body<G extends Group, N extends EndpointName<G>> = Decoded<G["endpoints"][N]["~Success"]>

/** Loads a group of the API. Each command loads only the groups that it needs. */
type Load<G extends Group> = () => Promise<G>

const defined = (fields: object | undefined): object =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined))

const secondsOf = (text: string): number | undefined => /^\d+$/.test(text) ? Number(text) : undefined

const listOf = (value: Schema.Json | undefined): ReadonlyArray<JsonObject> =>
  (Array.isArray(value) ? value : []).filter(isObject)

/** What a decision lacks, or the problems. The detail is often the first of them. */
const textOf = (detail: string, errors: ReadonlyArray<JsonObject>): string => {
  const needed = errors.flatMap(({ needs }) => listOf(needs).flatMap((each) => FlagWords.of(each as never) ?? []))
  if (needed.length > 0) return needed.slice(0, 10).join("; ")
  const problems = errors.map(({ loc, msg }) =>
    `${Array.isArray(loc) ? loc.map(String).join(".") : ""}: ${String(msg)}`
  )
  return (problems.some((problem) => problem.endsWith(detail)) ? problems : [detail, ...problems]).join("; ")
}

const typeOf = ({ headers }: HttpClientResponse.HttpClientResponse): string =>
  headers["content-type"]?.split(";")[0]?.trim() ?? ""

const foreign = (url: string, response: HttpClientResponse.HttpClientResponse): string =>
  `${url} responded with ${typeOf(response) || "no content type"}. ${wrongUrl}`

const wrongUrl = "Is it the address of a service of Svc?"

const transient: ReadonlyArray<number> = [429, 502, 503, 504]

/** Each error of the service has a code. Other programs have paths of their own. */
const detailOf = (url: string, response: HttpClientResponse.HttpClientResponse, body: JsonObject): string => {
  const { detail, error_code } = body
  const isOfService = typeof error_code === "string" || transient.includes(response.status)
  if (typeof detail !== "string" || detail === "") {
    return isOfService ? `The service responded with status ${response.status}` : foreign(url, response)
  }
  return isOfService || response.status !== 404 ? detail : `${url}: ${detail}. ${wrongUrl}`
}

const refused = (url: string, response: HttpClientResponse.HttpClientResponse) =>
  Effect.map(Effect.orElseSucceed(response.text, () => ""), (text) => {
    const body = Option.getOrUndefined(jsonOf({ status: response.status, headers: response.headers, text }))
    const fields = isObject(body) ? body : {}
    return new Refused({
      status: response.status,
      detail: textOf(detailOf(url, response, fields), listOf(fields["errors"])),
      retryAfter: secondsOf(response.headers["retry-after"] ?? "")
    })
  })

/** A proxy, or a site at the same address, has responded. */
const unexpected = (url: string, response: HttpClientResponse.HttpClientResponse) =>
  new Refused({
    status: response.status,
    detail: foreign(url, response)
  })

const explained = (url: string) => (error: HttpClientError.HttpClientError | Schema.SchemaError): Failure =>
  error._tag === "SchemaError"
    ? new Unexpected({ message: `The request is invalid: ${error.message}` })
    : new NoResponse({ message: `No response from ${url}: ${reasonOf(error, "0 seconds")}` })

/** A response of the given media type. Its body is not read. */
export const send = Effect.fnUntraced(function*<G extends Group, N extends EndpointName<G>>(
  service: Service,
  load: Load<G>,
  endpoint: N,
  type: "application/json" | "text/event-stream",
  request: Request<G["endpoints"][N]>
) {
  const group = yield* Effect.promise(load)
  const { path } = group.endpoints[endpoint] as Endpoint
  const values: Readonly<Record<string, unknown>> = { ...(request.params as object | undefined) }
  const url = `${service.url}${path.replace(/:(\w+)/g, (_, name: string) => String(values[name]))}`
  const { derived } = yield* Effect.promise(() => import("./Endpoint.ts"))
  const call = yield* derived(service, group, endpoint)
  const { headers, params, payload, query } = request
  const response = yield* call({
    params: defined(params),
    query: defined(query),
    headers: defined(headers),
    ...(payload === undefined ? {} : { payload }),
    responseMode: "response-only"
  }).pipe(Effect.mapError(explained(url)))
  if (response.status < 200 || response.status >= 300) return yield* (yield* refused(url, response))
  if (typeOf(response) !== type && response.status !== 204) return yield* unexpected(url, response)
  return { response, cut: explained(url) }
})

/** The text of the response to any request. */
export const fetched = Effect.fn("ServiceClient.fetched")(function*(
  service: Service,
  request: HttpClientRequest.HttpClientRequest
) {
  const client = yield* HttpClient.HttpClient
  const authorized = service.token === undefined ? request : HttpClientRequest.bearerToken(request, service.token)
  const response = yield* Effect.mapError(client.execute(authorized), explained(request.url))
  if (response.status < 200 || response.status >= 300) return yield* (yield* refused(request.url, response))
  return yield* Effect.mapError(response.text, explained(request.url))
})

/** Seconds. A service that asks for a longer pause is not asked again. */
const maxRetryDelay = 60

export const isTransient = (failure: Failure): boolean =>
  failure._tag === "NoResponse" ||
  (failure._tag === "Refused" && transient.includes(failure.status) && (failure.retryAfter ?? 0) <= maxRetryDelay)

/** The delay that the service asks for; otherwise a longer one with each attempt. */
export const retryDelay = (attempt: number, failure?: Failure): Duration.Input =>
  failure?._tag === "Refused" && failure.retryAfter !== undefined
    ? `${failure.retryAfter} seconds`
    : `${Math.min(200 * 2 ** attempt, 5000)} millis`

const maxRetries = 2

/** Repeats a request after a transient failure. */
export const repeated = <A, R>(request: Effect.Effect<A, Failure, R>, attempt = 0): Effect.Effect<A, Failure, R> =>
  Effect.catch(request, (failure) =>
    attempt < maxRetries && isTransient(failure)
      ? Effect.andThen(Effect.sleep(retryDelay(attempt, failure)), repeated(request, attempt + 1))
      : Effect.fail(failure))

/**
 * The body of the response of an endpoint. Reads are repeated after transient failures, and so are requests with an
 * idempotency key.
 */
export const read = <G extends Group, N extends EndpointName<G>>(
  service: Service,
  load: Load<G>,
  endpoint: N,
  request: Request<G["endpoints"][N]> = {}
): Effect.Effect<Body<G, N>, Failure, HttpClient.HttpClient> =>
  Effect.gen(function*() {
    const { method } = (yield* Effect.promise(load)).endpoints[endpoint] as Endpoint
    const once = Effect.gen(function*() {
      const { cut, response } = yield* send(service, load, endpoint, "application/json", request)
      const text = yield* Effect.mapError(response.text, cut)
      if (text === "") return undefined
      return yield* Effect.fromOption(jsonOf({ status: response.status, headers: response.headers, text })).pipe(
        Effect.mapError(() => new Unexpected({ message: "The response is no JSON" }))
      )
    })
    const isRepeated = method === "GET" || "idempotency-key" in (request.headers ?? {})
    return (yield* isRepeated ? repeated(once) : once) as Body<G, N>
  })

/** Like `read`. `action` is the subject of the sentence about a failure: `Listing sessions`. */
export const call = <G extends Group, N extends EndpointName<G>>(
  service: Service,
  action: string,
  load: Load<G>,
  endpoint: N,
  request: Request<G["endpoints"][N]> = {}
): Effect.Effect<Body<G, N>, CommandFailed, HttpClient.HttpClient> =>
  Effect.mapError(read(service, load, endpoint, request), failed(action))
