// Where changes of memories and learnings come from: they are applied once, and not by runs that are older than the
// removal of what is known about their user.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type * as Job from "@svc-runtime/engine/jobs/Job"

export interface ChangeSource {
  /** Changes under a key are applied at most once. The key is removed with the session, or after 30 days. */
  readonly key: string
  readonly session_id: Session.Id | null
  /** The stored run: runs of members and of steps have no row of their own. Null: no run. */
  readonly root_run_id: Run.Id | null
  /** Nothing is applied if the lease of the job is lost, for example because the jobs of the user were removed. */
  readonly lease?: Job.Lease | undefined
}

/** Whether changes were applied. */
export interface ChangeOutcome {
  /** False: the key was used before, the lease is lost, or the run is older than a removal. Nothing was changed. */
  readonly isNew: boolean
  /** What is known about the user was removed after the run was stored, so it stores nothing anymore. */
  readonly isErased: boolean
}
