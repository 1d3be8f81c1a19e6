// What is cached and recorded of accounts that call.
import { assert, describe, it } from "@effect/vitest"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Scope from "@svc-runtime/domain/Scope"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Context, Deferred, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as FailedAttempts from "../src/FailedAttempts.ts"
import { Roles } from "../src/Roles.ts"
import { ServiceAccounts } from "../src/ServiceAccounts.ts"
import { ServiceAccountStore } from "../src/ServiceAccountStore.ts"

type Store = ServiceAccountStore["Service"]

const { securityKey } = Principal
const down = Effect.fail(new StorageUnavailable({ cause: "down" }))

/** `change` makes of a store that works one that does what a test is about. */
const build = Effect.fnUntraced(function*(cacheSeconds: number, change: (store: Store) => Partial<Store> = () => ({})) {
  const store = Context.get(yield* Layer.build(Layer.fresh(InMemory.ServiceAccountStore)), ServiceAccountStore)
  const changed = Layer.succeed(ServiceAccountStore, { ...store, ...change(store) })
  const layer = ServiceAccounts.layer({ adminScope: "root", cacheSeconds }).pipe(
    Layer.provide([changed, Roles.layer({ adminScope: "root" })])
  )
  return { store, accounts: Context.get(yield* Layer.build(layer), ServiceAccounts) }
})

const refusal = (accounts: ServiceAccounts["Service"], token: Redacted.Redacted, address?: string) =>
  Effect.map(Effect.flip(accounts.authenticate(token, address)), ({ _tag }) => _tag)

describe("An account that calls", () => {
  it.effect("an account is limited to its scopes and isolated, unless it is an admin", () =>
    Effect.gen(function*() {
      const { accounts } = yield* build(0)
      const bot = yield* accounts.mint(securityKey, { name: "bot", scopes: ["agents:x:run"] })
      const root = yield* accounts.mint(securityKey, { name: "root", scopes: ["root"], allow_privileged_scopes: true })
      const asBot = yield* accounts.authenticate(bot.token, undefined)
      const grants = Scope.grants(["agents:x:run"], "root")
      assert.deepStrictEqual<unknown>(asBot, {
        credential: "service_account",
        user_id: "sa:bot",
        session_id: undefined,
        grants,
        isScoped: true,
        isIsolated: true,
        claims: {},
        dependencies: {},
        session_state: {}
      })
      const asRoot = yield* accounts.authenticate(root.token, undefined)
      assert.isTrue(asRoot.grants?.isAdmin)
      assert.isFalse(asRoot.isIsolated)
    }))

  it.effect("the use of an account is recorded at its first call, and then once a minute", () =>
    Effect.gen(function*() {
      let touched = 0
      const { accounts, store } = yield* build(0, (store) => ({
        touch: (...args) => Effect.suspend(() => (touched++, store.touch(...args)))
      }))
      const { account, token } = yield* accounts.mint(securityKey, { name: "bot" })
      const used = Effect.gen(function*() {
        yield* accounts.authenticate(token, undefined)
        const found = Option.getOrThrow(yield* store.findByHash(account.token_hash))
        return [found.last_used_at, touched]
      })
      assert.deepStrictEqual(yield* used, [0, 1])
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* used, [0, 1])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* used, [60, 2])
      assert.deepStrictEqual(yield* used, [60, 2])
    }))

  it.effect("an account is accepted even if its use cannot be recorded", () =>
    Effect.gen(function*() {
      const { accounts } = yield* build(0, () => ({ touch: () => down }))
      const { token } = yield* accounts.mint(securityKey, { name: "bot" })
      assert.strictEqual((yield* accounts.authenticate(token, undefined)).user_id, "sa:bot")
    }))
})

describe("A cached token", () => {
  it.effect("a token that is revoked during its look-up is not cached", () =>
    Effect.gen(function*() {
      const found = yield* Deferred.make<void>()
      const revoked = yield* Deferred.make<void>()
      const { accounts } = yield* build(30, (store) => ({
        findByHash: (hash) =>
          Effect.tap(store.findByHash(hash), () =>
            Effect.andThen(Deferred.succeed(found, undefined), Deferred.await(revoked)))
      }))
      const { account, token } = yield* accounts.mint(securityKey, { name: "bot" })
      const early = yield* Effect.forkChild(accounts.authenticate(token, undefined))
      yield* Deferred.await(found)
      yield* accounts.revoke(securityKey, account.id)
      yield* Deferred.succeed(revoked, undefined)
      assert.strictEqual((yield* Fiber.join(early)).user_id, "sa:bot")
      assert.strictEqual(yield* refusal(accounts, token), "InvalidAccountToken")
    }))

  it.effect("a token is removed from the cache when the outcome of its revocation is unknown", () =>
    Effect.gen(function*() {
      const { accounts } = yield* build(30, (store) => ({
        revoke: (...args) => Effect.andThen(store.revoke(...args), down)
      }))
      const { account, token } = yield* accounts.mint(securityKey, { name: "bot" })
      yield* accounts.authenticate(token, undefined)
      assert.strictEqual((yield* Effect.flip(accounts.revoke(securityKey, account.id)))._tag, "StorageUnavailable")
      assert.strictEqual(yield* refusal(accounts, token), "InvalidAccountToken")
    }))

  it.effect.runIf(Tier.isWhole)(
    "the cache has at most 2,048 tokens and removes the least recently used one",
    () =>
      Effect.gen(function*() {
        let lookUps = 0
        const { accounts } = yield* build(30, (store) => ({
          findByHash: (hash) => Effect.suspend(() => (lookUps++, store.findByHash(hash)))
        }))
        const tokens = yield* Effect.forEach(
          Array.from({ length: 2_049 }),
          (_, n) => Effect.map(accounts.mint(securityKey, { name: `bot-${n}` }), ({ token }) => token)
        )
        const costs = Effect.fnUntraced(function*(token: Redacted.Redacted) {
          const before = lookUps
          yield* accounts.authenticate(token, undefined)
          return lookUps - before
        })
        const [first, second, ...others] = tokens
        for (const token of tokens.slice(0, -1)) assert.strictEqual(yield* costs(token), 1)
        assert.strictEqual(yield* costs(first!), 0)
        assert.strictEqual(yield* costs(others.at(-1)!), 1)
        assert.strictEqual(yield* costs(first!), 0)
        assert.strictEqual(yield* costs(second!), 1)
      })
  )

  it.effect("a refused token is never cached", () =>
    Effect.gen(function*() {
      let known = false
      const { accounts } = yield* build(30, (store) => ({
        findByHash: (hash) => known ? store.findByHash(hash) : Effect.succeedNone
      }))
      const { token } = yield* accounts.mint(securityKey, { name: "bot" })
      assert.strictEqual(yield* refusal(accounts, token), "InvalidAccountToken")
      known = true
      assert.strictEqual((yield* accounts.authenticate(token, undefined)).user_id, "sa:bot")
    }))
})

describe("A token in an outage of the database", () => {
  const outage = Effect.fnUntraced(function*() {
    let isAway = false
    let isKnown = true
    const made = yield* build(0, (store) => ({
      findByHash: (hash) => Effect.suspend(() => isAway ? down : isKnown ? store.findByHash(hash) : Effect.succeedNone),
      revoke: (...args) => Effect.suspend(() => isAway ? down : store.revoke(...args))
    }))
    const inOutage = (token: Redacted.Redacted) =>
      made.accounts.authenticateInOutage(token, undefined).pipe(
        Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: ({ user_id }) => user_id as string })
      )
    return {
      ...made,
      inOutage,
      lose: () => (isAway = true),
      comeBack: () => (isAway = false),
      /** On another node, which removes the account. */
      remove: () => (isKnown = false)
    }
  })

  it.effect("a token is accepted for an hour after its last verification, and elsewhere not at all", () =>
    Effect.gen(function*() {
      const { accounts, comeBack, inOutage, lose } = yield* outage()
      const [used, unused] = [
        yield* accounts.mint(securityKey, { name: "used", scopes: ["metrics:read"] }),
        yield* accounts.mint(securityKey, { name: "unused" })
      ]
      yield* accounts.authenticate(used.token, undefined)
      lose()
      assert.strictEqual(yield* inOutage(used.token), "sa:used")
      const { grants } = yield* accounts.authenticateInOutage(used.token, undefined)
      assert.deepStrictEqual<unknown>(grants, Scope.grants(["metrics:read"], "root"))
      assert.strictEqual(yield* inOutage(unused.token), "StorageUnavailable")
      assert.strictEqual(yield* refusal(accounts, used.token), "StorageUnavailable")
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual(yield* inOutage(used.token), "sa:used")
      assert.strictEqual(
        (yield* Effect.flip(accounts.reauthenticate(used.token, undefined)))._tag,
        "StorageUnavailable"
      )
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* inOutage(used.token), "StorageUnavailable")
      comeBack()
      assert.strictEqual(yield* inOutage(used.token), "sa:used")
      lose()
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual(yield* inOutage(used.token), "sa:used")
    }))

  it.effect("a look-up that takes longer than four seconds is one without a reply", () =>
    Effect.gen(function*() {
      let isLocked = false
      const { accounts } = yield* build(0, (store) => ({
        findByHash: (hash) => isLocked ? Effect.never : store.findByHash(hash)
      }))
      const [used, unused] = [
        yield* accounts.mint(securityKey, { name: "used" }),
        yield* accounts.mint(securityKey, { name: "unused" })
      ]
      yield* accounts.authenticate(used.token, undefined)
      isLocked = true
      const fibers = yield* Effect.forEach([used, unused], ({ token }) =>
        Effect.forkChild(Effect.result(accounts.authenticateInOutage(token, undefined)), { startImmediately: true }))
      yield* TestClock.adjust("4 seconds")
      const [known, unknown] = yield* Fiber.joinAll(fibers)
      assert.strictEqual(known?._tag, "Success")
      assert.strictEqual(unknown?._tag, "Failure")
    }))

  it.effect("a token that expires is not accepted any more", () =>
    Effect.gen(function*() {
      const { accounts, inOutage, lose } = yield* outage()
      const { token } = yield* accounts.mint(securityKey, { name: "bot", expires_in_days: 1 })
      yield* TestClock.adjust("23 hours")
      yield* TestClock.adjust("59 minutes")
      yield* accounts.authenticate(token, undefined)
      lose()
      assert.strictEqual(yield* inOutage(token), "sa:bot")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* inOutage(token), "StorageUnavailable")
    }))

  it.effect("a token is forgotten when a look-up refuses it, and when this node revokes it", () =>
    Effect.gen(function*() {
      const { accounts, comeBack, inOutage, lose, remove } = yield* outage()
      const [revoked, removed] = [
        yield* accounts.mint(securityKey, { name: "revoked" }),
        yield* accounts.mint(securityKey, { name: "removed" })
      ]
      for (const { token } of [revoked, removed]) yield* accounts.authenticate(token, undefined)
      lose()
      // the outcome is unknown
      assert.strictEqual(
        (yield* Effect.flip(accounts.revoke(securityKey, revoked.account.id)))._tag,
        "StorageUnavailable"
      )
      assert.strictEqual(yield* inOutage(revoked.token), "StorageUnavailable")
      assert.strictEqual(yield* inOutage(removed.token), "sa:removed")
      comeBack()
      remove()
      assert.strictEqual(yield* inOutage(removed.token), "InvalidAccountToken")
      lose()
      assert.strictEqual(yield* inOutage(removed.token), "StorageUnavailable")
    }))
})

describe("Refusals", () => {
  it.effect("failures of unknown, revoked and expired tokens are counted together", () =>
    Effect.gen(function*() {
      const { accounts } = yield* build(0)
      const [revoked, expired] = [
        yield* accounts.mint(securityKey, { name: "revoked" }),
        yield* accounts.mint(securityKey, { name: "expired", expires_in_days: 1 })
      ]
      yield* accounts.revoke(securityKey, revoked.account.id)
      yield* TestClock.adjust("1 day")
      const bad = [revoked.token, expired.token, Redacted.make("svc_pat_unknown")]
      const answers = yield* Effect.forEach(
        Array.from({ length: 24 }, (_, n) => bad[n % 3]!),
        (token) => refusal(accounts, token)
      )
      assert.deepStrictEqual(answers, [...Array(20).fill("InvalidAccountToken"), ...Array(4).fill("TooManyAttempts")])
    }))

  it("failures are counted in a sliding minute", () => {
    const { isTooMany } = FailedAttempts.make()
    const seconds = (second: number) => second * 1_000
    assert.isFalse(isTooMany("a", seconds(0)))
    for (let n = 0; n < 19; n++) assert.isFalse(isTooMany("a", seconds(59)))
    assert.isTrue(isTooMany("a", seconds(59)))
    assert.isFalse(isTooMany("a", seconds(60)))
    assert.isTrue(isTooMany("a", seconds(61)))
    assert.isTrue(isTooMany("a", seconds(118)))
    assert.isFalse(isTooMany("a", seconds(119)))
  })
})
