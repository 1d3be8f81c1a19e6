import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { chunkDocuments } from "../src/chunkers/chunkDocuments.ts"
import * as Chunking from "../src/Chunking.ts"
import { DocumentReader } from "../src/DocumentReader.ts"
import { defaultLimits } from "../src/ReaderLimits.ts"
import { chunk, document, texts } from "./Chunking.ts"

Tier.oneIn(2)

describe("FixedSizeChunker", () => {
  it("a FixedSizeChunker collapses blanks and cuts before the word that does not fit", () => {
    assert.deepStrictEqual(texts("one  two\n\nthree\tfour", "FixedSizeChunker", 9), ["one two", "three", "four"])
    assert.deepStrictEqual(texts("one two", "FixedSizeChunker", 3), ["one", "two"])
  })

  it("a FixedSizeChunker cuts inside of a word that is longer than the size", () => {
    assert.deepStrictEqual(texts("abcdefgh ij", "FixedSizeChunker", 3), ["abc", "def", "gh", "ij"])
  })

  it("a chunk starts the overlap before the end of the previous one", () => {
    assert.deepStrictEqual(texts("abcdefgh", "FixedSizeChunker", 4, 2), ["abcd", "cdef", "efgh"])
  })
})

describe("RecursiveChunker", () => {
  it("a text that fits stays as it is", () => {
    assert.deepStrictEqual(texts("one\n\n two ", "RecursiveChunker", 20), ["one\n\n two "])
  })

  it("a RecursiveChunker cuts after the last line end, else after the last full stop, else at the size", () => {
    assert.deepStrictEqual(texts("aa. bb\ncc. dd. ee", "RecursiveChunker", 9), ["aa. bb\n", "cc. dd.", " ee"])
    assert.deepStrictEqual(texts("abcdefgh", "RecursiveChunker", 3), ["abc", "def", "gh"])
  })
})

describe("DocumentChunker", () => {
  it("a text that fits stays as it is", () => {
    assert.deepStrictEqual(texts("one\n\n\n two ", "DocumentChunker", 20), ["one\n\n\n two "])
  })

  it("a DocumentChunker joins paragraphs while they fit", () => {
    assert.deepStrictEqual(texts("one\n\ntwo\n \nthree\n\nfour", "DocumentChunker", 10), [
      "one\n\ntwo",
      "three",
      "four"
    ])
  })

  it("a DocumentChunker splits a paragraph that is too long at the ends of sentences", () => {
    assert.deepStrictEqual(texts("It is 3.5 m. Is it? Yes! No more words", "DocumentChunker", 14), [
      "It is 3.5 m.",
      "Is it? Yes!",
      "No more words"
    ])
  })

  it("the overlap puts the end of a chunk before the next one", () => {
    assert.deepStrictEqual(texts("first\n\nsecond\n\nthird", "DocumentChunker", 7, 3), [
      "first",
      "rstsecond",
      "ondthird"
    ])
  })
})

describe("RowChunker", () => {
  it("each line that is not empty is a chunk with its number", () => {
    const found = chunk("a,  b\n\n  \nc", "RowChunker")
    assert.deepStrictEqual(found.map(({ id, index, metadata, text }) => ({ id, index, metadata, text })), [
      { id: "guide_row_1", index: 1, text: "a, b", metadata: { page: 1, row_number: 1 } },
      { id: "guide_row_4", index: 2, text: "c", metadata: { page: 1, row_number: 4 } }
    ])
  })
})

describe("rows that are longer than a chunk may be", () => {
  const long = "x".repeat(Chunking.maxChunkSize + 10)

  it("a long line is cut into chunks that have its number", () => {
    const found = chunk(`a\n${long}\nb`, "RowChunker")
    assert.deepStrictEqual(found.map(({ id, metadata, size }) => [id, metadata["row_number"], size]), [
      ["guide_row_1", 1, 1],
      ["guide_row_2", 2, Chunking.maxChunkSize],
      ["guide_row_2_2", 2, 10],
      ["guide_row_3", 3, 1]
    ])
  })

  it("a long document without a chunker is cut into chunks that have its metadata", () => {
    const found = [...chunkDocuments([document(long)], undefined, defaultLimits)]
    assert.deepStrictEqual(found.map(({ id, metadata, size }) => [id, metadata["page"], size]), [
      ["guide_1", 1, Chunking.maxChunkSize],
      ["guide_2", 1, 10]
    ])
  })
})

describe("MarkdownChunker", () => {
  it("a section stays with the sections below its heading while they fit", () => {
    const found = chunk("intro\n# A\na\n## B\nb\n# C\nc", "MarkdownChunker", 14)
    assert.deepStrictEqual(found.map(({ metadata, text }) => [text, metadata.headings]), [
      ["intro\n\n# A\na", undefined],
      ["## B\nb", "A > B"],
      ["# C\nc", "C"]
    ])
  })

  it("the marks at the end of a heading are not part of it", () => {
    const found = chunk(`# A \t## \n\none\n\n## B #1\n\ntwo`, "MarkdownChunker", 8)
    assert.deepStrictEqual([...new Set(found.map(({ metadata }) => metadata.headings))], ["A", "A > B #1"])
  })

  it("a heading of blanks is read in a time that grows with its length only", () => {
    for (const text of ["x", "# #x", "\u2028"]) {
      assertLinear(1024, (length) => chunk(`# x${" ".repeat(length)}${text}`, "MarkdownChunker", 100))
    }
    assertLinear(1024, (length) => chunk(`#${" ".repeat(length)}\u2028`, "MarkdownChunker", 100))
  })

  it("a line of code is not a heading", () => {
    const code = "# A\n\n```sh\n# no heading\n\nls\n```"
    assert.deepStrictEqual(texts(`${code}\n\n# B\n\nb`, "MarkdownChunker", 40), [code, "# B\n\nb"])
  })

  it("a section that is too long is cut between its blocks, and each chunk has its headings", () => {
    const found = chunk("# A\n\nfirst block\n\nsecond block", "MarkdownChunker", 20)
    assert.deepStrictEqual(found.map(({ metadata, text }) => [text, metadata.headings]), [
      ["# A\n\nfirst block", "A"],
      ["second block", "A"]
    ])
  })

  it.live("a long text of short lines without headings is cut in little memory", () =>
    Effect.gen(function*() {
      const reader = yield* DocumentReader
      const text = "short line\n".repeat(750_000)
      const chunks = yield* reader.chunk([document(text)], { chunker: "MarkdownChunker" })
      assert.isAbove(chunks.length, 1000)
    }).pipe(Effect.provide(DocumentReader.layer({ processes: 1, memoryBytes: 256 * 1024 * 1024 }))))
})
