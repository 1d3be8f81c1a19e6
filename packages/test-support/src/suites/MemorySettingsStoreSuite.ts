// What every `MemorySettingsStore` has to do.
import { assert, layer } from "@effect/vitest"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { Effect, type Layer } from "effect"
import { userId } from "./Samples.ts"

export const suite = <E>(name: string, stores: Layer.Layer<MemorySettingsStore, E>) =>
  layer(stores, { excludeTestServices: true })(`MemorySettingsStore, ${name}`, (it) => {
    it.effect("memory is on for a user until it is switched off, and again when it is switched on", () =>
      Effect.gen(function*() {
        const store = yield* MemorySettingsStore
        const [user, other] = [userId(), userId()]
        assert.isTrue(yield* store.isEnabled(user))
        yield* store.set(user, false, 1)
        yield* store.set(user, false, 2)
        assert.isFalse(yield* store.isEnabled(user))
        assert.isTrue(yield* store.isEnabled(other))
        yield* store.set(user, true, 3)
        assert.isTrue(yield* store.isEnabled(user))
      }))

    it.effect("memory is switched off for several users, who are listed in the order of their ids", () =>
      Effect.gen(function*() {
        const store = yield* MemorySettingsStore
        const users = [userId(), userId(), userId()].sort()
        yield* Effect.forEach(users, (user_id) => store.set(user_id, true, 1))
        yield* store.disable(users, 2)
        yield* store.disable(users, 3)
        const [first, second] = [yield* store.listDisabled(undefined, 2), yield* store.listDisabled(users[0], 2)]
        assert.deepStrictEqual(first, users.slice(0, 2))
        assert.deepStrictEqual(second, users.slice(1))
        yield* Effect.forEach(users, (user_id) => store.set(user_id, true, 4))
        assert.deepStrictEqual(yield* store.listDisabled(undefined, 2), [])
      }))

    it.effect("the removal of what is known about a user is recorded with its counts, for this user only", () =>
      Effect.gen(function*() {
        const store = yield* MemorySettingsStore
        const [user, other] = [userId(), userId()]
        const erasure = {
          user_id: user,
          action: "memory_deleted",
          actor: null,
          credential: "key",
          at: 1,
          counts: { memories: 2 }
        } as const
        const later = { ...erasure, action: "learnings_deleted", actor: user, at: 2, counts: { learnings: 0 } } as const
        yield* store.recordErasure(erasure)
        yield* store.recordErasure(later)
        assert.deepStrictEqual(yield* store.erasuresOf(user), [erasure, later])
        assert.deepStrictEqual(yield* store.erasuresOf(other), [])
      }))
  })
