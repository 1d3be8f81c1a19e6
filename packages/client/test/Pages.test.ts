import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Pages from "../src/Pages.ts"

/** Two items of each page, and the pages that were requested. */
const listOf = (total_pages: number, length: number) => {
  const requested: Array<number> = []
  const stream = Pages.stream((page) => {
    requested.push(page)
    return Effect.succeed({ data: page > length ? [] : [`${page}a`, `${page}b`], meta: { total_pages } })
  })
  return { requested, stream }
}

describe("Pages", () => {
  it.effect("a list has the items of all its pages, and a page is requested when it is read", () =>
    Effect.gen(function*() {
      const all = listOf(3, 3)
      assert.deepStrictEqual(yield* Stream.runCollect(all.stream), ["1a", "1b", "2a", "2b", "3a", "3b"])
      const some = listOf(3, 3)
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(some.stream, 3)), ["1a", "1b", "2a"])
      assert.deepStrictEqual(some.requested, [1, 2])
    }))

  it.effect("an empty page ends a list, whatever its number of pages", () =>
    Effect.gen(function*() {
      const shrunk = listOf(9, 1)
      assert.deepStrictEqual(yield* Stream.runCollect(shrunk.stream), ["1a", "1b"])
      assert.deepStrictEqual(shrunk.requested, [1, 2])
      assert.deepStrictEqual(yield* Stream.runCollect(listOf(0, 0).stream), [])
    }))
})
