// Channels whose adapter listens over a connection, or by polling.
import { assert, describe, it } from "@effect/vitest"
import type * as Adapter from "@svc-runtime/channels/Adapter"
import * as Slack from "@svc-runtime/channels/slack/index"
import * as Telegram from "@svc-runtime/channels/telegram/index"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import * as SlackServer from "@svc-runtime/test-support/platforms/SlackServer"
import * as TelegramServer from "@svc-runtime/test-support/platforms/TelegramServer"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Exit, Schedule, Scope } from "effect"
import { at, get } from "../Wire.ts"
import * as Chatting from "./Chatting.ts"
import { passing } from "./ScheduleTime.ts"

Tier.oneIn(4)

interface Connection {
  readonly accept: (events: ReadonlyArray<Adapter.Event>) => Promise<void>
  readonly fail: (error: Error) => void
  isOpen: boolean
}

/** A platform with the connections that its adapter has had. */
const listening = (platform = MemoryPlatform.make()) => {
  const connections: Array<Connection> = []
  const listen: Adapter.Adapter["listen"] = (accept, { signal }) =>
    new Promise((_, reject) => {
      const connection: Connection = {
        accept,
        fail: (error) => {
          connection.isOpen = false
          reject(error)
        },
        isOpen: true
      }
      signal.addEventListener("abort", () => connection.fail(new Error("aborted")))
      connections.push(connection)
    })
  return { ...platform, connections, adapter: { ...platform.adapter, listen } }
}

const says = (...texts: ReadonlyArray<string>) =>
  Effect.map(
    Script.make(texts.map((text) => [Script.text(text)])),
    ({ model }) => Agent.make({ id: "desk", model })
  )

const open = (connections: ReadonlyArray<Connection>) => connections.filter(({ isOpen }) => isOpen)

/** Time passes until there are so many connections. */
const connected = (connections: ReadonlyArray<Connection>, count: number) =>
  passing(Effect.repeat(Effect.yieldNow, { until: () => connections.length === count }))

describe("connections of channels", () => {
  it.effect("what arrives is stored when it is accepted, and answered", () =>
    Effect.gen(function*() {
      const platform = listening()
      const { says: shows } = yield* Chatting.chatting({ agents: [yield* says("Hello")], platform })
      const { connections } = platform
      yield* connected(connections, 1)
      const event = MemoryPlatform.eventOf({ id: "E1", text: "Hi" })
      yield* Effect.promise(() => connections[0]!.accept([event]))
      yield* Effect.promise(() => connections[0]!.accept([event]))
      yield* shows("Hello")
      assert.deepStrictEqual(platform.texts(), ["Hello"])
    }))

  it.effect("a connection that fails is made again, later each time, and the log and the health say why", () =>
    Effect.gen(function*() {
      const platform = listening()
      const { server } = yield* Chatting.chatting({ agents: [yield* says()], platform })
      const { connections } = platform
      for (const count of [1, 2, 3]) {
        yield* connected(connections, count)
        connections[count - 1]!.fail(new Error("The token is no longer valid"))
      }
      yield* connected(connections, 4)
      const failures = server.logs.filter(({ cause }) => cause?.includes("The token is no longer valid"))
      const { json } = yield* get(server, "/channels/chat")
      assert.deepInclude(at(json, "health", "errors", 0), { kind: "connect", message: "The token is no longer valid" })
      const delays = failures.map(({ message }) => /repeated in (\d+) s/.exec(message)?.[1])
      assert.deepStrictEqual(delays, ["1", "2", "4"])
    }))

  it.effect("a node of two listens, and the other node does so when the first one stops", () =>
    Effect.gen(function*() {
      const stores = yield* TestDatabase.make()
      const platforms = [listening(), listening()]
      const node = (platform: typeof platforms[number]) =>
        Effect.map(says(), (agent) => ({ agents: [agent], platform, database: () => stores }))
      const scope = yield* Scope.make()
      yield* Scope.provide(Effect.flatMap(node(platforms[0]!), Chatting.chatting), scope)
      yield* connected(platforms[0]!.connections, 1)
      yield* Chatting.chatting(yield* node(platforms[1]!))
      yield* passing(Effect.sleep("5 seconds"))
      const all = () => platforms.flatMap(({ connections }) => open(connections))
      assert.strictEqual(all().length, 1)
      yield* passing(Scope.close(scope, Exit.void))
      yield* connected(platforms[1]!.connections, 1)
      assert.strictEqual(all().length, 1)
    }))
})

const send_mail = Tool.make({ name: "send_mail", requiresConfirmation: true, execute: () => "sent" })

const eventually = (isTrue: () => boolean) =>
  Effect.repeat(Effect.yieldNow, { until: isTrue, schedule: Schedule.spaced("10 millis") })

describe("an app of Slack", () => {
  it.live("the form of a button opens as a window, and its values decide", () =>
    Effect.gen(function*() {
      const platform = yield* SlackServer.make()
      const { model } = yield* Script.make([[Script.toolCall("send_mail")], [Script.text("I have **not** sent it.")]])
      const { appToken, token, url } = platform
      const slack = Slack.make({ agent: "desk", access: { type: "open" }, token, appToken, apiUrl: url })
      yield* TestServer.make({
        agents: [Agent.make({ id: "desk", model, tools: [send_mail] })],
        declared: { channels: [slack] }
      })
      yield* eventually(() => platform.connections.length === 1)
      const push = (...[type, payload]: Parameters<typeof platform.push>) =>
        Effect.promise(() => platform.push(type, payload))
      yield* push("events_api", platform.message({ channel: "D0ANN", text: "Mail him" }))
      const sent = () => platform.messages.filter(({ bot_id }) => bot_id !== undefined)
      const shown = () => JSON.stringify(sent().at(-1) ?? {})
      yield* eventually(() => shown().includes("Reject"))
      yield* push("interactive", platform.press(sent().at(-1)!, "Reject"))
      yield* eventually(() => platform.views.length === 1)
      yield* push("interactive", platform.submit({ reason: { value: "Too early" } }))
      yield* eventually(() => shown().includes("sent it."))
      assert.match(JSON.stringify(sent()[0]), /✗ Rejected by ann: Too early/i)
      assert.notInclude(JSON.stringify(sent()[0]), "actions")
    }))
})

describe("a bot of Telegram", () => {
  it.live.runIf(Tier.isWhole)(
    "a bot is polled, asks with buttons, and takes the reason of a rejection as a text",
    () =>
      Effect.gen(function*() {
        const platform = yield* TelegramServer.make()
        const { model } = yield* Script.make([[Script.toolCall("send_mail")], [Script.text("I have **not** sent it.")]])
        const telegram = Telegram.make({
          agent: "desk",
          access: { type: "open" },
          token: platform.token,
          apiUrl: platform.url
        })
        yield* TestServer.make({
          agents: [Agent.make({ id: "desk", model, tools: [send_mail] })],
          declared: { channels: [telegram] }
        })
        platform.say("Mail him")
        const last = () => platform.sent().at(-1)
        const buttons = () => JSON.stringify(last()?.["reply_markup"] ?? {})
        yield* eventually(() => buttons().includes("Reject"))
        const data = /"text":"Reject","callback_data":"([^"]+)"/.exec(buttons())?.[1] ?? ""
        platform.press(last()!, data)
        yield* eventually(() => last()?.text?.startsWith("Please write: Reason") === true)
        const question = platform.calls.find(({ values }) => String(values["text"]).startsWith("Please write"))
        assert.strictEqual(question?.method, "sendMessage")
        assert.include(JSON.stringify(question), "force_reply")
        platform.say("Too early")
        yield* eventually(() => last()?.text === "I have not sent it.")
        assert.include(platform.sent()[0]?.text, "✗ Rejected by Ann: Too early")
        assert.notInclude(JSON.stringify(platform.sent()[0]), "callback_data")
      })
  )
})
