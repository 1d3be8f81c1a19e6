// The responses of runs that fail, and of tools that fail in a run.
import { assert, describe, it } from "@effect/vitest"
import * as Hook from "@svc-runtime/agents/agent/define/Hook"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { always, at, get, hasKeys, leak, list, runWhole, serve, without } from "../Wire.ts"
import { bare } from "./BareRun.ts"
import { broken, down, lookup, toolUser, used } from "./Fixtures.ts"

Tier.oneIn(3)

describe("a failed run", () => {
  it.effect("a failed run responds with 200 and status ERROR and its error, and is stored", () =>
    Effect.gen(function*() {
      const { agent } = yield* down
      const server = yield* serve({ agents: [agent] })
      const answer = yield* runWhole(server, "down", { message: "x", session_id: "s", run_id: "r" })
      assert.strictEqual(answer.status, 200)
      hasKeys(answer.json, ...bare)
      assert.strictEqual(at(answer.json, "status"), "ERROR")
      assert.match(String(at(answer.json, "content")), /provider is down/)
      assert.strictEqual(at(answer.json, "content_type"), "str")
      assert.deepStrictEqual(at(answer.json, "metrics"), { duration: 0 })
      assert.deepStrictEqual(list(answer.json, "messages").map((message) => at(message, "role")), ["user"])
      const stored = yield* get(server, "/agents/down/runs/r?session_id=s")
      assert.deepStrictEqual(without(stored.json, "events"), answer.json)
    }))

  it.effect("a run that a hook refuses has the reason of the hook", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hi"))
      const refuse = {
        name: "guard",
        run: () => Effect.fail(new Hook.CheckFailed({ reason: "off_topic", message: "No." }))
      }
      const server = yield* serve({ agents: [Agent.make({ id: "a", model, preHooks: [refuse] })] })
      const { json, status } = yield* runWhole(server, "a", { message: "hi" })
      assert.strictEqual(status, 200)
      assert.strictEqual(at(json, "status"), "ERROR")
      assert.strictEqual(at(json, "content"), "No.")
    }))

  it.effect("a run with a broken hook, instruction or tool result keeps the cause out of the response and in the log", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hi"))
      const boom = () => {
        throw new Error("secret-connection-string")
      }
      const server = yield* serve({
        agents: [
          Agent.make({ id: "hook", model, preHooks: [{ name: "guard", run: boom }] }),
          Agent.make({ id: "instructions", model, instructions: boom })
        ]
      })
      for (const id of ["hook", "instructions"]) {
        const answer = yield* runWhole(server, id, { message: "hi", run_id: id })
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(at(answer.json, "status"), "ERROR")
        assert.notInclude(answer.text, "secret-connection-string")
        assert.notMatch(answer.text, leak)
        const logged = server.logs.find(({ annotations, level }) => level === "WARN" && annotations["run_id"] === id)
        assert.include(logged?.cause ?? "", "secret-connection-string")
        assert.isFalse(server.logs.some(({ level }) => level === "ERROR"))
      }
    }))

  it.effect("a run whose model is not configured says what to set", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: [Agent.make({ id: "a", model: "openai:gpt-5" })] })
      const { json, status } = yield* runWhole(server, "a", { message: "hi" })
      assert.strictEqual(status, 200)
      assert.strictEqual(at(json, "status"), "ERROR")
      assert.match(String(at(json, "content")), /OPENAI_API_KEY/)
    }))
})

describe("tools", () => {
  it.effect("a failed tool is an answer for the model, and marked", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("broken", {}, "call_1"))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model, tools: [broken] })] })
      const { json } = yield* runWhole(server, "a", { message: "hi" })
      assert.strictEqual(at(json, "status"), "COMPLETED")
      assert.strictEqual(at(json, "tools", 0, "tool_call_error"), true)
      assert.strictEqual(at(json, "tools", 0, "result"), "no luck")
      assert.strictEqual(at(json, "messages", 2, "tool_call_error"), true)
    }))

  it.effect("a call of an unknown tool is answered, and is no tool of the run", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("nope", { a: 1 }))
      const server = yield* serve({ agents: [Agent.make({ id: "a", model, tools: [lookup] })] })
      const { json } = yield* runWhole(server, "a", { message: "hi" })
      hasKeys(json, ...bare)
      assert.strictEqual(at(json, "messages", 2, "tool_name"), "nope")
      assert.strictEqual(at(json, "messages", 2, "tool_call_error"), true)
    }))

  it.effect("a tool sees and changes the state of the session, which is shown and stored", () =>
    Effect.gen(function*() {
      const { model } = yield* toolUser(Script.toolCall("count", {}))
      const count = Tool.make({
        name: "count",
        execute: (_, { sessionState }) => {
          sessionState["n"] = Number(sessionState["n"] ?? 0) + 1
          return `${sessionState["n"]}`
        }
      })
      const server = yield* serve({ agents: [Agent.make({ id: "a", model, tools: [count] })] })
      yield* runWhole(server, "a", { message: "hi", session_id: "s", session_state: "{\"n\":4}" })
      const { json } = yield* runWhole(server, "a", { message: "hi", session_id: "s" })
      assert.deepStrictEqual(at(json, "session_state"), { n: 6 })
      const session = yield* get(server, "/sessions/s")
      assert.deepStrictEqual(at(session.json, "session_state"), { n: 6 })
      assert.notInclude(session.text, "current_session_id")
    }))

  it.effect("a tool that ends the run gives its answer", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.toolCall("stop", {}), used]])
      const stop = Tool.make({ name: "stop", stopAfterCall: true, execute: () => "That is all." })
      const server = yield* serve({ agents: [Agent.make({ id: "a", model: script.model, tools: [stop] })] })
      const { json } = yield* runWhole(server, "a", { message: "hi" })
      assert.strictEqual(at(json, "content"), "That is all.")
      assert.strictEqual(at(json, "tools", 0, "stop_after_tool_call"), true)
      assert.strictEqual(at(json, "messages", 2, "stop_after_tool_call"), true)
    }))
})
