import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Source } from "../src/Document.ts"
import * as Catalogue from "../src/ReaderCatalogue.ts"
import { defaultLimits } from "../src/ReaderLimits.ts"
import { readSource } from "../src/readers/readSource.ts"

type Described = Omit<Source, "bytes" | "text">

const readBytes = (bytes: Uint8Array, source: Described, limits = {}) =>
  readSource({ ...source, bytes }, { ...defaultLimits, ...limits })

const readText = (text: string, name: string, source: Described = {}) =>
  readBytes(Buffer.from(text), { name, ...source }).pipe(
    Effect.map((documents) => documents.map(({ metadata, text }) => ({ metadata, text })))
  )

const failure = <A, E>(effect: Effect.Effect<A, E>) => Effect.flip(effect)

describe("the choice of a reader", () => {
  it.each([
    [{ name: "a.csv", type: "application/json" }, "csv"],
    [{ name: "A.CSV" }, "csv"],
    [{ name: "a.tsv" }, "csv"],
    [{ name: "report", type: "application/json; charset=utf-8" }, "json"],
    [{ name: "report", type: "application/vnd.api+json" }, "json"],
    [{ name: "a.unknown", type: "TEXT/MARKDOWN" }, "markdown"],
    [{ name: "a.unknown", type: "application/x-unknown" }, "text"],
    [{ name: ".csv" }, "text"],
    [{ name: "folder.csv/file" }, "text"],
    [{}, "text"],
    [{ name: "a.csv", reader_id: "json" }, "json"],
    [{ name: "a.csv", reader_id: "Field-Labeled CSV Reader" }, "field_labeled_csv"],
    [{ name: "a.csv", reader_id: "JsonReader" }, "json"],
    [{ name: "a.csv", reader_id: "constructor" }, "csv"]
  ])("%j is read by %s", (source, id) => {
    assert.strictEqual(Catalogue.chooseReader(source).id, id)
  })

  it("the readers of a type are listed in the order of the catalogue", () => {
    assert.deepStrictEqual(Catalogue.readersForType[".csv"], ["csv", "field_labeled_csv"])
    assert.deepStrictEqual(Catalogue.readersForType[".md"], ["markdown"])
  })
})

describe("text", () => {
  const encoded: ReadonlyArray<readonly [string, Uint8Array, string | undefined]> = [
    ["UTF-8", Buffer.from("Größe\n5 €"), undefined],
    ["UTF-8 with a mark", Buffer.from("\ufeffGröße\n5 €"), undefined],
    ["UTF-16 with a mark", Buffer.from("\ufeffGröße\n5 €", "utf16le"), undefined],
    ["UTF-16 without a mark", Buffer.from("Größe\n5 €", "utf16le"), undefined],
    ["big-endian UTF-16", Buffer.from("\ufeffGröße\n5 €", "utf16le").swap16(), undefined],
    ["windows-1252", Buffer.from("Gr\xf6\xdfe\n5 \x80", "latin1"), undefined],
    ["a declared charset", Buffer.from("Gr\xf6\xdfe\n5 \xa4", "latin1"), "text/plain; charset=\"ISO-8859-15\""],
    ["an unknown charset", Buffer.from("Größe\n5 €"), "text/plain; charset=klingon"],
    ["a wrongly declared charset", Buffer.from("Gr\xf6\xdfe\n5 \x80", "latin1"), "text/plain; charset=utf-8"]
  ]

  for (const [title, bytes, type] of encoded) {
    it.effect(`text in ${title} is read`, () =>
      Effect.gen(function*() {
        const [document] = yield* readBytes(bytes, { name: "a.txt", type })
        assert.strictEqual(document?.text, "Größe\n5 €")
      }))
  }

  it.effect("a text has no NUL, no half characters, and line feeds only", () =>
    Effect.gen(function*() {
      const [document] = yield* readSource({ text: "a\0b\r\nc\rd\ud83d" }, defaultLimits)
      assert.strictEqual(document?.text, "ab\nc\nd\ufffd")
    }))

  it.effect.each(
    [
      ["%PDF-1.7\n...", "The content is a PDF document, not text. Its name or its type should say so"],
      [
        "PK\x03\x04abc",
        "The content is a ZIP archive or an Office document, not text. Its name or its type should say so"
      ],
      ["\x01\x02\x03\x04\x05\x06\x07\x00\x01\x02\x03\x04", "The content is binary data, not text"]
    ] as const
  )("the file %j is not read as text", ([content, message]) =>
    Effect.gen(function*() {
      const error = yield* failure(readText(content, "a.txt"))
      assert.deepInclude(error, { reason: "mismatch", message })
    }))

  it.effect.each(["", " \n\t ", "\0\0"])("the content %j has no text", (content) =>
    Effect.gen(function*() {
      const error = yield* failure(readText(content, "a.txt"))
      assert.deepInclude(error, { reason: "empty", message: "The content has no text" })
    }))

  it.effect("bytes and characters are limited", () =>
    Effect.gen(function*() {
      const input = yield* failure(readBytes(Buffer.from("12345"), {}, { inputBytes: 4 }))
      assert.deepInclude(input, { reason: "too_large", message: "The content has more than 4 bytes" })
      const output = yield* failure(readBytes(Buffer.from("12345"), {}, { outputLength: 4 }))
      assert.deepInclude(output, { reason: "too_large", message: "The content has more than 4 characters of text" })
    }))
})

describe("JSON", () => {
  it.effect("each item of an array is a document", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* readText("[{\"a\": [1, null]}, \"two\", 3]", "a.json"), [
        { text: "{\"a\":[1,null]}", metadata: { page: 1 } },
        { text: "two", metadata: { page: 2 } },
        { text: "3", metadata: { page: 3 } }
      ])
      assert.deepStrictEqual(yield* readText("{\"a\": \"b\"}", "a.json"), [
        { text: "{\"a\":\"b\"}", metadata: { page: 1 } }
      ])
    }))

  it.effect("documents of one source have different ids", () =>
    Effect.gen(function*() {
      const documents = yield* readBytes(Buffer.from("[1, 2]"), { name: "a.json" })
      assert.deepStrictEqual(documents.map(({ id, name }) => [id, name]), [["a.json_1", "a.json"], [
        "a.json_2",
        "a.json"
      ]])
    }))

  it.effect.each(
    [
      ["{\"a\": ", { reason: "broken", message: "The content is not valid JSON" }],
      ["[".repeat(100_000), { reason: "too_large", message: "The JSON is nested deeper than 200 levels" }],
      [`[${"1,".repeat(2_000_000)}1]`, { reason: "too_large", message: "The JSON has more than 2000000 values" }],
      [`[${"1,".repeat(100_000)}1]`, { reason: "too_large", message: "The content has more than 100000 documents" }]
    ] as const
  )("JSON that is broken, too deep or too large is refused", ([content, expected]) =>
    Effect.gen(function*() {
      assert.deepInclude(yield* failure(readText(content, "a.json")), expected)
    }))

  it.effect("brackets in strings do not count as depth", () =>
    Effect.gen(function*() {
      const text = "[\"\\".repeat(1).concat("\"", "[".repeat(500), "\"]")
      assert.strictEqual((yield* readText(text, "a.json"))[0]?.text, `"${"[".repeat(500)}`)
    }))
})

describe("CSV", () => {
  it.effect.each([
    ["name,size\n\"Ann, B.\",3\n\n\"two\nlines\",4\n", "a.csv"],
    ["name;size\n\"Ann, B.\";3\ntwo lines;4\n", "a.csv"],
    ["name\tsize\r\nAnn, B.\t3\r\ntwo lines\t4", "a.tsv"]
  ])("each row is a line: %j", ([content, name]) =>
    Effect.gen(function*() {
      const [document] = yield* readText(content!, name!)
      assert.strictEqual(document?.text, "name, size\nAnn, B., 3\ntwo lines, 4")
    }))

  it.effect("rows may have more or fewer fields than the first one, and stray quotes", () =>
    Effect.gen(function*() {
      const [document] = yield* readText("a,b\n1\n1,2,3\n5\" pipe,x", "a.csv")
      assert.strictEqual(document?.text, "a, b\n1\n1, 2, 3\n5\" pipe, x")
    }))

  it.effect("the field-labelled reader makes a document of each row", () =>
    Effect.gen(function*() {
      const found = yield* readText("name,,size\nAnn,x,\nBob,,4", "a.csv", { reader_id: "field_labeled_csv" })
      assert.deepStrictEqual(found, [
        { text: "name: Ann\nColumn 2: x", metadata: { row: 1 } },
        { text: "name: Bob\nsize: 4", metadata: { row: 2 } }
      ])
    }))

  it.effect("a table with a quote that never ends is refused", () =>
    Effect.gen(function*() {
      const error = yield* failure(readText("a,\"b\n1,2\n", "a.csv"))
      assert.strictEqual(error.reason, "broken")
    }))

  it.effect("the number of fields is limited", () =>
    Effect.gen(function*() {
      const error = yield* failure(readBytes(Buffer.from(",".repeat(20)), { name: "a.csv" }, { nodes: 10 }))
      assert.deepInclude(error, { reason: "too_large", message: "The table has more than 10 fields" })
    }))
})
