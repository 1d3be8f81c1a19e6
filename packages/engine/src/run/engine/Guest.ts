// A process that executes only its own runs on the database of a service, such as a script. It takes over no runs,
// executes no jobs and applies no declarations: a service does. It resumes the runs that it has paused, because no
// service needs to have their components.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type * as Time from "@svc-runtime/domain/Time"

export interface Paused {
  readonly session_id: Session.Id
  /** The times for which it waits. */
  readonly wakes: ReadonlyArray<Time.EpochSeconds>
}

/** The runs that it has paused. They outlive its engines. */
export type Guest = Map<Run.Id, Paused>

/** The others are resumed by requests only. */
export const maxPaused = 10_000

export const make = (): Guest => new Map()
