// How many chunks one statement stores.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as ChunkBatches from "@svc-runtime/features/knowledge/ChunkBatches"

const chunk = (index: number, size: number, metadata: Json.Object = {}) => ({
  id: `chunk-${index}`,
  index,
  name: null,
  text: "x".repeat(size),
  metadata,
  size,
  vector: new Float32Array(256)
})

describe("the chunks of a content", () => {
  it("chunks are stored in statements of at most 160 KiB, each chunk once and in order", () => {
    const chunks = Array.from({ length: 200 }, (_, index) => chunk(index, 2000))
    const batches = ChunkBatches.split(chunks)
    assert.deepStrictEqual(batches.flat(), chunks)
    for (const batch of batches) assert.isAtMost(batch.length * (1000 + 2000 + 256 * 5), 160 * 1024)
  })

  it("the bytes of metadata count as those of a text do", () => {
    const chunks = Array.from({ length: 20 }, (_, index) => chunk(index, 10, { note: "語".repeat(10_000) }))
    assert.isAtMost(Math.max(...ChunkBatches.split(chunks).map(({ length }) => length)), 5)
  })

  it("a chunk that is larger has a statement of its own", () => {
    const chunks = [chunk(0, 10), chunk(1, 200 * 1024), chunk(2, 10)]
    assert.deepStrictEqual(ChunkBatches.split(chunks).map((batch) => batch.length), [1, 1, 1])
  })
})
