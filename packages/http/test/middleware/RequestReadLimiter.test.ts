// What a response takes of the budget of bytes that wait for clients.
import { assert, describe, it } from "@effect/vitest"
import * as Principal from "@svc-runtime/domain/Principal"
import { Effect, Exit, Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as RequestReadLimiter from "../../src/middleware/RequestReadLimiter.ts"

const mebibyte = 1024 * 1024

describe("a response that was encoded as a whole", () => {
  const responded = Effect.fnUntraced(function*(read: number, bytes: number) {
    const budgets = RequestReadLimiter.budgetsOf({ responsesInFlight: 64 * mebibyte })
    const scope = yield* Scope.make()
    const limiter = RequestReadLimiter.make({
      budgets,
      request: HttpServerRequest.fromWeb(new Request("http://localhost/mcp", { method: "POST" })),
      principal: Principal.open,
      scope
    })
    yield* limiter.admit(read)
    yield* limiter.encoded(HttpServerResponse.uint8Array(new Uint8Array(bytes)))
    const taken = budgets.bytes.taken()
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(budgets.bytes.taken(), 0, "it was sent")
    return taken
  })

  it.effect("a body counts with what it is made of, although less was read for it", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* responded(mebibyte, 12 * mebibyte), 24 * mebibyte)
      assert.strictEqual(yield* responded(0, 12 * mebibyte), 24 * mebibyte)
    }))

  it.effect("a body counts no more than what was read for it, and nothing if it is small", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* responded(mebibyte, mebibyte), 4 * mebibyte)
      assert.strictEqual(yield* responded(0, 100 * 1024), 0)
    }))
})
