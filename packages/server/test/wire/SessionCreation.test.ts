// `POST /sessions`: what a new session has, and which bodies are refused.
import { assert, describe, it } from "@effect/vitest"
import * as Usage from "@svc-runtime/domain/Usage"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, dateTime, failed, get, hasKeys, invalid, post, send, serve, uuid } from "../Wire.ts"

Tier.oneIn(10)

const times = { created_at: dateTime, updated_at: dateTime }

describe("POST /sessions", () => {
  it.effect("a new session gets 201, without nulls", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const answer = yield* post(server, "/sessions?type=agent", {
        session_id: "made",
        session_name: "Made",
        agent_id: "assistant",
        session_state: { a: 1 },
        metadata: { b: 2 }
      })
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      assert.deepStrictEqual(answer.json, {
        agent_session_id: "made",
        session_id: "made",
        session_name: "Made",
        session_state: { a: 1 },
        agent_id: "assistant",
        metrics: Usage.zero,
        metadata: { b: 2 },
        chat_history: [],
        ...times
      })
      assert.deepStrictEqual((yield* get(server, "/sessions/made")).json, answer.json)
    }))

  const bodies: ReadonlyArray<readonly [string, RequestInit]> = [
    ["no body", {}],
    ["an empty body", { headers: { "content-type": "application/json" }, body: "" }],
    ["null", { headers: { "content-type": "application/json" }, body: "null" }],
    ["an empty object", { headers: { "content-type": "application/json" }, body: "{}" }],
    ["nulls", {
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify({ session_id: null, session_name: null, session_state: null, user_id: null, metadata: null })
    }]
  ]

  it.effect.each(bodies)("%s creates an agent session without runs", ([, init]) =>
    Effect.gen(function*() {
      const { json, status, text } = yield* ask(yield* serve(), "/sessions", { method: "POST", ...init })
      assert.strictEqual(status, 201, text)
      hasKeys(json, "agent_session_id", "session_id", "session_name", "created_at", "updated_at", "chat_history")
      assert.match(String(at(json, "session_id")), uuid)
      assert.strictEqual(at(json, "agent_session_id"), at(json, "session_id"))
    }))

  it.effect("an empty id counts as missing", () =>
    Effect.gen(function*() {
      const { json } = yield* post(yield* serve(), "/sessions", { session_id: "" })
      assert.match(String(at(json, "session_id")), uuid)
    }))

  it.effect("only the component that fits the type is stored", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const all = { agent_id: "a", team_id: "t", workflow_id: "w" }
      for (const [kind, id] of [["agent", "a"], ["team", "t"], ["workflow", "w"]] as const) {
        yield* post(server, `/sessions?type=${kind}`, { session_id: kind, ...all })
        const { json } = yield* get(server, `/sessions?type=${kind}`)
        const item = at(json, "data", 0) as Record<string, unknown>
        const found = Object.fromEntries(Object.keys(all).flatMap((key) => key in item ? [[key, item[key]]] : []))
        assert.deepStrictEqual(found, { [`${kind}_id`]: id })
      }
    }))

  it.effect("an empty name is stored as a name", () =>
    Effect.gen(function*() {
      const { json } = yield* post(yield* serve(), "/sessions", { session_name: "", user_id: "ann" })
      assert.strictEqual(at(json, "session_name"), "")
      assert.deepStrictEqual(at(json, "metrics"), Usage.zero)
      assert.strictEqual(at(json, "user_id"), "ann")
    }))

  it.effect("unknown fields are ignored", () =>
    Effect.gen(function*() {
      const { json, status } = yield* post(yield* serve(), "/sessions", { session_id: "s", summary: 3, runs: [1] })
      assert.strictEqual(status, 201)
      assert.isUndefined(at(json, "session_summary"))
    }))

  it.effect("a used id is 409, whatever its owner and its type, and the session is unchanged", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* post(server, "/sessions?type=team", { session_id: "s", session_name: "First", user_id: "ann" })
      const before = (yield* get(server, "/sessions/s")).text
      yield* TestClock.adjust("10 seconds")
      for (const type of ["agent", "team", "workflow"]) {
        const answer = yield* post(server, `/sessions?type=${type}`, {
          session_id: "s",
          session_name: "x",
          user_id: "bob"
        })
        failed(answer, 409, "CONFLICT", "Session with id 's' already exists. Use PATCH /sessions/s to update it.")
      }
      assert.strictEqual((yield* get(server, "/sessions/s")).text, before)
    }))

  const wrong: ReadonlyArray<readonly [unknown, string, string]> = [
    [{ session_id: 3 }, "session_id", "string_type"],
    [{ session_name: {} }, "session_name", "string_type"],
    [{ user_id: true }, "user_id", "string_type"],
    [{ session_state: [] }, "session_state", "dict_type"],
    [{ session_state: "x" }, "session_state", "dict_type"],
    [{ metadata: 1 }, "metadata", "dict_type"],
    [{ session_id: "x".repeat(513) }, "session_id", "string_too_long"],
    [{ user_id: "x".repeat(513) }, "user_id", "string_too_long"],
    [{ agent_id: "x".repeat(513) }, "agent_id", "string_too_long"]
  ]

  it.effect.each(wrong)("the body %j is 422 and names the field", ([body, field, type]) =>
    Effect.gen(function*() {
      const server = yield* serve()
      invalid(yield* post(server, "/sessions", body), [["body", field], type])
      assert.strictEqual(at((yield* get(server, "/sessions")).json, "meta", "total_count"), 0)
    }))

  it.effect("a body that is not an object, and an unknown type, are 422", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      for (const body of [[], 3, "\"x\"", true]) {
        invalid(yield* post(server, "/sessions", body), [["body"], "dict_type"])
      }
      invalid(yield* post(server, "/sessions?type=x", {}), [["query", "type"], "enum"])
    }))

  it.effect("every kind of value is stored in state and metadata", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const value = {
        n: -1.5e-7,
        big: 9007199254740991,
        t: true,
        none: null,
        list: [{ a: [] }],
        "ключ": "日本",
        "": {}
      }
      yield* post(server, "/sessions", { session_id: "s", session_state: value, metadata: value })
      const { json } = yield* get(server, "/sessions/s")
      assert.deepStrictEqual(at(json, "session_state"), value)
      assert.deepStrictEqual(at(json, "metadata"), value)
      assert.deepStrictEqual(at((yield* send(server, "PATCH", "/sessions/s", {})).json, "metadata"), value)
    }))
})
