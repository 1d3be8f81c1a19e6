// Releases the runs that wait in their sessions for runs of other nodes, when this node stops: how long they would wait
// is unknown, and their callers would hold the stop. Another node acquires them at once.
import type * as Run from "@svc-runtime/domain/Run"
import { Effect, Fiber } from "effect"
import * as Execution from "../engine/Execution.ts"
import type { RunLeases } from "../store/RunLeases.ts"
import type { SessionQueue } from "./SessionQueue.ts"

export interface Options {
  readonly runs: Pick<RunLeases["Service"], "postpone">
  readonly executing: ReadonlyMap<Run.Id, Execution.Execution>
  readonly queue: Pick<SessionQueue, "isQueued">
}

const sessionOf = ({ command: { session_id } }: Execution.Execution) => session_id

export const make = ({ executing, queue, runs }: Options): Effect.Effect<void> => {
  const release = (execution: Execution.Execution) =>
    Effect.suspend(() => {
      const { attempt, fiber, run_id } = execution
      // it may have begun while others were released
      if (!queue.isQueued(run_id)) return Effect.void
      return Execution.giveUp(execution, "stopping").pipe(
        Effect.andThen(fiber === undefined ? Effect.void : Fiber.await(fiber)),
        // a failed release is repeated when the engine closes and releases all runs
        Effect.andThen(runs.postpone({ run_id, attempt, seconds: 0 })),
        Effect.ignoreCause
      )
    })

  return Effect.suspend(() => {
    const executions = [...executing.values()]
    const [waiting, begun] = [[], []] as [Array<Execution.Execution>, Array<Execution.Execution>]
    for (const execution of executions) (queue.isQueued(execution.run_id) ? waiting : begun).push(execution)
    const own = new Set(begun.map(sessionOf))
    const behindOthers = waiting.filter((execution) => !own.has(sessionOf(execution)))
    return Effect.forEach(behindOthers, release, { concurrency: 8, discard: true })
  })
}
