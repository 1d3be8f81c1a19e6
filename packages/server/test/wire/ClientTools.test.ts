// What a client brings to a run: tools that it executes itself, and earlier messages.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { always, ask, at, column, list, post, serve } from "../Wire.ts"
import { lookup, toolUser } from "./Fixtures.ts"

Tier.oneIn(3)

const show = {
  name: "show",
  description: "Shows a page.",
  parameters: { type: "object", properties: { page: { type: "string" } }, required: ["page"] }
}

const call = Script.toolCall("show", { page: "start" }, "call_1")

describe("client_tools", () => {
  it.effect("a call of a client's tool pauses the run, which continues with the result", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(call)
      const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model })] })
      const started = { message: "hi", stream: false, session_id: "s", client_tools: [show] }
      const { json } = yield* post(server, "/agents/a/runs", started)
      assert.strictEqual(at(json, "status"), "PAUSED")
      const [requirement] = list(json, "requirements")
      assert.strictEqual(at(requirement, "tool_execution", "external_execution_required"), true)
      assert.deepStrictEqual((yield* script.calls)[0]?.tools.map(({ name }) => name), ["show"])
      const requirements = [{ id: at(requirement, "id"), external_execution_result: "shown" }]
      const path = `/agents/a/runs/${String(at(json, "run_id"))}/continue`
      const continued = yield* post(server, path, { session_id: "s", stream: false, requirements })
      assert.strictEqual(at(continued.json, "status"), "COMPLETED", continued.text)
      assert.deepStrictEqual(column(at(continued.json, "tools"), "result"), ["shown"])
      // the stored run has the tool still
      assert.deepStrictEqual((yield* script.calls)[1]?.tools.map(({ name }) => name), ["show"])
    }))

  it.effect("a client cannot replace a tool of the author", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("lookup", { query: "tea" }))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model, tools: [lookup] })] })
      const client_tools = [{ ...show, name: "lookup" }]
      const { json } = yield* post(server, "/agents/a/runs", { message: "hi", stream: false, client_tools })
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.deepStrictEqual(column(at(json, "tools"), "result"), ["fact about tea"])
    }))

  it.effect("the service does not evaluate the patterns of a client's schema", () =>
    Effect.gen(function*() {
      const page = `${"a".repeat(40)}!`
      const { model } = yield* toolUser(Script.toolCall("show", { page }, "call_1"))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      for (const pattern of ["(((", "^(a+)+$"]) {
        const parameters = { type: "object", properties: { page: { type: "string", pattern } } }
        const client_tools = [{ ...show, parameters }]
        const { json } = yield* post(server, "/agents/a/runs", { message: "hi", stream: false, client_tools })
        assert.strictEqual(at(json, "status"), "PAUSED")
      }
    }))

  it.effect("the leader of a team has the client's tools, and its members do not", () =>
    Effect.gen(function*() {
      const member = yield* always(Script.text("I helped."))
      const leader = yield* toolUser(Script.toolCall("delegate_task_to_member", { member_id: "m", task: "help" }))
      const members = [Agent.make({ id: "m", model: member.model })]
      const server = yield* serve({ teams: [Team.make({ id: "t", model: leader.model, members })] })
      yield* post(server, "/teams/t/runs", { message: "hi", stream: false, client_tools: [show] })
      assert.include(column((yield* leader.calls)[0]?.tools, "name"), "show")
      assert.deepStrictEqual((yield* member.calls)[0]?.tools, [])
    }))
})

describe("earlier_messages", () => {
  it.effect("the model sees earlier messages before the input, and instructions in the system message", () =>
    Effect.gen(function*() {
      const { model, prompts } = yield* always(Script.text("Yes."))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model, instructions: "Be kind." })] })
      const earlier_messages = [
        { role: "system", content: "Speak like a pirate." },
        { role: "user", content: "First" },
        { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] },
        { role: "tool", tool_call_id: "c", content: "found" },
        { role: "tool", tool_call_id: "unknown", content: "orphan" },
        { role: "assistant", content: "Second" }
      ]
      yield* post(server, "/agents/a/runs", { message: "Third", stream: false, session_id: "s", earlier_messages })
      const [prompt = []] = yield* prompts
      assert.deepStrictEqual(prompt.map(({ role }) => role), [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user"
      ])
      assert.include(JSON.stringify(prompt[0]), "pirate")
      assert.notInclude(JSON.stringify(prompt), "orphan")
    }))

  it.effect("earlier messages are no part of the session", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Yes."))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model })] })
      const earlier_messages = [{ role: "user", content: "SECRET" }]
      yield* post(server, "/agents/a/runs", { message: "hi", stream: false, session_id: "s", earlier_messages })
      assert.notInclude((yield* ask(server, "/sessions/s")).text, "SECRET")
      assert.notInclude((yield* ask(server, "/sessions/s/runs")).text, "SECRET")
    }))
})
