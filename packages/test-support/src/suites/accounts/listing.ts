// Lists of accounts. Accounts of other tests are among them: those of a test are found by their ids.
import { assert, type Vitest } from "@effect/vitest"
import { type AccountSort, ServiceAccountStore } from "@svc-runtime/auth"
import type * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Effect } from "effect"
import { newId } from "../Samples.ts"
import { account, entry, insert } from "./Accounts.ts"

const everything = { page: 1, limit: 10_000 }

export const listing = (it: Vitest.MethodsNonLive<ServiceAccountStore>) => {
  it.effect.each<readonly [AccountSort["by"], ReadonlyArray<Partial<ServiceAccount.ServiceAccount>>]>([
    ["created_at", [{ created_at: 2 }, { created_at: 1 }, { created_at: 2 }]],
    ["name", [{ name: "b" }, { name: "a" }, { name: "B" }]],
    ["last_used_at", [{ last_used_at: 2 }, { last_used_at: null }, { last_used_at: 1 }]],
    ["expires_at", [{ expires_at: null }, { expires_at: 5 }, { expires_at: null }]]
  ])(
    "accounts are sorted by %s both ways, null last when ascending, ties by creation",
    ([by, samples]) =>
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
      })
  )

  it.effect("accounts are listed in pages, with the real total past the last one, with or without those revoked", () =>
    Effect.gen(function*() {
      const store = yield* ServiceAccountStore
      const sort: AccountSort = { by: "created_at", order: "desc" }
      const before = (yield* store.list({ includeRevoked: true }, everything, sort)).total
      const active = (yield* store.list({ includeRevoked: false }, everything, sort)).total
      const made = Array.from({ length: 3 }, (_, n) => account({ created_at: 9_000_000_000 + n }))
      yield* Effect.forEach(made, insert, { discard: true })
      yield* store.revoke(made[1]!.id, 9_000_000_100, entry(made[1]!, "revoked"))
      const all = yield* store.list({ includeRevoked: true }, { page: 1, limit: 2 }, sort)
      assert.deepStrictEqual(all.accounts.map(({ id }) => id), [made[2]!.id, made[1]!.id])
      assert.strictEqual(all.total, before + 3)
      const alive = yield* store.list({ includeRevoked: false }, { page: 1, limit: 2 }, sort)
      assert.deepStrictEqual(alive.accounts.map(({ id }) => id), [made[2]!.id, made[0]!.id])
      assert.strictEqual(alive.total, active + 2)
      const next = yield* store.list({ includeRevoked: true }, { page: 2, limit: 2 }, sort)
      assert.deepStrictEqual(next.accounts[0], made[0])
      const past = yield* store.list({ includeRevoked: true }, { page: 1_000, limit: 100 }, sort)
      assert.deepStrictEqual(past, { accounts: [], total: before + 3 })
    }))
}
