import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { type ChunkerKey, chunkers } from "../src/ChunkerCatalogue.ts"
import { chunkDocuments } from "../src/chunkers/chunkDocuments.ts"
import * as Chunking from "../src/Chunking.ts"
import type { ReadDocument } from "../src/Document.ts"
import { DocumentReader } from "../src/DocumentReader.ts"
import { defaultLimits } from "../src/ReaderLimits.ts"
import { Unreadable } from "../src/Unreadable.ts"

const keys = Object.keys(chunkers) as ReadonlyArray<ChunkerKey>
const sized = keys.filter((key) => key !== "RowChunker")

const document = (text: string, id = "guide"): ReadDocument => ({ id, name: "guide.txt", text, metadata: { page: 1 } })

const chunk = (text: string, chunker: ChunkerKey, chunk_size = 5000, chunk_overlap = 0) => [
  ...chunkDocuments([document(text)], { chunker, chunk_size, chunk_overlap }, defaultLimits)
]

const texts = (text: string, chunker: ChunkerKey, chunk_size?: number, chunk_overlap?: number) =>
  chunk(text, chunker, chunk_size, chunk_overlap).map(({ text }) => text)

const withoutBlanks = (text: string) => text.replace(/\s/g, "")

describe("FixedSizeChunker", () => {
  it("it collapses blanks and cuts before the word that does not fit", () => {
    assert.deepStrictEqual(texts("one  two\n\nthree\tfour", "FixedSizeChunker", 9), ["one two", "three", "four"])
    assert.deepStrictEqual(texts("one two", "FixedSizeChunker", 3), ["one", "two"])
  })

  it("it cuts inside of a word that is longer than the size", () => {
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

  it("it cuts after the last line end, else after the last full stop, else at the size", () => {
    assert.deepStrictEqual(texts("aa. bb\ncc. dd. ee", "RecursiveChunker", 9), ["aa. bb\n", "cc. dd.", " ee"])
    assert.deepStrictEqual(texts("abcdefgh", "RecursiveChunker", 3), ["abc", "def", "gh"])
  })
})

describe("DocumentChunker", () => {
  it("a text that fits stays as it is", () => {
    assert.deepStrictEqual(texts("one\n\n\n two ", "DocumentChunker", 20), ["one\n\n\n two "])
  })

  it("it joins paragraphs while they fit", () => {
    assert.deepStrictEqual(texts("one\n\ntwo\n \nthree\n\nfour", "DocumentChunker", 10), [
      "one\n\ntwo",
      "three",
      "four"
    ])
  })

  it("it splits a paragraph that is too long at the ends of sentences", () => {
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
  const long = "x".repeat(Chunking.maximumChunkSize + 10)

  it("a long line is cut into chunks that have its number", () => {
    const found = chunk(`a\n${long}\nb`, "RowChunker")
    assert.deepStrictEqual(found.map(({ id, metadata, size }) => [id, metadata["row_number"], size]), [
      ["guide_row_1", 1, 1],
      ["guide_row_2", 2, Chunking.maximumChunkSize],
      ["guide_row_2_2", 2, 10],
      ["guide_row_3", 3, 1]
    ])
  })

  it("a long document without a chunker is cut into chunks that have its metadata", () => {
    const found = [...chunkDocuments([document(long)], undefined, defaultLimits)]
    assert.deepStrictEqual(found.map(({ id, metadata, size }) => [id, metadata["page"], size]), [
      ["guide_1", 1, Chunking.maximumChunkSize],
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

describe("all chunkers", () => {
  const text = Schema.String.check(Schema.isMaxLength(400))
  const word = Schema.Literals([
    "word",
    "a.",
    "\n",
    "\n\n",
    " ",
    "# ",
    "## ",
    "```",
    "\u{1f600}",
    "3.5",
    "Ende! ",
    "。",
    "\t"
  ])
  const mixed = Schema.Array(Schema.Union([word, text]))
  const options = { text: mixed, size: Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 60 })) }

  it.prop(
    "nothing but blanks is lost, for any text",
    options,
    ({ size, text }) => {
      const whole = text.join("").replaceAll("\r", "").toWellFormed()
      for (const key of keys) assert.strictEqual(withoutBlanks(texts(whole, key, size).join("")), withoutBlanks(whole))
    },
    { arbitrary: { runs: 200 } }
  )

  it.prop(
    "a chunk has at most the size, and no half of a character, for any text",
    options,
    ({ size, text }) => {
      const whole = text.join("").toWellFormed()
      for (const key of sized) {
        for (const chunk of texts(whole, key, size)) {
          assert.isAtMost(chunk.length, size, key)
          assert.isTrue(chunk.isWellFormed(), key)
          assert.notStrictEqual(chunk.trim(), "", key)
        }
      }
    },
    { arbitrary: { runs: 200 } }
  )

  const piece = Schema.Struct({
    length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
    end: Schema.Literals([" ", "\n", "\n\n", ". ", ".", "\n# ", "。"])
  })

  it.prop(
    "chunks with an overlap start in the previous chunk or after it, and end after it",
    { ...options, text: Schema.Array(piece), overlap: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 59 })) },
    ({ overlap: given, size, text }) => {
      let next = 0x4e00
      const letters: Array<string> = []
      // no letter occurs twice, so a chunk has one place in the text
      const whole = text.map(({ end, length }) => {
        const word = Array.from({ length }, () => String.fromCharCode(next++))
        letters.push(...word)
        return word.join("") + end
      }).join("")
      const overlap = Math.min(given, size - 1)
      for (const key of sized) {
        let covered = 0
        for (const chunk of texts(whole, key, size, overlap)) {
          assert.isAtMost(chunk.length, size + overlap, key)
          const found = Array.from(chunk).flatMap((letter) => {
            const place = letters.indexOf(letter)
            return place < 0 ? [] : [place]
          })
          if (found.length === 0) continue
          assert.deepStrictEqual(found, found.map((_, index) => found[0]! + index), key)
          assert.isAtMost(found[0]!, covered, key)
          assert.isAtLeast(found.at(-1)! + 1, covered, key)
          covered = found.at(-1)! + 1
        }
        assert.strictEqual(covered, letters.length, key)
      }
    },
    { arbitrary: { runs: 200 } }
  )

  it("ids are those of the document and the index, which counts over all documents", () => {
    const found = [...chunkDocuments(
      [document("one two", "a"), document("three", "b")],
      { chunker: "FixedSizeChunker", chunk_size: 3, chunk_overlap: 0 },
      defaultLimits
    )]
    assert.deepStrictEqual(found.map(({ id, index, name, size }) => ({ id, index, name, size })), [
      { id: "a_1", index: 1, name: "guide.txt", size: 3 },
      { id: "a_2", index: 2, name: "guide.txt", size: 3 },
      { id: "b_3", index: 3, name: "guide.txt", size: 3 },
      { id: "b_4", index: 4, name: "guide.txt", size: 2 }
    ])
  })

  it("a document without an id has its name in the ids of chunks, and without a name the digest of its text", () => {
    const unnamed = { id: "", name: null, text: "abc", metadata: {} }
    const ids = (document: ReadDocument) =>
      [...chunkDocuments([document], undefined, defaultLimits)].map(({ id }) => id)
    assert.deepStrictEqual(ids({ ...unnamed, name: "x.txt" }), ["x.txt_1"])
    assert.deepStrictEqual(ids(unnamed), ["ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad_1"])
  })

  it("a document is one chunk without a chunker", () => {
    const [only, ...others] = chunkDocuments([document("x".repeat(9000))], undefined, defaultLimits)
    assert.deepStrictEqual([only?.size, others.length], [9000, 0])
  })

  it.each(sized)("the chunks of %s end at the limit of their number", (key) => {
    const limits = { ...defaultLimits, chunks: 10 }
    const options = { chunker: key, chunk_size: 100, chunk_overlap: 99 }
    const result = Result.try(() => [...chunkDocuments([document("word ".repeat(10_000))], options, limits)])
    assert.isTrue(Result.isFailure(result))
  })

  it("the total length of chunks is limited", () => {
    const limits = { ...defaultLimits, outputLength: 1000 }
    const options = { chunker: "FixedSizeChunker", chunk_size: 100, chunk_overlap: 99 } as const
    assert.throws(() => [...chunkDocuments([document("x".repeat(900))], options, limits)], /more than 2000 characters/)
    assert.throws(() => [...chunkDocuments([document("x".repeat(900))], options, limits)], Unreadable)
  })
})

describe("options of chunkers", () => {
  const messageOf = (options: Parameters<typeof Chunking.make>[0]) =>
    Result.match(Chunking.make(options), { onFailure: ({ message }) => message, onSuccess: () => "valid" })

  it("a size and an overlap have defaults", () => {
    assert.deepStrictEqual(
      Result.getOrThrow(Chunking.make({ chunker: "RowChunker" })),
      { chunker: "RowChunker", chunk_size: 5000, chunk_overlap: 0 }
    )
  })

  it.each([
    [
      { chunker: "rowchunker" },
      "Unknown chunker: rowchunker. Available: DocumentChunker, RecursiveChunker, " +
      "FixedSizeChunker, MarkdownChunker, RowChunker"
    ],
    [
      { chunker: "constructor" },
      "Unknown chunker: constructor. Available: DocumentChunker, RecursiveChunker, " +
      "FixedSizeChunker, MarkdownChunker, RowChunker"
    ],
    [{ chunker: "RowChunker", chunk_size: 0 }, "chunk_size should be an integer between 1 and 100000"],
    [{ chunker: "RowChunker", chunk_size: 100_001 }, "chunk_size should be an integer between 1 and 100000"],
    [{ chunker: "RowChunker", chunk_overlap: -1 }, "chunk_overlap should be an integer that is not negative"],
    [
      { chunker: "FixedSizeChunker", chunk_size: 10, chunk_overlap: 10 },
      "chunk_overlap (10) should be less than chunk_size (10)"
    ]
  ])("%j is refused, and the message says why", (options, message) => {
    assert.strictEqual(messageOf(options), message)
  })
})
