// The chunks of a fetched content, stored as its body: a later attempt has them without fetching again, and embeds only
// chunks that are not stored. A line for each, in turns: encoding a large content at once would stop the event loop.
import { Effect, Option, Schema } from "effect"
import * as Knowledge from "./Knowledge.ts"

const Line = Schema.fromJsonString(Knowledge.Chunk)
const encodeLine = Schema.encodeSync(Line)
const decodeLine = Schema.decodeOption(Line)

/** Characters of texts that are encoded in one turn. */
const turn = 256 * 1024

const lineFeed = 10

export const encode = Effect.fnUntraced(function*(chunks: ReadonlyArray<Knowledge.Chunk>) {
  const [encoder, lines] = [new TextEncoder(), [] as Array<Uint8Array>]
  let [bytes, since] = [0, 0]
  for (const chunk of chunks) {
    const line = encoder.encode(`${encodeLine(chunk)}\n`)
    lines.push(line)
    bytes += line.length
    since += line.length
    if (since < turn) continue
    since = 0
    yield* Effect.yieldNow
  }
  const body = new Uint8Array(bytes)
  let place = 0
  for (const line of lines) {
    body.set(line, place)
    place += line.length
  }
  return body
})

/** None: the stored body is something else. */
export const decode = Effect.fnUntraced(function*(body: Uint8Array) {
  const [decoder, chunks] = [new TextDecoder(), [] as Array<Knowledge.Chunk>]
  let [start, since] = [0, 0]
  while (start < body.length) {
    const end = body.indexOf(lineFeed, start)
    const chunk = end < 0 ? Option.none<Knowledge.Chunk>() : decodeLine(decoder.decode(body.subarray(start, end)))
    if (Option.isNone(chunk)) return Option.none<ReadonlyArray<Knowledge.Chunk>>()
    chunks.push(chunk.value)
    since += end - start
    start = end + 1
    if (since < turn) continue
    since = 0
    yield* Effect.yieldNow
  }
  return Option.liftPredicate((all: ReadonlyArray<Knowledge.Chunk>) => all.length > 0)(chunks)
})
