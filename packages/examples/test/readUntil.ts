import { Effect } from "effect"

/** Reads a stream until it contains `wanted`. `rest` reads it to its end and gives the whole. */
export const readUntil = Effect.fnUntraced(function*(response: Response, wanted: string) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let stream = ""
  const read = Effect.map(Effect.promise(() => reader.read()), ({ done, value = "" }) => {
    stream += value
    return done
  })
  yield* Effect.repeat(read, { until: (done) => done || stream.includes(wanted) })
  return { stream: () => stream, rest: Effect.map(Effect.repeat(read, { until: (done) => done }), () => stream) }
})
