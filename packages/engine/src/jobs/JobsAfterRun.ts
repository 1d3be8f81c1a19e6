// Jobs that exist exactly if the end of a run is stored. The end can be stored again: the id of such a job is made of
// the run and the kind, so that the second time stores none.
import type * as Run from "@svc-runtime/domain/Run"
import type { SummaryThreshold } from "../session/SessionSummaries.ts"
import * as Job from "./Job.ts"

export interface JobAfterRun extends Job.NewJob {
  /** It is stored only if the session of the run could be due for a summary. */
  readonly ifDue?: SummaryThreshold | undefined
  /** It is stored only if its user has not switched memory off. */
  readonly ifMemoryOn?: boolean | undefined
  /**
   * At least 1: as many jobs of its kind are stored in a day (UTC) for the runs of one component, on all nodes
   * together. Runs in sessions of evaluations have none.
   */
  readonly perDay?: number | undefined
}

export type JobsAfterRun = ReadonlyArray<JobAfterRun>

export const idOf = (kind: string, run: Run.Id): Job.Id => Job.Id.make(`${kind}:${run}`)
