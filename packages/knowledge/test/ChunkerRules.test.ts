// The rules that all chunkers follow, and the limits of their options.
import { assert, describe, it } from "@effect/vitest"
import * as Seed from "@svc-runtime/test-support/Seed"
import { Result, Schema } from "effect"
import { type ChunkerKey, chunkers } from "../src/ChunkerCatalogue.ts"
import { chunkDocuments } from "../src/chunkers/chunkDocuments.ts"
import * as Chunking from "../src/Chunking.ts"
import type { ReadDocument } from "../src/Document.ts"
import { defaultLimits } from "../src/ReaderLimits.ts"
import { Unreadable } from "../src/Unreadable.ts"
import { document, texts } from "./Chunking.ts"

const keys = Object.keys(chunkers) as ReadonlyArray<ChunkerKey>
const sized = keys.filter((key) => key !== "RowChunker")
const withoutBlanks = (text: string) => text.replace(/\s/g, "")

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
    { arbitrary: { runs: 200, seed: Seed.seed } }
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
    { arbitrary: { runs: 200, seed: Seed.seed } }
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
    { arbitrary: { runs: 200, seed: Seed.seed } }
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
