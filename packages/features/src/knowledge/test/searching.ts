// Searches by words, by meaning, and by both.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import type { ChunkQuery, ChunkStore } from "../ChunkStore.ts"
import type { ContentStore } from "../ContentStore.ts"
import {
  byMeaning,
  byWords,
  chunk,
  embedding,
  idsOf,
  instanceName,
  publish,
  search,
  vector
} from "./SampleKnowledge.ts"

const byBoth = (text: string, ...numbers: ReadonlyArray<number>): ChunkQuery["sought"] => ({
  _tag: "Hybrid",
  text,
  vector: vector(...numbers),
  embedding
})

export const searching = (it: Vitest.MethodsNonLive<ChunkStore | ContentStore>) => {
  it.effect("a found chunk is as it was stored, with its content", () =>
    Effect.gen(function*() {
      const stored = chunk(7, {
        id: "dök_7",
        name: "dök",
        text: "Tea \"Käse\" 😀\n\\ end",
        metadata: { page: 3, deep: { a: [1, null] } },
        size: 19
      })
      const content = yield* publish({ metadata: { topic: "food" }, origin: "dök.pdf", name: "Dök" }, [stored])
      const { vector: _, ...expected } = stored
      const { content_id, metadata, name, origin } = content
      for (const sought of [byWords("tea"), byMeaning(1, 0, 0, 0.007), byBoth("tea", 1, 0, 0, 0)]) {
        const [found, ...others] = yield* search(content.instance, sought)
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(found?.chunk, expected)
        assert.deepStrictEqual(found?.content, { content_id, metadata, name, origin })
        assert.isAbove(found?.score ?? 0, 0)
      }
    }))

  it.effect("a search by meaning finds the most similar chunks first, and gives the cosine as the score", () =>
    Effect.gen(function*() {
      const { instance } = yield* publish({}, [
        chunk(1, { vector: vector(-1, 0, 0, 0) }),
        chunk(2, { vector: vector(5, 0, 0, 0) }),
        chunk(3, { vector: vector(1, 1, 0, 0) }),
        chunk(4, { vector: vector(0, 1, 0, 0) })
      ])
      const found = yield* search(instance, byMeaning(1, 0, 0, 0))
      assert.deepStrictEqual(idsOf(found), ["manual_2", "manual_3", "manual_4", "manual_1"])
      assert.deepStrictEqual(found.map(({ score }) => Math.round(score * 100) / 100), [1, 0.71, 0, -1])
      const best = yield* search(instance, byMeaning(1, 0, 0, 0), { limit: 2 })
      assert.deepStrictEqual(idsOf(best), ["manual_2", "manual_3"])
    }))

  it.effect("a text without words is no error and finds nothing", () =>
    Effect.gen(function*() {
      const { instance } = yield* publish({}, [chunk(1)])
      for (const text of ["", " ", "\0", "!?", "\"", "-", "or or", "((", "a:*&|", "\ud800"]) {
        assert.deepStrictEqual(yield* search(instance, byWords(text)), [], JSON.stringify(text))
      }
    }))

  it.effect("a hybrid search prefers what is near the top of both rankings", () =>
    Effect.gen(function*() {
      const { instance } = yield* publish({}, [
        chunk(1, { text: "apples", vector: vector(1, 0, 0, 0) }),
        chunk(2, { text: "bananas bananas", vector: vector(1, 0.5, 0, 0) }),
        chunk(3, { text: "bananas and a lot of other fruit in a basket", vector: vector(0, 0, 1, 0) }),
        chunk(4, { text: "carrots", vector: vector(0, 0, 0, 1) })
      ])
      const found = yield* search(instance, byBoth("bananas", 1, 0, 0, 0))
      assert.strictEqual(idsOf(found)[0], "manual_2")
      assert.sameMembers([...idsOf(found)], ["manual_1", "manual_2", "manual_3", "manual_4"])
      assert.approximately(found[0]?.score ?? 0, 1 / 61 + 1 / 62, 1e-9)
      const ranks = found.map(({ chunk: { index }, foundBy = [] }) => [
        index,
        ...foundBy.map(({ by, rank }) => by + rank)
      ])
      // a store of an author may leave them out
      const hasReasons = found.some(({ foundBy }) => foundBy !== undefined)
      if (hasReasons) assert.includeDeepMembers(ranks, [[2, "meaning2", "words1"], [1, "meaning1"]])
      assert.strictEqual((yield* search(instance, byBoth("bananas", 1, 0, 0, 0), { limit: 2 })).length, 2)
    }))

  it.effect("texts with many, long or strange words are stored and searched", () =>
    Effect.gen(function*() {
      const long = "x".repeat(5000)
      const many = Array.from({ length: 60_000 }, (_, index) => `w${index}-😀${index}/v${index}`).join(" ")
      const astral = Array.from({ length: 40_000 }, (_, index) => String.fromCodePoint(0x20000 + index)).join(" ")
      const { instance } = yield* publish({}, [
        chunk(1, { text: `${long} short` }),
        chunk(2, { text: many }),
        chunk(3, { text: astral }),
        chunk(4, { text: "a\0b \ud800 short" })
      ])
      const found = yield* search(instance, byWords("short"))
      assert.sameMembers([...idsOf(found)], ["manual_1", "manual_4"])
      yield* search(instance, byWords(long))
      yield* search(instance, byBoth(many, 1, 0, 0, 0))
    }))

  it.effect("no search finds chunks of other instances, or of contents that its owner does not read", () =>
    Effect.gen(function*() {
      const instance = instanceName()
      const user_id = userId()
      yield* publish({ instance, user_id }, [chunk(1, { id: "mine" })])
      yield* publish({ instance }, [chunk(1, { id: "shared" })])
      yield* publish({ instance, user_id: userId() }, [chunk(1, { id: "foreign" })])
      yield* publish({ user_id }, [chunk(1, { id: "elsewhere" })])
      for (const sought of [byWords("part"), byMeaning(1, 0, 0, 0), byBoth("part", 1, 0, 0, 0)]) {
        const idsFor = (owner: Owner.Owner) =>
          Effect.map(search(instance, sought, { owner }), (found) => [...idsOf(found)].sort())
        assert.deepStrictEqual(yield* idsFor(Owner.anyone), ["foreign", "mine", "shared"])
        assert.deepStrictEqual(yield* idsFor(Owner.user(user_id)), ["mine", "shared"])
        assert.deepStrictEqual(yield* idsFor(Owner.user(userId())), ["shared"])
        assert.deepStrictEqual(yield* idsFor(Owner.none), [])
      }
    }))

  it.effect("the limit is reached also if better chunks belong to other owners", () =>
    Effect.gen(function*() {
      const instance = instanceName()
      const user_id = userId()
      const foreign = Array.from({ length: 400 }, (_, index) => chunk(index + 1, { id: "foreign" }))
      yield* publish({ instance, user_id: userId() }, foreign)
      const own = Array.from({ length: 5 }, (_, index) =>
        chunk(index + 1, { id: `mine_${index}`, vector: vector(-1, -1, -1, -index) }))
      yield* publish({ instance, user_id }, own)
      for (const sought of [byWords("part"), byMeaning(1, 0, 0, 0), byBoth("part", 1, 0, 0, 0)]) {
        const found = yield* search(instance, sought, { owner: Owner.user(user_id), limit: 5 })
        assert.strictEqual(found.length, 5)
      }
    }))
}

/** The language of words that the stores of the service understand. */
export const searchingByWords = (it: Vitest.MethodsNonLive<ChunkStore | ContentStore>) => {
  it.effect("a search by words understands phrases, or, and words that must be absent", () =>
    Effect.gen(function*() {
      const { instance } = yield* publish({}, [
        chunk(1, { text: "Green tea comes from China." }),
        chunk(2, { text: "Tea that is green, or black." }),
        chunk(3, { text: "Coffee comes from Ethiopia." })
      ])
      const idsFor = (text: string) => Effect.map(search(instance, byWords(text)), (found) => [...idsOf(found)].sort())
      assert.deepStrictEqual(yield* idsFor("GREEN tea"), ["manual_1", "manual_2"])
      assert.deepStrictEqual(yield* idsFor("\"green tea\""), ["manual_1"])
      assert.deepStrictEqual(yield* idsFor("comes -tea"), ["manual_3"])
      assert.deepStrictEqual(yield* idsFor("black or coffee"), ["manual_2", "manual_3"])
      assert.deepStrictEqual(yield* idsFor("ethiopian"), [])
    }))

  it.effect("a search by words and a hybrid one use the words of a question of which no chunk has all", () =>
    Effect.gen(function*() {
      const near = [1, 2, 3, 4].map((index) => chunk(index, { text: `Nothing about the subject: ${index}` }))
      const answer = chunk(5, { text: "The flux capacitor has a reset button.", vector: vector(-1, 0, 0, 0) })
      const { instance } = yield* publish({}, [...near, answer])
      const question = "How can people reset our capacitor, please?"
      assert.deepStrictEqual(idsOf(yield* search(instance, byWords(question))), ["manual_5"])
      assert.deepStrictEqual(yield* search(instance, byWords("reset -capacitor")), [])
      assert.strictEqual(idsOf(yield* search(instance, byBoth(question, 1, 0, 0, 0)))[0], "manual_5")
      const excluding = yield* search(instance, byBoth("reset -capacitor", 1, 0, 0, 0))
      assert.strictEqual(idsOf(excluding)[4], "manual_5")
    }))
}
