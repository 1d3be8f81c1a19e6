// A service with five sessions, and the ids that a list has.
import { assert } from "@effect/vitest"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, column, get, post, serve } from "../Wire.ts"
import { plain } from "./Fixtures.ts"

export const ids = (server: TestServer.TestServer, query = "") =>
  Effect.map(get(server, `/sessions${query}`), ({ json, text }) => {
    assert.isTrue(Array.isArray(at(json, "data")), text)
    return column(at(json, "data"), "session_id")
  })

/** Five sessions, ten seconds apart, of all types and several owners. */
export const five = Effect.gen(function*() {
  const server = yield* serve({ agents: [(yield* plain).agent] })
  const rows: ReadonlyArray<readonly [type: string, body: Record<string, string>]> = [
    ["agent", { session_id: "c", session_name: "Kyoto trip", agent_id: "plain", user_id: "ann" }],
    ["team", { session_id: "a", session_name: "kyoto TRIP 2", team_id: "desk", user_id: "bob" }],
    ["workflow", { session_id: "e", workflow_id: "brief", user_id: "ann" }],
    ["agent", { session_id: "b", session_name: "100% _sure_", agent_id: "other" }],
    ["agent", { session_id: "d", session_name: "", agent_id: "plain", user_id: "cid" }]
  ]
  for (const [type, body] of rows) {
    assert.strictEqual((yield* post(server, `/sessions?type=${type}`, body)).status, 201)
    yield* TestClock.adjust("10 seconds")
  }
  return server
})
