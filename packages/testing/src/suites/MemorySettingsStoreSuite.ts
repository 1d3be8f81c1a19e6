// What every `MemorySettingsStore` has to do.
import { assert, layer } from "@effect/vitest"
import { MemorySettingsStore } from "@svc/runtime/memory/MemorySettingsStore"
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
  })
