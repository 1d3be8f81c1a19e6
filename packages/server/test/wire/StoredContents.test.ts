// Contents that are stored: changes, removal, lists, and their metadata.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { handbook, serveKnowledge, uploadContent } from "../Contents.ts"
import { ask, at, badRequest, column, get, invalid, list, notFound } from "../Wire.ts"
import { holidays, remove, searched, textsOf } from "./ContentRequests.ts"

Tier.oneIn(8)

const patch = (server: TestServer.TestServer, path: string, fields: Readonly<Record<string, string>>) =>
  ask(server, path, { method: "PATCH", body: new URLSearchParams(fields) })

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
