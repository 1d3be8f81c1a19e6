// Converts all failures of model calls to an `AiError` with a message that is safe to show, and an `AiError` to the
// message and the type of a failed run. The original error is dropped, because it contains the body, the headers and
// the keys of the request. Further details for callers and retries are in `metadata.svc`.
import { redact } from "@svc-runtime/telemetry/Redaction"
import { Clock, DateTime, Duration, Effect, Option, type Redacted } from "effect"
import { AiError } from "effect/ai"
import * as ModelFailure from "./ModelFailure.ts"
import { oneLine, property, text } from "./ModelFailure.ts"

// Reads the delay that a provider requests: `retry-after-ms` in milliseconds, or `retry-after` in seconds or as a date.

/** Milliseconds from `now`, never negative. Undefined if the headers have no valid value. */
export const parseRetryAfter = (headers: Readonly<Record<string, string>>, now: number): number | undefined => {
  const millis = Number(headers["retry-after-ms"] || "none")
  if (Number.isFinite(millis)) return Math.max(0, millis)
  const value = headers["retry-after"]?.trim()
  if (value === undefined || value === "") return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  return Option.match(DateTime.make(value), {
    onNone: () => undefined,
    onSome: (at) => Math.max(0, DateTime.toEpochMillis(at) - now)
  })
}

/** The provider and the model of a call. `secrets` are removed from the texts of the provider. */
export interface Source {
  readonly provider: string
  readonly model: string
  readonly method: "embedMany" | "generateText" | "streamText"
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
}

/** The details in `metadata.svc` of a reason. */
export interface Details {
  readonly message: string
  readonly retryable: boolean
  readonly status: number | null
  readonly retry_after_millis: number | null
  /** The provider has not answered in time. */
  readonly timed_out?: true
  /** It was not sent, because of what it may cost. */
  readonly is_too_expensive?: true
  /** Requests to the provider are stopped: this one was not sent, or it failed and is not sent again. */
  readonly circuit_open?: true
  /** It was sent, and not refused: its provider may charge it. */
  readonly may_cost?: true
  /** The prompt is longer than what the model takes. */
  readonly too_long?: true
}

export interface Description {
  readonly message: string
  readonly error_type: "model_provider_error" | "model_authentication_error" | "budget_error"
}

const retryableStatus = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500

const make = (source: Source, reason: AiError.AiErrorReason): AiError.AiError =>
  AiError.make({ module: source.provider, method: source.method, reason })

const details = (message: string, retryable: boolean, status?: number, retryAfter?: number) => ({
  metadata: {
    svc: { message, retryable, status: status ?? null, retry_after_millis: retryAfter ?? null } satisfies Details
  }
})

/** The cause of an error whose request was not sent. */
const notSent = "The request was not sent"

const network = (source: Source, message: string, isSent = true): AiError.AiError =>
  make(
    source,
    new AiError.NetworkError({
      reason: "TransportError",
      method: "POST",
      url: source.provider,
      description: message,
      ...(isSent ? {} : { cause: notSent })
    })
  )

const unanswered = (
  source: Source,
  message: string,
  why: Pick<Details, "circuit_open" | "timed_out">
): AiError.AiError => {
  const { metadata: { svc } } = details(message, false)
  const metadata = { svc: { ...svc, ...why } }
  return make(source, new AiError.InternalProviderError({ description: message, metadata }))
}

const unreadable = (source: Source, message: string, status?: number): AiError.AiError =>
  make(source, new AiError.InvalidResponseError({ description: message, ...details(message, false, status) }))

const fromStatus = (
  failure: ModelFailure.Failure,
  status: number,
  source: Source,
  reported: string,
  now: number
): AiError.AiError => {
  const { model, provider } = source
  const all = `${failure.code} ${failure.text}`
  const suffix = reported === "" ? "" : `: ${reported}`
  const describe = (sentence: string) => `${sentence} (${status})${suffix}`
  if (status === 401 || (status < 500 && ModelFailure.badKey.test(all))) {
    const message = describe(`${provider} refused the API key`)
    return make(source, new AiError.AuthenticationError({ kind: "InvalidKey", ...details(message, false, status) }))
  }
  if (status === 403) {
    const message = describe(`${provider} denied access to ${model}`)
    const kind = "InsufficientPermissions" as const
    return make(source, new AiError.AuthenticationError({ kind, ...details(message, false, status) }))
  }
  if (status === 402 || ((status === 429 || status === 400) && ModelFailure.quota.test(all))) {
    const message = describe(`The quota at ${provider} is used up`)
    return make(source, new AiError.QuotaExhaustedError(details(message, false, status)))
  }
  const retryAfter = parseRetryAfter(failure.headers, now)
  if (status === 429) {
    const limited = describe(`${provider} is limiting the rate of requests`)
    const message = retryAfter === undefined
      ? limited
      : `${limited.replace(/[^.?!]$/, "$&.")} Retry after ${Duration.format(Duration.millis(retryAfter))}.`
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
  if (ModelFailure.contentPolicy.test(all)) {
    const message = describe(`${provider} refused the content`)
    return make(source, new AiError.ContentPolicyError({ description: message, ...details(message, false, status) }))
  }
  const isLong = ModelFailure.contextWindow.test(all)
  const sentence = isLong
    ? `The input is longer than the context window of ${model}`
    : status === 404
    ? `${provider} does not know the model ${model}`
    : `${provider} rejected the request`
  const message = describe(sentence)
  const { metadata: { svc } } = details(message, false, status)
  const metadata = { svc: { ...svc, ...(isLong ? { too_long: true } as const : {}) } }
  return make(source, new AiError.InvalidRequestError({ description: message, metadata }))
}

/** The messages of fetch without a reason. */
const fetchFailed = /^(fetch failed|failed to fetch|terminated)$/i

const malformed: Readonly<Record<string, string>> = {
  AI_JSONParseError: "malformed JSON",
  AI_TypeValidationError: "unexpected shape",
  AI_EmptyResponseBodyError: "empty body",
  AI_NoContentGeneratedError: "no content",
  ResponseTooLarge: "too large"
}

const mediaTypeIn = /\bmedia ?type:? "?([\w.+-]+\/[\w.+-]+)/i

/** `what` is in the words of the provider's client. */
const unsupported = ({ model, provider }: Source, what: string): string => {
  const mediaType = mediaTypeIn.exec(what)?.[1]
  if (mediaType === undefined) return `${provider} does not support this input: ${what}`
  const instead = /^(image|audio|video)\//.test(mediaType)
    ? "send it in another format"
    : "send its text or a PDF, or add the file to the knowledge of the agent"
  return `${model} of ${provider} does not read files of type ${mediaType}: ${instead}`
}

/** `now` is needed to read a `Retry-After` that is a date. */
export const fromUnknown = (cause: unknown, source: Source, now: number): AiError.AiError => {
  if (AiError.isAiError(cause)) return cause
  const { provider } = source
  const name = text(property(cause, "name")) ?? ""
  const causeName = text(property(property(cause, "cause"), "name")) ?? ""
  const failure = ModelFailure.analyse(cause)
  const reported = oneLine(redact(failure.text, source.secrets))
  // The messages of these errors contain the received text, which is long and must not be shown.
  const why = malformed[name] ?? malformed[causeName]
  if (why !== undefined) return unreadable(source, `${provider} sent an answer that cannot be read (${why})`)
  const broken = ModelFailure.networkCause(cause)
  if (failure.status !== undefined && (broken === undefined || failure.status >= 400)) {
    return fromStatus(failure, failure.status, source, reported, now)
  }
  if (broken !== undefined && ModelFailure.isTimeOut(broken)) {
    const message = `${provider} did not answer with ${source.model} in time: ${ModelFailure.messageOf(broken)}`
    return unanswered(source, message, { timed_out: true })
  }
  if (broken !== undefined && failure.status !== undefined) return interrupted(source)
  if (broken !== undefined || name === "AbortError" || failure.retryable === true || fetchFailed.test(failure.text)) {
    const reason = oneLine(redact(ModelFailure.messageOf(broken ?? cause), source.secrets)) || reported
    return network(source, `${provider} cannot be reached: ${reason}`, !ModelFailure.isUnconnected(broken))
  }
  if (name === "AI_LoadAPIKeyError" || ModelFailure.badKey.test(failure.text)) {
    const message = `${provider} refused the API key: ${reported}`
    return make(source, new AiError.AuthenticationError({ kind: "Unknown", ...details(message, false) }))
  }
  if (
    name === "AI_UnsupportedFunctionalityError" || name === "AI_InvalidArgumentError" ||
    name === "AI_InvalidPromptError"
  ) {
    const message = unsupported(source, text(property(cause, "functionality")) ?? reported)
    return make(source, new AiError.InvalidRequestError({ description: message, ...details(message, false) }))
  }
  if (ModelFailure.contextWindow.test(`${failure.code} ${failure.text}`)) {
    return fromStatus(failure, 400, source, reported, now)
  }
  if (name === "AI_InvalidResponseDataError") {
    return unreadable(source, `${provider} sent an answer that cannot be read: ${reported}`)
  }
  const message = reported === "" ? `${provider} failed for an unknown reason` : `${provider} failed: ${reported}`
  return make(source, new AiError.InternalProviderError({ description: message, ...details(message, false) }))
}

/** Fails with `cause` as an `AiError`. */
export const fail = (cause: unknown, source: Source): Effect.Effect<never, AiError.AiError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(fromUnknown(cause, source, now)))

/** The connection ended before the answer did. */
export const interrupted = (source: Source): AiError.AiError =>
  network(source, `The connection to ${source.provider} broke off before the answer of ${source.model} was complete`)

export const emptyAnswer = (source: Source, isRetryable = false): AiError.AiError => {
  const message = `${source.provider} ended the answer of ${source.model} without any content`
  return make(source, new AiError.InvalidResponseError({ description: message, ...details(message, isRetryable) }))
}

/** The model has written calls of tools that the provider could not read, although it was informed. */
export const unreadableCalls = (source: Source): AiError.AiError =>
  unreadable(source, `A call of a tool that ${source.model} wrote could not be read by ${source.provider}`)

export const unusableVectors = (source: Source): AiError.AiError =>
  unreadable(source, `${source.provider} did not give one vector of the same length for each text (${source.model})`)

/** The thrown value is only logged. */
export const defect = (source: Source): AiError.AiError => {
  const message = `${source.provider} failed`
  return make(source, new AiError.InternalProviderError({ description: message, ...details(message, false) }))
}

export const timedOut = (source: Source, limit: Duration.Duration, started: boolean): AiError.AiError => {
  const time = Duration.format(limit)
  const message = started
    ? `${source.provider} sent nothing more of the answer of ${source.model} for ${time}`
    : `${source.provider} did not answer with ${source.model} within ${time}`
  return unanswered(source, message, { timed_out: true })
}

/** Requests to the provider are stopped for `millis`, after `failures` in a row. */
export const circuitOpen = (source: Source, failures: number, millis: number): AiError.AiError => {
  const time = Duration.format(Duration.seconds(Math.max(1, Math.ceil(millis / 1000))))
  const message = `${source.provider} has failed ${failures} times in a row, and is not requested for another ${time}`
  return unanswered(source, message, { circuit_open: true })
}

/** A failure after which requests to the provider are stopped. */
export const stopping = (error: AiError.AiError): AiError.AiError => {
  const { message } = describe(error)
  const own = detailsOf(error) ?? details(message, false).metadata.svc
  const cost = mayCost(error) ? { may_cost: true } as const : {}
  const metadata = { svc: { ...own, ...cost, retryable: false, circuit_open: true } satisfies Details }
  const reason = new AiError.InternalProviderError({ description: message, metadata })
  return AiError.make({ module: error.module, method: error.method, reason })
}

/** Of a request that is not sent, because of what it may cost. */
export const tooExpensive = (model: { readonly provider: string }, message: string): AiError.AiError => {
  const { metadata: { svc } } = details(message, false)
  const metadata = { svc: { ...svc, is_too_expensive: true } satisfies Details }
  return AiError.make({
    module: model.provider,
    method: "generateText",
    reason: new AiError.QuotaExhaustedError({ metadata })
  })
}

/** The details that `fromUnknown` stored in the error. */
export const detailsOf = (error: AiError.AiError): Details | undefined =>
  property(property(error.reason, "metadata"), "svc") as Details | undefined

export const isRetryable = (error: AiError.AiError): boolean =>
  detailsOf(error)?.retryable ?? (error.reason._tag === "NetworkError" && error.reason.isRetryable)

/** The caller has waited for a whole time limit. */
export const isTimeOut = (error: AiError.AiError): boolean => detailsOf(error)?.timed_out === true

export const isTooLong = (error: AiError.AiError): boolean => detailsOf(error)?.too_long === true

export const isCircuitOpen = (error: AiError.AiError): boolean => detailsOf(error)?.circuit_open === true

/**
 * Whether the provider may charge a request that failed. One that it refused, and one that was not sent, cost nothing.
 */
export const mayCost = (error: AiError.AiError): boolean => {
  const { may_cost, status = null, timed_out } = detailsOf(error) ?? {}
  if (may_cost === true || timed_out === true) return true
  if (status !== null && status >= 400) return false
  switch (error.reason._tag) {
    case "NetworkError":
      return error.reason.cause !== notSent
    case "InvalidOutputError":
    case "InvalidResponseError":
    case "StructuredOutputError":
      return true
    default:
      return false
  }
}

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
  error_type: detailsOf(error)?.is_too_expensive === true
    ? "budget_error"
    : error.reason._tag === "AuthenticationError"
    ? "model_authentication_error"
    : "model_provider_error"
})
