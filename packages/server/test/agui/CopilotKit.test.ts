// The wire of CopilotKit's runtime, whose streams the official clients of AG-UI read.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { agents, call, closed, token } from "../authorization/Closed.ts"
import { remembering } from "../protocols/Remembering.ts"
import { always, at, get, serve } from "../Wire.ts"
import { assistant, plain } from "../wire/Fixtures.ts"
import * as AgUiClient from "./AgUiClient.ts"

Tier.oneIn(6)

const post = (url: string) =>
  Effect.promise(() => fetch(url, { method: "POST" }).then((response): Promise<unknown> => response.json()))

describe("CopilotKit", () => {
  it.effect("info lists the components by their ids, with their descriptions", () =>
    Effect.gen(function*() {
      const agents = [(yield* plain).agent, (yield* assistant).agent]
      const { json } = yield* get(yield* serve({ agents }), "/copilotkit/info")
      assert.deepStrictEqual(at(json, "agents"), {
        plain: { name: "plain", description: "", className: "agent" },
        assistant: { name: "assistant", description: "Answers questions", className: "agent" }
      })
      assert.strictEqual(at(json, "mode"), "sse")
    }))

  it.effect("info and runs are those of components that the caller may run", () =>
    Effect.gen(function*() {
      const server = yield* serve({ agents: yield* agents, authorization: yield* closed })
      const caller = yield* token("ann", "agents:other:run")
      const { json } = yield* call(server, { path: "/copilotkit/info" }, caller)
      assert.hasAllKeys(at(json, "agents"), ["other"])
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }
      assert.strictEqual((yield* call(server, { path: "/copilotkit/agent/assistant/run", init }, caller)).status, 403)
      const more = yield* token("ann", "agents:run")
      assert.strictEqual((yield* call(server, { path: "/copilotkit/agent/none/run", init }, more)).status, 404)
      assert.strictEqual((yield* call(server, { path: "/copilotkit/info" })).status, 401)
    }))
})

describe.each(AgUiClient.versions)("CopilotKit, client %s", (version) => {
  it.live("connect reads a thread back: the messages of the user, and the answers", () =>
    Effect.gen(function*() {
      const { url } = yield* TestServer.listen({ agents: [(yield* plain).agent] })
      const at = `${url}/copilotkit/agent/plain`
      const { say } = AgUiClient.make(version, `${at}/run`)
      AgUiClient.accepted(yield* say("first"))
      AgUiClient.accepted(yield* say("second"))
      const reader = AgUiClient.make(version, `${at}/connect`)
      const outcome = AgUiClient.accepted(yield* reader.run())
      assert.lengthOf(AgUiClient.eventsOf(outcome, "RUN_FINISHED"), 2)
      assert.deepStrictEqual(reader.agent.messages.map(({ content, role }) => [role, content]), [
        ["user", "first"],
        ["assistant", "Hello."],
        ["user", "second"],
        ["assistant", "Hello."]
      ])
    }))

  it.live("a thread whose messages were cut continues after the last one, and connect reads only its path", () =>
    Effect.gen(function*() {
      const { agent: component, seen } = yield* remembering
      const { url } = yield* TestServer.listen({ agents: [component] })
      const at = `${url}/copilotkit/agent/a`
      const { agent, say } = AgUiClient.make(version, `${at}/run`)
      AgUiClient.accepted(yield* say("one"))
      AgUiClient.accepted(yield* say("two"))
      agent.messages = agent.messages.slice(0, 2)
      AgUiClient.accepted(yield* say("other two"))
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "other two"])
      AgUiClient.accepted(yield* say("three"))
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "other two", "answer 3", "three"])
      const reader = AgUiClient.make(version, `${at}/connect`)
      AgUiClient.accepted(yield* reader.run())
      assert.deepStrictEqual(reader.agent.messages.map(({ content }) => content), [
        "one",
        "answer 1",
        "other two",
        "answer 3",
        "three",
        "answer 4"
      ])
      // messages that were read back name their runs too
      const read = AgUiClient.make(version, `${at}/run`)
      read.agent.messages = reader.agent.messages.slice(0, 4)
      AgUiClient.accepted(yield* read.say("other three"))
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "other two", "answer 3", "other three"])
    }))

  it.live("connect reads what follows a failed run", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.fail("down")], [Script.text("Up.")]])
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const at = `${url}/copilotkit/agent/a`
      const { say } = AgUiClient.make(version, `${at}/run`)
      yield* say("first")
      yield* say("second")
      const reader = AgUiClient.make(version, `${at}/connect`)
      AgUiClient.accepted(yield* reader.run())
      assert.deepStrictEqual(reader.agent.messages.map(({ content }) => content), ["first", "second", "Up."])
    }))

  it.live("connect follows the run that is executing, and stop ends it", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const { model } = yield* always(
        Script.text("One "),
        Script.wait(Deferred.succeed(begun, undefined)),
        Script.hang
      )
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model })] })
      const at = `${url}/copilotkit/agent/a`
      const running = yield* Effect.forkChild(AgUiClient.make(version, `${at}/run`).say("hi"))
      yield* Deferred.await(begun)
      const following = yield* Effect.forkChild(AgUiClient.make(version, `${at}/connect`).run())
      assert.deepStrictEqual(yield* post(`${at}/stop/thread`), { stopped: true })
      AgUiClient.accepted(yield* Fiber.join(running))
      AgUiClient.accepted(yield* Fiber.join(following))
    }))

  it.live("stop leaves a run that waits for an answer, as docs/guides/agui.md says", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.toolCall("send", {}, "call")]])
      const tool = Tool.make({ name: "send", requiresConfirmation: true, execute: () => "sent" })
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "a", model, tools: [tool] })] })
      const at = `${url}/copilotkit/agent/a`
      yield* AgUiClient.make(version, `${at}/run`).say("hi")
      assert.deepStrictEqual(yield* post(`${at}/stop/thread`), { stopped: false })
    }))
})
