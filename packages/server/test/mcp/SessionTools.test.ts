// The tools of MCP about sessions and their runs, and their errors.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, column, get, list, runWhole, second, serve } from "../Wire.ts"
import { call, open, refused } from "./Mcp.ts"
import { served, textOf } from "./ServedTools.ts"

Tier.oneIn(3)

describe("sessions and their runs", () => {
  const talked = Effect.gen(function*() {
    const { server, session } = yield* served()
    for (const [user, id] of [["ann", "s1"], ["bob", "s2"], ["ann", "s3"]] as const) {
      yield* runWhole(server, "plain", { message: `I am ${user}`, session_id: id, user_id: user, run_id: `${id}-r` })
    }
    return { server, session }
  })

  it.effect("get_sessions lists a page, nulls kept", () =>
    Effect.gen(function*() {
      const { session } = yield* talked
      const all = at(yield* call(session, "get_sessions"), "structuredContent")
      assert.deepStrictEqual([...column(at(all, "data"), "session_id")].toSorted(), ["s1", "s2", "s3"])
      assert.deepStrictEqual(at(all, "meta"), {
        page: 1,
        limit: 20,
        total_pages: 1,
        total_count: 3,
        search_time_ms: 0
      })
      const [item] = list(all, "data")
      assert.isNull(at(item, "team_id"))
      assert.isNull(at(item, "metadata"))
      const page = at(yield* call(session, "get_sessions", { limit: 1, page: 4 }), "structuredContent")
      assert.deepStrictEqual(at(page, "data"), [])
      assert.strictEqual(at(page, "meta", "total_pages"), 3)
    }))

  it.effect("get_sessions filters by user, component and kind", () =>
    Effect.gen(function*() {
      const { session } = yield* talked
      const ids = Effect.fnUntraced(function*(args: object) {
        const data = at(yield* call(session, "get_sessions", args), "structuredContent", "data")
        return [...column(data, "session_id")].toSorted()
      })
      assert.deepStrictEqual(yield* ids({ user_id: "ann" }), ["s1", "s3"])
      assert.deepStrictEqual(yield* ids({ component_id: "plain", user_id: "bob" }), ["s2"])
      assert.deepStrictEqual(yield* ids({ component_id: "other" }), [])
      assert.deepStrictEqual(yield* ids({ session_type: "team" }), [])
    }))

  it.effect("get_session_runs shows runs in short form, and one of them completely", () =>
    Effect.gen(function*() {
      const { server, session } = yield* talked
      const short = at(yield* call(session, "get_session_runs", { session_id: "s1" }), "structuredContent")
      assert.deepStrictEqual(short, {
        result: [{
          run_id: "s1-r",
          run_input: "I am ann",
          content: "Hello.",
          status: "COMPLETED",
          created_at: new Date(second * 1000).toISOString().replace(".000", ""),
          agent_id: "plain"
        }]
      })
      const one = yield* call(session, "get_session_runs", { session_id: "s1", run_id: "s1-r" })
      const [full] = list(one, "structuredContent", "result")
      const rest = (yield* get(server, "/sessions/s1/runs/s1-r")).json as Record<string, unknown>
      assert.deepStrictEqual(full, Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)))
    }))

  it.effect("an unknown session or run is an error text", () =>
    Effect.gen(function*() {
      const { session } = yield* talked
      const text = (args: object) => Effect.map(call(session, "get_session_runs", args), textOf)
      const failed = "Error calling tool 'get_session_runs':"
      assert.strictEqual(yield* text({ session_id: "no" }), `${failed} Session with ID no not found`)
      assert.strictEqual(yield* text({ session_id: "s1", user_id: "bob" }), `${failed} Session with ID s1 not found`)
      assert.strictEqual(
        yield* text({ session_id: "s1", run_id: "no" }),
        `${failed} Run with ID no not found in session s1`
      )
      assert.strictEqual(yield* text({ session_id: "s1", db_id: "no" }), `${failed} No database found with id 'no'`)
    }))

  it.effect("an unexpected error is logged under the id that the caller gets", () =>
    Effect.gen(function*() {
      const server = yield* serve({
        database: (database) => ({
          ...database,
          sessions: { ...database.sessions, list: () => Effect.die(new Error("secret")) }
        })
      })
      const result = yield* call(yield* open(server), "get_sessions")
      const text = String(textOf(result))
      const [, id] =
        /^Error calling tool 'get_sessions': The service failed .* request_id ([0-9a-f-]{36})\.$/.exec(text) ?? []
      const [line, ...rest] = server.logs.filter(({ level }) => level === "ERROR")
      assert.deepStrictEqual(rest, [])
      assert.deepStrictEqual(line?.annotations, { request_id: id, tool: "get_sessions" })
      assert.include(line?.cause, "secret")
    }))

  it.effect("a database that does not reply is an error text, too", () =>
    Effect.gen(function*() {
      const server = yield* serve({
        database: (database) => ({
          ...database,
          sessions: { ...database.sessions, list: () => Effect.fail(new StorageUnavailable({ cause: "gone" })) }
        })
      })
      refused(
        yield* call(yield* open(server), "get_sessions"),
        "Error calling tool 'get_sessions': The database does not reply at the moment. Try again shortly."
      )
    }))
})
