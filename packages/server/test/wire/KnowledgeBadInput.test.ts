// Files that are made to harm, and embedders that misbehave: each content says what is wrong, and others are found.
import { assert, describe, it } from "@effect/vitest"
import { Knowledge } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { crc32, deflateRawSync } from "node:zlib"
import { serveKnowledge, textFile, uploadContent } from "../Contents.ts"
import { at, column, get, list, post } from "../Wire.ts"

Tier.oneIn(8)

/** An archive with one file, which says that it has so many bytes. */
const zip = (path: string, content: Uint8Array, size = content.length): Uint8Array => {
  const [name, packed, sum] = [Buffer.from(path), deflateRawSync(content), crc32(content)]
  const header = (signature: number, length: number, start: number) => {
    const bytes = Buffer.alloc(length)
    bytes.writeUInt32LE(signature)
    bytes.writeUInt16LE(20, start)
    bytes.writeUInt16LE(8, start + 4)
    bytes.writeUInt32LE(sum, start + 10)
    bytes.writeUInt32LE(packed.length, start + 14)
    bytes.writeUInt32LE(size, start + 18)
    bytes.writeUInt16LE(name.length, start + 22)
    return Buffer.concat([bytes, name])
  }
  const [local, central] = [header(0x04034b50, 30, 4), header(0x02014b50, 46, 6)]
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(local.length + packed.length, 16)
  return Buffer.concat([local, packed, central, end])
}

const entities = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>`

/** Names, bytes and what the status says. */
const files: ReadonlyArray<readonly [name: string, bytes: Uint8Array, message: string]> = [
  [
    "bomb.docx",
    zip("word/document.xml", Buffer.from("x"), 140 * 1024 * 1024),
    "The parts of the document have more than 128 MiB"
  ],
  [
    "entities.docx",
    zip("word/document.xml", Buffer.from(entities)),
    "The document defines entities, which Office documents do not"
  ],
  ["deep.html", Buffer.from("<div>".repeat(1100)), "The page is nested deeper than 1000 levels"],
  ["deep.json", Buffer.from("[".repeat(100_000)), "The JSON is nested deeper than 200 levels"],
  [
    "loop.pdf",
    Buffer.from("%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 1 0 R /Kids [1 0 R] >> endobj"),
    "The content is not a PDF document, or is damaged"
  ],
  ["text.pdf", Buffer.from("text"), "The content is not a PDF document"],
  [
    "program.txt",
    Buffer.from("\x7fELF\x01\x02"),
    "The content is a program, not text. Its name or its type should say so"
  ],
  ["blank.txt", Buffer.from("\0\0 \n"), "The content has no text"]
]

describe("bad input", () => {
  it.live.runIf(Tier.isWhole)(
    "each file says why it cannot be read, leaves nothing to find, and others are read meanwhile",
    () =>
      Effect.gen(function*() {
        const { jobEnd, server } = yield* serveKnowledge()
        const good = textFile("good.txt", "Trains\0 are booked by the office.")
        const broken = new File([Buffer.from("Gr\xfc\xdfe aus Z\xfcrich \xff\xfe", "latin1")], "broken.txt")
        const bad = Tier.some(files, 3)
        for (const [name, bytes] of bad) yield* uploadContent(server, { file: new File([new Uint8Array(bytes)], name) })
        for (const file of [good, broken]) yield* uploadContent(server, { file })
        for (const _ of [...bad, good, broken]) assert.strictEqual(yield* jobEnd, "Completed")
        const { json } = yield* get(server, "/knowledge/content?limit=50")
        const contents = list(json, "data")
        const messages = contents.map((content) =>
          [String(at(content, "name")), at(content, "status_message")] as const
        )
        const expected = bad.map(([name, , message]) => [name, `Content could not be read: ${message}`] as const)
        const byName = (one: readonly [string, unknown], other: readonly [string, unknown]) =>
          one[0] < other[0] ? -1 : 1
        assert.deepStrictEqual(
          messages.toSorted(byName),
          [...expected, ["good.txt", ""] as const, ["broken.txt", ""] as const].toSorted(byName)
        )
        const found = yield* post(server, "/knowledge/search", { query: "trains", search_type: "vector" })
        assert.sameMembers(
          [...column(list(found.json, "data"), "content")],
          ["Trains are booked by the office.", "Grüße aus Zürich ÿþ"]
        )
      })
  )

  it.live("a hundred uploads at once are all accepted and found", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveKnowledge()
      const names = Array.from({ length: 100 }, (_, index) => `note${index}.txt`)
      const answers = yield* Effect.forEach(
        names,
        (name) => uploadContent(server, { file: textFile(name, `A note called ${name}`) }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [202])
      for (const _ of names) assert.strictEqual(yield* jobEnd, "Completed")
      const found = yield* post(server, "/knowledge/search", { query: "note", max_results: 200, meta: { limit: 200 } })
      assert.sameMembers([...column(list(found.json, "data"), "name")], names)
    }))

  it.live("an embedder that changes its dimensions ends the content as failed, and what is stored stays found", () =>
    Effect.gen(function*() {
      let dimensions: ReadonlyArray<number> = [2]
      const embedder = {
        id: "test:changing",
        dimensions: undefined,
        maxPerCall: 10,
        embedMany: (texts: ReadonlyArray<string>) =>
          Effect.succeed(texts.map((_, index) => new Float32Array(dimensions[index] ?? dimensions[0] ?? 2).fill(1)))
      }
      const knowledge = [Knowledge.make({ embedder, chunker: "RowChunker" })]
      const { jobEnd, server } = yield* serveKnowledge({ knowledge })
      const messageOf = Effect.fnUntraced(function*(given: ReadonlyArray<number>, name: string) {
        dimensions = given
        const { json } = yield* uploadContent(server, { file: textFile(name, "one\ntwo") })
        yield* jobEnd
        const status = yield* get(server, `/knowledge/content/${String(at(json, "id"))}/status`)
        return String(at(status.json, "status_message"))
      })
      assert.strictEqual(yield* messageOf([2], "a.txt"), "")
      assert.match(yield* messageOf([3], "b.txt"), /were stored with the embedder test:changing \(2 dimensions\)/)
      assert.match(yield* messageOf([2, 3], "c.txt"), /is not 2 finite numbers/)
      dimensions = [2]
      const found = yield* post(server, "/knowledge/search", { query: "one", search_type: "vector" })
      assert.deepStrictEqual([...new Set(column(list(found.json, "data"), "name"))], ["a.txt"])
    }))
})
