// Parts of messages that the API of OpenAI does not know.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, post, serve } from "../Wire.ts"
import { plain } from "../wire/Fixtures.ts"

describe("parts of an unknown type", () => {
  it.effect("a part whose type is the name of a property that each object has is refused by both endpoints", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* plain
      const server = yield* serve({ agents: [agent] })
      for (const type of ["constructor", "toString", "__proto__", "unknown"]) {
        const messages = [{ role: "user", content: [{ type, text: "hi" }] }]
        for (const [path, body] of [["chat/completions", { messages }], ["responses", { input: messages }]] as const) {
          const refused = yield* post(server, `/v1/${path}`, { model: "plain", ...body })
          assert.deepStrictEqual([refused.status, at(refused.json, "error", "code")], [400, "validation_error"], type)
        }
      }
      assert.deepStrictEqual(yield* script.calls, [])
    }))
})
