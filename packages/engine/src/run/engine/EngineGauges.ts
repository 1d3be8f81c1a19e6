// The gauges of an engine.
import type { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Effect } from "effect"
import type { SessionQueue } from "../queue/SessionQueue.ts"

interface Observed {
  readonly executing: ReadonlyMap<unknown, unknown>
  readonly queue: SessionQueue
}

/** Until the scope is closed. */
export const observe = ({ observe }: Instruments, { executing, queue }: Observed) =>
  Effect.acquireRelease(
    Effect.sync(() => [
      observe("svc_runs_held", "Runs whose leases this node holds, executing or queued", () => executing.size),
      observe("svc_runs_queued", "Runs of this node that wait in their session queues", () => queue.waiting().length)
    ]),
    (removals) => Effect.sync(() => removals.forEach((remove) => remove()))
  )
