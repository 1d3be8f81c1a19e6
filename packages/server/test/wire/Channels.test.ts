// Channels on the wire: what people write on a platform starts runs, and what the runs say is written there once.
import { assert, describe, it } from "@effect/vitest"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as Agent from "@svc-runtime/features/Agent"
import * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, at, failed, get, list } from "../Wire.ts"
import * as Chatting from "./Chatting.ts"
import { passing } from "./ScheduleTime.ts"

Tier.oneIn(4)

const { delivery } = MemoryPlatform
const { path, until } = Chatting

const serving = Effect.fnUntraced(function*(turns: Parameters<typeof Script.make>[0], options: Chatting.Options = {}) {
  const model = yield* Script.make(turns)
  const chatting = yield* Chatting.chatting({ agents: [Agent.make({ id: "desk", model: model.model })], ...options })
  return { model, ...chatting }
})

describe("channels", () => {
  it.effect("a message starts a run, and its words are written into the conversation", () =>
    Effect.gen(function*() {
      const { platform, server } = yield* serving([[Script.text("Hello "), Script.text("Ann!")]])
      const answer = yield* ask(server, path, delivery({ id: "E1", text: "Hi" }))
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.text, "ok")
      yield* until(platform, () => platform.texts().includes("Hello Ann!"))
      assert.deepStrictEqual(platform.texts(), ["Hello Ann!"])
      const sessions = yield* get(server, "/sessions?type=agent")
      const [session] = list(sessions.json, "data")
      assert.strictEqual(at(session, "session_name"), "Hi")
      assert.deepStrictEqual(at(session, "metadata"), { channel: { id: "chat", platform: "memory", thread: "T1" } })
      const session_id = String(at(session, "session_id"))
      const runs = yield* get(server, `/agents/desk/runs?session_id=${session_id}`)
      const [run] = list(runs.json)
      assert.deepInclude(at(list(run, "events").at(-1), "metadata") as object, {
        channel: { id: "chat", platform: "memory", thread: "T1", sender: { id: "U1", name: "Name of U1" } }
      })
      assert.strictEqual(at(run, "user_id"), "__channel__:chat:U1")
    }))

  it.effect("an event that is delivered again is acknowledged, and answered once", () =>
    Effect.gen(function*() {
      const { model, platform, server } = yield* serving([[Script.text("One")], [Script.text("Two")]])
      for (const _ of [1, 2, 3]) {
        assert.strictEqual((yield* ask(server, path, delivery({ id: "E1", text: "1" }))).status, 200)
      }
      yield* ask(server, path, delivery({ id: "E2", text: "2" }))
      yield* until(platform, () => platform.texts().includes("Two"))
      assert.strictEqual((yield* ask(server, path, delivery({ id: "E1", text: "1" }))).status, 200)
      assert.deepStrictEqual(platform.texts(), ["One", "Two"])
      assert.strictEqual((yield* model.calls).length, 2)
    }))

  it.effect("messages of a conversation are answered in one session and in their order", () =>
    Effect.gen(function*() {
      const { platform, server } = yield* serving([1, 2, 3].map((number) => [Script.text(`Answer ${number}`)]))
      yield* ask(
        server,
        path,
        delivery(...[1, 2, 3].map((number) => ({ id: `E${number}`, text: `Question ${number}` })))
      )
      yield* until(platform, () => platform.texts().includes("Answer 3"))
      assert.deepStrictEqual(platform.texts(), ["Answer 1", "Answer 2", "Answer 3"])
      assert.strictEqual(list((yield* get(server, "/sessions?type=agent")).json, "data").length, 1)
    }))

  it.effect("the agent reads what a message is about before its text", () =>
    Effect.gen(function*() {
      const { model, platform, server } = yield* serving([[Script.text("Oil it")]])
      yield* ask(server, path, delivery({ id: "E1", text: "Why?", about: "> The lamp is dark" }))
      yield* until(platform, () => platform.texts().includes("Oil it"))
      assert.include(JSON.stringify((yield* model.calls)[0]?.prompt), "> The lamp is dark\\n\\nWhy?")
    }))

  it.effect("a request that the platform has not signed is refused, and nothing is stored", () =>
    Effect.gen(function*() {
      const { model, server } = yield* serving([])
      const forged = { ...delivery({ id: "E1", text: "Hi" }), headers: { "x-secret": "wrong" } }
      failed(yield* ask(server, path, forged), 401, "UNAUTHENTICATED")
      failed(yield* ask(server, "/channels/none/events", delivery({ id: "E1" })), 404, "NOT_FOUND")
      failed(yield* ask(server, path, delivery({ id: "" })), 400, "BAD_REQUEST")
      failed(yield* ask(server, path, delivery({ id: "x".repeat(201) })), 400, "BAD_REQUEST")
      failed(
        yield* ask(server, path, { ...delivery({ id: "E2" }), body: "x".repeat(1024 * 1024 + 1) }),
        413,
        "PAYLOAD_TOO_LARGE"
      )
      assert.strictEqual((yield* model.calls).length, 0)
    }))

  it.effect("a platform that verifies the address gets its challenge", () =>
    Effect.gen(function*() {
      const { server } = yield* serving([])
      const { headers } = delivery()
      const answer = yield* ask(server, `${path}?challenge=42`, { headers: headers! })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.text, "42")
    }))

  it.effect("a long answer is written in parts", () =>
    Effect.gen(function*() {
      const platform = MemoryPlatform.make({ limits: { text: 4 } })
      const { server } = yield* serving([[Script.text("aaaabbbbcc")]], { platform })
      yield* ask(server, path, delivery({ id: "E1", text: "Hi" }))
      yield* until(platform, () => platform.texts().includes("cc"))
      assert.deepStrictEqual(platform.texts(), ["aaaa", "bbbb", "cc"])
    }))

  it.effect("an adapter that fails in one conversation harms no other one, and its next messages are answered", () =>
    Effect.gen(function*() {
      const platform = MemoryPlatform.make()
      const { adapter } = platform
      const split = (text: string) => {
        if (text.includes("poison")) throw new Error("I cannot split this")
        return adapter.split(text)
      }
      const turns = [[Script.text("poison")], [Script.text("Two")], [Script.text("Three")]]
      const { model, send } = yield* serving(turns, { platform: { ...platform, adapter: { ...adapter, split } } })
      yield* send({ id: "E1", text: "1" })
      yield* passing(Effect.repeat(model.calls, { until: (calls) => calls.length === 1 }))
      yield* send({ id: "E2", text: "2", thread: "T2" })
      yield* until(platform, () => platform.messages.some(({ text, thread }) => text === "Two" && thread === "T2"))
      yield* send({ id: "E3", text: "3" })
      yield* until(platform, () => platform.messages.some(({ text, thread }) => text === "Three" && thread === "T1"))
    }))

  it.effect("a message at which node after node has ended is given up, and the next one is answered", () =>
    Effect.gen(function*() {
      const database = (stores: Database): Database => {
        const acquire: typeof stores.jobs.acquire = (acquisition) =>
          Effect.map(
            stores.jobs.acquire(acquisition),
            (acquired) => acquired.map((job) => job.kind === "channel_thread" ? { ...job, attempts: 11 } : job)
          )
        return { ...stores, jobs: { ...stores.jobs, acquire } }
      }
      const { platform, says, send } = yield* serving([[Script.text("Two")]], { database })
      yield* send({ id: "E1", text: "1" }, { id: "E2", text: "2" })
      yield* says("Two")
      assert.deepStrictEqual(platform.texts(), ["Something went wrong, and I could not finish.", "Two"])
    }))

  it.effect("a message to a component that is gone is answered with a sentence, and so is the next one", () =>
    Effect.gen(function*() {
      const { platform, send } = yield* serving([], { channel: { agent: "gone" } })
      yield* send({ id: "E1", text: "1" }, { id: "E2", text: "2" })
      // a node that has the component could start in the meantime
      yield* TestClock.adjust("10 minutes")
      yield* until(platform, () => platform.messages.length === 2)
      const text = "I am not available at the moment. Please try again later."
      assert.deepStrictEqual(platform.texts(), [text, text])
    }))
})
