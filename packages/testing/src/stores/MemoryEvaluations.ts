// What evaluation runs and experiments in memory have in common: who may make another one, and which have no job.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Time from "@svc-runtime/domain/Time"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { hasRoom } from "@svc-runtime/engine/limits/Share"
import { orphanedAtOnce } from "@svc-runtime/features/evaluation/EvaluationLimits"
import type { MemoryDatabase } from "./MemoryDatabase.ts"

type UserId = Ids.UserId | null

/** `others`: the users of the unfinished ones. */
export const hasRoomBeside = (others: ReadonlyArray<UserId>, user_id: UserId, limit: number): boolean =>
  hasRoom(
    { all: others.length, ofUser: user_id === null ? 0 : others.filter((user) => user === user_id).length },
    limit
  )

/** Some of the unfinished ones, made before a time, whose job has ended or was removed. */
export const orphanedOf = <A>(
  { jobs }: Pick<MemoryDatabase["Service"], "jobs">,
  unfinished: ReadonlyArray<A>,
  before: Time.EpochSeconds,
  of: (stored: A) => { readonly created_at: Time.EpochSeconds; readonly job_id: string }
): ReadonlyArray<A> => {
  const busy = new Set([...jobs.values()].flatMap(({ job }) => Job.isEnded(job.status) ? [] : [job.id as string]))
  return unfinished.filter((stored) => {
    const { created_at, job_id } = of(stored)
    return created_at < before && !busy.has(job_id)
  }).slice(0, orphanedAtOnce)
}
