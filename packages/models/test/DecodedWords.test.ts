import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AiError, LanguageModel, type Response } from "effect/ai"
import * as DecodedWords from "../src/DecodedWords.ts"
import { options } from "./Asking.ts"

type Encoded = Response.StreamPartEncoded

const finish: Encoded = { type: "finish", reason: "stop", usage: { inputTokens: {}, outputTokens: {} } }

const batches: ReadonlyArray<ReadonlyArray<Encoded>> = [
  [{ type: "response-metadata", id: "1", modelId: "m" }],
  [{ type: "reasoning-start", id: "r" }],
  [{ type: "reasoning-delta", id: "r", delta: "Hm" }],
  [{ type: "reasoning-delta", id: "r", delta: "", metadata: { own: { signature: "abc" } } }],
  [{ type: "reasoning-end", id: "r" }, { type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: "One" }],
  [{ type: "text-delta", id: "t", delta: " two" }, { type: "text-delta", id: "t", delta: " three" }],
  [{ type: "text-delta", id: "t", delta: " four", metadata: { own: { a: 1 } } }],
  [{ type: "text-delta", id: "t", delta: "" }],
  [{ type: "text-end", id: "t" }],
  [{ type: "tool-call", id: "c", name: "add", params: { a: 1, b: 2 } }]
]

const failure = AiError.make({
  module: "Test",
  method: "streamText",
  reason: new AiError.InternalProviderError({ description: "It is down" })
})

/** The parts, and the error after them. */
const read = Effect.fnUntraced(function*(
  parts: Stream.Stream<Encoded, AiError.AiError>,
  isAround: boolean
) {
  const model = yield* LanguageModel.make({
    generateText: () => Effect.succeed([]),
    streamText: () => DecodedWords.inner(parts)
  })
  const streamText = isAround ? DecodedWords.around(model.streamText) : model.streamText
  const seen: Array<Response.AnyPart> = []
  const exit = yield* Effect.exit(
    Stream.runForEach(streamText({ ...options, prompt: "Hi" }), (part) => Effect.sync(() => seen.push(part)))
  )
  return { seen, exit }
})

const streamOf = (all: ReadonlyArray<ReadonlyArray<Encoded>>) =>
  Stream.fromIterable(all).pipe(
    Stream.flatMap(Stream.fromIterable)
  )

describe("DecodedWords", () => {
  it.effect.each(
    [
      ["that ends", streamOf([...batches, [finish]])],
      ["that fails", Stream.concat(streamOf(batches), Stream.fail(failure))],
      ["that cannot be decoded", streamOf([...batches, [{ type: "text-delta", id: 7 } as never], [finish]])],
      ["that is empty", Stream.empty]
    ] as const
  )("the parts of a stream %s are the same as without it", ([, parts]) =>
    Effect.gen(function*() {
      const plain = yield* read(parts, false)
      const around = yield* read(parts, true)
      assert.deepStrictEqual(around.seen, plain.seen)
      assert.strictEqual(around.exit._tag, plain.exit._tag)
      assert.strictEqual(String(around.exit), String(plain.exit))
    }))
})
