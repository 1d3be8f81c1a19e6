// Tokens of service accounts: what they look like, whom they stand for, and until when.
import { assert, describe, it } from "@effect/vitest"
import * as Principal from "@svc-runtime/domain/Principal"
import type * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Context, Effect, identity, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import * as AccountToken from "../src/AccountToken.ts"
import * as BoundedCache from "../src/BoundedCache.ts"
import * as FailedAttempts from "../src/FailedAttempts.ts"
import { Roles } from "../src/Roles.ts"
import { ServiceAccounts } from "../src/ServiceAccounts.ts"
import { ServiceAccountStore } from "../src/ServiceAccountStore.ts"

type Store = ServiceAccountStore["Service"]

const build = Effect.fnUntraced(function*(cacheSeconds = 0, change = identity<Store>) {
  let lookUps = 0
  const counted = Layer.effect(
    ServiceAccountStore,
    Effect.map(ServiceAccountStore, (store) => {
      const findByHash = (hash: string) => Effect.suspend(() => (lookUps++, store.findByHash(hash)))
      return change({ ...store, findByHash })
    })
  ).pipe(Layer.provide(Layer.fresh(InMemory.ServiceAccountStore)))
  const layer = ServiceAccounts.layer({ adminScope: "platform:admin", cacheSeconds }).pipe(
    Layer.provide([counted, Roles.layer({ adminScope: "platform:admin" })])
  )
  const accounts = Context.get(yield* Layer.build(layer), ServiceAccounts)
  const mint = (fields: Partial<ServiceAccount.Create> = {}) =>
    accounts.mint(Principal.securityKey, { name: "bot", ...fields })
  const check = (token: Redacted.Redacted, address?: string) =>
    accounts.authenticate(token, address).pipe(
      Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: ({ user_id }) => user_id as string })
    )
  return { accounts, mint, check, lookUps: () => lookUps }
})

describe("a token", () => {
  it.each<readonly [ReadonlyArray<number>, string]>([
    [[0], "0"],
    [[9], "9"],
    [[10], "A"],
    [[35], "Z"],
    [[36], "a"],
    [[61], "z"],
    [[62], "10"],
    [[1, 0], "48"],
    [[0, 0, 62], "10"],
    [[255, 255], "H31"]
  ])("the number %j is written as %s: digits, upper, lower, the first byte counting most", (bytes, text) => {
    assert.strictEqual(AccountToken.base62(Uint8Array.from(bytes)), text)
  })

  it.effect("a token has 32 random bytes after its prefix, and is never repeated", () =>
    Effect.gen(function*() {
      const tokens = yield* Effect.forEach(Array.from({ length: 1000 }), () => AccountToken.generate)
      const texts = tokens.map(Redacted.value)
      assert.strictEqual(new Set(texts).size, 1000)
      for (const text of texts) assert.match(text, /^svc_pat_[0-9A-Za-z]{39,43}$/)
      assert.notInclude(JSON.stringify(tokens) + String(tokens[0]), texts[0]!.slice(8))
    }))

  it("a token is stored as SHA-256 and shown by its first characters", () => {
    const token = Redacted.make("svc_pat_0123456789abcdef")
    assert.strictEqual(AccountToken.hash(token), createHash("sha256").update("svc_pat_0123456789abcdef").digest("hex"))
    assert.strictEqual(AccountToken.shown(token), "svc_pat_01234567")
  })
})

describe("authentication", () => {
  it.effect("a token is accepted until it is revoked or expires, and a refusal does not say which", () =>
    Effect.gen(function*() {
      const { accounts, check, mint } = yield* build()
      const short = yield* mint({ name: "short", expires_in_days: 1 })
      const long = yield* mint({ name: "long", never_expires: true })
      assert.strictEqual(yield* check(short.token), "sa:short")
      assert.strictEqual(yield* check(Redacted.make(`${Redacted.value(short.token)}x`)), "InvalidAccountToken")
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* check(short.token), "InvalidAccountToken")
      yield* TestClock.adjust("4000 days")
      assert.strictEqual(yield* check(long.token), "sa:long")
      yield* accounts.revoke(Principal.securityKey, long.account.id)
      assert.strictEqual(yield* check(long.token), "InvalidAccountToken")
    }))

  it.effect("a token is looked up each time, so that a revocation holds everywhere at once", () =>
    Effect.gen(function*() {
      const { check, lookUps, mint } = yield* build()
      const { token } = yield* mint()
      for (let n = 0; n < 3; n++) yield* check(token)
      assert.strictEqual(lookUps(), 3)
    }))

  it.effect("the cache keeps a token for the configured time, not past its expiry, and not after a revocation on this node", () =>
    Effect.gen(function*() {
      const { accounts, check, lookUps, mint } = yield* build(30)
      const { account, token } = yield* mint({ name: "a" })
      for (let n = 0; n < 3; n++) yield* check(token)
      assert.strictEqual(lookUps(), 1)
      yield* TestClock.adjust("30 seconds")
      yield* check(token)
      assert.strictEqual(lookUps(), 2)
      yield* accounts.revoke(Principal.securityKey, account.id)
      assert.strictEqual(yield* check(token), "InvalidAccountToken")
      const ending = yield* mint({ name: "b", expires_in_days: 1 })
      yield* TestClock.adjust("86390 seconds")
      assert.strictEqual(yield* check(ending.token), "sa:b")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* check(ending.token), "InvalidAccountToken")
    }))

  it.effect("a row of another token is not accepted, whatever the store finds", () =>
    Effect.gen(function*() {
      const first = yield* (yield* build()).mint({ name: "a" })
      const found = Effect.succeedSome(first.account)
      const confused = yield* build(0, (store: Store) => ({ ...store, findByHash: () => found }))
      assert.strictEqual(yield* confused.check(first.token), "sa:a")
      assert.strictEqual(yield* confused.check(Redacted.make("svc_pat_another")), "InvalidAccountToken")
    }))

  it.effect("refusals are counted by address; successes and an unavailable store are not", () =>
    Effect.gen(function*() {
      const wrong = Redacted.make("svc_pat_wrong")
      const { check, mint } = yield* build()
      const { token } = yield* mint()
      for (let n = 0; n < 20; n++) assert.strictEqual(yield* check(wrong, "10.0.0.1"), "InvalidAccountToken")
      assert.strictEqual(yield* check(wrong, "10.0.0.1"), "TooManyAttempts")
      assert.strictEqual(yield* check(wrong, "10.0.0.2"), "InvalidAccountToken")
      assert.strictEqual(yield* check(token, "10.0.0.1"), "sa:bot")
      const down = yield* build(0, (store: Store) => ({
        ...store,
        findByHash: () => Effect.fail(new StorageUnavailable({ cause: "down" }))
      }))
      for (let n = 0; n < 25; n++) assert.strictEqual(yield* down.check(wrong, "10.0.0.1"), "StorageUnavailable")
    }))
})

describe("failed attempts", () => {
  it("counted failures expire after a minute, and their number in memory is bounded", () => {
    const { isTooMany } = FailedAttempts.make()
    for (let n = 0; n < 20; n++) assert.isFalse(isTooMany("a", n))
    assert.isTrue(isTooMany("a", 59_999))
    assert.isFalse(isTooMany("a", 119_999))
    for (let n = 0; n < 20; n++) isTooMany("b", 0)
    for (let n = 0; n < 10_000; n++) isTooMany(`address ${n}`, 0)
    assert.isFalse(isTooMany("b", 0), "the one that was seen longest ago is forgotten")
  })
})

describe("a bounded cache", () => {
  it("a full cache removes its least recently used entry", () => {
    const cache = BoundedCache.make<string, number>(2)
    cache.set("a", 1)
    cache.set("b", 2)
    cache.get("a")
    cache.set("c", 3)
    assert.deepStrictEqual([cache.get("a"), cache.get("b"), cache.get("c")], [1, undefined, 3])
    cache.set("a", 4)
    cache.delete("c")
    assert.deepStrictEqual([...cache.entries()], [["a", 4]])
  })
})
