// Requests for runs of several components in turns, so that what disturbs the machine disturbs all of them alike.
import { formOf, run, type Scenario } from "./Load.ts"

export interface Runs {
  readonly name: string
  readonly path: string
}

export interface Options {
  readonly base: string
  /** As many as a prime number. The others are compared with the first. */
  readonly runs: ReadonlyArray<Runs>
  readonly fields: Readonly<Record<string, string>>
  readonly seconds: number
  /** Milliseconds that are not counted. */
  readonly warmUp: number
  readonly say: (line: string) => void
}

export const median = (all: ReadonlyArray<number>): number =>
  all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN

/**
 * Everyone as often as the others, and after each of the others as often as after any: a run is not done when it is
 * answered.
 */
const turnOf = (index: number, count: number) => {
  const cycle = Math.floor(index / count)
  return ((index % count) * (1 + cycle % Math.max(1, count - 1)) + cycle) % count
}

export const inTurns = async ({ base, fields, runs, say, seconds, warmUp }: Options) => {
  const totals = runs.map((): Array<number> => [])
  const started = performance.now()
  const scenario: Scenario = {
    connections: 1,
    seconds,
    warmUp,
    one: async (send, index) => {
      const at = turnOf(index, runs.length)
      const session_id = `s-${process.pid}-${started}-${index}`
      const answer = await send("POST", `${runs[at]?.path}/runs`, formOf({ ...fields, session_id }))
      if (performance.now() - started > warmUp) totals[at]?.push(answer.total)
      return answer
    },
    isGood: ({ text }) => text.includes("COMPLETED") || /(Run|Workflow)Completed/.test(text)
  }
  const { errors, firstError } = await run(base, scenario)
  if (errors > 0) say(`  ERRORS ${errors}: ${firstError}`)
  const [first = Number.NaN] = totals.map(median)
  for (const [at, { name }] of runs.entries()) {
    const own = median(totals[at] ?? [])
    say(
      `  ${name.padEnd(16)} ${String(totals[at]?.length).padStart(6)} runs  p50 ${own.toFixed(2)} ms  ` +
        `${(own / first).toFixed(3)} of the first  ${((own - first) * 1000).toFixed(0).padStart(5)} µs more`
    )
  }
}
