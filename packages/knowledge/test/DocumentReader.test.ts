import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { DocumentReader, type Options } from "../src/DocumentReader.ts"

const mebi = 1024 * 1024

const withReader = <A, E>(
  use: (reader: DocumentReader["Service"]) => Effect.Effect<A, E>,
  options: Options = {}
): Effect.Effect<A, E> => Effect.provide(Effect.flatMap(DocumentReader, use), DocumentReader.layer(options))

/** The longest time that this thread works between two timers, while an effect is executed. */
const longestTurn = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const used = () => {
      const { system, user } = process.threadCpuUsage()
      return (user + system) / 1000
    }
    let [last, longest] = [used(), 0]
    const timer = setInterval(() => {
      const now = used()
      longest = Math.max(longest, now - last)
      last = now
    }, 1)
    const value = yield* Effect.ensuring(effect, Effect.sync(() => clearInterval(timer)))
    return [value, longest] as const
  })

describe("DocumentReader", () => {
  it.live("it reads and chunks in a process", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const documents = yield* reader.read({ bytes: Buffer.from("one\ntwo"), name: "a.txt" })
        assert.deepStrictEqual(documents, [{ id: "a.txt", name: "a.txt", text: "one\ntwo", metadata: {} }])
        const chunks = yield* reader.chunk(documents, { chunker: "RowChunker" })
        assert.deepStrictEqual(chunks, [
          { id: "a.txt_row_1", name: "a.txt", text: "one", metadata: { row_number: 1 }, index: 1, size: 3 },
          { id: "a.txt_row_2", name: "a.txt", text: "two", metadata: { row_number: 2 }, index: 2, size: 3 }
        ])
      })
    ))

  it.live("the bytes of the caller stay theirs", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const bytes = new Uint8Array(Buffer.from("text"))
        yield* reader.read({ bytes })
        assert.strictEqual(Buffer.from(bytes).toString(), "text")
      })
    ))

  it.live("errors of readers and of options come back, and the next source is read", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const unreadable = yield* Effect.flip(reader.read({ text: "{", name: "a.json" }))
        assert.deepInclude(unreadable, {
          _tag: "Unreadable",
          reason: "broken",
          message: "The content is not valid JSON"
        })
        const documents = yield* reader.read({ text: "text" })
        const invalid = yield* Effect.flip(reader.chunk(documents, { chunker: "NoChunker" }))
        assert.strictEqual(invalid._tag, "InvalidChunking")
      })
    ))

  it.live("a text of 60 MiB does not block the event loop", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const line = "Some words, и другие слова. "
        const bytes = Buffer.from(line.repeat(Math.floor(60 * mebi / Buffer.byteLength(line))))
        const [documents, reading] = yield* longestTurn(reader.read({ bytes, name: "large.txt" }))
        const [chunks, chunking] = yield* longestTurn(reader.chunk(documents, { chunker: "FixedSizeChunker" }))
        assert.isBelow(reading, 50)
        assert.isBelow(chunking, 50)
        assert.strictEqual(
          chunks.reduce((length, { size }) => length + size + 1, 0),
          documents[0]!.text.length
        )
      })
    ))

  it.live("the memory of earlier sources does not count against the next one", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const bytes = Buffer.from("Some words, и другие слова. ".repeat(1_500_000))
        for (const _ of [1, 2, 3, 4]) {
          const documents = yield* reader.read({ bytes, name: "large.txt" })
          yield* reader.chunk(documents, { chunker: "DocumentChunker" })
        }
      }), { processes: 1, memoryBytes: 448 * mebi }))

  it.live("a source that needs more memory than the limit fails, and the next one is read", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const text = `[${"[],".repeat(900_000)}[]]`
        const error = yield* Effect.flip(reader.read({ text, name: "a.json" }))
        assert.deepInclude(error, {
          reason: "out_of_memory",
          message:
            "The content needs more memory than a reader may use, 192 MiB. The operator raises it with READER_MEMORY_BYTES"
        })
        const documents = yield* reader.read({ text: "small" })
        assert.strictEqual(documents[0]?.text, "small")
      }), { memoryBytes: 192 * mebi, processes: 1 }))

  it.live("a source that needs more time than the limit fails, and the next one is read", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const documents = [{ id: "blank", name: null, text: " ".repeat(8 * mebi), metadata: {} }]
        const error = yield* Effect.flip(
          reader.chunk(documents, { chunker: "RecursiveChunker", chunk_size: 100_000, chunk_overlap: 99_999 })
        )
        assert.deepInclude(error, {
          reason: "timeout",
          message: "The content was not read within 3 seconds. The operator raises it with READER_TIMEOUT"
        })
        assert.strictEqual((yield* reader.read({ text: "small" }))[0]?.text, "small")
      }), { timeout: "3 seconds", processes: 1 }))

  it.live("an interrupted source frees its place", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(reader.read({ text: "word ".repeat(4 * mebi) }))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        assert.strictEqual((yield* reader.read({ text: "small" }))[0]?.text, "small")
      }), { processes: 1 }))

  it.live("more sources than processes are all read", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`)
        const read = yield* Stream.fromIterable(texts).pipe(
          Stream.mapEffect((text) => reader.read({ text }), { concurrency: 20 }),
          Stream.runCollect
        )
        assert.deepStrictEqual(read.map(([document]) => document?.text), texts)
      })
    ))

  it.live("a program of the processes that is missing is named", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(reader.read({ text: "text" }))
        assert.include(String(exit), "nowhere.js")
      }), { processFile: new URL("./nowhere.js", import.meta.url) }))
})
