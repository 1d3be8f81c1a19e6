// What every `ServiceAccountStore` has to do. Tests share the database: each looks only at what it made itself, but for
// the lists, which are looked at by names that sort together.
import { assert, layer } from "@effect/vitest"
import { type AccountSort, ServiceAccountStore } from "@svc/auth"
import { Ids, ServiceAccount } from "@svc/domain"
import { Effect, type Layer, Option } from "effect"
import { newId } from "./Samples.ts"

const accountId = () => ServiceAccount.Id.make(newId("account"))

const account = (fields: Partial<ServiceAccount.ServiceAccount> = {}): ServiceAccount.ServiceAccount => ({
  id: accountId(),
  name: newId("bot"),
  user_id: null,
  token_hash: newId("hash"),
  token_prefix: "svc_pat_12345678",
  scopes: ["agents:run"],
  created_at: 1_700_000_000,
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  created_by: null,
  ...fields
})

const entry = (
  { id }: ServiceAccount.ServiceAccount,
  action: ServiceAccount.AuditEntry["action"],
  fields: Partial<ServiceAccount.AuditEntry> = {}
): ServiceAccount.AuditEntry => ({
  account_id: id,
  action,
  actor: "ops",
  credential: "jwt",
  at: 1_700_000_000,
  ...fields
})

const insert = (one: ServiceAccount.ServiceAccount) =>
  ServiceAccountStore.use((store) => store.insert(one, entry(one, "minted")))

const find = (one: ServiceAccount.ServiceAccount) =>
  ServiceAccountStore.use((store) => Effect.map(store.findByHash(one.token_hash), Option.getOrUndefined))

const everything = { page: 1, limit: 10_000 }

export const suite = <E>(name: string, stores: Layer.Layer<ServiceAccountStore, E>) =>
  layer(stores, { excludeTestServices: true, timeout: 60_000 })(`ServiceAccountStore, ${name}`, (it) => {
    it.effect("gives back what it was given, by the hash of the token", () =>
      Effect.gen(function*() {
        const full = account({
          user_id: Ids.UserId.make("ann"),
          scopes: ["agents:x:run", "", "a,b", "quote\"s", "{}", "agents:x:run", "ümlaut"],
          expires_at: 1_800_000_000,
          last_used_at: 1_700_000_001,
          created_by: "ann"
        })
        const bare = account({ scopes: [] })
        yield* insert(full)
        yield* insert(bare)
        assert.deepStrictEqual(yield* find(full), full)
        assert.deepStrictEqual(yield* find(bare), bare)
        assert.isUndefined(yield* find(account()))
      }))

    it.effect("lets no two accounts have one name, until the first is revoked", () =>
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

    it.effect("decides among many who want one name at once", () =>
      Effect.gen(function*() {
        const name = newId("bot")
        const results = yield* Effect.forEach(
          Array.from({ length: 8 }, () => account({ name })),
          (one) => Effect.result(insert(one)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 1)
      }))

    it.effect("revokes once: the moment stays, and so does who it was", () =>
      Effect.gen(function*() {
        const store = yield* ServiceAccountStore
        const one = account()
        yield* insert(one)
        yield* store.revoke(one.id, 1_700_000_010, entry(one, "revoked", { actor: "ann", at: 1_700_000_010 }))
        yield* store.revoke(one.id, 1_700_000_020, entry(one, "revoked", { actor: "bob", at: 1_700_000_020 }))
        assert.deepStrictEqual(yield* find(one), { ...one, revoked_at: 1_700_000_010 })
        assert.deepStrictEqual(yield* store.audit(one.id), [
          entry(one, "minted"),
          entry(one, "revoked", { actor: "ann", at: 1_700_000_010 })
        ])
      }))

    it.effect("writes one entry when many revoke at once", () =>
      Effect.gen(function*() {
        const store = yield* ServiceAccountStore
        const one = account()
        yield* insert(one)
        yield* Effect.forEach(
          Array.from({ length: 8 }, (_, n) => n),
          (n) => store.revoke(one.id, 1_700_000_010 + n, entry(one, "revoked", { actor: `${n}` })),
          { concurrency: "unbounded", discard: true }
        )
        assert.deepStrictEqual((yield* store.audit(one.id)).map(({ action }) => action), ["minted", "revoked"])
      }))

    it.effect("knows who is not there", () =>
      Effect.gen(function*() {
        const store = yield* ServiceAccountStore
        const absent = account()
        const error = yield* Effect.flip(store.revoke(absent.id, 1, entry(absent, "revoked")))
        assert.strictEqual(error._tag, "ServiceAccountNotFound")
        assert.deepStrictEqual(yield* store.audit(absent.id), [])
        yield* store.touch(absent.id, 1, 0)
      }))

    it.effect("keeps an actor that has no name", () =>
      Effect.gen(function*() {
        const store = yield* ServiceAccountStore
        const one = account()
        const said = entry(one, "minted", { actor: null, credential: "security_key" })
        yield* store.insert(one, said)
        assert.deepStrictEqual(yield* store.audit(one.id), [said])
      }))

    it.effect("writes down that an account was used, but not too often, and nothing else of it changes", () =>
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

    it.effect("stores what databases cannot", () =>
      Effect.gen(function*() {
        const odd = account({ user_id: Ids.UserId.make("a\u0000b\ud800"), created_by: "a\u0000b" })
        yield* insert(odd)
        assert.deepStrictEqual((yield* find(odd))?.id, odd.id)
      }))

    it.effect.each<readonly [AccountSort["by"], ReadonlyArray<Partial<ServiceAccount.ServiceAccount>>]>([
      ["created_at", [{ created_at: 2 }, { created_at: 1 }, { created_at: 2 }]],
      ["name", [{ name: "b" }, { name: "a" }, { name: "B" }]],
      ["last_used_at", [{ last_used_at: 2 }, { last_used_at: null }, { last_used_at: 1 }]],
      ["expires_at", [{ expires_at: null }, { expires_at: 5 }, { expires_at: null }]]
    ])("sorts by %s both ways, null last when ascending, ties by creation", ([by, samples]) =>
      Effect.gen(function*() {
        const store = yield* ServiceAccountStore
        const tag = newId("")
        const made = samples.map((fields) => account({ ...fields, name: `${fields.name ?? newId("n")}${tag}` }))
        yield* Effect.forEach(made, insert, { discard: true })
        const ids = made.map(({ id }) => id)
        const order = Effect.fnUntraced(function*(order: AccountSort["order"]) {
          const { accounts } = yield* store.list({ includeRevoked: true }, everything, { by, order })
          return accounts.flatMap(({ id }) => ids.includes(id) ? [ids.indexOf(id)] : [])
        })
        const ascending = { created_at: [1, 0, 2], name: [2, 1, 0], last_used_at: [2, 0, 1], expires_at: [1, 0, 2] }[by]
        assert.deepStrictEqual(yield* order("asc"), ascending)
        assert.deepStrictEqual(yield* order("desc"), ascending.toReversed())
      }))

    it.effect("lists in pages, with the real total past the last one, with or without those revoked", () =>
      Effect.gen(function*() {
        const store = yield* ServiceAccountStore
        const sort: AccountSort = { by: "created_at", order: "desc" }
        const before = (yield* store.list({ includeRevoked: true }, everything, sort)).total
        const active = (yield* store.list({ includeRevoked: false }, everything, sort)).total
        const made = Array.from({ length: 3 }, (_, n) => account({ created_at: 1_900_000_000 + n }))
        yield* Effect.forEach(made, insert, { discard: true })
        yield* store.revoke(made[1]!.id, 1_900_000_100, entry(made[1]!, "revoked"))
        const all = yield* store.list({ includeRevoked: true }, { page: 1, limit: 2 }, sort)
        assert.deepStrictEqual(all.accounts.map(({ id }) => id), [made[2]!.id, made[1]!.id])
        assert.strictEqual(all.total, before + 3)
        const alive = yield* store.list({ includeRevoked: false }, { page: 1, limit: 2 }, sort)
        assert.deepStrictEqual(alive.accounts.map(({ id }) => id), [made[2]!.id, made[0]!.id])
        assert.strictEqual(alive.total, active + 2)
        const past = yield* store.list({ includeRevoked: true }, { page: 1_000, limit: 100 }, sort)
        assert.deepStrictEqual(past, { accounts: [], total: before + 3 })
      }))
  })
