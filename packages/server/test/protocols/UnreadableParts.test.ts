// Parts of messages that cannot be read.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, post, serve } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"

const user = { id: "m", role: "user", parts: [{ type: "text", text: "hi" }] }

it.effect("a message of a chat or of AG-UI with a part that cannot be read is refused, and nothing is started", () =>
  Effect.gen(function*() {
    const { agent, script } = yield* plain
    const server = yield* serve({ agents: [agent] })
    for (const part of [{ type: "text" }, { type: "text", text: null }, { type: "picture", url: "x" }, {}]) {
      const parts = [{ type: "text", text: "hi" }, part]
      const chat = yield* post(server, "/agents/plain/chat", { id: "s", messages: [{ ...user, parts }] })
      const messages = [{ id: "m", role: "user", content: parts }]
      const agui = yield* post(server, "/agents/plain/agui", { threadId: "t", runId: "r", messages })
      for (const { json, status } of [chat, agui]) {
        assert.deepStrictEqual([status, at(json, "error_code")], [422, "VALIDATION_ERROR"], JSON.stringify(part))
      }
    }
    assert.lengthOf(yield* script.calls, 0)
    const parts = [...user.parts, { type: "data-page", data: 1 }]
    const { status } = yield* post(server, "/agents/plain/chat", { id: "s", messages: [{ ...user, parts }] })
    assert.strictEqual(status, 200)
  }))
