// Deletes data whose retention is over, in pieces. Each piece is one statement over a bounded number of rows.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Duration, type Effect } from "effect"

export interface Task {
  readonly name: string
  /** The age from which on rows are removed. Undefined: never. */
  readonly age: Duration.Duration | undefined
  /** What a line of the log says about a number of rows. */
  readonly removed: string
}

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
  readonly prune: (task: Task["name"], olderThanSeconds: number) => Effect.Effect<number, StorageUnavailable>
}>()("@svc-runtime/engine/run/store/RetentionStore") {
  /** Data in memory is not removed before the process ends. */
}
