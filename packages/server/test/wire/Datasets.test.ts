// Datasets on the wire: items in versions, lines of JSON, items from runs, what is refused, and who sees what.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { call, everything, seed, serveClosed, serveOpen, token } from "../authorization/Closed.ts"
import {
  always,
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
  post,
  send,
  serve
} from "../Wire.ts"
import { weather } from "./Evaluations.ts"
import { serveTraced, start } from "./TracedRuns.ts"
import { own, tenant } from "./TwoDatabases.ts"

Tier.oneIn(6)

const france = { id: "france", input: "The capital of France?", expected_output: "Paris" }
const italy = { id: "italy", input: { country: "Italy" }, expected_tool_calls: ["search"], metadata: { hard: true } }

const made = Effect.fnUntraced(function*(server: TestServer.TestServer, body: object = {}) {
  const { json, status, text } = yield* post(server, "/datasets", { name: "capitals", ...body })
  assert.strictEqual(status, 201, text)
  return `/datasets/${String(at(json, "id"))}`
})

const itemsOf = (server: TestServer.TestServer, path: string, query = "") =>
  Effect.map(get(server, `${path}/items${query}`), ({ json }) => list(json, "data"))

const lines = (server: TestServer.TestServer, path: string, body: string) =>
  ask(server, `${path}/import`, { method: "POST", headers: { "content-type": "application/x-ndjson" }, body })

describe("datasets", () => {
  it.effect("a dataset is made with items, and each change of them makes a version", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const first = yield* post(server, "/datasets", { name: "capitals", items: [france, italy] })
      assert.deepInclude(first.json as object, {
        name: "capitals",
        description: null,
        user_id: null,
        version: 2,
        item_count: 2,
        item_ids: ["france", "italy"]
      })
      const path = `/datasets/${String(at(first.json, "id"))}`
      const changed = yield* post(server, `${path}/items`, { put: [{ input: "new" }], remove: ["france"], version: 2 })
      assert.deepInclude(changed.json as object, { version: 3, item_count: 2 })
      assert.lengthOf(list(changed.json, "item_ids"), 1)
      const [one] = yield* itemsOf(server, path, "?version=2")
      hasKeys(one, "id", "input", "expected_output", "expected_tool_calls", "metadata", "version")
      assert.deepStrictEqual(column(yield* itemsOf(server, path, "?version=2"), "id"), ["france", "italy"])
      assert.deepStrictEqual(column(yield* itemsOf(server, path), "input"), [italy.input, "new"])
      failed(
        yield* post(server, `${path}/items`, { put: [france], version: 2 }),
        409,
        "CONFLICT",
        "The latest version of the dataset is 3"
      )
      notFound(yield* get(server, `${path}/items?version=4`))
    }))

  it.effect("a dataset is renamed, listed and deleted", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const [path, other] = [yield* made(server), yield* made(server, { name: "other" })]
      const renamed = yield* send(server, "PATCH", path, { name: "again", description: "of Europe" })
      assert.deepInclude(renamed.json as object, { name: "again", description: "of Europe", version: 1 })
      assert.deepStrictEqual(column(list((yield* get(server, "/datasets")).json, "data"), "name"), ["other", "again"])
      assert.strictEqual((yield* send(server, "DELETE", path, undefined)).status, 204)
      const missing = `Dataset with id '${path.split("/")[2]}' not found`
      for (const [method, rest, body] of [["GET", ""], ["PATCH", "", {}], ["DELETE", ""], ["GET", "/items"]] as const) {
        notFound(yield* send(server, method, `${path}${rest}`, body), missing)
      }
      notFound(yield* post(server, `${path}/items`, { put: [france] }), missing)
      assert.strictEqual((yield* get(server, other)).status, 200)
    }))

  it.effect("items are imported and exported as lines of JSON", () =>
    Effect.gen(function*() {
      const server = yield* serveOpen
      const path = yield* made(server)
      const text = `${JSON.stringify(france)}\r\n\n${JSON.stringify(italy)}`
      assert.deepInclude((yield* lines(server, path, text)).json as object, {
        version: 2,
        item_ids: ["france", "italy"]
      })
      const exported = yield* get(server, `${path}/export`)
      assert.strictEqual(exported.headers.get("content-type"), "application/x-ndjson")
      assert.deepStrictEqual(exported.text.split("\n").map((line) => line === "" ? "" : JSON.parse(line)), [
        france,
        italy,
        ""
      ])
      assert.strictEqual((yield* get(server, `${path}/export?version=1`)).text, "")
      badRequest(yield* lines(server, path, "{}\n{"), /^Line 1 is not an item: /)
      badRequest(yield* lines(server, path, `${JSON.stringify(france)}\n{`), "Line 2 is not an item: it is not JSON")
      badRequest(yield* lines(server, path, `${JSON.stringify(france)}\n`.repeat(2)), "Two items have the id 'france'")
      badRequest(yield* lines(server, path, "{\"input\":1}\n".repeat(1001)), "An import has at most 1000 items")
      assert.strictEqual(at((yield* get(server, path)).json, "version"), 2)
    }))

  it.effect("a run becomes an item, with its answer and the tools that it called", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.toolCall("weather", { city: "Rome" })], [Script.text("Sunny.")]])
      const server = yield* serveTraced({ agents: [Agent.make({ id: "guide", model, tools: [weather] })] })
      yield* start(server, "/agents/guide/runs", { session_id: "s", message: "How is Rome?", run_id: "r" })
      const path = yield* made(server)
      const body = { run_id: "r", session_id: "s", with_tool_calls: true, metadata: { source: "live" } }
      assert.strictEqual((yield* post(server, `${path}/items/from-trace`, body)).status, 200)
      const trace_id = at((yield* get(server, "/traces")).json, "data", 0, "trace_id")
      yield* post(server, `${path}/items/from-trace`, { trace_id, id: "traced" })
      const [byRun, byTrace] = yield* itemsOf(server, path)
      const metadata = { run_id: "r", session_id: "s" }
      assert.deepInclude(byRun as object, {
        input: "How is Rome?",
        expected_output: "Sunny.",
        expected_tool_calls: [{ name: "weather", arguments: { city: "Rome" } }],
        metadata: { source: "live", ...metadata }
      })
      assert.deepInclude(byTrace as object, {
        id: "traced",
        input: "How is Rome?",
        expected_tool_calls: null,
        metadata
      })
      const refuse = (fields: object) => post(server, `${path}/items/from-trace`, fields)
      const either = "Either trace_id, or run_id and session_id, must be given"
      for (const fields of [{}, { run_id: "r" }, { trace_id, run_id: "r", session_id: "s" }]) {
        badRequest(yield* refuse(fields), either)
      }
      notFound(yield* refuse({ trace_id: "none" }), "Trace not found")
      notFound(yield* refuse({ run_id: "none", session_id: "s" }), "Run not found")
    }))

  it.effect("an item of a run that did not complete expects no output: its content is an error or a question", () =>
    Effect.gen(function*() {
      const { model: failing } = yield* Script.make([[Script.fail("The model is busy")]])
      const { model: asking } = yield* Script.make([[Script.toolCall("weather", { city: "Rome" })]])
      const asks = { ...weather, requiresConfirmation: true }
      const server = yield* serve({
        agents: [
          Agent.make({ id: "failing", model: failing }),
          Agent.make({ id: "asking", model: asking, tools: [asks] })
        ]
      })
      const path = yield* made(server)
      for (const id of ["failing", "asking"]) {
        yield* start(server, `/agents/${id}/runs`, { session_id: id, run_id: id, message: "How is Rome?" })
        const added = yield* post(server, `${path}/items/from-trace`, { run_id: id, session_id: id })
        assert.strictEqual(added.status, 200, added.text)
      }
      const items = yield* itemsOf(server, path)
      assert.deepStrictEqual(column(items, "input"), ["How is Rome?", "How is Rome?"])
      assert.deepStrictEqual(column(items, "expected_output"), [null, null])
    }))

  it.effect("the run of a trace becomes an item of a dataset, also in other databases than the trace", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello."))
      const agents = [Agent.make({ id: "guide", model }), Agent.make({ id: "elsewhere", model, db: tenant })]
      const server = yield* serveTraced({ agents })
      for (const id of ["guide", "elsewhere"]) {
        yield* start(server, `/agents/${id}/runs`, { session_id: id, run_id: id })
        const traces = yield* get(server, `/traces?db_id=${own}&run_id=${id}`)
        const trace_id = at(traces.json, "data", 0, "trace_id")
        for (const database of [own, "tenant-db"]) {
          const made = yield* post(server, `/datasets?db_id=${database}`, { name: id })
          const path = `/datasets/${String(at(made.json, "id"))}/items`
          const taken = yield* post(server, `${path}/from-trace?db_id=${database}`, { trace_id })
          assert.strictEqual(taken.status, 200, taken.text)
          const [item] = list((yield* get(server, `${path}?db_id=${database}`)).json, "data")
          assert.deepInclude(item as object, { expected_output: "Hello.", metadata: { run_id: id, session_id: id } })
        }
      }
    }))

  it.effect("what is invalid or too large is refused before it is stored", () =>
    Effect.gen(function*() {
      const server = yield* serve({ evaluations: { datasetItems: 2 } })
      const path = yield* made(server)
      const change = (body: object) => post(server, `${path}/items`, body)
      for (const body of [{ put: [{}] }, { put: [{ input: 1, id: "" }] }, { version: -1 }]) {
        assert.strictEqual((yield* change(body)).status, 422, JSON.stringify(body))
      }
      invalid(yield* post(server, "/datasets", { name: "" }), [["body", "name"], "string_too_short"])
      for (const odd of ["a\0b", "a\ud800b"]) {
        const body = { name: odd, description: odd }
        const problems = ["name", "description"].map((field) => [["body", field], "string_unicode"] as const)
        invalid(yield* post(server, "/datasets", body), ...problems)
        invalid(yield* send(server, "PATCH", path, body), ...problems)
      }
      const many = yield* change({ put: Array.from({ length: 1001 }, () => france) })
      invalid(many, [["body", "put"], "too_long"])
      assert.strictEqual(at(many.json, "errors", 0, "msg"), "List should have at most 1000 items")
      const large = { input: "x".repeat(256 * 1024) }
      failed(yield* change({ put: [large] }), 413, "PAYLOAD_TOO_LARGE", /^Item 1 has \d+ bytes, more than 262144$/)
      badRequest(yield* change({ put: [france, france] }), "Two items have the id 'france'")
      const three = [{ input: 1 }, { input: 2 }, { input: 3 }]
      for (
        const refused of [yield* change({ put: three }), yield* post(server, "/datasets", { name: "x", items: three })]
      ) {
        failed(refused, 409, "CONFLICT", "A dataset has at most 2 items (MAX_DATASET_ITEMS)")
      }
      assert.deepInclude((yield* get(server, path)).json as object, { version: 1, item_count: 0 })
      assert.strictEqual(at((yield* get(server, "/datasets")).json, "meta", "total_count"), 1)
    }))

  it.effect("a field that is unknown is refused, also in a line of an import", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const path = yield* made(server)
      const typo = { input: "1", expected: "typo" }
      invalid(yield* post(server, `${path}/items`, { put: [typo] }), [
        ["body", "put", 0, "expected"],
        "extra_forbidden"
      ])
      invalid(
        yield* post(server, "/datasets", { name: "x", items: [typo], item: [] }),
        [["body", "item"], "extra_forbidden"],
        [["body", "items", 0, "expected"], "extra_forbidden"]
      )
      invalid(yield* send(server, "PATCH", path, { titel: "x" }), [["body", "titel"], "extra_forbidden"])
      invalid(yield* post(server, `${path}/items/from-trace`, { trace: "x" }), [["body", "trace"], "extra_forbidden"])
      const imported = yield* lines(server, path, JSON.stringify(typo))
      failed(imported, 400, "BAD_REQUEST", /^Line 1 is not an item: .*"expected"/s)
      assert.deepInclude((yield* get(server, path)).json as object, { version: 1, item_count: 0 })
      // as a list shows it
      const shown = yield* post(server, `${path}/items`, { put: [{ ...france, version: 2 }] })
      assert.strictEqual(shown.status, 200, shown.text)
    }))

  it.effect("isolated callers find and change only their own datasets, and make items of their own runs", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const scopes = everything
      const [ann, bob] = [yield* token("ann", ...scopes), yield* token("bob", ...scopes)]
      yield* seed(server, ann)
      const json = (method: string, body: object) => ({
        method,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      const init = json("POST", { name: "anns", items: [france], user_id: "bob" })
      const created = yield* call(server, { path: "/datasets", init }, ann)
      assert.strictEqual(at(created.json, "user_id"), "ann")
      const path = `/datasets/${String(at(created.json, "id"))}`
      const item = { run_id: "ann-1", session_id: "anns" }
      const requests = [
        { path },
        { path, init: json("PATCH", { name: "x" }) },
        { path: `${path}/items` },
        { path: `${path}/items`, init: json("POST", { remove: ["france"] }) },
        { path: `${path}/items/from-trace`, init: json("POST", item) },
        { path: `${path}/export` },
        {
          path: `${path}/import`,
          init: { method: "POST", headers: { "content-type": "application/x-ndjson" }, body: "{}" }
        }
      ]
      for (const request of requests.slice(0, -1)) notFound(yield* call(server, request, bob))
      assert.notStrictEqual((yield* call(server, requests[requests.length - 1]!, bob)).status, 200)
      assert.strictEqual((yield* call(server, { path, init: { method: "DELETE" } }, bob)).status, 404)
      assert.strictEqual(
        at((yield* call(server, { path: "/datasets?user_id=ann" }, bob)).json, "meta", "total_count"),
        0
      )
      const own = yield* call(server, { path: "/datasets", init: json("POST", { name: "bobs" }) }, bob)
      const from = { path: `/datasets/${String(at(own.json, "id"))}/items/from-trace`, init: json("POST", item) }
      notFound(yield* call(server, from, bob), "Run not found")
      assert.deepInclude((yield* call(server, { path }, ann)).json as object, {
        name: "anns",
        version: 2,
        item_count: 1
      })
    }))
})
