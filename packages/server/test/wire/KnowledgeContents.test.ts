// Contents of a knowledge base: uploads, their processing, and what is done with them afterwards.
import { assert, describe, it } from "@effect/vitest"
import { make as vectorStore } from "@svc/examples/vectorStore"
import { Knowledge, type VectorStore } from "@svc/server"
import type * as TestServer from "@svc/testing/TestServer"
import { Effect } from "effect"
import { handbook, serveKnowledge, textFile, uploadContent } from "../Contents.ts"
import {
  type Answer,
  ask,
  at,
  badRequest,
  column,
  failed,
  get,
  hasKeys,
  invalid,
  list,
  notFound,
  post
} from "../Wire.ts"

const uuid5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const holidays = textFile("holidays.txt", "Everybody has thirty days of holiday. Ask your lead before you book.")

const remove = (server: TestServer.TestServer, path: string) => ask(server, path, { method: "DELETE" })

const patch = (server: TestServer.TestServer, path: string, fields: Readonly<Record<string, string>>) =>
  ask(server, path, { method: "PATCH", body: new URLSearchParams(fields) })

const searched = (server: TestServer.TestServer, query: string, more: object = {}) =>
  post(server, "/knowledge/search", { query, ...more })

const textsOf = (answer: Answer) => column(list(answer.json, "data"), "content")

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

describe("metadata", () => {
  it.live("metadata of more than 16 KiB are refused with 422, in uploads and in what patches add up to", () =>
    Effect.gen(function*() {
      const { server } = yield* serveKnowledge()
      const tooLong = "body.metadata: Input should have at most 16384 bytes of JSON"
      const text = "x".repeat(13_000)
      for (const metadata of [JSON.stringify({ a: text, b: text }), text + text]) {
        const refused = yield* uploadContent(server, { fields: { metadata }, file: holidays })
        assert.deepStrictEqual([refused.status, at(refused.json, "detail")], [422, tooLong])
      }
      const stored = yield* uploadContent(server, { fields: { metadata: JSON.stringify({ a: text }) }, file: holidays })
      const path = `/knowledge/content/${String(at(stored.json, "id"))}`
      const refused = yield* patch(server, path, { metadata: JSON.stringify({ b: text }) })
      assert.deepStrictEqual([refused.status, at(refused.json, "detail")], [422, tooLong])
      assert.strictEqual((yield* patch(server, path, { metadata: JSON.stringify({ a: text }) })).status, 200)
    }))
})

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
      assert.deepStrictEqual(at(result, "meta_data"), {
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
      assert.strictEqual(at((yield* get(server, "/knowledge/content")).json, "meta", "total_count"), 0)
      notFound(
        yield* uploadContent(server, { fields: { text_content: "a" }, query: "?knowledge_id=none" }),
        "Knowledge base 'none' not found"
      )
    }))
})

describe("a stored content", () => {
  it.live("a changed name, description and metadata are stored, merged, and found by searches at once", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveKnowledge()
      const { json } = yield* uploadContent(server, { fields: { metadata: `{"team":"people"}` }, file: holidays })
      const path = `/knowledge/content/${String(at(json, "id"))}`
      yield* jobEnd
      const changed = yield* patch(server, path, { name: "Holidays", description: "", metadata: `{"year":2026}` })
      assert.strictEqual(changed.status, 200, changed.text)
      assert.deepStrictEqual(
        ["name", "description", "metadata", "type", "size"].map((key) => at(changed.json, key)),
        ["Holidays", null, { team: "people", year: 2026 }, "text/plain", String(holidays.size)]
      )
      assert.deepStrictEqual((yield* get(server, path)).json, changed.json)
      const found = yield* searched(server, "holiday", { filters: { year: 2026 } })
      assert.strictEqual(list(found.json, "data").length, 1)
      assert.deepStrictEqual(at((yield* get(server, "/knowledge/config")).json, "filters"), ["team", "year"])
      badRequest(yield* patch(server, path, { metadata: "{" }), "Invalid JSON format for metadata")
      badRequest(yield* patch(server, path, { reader_id: "none" }), "Invalid reader_id: none")
      invalid(yield* patch(server, path, { metadata: "[1]" }), [["body", "metadata"], "dict_type"])
      invalid(yield* patch(server, path, { name: "n".repeat(256) }), [["body", "name"], "string_too_long"])
      notFound(yield* patch(server, "/knowledge/content/none", { name: "a" }), "Content not found: none")
    }))

  it.live("a removed content is neither listed nor found, and removing one that is missing succeeds", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveKnowledge()
      const { json } = yield* uploadContent(server, { file: holidays })
      yield* jobEnd
      const id = String(at(json, "id"))
      for (const _ of [1, 2]) {
        const removed = yield* remove(server, `/knowledge/content/${id}`)
        assert.deepStrictEqual([removed.status, removed.json], [200, { id }])
      }
      assert.deepStrictEqual(textsOf(yield* searched(server, "holiday")), [])
      for (const name of ["a", "b"]) {
        yield* uploadContent(server, { fields: { name, text_content: "holiday" } })
        yield* jobEnd
      }
      const all = yield* remove(server, "/knowledge/content")
      assert.deepStrictEqual([all.status, all.text], [200, `"success"`])
      assert.strictEqual(at((yield* get(server, "/knowledge/content")).json, "meta", "total_count"), 0)
      assert.deepStrictEqual(textsOf(yield* searched(server, "holiday")), [])
    }))

  it.live("contents are listed in pages, newest first, and an unknown column does not sort", () =>
    Effect.gen(function*() {
      const { server } = yield* serveKnowledge()
      for (const name of ["a", "b", "c"]) yield* uploadContent(server, { fields: { name, text_content: "x" } })
      const { json } = yield* get(server, "/knowledge/content?limit=2&page=2")
      assert.deepStrictEqual(column(list(json, "data"), "name"), ["a"])
      assert.deepStrictEqual(at(json, "meta"), {
        page: 2,
        limit: 2,
        total_pages: 2,
        total_count: 3,
        search_time_ms: 0
      })
      assert.strictEqual((yield* get(server, "/knowledge/content?sort_by=nothing")).status, 200)
      invalid(yield* get(server, "/knowledge/content?limit=0"), [["query", "limit"], "greater_than_equal"])
    }))
})

describe("a remote content", () => {
  it.live("an upload from an unknown source is refused with its id, and one with invalid parameters with the reason", () =>
    Effect.gen(function*() {
      const { server } = yield* serveKnowledge({ knowledge: [handbook] })
      const send = (fields: Readonly<Record<string, string>>) =>
        ask(server, "/knowledge/remote-content", { method: "POST", body: new URLSearchParams(fields) })
      const file = { config_id: "wiki", path: "a.md" }
      badRequest(
        yield* send(file),
        "Unknown content source: wiki. Check /knowledge/config for available sources."
      )
      badRequest(yield* send({ ...file, source_params: "{" }), "source_params must be a valid JSON object")
      badRequest(yield* send({ ...file, source_params: "[]" }), "source_params must be a JSON object")
      invalid(yield* send({}), [["body", "config_id"], "missing"], [["body", "path"], "missing"])
    }))
})

describe("a search", () => {
  it.live("invalid searches are refused", () =>
    Effect.gen(function*() {
      const { server } = yield* serveKnowledge()
      invalid(yield* searched(server, "a", { search_type: "near" }), [["body", "search_type"], "enum"])
      invalid(yield* searched(server, "a", { max_results: 1001 }), [["body", "max_results"], "less_than_equal"])
      invalid(yield* searched(server, "a", { filters: { op: "NEAR" } }), [["body", "filters"], "value_error"])
      invalid(yield* searched(server, "a".repeat(10_001)), [["body", "query"], "value_error"])
      badRequest(
        yield* searched(server, "a", { vector_db_ids: ["x", "y"] }),
        /^None of the provided Vector DB IDs \['x', 'y'\] match the knowledge base Vector DB ID /
      )
      notFound(yield* searched(server, "a", { db_id: "none" }), "Knowledge instance with db_id 'none' not found")
    }))

  it.live("the results of a search are cut into pages, and their number is that of all of them", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveKnowledge()
      for (const name of ["a", "b", "c"]) {
        yield* uploadContent(server, { fields: { name, text_content: `holiday ${name}` } })
        yield* jobEnd
      }
      const { json } = yield* searched(server, "holiday", { search_type: "keyword", meta: { limit: 2, page: 2 } })
      assert.strictEqual(list(json, "data").length, 1)
      assert.deepStrictEqual([at(json, "meta", "total_count"), at(json, "meta", "total_pages")], [3, 2])
      assert.deepStrictEqual(column(list(json, "data"), "name").length, 1)
      assert.match(String(at(json, "data", 0, "name")), /^[abc]$/)
      const few = yield* searched(server, "holiday", { max_results: 1 })
      assert.strictEqual(at(few.json, "meta", "total_count"), 1)
      assert.deepStrictEqual(textsOf(yield* searched(server, " ")), [])
    }))

  it.live("a reranker sorts what was found anew, and one that fails fails the search", () =>
    Effect.gen(function*() {
      const asked: Array<ReadonlyArray<string>> = []
      const reranked = Knowledge.make({
        reranker: (query, documents) => {
          asked.push(documents)
          if (query.includes("fail")) throw new Error("secret")
          return documents.flatMap((text, index) =>
            text.includes("b") ? [] : [{ index, score: text.includes("c") ? 2 : 0.5 }]
          )
        }
      })
      const { jobEnd, server } = yield* serveKnowledge({ knowledge: [reranked] })
      for (const name of ["a", "b", "c"]) {
        yield* uploadContent(server, { fields: { name, text_content: `holiday ${name}` } })
        yield* jobEnd
      }
      const { json } = yield* searched(server, "holiday", { max_results: 2 })
      assert.deepStrictEqual(column(list(json, "data"), "content"), ["holiday c", "holiday a"])
      assert.deepStrictEqual(column(list(json, "data"), "reranking_score"), [1, 0.5])
      assert.strictEqual(asked[0]?.length, 3)
      failed(
        yield* searched(server, "holiday fail"),
        503,
        "SERVICE_UNAVAILABLE",
        "The search failed: The reranker of the knowledge base failed"
      )
    }))

  it.live("a search with an embedder whose key is missing is an error that names the setting", () =>
    Effect.gen(function*() {
      const embedder = "openai:text-embedding-3-small"
      const { server } = yield* serveKnowledge({ knowledge: [Knowledge.make({ embedder })] })
      failed(yield* searched(server, "a"), 503, "SERVICE_UNAVAILABLE", /^The search failed: OPENAI_API_KEY is not set/)
    }))

  it.live("an embedder of an author that throws or returns no vectors fails searches clearly, and is logged once each", () =>
    Effect.gen(function*() {
      const embedMany = ([text = ""]: ReadonlyArray<string>) => {
        if (text.includes("throw")) throw new Error("secret")
        if (text.includes("die")) return Effect.die(new Error("secret"))
        // oxlint-disable-next-line typescript/no-explicit-any -- what an author may do without types
        return text.includes("promise") ? Promise.resolve([]) as any : Effect.succeed(null)
      }
      const embedder = { id: "mine", dimensions: undefined, maxPerCall: 1, embedMany }
      const { jobEnd, server } = yield* serveKnowledge({ knowledge: [Knowledge.make({ embedder })] })
      const logged = () => server.logs.filter(({ message }) => message === "The embedder 'mine' failed")
      for (const text of ["throw", "die", "promise"]) {
        const answer = yield* searched(server, text)
        failed(answer, 503, "SERVICE_UNAVAILABLE", "The search failed: The embedder 'mine' failed")
      }
      assert.strictEqual(logged().length, 3)
      assert.include(logged()[0]?.cause, "Error: secret")
      failed(yield* searched(server, "null"), 503, "SERVICE_UNAVAILABLE", /did not give one vector .* for each text/)
      yield* uploadContent(server, { fields: { text_content: "throw" } })
      assert.strictEqual(yield* jobEnd, "Retry")
      const { json } = yield* uploadContent(server, { fields: { text_content: "null" } })
      assert.strictEqual(yield* jobEnd, "Completed")
      const status = yield* get(server, `/knowledge/content/${String(at(json, "id"))}/status`)
      assert.match(String(at(status.json, "status_message")), /^Could not insert embedding: .* did not give one vector/)
    }))
})

describe("the configuration of a knowledge base", () => {
  it.live("it names the readers, the chunkers and the ways to search", () =>
    Effect.gen(function*() {
      const { server } = yield* serveKnowledge()
      const { json } = yield* get(server, "/knowledge/config")
      hasKeys(json, "chunkers", "filters", "readers", "readersForType", "remote_content_sources", "vector_dbs")
      hasKeys(at(json, "readers", "markdown"), "chunkers", "description", "id", "name")
      assert.deepStrictEqual(at(json, "readersForType", ".md"), ["markdown"])
      hasKeys(at(json, "chunkers", "DocumentChunker"), "description", "key", "metadata", "name")
      assert.deepStrictEqual(at(json, "vector_dbs", 0, "search_types"), ["vector", "keyword", "hybrid"])
      assert.isNull(at(json, "remote_content_sources"))
    }))
})

describe("a vector store of the author", () => {
  it.live("chunks are stored and searched there, and those of a removed content are not found whatever it keeps", () =>
    Effect.gen(function*() {
      const kept = vectorStore()
      const store: VectorStore.VectorStore = { ...kept, remove: () => Effect.void }
      const own = Knowledge.make({ name: "own", vectorStore: store })
      const { jobEnd, server, stores } = yield* serveKnowledge({ knowledge: [own] })
      const uploaded = yield* uploadContent(server, { file: holidays })
      assert.strictEqual(yield* jobEnd, "Completed")
      const status = yield* get(server, `/knowledge/content/${String(at(uploaded.json, "id"))}/status`)
      assert.strictEqual(at(status.json, "status"), "completed")
      const [found] = textsOf(yield* searched(server, "How many days of holiday?"))
      assert.include(found, "thirty days")
      assert.strictEqual(yield* stores().chunks.prune, 0)
      yield* remove(server, `/knowledge/content/${String(at(uploaded.json, "id"))}`)
      assert.deepStrictEqual(textsOf(yield* searched(server, "How many days of holiday?")), [])
    }))

  it("a store without one of the methods is refused at once", () => {
    const { search: _, ...others } = vectorStore()
    assert.throws(
      () => Knowledge.make({ name: "own", vectorStore: others as VectorStore.VectorStore }),
      "Knowledge 'own': vectorStore has no search"
    )
  })
})
