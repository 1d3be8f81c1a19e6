// Renaming, patching and deleting sessions.
import { assert, describe, it } from "@effect/vitest"
import * as Usage from "@svc-runtime/domain/Usage"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, dateTime, get, invalid, notFound, post, runWhole, send, serve } from "../Wire.ts"
import { made } from "./MadeSession.ts"

Tier.oneIn(10)

const later = "2026-11-21T01:10:23Z"

const kept = {
  user_id: null,
  agent_session_id: "made",
  session_id: "made",
  session_name: "Made",
  session_summary: null,
  session_state: { a: 1, b: 2 },
  agent_id: "plain",
  total_tokens: null,
  agent_data: null,
  metrics: Usage.zero,
  metadata: { m: 1 },
  chat_history: [],
  current_run_id: null,
  created_at: dateTime,
  updated_at: later
}

const rename = (server: TestServer.TestServer, body: unknown, path = "/sessions/made") =>
  send(server, "POST", path.replace(/(\?|$)/, "/rename$1"), body)

const patch = (server: TestServer.TestServer, body: unknown, path = "/sessions/made") =>
  send(server, "PATCH", path, body)

describe("POST /sessions/{id}/rename", () => {
  it.effect("a rename responds with the whole session and its nulls, at the new time", () =>
    Effect.gen(function*() {
      const server = yield* made
      const { json, status } = yield* rename(server, { session_name: "Renamed" })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json, { ...kept, session_name: "Renamed" })
      assert.strictEqual(at((yield* get(server, "/sessions/made")).json, "session_name"), "Renamed")
    }))

  it.effect("an empty name is accepted", () =>
    Effect.gen(function*() {
      const server = yield* made
      yield* runWhole(server, "plain", { message: "first words", session_id: "made" })
      assert.strictEqual(at((yield* rename(server, { session_name: "" })).json, "session_name"), "")
      assert.strictEqual(at((yield* get(server, "/sessions/made")).json, "session_name"), "")
    }))

  it.effect("the response has the conversation", () =>
    Effect.gen(function*() {
      const server = yield* made
      yield* runWhole(server, "plain", { message: "hi", session_id: "made" })
      const { json } = yield* rename(server, { session_name: "x" })
      assert.strictEqual((at(json, "chat_history") as ReadonlyArray<unknown>).length, 2)
      assert.strictEqual(at(json, "total_tokens"), 15)
    }))

  it.effect("sessions of teams and workflows have their shapes, nulls and all", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* post(server, "/sessions?type=team", { session_id: "t" })
      yield* post(server, "/sessions?type=workflow", { session_id: "w" })
      const common = {
        user_id: null,
        session_name: "N",
        session_summary: null,
        session_state: null,
        current_run_id: null,
        created_at: dateTime,
        updated_at: dateTime
      }
      assert.deepStrictEqual((yield* rename(server, { session_name: "N" }, "/sessions/t")).json, {
        ...common,
        session_id: "t",
        team_id: null,
        team_data: null,
        metadata: null,
        metrics: Usage.zero,
        total_tokens: null,
        chat_history: []
      })
      assert.deepStrictEqual((yield* rename(server, { session_name: "N" }, "/sessions/w")).json, {
        ...common,
        session_id: "w",
        workflow_id: null,
        workflow_name: null,
        workflow_data: {},
        session_data: { session_name: "N" },
        metadata: {}
      })
    }))

  it.effect.each([
    [{}, "missing"],
    [{ session_name: null }, "string_type"],
    [{ session_name: 3 }, "string_type"],
    [{ name: "x" }, "missing"]
  ])("the rename body %j is 422", ([body, type]) =>
    Effect.gen(function*() {
      invalid(yield* rename(yield* made, body), [["body", "session_name"], type as string])
    }))

  it.effect("an unknown session, or that of another user, is 404", () =>
    Effect.gen(function*() {
      const server = yield* made
      yield* post(server, "/sessions", { session_id: "hers", user_id: "ann" })
      notFound(yield* rename(server, { session_name: "x" }, "/sessions/none"), "Session with id 'none' not found")
      notFound(yield* rename(server, { session_name: "x" }, "/sessions/hers?user_id=bob"))
      assert.strictEqual(at((yield* get(server, "/sessions/hers")).json, "session_name"), "")
      assert.strictEqual((yield* rename(server, { session_name: "x" }, "/sessions/hers?user_id=ann")).status, 200)
    }))
})

describe("PATCH /sessions/{id}", () => {
  const summary = { summary: "Short", topics: ["a", "b"], updated_at: "2026-11-21T01:00:00Z" }

  it.effect("a PATCH replaces whole fields", () =>
    Effect.gen(function*() {
      const server = yield* made
      const { json, status } = yield* patch(server, { session_state: { a: 3 }, metadata: {}, summary })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json, { ...kept, session_state: { a: 3 }, metadata: {}, session_summary: summary })
    }))

  it.effect("a summary without a time gets the time of the change", () =>
    Effect.gen(function*() {
      const server = yield* made
      yield* patch(server, { summary: { summary: "Short" } })
      const expected = { summary: "Short", updated_at: later }
      assert.deepStrictEqual(at((yield* get(server, "/sessions/made")).json, "session_summary"), expected)
      yield* TestClock.adjust("10 seconds")
      yield* rename(server, { session_name: "N" })
      assert.deepStrictEqual(at((yield* get(server, "/sessions/made")).json, "session_summary"), expected)
    }))

  it.effect("an empty PATCH changes nothing but the time", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* patch(yield* made, {})).json, kept)
    }))

  it.effect("nulls leave the present values", () =>
    Effect.gen(function*() {
      const body = { session_name: null, session_state: null, metadata: null, summary: null }
      assert.deepStrictEqual((yield* patch(yield* made, body)).json, kept)
    }))

  it.effect("unknown fields are ignored", () =>
    Effect.gen(function*() {
      const body = { session_id: "x", user_id: "bob", agent_id: "y", created_at: 0, runs: [] }
      assert.deepStrictEqual((yield* patch(yield* made, body)).json, kept)
    }))

  it.effect("runs and their conversation stay", () =>
    Effect.gen(function*() {
      const server = yield* made
      yield* runWhole(server, "plain", { message: "hi", session_id: "made", run_id: "r" })
      const before = (yield* get(server, "/sessions/made/runs/r")).text
      yield* patch(server, { session_state: {}, metadata: { x: 1 } })
      assert.strictEqual((yield* get(server, "/sessions/made/runs/r")).text, before)
    }))

  const wrong: ReadonlyArray<readonly [unknown, ReadonlyArray<string | number>, string]> = [
    [{ session_name: 1 }, ["session_name"], "string_type"],
    [{ session_state: "x" }, ["session_state"], "dict_type"],
    [{ metadata: [] }, ["metadata"], "dict_type"],
    [{ summary: "x" }, ["summary"], "dict_type"],
    [{ summary: {} }, ["summary", "summary"], "missing"],
    [{ summary: { summary: 1 } }, ["summary", "summary"], "string_type"],
    [{ summary: { summary: "x", topics: "y" } }, ["summary", "topics"], "list_type"],
    [{ summary: { summary: "x", topics: ["y", 3] } }, ["summary", "topics", 1], "string_type"]
  ]

  it.effect.each(wrong)("the body %j is 422 and names the field", ([body, path, type]) =>
    Effect.gen(function*() {
      const server = yield* made
      const before = (yield* get(server, "/sessions/made")).text
      invalid(yield* patch(server, body), [["body", ...path], type])
      assert.strictEqual((yield* get(server, "/sessions/made")).text, before)
    }))

  it.effect("an unknown session, or that of another user, is not changed and 404", () =>
    Effect.gen(function*() {
      const server = yield* made
      yield* post(server, "/sessions", { session_id: "hers", user_id: "ann" })
      notFound(yield* patch(server, {}, "/sessions/none"), "Session with id 'none' not found")
      notFound(yield* patch(server, { session_name: "x" }, "/sessions/hers?user_id=bob"))
      assert.strictEqual((yield* patch(server, {}, "/sessions/hers?user_id=ann")).status, 200)
    }))
})
