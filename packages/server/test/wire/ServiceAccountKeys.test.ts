// `Idempotency-Key` on making service accounts: nothing is made twice, and a token is never kept to be shown
// again.
import { assert, describe, it } from "@effect/vitest"
import { ServiceAccountStore } from "@svc-runtime/auth"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Layer } from "effect"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { at, badRequest, column, failed } from "../Wire.ts"

const send = Effect.fnUntraced(function*(server: TestServer.TestServer, body: object, key: string, user = "root") {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(body)
  }
  return yield* call(server, { path: "/service-accounts", init }, yield* token(user, "platform:admin"))
})

const names = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const listed = yield* call(server, { path: "/service-accounts" }, yield* token("root", "platform:admin"))
  return column(at(listed.json, "data"), "name")
})

const shownOnce = /a token is shown once\. If the service account 'nightly' is there/

describe("POST /service-accounts that is sent again under its key", () => {
  it.effect("a repeated request creates no second account and shows no token, whatever the order of the keys", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const first = yield* send(server, { name: "nightly", scopes: ["agents:read"] }, "k")
      assert.strictEqual(first.status, 201)
      const again = yield* send(server, { scopes: ["agents:read"], name: "nightly" }, "k")
      failed(again, 409, "CONFLICT", shownOnce)
      assert.notInclude(again.text, "svc_pat_")
      assert.deepStrictEqual(yield* names(server), ["nightly"])
    }))

  it.effect("a repeated request does not create an account that was revoked in between", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const first = yield* send(server, { name: "nightly" }, "k")
      const path = `/service-accounts/${String(at(first.json, "id"))}`
      const root = yield* token("root", "platform:admin")
      assert.strictEqual((yield* call(server, { path, init: { method: "DELETE" } }, root)).status, 204)
      failed(yield* send(server, { name: "nightly" }, "k"), 409, "CONFLICT", shownOnce)
      assert.strictEqual((yield* send(server, { name: "nightly" }, "another")).status, 201)
    }))

  it.effect("a key with another request is refused", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      yield* send(server, { name: "nightly" }, "k")
      failed(yield* send(server, { name: "weekly" }, "k"), 409, "CONFLICT", /^Idempotency-Key was used for another/)
      assert.strictEqual(
        (yield* send(server, { name: "weekly" }, "k", "eve")).status,
        201,
        "keys are their caller's own"
      )
      badRequest(yield* send(server, { name: "daily" }, "x".repeat(256)))
    }))

  it.effect("a key is free when the first request created nothing", () =>
    Effect.gen(function*() {
      let isDown = true
      const guarded = Layer.effect(
        ServiceAccountStore,
        ServiceAccountStore.useSync((store) =>
          ServiceAccountStore.of({
            ...store,
            insert: (account, entry) =>
              isDown ? Effect.fail(new StorageUnavailable({ cause: "down" })) : store.insert(account, entry)
          })
        )
      ).pipe(Layer.provide(TestDatabase.layer))
      const server = yield* serveClosed({ accounts: guarded })
      assert.strictEqual((yield* send(server, { name: "nightly" }, "k")).status, 503)
      isDown = false
      assert.strictEqual((yield* send(server, { name: "nightly" }, "k")).status, 201)
    }))
})
