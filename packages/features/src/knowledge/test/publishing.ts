// Generations of the chunks of a content: when searches find them, and when they are removed.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { Effect } from "effect"
import { ChunkStore } from "../ChunkStore.ts"
import { ContentStore } from "../ContentStore.ts"
import {
  at,
  byMeaning,
  byWords,
  chunk,
  embedding,
  idsOf,
  instanceName,
  newContent,
  publish,
  put,
  search
} from "./SampleKnowledge.ts"

const pruneAll = Effect.gen(function*() {
  const { prune } = yield* ChunkStore
  while ((yield* prune) > 0);
})

export const publishing = (it: Vitest.MethodsNonLive<ChunkStore | ContentStore>) => {
  it.effect("chunks are found when their generation is published, and not before", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const content = yield* put()
      yield* store.add(content, embedding, [chunk(1), chunk(2)])
      const sought = byWords("part")
      assert.deepStrictEqual(yield* search(content.instance, sought), [])
      yield* store.publish(content)
      assert.sameMembers([...idsOf(yield* search(content.instance, sought))], ["manual_1", "manual_2"])
      yield* store.publish(content)
      assert.strictEqual((yield* search(content.instance, sought)).length, 2)
    }))

  it.effect("the chunks of a replaced content are found until the new generation is published", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const given = newContent()
      yield* publish(given, [chunk(1, { id: "old_1" }), chunk(2, { id: "old_2" })])
      const content = yield* put(given)
      yield* store.add(content, embedding, [chunk(1, { id: "new_1" })])
      for (const sought of [byWords("part"), byMeaning(1, 0, 0, 0)]) {
        assert.sameMembers([...idsOf(yield* search(given.instance, sought))], ["old_1", "old_2"])
      }
      yield* store.publish(content)
      for (const sought of [byWords("part"), byMeaning(1, 0, 0, 0)]) {
        assert.deepStrictEqual(idsOf(yield* search(given.instance, sought)), ["new_1"])
      }
      yield* pruneAll
      assert.deepStrictEqual(idsOf(yield* search(given.instance, byWords("part"))), ["new_1"])
    }))

  it.effect("an older generation is neither added to nor published", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const given = newContent()
      const first = yield* put(given)
      yield* store.add(first, embedding, [chunk(1, { id: "first" })])
      const second = yield* put(given)
      yield* store.add(second, embedding, [chunk(1, { id: "second" })])
      yield* store.publish(second)
      assert.strictEqual((yield* Effect.flip(store.publish(first)))._tag, "ContentSuperseded")
      const error = yield* Effect.flip(store.add(first, embedding, [chunk(2)]))
      assert.include(error.message, `Content ${given.content_id} was replaced or removed while it was processed`)
      assert.deepStrictEqual(idsOf(yield* search(given.instance, byWords("part"))), ["second"])
    }))

  it.effect("chunks of a removed content are not found, and none can be added", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const contents = yield* ContentStore
      const instance = instanceName()
      const gone = yield* publish({ instance }, [chunk(1, { id: "gone" })])
      yield* publish({ instance }, [chunk(1, { id: "kept" })])
      const building = yield* put({ instance })
      yield* store.add(building, embedding, [chunk(1, { id: "building" })])
      const owner = Owner.anyone
      for (const content of [gone, building]) {
        const removed = yield* contents.remove({ ...content, owner })
        yield* store.remove({ ...content, owner, generation: removed.generation })
      }
      for (const sought of [byWords("part"), byMeaning(1, 0, 0, 0)]) {
        assert.deepStrictEqual(idsOf(yield* search(instance, sought)), ["kept"])
      }
      assert.strictEqual((yield* Effect.flip(store.add(building, embedding, [chunk(2)])))._tag, "ContentSuperseded")
      assert.strictEqual((yield* Effect.flip(store.publish(building)))._tag, "ContentSuperseded")
      yield* pruneAll
      assert.strictEqual((yield* store.added(gone)).size, 0)
      assert.strictEqual((yield* store.added(building)).size, 0)
    }))

  it.effect("a content that is stored again right after its removal keeps its new chunks", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const contents = yield* ContentStore
      const given = newContent()
      yield* publish(given, [chunk(1, { id: "old" })])
      const key = { ...given, owner: Owner.anyone }
      const removed = yield* contents.remove(key)
      yield* publish(given, [chunk(1, { id: "new" })])
      yield* store.remove({ ...key, generation: removed.generation })
      yield* pruneAll
      assert.deepStrictEqual(idsOf(yield* search(given.instance, byWords("part"))), ["new"])
    }))

  it.effect("a batch that is added again changes nothing, and the stored places are known", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const content = yield* put()
      yield* store.add(content, embedding, [chunk(1), chunk(3)])
      yield* store.add(content, embedding, [chunk(3, { text: "other" }), chunk(4)])
      yield* store.add(content, embedding, [])
      assert.deepStrictEqual([...(yield* store.added(content))].sort(), [1, 3, 4])
      yield* store.publish(content)
      assert.sameMembers([...idsOf(yield* search(content.instance, byWords("part")))], [
        "manual_1",
        "manual_3",
        "manual_4"
      ])
    }))
}

/** Of a store that has its chunks in the database of the contents, and sees what happens to them there. */
export const besideContents = (it: Vitest.MethodsNonLive<ChunkStore | ContentStore>) => {
  it.effect("a replacement that fails leaves the published chunks as they are", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const contents = yield* ContentStore
      const given = newContent()
      yield* publish(given, [chunk(1, { id: "old" })])
      const content = yield* put(given)
      yield* store.add(content, embedding, [chunk(1, { id: "new" })])
      yield* contents.finish(content, { status: "failed", status_message: "no model" }, at)
      assert.strictEqual((yield* Effect.flip(store.publish(content)))._tag, "ContentSuperseded")
      yield* pruneAll
      assert.deepStrictEqual(idsOf(yield* search(given.instance, byWords("part"))), ["old"])
      assert.strictEqual((yield* store.added(content)).size, 0)
    }))

  it.effect("generations that are published at the same time end with the last one", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const given = newContent()
      const ingest = Effect.fnUntraced(function*(id: string) {
        const content = yield* put(given)
        yield* store.add(content, embedding, [chunk(1, { id }), chunk(2, { id })])
        yield* store.publish(content)
        return { id, generation: content.generation }
      })
      const ended = yield* Effect.forEach(
        ["a", "b", "c", "d"],
        (id) => Effect.catchTag(ingest(id), "ContentSuperseded", () => Effect.succeed({ id, generation: 0 })),
        { concurrency: "unbounded" }
      )
      const last = ended.reduce((one, other) => one.generation > other.generation ? one : other)
      yield* pruneAll
      assert.deepStrictEqual(idsOf(yield* search(given.instance, byWords("part"))), [last.id, last.id])
    }))

  it.effect("a content that is removed while chunks are added leaves none behind", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const contents = yield* ContentStore
      for (let round = 0; round < 5; round++) {
        const content = yield* put()
        const adding = Effect.forEach(
          [1, 2, 3, 4, 5, 6],
          (index) => Effect.ignore(store.add(content, embedding, [chunk(index)])),
          { concurrency: 2 }
        )
        const removing = contents.remove({ ...content, owner: Owner.anyone })
        yield* Effect.all([adding, removing], { concurrency: "unbounded" })
        yield* pruneAll
        assert.strictEqual((yield* store.added(content)).size, 0)
      }
    }))

  it.effect("many dead chunks are removed some at a time", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const contents = yield* ContentStore
      yield* pruneAll
      const many = Array.from({ length: 600 }, (_, index) => chunk(index + 1))
      const first = yield* publish({}, many)
      const second = yield* publish({}, many)
      for (const content of [first, second]) yield* contents.remove({ ...content, owner: Owner.anyone })
      assert.strictEqual(yield* store.prune, 1000)
      assert.strictEqual(yield* store.prune, 200)
      assert.strictEqual(yield* store.prune, 0)
    }))
}
