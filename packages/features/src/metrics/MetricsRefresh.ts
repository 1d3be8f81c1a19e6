// Computes the figures of days that changed, at a request or as a background job, which runs once at a time on all
// nodes.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Time from "@svc-runtime/domain/Time"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import type { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { Effect, Schema } from "effect"
import * as DayMetrics from "./DayMetrics.ts"
import { MetricsStore } from "./MetricsStore.ts"

const name = "metrics-refresh"

const shape = { name, payload: Schema.Null, maxAttempts: 3, timeout: "30 minutes" } as const

interface WithJobs {
  readonly jobs: JobStore["Service"]
}

const enqueued = JobKind.withoutHandler(shape)

/** Each day is stored on its own: an interrupted refresh continues with the remaining days. */
export const refresh = Effect.fnUntraced(function*(metrics: MetricsStore["Service"]) {
  const newId = yield* NewId
  const at = yield* now
  const refreshed: Array<DayMetrics.DayMetrics> = []
  for (const day of yield* metrics.outdated(DayMetrics.dayOf(at))) {
    const stored = yield* metrics.refresh({ day, id: newId(), at })
    if (stored._tag === "Some") refreshed.push(stored.value)
  }
  return refreshed
})

export const kind = Effect.map(MetricsStore, (metrics) => JobKind.make({ ...shape, handle: () => refresh(metrics) }))

/** Whether it started: false while another one waits or is executed. */
export const start = Effect.fnUntraced(function*({ jobs }: WithJobs) {
  return yield* jobs.enqueueMissing(yield* Effect.orDie(Jobs.newJob(enqueued, null, { key: name })))
})

const isEnded = (status: Job.Status): boolean => status !== "PENDING" && status !== "RUNNING"

const statusOf = (status: Job.Status): DayMetrics.RefreshStatus["status"] => {
  if (!isEnded(status)) return "running"
  return status === "COMPLETED" ? "completed" : "failed"
}

/** The status of the last refresh in the background. */
export const status = Effect.fnUntraced(function*({ jobs }: WithJobs) {
  const { jobs: [last] } = yield* jobs.list({ owner: Owner.anyone, kind: name, key: name }, { page: 1, limit: 1 })
  if (last === undefined) return { status: "idle", started_at: null, finished_at: null, error: null } as const
  return {
    status: statusOf(last.status),
    started_at: Time.toDateTime(last.created_at),
    finished_at: isEnded(last.status) ? Time.toDateTime(last.updated_at) : null,
    error: last.status === "FAILED" ? last.last_error : null
  }
})
