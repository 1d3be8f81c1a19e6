// Contents of a knowledge base: uploads, their processing, and what is done with them afterwards.
import { assert, describe, it } from "@effect/vitest"
import { Knowledge } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { handbook, serveKnowledge, textFile, uploadContent } from "../Contents.ts"
import { ask, at, column, get, hasKeys, invalid, list, notFound, post } from "../Wire.ts"
import { holidays, remove, searched, textsOf } from "./ContentRequests.ts"

Tier.oneIn(8)

const uuid5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const keys = [
  "access_count",
  "created_at",
  "description",
  "id",
  "linked_to",
  "metadata",
  "name",
  "size",
  "status",
  "status_message",
  "type",
  "updated_at"
]

describe("an upload", () => {
  it.live("a file with a name or a type of more than 255 characters is refused with 422", () =>
    Effect.gen(function*() {
      const { server } = yield* serveKnowledge()
      const long = "x".repeat(252)
      assert.strictEqual((yield* uploadContent(server, { file: textFile(`${long.slice(1)}.txt`, "text") })).status, 202)
      for (const file of [textFile(`${long}.txt`, "text"), textFile("a.txt", "text", `text/${long}`)]) {
        const refused = yield* uploadContent(server, { file })
        assert.deepStrictEqual(
          [refused.status, at(refused.json, "detail")],
          [422, "body.file: The name and the type of a file should have at most 255 characters"]
        )
      }
    }))

  it.live("a file is accepted at once, found by its id right away, and searchable when it is processed", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveKnowledge()
      const answer = yield* uploadContent(server, { fields: { metadata: `{"team":"people"}` }, file: holidays })
      assert.strictEqual(answer.status, 202, answer.text)
      hasKeys(answer.json, ...keys)
      const id = String(at(answer.json, "id"))
      assert.match(id, uuid5)
      assert.deepStrictEqual(
        ["name", "status", "type", "size", "metadata"].map((key) => at(answer.json, key)),
        ["holidays.txt", "processing", "text/plain", String(holidays.size), { team: "people" }]
      )
      assert.strictEqual((yield* get(server, `/knowledge/content/${id}`)).status, 200)
      assert.strictEqual(yield* jobEnd, "Completed")
      const whole = yield* get(server, `/knowledge/content/${id}`)
      assert.deepStrictEqual([at(whole.json, "status"), at(whole.json, "status_message")], ["completed", ""])
      assert.deepStrictEqual((yield* get(server, `/knowledge/content/${id}/status`)).json, {
        id,
        status: "completed",
        status_message: ""
      })
      const found = yield* searched(server, "how many days of holiday")
      assert.deepStrictEqual(textsOf(found), [yield* Effect.promise(() => holidays.text())])
      const result = list(found.json, "data")[0]
      assert.deepInclude(at(result, "meta_data"), {
        team: "people",
        chunk: 1,
        chunk_size: holidays.size,
        linked_to: "handbook"
      })
      assert.deepStrictEqual(
        [at(result, "content_id"), at(result, "content_origin"), at(result, "name")],
        [id, "holidays.txt", "holidays.txt"]
      )
    }))

  it.live("the content of a name is replaced by a changed upload, and an equal upload is processed once", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveKnowledge()
      const first = yield* uploadContent(server, { file: textFile("plan.txt", "The office moves in May.") })
      assert.strictEqual(yield* jobEnd, "Completed")
      const same = yield* uploadContent(server, { file: textFile("plan.txt", "The office moves in May.") })
      assert.strictEqual(at(same.json, "status"), "completed")
      const second = yield* uploadContent(server, { file: textFile("plan.txt", "The office moves in June.") })
      assert.deepStrictEqual(
        [at(second.json, "id"), at(second.json, "status")],
        [at(first.json, "id"), "processing"]
      )
      assert.strictEqual(yield* jobEnd, "Completed")
      assert.deepStrictEqual(textsOf(yield* searched(server, "office moves")), ["The office moves in June."])
      assert.strictEqual(at((yield* get(server, "/knowledge/content")).json, "meta", "total_count"), 1)
    }))

  it.live("an upload that is repeated with its Idempotency-Key stores nothing again, also after a later upload", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveKnowledge({ knowledge: [handbook, Knowledge.make({ name: "other" })] })
      const { json: config } = yield* get(server, "/config")
      const [id, other] = column(at(config, "knowledge", "knowledge_instances"), "id")
      const send = (text: string, key?: string, knowledge = id) =>
        uploadContent(server, { file: textFile("plan.txt", text), key, query: `?knowledge_id=${knowledge}` })
      const first = yield* send("The office moves in May.", "one")
      assert.deepStrictEqual([first.status, at(first.json, "status")], [202, "processing"])
      yield* jobEnd
      yield* send("The office moves in June.")
      yield* jobEnd
      const repeated = yield* send("The office moves in May.", "one")
      assert.deepStrictEqual(
        [repeated.status, at(repeated.json, "id"), at(repeated.json, "status")],
        [202, at(first.json, "id"), "completed"]
      )
      const found = yield* searched(server, "office moves", { knowledge_id: id })
      assert.deepStrictEqual(textsOf(found), ["The office moves in June."])
      const inQuery = (knowledge: unknown, body = {}) =>
        post(server, `/knowledge/search?knowledge_id=${knowledge}`, { query: "office moves", ...body })
      assert.deepStrictEqual(textsOf(yield* inQuery(id)), ["The office moves in June."])
      assert.deepStrictEqual(textsOf(yield* inQuery(id, { knowledge_id: other })), [])
      for (const [text, knowledge] of [["Something else.", id], ["The office moves in May.", other]] as const) {
        assert.strictEqual((yield* send(text, "one", knowledge)).status, 409)
      }
      yield* remove(server, `/knowledge/content/${String(at(first.json, "id"))}?knowledge_id=${id}`)
      notFound(yield* send("The office moves in May.", "one"), `Content not found: ${String(at(first.json, "id"))}`)
    }))

  it.live("a key of an upload that was stored before does not bring it back after a later upload", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveKnowledge()
      const send = (text: string, key?: string) => uploadContent(server, { file: textFile("plan.txt", text), key })
      const first = yield* send("The office moves in May.")
      yield* jobEnd
      const equal = yield* send("The office moves in May.", "one")
      assert.deepStrictEqual([at(equal.json, "id"), at(equal.json, "status")], [at(first.json, "id"), "completed"])
      yield* send("The office moves in June.")
      yield* jobEnd
      const repeated = yield* send("The office moves in May.", "one")
      assert.deepStrictEqual([repeated.status, at(repeated.json, "status")], [202, "completed"])
      assert.deepStrictEqual(textsOf(yield* searched(server, "office moves")), ["The office moves in June."])
      yield* remove(server, `/knowledge/content/${String(at(first.json, "id"))}`)
      notFound(yield* send("The office moves in May.", "one"), `Content not found: ${String(at(first.json, "id"))}`)
    }))

  it.live("a text without a name is called by its beginning, and another text does not replace it", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveKnowledge()
      const one = yield* uploadContent(server, { fields: { text_content: "Lunch is at noon." } })
      assert.deepStrictEqual([at(one.json, "name"), at(one.json, "type")], [null, "manual"])
      yield* jobEnd
      yield* uploadContent(server, { fields: { text_content: "Dinner is at six." } })
      yield* jobEnd
      const { json } = yield* get(server, "/knowledge/content?sort_by=name&sort_order=asc")
      assert.deepStrictEqual(column(list(json, "data"), "name"), ["Dinner is ", "Lunch is a"])
      assert.deepStrictEqual(column(list(json, "data"), "size"), ["17", "17"])
    }))

  it.live("a file that cannot be read ends as failed with the reason, and is processed again when it is sent again", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveKnowledge()
      const broken = textFile("data.json", "{", "application/json")
      const { json } = yield* uploadContent(server, { file: broken })
      assert.strictEqual(yield* jobEnd, "Completed")
      const status = yield* get(server, `/knowledge/content/${String(at(json, "id"))}/status`)
      assert.strictEqual(at(status.json, "status"), "failed")
      assert.match(String(at(status.json, "status_message")), /^Content could not be read: /)
      assert.strictEqual(at((yield* uploadContent(server, { file: broken })).json, "status"), "processing")
    }))

  it.live("metadata that is no JSON object is stored as a value, and an upload of nothing stores nothing", () =>
    Effect.gen(function*() {
      const { server } = yield* serveKnowledge()
      const { json } = yield* uploadContent(server, { fields: { text_content: "a", metadata: "green" } })
      assert.deepStrictEqual(at(json, "metadata"), { value: "green" })
      const nothing = yield* uploadContent(server, { fields: { name: "empty" } })
      assert.strictEqual(nothing.status, 202)
      assert.strictEqual(
        nothing.headers.get("warning"),
        "299 - \"The request has no file, text_content or url, so nothing is stored.\""
      )
      const id = String(at(nothing.json, "id"))
      assert.deepStrictEqual((yield* get(server, `/knowledge/content/${id}/status`)).json, {
        id,
        status: "failed",
        status_message: "Content not found"
      })
      notFound(yield* get(server, `/knowledge/content/${id}`), `Content not found: ${id}`)
    }))

  it.live("an upload that cannot be processed is refused before anything is stored", () =>
    Effect.gen(function*() {
      const { server } = yield* serveKnowledge()
      const refusals: ReadonlyArray<readonly [Readonly<Record<string, string>>, string, string]> = [
        [{ name: "n".repeat(256) }, "name", "string_too_long"],
        [{ description: "d".repeat(1001) }, "description", "string_too_long"],
        [{ chunker: "documentchunker" }, "chunker", "value_error"],
        [{ chunk_size: "ten" }, "chunk_size", "int_parsing"],
        [{ chunk_size: "10", chunk_overlap: "10" }, "chunker", "value_error"],
        [{ metadata: "[".repeat(0) + `{"a":`.repeat(300) + "1" + "}".repeat(300) }, "metadata", "json_too_deep"]
      ]
      for (const [fields, field, type] of refusals) {
        invalid(yield* uploadContent(server, { fields: { text_content: "a", ...fields } }), [["body", field], type])
      }
      invalid(yield* uploadContent(server, { fields: { url: `["https://a.test"]` } }), [["body", "url"], "string_type"])
      const two = new FormData()
      for (const name of ["a.txt", "b.txt"]) two.append("file", textFile(name, "Lunch."))
      invalid(yield* ask(server, "/knowledge/content", { method: "POST", body: two }), [["body", "file"], "too_long"])
      assert.strictEqual(at((yield* get(server, "/knowledge/content")).json, "meta", "total_count"), 0)
      notFound(
        yield* uploadContent(server, { fields: { text_content: "a" }, query: "?knowledge_id=none" }),
        "Knowledge base 'none' not found"
      )
    }))
})
