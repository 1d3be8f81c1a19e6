// The model of all benchmarks: `Hello from a fixed model.` in six chunks without delays, without tools, and always with
// the same usage. It implements the service directly instead of through `LanguageModel.make`, because decoding its own
// constant answer would be most of the cost that is measured elsewhere.
import { Effect, Layer, Stream } from "effect"
import { AiError, LanguageModel, Response } from "effect/ai"
import type { Model } from "./Model.ts"

export const name = { id: "fixed", name: "FixedModel", provider: "Fixed" } as const

const chunks = ["Hello", " from", " a", " fixed", " model", "."]

const finish = Response.makePart("finish", {
  reason: "stop",
  usage: new Response.Usage({
    inputTokens: { uncached: 10, total: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 6, text: 6, reasoning: 0 }
  })
})

const streamed = Stream.fromArray([
  Response.makePart("text-start", { id: "0" }),
  ...chunks.map((delta) => Response.makePart("text-delta", { id: "0", delta })),
  Response.makePart("text-end", { id: "0" }),
  finish
])

// The signature of the service promises parts of the caller's own toolkit; these belong to every toolkit.
const generated: Effect.Effect<never> = Effect.succeed(
  new LanguageModel.GenerateTextResponse<{}>([Response.makePart("text", { text: chunks.join("") }), finish]) as never
)

const noObject = Effect.fail(AiError.make({
  module: "FixedModel",
  method: "generateObject",
  reason: new AiError.InvalidRequestError({ description: "The fixed model has no structured output" })
}))

const languageModel = LanguageModel.LanguageModel.of({
  [LanguageModel.TypeId]: LanguageModel.TypeId,
  generateText: () => generated,
  generateObject: () => noObject as never,
  streamText: () => streamed
})

export const model: Model = { ...name, languageModel }

export const layer: Layer.Layer<LanguageModel.LanguageModel> = Layer.succeed(LanguageModel.LanguageModel, languageModel)
