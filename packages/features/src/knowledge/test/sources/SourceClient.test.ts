import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as SourceClient from "../../sources/SourceClient.ts"

describe("SourceClient", () => {
  it.live("requests of a source share connections", () =>
    Effect.gen(function*() {
      let connections = 0
      const server = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const created = createServer((_, response) => response.end("hello"))
          created.on("connection", () => connections++)
          created.listen(0, "127.0.0.1", () => resume(Effect.succeed(created)))
        }),
        (server) => Effect.sync(() => server.close().closeAllConnections())
      )
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      const send = SourceClient.make([new URL(url)])
      const requests = 10
      for (let count = 0; count < requests; count++) {
        assert.strictEqual((yield* send({ url, maxBytes: 100 })).status, 200)
      }
      assert.isBelow(connections, requests)
    }))
})
