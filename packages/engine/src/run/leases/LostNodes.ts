// What a node reports of the nodes whose runs it has acquired: it counts the runs, and logs each lost node once in a
// pass.
import type { Instruments, TakeoverReason } from "@svc-runtime/telemetry/Instruments"
import { Effect } from "effect"
import type { Acquired } from "../../node/LeasedRuns.ts"
import { nameOf } from "./Presence.ts"

type Taken = Pick<Acquired, "holder" | "silentFor">

const reasonOf = (node: string, holder: string): TakeoverReason => {
  if (holder === "") return "released"
  if (holder === node) return "unconfirmed"
  return nameOf(holder) === nameOf(node) ? "restarted" : "lost"
}

const heartbeatOf = (silentFor: number | null): string =>
  silentFor === null ? "It has no heartbeat" : `Its last heartbeat was ${Math.round(silentFor)} s ago`

const textOf = (reason: TakeoverReason, holder: string): string =>
  reason === "restarted"
    ? `The process before this one (${holder}) ended without handing over its runs`
    : `The node ${holder} is lost, and this node takes over its runs`

const warn = (text: string, { lost_node, runs, silentFor }: {
  readonly lost_node: string
  readonly runs: number
  readonly silentFor: number | null
}) =>
  Effect.logWarning(`${text}: ${runs}. ${heartbeatOf(silentFor)}`).pipe(
    Effect.annotateLogs({ lost_node, runs, ...(silentFor === null ? {} : { silent_seconds: Math.round(silentFor) }) })
  )

export interface LostNodes {
  /** Called with the runs of one statement. */
  readonly took: (taken: ReadonlyArray<Taken>) => Effect.Effect<void>
  /** Logs what further statements have acquired of the same nodes. Called when there is no more. */
  readonly ended: Effect.Effect<void>
}

export const make = (node: string, { takeovers }: Pick<Instruments, "takeovers">): LostNodes => {
  /** The runs that are not logged yet. */
  const reported = new Map<string, { runs: number; silentFor: number | null }>()

  const lose = (holder: string, taken: ReadonlyArray<Taken>): Effect.Effect<void> => {
    const reason = reasonOf(node, holder)
    takeovers(reason, taken.length)
    if (reason !== "lost" && reason !== "restarted") return Effect.void
    const known = reported.get(holder)
    if (known !== undefined) {
      known.runs += taken.length
      return Effect.void
    }
    const silentFor = taken[0]?.silentFor ?? null
    reported.set(holder, { runs: 0, silentFor })
    return warn(textOf(reason, holder), { lost_node: holder, runs: taken.length, silentFor })
  }

  return {
    took: (taken) =>
      Effect.forEach(Map.groupBy(taken, ({ holder }) => holder), ([holder, runs]) => lose(holder, runs), {
        discard: true
      }),
    ended: Effect.suspend(() => {
      const more = [...reported].filter(([, { runs }]) => runs > 0)
      reported.clear()
      return Effect.forEach(
        more,
        ([lost_node, { runs, silentFor }]) =>
          warn(`This node takes over more runs of ${lost_node}`, { lost_node, runs, silentFor }),
        { discard: true }
      )
    })
  }
}
