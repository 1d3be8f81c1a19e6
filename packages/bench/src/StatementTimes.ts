// How long statements take, one after the other, as a line for each.
import { Effect } from "effect"

const repetitions = 500
const warmUp = 100

export const say = (line: string) => process.stdout.write(`${line}\n`)

export const measure = Effect.fnUntraced(function*<E>(
  name: string,
  statement: (index: number) => Effect.Effect<unknown, E>,
  count = repetitions
) {
  const times: Array<number> = []
  for (let index = 0; index < count; index++) {
    const start = performance.now()
    yield* statement(index)
    times.push(performance.now() - start)
  }
  const sorted = times.slice(Math.min(warmUp, count / 5)).sort((left, right) => left - right)
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(2).padStart(8)
  say(`${name.padEnd(48)} fastest tenth below ${at(0.1)} ms, median ${at(0.5)} ms, 95 % below ${at(0.95)} ms`)
})
