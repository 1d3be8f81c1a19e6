// A service has only the features whose records it gets.
import { assert, describe, it } from "@effect/vitest"
import * as TestServer from "@svc-runtime/testing/TestServer"
import { Effect } from "effect"
import { features } from "../src/features.ts"

const without = (name: string) => features.filter((feature) => feature.name !== name)

const statusOf = Effect.fnUntraced(function*(server: TestServer.TestServer, path: string) {
  return (yield* server.fetch(path)).status
})

describe("features", () => {
  it.effect("a service without webhooks has no endpoints for them, and all others", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({ features: without("webhooks") })
      assert.strictEqual(yield* statusOf(server, "/webhooks"), 404)
      assert.strictEqual(yield* statusOf(server, "/schedules"), 200)
      const document = yield* Effect.flatMap(server.fetch("/openapi.json"), (response) =>
        Effect.promise(() => response.json()))
      const paths = Object.keys(document.paths)
      assert.isFalse(paths.some((path) =>
        path.startsWith("/webhooks")
      ))
      assert.isTrue(paths.includes("/schedules"))
    }))

  it.effect("each feature can be left out", () =>
    Effect.forEach(features, ({ name }) =>
      Effect.gen(function*() {
        const server = yield* TestServer.make({ features: without(name) })
        const { status } = yield* server.fetch("/health")
        assert.strictEqual(status, 200, name)
      }).pipe(Effect.scoped)))
})
