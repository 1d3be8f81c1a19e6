// Texts that a provider has cut within a character.
import { assert, describe, it } from "@effect/vitest"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { event } from "@svc-runtime/test-support/wire/WireServer"
import { Effect } from "effect"
import * as AiSdkParts from "../src/AiSdkParts.ts"
import { ModelCatalog } from "../src/ModelCatalog.ts"
import { streamed } from "./Asking.ts"

const chunk = (delta: object, finish_reason: string | null = null) =>
  event({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })

/** The pieces of text and reasoning of a stream. */
const streamOf = Effect.fnUntraced(function*(deltas: ReadonlyArray<object>) {
  const server = yield* OpenAiChat.make
  const all = [...deltas.map((delta) => chunk(delta)), chunk({}, "stop")]
  yield* server.script(Reply.raw(`${all.join("")}data: [DONE]\n\n`, "text/event-stream"))
  const model = yield* Effect.provide(
    Effect.flatMap(ModelCatalog, (catalog) => catalog.resolve("openai-compatible:m")),
    ModelCatalog.layer({ openaiBaseUrl: server.url })
  )
  const parts = yield* streamed(model)
  return parts.flatMap((part) => part.type === "text-delta" || part.type === "reasoning-delta" ? [part.delta] : [])
})

const pieces = (field: "content" | "reasoning_content", sent: ReadonlyArray<string>) =>
  streamOf([...sent.map((text) => ({ [field]: text })), { content: "." }])

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

  it.effect.each(["content", "reasoning_content"] as const)(
    "half a character is replaced wherever it is in %s",
    (field) =>
      Effect.gen(function*() {
        for (const sent of [["\ude00b"], ["a", "\ude00", "b"], ["a\ud83d b", "c\ude00d"], ["\ude00\ud83d", "\ude00"]]) {
          const text = (yield* pieces(field, sent)).join("")
          assert.strictEqual(text, `${sent.join("").toWellFormed()}.`)
        }
      })
  )

  it.effect("the halves of a character around a thought are replaced", () =>
    Effect.gen(function*() {
      const text = (yield* streamOf([{ content: "a\ud83d" }, { reasoning_content: "t" }, { content: "\ude00b" }])).join(
        ""
      )
      assert.isTrue(text.isWellFormed())
      assert.strictEqual(text.replaceAll("\ufffd", ""), "atb")
    }))

  it("halves of characters in arguments of tools are replaced, and whole ones are not", () => {
    const paramsOf = (input: string) =>
      AiSdkParts.fromContent(
        { type: "tool-call", toolCallId: "c", toolName: "t", input },
        new Set(["t"])
      ).map((part) => part.type === "tool-call" ? part.params : undefined)
    const escaped = String.raw`{"a":"x\ud83d y","b":"\ud83d\ude00\ude00","\uDE00":"\\ud83d \n"}`
    assert.deepStrictEqual(paramsOf(escaped), [{ a: "x\ufffd y", b: "😀\ufffd", "\ufffd": String.raw`\ud83d ` + "\n" }])
    assert.deepStrictEqual(paramsOf(`{"a":"x\ud83d"}`), [{ a: "x\ufffd" }])
  })
})
