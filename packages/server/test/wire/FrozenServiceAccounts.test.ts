// Service accounts in a database that neither replies nor fails. They are in the service's own database.
import { assert, describe, it } from "@effect/vitest"
import { ServiceAccountStore } from "@svc-runtime/auth"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { call, mint, serveClosed, token } from "../authorization/Closed.ts"
import type { Request } from "../authorization/Endpoints.ts"
import { failed } from "../Wire.ts"
import { cuttable, own, within } from "./TwoDatabases.ts"

Tier.oneIn(3)

/** A service with an account, whose own database can be frozen. */
const withAccount = Effect.gen(function*() {
  const { around, aroundStore, cut, freeze, mend, thaw } = cuttable(own)
  const accounts = Layer.effect(ServiceAccountStore, Effect.map(ServiceAccountStore, aroundStore)).pipe(
    Layer.provide(Layer.fresh(TestDatabase.layer))
  )
  const server = yield* serveClosed({ database: around, accounts })
  const admin = yield* token("root", "platform:admin")
  const account = yield* mint(server, admin, { name: "bot", scopes: ["agents:read"] })
  return { server, admin, account, cut, freeze, mend, thaw }
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

  const scraped = { path: "/metrics/prometheus" }
  const scopes = ["agents:read", "metrics:read", "metrics:scrape"]

  it.effect("The metrics for Prometheus respond to an account in a frozen database, and other routes do not.", () =>
    Effect.gen(function*() {
      const { account, admin, freeze, server } = yield* withAccount
      const [scraper, other] = [
        yield* mint(server, admin, { name: "scraper", scopes }),
        yield* mint(server, admin, { name: "other", scopes })
      ]
      assert.strictEqual((yield* call(server, scraped, scraper.token)).status, 200)
      failed(yield* call(server, scraped, account.token), 403, "FORBIDDEN")
      yield* freeze
      const read = (request: Request, bearer: string) => within(4, call(server, request, bearer))
      const answer = yield* read(scraped, scraper.token)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.include(answer.text, "svc_runs_held")
      assert.strictEqual((yield* read({ ...scraped, init: { method: "HEAD" } }, scraper.token)).status, 200)
      // the scopes are those of the account
      failed(yield* read(scraped, account.token), 403, "FORBIDDEN")
      // never verified by this node
      failed(yield* read(scraped, other.token), 503, "SERVICE_UNAVAILABLE")
      failed(yield* read(scraped, "svc_pat_unknown"), 503, "SERVICE_UNAVAILABLE")
      for (const path of ["/nodes", "/agents", "/metrics"]) {
        failed(yield* read({ path }, scraper.token), 503, "SERVICE_UNAVAILABLE")
      }
    }))

  it.effect("An account that was revoked before an outage gets no metrics during it.", () =>
    Effect.gen(function*() {
      const { admin, cut, mend, server } = yield* withAccount
      const scraper = yield* mint(server, admin, { name: "scraper", scopes })
      const status = Effect.map(call(server, scraped, scraper.token), (answer) => answer.status)
      assert.strictEqual(yield* status, 200)
      cut()
      assert.strictEqual(yield* status, 200)
      mend()
      const revocation = { path: `/service-accounts/${scraper.id}`, init: { method: "DELETE" } }
      assert.strictEqual((yield* call(server, revocation, admin)).status, 204)
      cut()
      assert.strictEqual(yield* status, 503)
      mend()
      assert.strictEqual(yield* status, 401)
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
