// The model of an instance is changed: its contents are embedded again.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { Effect } from "effect"
import { ChunkStore } from "../ChunkStore.ts"
import { ContentStore } from "../ContentStore.ts"
import type * as Knowledge from "../Knowledge.ts"
import {
  byMeaning,
  byWords,
  chunk,
  embedding as small,
  idsOf,
  instanceName,
  publish,
  search,
  vector
} from "./SampleKnowledge.ts"

// as long as the other: only the name tells them apart
const other: Knowledge.Embedding = { ...small, model: "demo:other" }
const byOther = { _tag: "Vector", vector: vector(1, 0, 0, 0), embedding: other } as const

const without = ({ vector: _, ...stored }: Knowledge.EmbeddedChunk): Knowledge.Chunk => stored

export const changing = (it: Vitest.MethodsNonLive<ChunkStore | ContentStore>) => {
  it.effect("contents with vectors of another model are found by words, and by meaning when they are embedded again", () =>
    Effect.gen(function*() {
      const [contents, store] = [yield* ContentStore, yield* ChunkStore]
      const instance = instanceName()
      const chunks = [chunk(1, { id: "old_1" }), chunk(2, { id: "old_2" })]
      const old = yield* publish({ instance }, chunks)
      const idsFor = (sought: Parameters<typeof search>[1]) => Effect.map(search(instance, sought), idsOf)

      const [outdated, ...rest] = yield* contents.outdated(instance, other)
      assert.deepStrictEqual([outdated?.content_id, rest.length], [old.content_id, 0])
      assert.sameMembers([...yield* idsFor(byWords("part"))], ["old_1", "old_2"])
      const hybrid = { ...byOther, _tag: "Hybrid", text: "part" } as const
      assert.sameMembers([...yield* idsFor(hybrid)], ["old_1", "old_2"])
      const unready = yield* Effect.flip(search(instance, byOther))
      assert.match(unready.message, /have no vectors of the embedder demo:other \(4 dimensions\) yet/)
      assert.deepStrictEqual(yield* search(instance, byOther, { owner: Owner.none }), [])
      assert.strictEqual((yield* Effect.flip(search(instance, byMeaning(1, 0, 0, 0))))._tag, "EmbeddingMismatch")
      yield* publish({ instance }, [chunk(1, { id: "new" })], other)
      assert.deepStrictEqual(yield* idsFor(byOther), ["new"])

      assert.isTrue(yield* contents.restart(old, []))
      const again = yield* contents.get({ ...old, owner: Owner.anyone })
      assert.deepStrictEqual(yield* contents.publishedChunks(again), chunks.map(without))
      assert.deepStrictEqual(yield* contents.outdated(instance, other), [])
      yield* store.add(again, other, chunks)
      yield* store.publish(again)
      assert.sameMembers([...yield* idsFor(byOther)], ["new", "old_1", "old_2"])
      assert.sameMembers([...yield* idsFor(byWords("part"))], ["new", "old_1", "old_2"])
    }))

  it.effect("nothing is outdated while the model is the same, or before an instance has chunks", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const { instance } = yield* publish({}, [chunk(1)])
      assert.deepStrictEqual(yield* contents.outdated(instance, small), [])
      assert.deepStrictEqual(yield* contents.outdated(instanceName(), small), [])
      assert.strictEqual((yield* search(instance, byMeaning(1, 0, 0, 0))).length, 1)
    }))

  it.effect("contents that had no vectors get them", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const { instance } = yield* publish({}, [chunk(1, { vector: null })], null)
      assert.strictEqual((yield* contents.outdated(instance, small)).length, 1)
      assert.strictEqual((yield* Effect.flip(search(instance, byMeaning(1, 0, 0, 0))))._tag, "EmbeddingMismatch")
    }))
}
