// One embedding model for each instance, and vectors that cannot be compared.
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
  publish,
  put,
  search,
  vector
} from "./SampleKnowledge.ts"

const large: Knowledge.Embedding = { model: "demo:large", dimensions: 2 }

export const embedding = (it: Vitest.MethodsNonLive<ChunkStore | ContentStore>) => {
  it.effect("vectors of a second model are refused, in chunks and in queries", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const { instance } = yield* publish({}, [chunk(1)])
      const content = yield* put({ instance })
      const others: ReadonlyArray<readonly [Knowledge.Embedding | null, Float32Array | null]> = [
        [large, vector(1, 0)],
        [{ ...small, model: "demo:other" }, vector(1, 0, 0, 0)],
        [{ ...small, dimensions: 2 }, vector(1, 0)],
        [null, null]
      ]
      for (const [given, made] of others) {
        const error = yield* Effect.flip(store.add(content, given, [chunk(1, { vector: made })]))
        assert.strictEqual(error._tag, "EmbeddingMismatch")
        assert.include(error.message, `The chunks of knowledge '${instance}' were stored with the embedder demo:small`)
      }
      const sought = { _tag: "Vector", vector: vector(1, 0), embedding: large } as const
      assert.strictEqual((yield* Effect.flip(search(instance, sought)))._tag, "EmbeddingMismatch")
      assert.strictEqual((yield* search(instance, byMeaning(1, 0, 0, 0))).length, 1)
    }))

  it.effect("another model can be used when the instance has no chunks anymore", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const first = yield* publish({}, [chunk(1)])
      const all = { instance: first.instance, owner: Owner.anyone }
      const { generation } = yield* contents.removeAll(all)
      yield* ChunkStore.use((store) => store.remove({ ...all, content_id: undefined, generation }))
      yield* publish({ instance: first.instance }, [chunk(1, { id: "large", vector: vector(1, 0) })], large)
      const sought = { _tag: "Vector", vector: vector(1, 0), embedding: large } as const
      assert.deepStrictEqual(idsOf(yield* search(first.instance, sought)), ["large"])
    }))

  it.effect("a single model is stored if two are the first at the same time", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const content = yield* put()
      const results = yield* Effect.all([
        Effect.exit(store.add(content, small, [chunk(1)])),
        Effect.exit(store.add(content, large, [chunk(2, { vector: vector(1, 0) })]))
      ], { concurrency: "unbounded" })
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 1)
      assert.strictEqual((yield* store.added(content)).size, 1)
    }))

  it.effect("a vector with a wrong length, without a direction or with numbers that are not finite is refused", () =>
    Effect.gen(function*() {
      const store = yield* ChunkStore
      const content = yield* put()
      const poison = [
        vector(1, 0, 0),
        vector(),
        vector(0, 0, 0, 0),
        vector(Number.NaN, 0, 0, 0),
        vector(1, Number.POSITIVE_INFINITY, 0, 0),
        vector(1, 0, 0, 1e300),
        null
      ]
      for (const made of poison) {
        const error = yield* Effect.flip(store.add(content, small, [chunk(1), chunk(2, { vector: made })]))
        assert.strictEqual(error._tag, "UnusableVector")
        assert.include(error.message, "The vector of chunk manual_2 is not 4 finite numbers")
        if (made === null) continue
        const refused = yield* Effect.flip(search(content.instance, { _tag: "Vector", vector: made, embedding: small }))
        assert.include(refused.message, "The vector of the query is not 4 finite numbers")
      }
      assert.strictEqual((yield* store.added(content)).size, 0)
      yield* store.add(content, small, [chunk(1)])
      assert.strictEqual((yield* store.added(content)).size, 1)
    }))

  it.effect("an instance without an embedder is searched by words", () =>
    Effect.gen(function*() {
      const { instance } = yield* publish({}, [chunk(1, { vector: null })], null)
      assert.strictEqual((yield* search(instance, byWords("part"))).length, 1)
      const error = yield* Effect.flip(search(instance, byMeaning(1, 0, 0, 0)))
      assert.include(error.message, "were stored with no embedder, and the embedder demo:small (4 dimensions)")
    }))
}
