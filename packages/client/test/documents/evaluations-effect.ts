// #region
import { EvalRuns, SvcClient } from "@svc-runtime/client/effect"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"

const program = Effect.gen(function*() {
  const ended = yield* EvalRuns.run({
    agent_id: "assistant",
    eval_type: "agent_as_judge",
    input: "What is 17 times 23?",
    criteria: "The answer is one sentence"
  })
  yield* Effect.log(ended.status, ended.eval_data)
})

const live = SvcClient.layer({ baseUrl: "http://127.0.0.1:7777" }).pipe(Layer.provide(FetchHttpClient.layer))
Effect.runPromise(Effect.provide(program, live))
// #endregion
