// Requests to a service with a credential, whose refusals are errors with the text of the service. Older and other
// implementations are supported.
import { Data, type Duration, Effect, Option, type Redacted } from "effect"
import { Headers, HttpClientRequest } from "effect/http"
import { exchange, isObject, jsonOf, type Reply, type Unreachable } from "./Exchange.ts"

/** The address and the credential. */
export interface Access {
  readonly url: string
  readonly token?: Redacted.Redacted | undefined
}

/** 401 or 403. */
export class CredentialRejected extends Data.TaggedError("CredentialRejected")<{
  readonly status: number
  readonly detail: string
}> {}

/** Any other unsuccessful response. */
export class CallFailed extends Data.TaggedError("CallFailed")<{
  readonly status: number
  readonly detail: string
  /** Seconds after which the service wants to be called again. */
  readonly retryAfter?: number | undefined
}> {}

export type Failure = Unreachable | CredentialRejected | CallFailed

/** The text of a refusal: its detail, or the first invalid field. */
export const detailOf = (reply: Reply): string => {
  const body = Option.getOrUndefined(jsonOf(reply))
  const detail = isObject(body) ? body["detail"] : undefined
  const hint = isObject(body) ? body["hint"] : undefined
  if (typeof detail === "string" && detail !== "") return typeof hint === "string" ? `${detail}. ${hint}` : detail
  const first = Array.isArray(detail) ? detail[0] : undefined
  const message = isObject(first) ? first["msg"] : undefined
  if (!isObject(first) || typeof message !== "string") return `HTTP ${reply.status}`
  const at = Array.isArray(first["loc"]) ? ` (at ${first["loc"].map(String).join(".")})` : ""
  return `${message}${at}`
}

/** Dates are not read: services send seconds. */
const retryAfterOf = ({ headers }: Reply): number | undefined => {
  const seconds = Option.map(Headers.get(headers, "retry-after"), Number)
  return Option.getOrUndefined(Option.filter(seconds, (seconds) => Number.isFinite(seconds) && seconds >= 0))
}

export const call = Effect.fnUntraced(function*(
  { token }: Access,
  request: HttpClientRequest.HttpClientRequest,
  { expected, limit }: { readonly expected: ReadonlyArray<number>; readonly limit: Duration.Input }
) {
  const reply = yield* exchange(
    token === undefined ? request : HttpClientRequest.bearerToken(request, token),
    limit
  )
  if (expected.includes(reply.status)) return reply
  const refusal = { status: reply.status, detail: detailOf(reply) }
  if (reply.status === 401 || reply.status === 403) return yield* new CredentialRejected(refusal)
  return yield* new CallFailed({ ...refusal, retryAfter: retryAfterOf(reply) })
})
