// Texts that a provider has cut within a character.
import { assert, describe, it } from "@effect/vitest"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { event } from "@svc-runtime/test-support/wire/WireServer"
import { Effect } from "effect"
import { ModelCatalog } from "../src/ModelCatalog.ts"
import { streamed } from "./Asking.ts"

const chunk = (delta: object, finish_reason: string | null = null) =>
  event({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })

/** The pieces of text or reasoning, of a stream with these pieces. */
const pieces = Effect.fnUntraced(function*(field: "content" | "reasoning_content", sent: ReadonlyArray<string>) {
  const server = yield* OpenAiChat.make
  const all = [...sent.map((text) => chunk({ [field]: text })), chunk({ content: "." }), chunk({}, "stop")]
  yield* server.script(Reply.raw(`${all.join("")}data: [DONE]\n\n`, "text/event-stream"))
  const model = yield* Effect.provide(
    Effect.flatMap(ModelCatalog, (catalog) => catalog.resolve("openai-compatible:m")),
    ModelCatalog.layer({ openaiBaseUrl: server.url })
  )
  const parts = yield* streamed(model)
  return parts.flatMap((part) => part.type === "text-delta" || part.type === "reasoning-delta" ? [part.delta] : [])
})

describe("WholeCharacters", () => {
  it.effect.each(["content", "reasoning_content"] as const)(
    "a character that is cut in %s arrives whole",
    (field) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* pieces(field, ["a\ud83d", "\ude00b"]), ["a", "😀b", "."])
        assert.deepStrictEqual(yield* pieces(field, ["\ud83d", "\ude00", "\ud83d", "\ude00"]), ["😀", "😀", "."])
        assert.deepStrictEqual(yield* pieces(field, ["a😀", "b"]), ["a😀", "b", "."])
      })
  )

  it.effect.each(["content", "reasoning_content"] as const)(
    "half a character without the other is replaced in %s",
    (field) =>
      Effect.gen(function*() {
        const text = (yield* pieces(field, ["a\ud83d", "b", "c\ud83d"])).join("")
        assert.strictEqual(text, "a\ufffdbc\ufffd.")
      })
  )
})
