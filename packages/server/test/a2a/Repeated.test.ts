// Messages that are sent again, because the response to them was lost.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, column, get, list, post } from "../Wire.ts"
import { plain, toolUser } from "../wire/Fixtures.ts"
import { mail } from "./Mail.ts"
import { receiver } from "./Receivers.ts"

Tier.oneIn(2)

const send = (server: TestServer.TestServer, agent: string, message: object, configuration: object = {}) =>
  Effect.map(
    post(server, `/a2a/agents/${agent}/message:send`, {
      message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }], ...message },
      configuration
    }),
    ({ json }) => at(json, "task")
  )

const idOf = (task: unknown) => at(task, "id")

describe("a message of A2A that is sent again", () => {
  it.live("a repeated message gets the task that it made, with or without a context, waited for or not", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* TestServer.make({ agents: [agent] })
      for (const message of [{ messageId: "0b2e9c1e-8f0a-4d1e-9a35-6c0f7f1d2b11" }, { contextId: "c" }]) {
        const first = yield* send(server, "plain", message)
        const again = yield* send(server, "plain", message)
        const accepted = yield* send(server, "plain", message, { returnImmediately: true })
        assert.strictEqual(idOf(again), idOf(first))
        assert.deepStrictEqual(at(accepted, "status", "state"), "TASK_STATE_COMPLETED")
        assert.deepStrictEqual([at(again, "artifacts"), at(accepted, "artifacts")], [
          at(first, "artifacts"),
          at(first, "artifacts")
        ])
      }
      assert.strictEqual((yield* script.calls).length, 2)
    }))

  it.live("a message outside of a context whose id is no UUID makes a task each time, as clients reuse such ids", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({ agents: [(yield* plain).agent] })
      const tasks = [yield* send(server, "plain", {}), yield* send(server, "plain", {})]
      assert.strictEqual(new Set(tasks.map(idOf)).size, 2)
    }))

  it.live("a repeated message has its push configuration stored if the task has none", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({ agents: [(yield* plain).agent], fetch: { allow: ["127.0.0.1"] } })
      const pushed = { taskPushNotificationConfig: { id: "p", url: "http://127.0.0.1:9/changes" } }
      const tasks = yield* Effect.forEach([{}, pushed, pushed], (configuration) =>
        send(server, "plain", { contextId: "c" }, configuration))
      assert.strictEqual(new Set(tasks.map(idOf)).size, 1)
      const { json } = yield* get(server, `/a2a/agents/plain/tasks/${String(idOf(tasks[0]))}/pushNotificationConfigs`)
      assert.deepStrictEqual(
        list(at(json, "configs")).map((config) =>
          at(config, "id")
        ),
        ["p"]
      )
    }))

  it.live("a message that is sent many times at once makes one task", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* TestServer.make({ agents: [agent] })
      const tasks = yield* Effect.forEach(Array.from({ length: 8 }), () => send(server, "plain", { contextId: "c" }), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(tasks.map(idOf)).size, 1)
      assert.strictEqual((yield* script.calls).length, 1)
    }))

  it.live("a message makes another task with other content, in another context, for another user and for another agent", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const other = Agent.make({ id: "other", model: script.model })
      const server = yield* TestServer.make({ agents: [agent, other] })
      const tasks = [
        yield* send(server, "plain", { contextId: "c" }),
        yield* send(server, "plain", { contextId: "c", parts: [{ text: "hello" }] }),
        yield* send(server, "plain", { contextId: "d" }),
        yield* send(server, "plain", { contextId: "e", metadata: { userId: "ann" } }),
        yield* send(server, "other", { contextId: "f" })
      ]
      assert.strictEqual(new Set(tasks.map(idOf)).size, 5)
    }))

  it.live("a repeated answer to a question counts once, and gets the task that it continued", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
      const agent = Agent.make({ id: "careful", model: script.model, tools: [mail] })
      const server = yield* TestServer.make({ agents: [agent] })
      const paused = yield* send(server, "careful", {})
      const answer = { messageId: "m2", taskId: idOf(paused), parts: [{ text: "yes" }] }
      const done = yield* send(server, "careful", answer)
      const again = yield* send(server, "careful", answer)
      assert.strictEqual(at(done, "status", "state"), "TASK_STATE_COMPLETED")
      assert.deepStrictEqual([idOf(again), at(again, "artifacts")], [idOf(done), at(done, "artifacts")])
      assert.strictEqual(list(at(again, "history")).length, 2)
      assert.strictEqual((yield* script.calls).length, 2)
    }))

  it.live("a repeated message that is streamed shows its task as it is now, and not an earlier question", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
      const agent = Agent.make({ id: "careful", model: script.model, tools: [mail] })
      const server = yield* TestServer.make({ agents: [agent] })
      const stream = (message: object) =>
        Effect.map(
          post(server, "/a2a/agents/careful/message:stream", { message }),
          ({ text }) =>
            text.split("\n\n").slice(0, -1).map((frame): unknown => JSON.parse(frame.slice("data: ".length)))
        )
      const question = { messageId: "m1", role: "ROLE_USER", contextId: "c", parts: [{ text: "hi" }] }
      const paused = yield* stream(question)
      const taskId = at(paused, 0, "task", "id")
      assert.strictEqual(at(paused.at(-1), "statusUpdate", "status", "state"), "TASK_STATE_INPUT_REQUIRED")
      const answer = { messageId: "m2", role: "ROLE_USER", taskId, parts: [{ text: "yes" }] }
      const done = yield* stream(answer)
      assert.strictEqual(at(done.at(-1), "statusUpdate", "status", "state"), "TASK_STATE_COMPLETED")
      for (const message of [question, answer]) {
        const again = yield* stream(message)
        assert.deepStrictEqual(again.map((item) => at(item, "task", "status", "state")), ["TASK_STATE_COMPLETED"])
        assert.strictEqual(at(again, 0, "task", "artifacts", 0, "parts", 0, "text"), "Tea is a leaf.")
      }
      assert.strictEqual((yield* script.calls).length, 2)
    }))

  it.live("the same push configuration without an id is one, however many messages of a task carry it", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
      const agent = Agent.make({ id: "careful", model: script.model, tools: [mail] })
      const server = yield* TestServer.make({ agents: [agent], fetch: { allow: ["127.0.0.1"] } })
      const pushed = { taskPushNotificationConfig: { url: "http://127.0.0.1:9/changes", token: "t" } }
      const paused = yield* send(server, "careful", {}, pushed)
      yield* send(server, "careful", { messageId: "m2", taskId: idOf(paused), parts: [{ text: "yes" }] }, pushed)
      const path = `/a2a/agents/careful/tasks/${String(idOf(paused))}/pushNotificationConfigs`
      const scheme = { url: "http://127.0.0.1:9/changes", authentication: { scheme: "Other" } }
      yield* post(server, path, scheme)
      const { json } = yield* get(server, path)
      assert.deepStrictEqual(column(at(json, "configs"), "authentication"), [undefined, scheme.authentication])
    }))

  it.live("the state of a task is sent again for a repeated message, as a killed service may not have sent it", () =>
    Effect.gen(function*() {
      const { next, url } = yield* receiver()
      const agents = [(yield* plain).agent]
      const { url: service } = yield* TestServer.listen({ agents, fetch: { allow: ["127.0.0.1"] } })
      const body = JSON.stringify({
        message: { messageId: "m1", role: "ROLE_USER", contextId: "c", parts: [{ text: "hi" }] },
        configuration: { taskPushNotificationConfig: { url } }
      })
      const headers = { "content-type": "application/json" }
      const completed = Effect.repeat(next, {
        until: ({ body }) => at(body, "statusUpdate", "status", "state") === "TASK_STATE_COMPLETED"
      })
      for (const _ of ["first", "again"]) {
        yield* Effect.promise(() =>
          fetch(`${service}/a2a/agents/plain/message:send`, { method: "POST", headers, body })
        )
        yield* completed
      }
    }))
})
