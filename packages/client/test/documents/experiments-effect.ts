// #region
import { Datasets, Experiments, SvcClient } from "@svc-runtime/client/effect"
import { Effect, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"

const program = Effect.gen(function*() {
  const { id: dataset_id } = yield* Datasets.create({
    name: "arithmetic",
    items: [{ id: "product", input: "What is 17 times 23?", expected_output: "391" }]
  })
  const given = { dataset_id, scorers: [{ type: "contains" }] } as const
  const base = yield* Experiments.run({ ...given, agent_id: "assistant" })
  const other = yield* Experiments.run({ ...given, team_id: "desk" })
  yield* Effect.log(base.summary?.pass_rate, other.summary?.pass_rate)

  const differences = Experiments.differences(base.id, other.id)
  yield* Stream.runForEach(
    Stream.takeWhile(differences, ({ is_regression }) => is_regression),
    ({ change, item_id }) => Effect.log(item_id, change)
  )
})

const live = SvcClient.layer({ baseUrl: "http://127.0.0.1:7777" }).pipe(Layer.provide(FetchHttpClient.layer))
Effect.runPromise(Effect.provide(program, live))
// #endregion
