// The limits of a run of an agent: seconds of execution and tokens. They are checked before each request to a model,
// and a request ends when the time is over. Tool calls have time limits of their own and are not interrupted.
import { Duration, Effect, Schema } from "effect"
import type { Agent } from "./Agent.ts"
import type { RunRecorder } from "./RunRecorder.ts"

export class RunLimitReached extends Schema.TaggedError<RunLimitReached>()("RunLimitReached", {
  message: Schema.String
}) {}

const timedOut = (limit: Duration.Duration) =>
  new RunLimitReached({ message: `The run has reached its time limit of ${Duration.format(limit)} (runTimeout)` })

const outOfTokens = (limit: number) =>
  new RunLimitReached({ message: `The run has reached its limit of ${limit} tokens (tokenLimit)` })

/** A request to a model within what is left of the limits. */
export const limited = <A, E, R>(
  { runTimeout, tokenLimit }: Agent,
  recorder: RunRecorder,
  request: Effect.Effect<A, E, R>
): Effect.Effect<A, E | RunLimitReached, R> =>
  runTimeout === undefined && tokenLimit === undefined ? request : Effect.suspend(() => {
    if (tokenLimit !== undefined && (recorder.usage.total_tokens ?? 0) >= tokenLimit) {
      return Effect.fail(outOfTokens(tokenLimit))
    }
    if (runTimeout === undefined) return request
    const remaining = Duration.toSeconds(runTimeout) - recorder.elapsed()
    if (remaining <= 0) return Effect.fail(timedOut(runTimeout))
    return Effect.timeoutOrElse(request, {
      duration: Duration.seconds(remaining),
      orElse: () => Effect.fail(timedOut(runTimeout))
    })
  })
