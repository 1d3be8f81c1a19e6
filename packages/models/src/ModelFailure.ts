// Reads the fields of a thrown value of a provider's client, without its class: the message, the HTTP status,
// the provider's own code, the headers and the reason of a broken connection. Clients of different versions throw
// different classes with the same fields, and error chunks of a stream are plain objects.
import { Option, Predicate } from "effect"

export interface Failure {
  readonly text: string
  readonly status: number | undefined
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  readonly retryable: boolean | undefined
}

export const contextWindow =
  /context[_ ](length|window)|maximum context|prompt is too long|too many (input )?tokens|input token count|exceeds? the (context|model'?s maximum)|string_above_max_length/i
export const contentPolicy = /content[_ ](policy|filter)|safety system|responsible[_ ]ai/i
export const badKey =
  /(incorrect|invalid|missing|expired) (api[ -]?key|x-api-key|authentication)|api[ -]?key (not valid|is missing|expired)/i
export const quota = /insufficient_quota|exceeded your current quota|billing|credit balance/i
const networkCode =
  /^(ECONN|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

export const property = (value: unknown, key: string): unknown =>
  Predicate.hasProperty(value, key) ? value[key] : undefined

export const text = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

export const oneLine = (value: string, limit = 400): string => {
  const line = value.replace(/\s+/g, " ").trim()
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line
}

export const messageOf = (cause: unknown): string =>
  text(cause) ?? text(property(cause, "message")) ?? text(property(property(cause, "error"), "message")) ?? ""

const codeOf = (cause: unknown): string =>
  [property(cause, "code"), property(cause, "type"), property(property(cause, "error"), "code")]
    .filter((value) => typeof value === "string" || typeof value === "number").join(" ")

/** The first error in the chain of causes with the reason why a connection failed. */
export const networkCause = (cause: unknown): unknown => {
  let current = cause
  for (let depth = 0; depth < 6 && current !== undefined; depth++) {
    const code = property(current, "code")
    if (typeof code === "string" && networkCode.test(code)) return current
    const errors = property(current, "errors")
    current = property(current, "cause") ?? (Array.isArray(errors) ? errors[0] : undefined)
  }
  return undefined
}

/** `fetch` waits five minutes for the headers of an answer, and as long between two pieces of its body. */
export const isTimeOut = (cause: unknown): boolean =>
  /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(text(property(cause, "code")) ?? "")

const connectCode =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

/** There was no connection, so nothing was sent. */
export const isUnconnected = (cause: unknown): boolean =>
  property(cause, "syscall") === "connect" || connectCode.test(text(property(cause, "code")) ?? "")

const statusFromCode = (code: string): number | undefined => {
  const explicit = /\b([45]\d\d)\b/.exec(code)
  if (explicit !== null) return Number(explicit[1])
  if (/rate_limit|insufficient_quota/.test(code)) return 429
  if (/authentication|invalid_api_key/.test(code)) return 401
  if (/permission/.test(code)) return 403
  if (/overloaded/.test(code)) return 529
  if (/server_error|api_error/.test(code)) return 500
  return undefined
}

const parsed = Option.liftThrowable((body: string): unknown => JSON.parse(body))

const bodyOf = (cause: unknown): unknown => {
  const body = property(cause, "responseBody")
  return typeof body === "string" ? Option.getOrUndefined(parsed(body)) : body
}

/** The error of an answer that has failed. Clients of the Responses format give it the status 400. */
const failedAnswer = (body: unknown): unknown =>
  property(body, "status") === "failed" ? property(body, "error") : undefined

export const analyse = (cause: unknown): Failure => {
  const data = property(cause, "data")
  const body = bodyOf(cause)
  const failed = failedAnswer(body)
  const code = `${codeOf(cause)} ${codeOf(failed ?? property(data, "error") ?? data)}`.trim()
  const status = failed === undefined ? property(cause, "statusCode") : undefined
  // the client of a gateway wraps the error that has them
  const headers = property(cause, "responseHeaders") ?? property(property(cause, "cause"), "responseHeaders")
  const retryable = property(cause, "isRetryable")
  return {
    // clients that expect an object show the name of the status instead
    text: text(property(body, "error")) ?? messageOf(cause),
    code,
    status: typeof status === "number" ? status : statusFromCode(code),
    headers: Predicate.isObject(headers) ? headers as Record<string, string> : {},
    retryable: typeof retryable === "boolean" ? retryable : undefined
  }
}
