// Tries each point at which a node freezes, and then fails with all points that failed.
import { assert } from "@effect/vitest"
import type { ServiceProcess } from "@svc-runtime/test-support"
import { Effect, Schema } from "effect"
import * as Nodes from "./Nodes.ts"
import * as Points from "./Points.ts"
import * as Progress from "./Progress.ts"

/** Another node had taken the work over before, or the node ended: on a busy machine, heartbeats can be late. */
export class NotReached extends Schema.TaggedError<NotReached>()("NotReached", { output: Schema.String }) {}

/** The number of the trial makes the ids of its runs unique. */
type At<A, E, R> = (nodes: Nodes.Nodes, point: A, trial: number) => Effect.Effect<unknown, E, R>

const maxTrials = 5

/** Every point has the same nodes. */
export const through = Effect.fnUntraced(function*<A, E, R>(
  what: string,
  nodes: Nodes.Nodes,
  sample: ReadonlyArray<A>,
  at: At<A, E, R>
) {
  yield* all(
    what,
    sample,
    (point, trial) => Progress.watched(nameOf(point), nodes.signs, at(nodes, point, trial))
  )
})

/** Each point has nodes of its own. */
export const throughNew = Effect.fnUntraced(function*<A, E, R>(
  what: string,
  options: Nodes.Options,
  sample: ReadonlyArray<A>,
  at: At<A, E, R>
) {
  yield* all(what, sample, (point, trial) =>
    Effect.scoped(Effect.gen(function*() {
      const nodes = yield* Nodes.make(options)
      return yield* Progress.watched(nameOf(point), nodes.signs, at(nodes, point, trial))
    })))
})

/** Waits until one of the nodes says this, and gives the node. `ended` waits for the end of the work. */
export const reached = <A extends ServiceProcess.Launched, E>(
  nodes: ReadonlyArray<A>,
  text: string,
  ended: Effect.Effect<unknown, E>
) => {
  const saying = Effect.raceAllFirst(nodes.map((node) => Effect.as(node.saying(text), node)))
  const output = Effect.sync(() => nodes.map(({ stdout }) => stdout().slice(-4000)).join("\n"))
  const missed = ended.pipe(
    // the line may come just behind the end
    Effect.andThen(Effect.sleep("1 second")),
    Effect.andThen(output),
    Effect.flatMap((output) => Effect.fail(new NotReached({ output })))
  )
  return Effect.raceFirst(saying, missed)
}

/**
 * The calls that a node has begun for a run and that need its lease: a call that only reads does not. A call counts
 * when it begins, not when it arrives. No lease stops a request that a frozen node was about to send, and the run waits
 * for a person because of it.
 */
export const begun = ({ stdout }: ServiceProcess.Launched, run: string) => ({
  reserve: Points.begun(stdout(), "reserve", run),
  pay: Points.begun(stdout(), "pay", run)
})

const nameOf = (point: unknown): string => Array.isArray(point) ? point.join(", ") : String(point)

const isNotReached = (error: unknown): boolean => error instanceof NotReached

const all = Effect.fnUntraced(function*<A, E, R>(
  what: string,
  sample: ReadonlyArray<A>,
  at: (point: A, trial: number) => Effect.Effect<unknown, E, R>
) {
  const failures: Array<string> = []
  for (const point of sample) {
    let trial = 0
    const exit = yield* Effect.suspend(() => at(point, trial++)).pipe(
      Effect.retry({ while: isNotReached, times: maxTrials - 1 }),
      Effect.exit
    )
    const end = exit._tag === "Success" && typeof exit.value === "string" ? exit.value : exit._tag
    const trials = trial > 1 ? ` in trial ${trial}` : ""
    process.stdout.write(`${what} frozen at ${nameOf(point)}: ${end}${trials}\n`)
    if (exit._tag === "Failure") failures.push(`${nameOf(point)}: ${String(exit.cause)}`)
  }
  assert.deepStrictEqual(failures, [])
})
