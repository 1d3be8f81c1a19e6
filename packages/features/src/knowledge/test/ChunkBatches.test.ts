// How many chunks one statement stores.
import { assert, describe, it } from "@effect/vitest"
import * as ChunkBatches from "../ChunkBatches.ts"

describe("the chunks of a large content", () => {
  const chunk = (index: number, length: number) => ({
    id: `c_${index}`,
    name: null,
    text: "x".repeat(length),
    metadata: {},
    index,
    size: length,
    vector: null
  })

  it("a statement stores few of them, so that the statements of other callers do not wait long", () => {
    const chunks = Array.from({ length: 200 }, (_, at) => chunk(at + 1, 3000))
    const batches = ChunkBatches.split(chunks)
    assert.deepStrictEqual(batches.flat(), chunks)
    for (const batch of batches) assert.isAtMost(batch.reduce((sum, { text }) => sum + text.length, 0), 40 * 1024)
  })

  it("a chunk that is larger than a statement has one of its own", () => {
    const sizes = [10, 100_000, 100_000, 10, 10]
    const batches = ChunkBatches.split(sizes.map((size, at) => chunk(at, size)))
    assert.deepStrictEqual(batches.map((batch) => batch.map(({ size }) => size)), [[10], [100_000], [100_000], [
      10,
      10
    ]])
  })
})
