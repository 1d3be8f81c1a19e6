// Words of an answer that go to the reader of a stream beside it. Nearly all parts of a stream are words: a stream with
// its fibers and the decoder of `effect/ai` cost more than everything else that happens to a word in this package. All
// other parts, and what is left of the words, go through the stream.
import { Context } from "effect"
import { Response } from "effect/ai"
import type { LanguageModel } from "effect/ai"

export type Word = Response.TextDeltaPart | Response.ReasoningDeltaPart

type Encoded = Response.StreamPartEncoded

export type EncodedWord = Response.TextDeltaPartEncoded | Response.ReasoningDeltaPartEncoded

/**
 * Called with the next words of the answer while the reader waits for the next part of the stream. Returns false if
 * it has taken none of them, or does not want the rest of them: the stream then has all of them.
 */
export type TakeWords = (words: ReadonlyArray<Word>) => boolean

interface Listening {
  /** The model that the reader has asked. Models that this one asks have readers of their own. */
  readonly model: Pick<LanguageModel.LanguageModel, "streamText">
  readonly take: TakeWords
}

export const WordListener = Context.Reference<Listening | undefined>("@svc-runtime/models/WordListener", {
  defaultValue: () => undefined
})

/** Clients that authors choose can make parts that are not as they declare. */
const isWord = (part: Encoded): part is EncodedWord =>
  (part.type === "text-delta" || part.type === "reasoning-delta") && part.metadata === undefined &&
  typeof part.delta === "string" && typeof part.id === "string"

/** As they would be decoded. Undefined if others are among them. */
export const decoded = (parts: ReadonlyArray<Encoded>): ReadonlyArray<Word> | undefined =>
  parts.every(isWord) ? parts.map(({ delta, id, type }) => Response.makePart(type, { id, delta })) : undefined
