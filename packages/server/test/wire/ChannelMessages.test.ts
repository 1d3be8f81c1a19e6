// Channels as operators see them, and messages that are written to people without an event before them.
import { assert, describe, it } from "@effect/vitest"
import * as Channel from "@svc-runtime/channels/Channel"
import { Agent, ComponentTool, Tool } from "@svc-runtime/server"
import { message } from "@svc-runtime/server/channels"
import * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { call, claims, closed, theIssuer, token } from "../authorization/Closed.ts"
import { type Answer, ask, at, column, failed, get, list, post, second, serve } from "../Wire.ts"
import { passing } from "./ScheduleTime.ts"

Tier.oneIn(4)

const { delivery } = MemoryPlatform

const path = "/channels/chat"

const serving = Effect.fnUntraced(function*(
  options: TestServer.Options = {},
  channel: Partial<Channel.Options> = { access: { type: "open" } },
  platform: MemoryPlatform.MemoryPlatform = MemoryPlatform.make()
) {
  const model = yield* Script.make(Array.from({ length: 3 }, (_, turn) => [Script.text(`Answer ${turn + 1}`)]))
  const server = yield* serve({
    agents: [Agent.make({ id: "desk", model: model.model })],
    declared: { channels: [Channel.make({ id: "chat", agent: "desk", ...channel }, platform.adapter)] },
    ...options
  })
  return { platform, server }
})

type Served = Effect.Success<ReturnType<typeof serving>>

const shown = ({ platform }: Served, text: string) => passing(platform.until(() => platform.texts().includes(text)))

/** The health when nothing waits. */
const idle = Effect.fnUntraced(function*({ server }: Served) {
  for (;;) {
    const [channel] = list((yield* get(server, "/channels")).json, "data")
    const health = at(channel, "health") as Record<string, number>
    if (health["waiting_events"] === 0 && health["waiting_replies"] === 0) return health
    yield* TestClock.adjust("10 millis")
  }
})

/** A person writes, and gets an answer. */
const talk = Effect.fnUntraced(function*(served: Served, sender: string, answer: string, thread = "T1") {
  yield* ask(served.server, `${path}/events`, delivery({ id: `E-${answer}`, sender, thread, text: "Hi" }))
  yield* shown(served, answer)
})

const json = (body: object, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

const send = ({ server }: Served, body: object, bearer?: string, key?: string) =>
  call(
    server,
    { path: `${path}/messages`, init: json(body, key === undefined ? {} : { "idempotency-key": key }) },
    bearer
  )

const accepted = (answer: Answer): string => {
  assert.strictEqual(answer.status, 202, answer.text)
  return String(at(answer.json, "id"))
}

/** A user links the account of a sender. */
const link = Effect.fnUntraced(function*(served: Served, sender: string, bearer?: string) {
  const { platform, server } = served
  const code = () =>
    platform.messages.flatMap(({ text, thread }) =>
      thread === `direct ${sender}` ? /\*\*([A-Z0-9-]{11})\*\*/.exec(text)?.[1] ?? [] : []
    ).at(-1)
  yield* ask(server, `${path}/events`, delivery({ id: `code-${sender}`, sender, thread: `direct ${sender}` }))
  yield* passing(platform.until(() => code() !== undefined))
  const linked = yield* call(server, { path: "/channels/links", init: json({ code: code(), user_id: "ann" }) }, bearer)
  assert.strictEqual(linked.status, 201, linked.text)
})

const running = ["agents:run", "channels:read", "channels:write"]

describe("channels for operators", () => {
  it.effect("a channel shows what it did last, what waits, and what has failed", () =>
    Effect.gen(function*() {
      // answers are its only messages: one that says that the agent works may fail without a record
      const served = yield* serving({}, undefined, MemoryPlatform.make({ isFixed: true }))
      const { platform, server } = served
      const fresh = { last_event_at: null, last_post_at: null, waiting_events: 0, waiting_replies: 0, errors: [] }
      const channel = {
        id: "chat",
        platform: "memory",
        component_kind: "agent",
        component_id: "desk",
        access: "open",
        when_busy: "queue",
        tenant: null,
        declared: true,
        settings: null,
        secrets: [],
        events_path: "/channels/chat/events",
        health: fresh
      }
      assert.deepStrictEqual((yield* get(server, path)).json, channel)
      const forged = { ...delivery({ id: "E0" }), headers: { "x-secret": "wrong" } }
      failed(yield* ask(server, `${path}/events`, forged), 401, "UNAUTHENTICATED")
      platform.failNext({ reason: "permanent" })
      yield* ask(server, `${path}/events`, delivery({ id: "E1", text: "Hi" }))
      yield* passing(platform.until(() => platform.calls.length > 0))
      yield* talk(served, "U1", "Answer 2")
      const health = yield* idle(served)
      assert.deepStrictEqual(column(list(health, "errors"), "kind").toSorted(), ["post", "receive"])
      assert.isAtLeast(health["last_event_at"]!, second)
      assert.isAtLeast(health["last_post_at"]!, second)
      failed(yield* get(server, "/channels/none"), 404, "NOT_FOUND")
    }))

  it.effect("the test of a channel says who the agent is there, or why the platform refuses it", () =>
    Effect.gen(function*() {
      const served = yield* serving()
      const tested = yield* post(served.server, `${path}/test`, {})
      assert.deepStrictEqual(tested.json, { ok: true, identity: "The bot of tests", error: null })
      served.platform.failNext({ reason: "unauthorized" })
      assert.deepStrictEqual((yield* post(served.server, `${path}/test`, {})).json, {
        ok: false,
        identity: null,
        error: { reason: "unauthorized", message: "The platform refused test" }
      })
    }))

  it.effect("a tenant sees its channels and those of all, with the health and the test of its own only", () =>
    Effect.gen(function*() {
      const authorization = { ...yield* closed, tenantClaim: "tenant" }
      const platform = MemoryPlatform.make()
      const channels = [{ id: "chat", tenant: "acme" }, { id: "other", tenant: "globex" }, { id: "shared" }].map(
        (options) => Channel.make({ agent: "desk", ...options }, platform.adapter)
      )
      const { server } = yield* serving({ authorization, declared: { channels } })
      const issuer = yield* theIssuer
      const bearer = yield* issuer.sign({ ...claims("ann", ["platform:admin"]), tenant: "acme" })
      const listed = list((yield* call(server, { path: "/channels" }, bearer)).json, "data")
      assert.deepStrictEqual(column(listed, "id"), ["chat", "shared"])
      assert.deepStrictEqual(listed.map((channel) => at(channel, "health") === null), [false, true])
      failed(yield* call(server, { path: "/channels/other" }, bearer), 404, "NOT_FOUND")
      const test = (id: string) => call(server, { path: `/channels/${id}/test`, init: json({}) }, bearer)
      assert.strictEqual((yield* test("chat")).status, 200)
      failed(yield* test("shared"), 403, "FORBIDDEN")
      failed(yield* test("other"), 404, "NOT_FOUND")
    }))
})

describe("messages without an event before them", () => {
  it.effect("a message is written into a conversation, or to a person, and its status is shown", () =>
    Effect.gen(function*() {
      const served = yield* serving()
      yield* talk(served, "U1", "Answer 1")
      const id = accepted(yield* send(served, { to: { thread: "T1" }, text: "Your order is **late**." }))
      yield* shown(served, "Your order is **late**.")
      accepted(yield* send(served, { to: { sender: "U1" }, text: "To the same" }))
      accepted(yield* send(served, { to: { sender: "U9" }, text: "To a new one" }))
      yield* shown(served, "To the same")
      yield* shown(served, "To a new one")
      const threads = served.platform.messages.map(({ thread }) => thread)
      assert.deepStrictEqual(threads.slice(0, 2), ["T1", "T1"])
      assert.sameMembers(threads.slice(2), ["T1", "direct U9"])
      const message = yield* get(served.server, `${path}/messages/${id}`)
      assert.deepInclude(message.json as object, { id, channel: "chat", thread: "T1", status: "written", error: null })
      failed(yield* send(served, { to: { thread: "T2" }, text: "Hello" }), 404, "NOT_FOUND")
      failed(yield* send(served, { to: { user_id: "ann" }, text: "Hello" }), 404, "NOT_FOUND")
      failed(yield* send(served, { to: { thread: "T1" }, text: "" }), 422, "VALIDATION_ERROR")
      failed(yield* send(served, { to: {}, text: "Hello" }), 422, "VALIDATION_ERROR")
    }))

  it.effect("a repeated request with the same key writes one message, and another body is refused", () =>
    Effect.gen(function*() {
      const served = yield* serving()
      yield* talk(served, "U1", "Answer 1")
      const body = { to: { thread: "T1" }, text: "Once" }
      const first = accepted(yield* send(served, body, undefined, "k1"))
      assert.strictEqual(accepted(yield* send(served, body, undefined, "k1")), first)
      failed(yield* send(served, { ...body, text: "Twice" }, undefined, "k1"), 409, "CONFLICT")
      yield* shown(served, "Once")
      assert.strictEqual(accepted(yield* send(served, body, undefined, "k1")), first)
      accepted(yield* send(served, { ...body, text: "Last" }))
      yield* shown(served, "Last")
      assert.deepStrictEqual(served.platform.texts(), ["Answer 1", "Once", "Last"])
    }))

  it.effect("an isolated caller writes to the own linked accounts and conversations only", () =>
    Effect.gen(function*() {
      const served = yield* serving({ authorization: yield* closed }, {})
      const [ann, bob] = [yield* token("ann", ...running), yield* token("bob", ...running)]
      const root = yield* token("root", "platform:admin")
      yield* link(served, "U1", ann)
      yield* link(served, "U2", bob)
      yield* talk(served, "U1", "Answer 1", "direct U1")
      for (const to of [{ user_id: "ann" }, { sender: "U1" }, { thread: "direct U1" }]) {
        failed(yield* send(served, { to, text: "From Bob" }, bob), 404, "NOT_FOUND")
        const id = accepted(yield* send(served, { to, text: "From Ann" }, ann))
        accepted(yield* send(served, { to, text: "From an admin" }, root))
        const message = { path: `${path}/messages/${id}` }
        assert.strictEqual((yield* call(served.server, message, ann)).status, 200)
        failed(yield* call(served.server, message, bob), 404, "NOT_FOUND")
      }
      failed(yield* send(served, { to: { sender: "U9" }, text: "From Ann" }, ann), 404, "NOT_FOUND")
      yield* passing(
        served.platform.until(() => served.platform.texts().filter((text) => text.startsWith("From")).length === 6)
      )
      assert.notInclude(served.platform.texts(), "From Bob")
    }))

  it.effect("too many messages that wait are refused", () =>
    Effect.gen(function*() {
      const room = { perThread: 2, perSender: 2, perChannel: 2 }
      const served = yield* serving({ channelLimits: { room } })
      yield* talk(served, "U1", "Answer 1")
      served.platform.failNext(...Array.from({ length: 50 }, () => ({ reason: "unauthorized" as const })))
      for (const text of ["1", "2"]) accepted(yield* send(served, { to: { thread: "T1" }, text }))
      failed(yield* send(served, { to: { thread: "T1" }, text: "3" }), 429, "TOO_MANY_REQUESTS")
    }))
})

describe("messages of authors, and runs that the service starts", () => {
  const notify = Tool.make({
    name: "notify",
    parameters: Schema.Struct({}),
    effects: "idempotent",
    execute: async (_, { effectId, enqueue }) => {
      await enqueue(message, { text: "From a tool", key: effectId })
      return "sent"
    }
  })

  const turns = [[Script.toolCall("notify", {}, "call_1")], [Script.text("Notified")]]

  /** A service whose agent writes by its tool. */
  const notifying = Effect.fnUntraced(function*(channel: Partial<Channel.Options> = { access: { type: "open" } }) {
    const { model } = yield* Script.make(turns)
    const options = { agents: [Agent.make({ id: "desk", model, tools: [notify] })], authorization: yield* closed }
    return yield* serving(options, channel)
  })

  it.effect("a tool writes into the conversation that has the session of its run", () =>
    Effect.gen(function*() {
      const served = yield* notifying()
      yield* talk(served, "U1", "Notified")
      yield* shown(served, "From a tool")
      assert.sameMembers(served.platform.messages.map(({ text, thread }) => `${thread}: ${text}`), [
        "T1: Notified",
        "T1: From a tool"
      ])
    }))

  it.effect("a tool of a run without a conversation writes to the linked account of its user", () =>
    Effect.gen(function*() {
      const served = yield* notifying({})
      const ann = yield* token("ann", ...running)
      yield* link(served, "U1", ann)
      const init = { method: "POST", body: new URLSearchParams({ message: "Go", stream: "false" }) }
      const run = yield* call(served.server, { path: "/agents/desk/runs", init }, ann)
      assert.strictEqual(at(run.json, "content"), "Notified", run.text)
      yield* shown(served, "From a tool")
      assert.strictEqual(served.platform.messages.at(-1)?.thread, "direct U1")
    }))

  it.effect("the result of a background task is written into the conversation that has started it", () =>
    Effect.gen(function*() {
      const analyst = Agent.make({ id: "analyst", model: (yield* Script.make([[Script.text("42")]])).model })
      const { model } = yield* Script.make([
        [Script.toolCall("analyst", { task: "Count" }, "call_1")],
        [Script.text("I am counting")],
        [Script.text("There are 42")]
      ])
      const desk = Agent.make({
        id: "desk",
        model,
        tools: [ComponentTool.make({ component: analyst, name: "analyst", background: true })]
      })
      const served = yield* serving({ agents: [desk, analyst] })
      yield* talk(served, "U1", "I am counting")
      yield* shown(served, "There are 42")
      assert.deepStrictEqual(served.platform.messages.map(({ text, thread }) => `${thread}: ${text}`), [
        "T1: I am counting",
        "T1: There are 42"
      ])
    }))

  it.effect("a schedule in the session of a conversation writes its answer there", () =>
    Effect.gen(function*() {
      const served = yield* serving({}, {})
      yield* link(served, "U1")
      yield* talk(served, "U1", "Answer 1", "direct U1")
      const [session] = list((yield* get(served.server, "/sessions?type=agent")).json, "data")
      const payload = { message: "Report", session_id: at(session, "session_id"), user_id: "ann" }
      const made = yield* post(served.server, "/schedules", {
        name: "report",
        cron_expr: "@yearly",
        endpoint: "/agents/desk/runs",
        payload
      })
      const trigger = post(served.server, `/schedules/${String(at(made.json, "id"))}/trigger`, {})
      assert.deepInclude((yield* passing(trigger)).json as object, { status: "success" })
      yield* shown(served, "Answer 2")
      assert.strictEqual(served.platform.messages.at(-1)?.thread, "direct U1")
    }))
})
