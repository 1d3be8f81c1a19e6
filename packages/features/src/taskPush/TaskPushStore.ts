// Stores where the changes of a run are sent to, as clients of A2A ask. Secrets are given and returned in the form in
// which they are stored. The owner of the session decides who may see and change a config. Configs are removed with the
// session.
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect, type Option } from "effect"
import type { SecretRows } from "../secrets/SecretRows.ts"
import type { StoredTaskPush, TaskPush, TaskPushesFull } from "./TaskPush.ts"

interface Store extends SecretRows {
  /** Replaces the config of the same id. None if there is no such run that the owner may see. */
  readonly put: (
    push: TaskPush,
    owner: Owner.Owner,
    at: Time.EpochSeconds
  ) => Effect.Effect<Option.Option<StoredTaskPush>, StorageUnavailable | TaskPushesFull>
  /** Of a run, in the order in which they were made. */
  readonly list: (run: Run.Id, owner: Owner.Owner) => Effect.Effect<ReadonlyArray<StoredTaskPush>, StorageUnavailable>
  /** False if there is none. */
  readonly remove: (run: Run.Id, id: string, owner: Owner.Owner) => Effect.Effect<boolean, StorageUnavailable>
  /** Nothing if the config is no longer the one that was called. */
  readonly delivered: (called: TaskPush, change: string) => Effect.Effect<void, StorageUnavailable>
}

export class TaskPushStore extends Context.Service<TaskPushStore, Store>()(
  "@svc-runtime/features/taskPush/TaskPushStore"
) {}
