// What happens to one account.
import { assert, type Vitest } from "@effect/vitest"
import { ServiceAccountStore } from "@svc-runtime/auth"
import * as Ids from "@svc-runtime/domain/Ids"
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Effect, Option } from "effect"
import { awkward, newId } from "../Samples.ts"
import { account, entry, find, insert } from "./Accounts.ts"

export const persistence = (it: Vitest.MethodsNonLive<ServiceAccountStore>) => {
  it.effect("an account is found by the hash of its token as it was stored", () =>
    Effect.gen(function*() {
      const full = account({
        user_id: Ids.UserId.make("ann"),
        scopes: ["agents:x:run", "", "a,b", "{}", "agents:x:run", "NULL", ...awkward],
        created_at: 4_000_000_000,
        expires_at: 4_100_000_000,
        last_used_at: 4_000_000_001,
        created_by: "ann"
      })
      const bare = account({ scopes: [] })
      yield* insert(full)
      yield* insert(bare)
      assert.deepStrictEqual(yield* find(full), full)
      assert.deepStrictEqual(yield* find(bare), bare)
      assert.isUndefined(yield* find(account()))
    }))

  it.effect("no two accounts have one name, until the first is revoked", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const first = account()
      const second = account({ name: first.name })
      yield* insert(first)
      const taken = yield* Effect.flip(insert(second))
      assert.strictEqual(taken._tag, "ServiceAccountNameTaken")
      assert.include(taken.message, first.name)
      assert.isUndefined(yield* find(second))
      assert.deepStrictEqual(yield* store.audit(second.id), [])
      yield* store.revoke(first.id, 1_700_000_010, entry(first, "revoked"))
      yield* insert(second)
      assert.deepStrictEqual(yield* find(second), second)
      const third = account({ name: first.name })
      assert.strictEqual((yield* Effect.flip(insert(third)))._tag, "ServiceAccountNameTaken")
    }))

  it.effect("the store knows whether other users made accounts with a name, and whether one of them is active", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const [ann, bob] = [Ids.UserId.make(newId("ann")), Ids.UserId.make(newId("bob"))]
      const one = account({ user_id: ann })
      assert.strictEqual(yield* store.nameOfOthers(one.name, bob), "none")
      yield* insert(one)
      assert.strictEqual(yield* store.nameOfOthers(one.name, ann), "none")
      assert.strictEqual(yield* store.nameOfOthers(one.name, bob), "active")
      assert.strictEqual(yield* store.nameOfOthers(one.name, null), "active")
      yield* store.revoke(one.id, 1_700_000_010, entry(one, "revoked"))
      assert.strictEqual(yield* store.nameOfOthers(one.name, ann), "none")
      assert.strictEqual(yield* store.nameOfOthers(one.name, bob), "revoked")
      const unknown = account()
      yield* insert(unknown)
      assert.strictEqual(
        yield* store.nameOfOthers(unknown.name, null),
        "active",
        "callers without a name are not one user"
      )
    }))

  it.effect("an account is active until it is revoked or expires, and one of its name that follows is active again", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const [one, short] = [account(), account({ expires_at: 1_700_000_100 })]
      assert.isFalse(yield* store.isActive(one.name, null, 1_700_000_000))
      yield* insert(one)
      yield* insert(short)
      assert.isTrue(yield* store.isActive(one.name, null, 1_700_000_100))
      assert.isTrue(yield* store.isActive(short.name, null, 1_700_000_099))
      assert.isFalse(yield* store.isActive(short.name, null, 1_700_000_100))
      yield* store.revoke(one.id, 1_700_000_010, entry(one, "revoked"))
      assert.isFalse(yield* store.isActive(one.name, null, 1_700_000_011))
      yield* insert(account({ name: one.name }))
      assert.isTrue(yield* store.isActive(one.name, null, 1_700_000_011))
    }))

  it.effect("an account of a tenant is active as one of that tenant only, and is revoked with its tenant", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const one = account({ tenant: "acme" })
      yield* insert(one)
      assert.deepStrictEqual(Option.getOrThrow(yield* store.findByHash(one.token_hash)), one)
      const active = (tenant: string | null) => store.isActive(one.name, tenant, 1_700_000_000)
      assert.deepStrictEqual([yield* active("acme"), yield* active(null), yield* active("globex")], [
        true,
        false,
        false
      ])
      const revoked = yield* store.revoke(one.id, 1_700_000_010, entry(one, "revoked"))
      assert.deepStrictEqual(revoked, { name: one.name, tenant: "acme", isNew: true })
    }))

  it.effect("exactly one of many accounts that claim a name at once gets it, and nothing of the others is left", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const name = newId("bot")
      const rivals = Array.from({ length: 8 }, () => account({ name }))
      const results = yield* Effect.forEach(
        rivals,
        (one) => Effect.match(insert(one), { onSuccess: () => "made", onFailure: ({ _tag }) => _tag }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.toSorted(), [...Array(7).fill("ServiceAccountNameTaken"), "made"])
      const left = yield* Effect.forEach(rivals, (one) => Effect.all([find(one), store.audit(one.id)]))
      const made = results.indexOf("made")
      assert.deepStrictEqual(
        left,
        rivals.map((one, index) => index === made ? [one, [entry(one, "minted")]] : [undefined, []])
      )
    }))

  it.effect("an account with the token of another account is refused, and nothing of it is stored", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const one = account()
      yield* insert(one)
      yield* store.revoke(one.id, 1_700_000_010, entry(one, "revoked"))
      const other = account({ token_hash: one.token_hash })
      const error = yield* Effect.flip(insert(other))
      assert.deepInclude(error, { _tag: "StorageUnavailable", isRejected: true })
      assert.strictEqual((yield* find(one))?.id, one.id)
      assert.deepStrictEqual(yield* store.audit(other.id), [])
    }))

  it.effect("an account is revoked once: the moment stays, and so does the caller", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const one = account()
      yield* insert(one)
      const revoke = (actor: string, at: number) => store.revoke(one.id, at, entry(one, "revoked", { actor, at }))
      assert.deepStrictEqual(yield* revoke("ann", 4_000_000_010), { name: one.name, tenant: null, isNew: true })
      assert.deepStrictEqual(yield* revoke("bob", 4_000_000_020), { name: one.name, tenant: null, isNew: false })
      assert.deepStrictEqual(yield* revoke("eve", 4_000_000_000), { name: one.name, tenant: null, isNew: false })
      yield* store.touch(one.id, 4_000_000_030, 4_000_000_000)
      assert.deepStrictEqual(yield* find(one), {
        ...one,
        last_used_at: 4_000_000_030,
        revoked_at: 4_000_000_010
      })
      assert.deepStrictEqual(yield* store.audit(one.id), [
        entry(one, "minted"),
        entry(one, "revoked", { actor: "ann", at: 4_000_000_010 })
      ])
    }))

  it.effect("many revocations at once write one audit entry", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const one = account()
      yield* insert(one)
      const results = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, n) => n),
        (n) => store.revoke(one.id, 1_700_000_010 + n, entry(one, "revoked", { actor: `${n}` })),
        { concurrency: "unbounded" }
      )
      const first = results.findIndex(({ isNew }) => isNew)
      assert.strictEqual(results.filter(({ isNew }) => isNew).length, 1)
      assert.deepStrictEqual(yield* store.audit(one.id), [
        entry(one, "minted"),
        entry(one, "revoked", { actor: `${first}` })
      ])
      assert.strictEqual((yield* find(one))?.revoked_at, 1_700_000_010 + first)
    }))

  it.effect("the store knows an account that does not exist", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const absent = account()
      const error = yield* Effect.flip(store.revoke(absent.id, 1, entry(absent, "revoked")))
      assert.strictEqual(error._tag, "ServiceAccountNotFound")
      assert.deepStrictEqual(yield* store.audit(absent.id), [])
      yield* store.touch(absent.id, 1, 0)
    }))

  it.effect("an actor without a name is stored as such", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const one = account()
      const mintedEntry = entry(one, "minted", { actor: null, credential: "security_key" })
      yield* store.insert(one, mintedEntry)
      assert.deepStrictEqual(yield* store.audit(one.id), [mintedEntry])
    }))

  it.effect("the use of an account is recorded at intervals, and nothing else of it changes", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const one = account()
      yield* insert(one)
      yield* store.touch(one.id, 1_000, 940)
      assert.deepStrictEqual(yield* find(one), { ...one, last_used_at: 1_000 })
      yield* store.touch(one.id, 1_059, 999)
      assert.strictEqual((yield* find(one))?.last_used_at, 1_000)
      yield* store.touch(one.id, 1_060, 1_000)
      assert.strictEqual((yield* find(one))?.last_used_at, 1_060)
    }))

  it.effect("texts that are difficult for a database are stored and found", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const readable = (text: string | null | undefined) => text?.toWellFormed().replaceAll(/[\0\ufffd]/g, "")
      for (const text of awkward) {
        const odd = account({
          id: ServiceAccount.Id.make(newId(text)),
          name: newId(text),
          user_id: Ids.UserId.make(text),
          token_hash: newId(text),
          token_prefix: text,
          scopes: [text, `agents:${text}:run`],
          created_by: text
        })
        yield* store.insert(odd, entry(odd, "minted", { actor: text }))
        assert.strictEqual((yield* Effect.flip(insert(odd)))._tag, "ServiceAccountNameTaken")
        const found = (yield* find(odd))!
        assert.deepStrictEqual(found.scopes, odd.scopes)
        for (const key of ["id", "name", "user_id", "token_hash", "token_prefix", "created_by"] as const) {
          assert.strictEqual(readable(found[key]), readable(odd[key]), key)
        }
        yield* store.touch(odd.id, 2, 1)
        yield* store.revoke(odd.id, 3, entry(odd, "revoked", { actor: text }))
        assert.deepStrictEqual(yield* find(odd), { ...found, last_used_at: 2, revoked_at: 3 })
        const entries = yield* store.audit(odd.id)
        assert.deepStrictEqual(entries.map(({ actor }) => readable(actor)), [readable(text), readable(text)])
        assert.isUndefined(yield* find(account({ token_hash: `${odd.token_hash}\0` })))
      }
    }))
}
