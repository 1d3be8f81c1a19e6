// Who may start a run where, what is refused before anything happens, background runs, and clients that disconnect.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { always, at, failed, get, invalid, notFound, post, run, runWhole, serve } from "../Wire.ts"
import { twoAgents } from "./TwoAgents.ts"

Tier.oneIn(6)

/** Both ways to run are refused alike, and neither run is stored. */
const refused = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  script: Script.ScriptedModel,
  agent: string,
  fields: Record<string, string>,
  check: (answer: Parameters<typeof notFound>[0]) => void
) {
  const calls = (yield* script.calls).length
  for (const how of [{ stream: "true" }, { stream: "false" }, { stream: "false", background: "true" }]) {
    check(yield* run(server, agent, { message: "let me in", ...fields, ...how }))
  }
  assert.strictEqual((yield* script.calls).length, calls, "the model saw nothing")
})

describe("sessions of others", () => {
  it.effect("a session of another user is not found, and nothing runs", () =>
    Effect.gen(function*() {
      const { script, server } = yield* twoAgents
      yield* runWhole(server, "plain", { message: "hi", session_id: "s", user_id: "ann" })
      const before = (yield* get(server, "/sessions/s")).text
      for (const who of [{ user_id: "bob" }, { user_id: "Ann" }, {}]) {
        yield* refused(server, script, "plain", { session_id: "s", ...who }, (answer) => notFound(answer))
      }
      assert.strictEqual((yield* get(server, "/sessions/s")).text, before)
      assert.strictEqual(
        (yield* runWhole(server, "plain", { message: "x", session_id: "s", user_id: "ann" })).status,
        200
      )
    }))

  it.effect("a session of another agent is not found", () =>
    Effect.gen(function*() {
      const { script, server } = yield* twoAgents
      yield* runWhole(server, "plain", { message: "hi", session_id: "s" })
      yield* refused(server, script, "other", { session_id: "s" }, (answer) => notFound(answer))
    }))

  it.effect("a session of a team is not found by an agent, even of the same id", () =>
    Effect.gen(function*() {
      const { script, server } = yield* twoAgents
      yield* post(server, "/sessions?type=team", { session_id: "s", team_id: "plain" })
      yield* refused(server, script, "plain", { session_id: "s" }, (answer) => notFound(answer))
    }))

  it.effect("a session without an owner is taken over by the first user who runs in it", () =>
    Effect.gen(function*() {
      const { script, server } = yield* twoAgents
      yield* post(server, "/sessions", { session_id: "s" })
      assert.strictEqual(
        (yield* runWhole(server, "plain", { message: "a", session_id: "s", user_id: "ann" })).status,
        200
      )
      assert.strictEqual(at((yield* get(server, "/sessions/s")).json, "user_id"), "ann")
      assert.strictEqual(at((yield* get(server, "/sessions/s")).json, "agent_id"), "plain")
      yield* refused(server, script, "plain", { session_id: "s", user_id: "bob" }, (answer) => notFound(answer))
    }))

  it.effect("a session that was created for an agent accepts runs of that agent alone", () =>
    Effect.gen(function*() {
      const { script, server } = yield* twoAgents
      yield* post(server, "/sessions", { session_id: "s", agent_id: "other", session_name: "Mine" })
      yield* refused(server, script, "plain", { session_id: "s" }, (answer) => notFound(answer))
      assert.strictEqual((yield* runWhole(server, "other", { message: "a", session_id: "s" })).status, 200)
      assert.strictEqual(at((yield* get(server, "/sessions/s")).json, "session_name"), "Mine")
    }))
})

describe("reserved users", () => {
  it.effect.each(["sa:robot", "sa:", "__oauth__:x", "__scheduler__"])(
    "the reserved user %s cannot be claimed by a form",
    (user_id) =>
      Effect.gen(function*() {
        const { script, server } = yield* twoAgents
        yield* refused(
          server,
          script,
          "plain",
          { user_id, session_id: "s" },
          (answer) => failed(answer, 403, "FORBIDDEN", "Client-supplied user_id may not claim a reserved principal")
        )
        notFound(yield* get(server, "/sessions/s"))
      })
  )

  it.effect.each(["sally", "scheduler", "a:sa:b"])("the user %s is not reserved", (user_id) =>
    Effect.gen(function*() {
      const { server } = yield* twoAgents
      assert.strictEqual(at((yield* runWhole(server, "plain", { message: "hi", user_id })).json, "user_id"), user_id)
    }))
})

describe("ids that are taken", () => {
  it.effect("a run_id that is taken is 409, in whatever session, and the first run stays as it is", () =>
    Effect.gen(function*() {
      const { script, server } = yield* twoAgents
      yield* runWhole(server, "plain", { message: "first", run_id: "r", session_id: "s" })
      const before = (yield* get(server, "/agents/plain/runs/r?session_id=s")).text
      for (const session_id of ["s", "t"]) {
        yield* refused(
          server,
          script,
          "plain",
          { run_id: "r", session_id },
          (answer) => failed(answer, 409, "CONFLICT")
        )
      }
      assert.strictEqual((yield* get(server, "/agents/plain/runs/r?session_id=s")).text, before)
      notFound(yield* get(server, "/sessions/t"))
    }))
})

describe("input schemas", () => {
  const Order = Schema.Struct({
    dish: Schema.String,
    count: Schema.Int,
    notes: Schema.optionalKey(Schema.Array(Schema.String))
  })

  const cook = Effect.gen(function*() {
    const script = yield* always(Script.text("Ok."))
    const agent = Agent.make({ id: "cook", model: script.model, inputSchema: Order })
    return { script, server: yield* serve({ agents: [agent] }) }
  })

  it.effect("the message of the model is the object, in the run, before the model and in lists", () =>
    Effect.gen(function*() {
      const { script, server } = yield* cook
      const order = { dish: "Ramen", count: 2 }
      const fields = { message: JSON.stringify(order), session_id: "s" }
      const { json } = yield* runWhole(server, "cook", fields)
      assert.deepStrictEqual(at(json, "input"), { input_content: order })
      assert.include(JSON.stringify(yield* script.prompts), "Ramen")
      const { json: runs } = yield* get(server, "/agents/cook/runs?session_id=s")
      assert.strictEqual(at(runs, 0, "run_input"), JSON.stringify(order, null, 2))
      assert.strictEqual(at((yield* get(server, "/sessions/s")).json, "session_name"), JSON.stringify(order, null, 2))
    }))

  it.effect("an object that does not fit is 422 and names the field in it", () =>
    Effect.gen(function*() {
      const { script, server } = yield* cook
      const bad = (order: unknown) => run(server, "cook", { message: JSON.stringify(order), session_id: "s" })
      invalid(yield* bad({ count: 2 }), [["body", "message", "dish"], "value_error"])
      invalid(yield* bad({ dish: "R", count: "2" }), [["body", "message", "count"], "value_error"])
      invalid(yield* bad({ dish: "R", count: 1, notes: ["a", 3] }), [["body", "message", "notes", 1], "value_error"])
      invalid(yield* bad([]), [["body", "message"], "value_error"])
      assert.deepStrictEqual(yield* script.calls, [])
      notFound(yield* get(server, "/sessions/s"))
    }))

  it.effect.each(["Ramen", "{", "{'dish': 'Ramen'}"])(
    "a message that is no JSON is 422: %s",
    (message) =>
      Effect.gen(function*() {
        const { server } = yield* cook
        invalid(yield* run(server, "cook", { message }), [["body", "message"], "json_invalid"])
      })
  )

  it.effect("a message nested ten thousand deep is 422, and one of more values than a message may have is 413", () =>
    Effect.gen(function*() {
      const { server } = yield* cook
      const nested = (depth: number) => `{"dish":${"[".repeat(depth)}${"]".repeat(depth)}}`
      failed(yield* run(server, "cook", { message: nested(10_000) }), 422, "VALIDATION_ERROR")
      failed(yield* run(server, "cook", { message: nested(100_000) }), 413, "PAYLOAD_TOO_LARGE")
    }))
})

describe("history", () => {
  it.effect("the model gets the history of the session when the agent is configured so, and it is marked in the run", () =>
    Effect.gen(function*() {
      const script = yield* always(Script.text("Hello."))
      const agent = Agent.make({ id: "a", model: script.model, addHistoryToContext: true, numHistoryRuns: 1 })
      const server = yield* serve({ agents: [agent] })
      for (const message of ["one", "two", "three"]) yield* runWhole(server, "a", { message, session_id: "s" })
      const prompt = JSON.stringify((yield* script.prompts)[2])
      assert.notInclude(prompt, "one")
      assert.include(prompt, "two")
      const { json } = yield* get(server, "/sessions/s")
      const contents = (at(json, "chat_history") as ReadonlyArray<unknown>).map((message) => at(message, "content"))
      assert.deepStrictEqual(contents, ["one", "Hello.", "two", "Hello.", "three", "Hello."])
    }))
})
