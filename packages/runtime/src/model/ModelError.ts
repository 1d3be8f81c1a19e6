// Turns whatever a model call can fail with into an `AiError` whose message is safe to show, and an `AiError` into the
// line and the type that a run reports. Nothing of the request (body, headers, keys) survives the conversion, and the
// original error is dropped on purpose: it carries all of them. What a caller or a retry needs to know beside the
// reason is kept under `metadata.svc`.
import { Clock, Duration, Effect, Predicate } from "effect"
import type { Redacted } from "effect"
import { AiError } from "effect/ai"
import { redact } from "./Redaction.ts"
import { parseRetryAfter } from "./RetryAfter.ts"

/** Who was asked. `secrets` are removed wherever the provider repeats them. */
export interface Source {
  readonly provider: string
  readonly model: string
  readonly method: "generateText" | "streamText"
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
}

/** What is kept under `metadata.svc` of a reason. */
export interface Details {
  readonly message: string
  readonly retryable: boolean
  readonly status: number | null
  readonly retry_after_millis: number | null
}

export interface Description {
  readonly message: string
  readonly error_type: "model_provider_error" | "model_authentication_error"
}

interface Failure {
  readonly text: string
  readonly status: number | undefined
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  readonly retryable: boolean | undefined
}

const contextWindow =
  /context[_ ](length|window)|maximum context|prompt is too long|too many (input )?tokens|input token count|exceeds? the (context|model'?s maximum)|string_above_max_length/i
const contentPolicy = /content[_ ](policy|filter)|safety system|responsible[_ ]ai/i
const badKey = /(incorrect|invalid|missing|expired) (api[ -]?key|x-api-key|authentication)|api[ -]?key (not valid|is missing|expired)/i
const quota = /insufficient_quota|exceeded your current quota|billing|credit balance/i
const networkCode =
  /^(ECONN|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

const property = (value: unknown, key: string): unknown => Predicate.hasProperty(value, key) ? value[key] : undefined

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

const oneLine = (value: string, limit = 400): string => {
  const line = value.replace(/\s+/g, " ").trim()
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line
}

const messageOf = (cause: unknown): string =>
  text(cause) ?? text(property(cause, "message")) ?? text(property(property(cause, "error"), "message")) ?? ""

const codeOf = (cause: unknown): string =>
  [property(cause, "code"), property(cause, "type"), property(property(cause, "error"), "code")]
    .filter((value) => typeof value === "string" || typeof value === "number").join(" ")

/** The first error in the chain of causes that says why a connection failed. */
const networkCause = (cause: unknown): unknown => {
  let current = cause
  for (let depth = 0; depth < 6 && current !== undefined; depth++) {
    const code = property(current, "code")
    if (typeof code === "string" && networkCode.test(code)) return current
    const errors = property(current, "errors")
    current = property(current, "cause") ?? (Array.isArray(errors) ? errors[0] : undefined)
  }
  return undefined
}

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

const analyse = (cause: unknown): Failure => {
  const data = property(cause, "data")
  const code = `${codeOf(cause)} ${codeOf(property(data, "error") ?? data)}`.trim()
  const status = property(cause, "statusCode")
  const headers = property(cause, "responseHeaders")
  const retryable = property(cause, "isRetryable")
  return {
    text: messageOf(cause),
    code,
    status: typeof status === "number" ? status : statusFromCode(code),
    headers: Predicate.isObject(headers) ? headers as Record<string, string> : {},
    retryable: typeof retryable === "boolean" ? retryable : undefined
  }
}

const retryableStatus = (status: number): boolean =>
  status === 408 || status === 409 || status === 429 || status >= 500

const make = (source: Source, reason: AiError.AiErrorReason): AiError.AiError =>
  AiError.make({ module: source.provider, method: source.method, reason })

const details = (message: string, retryable: boolean, status?: number, retryAfter?: number) => ({
  metadata: {
    svc: { message, retryable, status: status ?? null, retry_after_millis: retryAfter ?? null } satisfies Details
  }
})

const network = (source: Source, message: string): AiError.AiError =>
  make(
    source,
    new AiError.NetworkError({ reason: "TransportError", method: "POST", url: source.provider, description: message })
  )

const unreadable = (source: Source, message: string, status?: number): AiError.AiError =>
  make(source, new AiError.InvalidResponseError({ description: message, ...details(message, false, status) }))

const fromStatus = (failure: Failure, status: number, source: Source, said: string, now: number): AiError.AiError => {
  const { model, provider } = source
  const all = `${failure.code} ${failure.text}`
  const suffix = said === "" ? "" : `: ${said}`
  const describe = (sentence: string) => `${sentence} (${status})${suffix}`
  if (status === 401 || (status < 500 && badKey.test(all))) {
    const message = describe(`${provider} refused the API key`)
    return make(source, new AiError.AuthenticationError({ kind: "InvalidKey", ...details(message, false, status) }))
  }
  if (status === 403) {
    const message = describe(`${provider} denied access to ${model}`)
    const kind = "InsufficientPermissions" as const
    return make(source, new AiError.AuthenticationError({ kind, ...details(message, false, status) }))
  }
  if (status === 402 || ((status === 429 || status === 400) && quota.test(all))) {
    const message = describe(`The quota at ${provider} is used up`)
    return make(source, new AiError.QuotaExhaustedError(details(message, false, status)))
  }
  const retryAfter = parseRetryAfter(failure.headers, now)
  if (status === 429) {
    const wait = retryAfter === undefined ? "" : ` Retry after ${Duration.format(Duration.millis(retryAfter))}.`
    const message = describe(`${provider} is limiting the rate of requests`) + wait
    return make(
      source,
      new AiError.RateLimitError({
        ...(retryAfter === undefined ? {} : { retryAfter: Duration.millis(retryAfter) }),
        ...details(message, true, status, retryAfter)
      })
    )
  }
  if (retryableStatus(status)) {
    const message = describe(`${provider} failed`)
    const kept = details(message, failure.retryable !== false || status >= 500, status, retryAfter)
    return make(source, new AiError.InternalProviderError({ description: message, ...kept }))
  }
  if (status < 400) return unreadable(source, `${provider} sent an answer that cannot be read${suffix}`, status)
  if (contentPolicy.test(all)) {
    const message = describe(`${provider} refused the content`)
    return make(source, new AiError.ContentPolicyError({ description: message, ...details(message, false, status) }))
  }
  const sentence = contextWindow.test(all)
    ? `The input is longer than the context window of ${model}`
    : status === 404
    ? `${provider} does not know the model ${model}`
    : `${provider} rejected the request`
  const message = describe(sentence)
  return make(source, new AiError.InvalidRequestError({ description: message, ...details(message, false, status) }))
}

const malformed: Readonly<Record<string, string>> = {
  AI_JSONParseError: "malformed JSON",
  AI_TypeValidationError: "unexpected shape",
  AI_EmptyResponseBodyError: "empty body",
  AI_NoContentGeneratedError: "no content"
}

/** `now` is needed to read a `Retry-After` that is a date. */
export const fromUnknown = (cause: unknown, source: Source, now: number): AiError.AiError => {
  if (AiError.isAiError(cause)) return cause
  const { provider } = source
  const name = text(property(cause, "name")) ?? ""
  const causeName = text(property(property(cause, "cause"), "name")) ?? ""
  const failure = analyse(cause)
  const said = oneLine(redact(failure.text, source.secrets))
  // The messages of these quote what was received, which is long and not meant for the caller.
  const why = malformed[name] ?? malformed[causeName]
  if (why !== undefined) return unreadable(source, `${provider} sent an answer that cannot be read (${why})`)
  const broken = networkCause(cause)
  if (failure.status !== undefined && (broken === undefined || failure.status >= 400)) {
    return fromStatus(failure, failure.status, source, said, now)
  }
  if (broken !== undefined && failure.status !== undefined) return interrupted(source)
  if (broken !== undefined || name === "TypeError" || name === "AbortError" || failure.retryable === true) {
    const reason = oneLine(redact(messageOf(broken ?? cause), source.secrets)) || said
    return network(source, `${provider} cannot be reached: ${reason}`)
  }
  if (name === "AI_LoadAPIKeyError" || badKey.test(failure.text)) {
    const message = `${provider} refused the API key: ${said}`
    return make(source, new AiError.AuthenticationError({ kind: "Unknown", ...details(message, false) }))
  }
  if (name === "AI_UnsupportedFunctionalityError" || name === "AI_InvalidArgumentError" || name === "AI_InvalidPromptError") {
    const message = `${provider} does not support this input: ${said}`
    return make(source, new AiError.InvalidRequestError({ description: message, ...details(message, false) }))
  }
  if (contextWindow.test(`${failure.code} ${failure.text}`)) return fromStatus(failure, 400, source, said, now)
  if (name === "AI_InvalidResponseDataError") {
    return unreadable(source, `${provider} sent an answer that cannot be read: ${said}`)
  }
  const message = said === "" ? `${provider} failed for an unknown reason` : `${provider} failed: ${said}`
  return make(source, new AiError.InternalProviderError({ description: message, ...details(message, false) }))
}

/** Fails with `cause` as an `AiError`. */
export const fail = (cause: unknown, source: Source): Effect.Effect<never, AiError.AiError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(fromUnknown(cause, source, now)))

/** The connection ended before the answer did. */
export const interrupted = (source: Source): AiError.AiError =>
  network(source, `The connection to ${source.provider} broke off before the answer of ${source.model} was complete`)

export const emptyAnswer = (source: Source): AiError.AiError =>
  unreadable(source, `${source.provider} ended the answer of ${source.model} without any content`)

export const timedOut = (source: Source, limit: Duration.Duration, started: boolean): AiError.AiError => {
  const time = Duration.format(limit)
  const message = started
    ? `${source.provider} sent nothing more of the answer of ${source.model} for ${time}`
    : `${source.provider} did not answer with ${source.model} within ${time}`
  return make(source, new AiError.InternalProviderError({ description: message, ...details(message, false) }))
}

/** What `fromUnknown` kept, when it made the error. */
export const detailsOf = (error: AiError.AiError): Details | undefined =>
  property(property(error.reason, "metadata"), "svc") as Details | undefined

export const isRetryable = (error: AiError.AiError): boolean =>
  detailsOf(error)?.retryable ?? (error.reason._tag === "NetworkError" && error.reason.isRetryable)

const fallback = (error: AiError.AiError): string => {
  const reason = error.reason
  switch (reason._tag) {
    case "NetworkError":
      return reason.description ?? `${error.module} cannot be reached`
    case "InvalidOutputError":
    case "StructuredOutputError":
      return "The model sent an answer that does not have the expected shape"
    default:
      return reason.message
  }
}

/** The line and the type of a failed model call as a run reports them. */
export const describe = (error: AiError.AiError): Description => ({
  message: oneLine(redact(detailsOf(error)?.message ?? fallback(error)), 600),
  error_type: error.reason._tag === "AuthenticationError" ? "model_authentication_error" : "model_provider_error"
})
