// An embedder of tests: texts about the same topic have similar vectors, also if they share no word.
import type { Embedder } from "@svc-runtime/models"
import { Effect } from "effect"
import { AiError } from "effect/ai"

const topics = [["tea", "coffee", "drink"], ["violin", "concert", "music"], ["train", "plane", "travel"]]

export interface Options {
  readonly id?: string
  /** Precedes each call, with the texts of the call. */
  readonly before?: (texts: ReadonlyArray<string>) => Effect.Effect<void, AiError.AiError>
}

/** One number for each topic. A text without a topic has a vector of zeros, which cannot be used. */
const embed = (text: string): Float32Array =>
  Float32Array.from(topics, (words) => words.some((word) => text.toLowerCase().includes(word)) ? 1 : 0)

export const make = ({ before = () => Effect.void, id = "test:topics" }: Options = {}): Embedder.Embedder => ({
  id,
  dimensions: topics.length,
  maxPerCall: 100,
  embedMany: (texts) => Effect.as(before(texts), texts.map(embed))
})

const failure = (reason: AiError.AiErrorReason) => AiError.make({ module: "test", method: "embedMany", reason })

/** The provider refuses the request, whenever it is repeated. */
export const refused = failure(new AiError.InvalidRequestError({ description: "refused" }))

export const unavailable = failure(new AiError.RateLimitError({}))
