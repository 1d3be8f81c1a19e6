import { assert, describe, it, layer } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { DocumentReader, type Options } from "../src/DocumentReader.ts"
import { pdfOf } from "./fixtures/pdf.ts"
import { watchMessages } from "./ProcessMessages.ts"

Tier.oneIn(12)

const mebi = 1024 * 1024

const withReader = <A, E>(
  use: (reader: DocumentReader["Service"]) => Effect.Effect<A, E>,
  options: Options = {}
): Effect.Effect<A, E> => Effect.provide(Effect.flatMap(DocumentReader, use), DocumentReader.layer(options))

/** Too large to be read without a process. */
const long = (text: string) => `${text} `.repeat(5000)

const killed = new URL("./fixtures/killed.ts", import.meta.url)

layer(DocumentReader.layer())("DocumentReader", (it) => {
  it.effect("a DocumentReader reads and chunks in a process", () =>
    Effect.gen(function*() {
      const reader = yield* DocumentReader
      const documents = yield* reader.read({ bytes: Buffer.from("one\ntwo"), name: "a.txt" })
      assert.deepStrictEqual(documents, [{ id: "a.txt", name: "a.txt", text: "one\ntwo", metadata: {} }])
      const chunks = yield* reader.chunk(documents, { chunker: "RowChunker" })
      assert.deepStrictEqual(chunks, [
        { id: "a.txt_row_1", name: "a.txt", text: "one", metadata: { row_number: 1 }, index: 1, size: 3 },
        { id: "a.txt_row_2", name: "a.txt", text: "two", metadata: { row_number: 2 }, index: 2, size: 3 }
      ])
    }))

  it.effect("the bytes of the caller stay theirs", () =>
    Effect.gen(function*() {
      const reader = yield* DocumentReader
      const bytes = new Uint8Array(Buffer.from("text"))
      yield* reader.read({ bytes })
      assert.strictEqual(Buffer.from(bytes).toString(), "text")
    }))

  it.effect("errors of readers and of options come back, and the next source is read", () =>
    Effect.gen(function*() {
      const reader = yield* DocumentReader
      const unreadable = yield* Effect.flip(reader.read({ text: "{", name: "a.json" }))
      assert.deepInclude(unreadable, {
        _tag: "Unreadable",
        reason: "broken",
        message: "The content is not valid JSON"
      })
      const documents = yield* reader.read({ text: "text" })
      const invalid = yield* Effect.flip(reader.chunk(documents, { chunker: "NoChunker" }))
      assert.strictEqual(invalid._tag, "InvalidChunking")
    }))

  it.effect("more sources than processes are all read", () =>
    Effect.gen(function*() {
      const reader = yield* DocumentReader
      const texts = Array.from({ length: 20 }, (_, index) => long(`text ${index}`))
      const read = yield* Stream.fromIterable(texts).pipe(
        Stream.mapEffect((text) => reader.read({ text }), { concurrency: 20 }),
        Stream.runCollect
      )
      assert.deepStrictEqual(read.map(([document]) => document?.text), texts)
    }))
})

describe("a DocumentReader of its own", () => {
  it.effect("a large text is sent in small messages, one after the other", () =>
    Effect.gen(function*() {
      const line = "Some words, и другие слова. "
      const bytes = Buffer.from(line.repeat(Math.floor(20 * mebi / Buffer.byteLength(line))))
      const [[documents, chunks], messages] = yield* watchMessages(withReader((reader) =>
        Effect.gen(function*() {
          const documents = yield* reader.read({ bytes, name: "large.txt" })
          return [documents, yield* reader.chunk(documents, { chunker: "FixedSizeChunker" })] as const
        })
      ))
      assert.isAtMost(messages.largest, 3 * mebi)
      assert.strictEqual(messages.overtaking, 0)
      assert.strictEqual(
        chunks.reduce((length, { size }) => length + size + 1, 0),
        documents[0]!.text.length
      )
    }))

  it.effect("the memory of earlier sources does not count against the next one", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const bytes = Buffer.from("Some words, и другие слова. ".repeat(300_000))
        for (let count = 0; count < 3; count++) {
          const documents = yield* reader.read({ bytes, name: "large.txt" })
          yield* reader.chunk(documents, { chunker: "DocumentChunker" })
        }
      }), { processes: 1, memoryBytes: 256 * mebi }))

  it.effect("a source that needs more memory than the limit fails, and the next one is read", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const text = `[${"[],".repeat(600_000)}[]]`
        const error = yield* Effect.flip(reader.read({ text, name: "a.json" }))
        assert.deepInclude(error, {
          reason: "out_of_memory",
          message:
            "The content needs more memory than a reader may use, 128 MiB. The operator raises it with READER_MEMORY_BYTES"
        })
        const documents = yield* reader.read({ text: long("small") })
        assert.strictEqual(documents[0]?.text, long("small"))
      }), { memoryBytes: 128 * mebi, processes: 1 }))

  it.effect("a source that needs more time than the limit fails, and the next one is read", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const documents = [{ id: "blank", name: null, text: " ".repeat(8 * mebi), metadata: {} }]
        const chunking = yield* Effect.forkChild(Effect.flip(
          reader.chunk(documents, { chunker: "RecursiveChunker", chunk_size: 100_000, chunk_overlap: 99_999 })
        ))
        // the clock of the test stands still while the next one is read, however slow the machine is
        yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => chunking.pollUnsafe() !== undefined })
        const error = yield* Fiber.join(chunking)
        assert.deepInclude(error, {
          reason: "timeout",
          message: "The content was not read within 3 seconds. The operator raises it with READER_TIMEOUT"
        })
        assert.strictEqual((yield* reader.read({ text: long("small") }))[0]?.text, long("small"))
      }), { timeout: "3 seconds", processes: 1 }))

  const annotated = (count: number) =>
    pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> ` +
      `/Annots [${Array.from({ length: count }, (_, index) => `${7 + index} 0 R`).join(" ")}] >>`,
      "<< /Length 39 >>\nstream\nBT /F1 12 Tf 72 720 Td (Page text) Tj ET\nendstream",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
      `(${"A".repeat(200_000)})`,
      ...Array.from({ length: count }, () => "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents 6 0 R >>")
    ])

  it.live("annotations that need more time than they may are left out, and the text of their page is read", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const [page, left] = yield* reader.read({ name: "a.pdf", bytes: annotated(100) })
        assert.strictEqual(page?.text, "Page text")
        assert.match(left?.problem ?? "", /^The annotations and the values of forms are left out/)
      }), { processes: 1, annotationsTimeout: "20 millis" }))

  it.effect("an interrupted source frees its place", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(reader.read({ text: "word ".repeat(mebi) }))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        assert.strictEqual((yield* reader.read({ text: long("small") }))[0]?.text, long("small"))
      }), { processes: 1 }))

  it.effect("a source whose process was killed from outside is read by another one", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        for (const text of ["one", "two", "three"].map(long)) {
          assert.strictEqual((yield* reader.read({ text }))[0]?.text, text)
        }
      }), { processes: 1, processFile: killed }))

  it.effect("a source whose processes are killed one after the other fails with the reason, and the next one is read", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(reader.read({ text: long("text"), name: "killer" }))
        assert.deepInclude(error, {
          reason: "killed",
          message:
            "The process that read the content was killed 3 times: by the system, when it has too little memory, " +
            "or by an operator"
        })
        assert.strictEqual((yield* reader.read({ text: long("small") }))[0]?.text, long("small"))
      }), { processes: 1, processFile: killed }))

  it.effect("a program of the processes that is missing is named", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(reader.read({ text: long("text") }))
        assert.include(String(exit), "nowhere.js")
      }), { processFile: new URL("./nowhere.js", import.meta.url) }))

  it.effect("a small plain text is read and cut without a process, and another format is not", () =>
    withReader((reader) =>
      Effect.gen(function*() {
        for (const name of ["a.txt", "a.md", undefined]) {
          const documents = yield* reader.read({ bytes: Buffer.from("# one\ntwo"), name })
          assert.deepStrictEqual(documents.map(({ text }) => text), ["# one\ntwo"])
          for (const chunker of ["RowChunker", "MarkdownChunker", "FixedSizeChunker"]) {
            assert.isNotEmpty(yield* reader.chunk(documents, { chunker }))
          }
        }
        assert.strictEqual((yield* Effect.flip(reader.read({ text: " " }))).reason, "empty")
        for (const source of [{ text: "{}", name: "a.json" }, { text: long("text") }]) {
          assert.include(String(yield* Effect.exit(reader.read(source))), "nowhere.js")
        }
      }), { processFile: new URL("./nowhere.js", import.meta.url) }))
})
