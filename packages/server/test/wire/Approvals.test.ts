// Approvals on the wire.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"
import { approval, filled } from "@svc-runtime/test-support/suites/approvals/Approvals"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, column, get, invalid, list, notFound, second, serve } from "../Wire.ts"
import { id, idsOf, served, waiting, written } from "./StoredApprovals.ts"

Tier.oneIn(8)

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
