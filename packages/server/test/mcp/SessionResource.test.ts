// Sessions as resources: what a caller can read is the same as over REST.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { seed, serveClosed, token } from "../authorization/Closed.ts"
import { at, column, post, serve } from "../Wire.ts"
import { open, send } from "./Mcp.ts"

Tier.oneIn(3)

const seeded = Effect.gen(function*() {
  const server = yield* serveClosed()
  yield* seed(server, yield* token("ann", "agents:run"))
  return server
})

const read = (uri: string, ...scopes: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const session = yield* open(yield* seeded, { bearer: yield* token("ann", ...scopes) })
    return yield* send(session, "resources/read", { uri })
  })

describe("the resource of a session", () => {
  it.effect("the template is listed, and no session", () =>
    Effect.gen(function*() {
      const session = yield* open(yield* seeded, { bearer: yield* token("ann", "sessions:read") })
      const { result } = yield* send(session, "resources/templates/list")
      assert.include(column(at(result, "resourceTemplates"), "uriTemplate"), "svc://sessions/{session_id}{?db_id}")
      assert.deepStrictEqual(at(yield* send(session, "resources/list"), "result"), { resources: [] })
    }))

  it.effect("a caller reads the runs of a session of their own", () =>
    Effect.gen(function*() {
      const { result } = yield* read("svc://sessions/anns", "sessions:read")
      const [content] = at(result, "contents") as ReadonlyArray<{ readonly text: string; readonly uri: string }>
      assert.strictEqual(content?.uri, "svc://sessions/anns")
      assert.deepStrictEqual(column(JSON.parse(content?.text ?? ""), "run_id"), ["ann-1"])
    }))

  it.effect("a session of another user does not exist", () =>
    Effect.gen(function*() {
      const session = yield* open(yield* seeded, { bearer: yield* token("bob", "sessions:read") })
      const others = yield* send(session, "resources/read", { uri: "svc://sessions/anns" })
      const unknown = yield* send(session, "resources/read", { uri: "svc://sessions/none" })
      assert.strictEqual(at(others, "error", "message"), "Session with ID anns not found")
      assert.strictEqual(at(unknown, "error", "message"), "Session with ID none not found")
    }))

  it.effect("a caller without the scope gets an error that names it", () =>
    Effect.gen(function*() {
      const { error } = yield* read("svc://sessions/anns", "config:read")
      assert.strictEqual(at(error, "message"), "Insufficient permissions. Required scope(s): sessions:read")
    }))

  it.effect("the address names one of several databases", () =>
    Effect.gen(function*() {
      const server = yield* serve({ databases: ["main-db", "other-db"] })
      yield* post(server, "/sessions?db_id=other-db", { session_id: "s" })
      const session = yield* open(server)
      const messageOf = Effect.fnUntraced(function*(uri: string) {
        return at(yield* send(session, "resources/read", { uri }), "error", "message")
      })
      const { result } = yield* send(session, "resources/read", { uri: "svc://sessions/s?db_id=other-db" })
      assert.deepStrictEqual(column(at(result, "contents"), "uri"), ["svc://sessions/s?db_id=other-db"])
      assert.strictEqual(yield* messageOf("svc://sessions/s?db_id=main-db"), "Session with ID s not found")
      assert.strictEqual(yield* messageOf("svc://sessions/s?db_id=none"), "No database found with id 'none'")
      const required = "The db_id query parameter is required when using multiple databases"
      assert.strictEqual(yield* messageOf("svc://sessions/s"), required)
    }))
})
