// Times runs and then measures their memory, after warm-up runs. Times are from a monotonic clock. The memory of a run
// is the most that the process used during the run, less its use before the run.
import type * as Json from "@svc-runtime/domain/Json"
import { Clock, Context, Effect, Schedule } from "effect"
import * as Statistics from "../Statistics.ts"
import { EvaluationFailed, type EvaluationType, isNumber, mustComplete } from "./EvaluationType.ts"

/** Bytes that the process has in use. */
export class UsedMemory
  extends Context.Service<UsedMemory, () => number>()("@svc-runtime/features/evaluation/types/Performance/UsedMemory")
{}

const mebi = 1024 * 1024

const monotonic = Effect.map(Clock.Clock, (clock) => clock.monotonicTimeNanosUnsafe())

const timed = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const began = yield* monotonic
  const value = yield* effect
  return { value, figure: Number((yield* monotonic) - began) / 1e9 }
})

const measured = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>, used: () => number) {
  const before = used()
  let peak = before
  const look = Effect.sync(() => {
    peak = Math.max(peak, used())
  })
  const watching = Effect.repeat(look, Schedule.spaced("5 millis"))
  const value = yield* Effect.raceFirst(effect, Effect.andThen(watching, Effect.never))
  yield* look
  return { value, figure: (peak - before) / mebi }
})

const figuresOf = (results: ReadonlyArray<Json.Object>, phase: string): ReadonlyArray<number> =>
  results.flatMap((result) => result["phase"] === phase && isNumber(result["figure"]) ? [result["figure"]] : [])

const named = (figures: ReadonlyArray<number>, name: string): Json.Object =>
  Object.fromEntries(Object.entries(Statistics.of(figures)).map(([figure, value]) => [`${figure}_${name}`, value]))

export const Performance: EvaluationType = {
  total: ({ num_iterations, warmup_runs }) => warmup_runs + 2 * num_iterations,
  step: Effect.fnUntraced(function*({ place, request: { num_iterations, warmup_runs }, run, usedMemory }) {
    const phase = place < warmup_runs ? "warmup" : place < warmup_runs + num_iterations ? "time" : "memory"
    const { figure, value } = yield* (phase === "memory" ? measured(run(true), usedMemory) : timed(run(true)))
    const output = mustComplete(value)
    if (output instanceof EvaluationFailed) return yield* output
    return { phase, figure }
  }),
  data: (results) => {
    const [times, memories] = [figuresOf(results, "time"), figuresOf(results, "memory")]
    return {
      result: { ...named(times, "run_time"), ...named(memories, "memory_usage") },
      runs: times.map((runtime, at) => ({ runtime, memory: memories[at] ?? null }))
    }
  },
  input: ({ num_iterations, warmup_runs }) => ({ num_iterations, warmup_runs })
}
