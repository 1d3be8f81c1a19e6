// Tries each point of a sample at which a node freezes, and then fails with all points that failed.
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Nodes from "./Nodes.ts"
import * as Progress from "./Progress.ts"

type At<A, E, R> = (nodes: Nodes.Nodes, point: A) => Effect.Effect<unknown, E, R>

/** Every point has the same nodes. */
export const through = Effect.fnUntraced(function*<A, E, R>(
  what: string,
  nodes: Nodes.Nodes,
  sample: ReadonlyArray<A>,
  at: At<A, E, R>
) {
  yield* all(what, sample, (point) => Progress.watched(nameOf(point), nodes.signs, at(nodes, point)))
})

/** Each point has nodes of its own. */
export const throughNew = Effect.fnUntraced(function*<A, E, R>(
  what: string,
  options: Nodes.Options,
  sample: ReadonlyArray<A>,
  at: At<A, E, R>
) {
  yield* all(what, sample, (point) =>
    Effect.scoped(Effect.gen(function*() {
      const nodes = yield* Nodes.make(options)
      return yield* Progress.watched(nameOf(point), nodes.signs, at(nodes, point))
    })))
})

const nameOf = (point: unknown): string => Array.isArray(point) ? point.join(", ") : String(point)

const all = Effect.fnUntraced(function*<A, E, R>(
  what: string,
  sample: ReadonlyArray<A>,
  at: (point: A) => Effect.Effect<unknown, E, R>
) {
  const failures: Array<string> = []
  for (const point of sample) {
    const exit = yield* Effect.exit(at(point))
    const end = exit._tag === "Success" && typeof exit.value === "string" ? exit.value : exit._tag
    process.stdout.write(`${what} frozen at ${nameOf(point)}: ${end}\n`)
    if (exit._tag === "Failure") failures.push(`${nameOf(point)}: ${String(exit.cause)}`)
  }
  assert.deepStrictEqual(failures, [])
})
