// Releases the runs that wait in their sessions for runs of other nodes, when this node stops: how long they would wait
// is unknown, and their callers would hold the stop. Another node acquires them at once.
import { Context, Effect, Fiber, Layer } from "effect"
import * as Execution from "../engine/Execution.ts"
import { Executions } from "../engine/Executions.ts"
import { RunLeases } from "../store/RunLeases.ts"
import { SessionQueue } from "./SessionQueue.ts"

const sessionOf = ({ command: { session_id } }: Execution.Execution) => session_id

export class QueueRelease extends Context.Service<QueueRelease, {
  readonly releaseQueued: Effect.Effect<void>
}>()("@svc-runtime/engine/run/queue/QueueRelease") {
  static readonly layer: Layer.Layer<QueueRelease, never, Executions | RunLeases | SessionQueue> = Layer.effect(
    QueueRelease,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function*() {
  const [leases, queue, { executing }] = [yield* RunLeases, yield* SessionQueue, yield* Executions]

  const release = (execution: Execution.Execution) =>
    Effect.suspend(() => {
      const { attempt, fiber, run_id } = execution
      // it may have begun while others were released
      if (!queue.isQueued(run_id)) return Effect.void
      return Execution.giveUp(execution, "stopping").pipe(
        Effect.andThen(fiber === undefined ? Effect.void : Fiber.await(fiber)),
        // a failed release is repeated when the engine closes and releases all runs
        Effect.andThen(leases.postpone({ run_id, attempt, seconds: 0 })),
        Effect.ignoreCause
      )
    })

  const releaseQueued = Effect.suspend(() => {
    const executions = [...executing.values()]
    const [waiting, begun] = [[], []] as [Array<Execution.Execution>, Array<Execution.Execution>]
    for (const execution of executions) (queue.isQueued(execution.run_id) ? waiting : begun).push(execution)
    const own = new Set(begun.map(sessionOf))
    const behindOthers = waiting.filter((execution) => !own.has(sessionOf(execution)))
    return Effect.forEach(behindOthers, release, { concurrency: 8, discard: true })
  })

  return QueueRelease.of({ releaseQueued })
})
