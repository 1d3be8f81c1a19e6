// Limits of the calls of a tool: their time, their number in a run and at once, their retries and the size of their
// results.
import { type Duration, Effect, Option, Schedule, Semaphore } from "effect"
import { type Effects, mayRepeat } from "../userCode/Effects.ts"
import { Mistake } from "../userCode/Mistake.ts"
import * as Validate from "../userCode/Validate.ts"

export interface Options {
  /** The timeout of an attempt of a call. Default: ten minutes. */
  readonly timeout?: Duration.Input | undefined
  /** Retries of a call that failed or timed out. Only for `read` and `idempotent` tools. Default: none. */
  readonly retries?: number | undefined
  /** The delay before a retry. Default: one second. */
  readonly delayBetweenRetries?: Duration.Input | undefined
  /** Each delay is twice as long as the one before. Default: false. */
  readonly exponentialBackoff?: boolean | undefined
  /** The number of calls that a process executes at once, of all runs. Others wait. Default: unlimited. */
  readonly concurrency?: number | undefined
  /** The number of calls in one run. Further ones are not executed, and the model reads why. Default: unlimited. */
  readonly maxCalls?: number | undefined
  /** A longer result is cut. Default: the limit of the service (TOOL_RESULT_MAX_BYTES), which counts in any case. */
  readonly maxResultBytes?: number | undefined
}

/** What happens to a call that is late. */
export interface Late<E> {
  /** Before it is interrupted. */
  readonly cancel: Effect.Effect<void>
  /** When it has been interrupted. */
  readonly failure: Effect.Effect<never, E>
}

export interface CallLimits {
  readonly timeout: Duration.Duration
  readonly maxCalls: number | undefined
  readonly maxResultBytes: number | undefined
  /** Executes a call within the limits. `mayHelp`: whether a retry after the error could succeed. */
  readonly around: <A, E>(
    call: Effect.Effect<A, E>,
    late: Late<E>,
    mayHelp: (error: E) => boolean
  ) => Effect.Effect<A, E>
}

const optional = (owner: string, name: "concurrency" | "maxCalls" | "maxResultBytes", value: number | undefined) =>
  value === undefined ? undefined : Validate.wholeNumber(owner, name, 1, value)

export const make = (owner: string, options: Options, effects: Effects): CallLimits => {
  const timeout = Validate.duration(owner, "timeout", options.timeout ?? "10 minutes")
  const delay = Validate.duration(owner, "delayBetweenRetries", options.delayBetweenRetries ?? "1 second")
  const retries = Validate.wholeNumber(owner, "retries", 0, options.retries ?? 0)
  if (retries > 0 && !mayRepeat(effects)) {
    throw new Mistake(`${owner}: retries would repeat its effect. Set effects to "read" or "idempotent"`)
  }
  const concurrency = optional(owner, "concurrency", options.concurrency)
  const permits = concurrency === undefined ? undefined : Semaphore.makeUnsafe(concurrency)
  const schedule = options.exponentialBackoff === true ? Schedule.exponential(delay) : Schedule.spaced(delay)
  return {
    timeout,
    maxCalls: optional(owner, "maxCalls", options.maxCalls),
    maxResultBytes: optional(owner, "maxResultBytes", options.maxResultBytes),
    around: (call, late, mayHelp) => {
      const isLate = Effect.as(Effect.andThen(Effect.sleep(timeout), late.cancel), Option.none<never>())
      const attempt = Effect.flatMap(
        Effect.raceFirst(Effect.asSome(call), isLate),
        (ended) => Option.isSome(ended) ? Effect.succeed(ended.value) : late.failure
      )
      // while it waits for a permit or for a retry, a call has none, and its timeout does not count
      const limited = permits === undefined ? attempt : permits.withPermits(1)(attempt)
      return retries === 0 ? limited : Effect.retry(limited, { schedule, times: retries, while: mayHelp })
    }
  }
}
