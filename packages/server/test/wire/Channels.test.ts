// Channels on the wire: what people write on a platform starts runs, and what the runs say is written there once.
import { assert, describe, it } from "@effect/vitest"
import * as Channel from "@svc-runtime/channels/Channel"
import * as Agent from "@svc-runtime/features/Agent"
import * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { ask, at, failed, get, list, serve } from "../Wire.ts"
import { passing } from "./ScheduleTime.ts"

const { delivery } = MemoryPlatform

const path = "/channels/chat/events"

/** Time passes until the platform shows what is wanted. */
const until = (platform: MemoryPlatform.MemoryPlatform, isWanted: () => boolean) => passing(platform.until(isWanted))

const serving = Effect.fnUntraced(function*(
  turns: Parameters<typeof Script.make>[0],
  { channel = {}, platform = MemoryPlatform.make(), ...options }: TestServer.Options & {
    readonly channel?: Partial<Channel.Options>
    readonly platform?: MemoryPlatform.MemoryPlatform
  } = {}
) {
  const model = yield* Script.make(turns)
  const server = yield* serve({
    agents: [Agent.make({ id: "desk", model: model.model })],
    declared: {
      channels: [
        Channel.make({ id: "chat", agent: "desk", access: { type: "open" }, ...channel }, platform.adapter)
      ]
    },
    ...options
  })
  return { model, platform, server }
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
})
