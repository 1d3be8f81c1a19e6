// #region
import { Metrics } from "@svc-runtime/client/effect"
import { Effect, Stream } from "effect"

const program = Effect.gen(function*() {
  const days = yield* Metrics.days({ starting_date: "2026-11-01" })
  yield* Effect.log(days.map(({ agent_runs_count, date }) => `${date}: ${agent_runs_count} runs of agents`))

  const usage = Metrics.usage({ interval: "hour", group_by: "model" })
  yield* Stream.runForEach(usage, ({ cost, model_id, time }) => Effect.log(time, model_id, cost))
})
// #endregion

export { program }
