// One request and the text of its response, whatever its status, for services that may be older or of another kind.
// Nothing is retried. The timeout applies to the start of the response and again to its body.
import * as Json from "@svc-runtime/domain/Json"
import { type Cause, Data, Duration, Effect, Option, type Schema } from "effect"
import { type Headers, HttpClient, type HttpClientError, type HttpClientRequest } from "effect/http"

/** No response. */
export class Unreachable extends Data.TaggedError("Unreachable")<{
  readonly url: string
  readonly reason: string
  /** The client itself refuses the request, such as one whose header has a line break. */
  readonly isRequestInvalid: boolean
}> {
  override get message() {
    return `Could not reach ${this.url}: ${this.reason}`
  }
}

export interface Reply {
  readonly status: number
  readonly headers: Headers.Headers
  readonly text: string
}

/** The innermost cause: `connect ECONNREFUSED 127.0.0.1:7777` instead of `fetch failed`. */
const innermost = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined && error.cause !== error) return innermost(error.cause)
  // several addresses of one host were tried
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0])
  return error.message.trim()
}

export const reasonOf = (error: HttpClientError.HttpClientError | Cause.TimeoutError, limit: Duration.Input): string =>
  error._tag === "TimeoutError"
    ? `no response within ${Duration.format(Duration.fromInputUnsafe(limit))}`
    : innermost(error)

const isRequestInvalid = (error: HttpClientError.HttpClientError | Cause.TimeoutError): boolean =>
  error._tag === "HttpClientError" && (error.reason._tag === "EncodeError" || error.reason._tag === "InvalidUrlError")

export const exchange = Effect.fn("Exchange.exchange")(function*(
  request: HttpClientRequest.HttpClientRequest,
  limit: Duration.Input
): Effect.fn.Return<Reply, Unreachable, HttpClient.HttpClient> {
  const client = yield* HttpClient.HttpClient
  const unreachable = Effect.mapError((error: HttpClientError.HttpClientError | Cause.TimeoutError) =>
    new Unreachable({ url: request.url, reason: reasonOf(error, limit), isRequestInvalid: isRequestInvalid(error) })
  )
  const response = yield* client.execute(request).pipe(Effect.timeout(limit), unreachable)
  const text = yield* response.text.pipe(Effect.timeout(limit), unreachable)
  return { status: response.status, headers: response.headers, text }
})

/** The body as JSON, if it is JSON. */
export const jsonOf = ({ text }: Reply): Option.Option<Schema.Json> => Json.parse(text)

export type JsonObject = { readonly [key: string]: Schema.Json }

export const isObject = (value: Schema.Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const objectOf = (reply: Reply): Option.Option<JsonObject> => Option.filter(jsonOf(reply), isObject)
