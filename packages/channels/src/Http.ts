// Calls of the HTTP API of a platform. A failure is a `ChannelError` that says what to do, and has no secret: neither
// the URL, which can have one, nor the text of the platform without its secrets removed.
import * as Json from "@svc-runtime/domain/Json"
import { Option, Redacted } from "effect"
import type { Context, Delivery } from "./Adapter.ts"
import { ChannelError, type Reason } from "./ChannelError.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Undefined when the body is no JSON. */
  readonly body: Json.Value | undefined
}

/** What the platform says of a call that it refuses. */
export interface Problem {
  /** When left out, the status decides. */
  readonly reason?: Reason | undefined
  /** What it calls the problem, such as `channel_not_found`. */
  readonly text?: string | undefined
  /** Seconds, where it is not in the header `retry-after`. */
  readonly retryAfter?: number | undefined
}

/** The API of a platform. */
export interface Api {
  /** As people call the platform. */
  readonly platform: string
  /** They are removed from messages of errors. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Reads the body of a response: a platform can refuse with the status 200. Undefined: it has accepted. */
  readonly problemOf: (answer: Answer) => Problem | undefined
}

export interface Call {
  /** What the call does, for messages: `chat.postMessage`. */
  readonly name: string
  readonly url: string
  readonly method?: "DELETE" | "GET" | "PATCH" | "POST" | "PUT" | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** One of them, or none. */
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>> | undefined
  readonly body?: BodyInit | undefined
}

/** The most seconds that a platform can ask to wait. */
const maxRetryAfter = 3600

const maxText = 200

/** The text of a problem without secrets, in one line. */
const shown = (api: Api, text: string): string =>
  api.secrets.map(Redacted.value).filter((secret) => secret !== "")
    .reduce((text, secret) => text.replaceAll(secret, "…"), text)
    .replaceAll(/[\s\p{Cc}]+/gu, " ").slice(0, maxText)

/** The header is a number of seconds, or a date. */
const retryAfterOf = (headers: Headers): number | undefined => {
  const value = headers.get("retry-after")
  if (value === null) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return seconds
  const seen = Date.parse(headers.get("date") ?? "")
  const until = Date.parse(value)
  return Number.isNaN(until) || Number.isNaN(seen) ? undefined : (until - seen) / 1000
}

const reasonOf = (status: number): Reason => {
  if (status === 429) return "rate_limited"
  if (status === 401 || status === 403) return "unauthorized"
  return status === 408 || status >= 500 ? "temporary" : "permanent"
}

const errorOf = (api: Api, call: Call, answer: Answer, problem: Problem): ChannelError => {
  const reason = problem.reason ?? reasonOf(answer.status)
  const text = shown(api, problem.text ?? `status ${answer.status}`)
  const wait = problem.retryAfter ?? retryAfterOf(answer.headers) ?? 1
  return new ChannelError({
    reason,
    message: `${api.platform} refused ${call.name}: ${text}`,
    ...(reason === "rate_limited" && { retryAfter: Math.min(Math.max(wait, 0), maxRetryAfter) })
  })
}

const bodyOf = (call: Call): { readonly body?: BodyInit; readonly type?: string } => {
  if (call.json !== undefined) return { body: JSON.stringify(call.json), type: "application/json; charset=utf-8" }
  // fetch sets the type of a form itself
  if (call.form !== undefined) return { body: new URLSearchParams(call.form) }
  return call.body === undefined ? {} : { body: call.body }
}

/** The message of a failed request can have its URL, so its code stands for it. */
const codeOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string") {
    return /^\w{1,40}$/.test(cause.code) ? cause.code : "no response"
  }
  return error instanceof Error && error.name === "TimeoutError" ? "no response in time" : "no response"
}

const unreached = (api: Api, call: Call, error: unknown): ChannelError =>
  error instanceof ChannelError
    ? error
    : new ChannelError({
      reason: "temporary",
      message: `${api.platform} could not be reached for ${call.name}: ${codeOf(error)}`
    })

const parse = (bytes: Uint8Array): Json.Value | undefined => {
  if (bytes.length === 0) return undefined
  return Option.getOrUndefined(Option.filter(Json.parse(new TextDecoder().decode(bytes)), Json.isShallow))
}

const send = async (api: Api, call: Call, context: Context): Promise<Answer & { readonly bytes: Uint8Array }> => {
  const { body, type } = bodyOf(call)
  const headers = { accept: "application/json", ...(type !== undefined && { "content-type": type }), ...call.headers }
  try {
    const response = await context.fetch(call.url, {
      method: call.method ?? (body === undefined ? "GET" : "POST"),
      headers,
      redirect: "manual",
      signal: context.signal,
      ...(body !== undefined && { body })
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes, body: undefined }
  } catch (error) {
    throw unreached(api, call, error)
  }
}

const checked = (api: Api, call: Call, answer: Answer): Answer => {
  const problem = api.problemOf(answer)
  if (problem !== undefined) throw errorOf(api, call, answer, problem)
  if (answer.status < 200 || answer.status > 299) throw errorOf(api, call, answer, {})
  return answer
}

/**
 * Calls the platform and gives its answer. Throws `ChannelError` when it refuses or cannot be reached.
 *
 * @example
 * ```ts
 * const { body } = await Http.request(api, { name: "getMe", url: `${base}/getMe` }, context)
 * ```
 */
export const request = async (api: Api, call: Call, context: Context): Promise<Answer> => {
  const { bytes, ...answer } = await send(api, call, context)
  return checked(api, call, { ...answer, body: parse(bytes) })
}

/** The same for a call whose answer is an object. */
export const object = async (api: Api, call: Call, context: Context): Promise<Json.Object> => {
  const { body } = await request(api, call, context)
  if (Json.isObject(body)) return body
  throw new ChannelError({ reason: "temporary", message: `${api.platform} answered ${call.name} with no object` })
}

/**
 * The object in the body of a request of the platform. Throws `ChannelError` when it has none.
 *
 * @example
 * ```ts
 * const { text } = Http.objectIn(delivery)
 * ```
 */
export const objectIn = ({ body }: Delivery): Json.Object => {
  const value = parse(body)
  if (Json.isObject(value)) return value
  throw new ChannelError({ reason: "malformed", message: "The body of the request is no JSON object" })
}

/** An answer whose body is not read as JSON, unless the platform refuses. */
export const bytes = async (
  api: Api,
  call: Call,
  context: Context
): Promise<Answer & { readonly bytes: Uint8Array }> => {
  const answer = await send(api, { ...call, headers: { accept: "*/*", ...call.headers } }, context)
  const isRefused = answer.status < 200 || answer.status > 299
  if (isRefused) checked(api, call, { ...answer, body: parse(answer.bytes) })
  return answer
}

/** The bytes of a file. */
export const download = async (api: Api, call: Call, context: Context): Promise<Uint8Array> =>
  (await bytes(api, call, context)).bytes
