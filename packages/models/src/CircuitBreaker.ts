// Stops the requests to a provider that fails again and again, so that fallbacks are requested at once. It opens after
// `failures` in a row that lasted `period` at least: many runs at once can meet one short failure, which their retries
// outlast. While it is open, requests fail without being sent. After `pause`, or the delay that the provider gave with
// the failure, one request is sent: its answer closes the breaker, its failure begins another pause. Each node decides
// for itself.
//
// The breaker of `effect/persistence` does not fit. It has no rule for the time that failures last, a delay of the
// provider can only lengthen its pause, and its error has no number of failures, which ours names.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Cause, Duration, Effect, Exit } from "effect"
import type { AiError } from "effect/ai"
import * as ModelError from "./ModelError.ts"

export interface Options {
  /** Failures in a row after which it opens. Zero: never. Default: 10. */
  readonly failures?: number | undefined
  /** The time that they last at least. Default: 10 seconds. */
  readonly period?: Duration.Input | undefined
  /** How long no request is sent, if the provider gives no delay. Default: 30 seconds. */
  readonly pause?: Duration.Input | undefined
}

export const defaults = {
  failures: 10,
  period: Duration.seconds(10),
  pause: Duration.seconds(30)
} as const

/** The bounds of a delay that the provider gives: a wrong one must not stop requests for a day. */
const minDelay = 1000
const maxDelay = 600_000

export type CircuitBreaker = <A, R>(
  call: Effect.Effect<A, AiError.AiError, R>,
  source: ModelError.Source
) => Effect.Effect<A, AiError.AiError, R>

/** A provider that limits the rate, or refuses a request, has answered. */
const isFailure = ({ reason }: AiError.AiError): boolean =>
  reason._tag === "NetworkError" || reason._tag === "InternalProviderError"

const failureOf = <A>(exit: Exit.Exit<A, AiError.AiError>): AiError.AiError | undefined =>
  Exit.isSuccess(exit) ? undefined : exit.cause.reasons.find(Cause.isFailReason)?.error

const givenDelay = (error: AiError.AiError): number | undefined => {
  const given = ModelError.detailsOf(error)?.retry_after_millis
  return typeof given === "number" ? Math.min(Math.max(given, minDelay), maxDelay) : undefined
}

const annotated = (provider: string) => Effect.annotateLogs({ provider })

const make = (provider: string, options: Options): CircuitBreaker => {
  const most = options.failures ?? defaults.failures
  const period = Duration.toMillis(options.period ?? defaults.period)
  const pause = Duration.toMillis(options.pause ?? defaults.pause)
  let failures = 0
  let firstAt = 0
  /** The time at which an open circuit admits a probe. */
  let openUntil: number | undefined
  let isProbing = false
  let isObserved = false

  const answered = Effect.suspend(() => {
    const wasOpen = openUntil !== undefined
    failures = 0
    openUntil = undefined
    return wasOpen
      ? Effect.logWarning("Circuit closed: the model provider answers again").pipe(annotated(provider))
      : Effect.void
  })

  const failed = (error: AiError.AiError, isProbe: boolean) =>
    Effect.flatMap(Monotonic.millis, (now) => {
      const stopFor = givenDelay(error) ?? pause
      if (isProbe) openUntil = now + stopFor
      if (failures++ === 0) firstAt = now
      if (openUntil !== undefined || failures < most || now - firstAt < period) return Effect.void
      openUntil = now + stopFor
      return Effect.logWarning(
        `Circuit opened: the model provider is not requested for ${Duration.format(Duration.millis(stopFor))}`,
        ModelError.describe(error).message
      ).pipe(annotated(provider))
    })

  const observe = Effect.withFiber((fiber) => {
    isObserved = true
    const description = "Whether requests to the provider are stopped, because it fails"
    fiber.getRef(Instruments).observe(
      "svc_model_provider_stopped",
      description,
      () => openUntil === undefined ? 0 : 1,
      { provider }
    )
    return Effect.void
  })

  const send = <A, R>(call: Effect.Effect<A, AiError.AiError, R>, isProbe: boolean) =>
    Effect.onExit(call, (exit) => {
      if (isProbe) isProbing = false
      const error = failureOf(exit)
      if (error !== undefined && isFailure(error)) return failed(error, isProbe)
      // an interrupted request says nothing of the provider
      return Exit.isSuccess(exit) || error !== undefined ? answered : Effect.void
    }).pipe(
      Effect.mapError((error) => openUntil !== undefined && isFailure(error) ? ModelError.stopping(error) : error)
    )

  // an interruption between the decision for a probe and its end would leave the provider stopped
  return (call, source) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Monotonic.millis, (now) => {
        if (openUntil !== undefined && (isProbing || now < openUntil)) {
          return Effect.fail(ModelError.circuitOpen(source, failures, Math.max(0, openUntil - now)))
        }
        const isProbe = openUntil !== undefined
        if (isProbe) isProbing = true
        const sent = send(restore(call), isProbe)
        return isObserved ? sent : Effect.andThen(observe, sent)
      })
    )
}

const always: CircuitBreaker = (call) => call

/** Providers with a breaker. Code can name any number of them. */
const maxProviders = 100

/** One breaker for each provider. */
export const registry = (options: Options = {}): (provider: string) => CircuitBreaker => {
  const breakers = new Map<string, CircuitBreaker>()
  return (provider) => {
    if (options.failures === 0) return always
    const known = breakers.get(provider)
    if (known !== undefined) return known
    if (breakers.size >= maxProviders) return always
    const breaker = make(provider, options)
    breakers.set(provider, breaker)
    return breaker
  }
}
