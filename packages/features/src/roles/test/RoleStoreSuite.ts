// What every `RoleStore` has to do.
import { assert, layer } from "@effect/vitest"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import { RoleStore } from "../RoleStore.ts"
import type { StoredRole } from "../StoredRole.ts"

export const role = (fields: Partial<StoredRole> = {}): StoredRole => ({
  name: newId("role"),
  description: "Answers customers",
  scopes: ["agents:desk:run", "sessions:read"],
  created_at: 1_000,
  updated_at: null,
  created_by: "ann",
  ...fields
})

export const suite = <E>(name: string, stores: Layer.Layer<RoleStore, E>) =>
  layer(stores, { excludeTestServices: true })(`RoleStore, ${name}`, (it) => {
    it.effect("roles are read as they were stored, in the order of their names", () =>
      Effect.gen(function*() {
        const store = yield* RoleStore
        const begin = newId("r")
        const made = [role({ name: `${begin}a` }), role({ name: `${begin}B`, scopes: [], created_by: null })]
        for (const each of made) assert.isTrue(yield* store.create(each, 1000))
        const read = (yield* store.all).filter((each) => each.name.startsWith(begin))
        assert.deepStrictEqual(read, made.toReversed())
        assert.deepStrictEqual(Option.getOrThrow(yield* store.find(made[0]!.name)), made[0])
        assert.isTrue(Option.isNone(yield* store.find(newId("role"))))
      }))

    it.effect("a name has one role, and a service has as many as it may", () =>
      Effect.gen(function*() {
        const [store, one] = [yield* RoleStore, role()]
        assert.isTrue(yield* store.create(one, 1000))
        assert.strictEqual((yield* Effect.flip(store.create(one, 1000)))._tag, "RoleNameTaken")
        assert.isFalse(yield* store.create(role(), 1))
      }))

    it.effect("a changed role keeps who made it and when, and one that is gone is not changed", () =>
      Effect.gen(function*() {
        const [store, one] = [yield* RoleStore, role()]
        yield* store.create(one, 1000)
        const changed = { ...one, description: "a \u0000", scopes: ["sessions:read"], updated_at: 9, created_by: "bob" }
        assert.isTrue(yield* store.replace(changed, one))
        const expected = { ...changed, description: "a \ufffd", created_by: "ann" }
        assert.deepStrictEqual(Option.getOrThrow(yield* store.find(one.name)), expected)
        assert.deepStrictEqual([yield* store.remove(expected), yield* store.remove(expected)], [true, false])
        assert.isFalse(yield* store.replace(changed, expected))
      }))

    it.effect("a role that was changed since it was read is neither changed nor removed", () =>
      Effect.gen(function*() {
        const [store, one] = [yield* RoleStore, role()]
        yield* store.create(one, 1000)
        const narrowed = { ...one, scopes: [] }
        assert.isTrue(yield* store.replace(narrowed, one))
        assert.isFalse(yield* store.replace({ ...one, description: "other" }, one))
        assert.isFalse(yield* store.remove(one))
        assert.deepStrictEqual(Option.getOrThrow(yield* store.find(one.name)), narrowed)
        assert.isTrue(yield* store.remove(narrowed))
      }))
  })
