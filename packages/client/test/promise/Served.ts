// A service on a real port, and the client without Effect.
import { type ConnectionOptions, Svc } from "@svc-runtime/client"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"

export const withSvc = (
  options: TestServer.Options,
  use: (svc: Svc, url: string) => Promise<void>,
  client: Partial<ConnectionOptions> = {}
) =>
  Effect.scoped(Effect.gen(function*() {
    const { url } = yield* TestServer.listen(options)
    yield* Effect.promise(() => use(new Svc({ baseUrl: url, ...client }), url))
  }))
