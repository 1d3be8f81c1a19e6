// Reads of one stored row that cannot be decoded. The data is damaged and the database replies, so no retry helps.
import { assert, describe, it } from "@effect/vitest"
import { makeDatabase } from "@svc-runtime/engine/database/Database"
import * as Agent from "@svc-runtime/features/Agent"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { approval } from "@svc-runtime/test-support/suites/approvals/Approvals"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { handbook, uploadContent } from "../Contents.ts"
import { always, ask, at, column, failed, get, list, post, runWhole } from "../Wire.ts"
import { saying, serving } from "./Evaluations.ts"
import { begin, datasetOf, pathOf, settled } from "./ExperimentRequests.ts"
import { used } from "./Fixtures.ts"

const damagedService = Effect.gen(function*() {
  const { model } = yield* always(Script.text("Hello."), used)
  const context = yield* Layer.build(Layer.provideMerge(SqlStores.layer, PgliteLayer.layer))
  const database = makeDatabase("main-db", context)
  const server = yield* TestServer.make({
    agents: [Agent.make({ id: "a", model })],
    knowledge: [handbook],
    database: () => database
  })
  yield* runWhole(server, "a", { message: "Hi", session_id: "s", run_id: "r" })
  const one = approval()
  yield* database.approvals.create(one, one.run_id)
  const sql = Context.get(context, SqlClient.SqlClient)
  yield* sql`update svc_runs set output = '{"damaged": "hunter2"}' where run_id = 'r'`
  yield* sql`update svc_approvals set context = '"hunter2"' where id = ${one.id}`
  return { server, sql, approval_id: one.id }
})

describe("A damaged row", () => {
  it.live("A request about one damaged row is 500, and one line of the log has its request_id and the id of the row.", () =>
    Effect.gen(function*() {
      const { approval_id, server } = yield* damagedService
      const approval = `/approvals/${approval_id}`
      const requests = [
        ["/sessions/s/runs/r", "r", get(server, "/sessions/s/runs/r")],
        ["/agents/a/runs/r", "r", get(server, "/agents/a/runs/r?session_id=s")],
        ["continue", "r", post(server, "/agents/a/runs/r/continue", { session_id: "s" })],
        ["approval", approval_id, get(server, approval)],
        ["status", approval_id, get(server, `${approval}/status`)],
        ["resolve", approval_id, post(server, `${approval}/resolve`, { status: "approved" })]
      ] as const
      for (const [path, id, request] of requests) {
        const before = server.logs.length
        const answer = yield* request
        failed(answer, 500, "INTERNAL_SERVER_ERROR")
        const errors = server.logs.slice(before).filter(({ level }) => level === "ERROR")
        assert.strictEqual(errors.length, 1, path)
        assert.strictEqual(errors[0]?.annotations["request_id"], at(answer.json, "request_id"))
        assert.include(errors[0]?.cause, `'${id}' cannot be read`)
        assert.notInclude(JSON.stringify(errors), "hunter2", "values are not logged")
      }
    }))

  it.live("A content whose row is damaged is 500 when it is read or patched, and an upload replaces it.", () =>
    Effect.gen(function*() {
      const { server, sql } = yield* damagedService
      const form = { text_content: "We meet on Mondays.", name: "meetings" }
      const upload = Effect.map(uploadContent(server, { fields: form }), (answer) => String(at(answer.json, "id")))
      const content = `/knowledge/content/${yield* upload}`
      yield* sql`update svc_contents set metadata = '"hunter2"', status = 'completed'`
      const requests = [
        get(server, content),
        ask(server, content, { method: "PATCH", body: new URLSearchParams({ name: "other" }) })
      ]
      for (const request of requests) failed(yield* request, 500, "INTERNAL_SERVER_ERROR")
      assert.strictEqual(`/knowledge/content/${yield* upload}`, content)
      assert.strictEqual((yield* get(server, content)).status, 200)
    }))

  it.live("A damaged item of a dataset is an error of its experiment and is logged once, and all other items are executed.", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(Layer.provideMerge(SqlStores.layer, PgliteLayer.layer))
      const database = makeDatabase("main-db", context)
      const server = yield* serving([yield* saying("Paris")], { database: () => database })
      const items = Array.from({ length: 25 }, (_, number) => ({ id: `item-${number}`, input: `Question ${number}` }))
      const dataset = yield* datasetOf(server, items)
      const sql = Context.get(context, SqlClient.SqlClient)
      yield* sql`update svc_dataset_items set body = '"hunter2"' where id = 'item-3'`
      const scorers = { agent_id: "assistant", scorers: [{ type: "contains", texts: ["Paris"] }] }
      const accepted = yield* begin(server, dataset, scorers)
      const completed = yield* settled(server, accepted)
      assert.deepInclude(completed as object, { items_done: 25, items_total: 25 })
      assert.deepInclude(at(completed, "summary") as object, { passed: 24, errors: 1 })
      const results = list((yield* get(server, `${pathOf(accepted)}/items?limit=100`)).json, "data")
      // those behind it keep their places, which are in the ids of their sessions
      assert.deepStrictEqual(column(results, "item_id"), items.map(({ id }) => id))
      assert.strictEqual(at(results, 4, "session_id"), `eval_${String(at(accepted.json, "id"))}_5`)
      assert.deepInclude(results[3] as object, {
        status: "error",
        input: null,
        run_id: null,
        error: "The stored item of the dataset is damaged. The log has the cause"
      })
      const lines = server.logs.filter(({ annotations }) => annotations["item_id"] === "item-3")
      assert.strictEqual(lines.length, 1)
      assert.notInclude(JSON.stringify(server.logs), "hunter2", "values are not logged")
    }))
})
