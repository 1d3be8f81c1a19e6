// Ends a test in which nothing moves any more. How long that may be is counted in looks and in heartbeats of the nodes,
// never in seconds of a test as a whole: a slow machine makes all of it slower, and fails nothing.
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"

export class Stuck extends Schema.TaggedError<Stuck>()("Stuck", { what: Schema.String, seen: Schema.String }) {
  override get message() {
    return `${this.what}: nothing moves any more. Last seen:\n${this.seen}`
  }
}

export interface Signs {
  /** Changes whenever a run makes progress. */
  readonly runs: Effect.Effect<string>
  /** Changes with each heartbeat of a node. Where there are none, each look counts. */
  readonly heartbeats?: Effect.Effect<string> | undefined
}

/**
 * A node beats four times within its timeout. This is many of these timeouts, and longer than repeating jobs, retries
 * and the transaction of a frozen node let others wait, also where each look sees the heartbeat of one of three nodes.
 */
const maxHeartbeats = 400

/** About two minutes without any sign of life, on a machine that does nothing else. */
const maxChecks = 480

const ended = Effect.fnUntraced(function*(what: string, { heartbeats = Effect.succeed(""), runs }: Signs) {
  let [seen, beat] = [yield* runs, yield* heartbeats]
  let [looks, beats] = [0, 0]
  while (looks < maxChecks && beats < maxHeartbeats) {
    yield* Effect.sleep("250 millis")
    const [nextRuns, nextBeat] = [yield* runs, yield* heartbeats]
    if (nextRuns !== seen) [looks, beats] = [0, 0]
    else if (nextBeat !== beat) [looks, beats] = [0, beats + 1]
    else looks++
    ;[seen, beat] = [nextRuns, nextBeat]
  }
  return yield* new Stuck({ what, seen: seen.slice(-4000) })
})

/** What the processes have logged, without lines of requests, which a test that polls repeats, and the calls made. */
export const ofOutput = (outputs: ReadonlyArray<() => string>, calls: ReadonlyArray<unknown> = []): Signs => ({
  runs: Effect.sync(() => {
    const lines = outputs.flatMap((output) => output().split("\n"))
    return [...lines.filter((line) => !line.includes(`"part":"http"`)), `calls ${calls.length}`].join("\n")
  })
})

/**
 * The processor time of a process, in steps of a tenth of a second. Where a machine is busy, a process that starts says
 * nothing for minutes. Empty on other systems than Linux.
 */
export const processorTime = (pid: number): string => {
  try {
    // behind the name, which can contain anything: the 12th and the 13th field, in hundredths of a second
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ")
    return String(Math.floor((Number(fields[11]) + Number(fields[12])) / 10))
  } catch {
    return ""
  }
}

/** `effect`, or the end of it when nothing moves any more. */
export const watched = <A, E, R>(what: string, signs: Signs, effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(effect, ended(what, signs))
