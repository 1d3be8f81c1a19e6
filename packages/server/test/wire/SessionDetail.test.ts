// GET and POST of one session: three shapes, by the kind of session or by the kind asked for.
import { assert, describe, it } from "@effect/vitest"
import * as Usage from "@svc-runtime/domain/Usage"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, column, dateTime, get, invalid, list, notFound, post, runWhole, second, serve, without } from "../Wire.ts"
import { assistant, details, down, plain, twice } from "./Fixtures.ts"

Tier.oneIn(10)

const times = { created_at: dateTime, updated_at: dateTime }

describe("GET /sessions/{id}", () => {
  it.effect("a session of an agent shows the complete conversation in order, with system and tool messages", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* assistant).agent] })
      const fields = { session_id: "s", user_id: "ann", session_state: "{\"n\":1}" }
      const answered = yield* runWhole(server, "assistant", { ...fields, message: "what is tea?" })
      const { headers, json, status } = yield* get(server, "/sessions/s")
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.deepStrictEqual(without(json, "chat_history"), {
        agent_session_id: "s",
        session_id: "s",
        session_name: "what is tea?",
        user_id: "ann",
        session_state: { n: 1 },
        current_run_id: at(answered.json, "run_id"),
        agent_id: "assistant",
        agent_data: {
          name: "Assistant",
          agent_id: "assistant",
          model: { name: "ScriptedModel", provider: "Scripted", id: "scripted" }
        },
        total_tokens: 30,
        metrics: { ...Usage.zero, ...twice, details: details(twice) },
        ...times
      })
      const messages = list(answered.json, "messages")
      assert.deepStrictEqual(at(json, "chat_history"), messages)
      const roles = ["system", "user", "assistant", "tool", "assistant"]
      assert.deepStrictEqual(column(at(json, "chat_history"), "role"), roles)
      assert.deepStrictEqual(column(at(json, "chat_history"), "created_at"), roles.map(() => second))
    }))

  it.effect("a session has the sum of the tokens of its runs and the name of the first", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* plain).agent] })
      for (const message of ["one", "two", "three"]) yield* runWhole(server, "plain", { message, session_id: "s" })
      const { json } = yield* get(server, "/sessions/s")
      assert.strictEqual(at(json, "session_name"), "one")
      assert.strictEqual(at(json, "total_tokens"), 45)
      const sum = { input_tokens: 30, output_tokens: 15, total_tokens: 45 }
      assert.deepStrictEqual(at(json, "metrics"), { ...Usage.zero, ...sum, details: details(sum) })
      assert.strictEqual(list(json, "chat_history").length, 6)
    }))

  it.effect("a session shows the conversation of failed runs too", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [(yield* down).agent] })
      yield* runWhole(server, "down", { message: "x", session_id: "s" })
      const { json } = yield* get(server, "/sessions/s")
      assert.deepStrictEqual(column(at(json, "chat_history"), "content"), ["x"])
      assert.deepStrictEqual(at(json, "metrics"), Usage.zero)
      assert.isUndefined(at(json, "total_tokens"))
    }))

  const shapes = {
    agent: { agent_session_id: "s", session_id: "s", session_name: "", agent_id: "x", ...times, chat_history: [] },
    team: { session_id: "s", session_name: "", team_id: "x", ...times, chat_history: [] },
    workflow: {
      session_id: "s",
      session_name: "",
      workflow_id: "x",
      session_data: {},
      workflow_data: {},
      metadata: {},
      ...times
    }
  }
  const kinds = ["agent", "team", "workflow"] as const

  it.effect.each(kinds)(
    "an empty session of a %s has that shape, with and without type",
    (kind) =>
      Effect.gen(function*() {
        const server = yield* serve()
        yield* post(server, `/sessions?type=${kind}`, { session_id: "s", [`${kind}_id`]: "x" })
        for (const query of ["", `?type=${kind}`]) {
          assert.deepStrictEqual((yield* get(server, `/sessions/s${query}`)).json, shapes[kind])
        }
      })
  )

  it.effect.each(kinds.flatMap((stored) => kinds.map((requested) => [stored, requested] as const)))(
    "a session of a %s with the type %s is found only under its own type",
    ([stored, requested]) =>
      Effect.gen(function*() {
        const server = yield* serve()
        yield* post(server, `/sessions?type=${stored}`, { session_id: "s", [`${stored}_id`]: "x" })
        const answer = yield* get(server, `/sessions/s?type=${requested}`)
        if (stored === requested) assert.deepStrictEqual(answer.json, shapes[requested])
        else notFound(answer)
      })
  )

  it.effect("a session of a workflow repeats its data in session_data", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const body = { session_id: "s", workflow_id: "w", session_name: "N", session_state: { a: 1 } }
      yield* post(server, "/sessions?type=workflow", body)
      const { json } = yield* get(server, "/sessions/s")
      assert.deepStrictEqual(at(json, "session_data"), { session_name: "N", session_state: { a: 1 } })
      assert.deepStrictEqual(at(json, "session_state"), { a: 1 })
    }))

  it.effect("an unknown session is 404, and the error names the requested type", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      notFound(yield* get(server, "/sessions/none"), "Session with id 'none' not found")
      notFound(yield* get(server, "/sessions/none?type=agent"), "Agent Session with id 'none' not found")
      notFound(yield* get(server, "/sessions/none?type=team"), "Team Session with id 'none' not found")
      notFound(yield* get(server, "/sessions/none?type=workflow"), "Workflow Session with id 'none' not found")
    }))

  it.effect("a session of another user is not found", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* post(server, "/sessions", { session_id: "s", user_id: "ann" })
      assert.strictEqual((yield* get(server, "/sessions/s?user_id=ann")).status, 200)
      notFound(yield* get(server, "/sessions/s?user_id=bob"), "Session with id 's' not found")
      notFound(yield* get(server, "/sessions/s?user_id="), "Session with id 's' not found")
    }))

  it.effect.each(["bogus", "", "Agent"])("the session type %j is 422", (type) =>
    Effect.gen(function*() {
      const server = yield* serve()
      yield* post(server, "/sessions", { session_id: "s" })
      const answer = yield* get(server, `/sessions/s?type=${type}`)
      invalid(answer, [["query", "type"], "enum"])
      assert.strictEqual(at(answer.json, "detail"), "query.type: Input should be 'agent', 'team' or 'workflow'")
    }))
})
