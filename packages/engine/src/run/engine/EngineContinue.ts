// Acquires a paused or failed run for the caller who continues it, and executes it again.
import { Effect, Option } from "effect"
import type { DatabaseLiveness } from "../../node/DatabaseLiveness.ts"
import * as NodeHeartbeat from "../../node/NodeHeartbeat.ts"
import { type Format, withVersion } from "../journal/StoredFormat.ts"
import type { LeaseAcquisition } from "../leases/LeaseAcquisition.ts"
import * as StartLimits from "../StartLimits.ts"
import type { RunLifecycle } from "../store/RunLifecycle.ts"
import type { RunEngine } from "./RunEngine.ts"
import type * as RunResume from "./RunResume.ts"

export interface Dependencies {
  readonly runs: RunLifecycle["Service"]
  readonly node: string
  readonly format: Format
  readonly limits: StartLimits.Options
  readonly heartbeat: NodeHeartbeat.NodeHeartbeat
  readonly acquisition: LeaseAcquisition
  readonly liveness: DatabaseLiveness
  readonly resumeFor: ReturnType<typeof RunResume.make>["resumeFor"]
}

export const make = (
  { acquisition, format, heartbeat, limits, node, resumeFor, runs, liveness }: Dependencies
): RunEngine["Service"]["continue"] =>
({ claim, entry, snapshot, ...mode }) =>
  Effect.suspend(() => {
    const { attempt, entries, run_id } = snapshot
    let isDetached = false
    const isCallerRefused = () => isDetached
    const stored = entry && withVersion(format, entry)
    const limited = StartLimits.of(
      { ...limits, whenExceeded: "refuse" },
      snapshot,
      StartLimits.ownOf(mode.resolved?.component)
    )
    const resumption = { run_id, attempt, node, entry: stored, claim, limited, isCallerRefused }
    return Effect.uninterruptible(
      acquisition.acquire(
        run_id,
        liveness.orDetach(
          NodeHeartbeat.whileAlive(heartbeat, runs.resume(resumption)),
          {
            onDetach: () => {
              isDetached = true
            },
            onEnd: acquisition.markUncertain(run_id)
          }
        ),
        (held) => {
          if (Option.isNone(held)) return Effect.succeedNone
          const all = entry === undefined ? entries : [...entries, entry]
          return Effect.asSome(
            resumeFor({ ...snapshot, attempt: held.value, entries: all, resumedAt: entries.length }, mode)
          )
        }
      )
    )
  })
