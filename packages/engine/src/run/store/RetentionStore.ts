// Deletes data whose retention is over, in pieces. Each piece is one statement over a bounded number of rows.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect } from "effect"

export const tasks = [
  "sessions",
  "folds",
  "events",
  "journals",
  "idempotency",
  "audit",
  "nodes",
  "jobs",
  "traces",
  "traceRemovals",
  "scheduleRuns",
  "evaluations",
  "usage",
  "oauth",
  "starts"
] as const

/**
 * `sessions` ends removals that were interrupted, and `traceRemovals` those of traces. `folds` joins the pieces of
 * ended answers. The others remove rows: `events` and `journals` of ended runs, expired keys of `idempotency`, `nodes`
 * without a recent heartbeat, ended `jobs`, `traces` without recent spans, ended `scheduleRuns`, ended `evaluations`
 * and experiments, hours of `usage`, expired clients, requests and tokens of `oauth`, and counts of `starts` that no
 * limit looks at.
 */
export type Task = typeof tasks[number]

export interface PausedRun {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

export class RetentionStore extends Context.Service<RetentionStore, {
  /** Runs that have been paused for longer, a bounded number of them, in the order of their ids. */
  readonly paused: (
    olderThanSeconds: number,
    after: Run.Id | undefined
  ) => Effect.Effect<ReadonlyArray<PausedRun>, StorageUnavailable>
  /** Removes one piece of older data, and returns its number of rows. None: nothing is left. */
  readonly prune: (task: Task, olderThanSeconds: number) => Effect.Effect<number, StorageUnavailable>
}>()("@svc-runtime/engine/run/store/RetentionStore") {
  /** Data in memory is not removed before the process ends. */
}
