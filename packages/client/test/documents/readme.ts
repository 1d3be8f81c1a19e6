// #region
import { AgentRuns, SvcClient } from "@svc-runtime/client/effect"
import { Effect, Layer, Stream } from "effect"
import { FetchHttpClient } from "effect/http"

const program = Effect.gen(function*() {
  const run = yield* AgentRuns.run("assistant", { message: "What is 17 times 23?", session_id: "first" })
  yield* Effect.log(run.content)
  yield* Stream.runForEach(AgentRuns.stream("assistant", { message: "And halved?", session_id: "first" }), Effect.log)
})

const live = SvcClient.layer({ baseUrl: "http://127.0.0.1:7777" }).pipe(Layer.provide(FetchHttpClient.layer))
Effect.runPromise(Effect.provide(program, live))
// #endregion
