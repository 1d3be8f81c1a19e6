// #region
import { SvcClient } from "@svc-runtime/client/effect"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"

const program = Effect.gen(function*() {
  const client = yield* SvcClient
  const { data } = yield* client.sessions.list({
    query: { limit: 10, page: 1, sort_by: "updated_at", sort_order: "desc" }
  })
  yield* Effect.log(data.map(({ session_name }) => session_name))
})

const live = SvcClient.layer({ baseUrl: "http://127.0.0.1:7777" }).pipe(Layer.provide(FetchHttpClient.layer))
Effect.runPromise(Effect.provide(program, live))
// #endregion
