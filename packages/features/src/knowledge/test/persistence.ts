// How contents are stored, read, listed, patched and removed, each within what its owner covers.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Sort from "@svc-runtime/domain/Sort"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { ContentStore } from "../ContentStore.ts"
import { at, contentId, everything, instanceName, newContent, newestFirst, put } from "./SampleKnowledge.ts"

export const persistence = (it: Vitest.MethodsNonLive<ContentStore>) => {
  it.effect("a content is read as it was stored", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const given = newContent({
        user_id: userId(),
        name: "\"Käse\" 😀\n%_\\.txt",
        description: "about",
        size: 5_000_000_000,
        metadata: { tags: ["a", "b"], "x\"y": { deep: [null, 1.5] }, _svc: { source_type: "url" } },
        origin: "https://example.com/a",
        digest: "abc"
      })
      const stored = yield* contents.put(given, {}, at)
      const { generation, ...rest } = stored
      assert.deepStrictEqual(rest, {
        ...given,
        status: "processing",
        status_message: null,
        progress: null,
        published: null,
        created_at: at,
        updated_at: at
      })
      assert.isAbove(generation, 0)
      assert.deepStrictEqual(yield* contents.get({ ...given, owner: Owner.anyone }), stored)
    }))

  it.effect("instances have contents of the same id apart", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const content_id = contentId()
      const first = yield* put({ content_id, name: "first" })
      const second = yield* put({ content_id, name: "second" })
      yield* contents.remove({ ...second, owner: Owner.anyone })
      assert.deepStrictEqual(yield* contents.get({ ...first, owner: Owner.anyone }), first)
    }))

  it.effect("a replacement has a later generation, keeps the time of creation, and is processed again", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const given = newContent()
      const first = yield* contents.put(given, {}, at)
      yield* contents.finish(first, { status: "failed", status_message: "unreadable" }, at)
      const second = yield* contents.put({ ...given, name: "new" }, {}, at + 5)
      assert.isAbove(second.generation, first.generation)
      assert.deepStrictEqual(second, { ...first, name: "new", generation: second.generation, updated_at: at + 5 })
      const { contents: listed, total } = yield* contents.list(
        { ...given, owner: Owner.anyone },
        everything,
        newestFirst
      )
      assert.deepStrictEqual([listed, total], [[second], 1])
    }))

  it.effect("a content of another owner is not replaced", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const mine = yield* put({ user_id: userId() })
      for (const user_id of [userId(), null]) {
        const error = yield* Effect.flip(contents.put({ ...newContent(mine), user_id, name: "taken" }, {}, at))
        assert.strictEqual(error._tag, "ContentExists")
      }
      assert.deepStrictEqual(yield* contents.get({ ...mine, owner: Owner.anyone }), mine)
    }))

  it.effect("users read their own contents and those without an owner, and change their own only", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const instance = instanceName()
      const user_id = userId()
      const [mine, shared, foreign] = [
        yield* put({ instance, user_id }),
        yield* put({ instance, metadata: { shared: true } }),
        yield* put({ instance, user_id: userId(), metadata: { secret: true } })
      ]
      const owner = Owner.user(user_id)
      const listed = yield* contents.list({ instance, owner }, everything, newestFirst)
      assert.deepStrictEqual(listed, { contents: [shared, mine], total: 2 })
      assert.deepStrictEqual(yield* contents.metadataKeys({ instance, owner }), ["shared"])
      assert.deepStrictEqual(yield* contents.get({ ...shared, owner }), shared)
      assert.strictEqual((yield* Effect.flip(contents.get({ ...foreign, owner })))._tag, "ContentNotFound")
      for (const other of [shared, foreign]) {
        const error = yield* Effect.flip(contents.patch({ ...other, owner }, { name: "taken" }, at))
        assert.strictEqual(error._tag, "ContentNotFound")
        assert.strictEqual((yield* contents.remove({ ...other, owner })).count, 0)
      }
      const nothing = { instance, owner: Owner.none }
      assert.deepStrictEqual(yield* contents.list(nothing, everything, newestFirst), { contents: [], total: 0 })
      assert.deepStrictEqual(yield* contents.removeAll(nothing), { generation: 0 })
      const removed = yield* contents.removeAll({ instance, owner })
      assert.isAtLeast(removed.generation, mine.generation)
      const left = yield* contents.list({ instance, owner: Owner.anyone }, everything, newestFirst)
      assert.deepStrictEqual(left, { contents: [foreign, shared], total: 2 })
    }))

  it.effect("a patch replaces the given fields, and merges metadata", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const metadata = { a: 1, b: { c: 1 }, _svc: { source_type: "url", source_url: "u" } }
      const stored = yield* put({ metadata, description: "old" })
      const key = { ...stored, owner: Owner.anyone }
      const patch = { name: "new", metadata: { b: 2, d: null, _svc: { source_url: "v" } } }
      const patched = yield* contents.patch(key, patch, at + 9)
      assert.deepStrictEqual(patched, {
        ...stored,
        name: "new",
        metadata: { a: 1, b: 2, d: null, _svc: { source_type: "url", source_url: "v" } },
        updated_at: at + 9
      })
      assert.deepStrictEqual(yield* contents.patch(key, {}, at + 9), patched)
      assert.deepStrictEqual(yield* contents.get(key), patched)
      const error = yield* Effect.flip(contents.patch({ ...key, content_id: contentId() }, {}, at))
      assert.strictEqual(error.message.startsWith("Content not found: content-"), true)
    }))

  it.effect("metadata that patches add up to are limited, and the stored ones stay", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const stored = yield* put({ metadata: { a: "x".repeat(13_000) } })
      const key = { ...stored, owner: Owner.anyone }
      const error = yield* Effect.flip(contents.patch(key, { metadata: { b: "x".repeat(13_000) } }, at))
      assert.strictEqual(error._tag, "MetadataTooLarge")
      assert.deepStrictEqual(yield* contents.get(key), stored)
    }))

  it.effect("a list is paged, sorted by a known column, and has the real total", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const instance = instanceName()
      const [b, a, c] = [
        yield* put({ instance, name: "b", size: 1 }),
        yield* put({ instance, name: "a" }),
        yield* put({ instance, name: "c", size: 2 })
      ]
      const page = (sort: Sort.Sort, page = 1, limit = 10) =>
        Effect.map(
          contents.list({ instance, owner: Owner.anyone }, { page, limit }, sort),
          ({ contents, total }) => [contents, total]
        )
      assert.deepStrictEqual(yield* page({ by: "name", order: "asc" }), [[a, b, c], 3])
      assert.deepStrictEqual(yield* page({ by: "size", order: "desc" }), [[a, c, b], 3])
      assert.deepStrictEqual(yield* page({ by: "created_at", order: "asc" }), [[b, a, c], 3])
      assert.deepStrictEqual(yield* page({ by: "unknown", order: "desc" }), [[c, a, b], 3])
      assert.deepStrictEqual(yield* page({ by: "name", order: "asc" }, 2, 2), [[c], 3])
      assert.deepStrictEqual(yield* page({ by: "name", order: "asc" }, 100, 2), [[], 3])
    }))

  it.effect("the keys of metadata are given once each, sorted, without the reserved one", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const instance = instanceName()
      yield* put({ instance, metadata: { b: 1, a: 1, _svc: {} } })
      yield* put({ instance, metadata: { b: 2, c: { d: 1 } } })
      yield* put({ instance })
      assert.deepStrictEqual(yield* contents.metadataKeys({ instance, owner: Owner.anyone }), ["a", "b", "c"])
    }))

  it.effect("all contents of an instance are removed, and those of others stay", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const instance = instanceName()
      const first = yield* put({ instance })
      const second = yield* put({ instance, user_id: userId() })
      const other = yield* put()
      const removed = yield* contents.removeAll({ instance, owner: Owner.anyone })
      assert.isAtLeast(removed.generation, second.generation)
      assert.deepStrictEqual(yield* contents.removeAll({ instance, owner: Owner.anyone }), { generation: 0 })
      assert.strictEqual(
        (yield* Effect.flip(contents.get({ ...first, owner: Owner.anyone })))._tag,
        "ContentNotFound"
      )
      assert.deepStrictEqual(yield* contents.get({ ...other, owner: Owner.anyone }), other)
    }))
}
