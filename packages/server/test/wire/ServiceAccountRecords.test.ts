// Service accounts after they were made: lists, revocation, their last use, and the audit of both.
import { assert, describe, it } from "@effect/vitest"
import { ServiceAccountStore } from "@svc-runtime/auth"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { call, everything, mint, serveClosed, token } from "../authorization/Closed.ts"
import { at, column, failed, hasKeys, invalid, list, second, serve } from "../Wire.ts"
import { admin, get, keys, post, revoke } from "./MintedAccounts.ts"

Tier.oneIn(2)

describe("GET /service-accounts", () => {
  it.effect("accounts are listed newest first, in pages", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      for (const name of ["a", "b", "c"]) {
        yield* post(server, { name })
        yield* TestClock.adjust("1 second")
      }
      const first = yield* get(server, "?limit=2")
      hasKeys(list(first.json, "data")[0], ...keys)
      assert.deepStrictEqual(column(at(first.json, "data"), "name"), ["c", "b"])
      const meta = { page: 1, limit: 2, total_pages: 2, total_count: 3, search_time_ms: 0 }
      assert.deepStrictEqual<unknown>(at(first.json, "meta"), meta)
      assert.deepStrictEqual(column(at((yield* get(server, "?limit=2&page=2")).json, "data"), "name"), ["a"])
      const sorted = yield* get(server, "?sort_by=name&sort_order=asc")
      assert.deepStrictEqual(column(at(sorted.json, "data"), "name"), ["a", "b", "c"])
      const odd = yield* get(server, "?sort_by=token_hash&sort_order=sideways")
      assert.deepStrictEqual(column(at(odd.json, "data"), "name"), ["c", "b", "a"])
      const past = yield* get(server, "?page=9")
      assert.deepStrictEqual([list(past.json, "data"), at(past.json, "meta", "total_count")], [[], 3])
    }))

  it.effect("revoked accounts are left out on request", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const gone = yield* post(server, { name: "gone" })
      yield* post(server, { name: "here" })
      yield* revoke(server, String(at(gone.json, "id")))
      const all = yield* get(server)
      assert.deepStrictEqual([...column(at(all.json, "data"), "name")].toSorted(), ["gone", "here"])
      for (const no of ["false", "0", "no", "False"]) {
        const active = yield* get(server, `?include_revoked=${no}`)
        assert.deepStrictEqual(column(at(active.json, "data"), "name"), ["here"], no)
      }
    }))

  it.effect.each(
    [
      ["limit=0", "greater_than_equal"],
      ["limit=101", "less_than_equal"],
      ["limit=x", "int_parsing"],
      ["page=0", "greater_than_equal"],
      ["include_revoked=perhaps", "bool_parsing"]
    ] as const
  )("the query %s is refused", ([query, type]) =>
    Effect.gen(function*() {
      invalid(yield* get(yield* serveClosed(), `?${query}`), [["query", query.split("=")[0]!], type])
    }))
})

describe("DELETE /service-accounts/{id}", () => {
  it.effect("an account is revoked for good: its token fails at the next request, and the time does not change", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bot = yield* mint(server, yield* admin, { name: "bot", scopes: everything })
      assert.strictEqual((yield* call(server, { path: "/agents" }, bot.token)).status, 200)
      assert.deepStrictEqual([(yield* revoke(server, bot.id)).status, (yield* revoke(server, bot.id)).text], [204, ""])
      failed(
        yield* call(server, { path: "/agents" }, bot.token),
        401,
        "UNAUTHENTICATED",
        "Invalid or expired service account token"
      )
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* revoke(server, bot.id)).status, 204)
      assert.strictEqual(at(list((yield* get(server)).json, "data")[0], "revoked_at"), second)
    }))

  it.effect("a revocation holds at once on a node that caches tokens", () =>
    Effect.gen(function*() {
      const server = yield* serve({
        authorization: { securityKey: "the key of the service", serviceAccountCacheSeconds: 3600 }
      })
      const bot = yield* mint(server, "the key of the service", { name: "bot", scopes: ["agents:read"] })
      assert.strictEqual((yield* call(server, { path: "/agents" }, bot.token)).status, 200)
      const path = `/service-accounts/${bot.id}`
      yield* call(server, { path, init: { method: "DELETE" } }, "the key of the service")
      assert.strictEqual((yield* call(server, { path: "/agents" }, bot.token)).status, 401)
    }))

  it.effect("an unknown account is not found", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      failed(yield* revoke(server, "x y"), 404, "NOT_FOUND", "Service account 'x y' not found")
      failed(yield* revoke(server, "%00"), 404, "NOT_FOUND")
    }))

  it.effect("an account can only be revoked: there is no GET and no PATCH", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      for (const method of ["GET", "PATCH"]) {
        const answer = yield* call(server, { path: "/service-accounts/x", init: { method } }, yield* admin)
        failed(answer, 405, "METHOD_NOT_ALLOWED")
      }
    }))
})

describe("what an account leaves behind", () => {
  it.effect("the last use of an account is stored, once a minute", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const bot = yield* mint(server, yield* admin, { name: "bot", scopes: everything })
      const used = Effect.map(get(server), ({ json }) => at(list(json, "data")[0], "last_used_at"))
      assert.isNull(yield* used)
      yield* call(server, { path: "/agents" }, bot.token)
      assert.strictEqual(yield* used, second)
      yield* TestClock.adjust("59 seconds")
      yield* call(server, { path: "/agents" }, bot.token)
      assert.strictEqual(yield* used, second)
      yield* TestClock.adjust("1 second")
      yield* call(server, { path: "/agents" }, bot.token)
      assert.strictEqual(yield* used, second + 60)
    }))

  it.effect("an error of that write delays no request", () =>
    Effect.gen(function*() {
      const broken = Layer.effect(
        ServiceAccountStore,
        Effect.map(ServiceAccountStore, (store) => ({
          ...store,
          touch: () => Effect.fail(new StorageUnavailable({ cause: "full" }))
        }))
      ).pipe(Layer.provide(TestDatabase.layer))
      const server = yield* serveClosed({ accounts: broken })
      const bot = yield* mint(server, yield* admin, { name: "bot", scopes: everything })
      assert.strictEqual((yield* call(server, { path: "/agents" }, bot.token)).status, 200)
    }))

  it.effect("the creator and the revoker of an account are stored and logged, without the token", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(TestDatabase.layer)
      const server = yield* serveClosed({ accounts: Layer.succeedContext(context) })
      const bot = yield* mint(server, yield* token("ann", "platform:admin"), { name: "bot" })
      yield* TestClock.adjust("5 seconds")
      yield* call(
        server,
        { path: `/service-accounts/${bot.id}`, init: { method: "DELETE" } },
        yield* token("bob", "platform:admin")
      )
      const entries = yield* ServiceAccountStore.use((store) => store.audit(bot.id as never)).pipe(
        Effect.provideContext(context)
      )
      assert.deepStrictEqual<unknown>(entries, [
        { account_id: bot.id, action: "minted", actor: "ann", credential: "jwt", at: second },
        { account_id: bot.id, action: "revoked", actor: "bob", credential: "jwt", at: second + 5 }
      ])
      const logged = server.logs.filter(({ message }) => message.includes("service account"))
      assert.deepStrictEqual(logged.map(({ annotations }) => annotations["actor"]), ["ann", "bob"])
      assert.notInclude(JSON.stringify(server.logs), bot.token)
    }))

  it.effect("an account that cannot be stored is not returned", () =>
    Effect.gen(function*() {
      const down = Effect.fail(new StorageUnavailable({ cause: "down" }))
      const accounts = Layer.mock(ServiceAccountStore, {
        isActive: () => Effect.succeed(true),
        insert: () => down,
        list: () => down,
        revoke: () => down
      })
      const server = yield* serveClosed({ accounts })
      failed(yield* post(server, { name: "bot" }), 503, "SERVICE_UNAVAILABLE")
      failed(yield* get(server), 503, "SERVICE_UNAVAILABLE")
      failed(yield* revoke(server, "x"), 503, "SERVICE_UNAVAILABLE")
    }))
})
