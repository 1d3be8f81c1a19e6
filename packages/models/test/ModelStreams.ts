// The streams and the usage of models that are not real.
import type { LanguageModelV4Usage } from "@ai-sdk/provider"

export const usage: LanguageModelV4Usage = {
  inputTokens: { total: 7.6, noCache: undefined, cacheRead: Number.NaN, cacheWrite: undefined },
  outputTokens: { total: 2, text: undefined, reasoning: undefined },
  raw: { audio_tokens: 3, left_out: undefined }
}

export const streamOf = <A>(parts: ReadonlyArray<A>): ReadableStream<A> =>
  new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    }
  })
