// The log lines of a run: its start, on the request that starts it, and its end, which is counted too. All lines
// between have its ids and that of the request.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as RunOption from "@svc-runtime/domain/RunOption"
import * as Usage from "@svc-runtime/domain/Usage"
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import * as LogLine from "@svc-runtime/telemetry/LogLine"
import { Effect, References } from "effect"
import type { Execution } from "./engine/Execution.ts"

type Annotations = Readonly<Record<string, unknown>>

const idNames = { agent: "agent_id", team: "team_id", workflow: "workflow_id" } as const

const annotationsOf = ({ attempt, command, requestId, run_id, runnable: { component }, trace }: Execution) => ({
  part: "runs",
  run_id,
  session_id: command.session_id,
  attempt,
  [idNames[component.kind]]: component.id,
  ...(requestId === undefined ? {} : { request_id: requestId }),
  ...(trace?.sampled === true ? { trace_id: trace.traceId } : {})
})

/** The id of the current request. */
export const requestId: Effect.Effect<string | undefined> = Effect.map(
  References.CurrentLogAnnotations,
  ({ request_id: id }) => typeof id === "string" ? id : undefined
)

/** The lines of a root run have its ids already, and those of a member run get its own. */
export const withIds = <A, E, R>(effect: Effect.Effect<A, E, R>, ids: Annotations): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const known = fiber.getRef(References.CurrentLogAnnotations)
    for (const name in ids) if (known[name] !== ids[name]) return Effect.annotateLogs(effect, ids)
    return effect
  })

const messageOf = ({ continuedFrom, isWaiting }: Execution): string => {
  if (isWaiting) return "A run waits for an earlier run of its session, or for room within its limits"
  return continuedFrom === undefined ? "A run starts" : "A run is resumed"
}

export const started = (execution: Execution, user_id: string | undefined): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (LogLine.isWritten(fiber, "Info")) {
      const ids = annotationsOf(execution)
      const fields = user_id === undefined ? ids : { ...ids, user_id }
      LogLine.write(fiber, "Info", new LogLine.LogLine("runs", messageOf(execution), fields))
    }
    return Effect.void
  })

const counters = ["input_tokens", "output_tokens", "total_tokens", "cost"] as const

/** Counters without a use are left out. */
const fieldsOf = (status: string, millis: number, usage: Usage.Counters): Annotations => {
  const fields: Record<string, unknown> = { status, time_ms: Math.round(millis * 10) / 10 }
  for (const name of counters) if ((usage[name] ?? 0) > 0) fields[name] = usage[name]
  return fields
}

const ended = (
  { command, continuedFrom, runnable: { component } }: Execution,
  output: AnyRun.Output,
  millis: number
): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const { status } = output
    // the usage of a run is that of all its executions
    const usage = Usage.since(continuedFrom?.counted, AnyRun.usageOf(output))
    const { cost = 0, input_tokens: inputTokens = 0, output_tokens: outputTokens = 0 } = usage
    const isEvaluation = RunOption.isEvaluation(command)
    const seconds = millis / 1000
    fiber.getRef(Instruments).runEnded({ component, isEvaluation, status, seconds, inputTokens, outputTokens, cost })
    if (LogLine.isWritten(fiber, "Info")) {
      const fields = fieldsOf(status, millis, usage)
      LogLine.write(fiber, "Info", new LogLine.LogLine("runs", `A run has ended as ${status}`, fields))
    }
    return Effect.void
  })

/** The execution of a run by this node, which begins now. */
export const around = <A extends AnyRun.Output, E, R>(
  execution: Execution,
  running: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const since = performance.now()
  return Effect.annotateLogs(
    Effect.tap(running, (output) => ended(execution, output, performance.now() - since)),
    annotationsOf(execution)
  )
}
