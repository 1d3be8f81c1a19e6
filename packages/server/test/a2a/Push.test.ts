// Push notifications of A2A: where the changes of a task are sent to, and what is sent.
import { assert, describe, it } from "@effect/vitest"
import { CheckFailed } from "@svc-runtime/agents/agent/define/Hook"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Redacted } from "effect"
import { at, column } from "../Wire.ts"
import { toolUser } from "../wire/Fixtures.ts"
import { mail } from "./Mail.ts"
import { holdingReceiver, receiver, silentReceiver } from "./Receivers.ts"
import * as Sdk from "./Sdk.ts"

Tier.oneIn(12)

const config = (url: string, more: object = {}) => ({
  tenant: "",
  taskId: "",
  id: "hook",
  url,
  token: "the-token",
  authentication: { scheme: "Bearer", credentials: "the-credentials" },
  ...more
})

const configured = (text: string, push: object, more: object = {}) =>
  ({
    ...(Sdk.message(text, more) as object),
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: push,
      historyLength: undefined,
      returnImmediately: true
    }
  }) as never

const stateIn = (body: unknown, version: "0.3" | "1.0") =>
  version === "1.0" ? at(body, "statusUpdate", "status", "state") : at(body, "status", "state")

const states = {
  "1.0": ["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED"],
  "0.3": ["working", "input-required", "completed"]
}

const fetch = { allow: ["127.0.0.1"] }
/** Tokens are stored sealed. */
const secretsKey = Redacted.make(Buffer.alloc(32, 1).toString("base64"))

describe.each(Sdk.dialects)("A2A $version on $binding", (dialect) => {
  it.live("each change of a task is sent in the version of the config, also after a pause", () =>
    Effect.gen(function*() {
      const { version } = dialect
      const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
      const agent = Agent.make({ id: "careful", name: "Careful", model: script.model, tools: [mail] })
      // one of the dialects shows that a failed request is sent again, which takes a second
      const { next, url: hook } = yield* receiver(dialect === Sdk.dialects[0] ? 1 : 0)
      const { url } = yield* TestServer.listen({ agents: [agent], fetch, secretsKey })
      const client = yield* Sdk.connect(`${url}/a2a/agents/careful`, dialect)
      const sent = yield* Effect.promise(() => client.sendMessage(configured("mail ann", config(hook))))
      const id = String(at(sent, "id"))
      const [working, paused, completed] = states[version]
      let first = yield* next
      if (stateIn(first.body, version) === working) first = yield* next
      assert.strictEqual(stateIn(first.body, version), paused)
      assert.strictEqual(first.headers["x-a2a-notification-token"], "the-token")
      assert.strictEqual(first.headers["authorization"], "Bearer the-credentials")
      assert.strictEqual(
        version === "1.0" ? "statusUpdate" : at(first.body, "kind"),
        version === "1.0" ? "statusUpdate" : "status-update"
      )
      yield* Effect.promise(() =>
        client.sendMessage(Sdk.message("yes", { taskId: id, contextId: at(sent, "contextId") }))
      )
      let last = yield* next
      if (stateIn(last.body, version) === working) last = yield* next
      assert.strictEqual(stateIn(last.body, version), completed)
    }))

  it.live("a task that is rejected is sent as rejected", () =>
    Effect.gen(function*() {
      const { version } = dialect
      const script = yield* Script.make([])
      const check = { name: "check", run: () => Effect.fail(new CheckFailed({ reason: "off_topic", message: "No" })) }
      const agent = Agent.make({ id: "strict", model: script.model, preHooks: [check] })
      const { next, url: hook } = yield* receiver()
      const { url } = yield* TestServer.listen({ agents: [agent], fetch, secretsKey })
      const client = yield* Sdk.connect(`${url}/a2a/agents/strict`, dialect)
      yield* Effect.promise(() => client.sendMessage(configured("hi", config(hook))))
      let last = yield* next
      if (stateIn(last.body, version) === states[version][0]) last = yield* next
      assert.strictEqual(stateIn(last.body, version), version === "1.0" ? "TASK_STATE_REJECTED" : "rejected")
    }))

  it.live("configs are stored, listed, read and removed, also of a task that has ended", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.text("Hello.")]])
      const agent = Agent.make({ id: "plain", name: "Plain", model: script.model })
      const { next, url: hook } = yield* receiver()
      const { url } = yield* TestServer.listen({ agents: [agent], fetch, secretsKey })
      const client = yield* Sdk.connect(`${url}/a2a/agents/plain`, dialect)
      const sent = yield* Effect.promise(() => client.sendMessage(Sdk.message("hi")))
      const taskId = String(at(sent, "id"))
      const push = config(hook, { taskId })
      const stored = yield* Effect.promise(() => client.createTaskPushNotificationConfig(push as never))
      assert.deepInclude(stored, { id: "hook", url: hook, token: "the-token" })
      yield* next
      const key = { tenant: "", taskId, id: "hook" }
      assert.deepInclude(yield* Effect.promise(() => client.getTaskPushNotificationConfig(key as never)), { url: hook })
      const page = { tenant: "", taskId, pageSize: 0, pageToken: "" }
      const list = () => Effect.promise(() => client.listTaskPushNotificationConfig(page as never))
      assert.deepStrictEqual(column((yield* list()).configs, "id"), ["hook"])
      yield* Effect.promise(() => client.deleteTaskPushNotificationConfig(key as never))
      assert.deepStrictEqual((yield* list()).configs, [])
    }))

  it.live("a private address is refused with a text that says so, and nothing is started", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const script = yield* Script.make([[Script.wait(gate)]])
      const agent = Agent.make({ id: "plain", name: "Plain", model: script.model })
      const { url } = yield* TestServer.listen({ agents: [agent] })
      const client = yield* Sdk.connect(`${url}/a2a/agents/plain`, dialect)
      for (const hook of ["http://127.0.0.1:1/", "http://localhost/", "http://10.0.0.1/"]) {
        const refused = yield* Effect.promise(() =>
          client.sendMessage(configured("hi", config(hook))).then(
            () => "",
            (error: Error) => error.message
          )
        )
        assert.match(refused, /is not an address of the public internet/)
      }
      assert.strictEqual((yield* script.calls).length, 0)
    }))
})

describe("many tasks", () => {
  it.live.runIf(Tier.isWhole)(
    "the end of a task is sent although more tasks than a node can wait for are still working",
    () =>
      Effect.gen(function*() {
        const hanging = yield* Script.make(Array.from({ length: 80 }, () => [Script.hang]))
        const { model } = yield* Script.make([[Script.text("Hello.")]])
        const agents = [Agent.make({ id: "slow", model: hanging.model }), Agent.make({ id: "quick", model })]
        const { next, url: hook } = yield* receiver()
        const { url } = yield* TestServer.listen({ agents, fetch })
        const client = yield* Sdk.connect(`${url}/a2a/agents/slow`, { version: "1.0", binding: "JSONRPC" })
        const start = (client: Effect.Success<ReturnType<typeof Sdk.connect>>) =>
          Effect.promise(() => client.sendMessage(configured("hi", config(hook))))
        yield* Effect.forEach(Array.from({ length: 80 }), () => start(client), { concurrency: 8 })
        for (let count = 0; count < 64; count++) yield* next
        const quick = yield* start(
          yield* Sdk.connect(`${url}/a2a/agents/quick`, { version: "1.0", binding: "JSONRPC" })
        )
        for (;;) {
          const { body } = yield* next
          if (at(body, "statusUpdate", "taskId") !== at(quick, "id")) continue
          if (stateIn(body, "1.0") === states["1.0"].at(-1)) break
        }
      })
  )

  it.live("changes that find all permits of their receiver taken are all sent when permits are free", () =>
    Effect.gen(function*() {
      const script = yield* Script.make(Array.from({ length: 14 }, () => [Script.text("Hello.")]))
      const { next, release, url: hook } = yield* holdingReceiver
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "quick", model: script.model })], fetch })
      const client = yield* Sdk.connect(`${url}/a2a/agents/quick`, { version: "1.0", binding: "JSONRPC" })
      const start = Effect.promise(() => client.sendMessage(configured("hi", config(hook))))
      yield* Effect.replicateEffect(start, 13, { concurrency: "unbounded" })
      const ended = new Set<unknown>()
      const received = Effect.map(next, (update) => {
        if (at(update, "status", "state") === states["1.0"].at(-1)) ended.add(at(update, "taskId"))
      })
      yield* Effect.replicateEffect(received, 8)
      yield* release
      yield* start
      yield* Effect.repeat(received, { until: () => ended.size === 14 })
    }))

  it.live("a receiver that does not respond keeps no change from another receiver", () =>
    Effect.gen(function*() {
      const script = yield* Script.make(Array.from({ length: 81 }, () => [Script.text("Hello.")]))
      const { next, url: hook } = yield* receiver()
      const silent = yield* silentReceiver
      const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "quick", model: script.model })], fetch })
      const client = yield* Sdk.connect(`${url}/a2a/agents/quick`, { version: "1.0", binding: "JSONRPC" })
      const start = (hook: string) => Effect.promise(() => client.sendMessage(configured("hi", config(hook))))
      yield* Effect.forEach(Array.from({ length: 80 }), () => start(silent), { concurrency: 8 })
      const last = yield* start(hook)
      for (;;) {
        const { body } = yield* next
        assert.strictEqual(at(body, "statusUpdate", "taskId"), at(last, "id"))
        if (stateIn(body, "1.0") === states["1.0"].at(-1)) break
      }
    }))
})
