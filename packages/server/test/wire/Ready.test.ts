// Whether requests may be sent to a service.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"

const answer = (server: TestServer.TestServer, path: string) =>
  Effect.gen(function*() {
    const response = yield* server.fetch(path)
    return { status: response.status, body: yield* Effect.promise(() => response.json() as Promise<unknown>) }
  })

describe("GET /ready", () => {
  it.effect("/ready says whether the database replies, while /health responds all the time", () =>
    Effect.gen(function*() {
      let isAway = false
      const server = yield* TestServer.make({
        database: (database) => ({
          ...database,
          runs: {
            ...database.runs,
            cancelRequested: (node) =>
              Effect.suspend(() =>
                isAway ? Effect.fail(new StorageUnavailable({ cause: "away" })) : database.runs.cancelRequested(node)
              )
          }
        })
      })
      assert.deepStrictEqual(yield* answer(server, "/ready"), { status: 200, body: { status: "ready" } })
      isAway = true
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* answer(server, "/ready"), {
        status: 503,
        body: { detail: "Not ready: database", error_code: "SERVICE_UNAVAILABLE", reasons: ["database"] }
      })
      assert.strictEqual((yield* answer(server, "/health")).status, 200)
      isAway = false
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* answer(server, "/ready")).status, 200)
    }))

  it.effect("/ready needs no authentication", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({ authorization: { securityKey: Redacted.make("a-long-security-key") } })
      assert.strictEqual((yield* answer(server, "/ready")).status, 200)
      assert.strictEqual((yield* answer(server, "/sessions")).status, 401)
    }))
})
