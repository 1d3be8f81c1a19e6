// What every `StoredChannelStore` has to do.
import { assert, layer } from "@effect/vitest"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import type { Stored } from "../StoredChannel.ts"
import { StoredChannelStore } from "../StoredChannelStore.ts"

const most = 1_000_000

export const channel = (fields: Partial<Stored> = {}): Stored => ({
  id: newId("channel"),
  revision: "1",
  platform: "slack",
  component_kind: "agent",
  component_id: "desk",
  access: { type: "open", senders: ["U1"] },
  when_busy: "queue",
  tenant: null,
  settings: { home: "# Desk" },
  secrets: "sealed:1:key:data",
  secret_names: ["token"],
  created_at: 1_000,
  updated_at: null,
  ...fields
})

const created = Effect.fnUntraced(function*(fields: Partial<Stored> = {}) {
  const [store, one] = [yield* StoredChannelStore, channel(fields)]
  assert.strictEqual(yield* store.create(one, most), "created")
  return { one, store }
})

export const suite = <E>(name: string, stores: Layer.Layer<StoredChannelStore, E>) =>
  layer(stores, { excludeTestServices: true })(`StoredChannelStore, ${name}`, (it) => {
    it.effect("a channel is read and listed as it was stored, by its id", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        const { one: other } = yield* created({ access: { type: "linked" }, tenant: "acme", component_kind: "team" })
        assert.deepStrictEqual(yield* store.find(one.id), Option.some(one))
        const listed = (yield* store.all()).filter(({ id }) => id === one.id || id === other.id)
        assert.deepStrictEqual(listed, [one, other].toSorted((a, b) => a.id < b.id ? -1 : 1))
        assert.deepStrictEqual(yield* store.find(newId("channel")), Option.none())
      }))

    it.effect("an id is used once, and there are at most so many channels", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        assert.strictEqual(yield* store.create(channel({ id: one.id, platform: "discord" }), most), "known")
        assert.strictEqual(yield* store.create(channel(), 1), "full")
        assert.deepStrictEqual(yield* store.find(one.id), Option.some(one))
      }))

    it.effect("a change replaces the revision that was read, and no later one", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        const changed = { ...one, revision: "2", when_busy: "reject", settings: {}, updated_at: 2_000 } as const
        assert.isTrue(yield* store.replace(changed, "1", false))
        assert.isFalse(yield* store.replace({ ...one, revision: "3" }, "1", false))
        assert.deepStrictEqual(yield* store.find(one.id), Option.some(changed))
      }))

    it.effect("a removed channel is gone", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        assert.isTrue(yield* store.remove(one.id))
        assert.isFalse(yield* store.remove(one.id))
        assert.deepStrictEqual(yield* store.find(one.id), Option.none())
      }))
  })
