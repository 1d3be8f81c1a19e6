// A process that executes only its own runs on the database of a service, such as a script. It executes no jobs and
// applies no declarations: a service does. Its runs belong to its program, whose components a service need not have, or
// has in another form: only the next process of the program takes them over, and resumes its paused ones.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type * as Time from "@svc-runtime/domain/Time"
import * as TakeoverRules from "../leases/TakeoverRules.ts"

export interface Paused {
  readonly session_id: Session.Id
  /** The times for which it waits. */
  readonly wakes: ReadonlyArray<Time.EpochSeconds>
}

export interface Guest {
  /** The names of its nodes begin with it. */
  readonly nodes: string
  /** The runs that it has paused. They outlive its engines. */
  readonly paused: Map<Run.Id, Paused>
}

/** The others are resumed by requests only. */
export const maxPaused = 10_000

export interface Options {
  /** The same at each start of the program. */
  readonly program: string
  /** Services of the database may execute its runs, too. */
  readonly isShared: boolean
}

/** A node has a number of its own in its process. */
export const make = ({ isShared, program }: Options): Guest => ({
  nodes: `${isShared ? "" : TakeoverRules.ofGuests}${program.replaceAll(/[@#]/g, "-")}@`,
  paused: new Map()
})

/** Whether only the program of the run resumes it by itself. A request of a caller to another process counts. */
export const isLeft = (holder: string, guest: Guest | undefined): boolean =>
  guest === undefined ? holder.startsWith(TakeoverRules.ofGuests) : !holder.startsWith(guest.nodes)
