// Whether the source of changes may still apply them, in memory.
import type * as Ids from "@svc-runtime/domain/Ids"
import type { ChangeSource } from "@svc-runtime/features/memory/ChangeSource"
import { type MemoryDatabase, originOf } from "./MemoryDatabase.ts"

type Database = MemoryDatabase["Service"]

export const isLeasedIn = ({ jobs }: Database, { lease }: Pick<ChangeSource, "lease">): boolean => {
  if (lease === undefined) return true
  const stored = jobs.get(lease.id)
  return stored?.lease === lease.lease && stored.job.status === "RUNNING"
}

/** Also of a run that was removed: it could be older. */
export const isErasedIn = (
  { memoryErasures, runs }: Database,
  user_id: Ids.UserId | null,
  { root_run_id }: Pick<ChangeSource, "root_run_id">
): boolean => {
  const erasure = user_id === null ? undefined : memoryErasures.get(user_id)
  if (erasure === undefined || root_run_id === null) return false
  const run = runs.get(root_run_id)
  return run === undefined || originOf(run) <= erasure
}
