// The body of a response while it comes.
import { assert } from "@effect/vitest"
import { Effect } from "effect"

/** Reads a response piece by piece, as it comes. */
export const reading = (response: Response) => {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const next = Effect.promise(() => reader.read())
  const until = Effect.fnUntraced(function*(wanted: string) {
    let text = ""
    while (!text.includes(wanted)) {
      const { done, value } = yield* next
      if (done) return assert.fail(`the stream ended without ${wanted}: ${text}`)
      text += value
    }
    return text
  })
  const rest = Effect.gen(function*() {
    let text = ""
    for (;;) {
      const { done, value } = yield* next
      if (done) return text
      text += value
    }
  })
  return { until, rest }
}
