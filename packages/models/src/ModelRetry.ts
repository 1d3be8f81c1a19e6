// Retries model calls that failed for a transient reason, and limits the time without output. The delay is that of the
// provider, up to `maxDelay`; without one it doubles from `baseDelay` with jitter. A stream that has delivered a part
// of its answer is not retried, nor is a call that reached a time limit, because its caller has waited long enough.
import { Duration, Effect, Random } from "effect"
import type { AiError, Response } from "effect/ai"
import * as ModelError from "./ModelError.ts"
import type { TimeLimits } from "./ModelSettings.ts"
import { RequestOptions } from "./RequestOptions.ts"

export interface Options extends TimeLimits {
  /** The number of retries. Default: 3. */
  readonly retries?: number | undefined
  /** The delay before the first retry, if the provider gives none. Default: 500 milliseconds. */
  readonly baseDelay?: Duration.Input | undefined
  /** The maximum delay before a retry. Default: 60 seconds. */
  readonly maxDelay?: Duration.Input | undefined
  /** The time between two chunks of an answer that has begun. Default 60 seconds. */
  readonly idleTimeout?: Duration.Input | undefined
}

export interface Policy {
  readonly retries: number
  readonly baseDelay: Duration.Duration
  readonly maxDelay: Duration.Duration
  readonly startTimeout: Duration.Duration
  readonly idleTimeout: Duration.Duration
  readonly answerTimeout: Duration.Duration
}

export const policy = (options: Options = {}): Policy => ({
  retries: options.retries ?? 3,
  baseDelay: Duration.fromInputUnsafe(options.baseDelay ?? "500 millis"),
  maxDelay: Duration.fromInputUnsafe(options.maxDelay ?? "60 seconds"),
  startTimeout: Duration.fromInputUnsafe(options.startTimeout ?? "3 minutes"),
  idleTimeout: Duration.fromInputUnsafe(options.idleTimeout ?? "60 seconds"),
  answerTimeout: Duration.fromInputUnsafe(options.answerTimeout ?? "10 minutes")
})

/** The policy with the time limits of a request. */
export const limitedBy = (policy: Policy, { answerTimeout, startTimeout }: TimeLimits): Policy =>
  answerTimeout === undefined && startTimeout === undefined ? policy : {
    ...policy,
    answerTimeout: Duration.fromInputUnsafe(answerTimeout ?? policy.answerTimeout),
    startTimeout: Duration.fromInputUnsafe(startTimeout ?? policy.startTimeout)
  }

const delay = (error: AiError.AiError, attempt: number, policy: Policy): Effect.Effect<Duration.Duration> => {
  const requested = ModelError.detailsOf(error)?.retry_after_millis
  if (typeof requested === "number") return Effect.succeed(Duration.min(Duration.millis(requested), policy.maxDelay))
  return Effect.map(Random.next, (random) => {
    const ceiling = Duration.toMillis(policy.baseDelay) * 2 ** attempt
    return Duration.min(Duration.millis(ceiling * (0.75 + random * 0.5)), policy.maxDelay)
  })
}

/** Says that a request is sent again. */
export const warn = (
  error: AiError.AiError,
  { delay, model, provider, retry }: {
    readonly model: string
    readonly provider: string
    /** Its number. `attempt` of a line is that of the run. */
    readonly retry: number
    readonly delay: Duration.Duration
  }
): Effect.Effect<void> =>
  Effect.logWarning("Model request failed and is sent again", ModelError.describe(error).message).pipe(
    Effect.annotateLogs({
      model,
      provider,
      retry,
      delay: Duration.format(Duration.millis(Math.round(Duration.toMillis(delay))))
    })
  )

export interface EmptyAnswers {
  /** Counts how often the request is sent. */
  readonly sending: Effect.Effect<void>
  /** Fails for the first empty answer of a request, which is sent again then. Without a retry left it is the answer. */
  readonly again: (source: ModelError.Source, usage: Usage | undefined) => Effect.Effect<void, AiError.AiError>
  /** The usage of the answer, with that of the empty one. */
  readonly counted: (usage: Usage) => Usage
}

type Usage = Response.FinishPartEncoded["usage"]
type Counts = Usage["inputTokens"] | Usage["outputTokens"]

const sum = <C extends Counts>(one: C, other: C): C => {
  const added: Record<string, unknown> = { ...one }
  for (const [name, count] of Object.entries(other)) {
    if (typeof count === "number") added[name] = count + Number(added[name] ?? 0)
  }
  return added as C
}

/** Of one request. */
export const emptyAnswers = ({ retries }: Policy): EmptyAnswers => {
  let [sent, empty] = [0, 0]
  let spent: Usage | undefined
  return {
    sending: Effect.sync(() => void sent++),
    again: (source, usage) =>
      Effect.suspend(() => {
        if (empty++ > 0 || sent > retries) return Effect.void
        spent = usage
        return ModelError.emptyAnswer(source, true)
      }),
    counted: (usage) =>
      spent === undefined ? usage : {
        inputTokens: sum(usage.inputTokens, spent.inputTokens),
        outputTokens: sum(usage.outputTokens, spent.outputTokens)
      }
  }
}

/** The usage of empty answers is known. */
const tally = (error: AiError.AiError): Effect.Effect<void> =>
  error.reason._tag === "NetworkError" && ModelError.mayCost(error)
    ? Effect.map(RequestOptions, ({ onBrokenOff }) => onBrokenOff?.())
    : Effect.void

/** Retries `call` after transient failures, up to the number of retries. `again` is what is called then. */
export const retry = <A, R>(
  call: Effect.Effect<A, AiError.AiError, R>,
  policy: Policy,
  source: ModelError.Source,
  again: Effect.Effect<A, AiError.AiError, R> = call
): Effect.Effect<A, AiError.AiError, R> => {
  const from = (attempt: number, call: Effect.Effect<A, AiError.AiError, R>): Effect.Effect<A, AiError.AiError, R> =>
    Effect.catch(call, (error) =>
      attempt >= policy.retries || !ModelError.isRetryable(error)
        ? Effect.fail(error)
        : delay(error, attempt, policy).pipe(
          Effect.tap((delay) => Effect.andThen(tally(error), warn(error, { ...source, retry: attempt + 1, delay }))),
          Effect.flatMap(Effect.sleep),
          Effect.andThen(Effect.suspend(() => from(attempt + 1, again)))
        ))
  return from(0, call)
}

/** Fails `call` with a readable error when it takes longer than `limit`. */
export const limit = <A, R>(
  call: Effect.Effect<A, AiError.AiError, R>,
  limit: Duration.Duration,
  source: ModelError.Source,
  started: boolean
): Effect.Effect<A, AiError.AiError, R> =>
  Effect.timeoutOrElse(call, {
    duration: limit,
    orElse: () => Effect.fail(ModelError.timedOut(source, limit, started))
  })
