// #region
import { AgentRuns, Traces } from "@svc-runtime/client/effect"
import { Effect, Option, Stream } from "effect"

const program = Effect.gen(function*() {
  const { run_id } = yield* AgentRuns.run("assistant", { message: "What is 17 times 23?" })
  const trace = yield* Traces.ofRun(run_id)
  if (Option.isSome(trace)) yield* Effect.log(trace.value.duration, trace.value.tree)

  const slow = Traces.search({ op: "GTE", key: "duration_ms", value: 1000 })
  yield* Stream.runForEach(Stream.take(slow, 10), ({ input, trace_id }) => Effect.log(trace_id, input))
})
// #endregion

export { program }
