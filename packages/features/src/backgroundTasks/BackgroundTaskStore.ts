// Where background tasks are stored. They are removed with the session of the run that has started them.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import type { NewJob } from "@svc-runtime/engine/jobs/Job"
import { Context, type Effect, type Option, Schema } from "effect"
import type * as BackgroundTask from "./BackgroundTask.ts"

/** The session has as many unfinished tasks as it may have. */
export class TooManyTasks extends Schema.TaggedError<TooManyTasks>()("TooManyTasks", { limit: Schema.Int }) {}

export interface TaskPage {
  readonly tasks: ReadonlyArray<BackgroundTask.Stored>
  readonly total: number
}

/** Unfinished tasks whose cancellation is requested. */
export type Cancelled =
  | { readonly task_id: string; readonly session_id: Session.Id }
  /** Those of a run. Detached ones continue. */
  | { readonly parent_run_id: Run.Id }
  | { readonly user_id: Ids.UserId }

export interface Ending {
  readonly status: BackgroundTask.Status
  readonly result: string
  readonly is_delivered: boolean
  readonly at: Time.EpochSeconds
}

export class BackgroundTaskStore extends Context.Service<BackgroundTaskStore, {
  /**
   * Stores a task and the job that executes it, both or neither. Gives the task that was stored under the key before.
   * None: the session is gone.
   */
  readonly begin: (
    task: BackgroundTask.New,
    job: NewJob,
    limit: number
  ) => Effect.Effect<Option.Option<BackgroundTask.Stored>, StorageUnavailable | TooManyTasks>
  /** None: there is no such task, or its session is gone. */
  readonly find: (id: BackgroundTask.Id) => Effect.Effect<Option.Option<BackgroundTask.Stored>, StorageUnavailable>
  /** The tasks of a session, the newest first. None: the owner has no such session. */
  readonly list: (
    session_id: Session.Id,
    owner: Owner.Owner,
    page: Pagination.Request
  ) => Effect.Effect<Option.Option<TaskPage>, StorageUnavailable>
  /** Of an unfinished task. */
  readonly note: (id: BackgroundTask.Id, status: BackgroundTask.Status) => Effect.Effect<void, StorageUnavailable>
  /** An ended task keeps its end. */
  readonly finish: (id: BackgroundTask.Id, ending: Ending) => Effect.Effect<void, StorageUnavailable>
  /** Gives the tasks as they are then. */
  readonly requestCancel: (
    of: Cancelled
  ) => Effect.Effect<ReadonlyArray<BackgroundTask.Stored>, StorageUnavailable>
}>()("@svc-runtime/features/backgroundTasks/BackgroundTaskStore") {}
