// Service accounts in a database that neither replies nor fails. They are in the service's own database.
import { assert, describe, it } from "@effect/vitest"
import { ServiceAccountStore } from "@svc/auth"
import { Effect, Layer } from "effect"
import { call, mint, serveClosed, token } from "../authorization/Closed.ts"
import { failed } from "../Wire.ts"
import { cuttable, own, within } from "./TwoDatabases.ts"

/** A service with an account, whose own database can be frozen. */
const withAccount = Effect.gen(function*() {
  const { around, aroundStore, freeze, thaw } = cuttable(own)
  const accounts = Layer.effect(ServiceAccountStore, Effect.map(ServiceAccountStore, aroundStore)).pipe(
    Layer.provide(Layer.fresh(ServiceAccountStore.layerMemory))
  )
  const server = yield* serveClosed({ database: around, accounts })
  const admin = yield* token("root", "platform:admin")
  const account = yield* mint(server, admin, { name: "bot", scopes: ["agents:read"] })
  return { server, admin, account, freeze, thaw }
})

describe("service accounts in a database that does not reply", () => {
  it.effect("A request with the token of an account in a frozen database gets 503 within four seconds.", () =>
    Effect.gen(function*() {
      const { account, freeze, server, thaw } = yield* withAccount
      yield* freeze
      failed(yield* within(4, call(server, { path: "/agents" }, account.token)), 503, "SERVICE_UNAVAILABLE")
      yield* thaw
      assert.strictEqual((yield* call(server, { path: "/agents" }, account.token)).status, 200)
    }))

  const requests = {
    "the list of accounts": ["GET", () => "/service-accounts", undefined],
    "a new account": ["POST", () => "/service-accounts", { name: "other", scopes: ["agents:read"] }],
    "a revocation": ["DELETE", (id: string) => `/service-accounts/${id}`, undefined]
  } as const

  it.effect.each(Object.keys(requests) as ReadonlyArray<keyof typeof requests>)(
    "A request about accounts in a frozen database gets 503 within four seconds: %s.",
    (name) =>
      Effect.gen(function*() {
        const { account, admin, freeze, server } = yield* withAccount
        yield* freeze
        const [method, pathOf, body] = requests[name]
        const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
        const request = { path: pathOf(account.id), init: { method, ...(body === undefined ? {} : json) } }
        failed(yield* within(4, call(server, request, admin)), 503, "SERVICE_UNAVAILABLE")
      })
  )
})
