// Runs of schedules whose job has ended without a result.
import { assert, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as SqlStores from "../../SqlStores.ts"
import type * as Schedule from "../Schedule.ts"
import * as ScheduleJob from "../ScheduleJob.ts"
import { jobIdOf } from "../ScheduleJobs.ts"
import { ScheduleRunStore } from "../ScheduleRunStore.ts"
import { ScheduleStore } from "../ScheduleStore.ts"
import { Scheduling } from "../Scheduling.ts"
import { firingOf, slotAt } from "./ScheduleRunStoreSuite.ts"
import { maxSchedules, schedule } from "./ScheduleStoreSuite.ts"

const layer = Scheduling.layer({ failures: 1 }).pipe(
  Layer.provideMerge(SqlStores.layer),
  Layer.provideMerge(PgliteLayer.layer)
)

const one = schedule({ next_run_at: 1_000_000, consecutive_failures: 0, paused_reason: null, max_retries: 1 })

/** Ends the job of the last attempt without a result, and executes the job that looks for such attempts. */
const failOrphaned = Effect.gen(function*() {
  const [jobs, kinds, schedules] = [yield* JobStore, yield* ScheduleJob.kinds, yield* ScheduleStore]
  const sql = yield* SqlClient.SqlClient
  const { runs: [last] } = yield* schedules.runs(one.id, { page: 1, limit: 1 })
  yield* jobs.cancel(jobIdOf(last?.id as Schedule.RunId), Owner.anyone)
  yield* sql`update svc_schedule_runs set created_at = 1, run_id = 'a run' where status = 'running'`
  for (const { execute, name } of kinds) {
    if (name === "abandoned_schedule_runs") yield* execute(null, {} as never)
  }
  const { runs } = yield* schedules.runs(one.id, { page: 1, limit: 10 })
  return runs.map(({ attempt, run_id, status }) => ({ attempt, run_id, status }))
})

it.live("an attempt whose job is gone fails as others do: it is repeated, and the last failure counts", () =>
  Effect.gen(function*() {
    const [runs, schedules] = [yield* ScheduleRunStore, yield* ScheduleStore]
    yield* schedules.create(one, maxSchedules)
    yield* runs.fire([firingOf(one, [slotAt(1_000_000)])])
    const first = { attempt: 1, run_id: "a run", status: "failed" } as const
    assert.deepStrictEqual(yield* failOrphaned, [{ attempt: 2, run_id: null, status: "running" }, first])
    assert.isTrue(Option.getOrThrow(yield* schedules.find(one.id)).enabled)
    assert.deepStrictEqual(yield* failOrphaned, [{ attempt: 2, run_id: "a run", status: "failed" }, first])
    assert.deepInclude(Option.getOrThrow(yield* schedules.find(one.id)), {
      enabled: false,
      consecutive_failures: 1,
      paused_reason: "1 runs in a row failed"
    })
  }).pipe(Effect.provide(layer)))
