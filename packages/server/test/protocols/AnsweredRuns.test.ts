// Models repeat the ids of calls. An answer over a chat, AG-UI or the API of OpenAI is for the run that the client
// names, and for no other run of the session that waits for a call with the same id.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, get, post, serve } from "../Wire.ts"

Tier.oneIn(4)

const elsewhere = Tool.make({ name: "elsewhere", externalExecution: true, execute: () => "" })

/** A session in which each run waits for a call with the same id. */
const served = Effect.fnUntraced(function*(ids: ReadonlyArray<string>, later: ReadonlyArray<Script.Turn> = []) {
  const asking = Script.toolCall("elsewhere", {}, "call_1")
  const { model } = yield* Script.make([
    ...ids.map(() => [asking]),
    ...later,
    [Script.text("Done.")],
    [Script.text("Done.")]
  ])
  const server = yield* serve({ agents: [Agent.make({ id: "a", model, tools: [elsewhere] })] })
  const start = (run_id: string) =>
    post(server, "/agents/a/runs", { message: "Go", session_id: "s", run_id, user_id: "ann", stream: false })
  for (const id of ids) assert.strictEqual(at((yield* start(id)).json, "status"), "PAUSED")
  const statusOf = (id: string) =>
    Effect.map(get(server, `/agents/a/runs/${id}?session_id=s`), ({ json }) => at(json, "status"))
  const statuses = Effect.forEach(["first", "second"], statusOf)
  return { server, statuses }
})

const chat = (id: string) => ({
  path: "/agents/a/chat",
  body: {
    id: "s",
    user_id: "ann",
    messages: [{
      id,
      role: "assistant",
      parts: [{ type: "tool-elsewhere", toolCallId: "call_1", state: "output-available", input: {}, output: "It." }]
    }]
  }
})

const agui = (id: string) => ({
  path: "/agents/a/agui",
  body: {
    threadId: "s",
    runId: "next",
    state: {},
    tools: [],
    context: [],
    forwardedProps: { user_id: "ann" },
    messages: [
      { id: "u", role: "user", content: "Go" },
      {
        id,
        role: "assistant",
        toolCalls: [{ id: "call_1", type: "function", function: { name: "elsewhere", arguments: "{}" } }]
      },
      { id: "t", role: "tool", toolCallId: "call_1", content: "It." }
    ]
  }
})

/** Messages cannot name a run. */
const completions = () => ({
  path: "/v1/chat/completions",
  body: {
    model: "a",
    conversation: "s",
    user: "ann",
    messages: [
      { role: "user", content: "Go" },
      {
        role: "assistant",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "elsewhere", arguments: "{}" } }]
      },
      { role: "tool", tool_call_id: "call_1", content: "It." }
    ]
  }
})

const naming = {
  "a chat": { wire: chat, idOf: (run: string) => run },
  "AG-UI": { wire: agui, idOf: (run: string) => `${run}-0-calls` }
}

describe.each(Object.keys(naming) as ReadonlyArray<keyof typeof naming>)("an answer over %s", (name) => {
  const { idOf, wire } = naming[name]

  it.effect("an answer is for the run that its message names, although another one waits for the same id", () =>
    Effect.gen(function*() {
      const { server, statuses } = yield* served(["first", "second"])
      const { body, path } = wire(idOf("first"))
      const answered = yield* post(server, path, body)
      assert.strictEqual(answered.status, 200, answered.text)
      assert.deepStrictEqual(yield* statuses, ["COMPLETED", "PAUSED"])
    }))

  it.effect("an answer that is sent again does not count for another run that waits for the same id", () =>
    Effect.gen(function*() {
      const { server, statuses } = yield* served(["first", "second"])
      const { body, path } = wire(idOf("first"))
      yield* post(server, path, body)
      const again = yield* post(server, path, body)
      assert.strictEqual(again.status, 409, again.text)
      assert.deepStrictEqual(yield* statuses, ["COMPLETED", "PAUSED"])
    }))
})

describe("a session in which many runs wait", () => {
  it.effect("the oldest one is answered by an answer that names it", () =>
    Effect.gen(function*() {
      const ids = Array.from({ length: 23 }, (_, index) => `run-${index}`)
      const { server } = yield* served(ids)
      for (const [name, id] of [["a chat", "run-0"], ["AG-UI", "run-1"]] as const) {
        const { idOf, wire } = naming[name]
        const { body, path } = wire(idOf(id))
        const answered = yield* post(server, path, body)
        assert.strictEqual(answered.status, 200, answered.text)
        assert.strictEqual(at((yield* get(server, `/agents/a/runs/${id}?session_id=s`)).json, "status"), "COMPLETED")
      }
    }))
})

describe("an answer over AG-UI to an earlier message", () => {
  it.effect("the answer is for the run that made the call, whether a later one is shown, or waits for another call", () =>
    Effect.gen(function*() {
      for (const later of [[Script.text("Hello.")], [Script.toolCall("elsewhere", {}, "call_2")]]) {
        const { server } = yield* served(["first"], [later])
        yield* post(server, "/agents/a/runs", { message: "Hi", session_id: "s", run_id: "second", user_id: "ann" })
        const { body, path } = agui("first-0-calls")
        const [user, made, result] = body.messages
        const calls = [{ id: "call_2", type: "function", function: { name: "elsewhere", arguments: "{}" } }]
        const shown = at(later[0], "type") === "tool-call"
          ? { id: "second-0-calls", role: "assistant", toolCalls: calls }
          : { id: "second-0-0", role: "assistant", content: "Hello." }
        const messages = [user, made, { id: "u2", role: "user", content: "Hi" }, shown, result]
        const answered = yield* post(server, path, { ...body, messages })
        assert.strictEqual(answered.status, 200, answered.text)
        assert.notInclude(answered.text, "RUN_ERROR")
        assert.strictEqual(at((yield* get(server, "/agents/a/runs/first?session_id=s")).json, "status"), "COMPLETED")
      }
    }))
})

describe.each([["a chat", chat], ["AG-UI", agui], ["the API of OpenAI", completions]] as const)(
  "an answer over %s",
  (_, wire) => {
    it.effect("an answer that names no run is refused if several runs wait for the id, and else taken", () =>
      Effect.gen(function*() {
        const { server, statuses } = yield* served(["first", "second"])
        const { body, path } = wire("own")
        const refused = yield* post(server, path, body)
        assert.strictEqual(refused.status, 409, refused.text)
        assert.include(refused.text, "Several runs of this session wait")
        assert.deepStrictEqual(yield* statuses, ["PAUSED", "PAUSED"])
        yield* post(server, "/agents/a/runs/second/cancel?session_id=s", {})
        assert.strictEqual((yield* post(server, path, body)).status, 200)
        assert.deepStrictEqual(yield* statuses, ["COMPLETED", "CANCELLED"])
      }))
  }
)
