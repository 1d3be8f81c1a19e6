// The job that delivers the changes of a config. However often a config is replaced, and its run resumed, it has one.
import type { JobKind } from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import type { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { Effect } from "effect"
import type { StoredTaskPush, TaskPush } from "./TaskPush.ts"

/** What a job delivers: one config. */
export type TaskPushJob = Pick<TaskPush, "id" | "run_id">

export const keyOf = ({ id, run_id }: TaskPushJob): string => `${run_id}/${id}`

/**
 * Makes the job due that waits. Enqueues one if there is none, the last one has failed too often, or the one that is
 * executed may have read what has changed.
 */
export const enqueueOrHasten = Effect.fnUntraced(function*(
  store: JobStore["Service"],
  kind: JobKind<TaskPushJob>,
  { id, run_id, session_id }: StoredTaskPush
) {
  const key = keyOf({ id, run_id })
  const isNew = yield* store.enqueueNext(yield* Jobs.newJob(kind, { id, run_id }, { key, session_id }))
  if (!isNew) yield* store.hasten(kind.name, key)
})
