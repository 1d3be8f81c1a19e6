// The client and a service on a real port, with stores in memory.
import { SvcClient } from "@svc-runtime/client/effect"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"

export interface Access extends TestServer.Options {
  readonly token?: string
}

export const withService = <A, E>(
  { token, ...options }: Access,
  program: Effect.Effect<A, E, SvcClient>
): Effect.Effect<A, E> =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* TestServer.listen(options)
    const client = SvcClient.layer({
      baseUrl: server.url,
      token: token === undefined ? undefined : Redacted.make(token)
    })
    return yield* Effect.provide(program, Layer.provide(client, FetchHttpClient.layer))
  }))
