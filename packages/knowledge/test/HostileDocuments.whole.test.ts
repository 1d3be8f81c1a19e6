// Files that are made to exhaust who reads them. Each ends with its error, and the next file is read.
import { assert, layer } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { deflateSync } from "node:zlib"
import { DocumentReader } from "../src/DocumentReader.ts"
import type { Unreadable } from "../src/Unreadable.ts"
import { docx, wordParagraph } from "./fixtures/office.ts"
import { pdf, pdfOf } from "./fixtures/pdf.ts"

const mebi = 1024 * 1024
const memory =
  "The content needs more memory than a reader may use, 192 MiB. The operator raises it with READER_MEMORY_BYTES"

/** 300 MiB in a few hundred bytes. */
const twiceCompressed = () => {
  const bytes = deflateSync(deflateSync(Buffer.alloc(300 * mebi)))
  return Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n`),
    bytes,
    Buffer.from("\nendstream")
  ])
}

const catalog = "<< /Type /Catalog /Pages 2 0 R >>"

const files: ReadonlyArray<
  readonly [title: string, name: string, make: () => Uint8Array, reason: Unreadable["reason"], message: string]
> = [
  [
    "a PDF document with a stream that unpacks to much more",
    "a.pdf",
    () =>
      pdfOf([
        catalog,
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1 1] /Contents 4 0 R >>",
        twiceCompressed()
      ]),
    "out_of_memory",
    memory
  ],
  [
    "a PDF document whose pages contain themselves",
    "a.pdf",
    () => pdfOf([catalog, "<< /Type /Pages /Count 100000000 /Kids [2 0 R 2 0 R] >>"]),
    "broken",
    "The content is not a PDF document, or is damaged"
  ],
  [
    "a Word document with a text that unpacks to much more",
    "a.docx",
    () => docx(wordParagraph("x".repeat(60 * mebi))),
    "out_of_memory",
    memory
  ],
  [
    "a Word document with an archive that unpacks to much more",
    "a.docx",
    () => docx(wordParagraph("x".repeat(68 * mebi))),
    "too_large",
    "The parts of the document have more than 64 MiB"
  ],
  [
    "a page that is nested deep",
    "a.html",
    () => Buffer.from("<div>".repeat(20_000)),
    "too_large",
    "The page is nested deeper than 1000 levels"
  ],
  [
    "a page with many elements",
    "a.html",
    () => Buffer.from("<p>a, b</p>".repeat(300_000)),
    "out_of_memory",
    memory
  ]
]

const reader = DocumentReader.layer({
  processes: 1,
  memoryBytes: 192 * mebi,
  limits: { unpackedBytes: 64 * mebi }
})

// on the clock of the test no reader runs out of time
layer(reader)("hostile documents", (it) => {
  // a process that has used up its memory takes seconds to end
  for (const [title, name, make, reason, message] of Tier.ofEach(files, 1, ([, , , reason]) => reason)) {
    it.effect(`${title} is refused, and the next file is read`, () =>
      Effect.gen(function*() {
        const reader = yield* DocumentReader
        const error = yield* Effect.flip(reader.read({ name, bytes: make() }))
        assert.deepInclude(error, { reason, message })
        const [document] = yield* reader.read({ name: "a.pdf", bytes: pdf([["Page"]]) })
        assert.strictEqual(document?.text, "Page")
      }))
  }
})
