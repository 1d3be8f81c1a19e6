// `POST /knowledge/search`, the configuration of a knowledge base, and vector stores of authors.
import { assert, describe, it } from "@effect/vitest"
import { make as vectorStore } from "@svc-runtime/examples/vectorStore"
import { Knowledge, type VectorStore } from "@svc-runtime/server"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { serveKnowledge, uploadContent } from "../Contents.ts"
import * as PrometheusText from "../PrometheusText.ts"
import { at, badRequest, column, failed, get, hasKeys, invalid, list, notFound } from "../Wire.ts"
import { holidays, remove, searched, textsOf } from "./ContentRequests.ts"

Tier.oneIn(6)

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

  it.live("requests to the embedder for a content and for a search are counted like those to other models", () =>
    Effect.gen(function*() {
      const { jobEnd, server } = yield* serveKnowledge()
      yield* uploadContent(server, { fields: { name: "a", text_content: "holiday" } })
      yield* jobEnd
      for (const query of ["holiday", "tea", "tea"]) yield* searched(server, query, { search_type: "vector" })
      const response = yield* server.fetch("/metrics/prometheus")
      const { value } = PrometheusText.parse(yield* Effect.promise(() => response.text()))
      const embedder = { provider: "Demo", model: "hashed-words" }
      // the second search for the same text has its vector
      assert.strictEqual(value("svc_model_requests_total", { ...embedder, outcome: "ok" }), 3)
      assert.strictEqual(value("svc_model_request_duration_seconds_count", embedder), 3)
    }))

  it.live("a reranker sorts what was found anew, and one that fails fails the search", () =>
    Effect.gen(function*() {
      const calls: Array<ReadonlyArray<string>> = []
      const reranked = Knowledge.make({
        reranker: (query, documents) => {
          calls.push(documents)
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
      assert.strictEqual(calls[0]?.length, 3)
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
  it.live("the configuration names the readers, the chunkers and the ways to search", () =>
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
