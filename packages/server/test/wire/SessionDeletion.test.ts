// `DELETE /sessions/{id}` and `DELETE /sessions`.
import { assert, describe, it } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, badRequest, failed, get, invalid, notFound, post, runWhole, send, serve } from "../Wire.ts"
import { made } from "./MadeSession.ts"

Tier.oneIn(3)

const remove = (server: TestServer.TestServer, path: string) => ask(server, path, { method: "DELETE" })

describe("DELETE /sessions/{id}", () => {
  it.effect("a removal is 204 without a body, whether the session existed or not", () =>
    Effect.gen(function*() {
      const server = yield* made
      for (const path of ["/sessions/made", "/sessions/made", "/sessions/none"]) {
        const answer = yield* remove(server, path)
        assert.strictEqual(answer.status, 204)
        assert.strictEqual(answer.text, "")
      }
      notFound(yield* get(server, "/sessions/made"))
    }))

  it.effect("a removal includes the runs, and their ids are free again", () =>
    Effect.gen(function*() {
      const server = yield* made
      const fields = { message: "hi", session_id: "made", run_id: "r" }
      yield* runWhole(server, "plain", fields)
      yield* remove(server, "/sessions/made")
      notFound(yield* get(server, "/agents/plain/runs/r?session_id=made"), "Run not found")
      notFound(yield* get(server, "/sessions/made/runs"))
      assert.strictEqual((yield* runWhole(server, "plain", fields)).status, 200)
    }))

  it.effect("a removal of another user's session changes nothing, and has the same response", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* post(server, "/sessions", { session_id: "hers", user_id: "ann" })
      assert.strictEqual((yield* remove(server, "/sessions/hers?user_id=bob")).status, 204)
      assert.strictEqual((yield* get(server, "/sessions/hers")).status, 200)
      assert.strictEqual((yield* remove(server, "/sessions/hers?user_id=ann")).status, 204)
      notFound(yield* get(server, "/sessions/hers"))
    }))
})

const removeMany = (server: TestServer.TestServer, body: unknown, query = "") =>
  send(server, "DELETE", `/sessions${query}`, body)

describe("DELETE /sessions", () => {
  it.effect("existing sessions are removed and the other ids are ignored", () =>
    Effect.gen(function*() {
      const server = yield* made
      yield* post(server, "/sessions?type=team", { session_id: "t" })
      const answer = yield* removeMany(server, {
        session_ids: ["made", "none", "t", "made"],
        session_types: ["agent", "agent", "team", "agent"]
      })
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(answer.text, "")
      assert.strictEqual(at((yield* get(server, "/sessions")).json, "meta", "total_count"), 0)
    }))

  it.effect("only sessions of the user are removed", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      for (const [session_id, user_id] of [["a", "ann"], ["b", "bob"]]) {
        yield* post(server, "/sessions", { session_id, user_id })
      }
      const body = { session_ids: ["a", "b"], session_types: ["agent", "agent"] }
      assert.strictEqual((yield* removeMany(server, body, "?user_id=ann")).status, 204)
      notFound(yield* get(server, "/sessions/a"))
      assert.strictEqual((yield* get(server, "/sessions/b")).status, 200)
    }))

  it.effect("lists of different lengths are 400, before any database is searched", () =>
    Effect.gen(function*() {
      const server = yield* made
      const body = { session_ids: ["made"], session_types: ["agent", "team"] }
      const detail = "Session IDs and session types must have the same length"
      badRequest(yield* removeMany(server, body), detail)
      badRequest(yield* removeMany(server, body, "?db_id=zz"), detail)
      assert.strictEqual((yield* get(server, "/sessions/made")).status, 200)
    }))

  const problem = (...path: ReadonlyArray<string | number>) => path
  const wrong: ReadonlyArray<readonly [unknown, ReadonlyArray<readonly [ReadonlyArray<string | number>, string]>]> = [
    [{}, [[problem("body", "session_ids"), "missing"], [problem("body", "session_types"), "missing"]]],
    [{ session_ids: [], session_types: [] }, [
      [problem("body", "session_ids"), "too_short"],
      [problem("body", "session_types"), "too_short"]
    ]],
    [{ session_ids: ["made"], session_types: ["robot"] }, [[problem("body", "session_types", 0), "enum"]]],
    [{ session_ids: [1], session_types: ["agent"] }, [[problem("body", "session_ids", 0), "string_type"]]],
    [{ session_ids: "made", session_types: ["agent"] }, [[problem("body", "session_ids"), "list_type"]]]
  ]

  it.effect.each(wrong)("the removal body %j is 422", ([body, problems]) =>
    Effect.gen(function*() {
      const server = yield* made
      const answer = yield* removeMany(server, body)
      invalid(answer, ...problems)
      if (problems[0]?.[1] === "too_short") {
        assert.strictEqual(
          at(answer.json, "errors", 0, "msg"),
          "List should have at least 1 item after validation, not 0"
        )
      }
      assert.strictEqual((yield* get(server, "/sessions/made")).status, 200)
    }))

  it.effect("thousands of wrong types are reported as a hundred problems", () =>
    Effect.gen(function*() {
      const body = { session_ids: ["a"], session_types: Array.from({ length: 15_000 }, () => 0) }
      const answer = yield* removeMany(yield* serve(), body)
      failed(answer, 422, "VALIDATION_ERROR")
      assert.strictEqual((at(answer.json, "errors") as ReadonlyArray<unknown>).length, 100)
    }))
})
