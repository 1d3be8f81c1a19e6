// The limits of a run of an agent: seconds of execution and tokens. They are checked before each request to a model,
// and a request or a hook ends when the time is over. Tool calls have time limits of their own and are not interrupted.
import type * as Usage from "@svc-runtime/domain/Usage"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import { Duration, Effect, Schema } from "effect"
import type { Agent } from "../define/Agent.ts"

export class RunLimitReached extends Schema.TaggedError<RunLimitReached>()("RunLimitReached", {
  message: Schema.String
}) {}

const timedOut = (limit: Duration.Duration) =>
  new RunLimitReached({ message: `The run has reached its time limit of ${Duration.format(limit)} (runTimeout)` })

const outOfTokens = (limit: number) =>
  new RunLimitReached({ message: `The run has reached its limit of ${limit} tokens (tokenLimit)` })

interface Clocked {
  /** Seconds of execution. */
  readonly elapsed: () => number
}

/** A hook, or a request, within what is left of the time. */
export const inTime = <A, E, R>(
  { runTimeout }: Pick<Agent, "runTimeout">,
  { elapsed }: Clocked,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | RunLimitReached, R> =>
  runTimeout === undefined ? effect : Effect.suspend(() => {
    const remaining = Duration.toSeconds(runTimeout) - elapsed()
    if (remaining <= 0) return Effect.fail(timedOut(runTimeout))
    return ModelRequests.within(effect, Duration.seconds(remaining), () => Effect.fail(timedOut(runTimeout)))
  })

/** A request to a model within what is left of the limits. */
export const limited = <A, E, R>(
  agent: Pick<Agent, "runTimeout" | "tokenLimit">,
  recorder: Clocked & { readonly usage: Usage.Counters },
  request: Effect.Effect<A, E, R>
): Effect.Effect<A, E | RunLimitReached, R> => {
  const { tokenLimit } = agent
  const inside = inTime(agent, recorder, request)
  return tokenLimit === undefined ?
    inside :
    Effect.suspend(() =>
      (recorder.usage.total_tokens ?? 0) >= tokenLimit ? Effect.fail(outOfTokens(tokenLimit)) : inside
    )
}
