// The gauges of jobs that are due and that no node executes. Each node counts its kinds regularly, so that no reader
// of the gauges waits for the database.
import { Instruments } from "@svc-runtime/telemetry/Instruments"
import { Effect } from "effect"
import type * as BackgroundLoops from "../node/BackgroundLoops.ts"
import type { JobStore } from "./JobStore.ts"

/** Of one kind. */
const maxCount = 1000

const interval = "15 seconds"

/** Until the scope is closed. Returns the loop that counts. */
export const observe = Effect.fnUntraced(function*({ countDue }: JobStore["Service"], kinds: ReadonlyArray<string>) {
  const { observe } = yield* Instruments
  let counts: ReadonlyMap<string, number> = new Map()
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      kinds.map((kind) =>
        observe("svc_jobs_waiting", "Background jobs that are due and wait for a node", () => counts.get(kind) ?? 0, {
          kind
        })
      )
    ),
    (removals) => Effect.sync(() => removals.forEach((remove) => remove()))
  )
  const loop: BackgroundLoops.Loop = {
    task: Effect.map(countDue(kinds, maxCount), (found) => {
      counts = found
    }),
    every: interval
  }
  return loop
})
