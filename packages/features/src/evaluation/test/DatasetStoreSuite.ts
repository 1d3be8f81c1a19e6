// What every `DatasetStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as Dataset from "../Dataset.ts"
import { type Change, DatasetStore } from "../datasets/DatasetStore.ts"

export const dataset = (fields: Partial<Dataset.Stored> = {}): Dataset.Stored => ({
  id: Dataset.Id.make(newId("dataset")),
  name: "capitals",
  description: null,
  user_id: null,
  version: 1,
  item_count: 0,
  created_at: 1_000,
  updated_at: 1_000,
  ...fields
})

export const change = (fields: Partial<Change> = {}): Change => ({
  put: [],
  remove: [],
  version: undefined,
  at: 2_000,
  limit: 100,
  ...fields
})

/** An item with an id, and its input. */
export const item = (id: string, input: Dataset.Content["input"] = id) => ({
  id: Dataset.ItemId.make(id),
  content: Dataset.contentOf({ input })
})

const anyone = Owner.anyone
const page = { page: 1, limit: 10 }

const created = Effect.fnUntraced(function*(fields: Partial<Dataset.Stored> = {}) {
  const store = yield* DatasetStore
  const stored = dataset(fields)
  yield* store.create(stored)
  const changed = (fields: Partial<Change>) =>
    Effect.map(store.change(stored.id, anyone, change(fields)), Option.getOrThrow)
  const inputs = (version: number) =>
    Effect.map(store.items(stored.id, version, page), ({ items }) => items.map(({ input }) => input))
  return { store, stored, changed, inputs }
})

export const suite = <E>(name: string, stores: Layer.Layer<DatasetStore, E>) =>
  layer(stores, { excludeTestServices: true })(`DatasetStore, ${name}`, (it) => {
    it.effect("a change of items makes a version, and those before it stay as they are", () =>
      Effect.gen(function*() {
        const { changed, inputs, stored } = yield* created()
        assert.deepInclude(yield* changed({ put: [item("a"), item("b", { text: "\u0000" })] }), {
          version: 2,
          item_count: 2,
          created_at: 1_000,
          updated_at: 2_000
        })
        yield* changed({ put: [item("c"), item("a", "new a")], remove: ["b", "unknown"] })
        const { item_count, version } = yield* changed({ put: [item("b", "again")] })
        assert.deepStrictEqual([version, item_count], [4, 3])
        assert.deepStrictEqual(yield* inputs(stored.version), [])
        assert.deepStrictEqual(yield* inputs(2), ["a", { text: "\u0000" }])
        // a replaced item keeps its place
        assert.deepStrictEqual(yield* inputs(3), ["new a", "c"])
        assert.deepStrictEqual(yield* inputs(4), ["new a", "c", "again"])
      }))

    it.effect("the items of a new dataset are its second version, and are stored with it or not at all", () =>
      Effect.gen(function*() {
        const store = yield* DatasetStore
        const [whole, broken] = [dataset(), dataset()]
        const made = yield* store.create(whole, [item("a"), item("b")])
        assert.deepStrictEqual(made, { ...whole, version: 2, item_count: 2 })
        assert.deepStrictEqual(yield* store.find(whole.id, anyone), Option.some(made))
        const changed = yield* store.change(whole.id, anyone, change({ put: [item("c"), item("a", "new a")] }))
        assert.deepInclude(Option.getOrThrow(changed), { version: 3, item_count: 3 })
        const inputs = (version: number) =>
          Effect.map(store.items(whole.id, version, page), ({ items }) => items.map(({ input }) => input))
        assert.deepStrictEqual([yield* inputs(1), yield* inputs(2), yield* inputs(3)], [[], ["a", "b"], [
          "new a",
          "b",
          "c"
        ]])
        yield* Effect.flip(store.create(broken, [item("a"), item("a")]))
        assert.deepStrictEqual(yield* store.find(broken.id, anyone), Option.none())
      }))

    it.effect("a user has at most half of the datasets that the limit allows, also when they are made at once", () =>
      Effect.gen(function*() {
        const store = yield* DatasetStore
        const [ann, bob] = [userId(), userId()]
        const { total } = yield* store.list(anyone, page)
        const limit = 2 * (total + 2)
        const within = (user_id: Dataset.Stored["user_id"], most = limit) =>
          Effect.map(store.createWithin(dataset({ user_id }), [item("a")], most), Option.isSome)
        const made = yield* Effect.forEach(Array.from({ length: total + 6 }), () => within(ann), {
          concurrency: "unbounded"
        })
        assert.lengthOf(made.filter((isStored) => isStored), limit / 2)
        assert.deepStrictEqual([yield* within(bob), yield* within(null)], [true, true])
        assert.deepStrictEqual([yield* within(bob, total), yield* within(null, total)], [false, false])
      }))

    it.effect("an item is read with all of its content and its version, in pages", () =>
      Effect.gen(function*() {
        const { changed, store, stored } = yield* created()
        const content: Dataset.Content = {
          input: ["ü", 1],
          expected_output: { city: null },
          expected_tool_calls: ["search", { name: "read", arguments: { path: "a" } }],
          metadata: { from: "a test" }
        }
        const id = Dataset.ItemId.make("whole")
        yield* changed({ put: [{ id, content }, item("next")] })
        assert.deepStrictEqual(yield* store.items(stored.id, 2, { page: 1, limit: 1 }), {
          items: [{ id, ...content, version: 2 }],
          total: 2
        })
        assert.deepStrictEqual(yield* store.items(stored.id, 2, { page: 9, limit: 1 }), { items: [], total: 2 })
      }))

    it.effect("the ids of a version are in the order of its items, and items are read by their ids", () =>
      Effect.gen(function*() {
        const { changed, store, stored } = yield* created()
        yield* changed({ put: [item("a"), item("b"), item("c")] })
        yield* changed({ put: [item("a", "new a"), item("d")], remove: ["b"] })
        assert.deepStrictEqual<unknown>(yield* store.itemIds(stored.id, 2), ["a", "b", "c"])
        assert.deepStrictEqual<unknown>(yield* store.itemIds(stored.id, 3), ["a", "c", "d"])
        const inputs = (version: number, ...ids: ReadonlyArray<string>) =>
          Effect.map(
            store.itemsOf(stored.id, version, ids.map((id) => Dataset.ItemId.make(id))),
            (items) => items.map(({ input }) => input)
          )
        assert.deepStrictEqual(yield* inputs(2, "c", "a", "d"), ["a", "c"])
        assert.deepStrictEqual(yield* inputs(3, "c", "a", "b"), ["new a", "c"])
        assert.deepStrictEqual(yield* inputs(3), [])
      }))

    it.effect("a change without an effect makes no version", () =>
      Effect.gen(function*() {
        const { changed, stored } = yield* created()
        assert.deepStrictEqual(yield* changed({ remove: ["unknown"] }), stored)
      }))

    it.effect("a change about another version than the latest one is refused, and stores nothing", () =>
      Effect.gen(function*() {
        const { changed, inputs } = yield* created()
        yield* changed({ put: [item("a")], version: 1 })
        const error = yield* Effect.flip(changed({ put: [item("b")], version: 1 }))
        assert.deepInclude(error, { _tag: "DatasetChanged", version: 2 })
        assert.deepStrictEqual(yield* inputs(2), ["a"])
      }))

    it.effect("more items than the limit are refused, in one version and in all together", () =>
      Effect.gen(function*() {
        const { changed, inputs } = yield* created()
        const limit = 2
        yield* changed({ put: [item("a"), item("b")], limit })
        const error = yield* Effect.flip(changed({ put: [item("c")], remove: [], limit }))
        assert.deepInclude(error, { _tag: "DatasetFull", limit, isHistory: false })
        yield* changed({ put: [item("c")], remove: ["a"], limit })
        for (let count = 3; count < 20; count++) yield* changed({ put: [item("c", count)], limit })
        const last = yield* Effect.flip(changed({ put: [item("c")], limit }))
        assert.deepInclude(last, { _tag: "DatasetFull", limit: 20, isHistory: true })
        assert.deepStrictEqual(yield* inputs(20), ["b", 19])
      }))

    it.effect("owners find, list, change and remove only their own datasets", () =>
      Effect.gen(function*() {
        const [ann, bob] = [userId(), userId()]
        const { store, stored: first } = yield* created({ user_id: ann })
        const { stored: second } = yield* created({ user_id: ann, name: "second" })
        const { stored: others } = yield* created({ user_id: bob })
        const owner = Owner.user(ann)
        const { datasets, total } = yield* store.list(owner, page)
        assert.deepStrictEqual([datasets, total], [[second, first], 2])
        for (const stranger of [owner, Owner.none]) {
          assert.isTrue(Option.isNone(yield* store.find(others.id, stranger)))
          assert.isTrue(Option.isNone(yield* store.patch(others.id, stranger, { name: "x", at: 1 })))
          assert.isTrue(Option.isNone(yield* store.change(others.id, stranger, change({ put: [item("a")] }))))
          assert.isTrue(Option.isNone(yield* store.remove(others.id, stranger)))
        }
        const patched = yield* store.patch(first.id, owner, { description: "of Europe", at: 3_000 })
        assert.deepStrictEqual(patched, Option.some({ ...first, description: "of Europe", updated_at: 3_000 }))
        assert.deepStrictEqual(yield* store.remove(first.id, owner), Option.some([]))
        assert.isTrue(Option.isNone(yield* store.find(first.id, anyone)))
        assert.deepStrictEqual(yield* store.find(others.id, anyone), Option.some(others))
      }))
  })
