// What every `MemoryVectorStore` has to do.
import { assert, layer } from "@effect/vitest"
import type * as Memory from "@svc-runtime/domain/Memory"
import * as Owner from "@svc-runtime/domain/Owner"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer } from "effect"
import { comparedAtOnce } from "../MemoryBudget.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { MemoryVectorStore } from "../MemoryVectorStore.ts"
import { create, memory, memoryId, source, store } from "./SampleMemories.ts"

const large = { maxBytes: 100_000_000, maxCount: 1_000_000 }
const budget = { maxBytes: 10_000, maxCount: 100 }

/** A vector in a plane, so that vectors with near angles are similar. */
const at = (degrees: number) => {
  const angle = degrees * Math.PI / 180
  return Float32Array.of(Math.cos(angle), Math.sin(angle))
}

const embed = Effect.fnUntraced(function*(model: string, vectors: ReadonlyArray<readonly [Memory.Memory, number]>) {
  const store = yield* MemoryVectorStore
  return yield* store.put(
    model,
    vectors.map(([{ memory_id }, degrees]) => ({ memory_id, version: 1, vector: at(degrees) }))
  )
})

const missingOf = Effect.fnUntraced(function*(model: string, user_id: Memory.Memory["user_id"]) {
  const [memories, vectors] = [yield* MemoryStore, yield* MemoryVectorStore]
  const all = yield* vectors.missing(model, large)
  const { memories: own } = yield* memories.list(
    { owner: user_id === null ? Owner.none : Owner.user(user_id) },
    { page: 1, limit: 1000 },
    { by: "updated_at", order: "desc" }
  )
  const ids = new Set(own.map(({ memory_id }) => memory_id))
  return all.filter(({ memory_id }) => ids.has(memory_id))
})

const nearestTo = (model: string, degrees: number, user_id: NonNullable<Memory.Memory["user_id"]>) =>
  MemoryVectorStore.use((vectors) =>
    Effect.map(
      vectors.nearest({ owner: Owner.user(user_id) }, { model, vector: at(degrees) }),
      (found) => found.map(({ memory }) => memory.memory)
    )
  )

export const suite = <E>(name: string, stores: Layer.Layer<MemorySettingsStore | MemoryStore | MemoryVectorStore, E>) =>
  layer(stores, { excludeTestServices: true })(`MemoryVectorStore, ${name}`, (it) => {
    it.effect("a memory has no vector until one is put, and is found by it then", () =>
      Effect.gen(function*() {
        const vectors = yield* MemoryVectorStore
        const [user_id, model] = [userId(), newId("model")]
        const [tea, cake] = [memory({ user_id, memory: "tea" }), memory({ user_id, memory: "cake" })]
        yield* store(tea, cake)
        assert.deepStrictEqual(
          (yield* missingOf(model, user_id)).map(({ memory, version }) => [memory, version]).sort(),
          [["cake", 1], ["tea", 1]]
        )
        assert.deepStrictEqual(yield* nearestTo(model, 0, user_id), [])
        assert.strictEqual(yield* embed(model, [[tea, 10], [cake, 80]]), 2)
        assert.deepStrictEqual(yield* missingOf(model, user_id), [])
        assert.deepStrictEqual(yield* nearestTo(model, 0, user_id), ["tea", "cake"])
        assert.deepStrictEqual(yield* nearestTo(model, 90, user_id), ["cake", "tea"])
        const [first] = yield* vectors.nearest({ owner: Owner.user(user_id) }, { model, vector: at(10) })
        assert.deepStrictEqual(first?.memory, tea)
        assert.approximately(first?.similarity ?? 0, 1, 1e-6)
      }))

    it.effect("a new text empties the vector, other topics keep it, and a vector of the old text is refused", () =>
      Effect.gen(function*() {
        const [memories, vectors] = [yield* MemoryStore, yield* MemoryVectorStore]
        const [user_id, model] = [userId(), newId("model")]
        const tea = memory({ user_id, memory: "tea" })
        yield* store(tea)
        yield* embed(model, [[tea, 0]])
        const { memory_id } = tea
        yield* memories.replace(memory_id, Owner.anyone, { memory: "tea", topics: ["a"] }, 2)
        assert.deepStrictEqual(yield* nearestTo(model, 0, user_id), ["tea"])
        yield* memories.replace(memory_id, Owner.anyone, { memory: "coffee", topics: ["a"] }, 3)
        assert.deepStrictEqual(yield* nearestTo(model, 0, user_id), [])
        assert.strictEqual(yield* vectors.put(model, [{ memory_id, version: 1, vector: at(0) }]), 0)
        const [missing] = yield* missingOf(model, user_id)
        assert.deepStrictEqual(missing, { memory_id, memory: "coffee", version: 2 })
        assert.strictEqual(yield* vectors.put(model, [{ memory_id, version: 2, vector: at(0) }]), 1)
        yield* memories.apply(user_id, [{ _tag: "Update", memory_id, memory: "milk", topics: [] }], source(), 4)
        assert.deepStrictEqual(yield* nearestTo(model, 0, user_id), [])
      }))

    it.effect("vectors of another model, and of another length, are not compared", () =>
      Effect.gen(function*() {
        const vectors = yield* MemoryVectorStore
        const [user_id, model, other] = [userId(), newId("model"), newId("other")]
        const tea = memory({ user_id })
        yield* store(tea)
        yield* embed(other, [[tea, 0]])
        assert.deepStrictEqual(yield* nearestTo(model, 0, user_id), [])
        assert.deepStrictEqual((yield* missingOf(model, user_id)).map(({ memory_id }) => memory_id), [tea.memory_id])
        yield* embed(model, [[tea, 0]])
        assert.deepStrictEqual((yield* missingOf(other, user_id)).length, 1)
        const wanted = { model, vector: Float32Array.of(1, 0, 0) }
        assert.deepStrictEqual(yield* vectors.nearest({ owner: Owner.user(user_id) }, wanted), [])
        const [found] = yield* vectors.forRun(user_id, budget, wanted)
        assert.deepStrictEqual(found, { memory: tea, similarity: undefined })
      }))

    it.effect("a text of which the model makes no vector is not missing, and is not found by meaning", () =>
      Effect.gen(function*() {
        const vectors = yield* MemoryVectorStore
        const [user_id, model] = [userId(), newId("model")]
        const { memory_id, ...fields } = memory({ user_id })
        yield* store({ memory_id, ...fields })
        assert.strictEqual(yield* vectors.put(model, [{ memory_id, version: 1, vector: undefined }]), 1)
        assert.deepStrictEqual(yield* missingOf(model, user_id), [])
        assert.deepStrictEqual(yield* nearestTo(model, 0, user_id), [])
        assert.strictEqual(yield* vectors.countOf(user_id), 0)
      }))

    it.effect("only memories of the one user are found, and the other conditions are about all of them", () =>
      Effect.gen(function*() {
        const vectors = yield* MemoryVectorStore
        const [user_id, other, model] = [userId(), userId(), newId("model")]
        const [mine, tagged, foreign, unowned] = [
          memory({ user_id, memory: "mine" }),
          memory({ user_id, memory: "tagged", topics: ["a"] }),
          memory({ user_id: other, memory: "foreign" }),
          memory({ user_id: null, memory: "without an owner" })
        ]
        yield* store(mine, tagged, foreign, unowned)
        yield* embed(model, [[mine, 1], [tagged, 90], [foreign, 0], [unowned, 0]])
        assert.deepStrictEqual(yield* nearestTo(model, 0, user_id), ["mine", "tagged"])
        const texts = (filter: Parameters<typeof vectors.nearest>[0]) =>
          Effect.map(
            vectors.nearest(filter, { model, vector: at(0) }),
            (found) => found.map(({ memory }) => memory.memory)
          )
        assert.deepStrictEqual(yield* texts({ owner: Owner.user(user_id), topics: ["a"] }), ["tagged"])
        assert.deepStrictEqual(yield* texts({ owner: Owner.none }), [])
        assert.deepStrictEqual(yield* texts({ owner: Owner.anyone }), [])
        const found = yield* vectors.forRun(user_id, budget, { model, vector: at(0) })
        assert.deepStrictEqual(found.map(({ memory }) => memory.memory).sort(), ["mine", "tagged"])
      }))

    it.effect("a run reads the newest memories that fit, and the nearest beyond them", () =>
      Effect.gen(function*() {
        const [vectors, settings] = [yield* MemoryVectorStore, yield* MemorySettingsStore]
        const [user_id, model] = [userId(), newId("model")]
        const old = memory({ user_id, memory: "old and near", updated_at: 1 })
        const recent = [2, 3, 4].map((updated_at) => memory({ user_id, memory: `recent ${updated_at}`, updated_at }))
        yield* store(old, ...recent)
        const few = { maxBytes: 10_000, maxCount: 2 }
        const read = (text: Parameters<typeof vectors.forRun>[2]) =>
          Effect.map(
            vectors.forRun(user_id, few, text),
            (found) => found.map(({ memory, similarity }) => [memory.memory, similarity !== undefined]).sort()
          )
        assert.deepStrictEqual(yield* read(undefined), [["recent 3", false], ["recent 4", false]])
        yield* embed(model, [[old, 0]])
        const wanted = { model, vector: at(0) }
        assert.deepStrictEqual(yield* read(wanted), [["old and near", true], ["recent 3", false], ["recent 4", false]])
        yield* settings.set(user_id, false, 1)
        assert.deepStrictEqual(yield* read(wanted), [])
        yield* settings.set(user_id, true, 2)
        assert.strictEqual((yield* read(wanted)).length, 3)
      }))

    it.effect("the vectors of a user are counted, and removed with the memories", () =>
      Effect.gen(function*() {
        const [memories, vectors] = [yield* MemoryStore, yield* MemoryVectorStore]
        const [user_id, model] = [userId(), newId("model")]
        const [first, second] = [memory({ user_id }), memory({ user_id })]
        yield* store(first, second)
        yield* embed(model, [[first, 0], [second, 0]])
        assert.strictEqual(yield* vectors.countOf(user_id), 2)
        yield* memories.remove([first.memory_id], Owner.user(user_id))
        assert.strictEqual(yield* vectors.countOf(user_id), 1)
        assert.strictEqual(yield* embed(model, [[first, 0]]), 0)
        yield* memories.removeOf(user_id)
        assert.strictEqual(yield* vectors.countOf(user_id), 0)
      }))

    it.effect("missing vectors are given up to a count and to bytes, and at least one", () =>
      Effect.gen(function*() {
        const vectors = yield* MemoryVectorStore
        const model = newId("model")
        yield* store(...[1, 2, 3].map(() => memory({ memory: "x".repeat(100) })))
        assert.strictEqual((yield* vectors.missing(model, { maxBytes: 1_000_000, maxCount: 2 })).length, 2)
        assert.strictEqual((yield* vectors.missing(model, { maxBytes: 1, maxCount: 10 })).length, 1)
      }))

    it.effect("no more memories than a search compares are found", () =>
      Effect.gen(function*() {
        const [memories, user_id, model] = [yield* MemoryStore, userId(), newId("model")]
        const vectors = yield* MemoryVectorStore
        yield* memories.apply(user_id, Array.from({ length: 150 }, () => create("fact")), source(), 1)
        const all = yield* missingOf(model, user_id)
        yield* vectors.put(
          model,
          all.map(({ memory_id, version }, place) => ({ memory_id, version, vector: at(place / 2) }))
        )
        assert.strictEqual((yield* nearestTo(model, 0, user_id)).length, comparedAtOnce.search)
      }))

    it.effect("vectors are put while memories are changed and removed, and none of the statements fails", () =>
      Effect.gen(function*() {
        const [memories, vectors] = [yield* MemoryStore, yield* MemoryVectorStore]
        const [user_id, model] = [userId(), newId("model")]
        const kept = Array.from({ length: 30 }, () => memory({ user_id }))
        yield* store(...kept)
        const made = kept.map(({ memory_id }) => ({ memory_id, version: 1, vector: at(0) }))
        yield* Effect.forEach(
          kept,
          ({ memory_id }, index) =>
            Effect.all([
              vectors.put(model, index % 2 === 0 ? made : made.toReversed()),
              Effect.ignore(memories.replace(memory_id, Owner.anyone, { memory: `changed ${index}`, topics: [] }, 2)),
              memories.remove(kept.slice(index, index + 3).map((each) => each.memory_id), Owner.user(user_id)),
              memories.apply(user_id, [{ ...create("new"), memory_id: memoryId() }], source(), 3)
            ], { concurrency: "unbounded" }),
          { concurrency: "unbounded", discard: true }
        )
        assert.strictEqual((yield* missingOf(model, user_id)).length, 30)
        assert.strictEqual(yield* vectors.countOf(user_id), 0)
      }))

    it.effect("a write of a text calls the functions that follow the store", () =>
      Effect.gen(function*() {
        const memories = yield* MemoryStore
        const user_id = userId()
        let calls = 0
        yield* memories.follow(() => calls++)
        const { memory_id, ...fields } = memory({ user_id })
        yield* store({ memory_id, ...fields })
        assert.isAtLeast(calls, 1)
        const before = calls
        yield* memories.replace(memory_id, Owner.anyone, { memory: "other", topics: [] }, 2)
        yield* memories.apply(user_id, [create("new")], source(), 3)
        assert.isAtLeast(calls, before + 2)
      }))
  })
