// `GET /sessions` with queries that are not valid, and with several databases.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, badRequest, get, invalid, notFound, post, send, serve } from "../Wire.ts"
import { five, ids } from "./FiveSessions.ts"

Tier.oneIn(10)

describe("queries that are not valid", () => {
  it.effect.each([
    ["limit=0", "limit", "greater_than_equal", "Input should be greater than or equal to 1"],
    ["limit=-1", "limit", "greater_than_equal", "Input should be greater than or equal to 1"],
    ["page=-1", "page", "greater_than_equal", "Input should be greater than or equal to 0"],
    ["limit=", "limit", "int_parsing", "Input should be a valid integer, unable to parse string as an integer"],
    ["page=", "page", "int_parsing", undefined],
    ["limit=ten", "limit", "int_parsing", undefined],
    ["limit=1.5", "limit", "int_parsing", undefined],
    ["limit=1e3", "limit", "int_parsing", undefined],
    ["limit=0x10", "limit", "int_parsing", undefined],
    ["page=99999999999999999999", "page", "int_parsing", undefined],
    ["page=NaN", "page", "int_parsing", undefined],
    ["type=x", "type", "enum", "Input should be 'agent', 'team' or 'workflow'"],
    ["type=", "type", "enum", undefined],
    ["type=AGENT", "type", "enum", undefined],
    ["sort_order=up", "sort_order", "enum", "Input should be 'asc' or 'desc'"],
    ["sort_order=DESC", "sort_order", "enum", undefined]
  ])("the query ?%s is 422 at %s: %s", ([query, name, type, msg]) =>
    Effect.gen(function*() {
      const answer = yield* get(yield* five, `/sessions?${query}`)
      invalid(answer, [["query", name as string], type as string])
      if (msg !== undefined) assert.strictEqual(at(answer.json, "errors", 0, "msg"), msg)
    }))

  it.effect("all errors of a query are reported at once", () =>
    Effect.gen(function*() {
      const answer = yield* get(yield* serve(), "/sessions?limit=0&page=x&type=q")
      invalid(
        answer,
        [["query", "type"], "enum"],
        [["query", "limit"], "greater_than_equal"],
        [["query", "page"], "int_parsing"]
      )
    }))
})

describe("databases", () => {
  it.effect("a single database needs no name, and its id and table are accepted", () =>
    Effect.gen(function*() {
      const server = yield* five
      for (const query of ["?db_id=main-db", "?db_id=main-db&table=svc_sessions"]) {
        assert.strictEqual((yield* ids(server, query)).length, 5)
      }
    }))

  const paths = ["/sessions", "/sessions/s", "/sessions/s/runs", "/sessions/s/runs/r"]

  it.effect.each(paths)("the route GET %s says which database is unknown", (path) =>
    Effect.gen(function*() {
      const server = yield* serve()
      notFound(yield* get(server, `${path}?db_id=zz`), "No database found with id 'zz'")
      notFound(yield* get(server, `${path}?db_id=main-db&table=t`), "No database with id 'main-db' has table 't'")
      badRequest(yield* get(server, `${path}?table=t`), "The db_id query parameter is required when passing a table")
    }))

  it.effect("a database has to be named if there are several, for reading and for writing", () =>
    Effect.gen(function*() {
      const server = yield* serve({ databases: ["main-db", "other-db"] })
      const detail = "The db_id query parameter is required when using multiple databases"
      for (const path of paths) badRequest(yield* get(server, path), detail)
      badRequest(yield* post(server, "/sessions", {}), detail)
      badRequest(yield* post(server, "/sessions/s/rename", { session_name: "x" }), detail)
      badRequest(yield* send(server, "PATCH", "/sessions/s", {}), detail)
      badRequest(yield* send(server, "DELETE", "/sessions/s", ""), detail)
      const many = { session_ids: ["s"], session_types: ["agent"] }
      badRequest(yield* send(server, "DELETE", "/sessions", many), detail)
    }))

  it.effect("databases have separate sessions", () =>
    Effect.gen(function*() {
      const server = yield* serve({ databases: ["main-db", "other-db"] })
      assert.strictEqual((yield* post(server, "/sessions?db_id=main-db", { session_id: "s" })).status, 201)
      assert.strictEqual((yield* post(server, "/sessions?db_id=other-db", { session_id: "s" })).status, 201)
      yield* send(server, "PATCH", "/sessions/s?db_id=other-db", { session_name: "There" })
      assert.strictEqual(at((yield* get(server, "/sessions/s?db_id=main-db")).json, "session_name"), "")
      yield* send(server, "DELETE", "/sessions/s?db_id=main-db", "")
      assert.deepStrictEqual(yield* ids(server, "?db_id=main-db"), [])
      assert.deepStrictEqual(yield* ids(server, "?db_id=other-db"), ["s"])
    }))
})
