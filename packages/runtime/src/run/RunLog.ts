// The log lines of a run: its start, on the request that starts it, and its end, which is counted too. All lines
// between have its ids.
import * as AnyRun from "@svc/domain/AnyRun"
import { Instruments } from "@svc/telemetry/Instruments"
import { Effect } from "effect"
import type { AcquiredRun } from "./Execution.ts"

const annotationsOf = ({ attempt, request: { session_id }, run_id, runnable: { component } }: AcquiredRun) => ({
  part: "runs",
  run_id,
  session_id,
  attempt,
  [`${component.kind}_id`]: component.id
})

const messageOf = ({ continuedFrom, isWaiting }: AcquiredRun): string => {
  if (isWaiting) return "A run waits for an earlier run of its session"
  return continuedFrom === undefined ? "A run starts" : "A run is resumed"
}

export const started = (taken: AcquiredRun, user_id: string | undefined): Effect.Effect<void> => {
  const user = user_id === undefined ? {} : { user_id }
  return Effect.annotateLogs(Effect.logInfo(messageOf(taken)), { ...annotationsOf(taken), ...user })
}

/** Counters that are zero are left out. */
const tokensOf = (output: AnyRun.Output) => {
  const { cost, input_tokens, output_tokens, total_tokens } = AnyRun.usageOf(output)
  return {
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...(output_tokens === undefined ? {} : { output_tokens }),
    ...(total_tokens === undefined ? {} : { total_tokens }),
    ...(cost === undefined ? {} : { cost })
  }
}

const ended = Effect.fnUntraced(
  function*({ runnable: { component } }: AcquiredRun, output: AnyRun.Output, millis: number) {
    const { status } = output
    const usage = tokensOf(output)
    const { cost = 0, input_tokens = 0, output_tokens = 0 } = usage
    const end = { inputTokens: input_tokens, outputTokens: output_tokens, cost, seconds: millis / 1000 }
    const instruments = yield* Instruments
    instruments.runEnded({ component, status, ...end })
    yield* Effect.annotateLogs(Effect.logInfo(`A run has ended as ${status}`), {
      status,
      time_ms: Math.round(millis * 10) / 10,
      ...usage
    })
  }
)

/** The execution of a run by this node. */
export const around = <A extends AnyRun.Output, E, R>(
  taken: AcquiredRun,
  execution: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const since = performance.now()
    return Effect.tap(execution, (output) => ended(taken, output, performance.now() - since))
  }).pipe(Effect.annotateLogs(annotationsOf(taken)))
