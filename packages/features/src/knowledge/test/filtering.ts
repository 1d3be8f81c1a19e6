// Filters on metadata, which every search applies before it takes the best.
import { assert, type Vitest } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Owner from "@svc-runtime/domain/Owner"
import { Effect, Result } from "effect"
import { ChunkStore } from "../ChunkStore.ts"
import { ContentStore } from "../ContentStore.ts"
import { at, byMeaning, byWords, chunk, idsOf, instanceName, publish, search, vector } from "./SampleKnowledge.ts"

const filterOf = (filter: Json.Value): KnowledgeFilter.Filter => Result.getOrThrow(KnowledgeFilter.parse(filter))

const documents: ReadonlyArray<readonly [id: string, metadata: Json.Object]> = [
  ["a", { year: 2020, lang: "en", tags: ["x", "y"], ok: true }],
  ["b", { year: 2021.5, lang: "de", tags: ["y"], ok: false, "a.b\"c'": "odd" }],
  ["c", { year: "2022", lang: null, tags: [] }],
  ["d", {}]
]

const cases: ReadonlyArray<readonly [filter: Json.Value, ids: string]> = [
  [{}, "abcd"],
  [{ lang: "en" }, "a"],
  [{ lang: "en", year: 2020 }, "a"],
  [{ lang: "en", year: 2021 }, ""],
  [{ lang: ["en", "de"] }, "ab"],
  [{ ok: true }, "a"],
  [{ ok: "true" }, ""],
  [{ year: "2020" }, ""],
  [{ year: 2020.0 }, "a"],
  [{ tags: "y" }, "ab"],
  [{ tags: ["x", "z"] }, "a"],
  [{ lang: null }, "cd"],
  [{ lang: ["de", null] }, "bcd"],
  [{ year: [2020, 2021.5, "2020"] }, "ab"],
  [{ op: "NOT", condition: { tags: ["x", "y"] } }, "cd"],
  [{ "a.b\"c'": "odd" }, "b"],
  [{ missing: "x" }, ""],
  [{ op: "EQ", key: "lang", value: "de" }, "b"],
  [{ op: "NEQ", key: "lang", value: "de" }, "acd"],
  [{ op: "IN", key: "year", values: [2020, "2022"] }, "ac"],
  [{ op: "IN", key: "year", values: [] }, ""],
  [{ op: "GT", key: "year", value: 2020 }, "b"],
  [{ op: "GTE", key: "year", value: 2020 }, "ab"],
  [{ op: "LT", key: "year", value: 2021.5 }, "a"],
  [{ op: "LTE", key: "year", value: 2021.5 }, "ab"],
  [{ op: "GTE", key: "year", value: "2021" }, "c"],
  [{ op: "LT", key: "lang", value: "en" }, "b"],
  [{ op: "NOT", condition: { lang: "en" } }, "bcd"],
  [{ op: "NOT", condition: { op: "GT", key: "year", value: 0 } }, "cd"],
  [{ op: "AND", conditions: [] }, "abcd"],
  [{ op: "OR", conditions: [] }, ""],
  [{ op: "OR", conditions: [{ lang: "en" }, { op: "EQ", key: "year", value: "2022" }] }, "ac"],
  [{ op: "AND", conditions: [{ tags: "y" }, { op: "NOT", condition: { ok: true } }] }, "b"],
  [[{ tags: "y" }, { lang: "en" }], "a"]
]

export const filtering = (it: Vitest.MethodsNonLive<ChunkStore | ContentStore>) => {
  it.effect("each filter finds the chunks whose metadata match", () =>
    Effect.gen(function*() {
      const instance = instanceName()
      for (const [id, metadata] of documents) yield* publish({ instance, metadata }, [chunk(1, { id })])
      for (const [filter, ids] of cases) {
        for (const sought of [byWords("part"), byMeaning(1, 0, 0, 0)]) {
          const found = yield* search(instance, sought, { filter: filterOf(filter) })
          assert.strictEqual([...idsOf(found)].sort().join(""), ids, `${sought._tag} ${JSON.stringify(filter)}`)
        }
      }
    }))

  it.effect("metadata of the content win over those of the chunk, and the reserved one is not compared", () =>
    Effect.gen(function*() {
      const { instance } = yield* publish({ metadata: { page: 9, _svc: { a: 1 } } }, [
        chunk(1, { metadata: { page: 1, row: 4 } })
      ])
      const countOf = (filter: Json.Value) =>
        Effect.map(search(instance, byWords("part"), { filter: filterOf(filter) }), (found) => found.length)
      assert.strictEqual(yield* countOf({ page: 9 }), 1)
      assert.strictEqual(yield* countOf({ page: 1 }), 0)
      assert.strictEqual(yield* countOf({ row: 4 }), 1)
      assert.strictEqual(yield* countOf({ _svc: null }), 1)
    }))

  it.effect("a filter selects before the best are taken", () =>
    Effect.gen(function*() {
      const instance = instanceName()
      const near = Array.from({ length: 500 }, (_, index) => chunk(index + 1, { id: "near" }))
      yield* publish({ instance }, near)
      yield* publish({ instance, metadata: { rare: true } }, [chunk(1, { id: "far", vector: vector(-1, -1, -1, -1) })])
      const found = yield* search(instance, byMeaning(1, 0, 0, 0), { filter: filterOf({ rare: true }), limit: 3 })
      assert.deepStrictEqual(idsOf(found), ["far"])
    }))

  it.effect("searches see patched metadata at once", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const content = yield* publish({ metadata: { state: "draft" } }, [chunk(1)])
      const filter = filterOf({ state: "final" })
      assert.deepStrictEqual(yield* search(content.instance, byWords("part"), { filter }), [])
      const patch = { metadata: { state: "final" } }
      const patched = yield* contents.patch({ ...content, owner: Owner.anyone }, patch, at)
      yield* ChunkStore.use((store) => store.update(patched))
      const [found] = yield* search(content.instance, byWords("part"), { filter })
      assert.deepStrictEqual(found?.content.metadata, { state: "final" })
    }))
}
