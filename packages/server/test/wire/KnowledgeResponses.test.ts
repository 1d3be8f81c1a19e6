// The responses about knowledge, as a client of the observed service validates them, to requests as it sends them.
import { assert, describe, it } from "@effect/vitest"
import * as S3Server from "@svc-runtime/features/knowledge/test/sources/S3Server"
import { Knowledge, S3Source } from "@svc-runtime/server"
import { Effect } from "effect"
import { serveKnowledge, textFile, uploadContent } from "../Contents.ts"
import { at, get } from "../Wire.ts"
import {
  arrayOf,
  askAll,
  type Check,
  dateTime,
  error,
  natural,
  nullOr,
  object,
  pageOf,
  shaped,
  string
} from "./ResponseShapes.ts"

const oneOf = (...values: ReadonlyArray<unknown>): Check => (value) => values.includes(value)
const mapOf = (check: Check): Check => (value) => object(value) && Object.values(value as object).every(check)
const status = oneOf("processing", "completed", "failed")

const contentWith = (known: Readonly<Record<string, Check>>) =>
  shaped({
    id: string,
    name: nullOr(string),
    description: nullOr(string),
    type: nullOr(string),
    size: nullOr((value) => /^\d+$/.test(String(value))),
    linked_to: oneOf(null),
    metadata: nullOr(object),
    access_count: oneOf(null),
    status,
    status_message: nullOr(string),
    created_at: nullOr(dateTime),
    updated_at: nullOr(dateTime),
    ...known
  })

const content = contentWith({})
const accepted = contentWith({ status: oneOf("processing") })

/** Clients refuse null here. */
const contentStatus = shaped({ id: string, status, status_message: string })

const result = shaped({
  id: string,
  content: string,
  name: nullOr(string),
  meta_data: (value) =>
    object(value) && natural(at(value, "chunk")) && natural(at(value, "chunk_size")) && string(at(value, "linked_to")),
  usage: nullOr(object),
  reranking_score: nullOr((value) => Number(value) >= 0 && Number(value) <= 1),
  content_id: nullOr(string),
  content_origin: nullOr(string),
  size: nullOr(natural)
})

const source = shaped({
  id: string,
  name: string,
  type: oneOf("s3", "gcs", "sharepoint", "github", "azureblob"),
  metadata: nullOr(object),
  prefix: nullOr(string)
})

const config = shaped({
  readers: mapOf(shaped({ id: string, name: string, description: string, chunkers: arrayOf(string) })),
  readersForType: mapOf(arrayOf(string)),
  chunkers: mapOf(shaped({ key: string, name: string, description: string, metadata: object })),
  filters: arrayOf(string),
  vector_dbs: arrayOf(shaped({
    id: string,
    name: string,
    description: nullOr(string),
    search_types: arrayOf(oneOf("vector", "keyword", "hybrid"))
  })),
  remote_content_sources: nullOr(arrayOf(source))
})

const page = { page: natural, limit: natural, total_pages: natural, total_count: natural, search_time_ms: natural }

const files = shaped({
  source_id: string,
  source_name: string,
  prefix: string,
  folders: arrayOf(shaped({ prefix: string, name: string, is_empty: (value) => typeof value === "boolean" })),
  files: arrayOf(shaped({
    key: string,
    name: string,
    size: nullOr(natural),
    last_modified: nullOr(dateTime),
    content_type: nullOr(string)
  })),
  meta: shaped(page)
})

const serveSources = Effect.gen(function*() {
  const endpoint = yield* S3Server.make({ "a.md": "Trains leave at noon.", "docs/b.md": "Buses leave at one." })
  const bucket = S3Source.make({ id: "bucket", bucket: "wiki", endpoint, ...S3Server.credentials })
  const served = yield* serveKnowledge({ knowledge: [Knowledge.make({ name: "handbook", sources: [bucket] })] })
  const found = yield* get(served.server, "/config")
  const instance = at(found.json, "knowledge", "knowledge_instances", 0)
  assert.isTrue(shaped({ id: string, name: string, db_id: string, table: string })(instance), found.text)
  return { ...served, id: String(at(instance, "id")) }
})

describe("the responses about knowledge", () => {
  it.live("every endpoint of knowledge responds with the keys and types of the contract", () =>
    Effect.gen(function*() {
      const { id, jobEnd, server } = yield* serveSources
      const file = textFile("upload", "Everybody has thirty days.", "application/octet-stream")
      const fields = { name: "Holidays", metadata: `{"team":"people"}`, chunk_size: "100", chunk_overlap: "10" }
      const sent = yield* uploadContent(server, { file, fields, query: `?knowledge_id=${id}` })
      assert.deepStrictEqual([sent.status, accepted(sent.json)], [202, true], sent.text)
      const path = `/knowledge/content/${String(at(sent.json, "id"))}`
      yield* askAll(server, [
        { request: `GET ${path}`, status: 200, is: content },
        { request: `GET ${path}/status`, status: 200, is: contentStatus }
      ])
      yield* jobEnd
      const [search, remote] = ["POST /knowledge/search", "POST /knowledge/remote-content"]
      const listing = `GET /knowledge/${id}/sources/bucket/files`
      yield* askAll(server, [
        {
          request: `GET ${path}`,
          status: 200,
          is: contentWith({ status: oneOf("completed"), status_message: oneOf("") })
        },
        { request: `GET ${path}/status`, status: 200, is: contentStatus },
        { request: "GET /knowledge/content/none", status: 404, is: error },
        { request: "GET /knowledge/content/none/status", status: 200, is: contentStatus },
        { request: "POST /knowledge/content", form: { text_content: "Lunch is at noon." }, status: 202, is: accepted },
        { request: "POST /knowledge/content", form: { url: "http://127.0.0.1:1/" }, status: 202, is: accepted },
        { request: "POST /knowledge/content", form: { name: "empty" }, status: 202, is: accepted },
        { request: "POST /knowledge/content", form: { text_content: "a", chunk_size: "x" }, status: 422, is: error },
        { request: "POST /knowledge/content?knowledge_id=none", form: { name: "a" }, status: 404, is: error },
        { request: `PATCH ${path}`, form: { name: "Days", metadata: `{"year":2026}` }, status: 200, is: content },
        { request: `PATCH ${path}`, form: { reader_id: "text" }, status: 200, is: content },
        { request: `PATCH ${path}`, form: { reader_id: "none" }, status: 400, is: error },
        { request: "PATCH /knowledge/content/none", form: { name: "a" }, status: 404, is: error },
        { request: "GET /knowledge/content?limit=20&page=1&sort_by=created_at", status: 200, is: pageOf(content) },
        { request: "GET /knowledge/content?page=9&sort_by=unknown", status: 200, is: pageOf(content) },
        { request: "GET /knowledge/content?db_id=none", status: 404, is: error },
        {
          request: search,
          body: { query: "How many days?", meta: { limit: 20, page: 1 }, filters: { team: "people" }, max_results: 5 },
          status: 200,
          is: (answer) => pageOf(result)(answer) && at(answer, "meta", "total_count") === 1
        },
        { request: search, body: { query: "" }, status: 200, is: pageOf(result) },
        {
          request: search,
          body: { query: "days", vector_db_ids: [id], knowledge_id: id },
          status: 200,
          is: pageOf(result)
        },
        { request: search, body: { query: "days", vector_db_ids: ["none"] }, status: 400, is: error },
        { request: search, body: { query: "days", search_type: "near" }, status: 422, is: error },
        { request: search, body: { query: "days", max_results: 1001 }, status: 422, is: error },
        { request: search, body: { query: "days", knowledge_id: "none" }, status: 404, is: error },
        { request: "GET /knowledge/config", status: 200, is: config },
        { request: "GET /knowledge/config?db_id=none", status: 404, is: error },
        { request: `GET /knowledge/${id}/sources`, status: 200, is: arrayOf(source) },
        { request: listing, status: 200, is: files },
        { request: `${listing}?prefix=docs/&page=1&limit=1`, status: 200, is: files },
        { request: `${listing}?page=9`, status: 200, is: files },
        { request: `${listing}?limit=1001`, status: 422, is: error },
        { request: `GET /knowledge/${id}/sources/none/files`, status: 404, is: error },
        { request: remote, form: { config_id: "bucket", path: "a.md" }, status: 202, is: accepted },
        { request: remote, form: { config_id: "bucket", path: "docs/" }, status: 202, is: accepted },
        { request: remote, form: { config_id: "none", path: "a.md" }, status: 400, is: error },
        { request: remote, form: { config_id: "bucket" }, status: 422, is: error },
        { request: remote, form: { config_id: "bucket", path: "a", source_params: "[]" }, status: 400, is: error },
        { request: `DELETE ${path}`, status: 200, is: shaped({ id: string }) },
        { request: "DELETE /knowledge/content/none", status: 200, is: shaped({ id: string }) },
        { request: "DELETE /knowledge/content", status: 200, is: oneOf("success") }
      ])
    }))
})
