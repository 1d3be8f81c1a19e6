// Approvals on the wire.
import { assert, describe, it } from "@effect/vitest"
import * as Approval from "@svc/domain/Approval"
import * as Ids from "@svc/domain/Ids"
import * as Run from "@svc/domain/Run"
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { ApprovalStore } from "@svc/runtime/approval/ApprovalStore"
import { approval, filled } from "@svc/testing/suites/approvals/Approvals"
import type * as TestServer from "@svc/testing/TestServer"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, column, failed, get, invalid, list, notFound, post, second, send, serve } from "../Wire.ts"
import { keeping } from "./KeptApprovals.ts"

/** A service that has these approvals. */
const served = Effect.fnUntraced(function*(...made: ReadonlyArray<Approval.Approval>) {
  return yield* serve({ approvals: (yield* keeping(...made)).layer })
})

const id = (text: string) => Approval.Id.make(text)
const waiting = approval({ id: id("waiting"), run_id: Run.Id.make("r"), created_at: second, updated_at: second })
const resolvePath = "/approvals/waiting/resolve"
const idsOf = (json: unknown) => column(list(json, "data"), "id")

/** As the contract writes it: every key is there, in this order. */
const keys = [
  "id",
  "run_id",
  "session_id",
  "status",
  "source_type",
  "approval_type",
  "pause_type",
  "tool_name",
  "tool_args",
  "expires_at",
  "agent_id",
  "team_id",
  "workflow_id",
  "user_id",
  "schedule_id",
  "schedule_run_id",
  "source_name",
  "requirements",
  "context",
  "resolution_data",
  "resolved_by",
  "resolved_at",
  "created_at",
  "updated_at",
  "run_status"
] as const

const written = (one: Approval.Approval) => JSON.stringify(Object.fromEntries(keys.map((key) => [key, one[key]])))

describe("GET /approvals", () => {
  it.effect("approvals are listed newest first, with every key", () =>
    Effect.gen(function*() {
      const [old, young] = [filled({ id: id("a"), created_at: 1 }), approval({ id: id("b"), created_at: 2 })]
      const server = yield* served(old, young)
      const answer = yield* get(server, "/approvals")
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      const meta = "{\"page\":1,\"limit\":100,\"total_pages\":1,\"total_count\":2,\"search_time_ms\":0}"
      // its time was over long ago, but it was resolved before
      assert.strictEqual(answer.text, `{"data":[${written(young)},${written(old)}],"meta":${meta}}`)
    }))

  it.effect("the page is empty when there are no approvals", () =>
    Effect.gen(function*() {
      const answer = yield* get(yield* serve(), "/approvals")
      const meta = "{\"page\":1,\"limit\":100,\"total_pages\":0,\"total_count\":0,\"search_time_ms\":0}"
      assert.strictEqual(answer.text, `{"data":[],"meta":${meta}}`)
    }))

  it.effect("approvals are listed in pages", () =>
    Effect.gen(function*() {
      const server = yield* served(...[1, 2, 3].map((n) => approval({ id: id(`${n}`), created_at: n })))
      const first = yield* get(server, "/approvals?limit=2")
      assert.deepStrictEqual(idsOf(first.json), ["3", "2"])
      const meta = { page: 1, limit: 2, total_pages: 2, total_count: 3, search_time_ms: 0 }
      assert.deepStrictEqual<unknown>(at(first.json, "meta"), meta)
      assert.deepStrictEqual(idsOf((yield* get(server, "/approvals?limit=2&page=2")).json), ["1"])
      const past = yield* get(server, "/approvals?limit=1000&page=9")
      assert.deepStrictEqual([idsOf(past.json), at(past.json, "meta", "total_count")], [[], 3])
    }))

  it.effect.each(
    [
      ["status=approved", { status: "approved" }],
      ["source_type=team", { source_type: "team" }],
      ["approval_type=audit", { approval_type: "audit" }],
      ["pause_type=external_execution", { pause_type: "external_execution" }],
      ["agent_id=writer", { agent_id: "writer" }],
      ["team_id=writers", { team_id: "writers" }],
      ["workflow_id=daily", { workflow_id: "daily" }],
      ["user_id=ann", { user_id: Ids.UserId.make("ann") }],
      ["schedule_id=nightly", { schedule_id: "nightly" }],
      ["run_id=r1", { run_id: Run.Id.make("r1") }]
    ] as const
  )("the list is filtered by %s", ([query, fields]) =>
    Effect.gen(function*() {
      const server = yield* served(waiting, approval({ id: id("wanted"), ...fields }))
      const answer = yield* get(server, `/approvals?${query}&sort_by=nothing&unknown=1`)
      assert.deepStrictEqual(idsOf(answer.json), ["wanted"])
      assert.strictEqual(at(answer.json, "meta", "total_count"), 1)
      const other = query.startsWith("status") ? "&run_id=other" : "&status=rejected"
      assert.deepStrictEqual(idsOf((yield* get(server, `/approvals?${query}${other}`)).json), [])
    }))

  it.effect.each(
    [
      ["status=open", "enum"],
      ["status=", "enum"],
      ["source_type=tool", "enum"],
      ["approval_type=optional", "enum"],
      ["pause_type=lunch", "enum"],
      ["limit=0", "greater_than_equal"],
      ["limit=1001", "less_than_equal"],
      ["limit=", "int_parsing"],
      ["page=0", "greater_than_equal"],
      ["page=x", "int_parsing"]
    ] as const
  )("the query is refused with %s", ([query, type]) =>
    Effect.gen(function*() {
      invalid(yield* get(yield* serve(), `/approvals?${query}`), [["query", query.split("=")[0]!], type])
    }))
})

describe("GET /approvals/count", () => {
  it.effect("the pending approvals of all users or of one are counted", () =>
    Effect.gen(function*() {
      const anns = { user_id: Ids.UserId.make("ann") }
      const server = yield* served(
        approval(anns),
        approval(),
        approval({ ...anns, expires_at: second + 60 }),
        approval({ ...anns, expires_at: second }),
        approval({ ...anns, status: "approved" }),
        approval({ ...anns, status: "cancelled" })
      )
      assert.strictEqual((yield* get(server, "/approvals/count")).text, "{\"count\":3}")
      assert.strictEqual((yield* get(server, "/approvals/count?user_id=ann")).text, "{\"count\":2}")
      assert.strictEqual((yield* get(server, "/approvals/count?user_id=bob")).text, "{\"count\":0}")
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* get(server, "/approvals/count")).text, "{\"count\":2}")
    }))
})

describe("GET /approvals/{id}", () => {
  it.effect("an approval is shown with every key", () =>
    Effect.gen(function*() {
      const full = filled({ id: id("full") })
      const server = yield* served(waiting, full)
      assert.strictEqual((yield* get(server, "/approvals/waiting")).text, written(waiting))
      assert.strictEqual((yield* get(server, "/approvals/full")).text, written(full))
    }))

  it.effect("the status of an approval is shown alone", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting, filled({ id: id("full"), run_id: Run.Id.make("r2") }))
      assert.strictEqual(
        (yield* get(server, "/approvals/waiting/status")).text,
        "{\"approval_id\":\"waiting\",\"status\":\"pending\",\"run_id\":\"r\",\"resolved_at\":null,\"resolved_by\":null}"
      )
      assert.strictEqual(
        (yield* get(server, "/approvals/full/status")).text,
        "{\"approval_id\":\"full\",\"status\":\"rejected\",\"run_id\":\"r2\",\"resolved_at\":1700000010,\"resolved_by\":\"root\"}"
      )
    }))

  it.effect("an approval is expired from the second on in which it expires, wherever it is read", () =>
    Effect.gen(function*() {
      const server = yield* served({ ...waiting, expires_at: second + 60 })
      const read = Effect.gen(function*() {
        const [one, status] = [
          yield* get(server, "/approvals/waiting"),
          yield* get(server, "/approvals/waiting/status")
        ]
        const pending = yield* get(server, "/approvals?status=pending")
        const expired = yield* get(server, "/approvals?status=expired")
        return [
          at(one.json, "status"),
          at(status.json, "status"),
          column(list(pending.json, "data"), "status"),
          column(list(expired.json, "data"), "status")
        ]
      })
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* read, ["pending", "pending", ["pending"], []])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* read, ["expired", "expired", [], ["expired"]])
    }))

  it.effect("an unknown approval is not found", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      for (const name of ["nothing", "x%20y", "%00", "Waiting"]) {
        notFound(yield* get(server, `/approvals/${name}`), "Approval not found")
        notFound(yield* get(server, `/approvals/${name}/status`), "Approval not found")
      }
    }))
})

describe("POST /approvals/{id}/resolve", () => {
  it.effect("A resolution with an unknown key is refused with the key, and the approval stays pending.", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      const answer = yield* post(server, resolvePath, { status: "approved", resolution_dat: { values: { to: "b" } } })
      invalid(answer, [["body", "resolution_dat"], "extra_forbidden"])
      assert.strictEqual(at((yield* get(server, "/approvals/waiting")).json, "status"), "pending")
    }))

  it.effect("an approval is resolved with its resolver, its time, and its data", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      yield* TestClock.adjust("5 seconds")
      const body = { status: "approved", resolved_by: "ops", resolution_data: { values: { to: "b" } } }
      const answer = yield* post(server, resolvePath, body)
      const resolved = {
        ...waiting,
        ...body,
        resolved_at: second + 5,
        updated_at: second + 5
      } as Approval.Approval
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.text, written(resolved))
      assert.strictEqual((yield* get(server, "/approvals/waiting")).text, written(resolved))
    }))

  it.effect.each([
    { status: "rejected" },
    { status: "rejected", resolved_by: null, resolution_data: null }
  ])("the body %j is accepted, without a resolver and without data", (body) =>
    Effect.gen(function*() {
      const { json } = yield* post(yield* served(waiting), resolvePath, body)
      assert.deepStrictEqual(
        [at(json, "status"), at(json, "resolved_by"), at(json, "resolution_data"), at(json, "resolved_at")],
        ["rejected", null, null, second]
      )
    }))

  it.effect("an approval is resolved once: 409 names its status, and nothing changes", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      const first = yield* post(server, resolvePath, { status: "rejected", resolved_by: "a" })
      const again = yield* post(server, resolvePath, { status: "approved", resolved_by: "b" })
      failed(again, 409, "CONFLICT", "Approval is already 'rejected' and cannot be resolved")
      assert.strictEqual((yield* get(server, "/approvals/waiting")).text, first.text)
    }))

  it.effect("one of many requests at once resolves the approval", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      const answers = yield* Effect.forEach(
        ["a", "b", "c"],
        (resolved_by) => post(server, resolvePath, { status: "approved", resolved_by }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409])
    }))

  it.effect("an expired approval is not resolved", () =>
    Effect.gen(function*() {
      const server = yield* served({ ...waiting, expires_at: second + 60 })
      yield* TestClock.adjust("60 seconds")
      const late = yield* post(server, resolvePath, { status: "approved" })
      failed(late, 409, "CONFLICT", "Approval is already 'expired' and cannot be resolved")
      assert.isNull(at((yield* get(server, "/approvals/waiting")).json, "resolved_at"))
    }))

  it.effect("an approval of a cancelled run is not resolved", () =>
    Effect.gen(function*() {
      const { layer, store } = yield* keeping(waiting)
      const server = yield* serve({ approvals: layer })
      yield* store.closeForRun(waiting.run_id, "CANCELLED", second)
      const late = yield* post(server, resolvePath, { status: "approved" })
      failed(late, 409, "CONFLICT", "Approval is already 'cancelled' and cannot be resolved")
    }))

  const deep = JSON.parse(`${"{\"a\":".repeat(300)}1${"}".repeat(300)}`) as unknown

  it.effect.each<readonly [string, unknown, string]>([
    ["no status", {}, "status"],
    ["a status that is no decision", { status: "expired" }, "status"],
    ["a status in other letters", { status: "Approved" }, "status"],
    ["no status at all", { status: null }, "status"],
    ["a long name", { status: "approved", resolved_by: "a".repeat(256) }, "resolved_by"],
    ["a name that is no text", { status: "approved", resolved_by: 7 }, "resolved_by"],
    ["data that are no object", { status: "approved", resolution_data: ["a"] }, "resolution_data"],
    ["data that could not be encoded again", { status: "approved", resolution_data: deep }, "resolution_data"]
  ])(
    "a body with %s is refused with 422, and the approval stays pending",
    ([_, body, field]) =>
      Effect.gen(function*() {
        const server = yield* served(waiting)
        const answer = yield* post(server, resolvePath, body)
        failed(answer, 422, "VALIDATION_ERROR")
        assert.deepStrictEqual(at(list(answer.json, "errors")[0], "loc"), ["body", field], answer.text)
        assert.strictEqual((yield* get(server, "/approvals/waiting")).text, written(waiting))
      })
  )

  it.effect.each(["", "{", "[]", "\"approved\""])("the body %j is refused with 422", (body) =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      failed(yield* post(server, resolvePath, body), 422, "VALIDATION_ERROR")
      assert.strictEqual((yield* get(server, "/approvals/waiting")).text, written(waiting))
    }))

  it.effect("a name of 255 characters is accepted", () =>
    Effect.gen(function*() {
      const body = { status: "approved", resolved_by: "a".repeat(255) }
      assert.strictEqual((yield* post(yield* served(waiting), resolvePath, body)).status, 200)
    }))

  it.effect("an unknown approval is not resolved", () =>
    Effect.gen(function*() {
      notFound(yield* post(yield* serve(), resolvePath, { status: "approved" }), "Approval not found")
    }))
})

describe("DELETE /approvals/{id}", () => {
  const remove = (server: TestServer.TestServer, name: string) =>
    ask(server, `/approvals/${name}`, { method: "DELETE" })

  it.effect("an approval is removed for good", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting, approval({ id: id("other") }))
      const answer = yield* remove(server, "waiting")
      assert.deepStrictEqual([answer.status, answer.text], [204, ""])
      notFound(yield* remove(server, "waiting"), "Approval not found")
      notFound(yield* get(server, "/approvals/waiting"), "Approval not found")
      assert.deepStrictEqual(idsOf((yield* get(server, "/approvals")).json), ["other"])
    }))

  it.effect("an unknown approval is not removed", () =>
    Effect.gen(function*() {
      notFound(yield* remove(yield* serve(), "nothing"), "Approval not found")
    }))
})

describe("approvals", () => {
  it.effect("approvals are created by runs only, and changed by resolving only", () =>
    Effect.gen(function*() {
      const server = yield* served(waiting)
      failed(yield* post(server, "/approvals", waiting), 405, "METHOD_NOT_ALLOWED")
      failed(yield* send(server, "PATCH", "/approvals/waiting", { status: "approved" }), 405, "METHOD_NOT_ALLOWED")
      failed(yield* get(server, resolvePath), 405, "METHOD_NOT_ALLOWED")
    }))

  it.effect("the error says that the database does not answer", () =>
    Effect.gen(function*() {
      const down = Effect.fail(new StorageUnavailable({ cause: "down" }))
      const approvals = Layer.mock(ApprovalStore, {
        get: () => down,
        list: () => down,
        countPending: () => down,
        resolve: () => down,
        remove: () => down
      })
      const server = yield* serve({ approvals })
      const answers = [
        yield* get(server, "/approvals"),
        yield* get(server, "/approvals/count"),
        yield* get(server, "/approvals/x"),
        yield* get(server, "/approvals/x/status"),
        yield* post(server, "/approvals/x/resolve", { status: "approved" }),
        yield* ask(server, "/approvals/x", { method: "DELETE" })
      ]
      for (const answer of answers) failed(answer, 503, "SERVICE_UNAVAILABLE")
    }))
})
