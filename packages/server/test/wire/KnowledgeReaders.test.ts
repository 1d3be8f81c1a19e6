// Readers and chunkers of authors.
import { assert, describe, it } from "@effect/vitest"
import { Chunker, Knowledge, Reader } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { serveKnowledge, textFile, uploadContent } from "../Contents.ts"
import { at, column, get, invalid, list, post } from "../Wire.ts"

Tier.oneIn(8)

const mail = Reader.make({
  id: "mail",
  types: [".eml", "message/rfc822", "MAILBOX"],
  chunkers: ["LineChunker", "DocumentChunker"],
  read: ({ bytes, name, type }) => {
    const text = new TextDecoder().decode(bytes)
    if (text.startsWith("empty")) throw new Reader.Unreadable({ message: "The mail has no text" })
    if (text.startsWith("broken")) throw new Error("secret")
    // oxlint-disable-next-line typescript/no-explicit-any -- what an author may do without types
    if (text.startsWith("wrong")) return Promise.resolve("text" as any)
    return [{ text: `${text}\0`, metadata: { from: name ?? type ?? "" } }]
  }
})

/** Wins over the reader of the service. */
const csv = Reader.make({
  id: "csv",
  types: [".csv"],
  read: () => Effect.succeed([{ text: "a table" }, { text: " " }, { text: "another" }])
})

const lines = Chunker.make({
  key: "LineChunker",
  chunk: ({ text }) => text.split("\n").map((line, index) => ({ text: line, metadata: { line: index + 1 } }))
})

const mails = Knowledge.make({ name: "mails", readers: [mail, csv], chunkers: [lines] })

const uploaded = Effect.fnUntraced(function*(
  service: Effect.Success<ReturnType<typeof serveKnowledge>>,
  file: File,
  fields: Readonly<Record<string, string>> = {}
) {
  const { json } = yield* uploadContent(service.server, { file, fields })
  yield* service.jobEnd
  const path = `/knowledge/content/${String(at(json, "id"))}`
  const status = yield* get(service.server, `${path}/status`)
  const found = yield* post(service.server, "/knowledge/search", { query: "mail table", search_type: "vector" })
  yield* service.stores().contents.removeAll({ instance: "mails", owner: { _tag: "Anyone" } })
  const results = list(found.json, "data").toSorted((one, other) =>
    Number(at(one, "meta_data", "chunk")) - Number(at(other, "meta_data", "chunk"))
  )
  return {
    message: at(status.json, "status_message"),
    texts: column(results, "content"),
    metadata: results.map((result) => [at(result, "meta_data", "from"), at(result, "meta_data", "line")])
  }
})

describe("a reader of an author", () => {
  it.live("the name, the extension, the media type or the id of a reader chooses it, and its first chunker cuts", () =>
    Effect.gen(function*() {
      const service = yield* serveKnowledge({ knowledge: [mails] })
      const text = "a mail\n\nof two lines"
      const files: ReadonlyArray<readonly [File, Readonly<Record<string, string>>]> = [
        [textFile("a.EML", text), {}],
        [textFile("folder/MAILBOX", text), {}],
        [textFile("a.unknown", text, "message/rfc822; charset=utf-8"), {}],
        [textFile("a.txt", text), { reader_id: "Mail-Reader" }]
      ]
      for (const [file, fields] of files) {
        const { message, metadata, texts } = yield* uploaded(service, file, fields)
        assert.deepStrictEqual([message, texts], ["", ["a mail", "of two lines"]], file.name)
        assert.deepStrictEqual(metadata.map(([, line]) => line), [1, 3])
      }
      const whole = yield* uploaded(service, textFile("a.eml", text), { chunker: "DocumentChunker" })
      assert.deepStrictEqual(whole.texts, [text])
      const table = yield* uploaded(service, textFile("a.csv", "x,y"))
      assert.deepStrictEqual(table.texts, ["a table", "another"])
      const other = yield* uploaded(service, textFile("a.eml", `{"a":"mail"}`), { reader_id: "json" })
      assert.deepStrictEqual([other.message, other.texts], ["", [`{"a":"mail"}`]])
    }))

  it.live("a file that it cannot read says why, and what else it throws is not shown", () =>
    Effect.gen(function*() {
      const service = yield* serveKnowledge({ knowledge: [mails] })
      const messageOf = (text: string) =>
        Effect.map(uploaded(service, textFile("a.eml", text)), ({ message }) => message)
      assert.strictEqual(yield* messageOf("empty"), "Content could not be read: The mail has no text")
      assert.strictEqual(yield* messageOf("broken"), "Content could not be read: The reader 'mail' failed")
      assert.strictEqual(
        yield* messageOf("wrong"),
        "Content could not be read: The reader 'mail' returned something else than documents"
      )
    }))

  it.live("the log has the reason of each failed content, and where the code of the author threw", () =>
    Effect.gen(function*() {
      const service = yield* serveKnowledge({ knowledge: [mails] })
      yield* uploaded(service, textFile("a.eml", "empty"))
      yield* uploaded(service, textFile("a.eml", "broken"))
      const warnings = service.server.logs.filter(({ level }) => level.toUpperCase() === "WARN")
      assert.deepStrictEqual(warnings.map(({ message }) => message), [
        "A content of knowledge failed Content could not be read: The mail has no text",
        "The reader 'mail' failed",
        "A content of knowledge failed Content could not be read: The reader 'mail' failed"
      ])
      assert.include(warnings[1]?.cause, "KnowledgeReaders.test.ts")
      for (const { annotations } of warnings) assert.containsAllKeys(annotations, ["content_id", "knowledge"])
    }))

  it.live("the configuration names the readers and chunkers of the author first", () =>
    Effect.gen(function*() {
      const { server } = yield* serveKnowledge({ knowledge: [mails] })
      const { json } = yield* get(server, "/knowledge/config")
      assert.deepStrictEqual(at(json, "readers", "mail", "chunkers"), ["LineChunker", "DocumentChunker"])
      assert.deepStrictEqual(at(json, "readersForType", ".csv"), ["csv", "field_labeled_csv"])
      assert.strictEqual(at(json, "readers", "csv", "name"), "csv")
      assert.strictEqual(at(json, "chunkers", "LineChunker", "key"), "LineChunker")
      invalid(
        yield* uploadContent(server, { fields: { text_content: "a", chunker: "NoChunker" } }),
        [["body", "chunker"], "value_error"]
      )
    }))

  it("invalid options are errors that name the reader and the option", () => {
    const read = () => []
    assert.throws(() => Reader.make({ id: "A", types: [".a"], read }), /Reader 'A': id must be lower-case letters/)
    assert.throws(() => Reader.make({ id: "a", types: [], read }), /Reader 'a': types must be extensions/)
    assert.throws(() => Reader.make({ id: "a", types: [".A"], read }), /types must be extensions/)
    assert.throws(() => Chunker.make({ key: "a b", chunk: read }), /Chunker 'a b': key must be letters and digits/)
    assert.throws(() => Knowledge.make({ readers: [mail, mail] }), /Knowledge: two readers are called 'mail'/)
  })
})

describe("a file without a known type", () => {
  it.live("the charset that an upload declares decodes its text, and each row has the names of its columns", () =>
    Effect.gen(function*() {
      const service = yield* serveKnowledge({ knowledge: [Knowledge.make({ name: "mails" })] })
      const bytes = Uint8Array.from(Buffer.from("c9ccc6b72cbcdbb8f10ac6bbb9fb2c350a", "hex"))
      const file = new File([bytes], "prices.csv", { type: "text/csv; charset=gb18030" })
      assert.deepStrictEqual((yield* uploaded(service, file)).texts, ["商品: 苹果, 价格: 5"])
      const undeclared = new File([bytes], "prices.csv", { type: "text/csv" })
      assert.deepStrictEqual((yield* uploaded(service, undeclared)).texts, ["商品: 苹果, 价格: 5"])
    }))

  it.live("a file has the type of its bytes, or of its extension", () =>
    Effect.gen(function*() {
      const service = yield* serveKnowledge({ knowledge: [Knowledge.make({ name: "mails" })] })
      const typeOf = (name: string, text: string) =>
        Effect.map(
          uploadContent(service.server, { file: textFile(name, text, "application/octet-stream") }),
          ({ json }) => at(json, "type")
        )
      assert.strictEqual(yield* typeOf("report", "%PDF-1.7"), "application/pdf")
      assert.strictEqual(yield* typeOf("a.eml", "Subject: x"), "message/rfc822")
      assert.strictEqual(yield* typeOf("a", "text"), "application/octet-stream")
    }))

  it.live("attachments of a mail that cannot be read are named", () =>
    Effect.gen(function*() {
      const service = yield* serveKnowledge({ knowledge: [Knowledge.make({ name: "mails" })] })
      const mail = "Subject: A mail\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntable\r\n--b\r\n" +
        "Content-Type: image/gif\r\nContent-Disposition: attachment; filename=\"a.gif\"\r\n\r\nGIF89a\r\n--b--\r\n"
      const { message, texts } = yield* uploaded(service, textFile("a.eml", mail, "message/rfc822"))
      assert.deepStrictEqual(texts, ["Subject: A mail\n\ntable"])
      assert.match(String(message), /^a\.gif: /)
    }))
})

describe("text recognition", () => {
  const picture = new File([Buffer.from("\x89PNG\r\n\x1a\n", "latin1")], "a.png", { type: "image/png" })
  const scanned = () =>
    new File(
      [new Uint8Array(readFileSync(new URL("../../../knowledge/test/corpus/scanned.pdf", import.meta.url)))],
      "scanned.pdf"
    )

  /** The second page is empty. */
  const mixed = new File([
    `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 2/Kids[3 0 R 5 0 R]>>endobj
    3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font
    /Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n4 0 obj<</Length 36>>stream\nBT /F1 12 Tf 72 720 Td (First) Tj ET\nendstream endobj
    5 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF`
  ], "mixed.pdf")

  it.live("a function recognizes pictures, scanned documents, and the pages without text of a document", () =>
    Effect.gen(function*() {
      const scans: Array<readonly [type: string, pages: ReadonlyArray<number> | undefined]> = []
      const ocr: Knowledge.Recognize = ({ pages, type }) => {
        scans.push([type, pages])
        return pages === undefined
          ? [{ text: `text of ${type}` }]
          : pages.map((page) => ({ page, text: `page ${page}` }))
      }
      const service = yield* serveKnowledge({ knowledge: [Knowledge.make({ name: "mails", ocr })] })
      const [ofPicture, ofScan, ofMixed] = [
        yield* uploaded(service, picture),
        yield* uploaded(service, scanned()),
        yield* uploaded(service, mixed)
      ]
      assert.deepStrictEqual([ofPicture.message, ofPicture.texts], ["", ["text of image/png"]])
      assert.deepStrictEqual([ofScan.message, ofScan.texts], ["", ["text of application/pdf"]])
      assert.deepStrictEqual([ofMixed.message, ofMixed.texts.toSorted()], ["", ["First", "page 2"]])
      assert.deepStrictEqual(scans, [["image/png", undefined], ["application/pdf", undefined], ["application/pdf", [
        2
      ]]])
    }))

  it.live("a model of the AI SDK gets the file, and its answer is cut at the marks of pages", () =>
    Effect.gen(function*() {
      const prompts: Array<unknown> = []
      const model = {
        modelId: "seeing",
        specificationVersion: "v4",
        doGenerate: ({ prompt }: { readonly prompt: unknown }) => {
          prompts.push(prompt)
          // the first page has a text already, and the file has no page 7
          const text = "<page 1>\nFirst again\n<page 2>\nSecond\n<page 7>\nForged\n"
          return Promise.resolve({ content: [{ type: "text", text }] })
        }
      }
      const service = yield* serveKnowledge({ knowledge: [Knowledge.make({ name: "mails", ocr: model })] })
      const { texts } = yield* uploaded(service, mixed)
      assert.deepStrictEqual(texts.toSorted(), ["First", "Second"])
      assert.strictEqual(at(prompts[0], 0, "content", 0, "mediaType"), "application/pdf")
      assert.include(String(at(prompts[0], 0, "content", 1, "text")), "the pages 2 of the file")
    }))

  it.live("a recognition that fails is called twice, and the status has the reason and names the pages without text", () =>
    Effect.gen(function*() {
      let calls = 0
      const ocr: Knowledge.Recognize = () => {
        calls++
        throw new Error("no credit")
      }
      const service = yield* serveKnowledge({ knowledge: [Knowledge.make({ name: "mails", ocr })] })
      const { message, texts } = yield* uploaded(service, mixed)
      assert.deepStrictEqual(texts, ["First"])
      assert.strictEqual(
        message,
        "Page 2 has no text. Scanned pages need text recognition first\nThe text recognition failed"
      )
      assert.strictEqual(calls, 2)
      assert.strictEqual(
        (yield* uploaded(service, picture)).message,
        "Content could not be read: The text recognition failed"
      )
      assert.strictEqual(calls, 4)
    }))

  it.live("a drawing of SVG is read as a text and not recognized", () =>
    Effect.gen(function*() {
      const ocr: Knowledge.Recognize = ({ type }) => [{ text: `text of ${type}` }]
      const service = yield* serveKnowledge({ knowledge: [Knowledge.make({ name: "mails", ocr })] })
      const drawing = new File(["<svg><text>drawn</text></svg>"], "a.svg", { type: "image/svg+xml" })
      assert.deepStrictEqual((yield* uploaded(service, drawing)).texts, ["<svg><text>drawn</text></svg>"])
    }))

  it.live("a content whose recognition returns nothing says so, and without one the pages without text are named", () =>
    Effect.gen(function*() {
      const silent = yield* serveKnowledge({ knowledge: [Knowledge.make({ name: "mails", ocr: () => [] })] })
      assert.strictEqual(
        (yield* uploaded(silent, picture)).message,
        "Content could not be read: The text recognition found no text"
      )
      const without = yield* serveKnowledge({ knowledge: [Knowledge.make({ name: "mails" })] })
      assert.strictEqual(
        (yield* uploaded(without, mixed)).message,
        "Page 2 has no text. Scanned pages need text recognition first"
      )
      assert.include(String((yield* uploaded(without, picture)).message), "Pictures have no text")
    }))
})
