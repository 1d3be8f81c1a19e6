// Samples of the documents, served in memory.
import { assert, describe, it } from "@effect/vitest"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { place, read } from "./documents/orders.ts"

describe("docs/guides/routes.md", () => {
  it.effect("an order is sent to its buyer, and one that does not exist is not found", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({ routes: [read, place] })
      const headers = { "content-type": "application/json" }
      const placed = yield* server.fetch("/orders", { method: "POST", headers, body: JSON.stringify({ cents: 1200 }) })
      const order = yield* Effect.promise(() =>
        placed.json() as Promise<{ readonly id: string; readonly cents: number }>
      )
      assert.strictEqual(order.cents, 1200)
      const found = yield* server.fetch(`/orders/${order.id}`)
      assert.deepStrictEqual(yield* Effect.promise(() => found.json()), order)
      assert.strictEqual((yield* server.fetch("/orders/none")).status, 404)
    }))
})
