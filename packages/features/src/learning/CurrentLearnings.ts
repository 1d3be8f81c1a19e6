// The learnings of the database in which a run is stored, for its tools and its system message.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Run from "@svc-runtime/domain/Run"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { Context, Effect } from "effect"
import { LearningStore } from "./LearningStore.ts"

export interface Learnings {
  readonly store: LearningStore["Service"]
  /** Whether the user lets agents remember. It is read each time, so that a change counts at once. */
  readonly isEnabled: (user_id: Ids.UserId | undefined) => Effect.Effect<boolean, StorageUnavailable>
  /** The stored run: runs of members and of steps are inside of it. */
  readonly root_run_id: Run.Id
}

/** Undefined outside of runs, and in runs whose caller wants no memory. */
export class CurrentLearnings extends Context.Service<CurrentLearnings, Learnings | undefined>()(
  "@svc-runtime/features/learning/CurrentLearnings"
) {}

/** Of one database. */
export const stores = Effect.gen(function*() {
  const settings = yield* MemorySettingsStore
  const stores: Omit<Learnings, "root_run_id"> = {
    store: yield* LearningStore,
    isEnabled: (user_id) => user_id === undefined ? Effect.succeed(true) : settings.isEnabled(user_id)
  }
  return stores
})
