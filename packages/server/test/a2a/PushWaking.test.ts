// The jobs that send the changes of a task are due when its run resumes, whichever protocol continued it.
import { assert, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as Listeners from "@svc-runtime/engine/signals/Listeners"
import { JobSignal, RunResumeSignal } from "@svc-runtime/engine/signals/Signals"
import * as PushJob from "@svc-runtime/features/taskPush/PushJob"
import * as TaskPushJob from "@svc-runtime/features/taskPush/TaskPushJob"
import { TaskPushStore } from "@svc-runtime/features/taskPush/TaskPushStore"
import { pushOf } from "@svc-runtime/features/taskPush/test/TaskPushStoreSuite"
import { newRun } from "@svc-runtime/test-support/suites/Samples"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import { Effect, Option } from "effect"

it.live("the job that waits for a resumed run is due, and one that had failed is there again", () =>
  Effect.gen(function*() {
    const [jobs, pushes] = [yield* JobStore, yield* TaskPushStore]
    const run = newRun()
    const resumes = Listeners.make<typeof run.run_id>()
    yield* RunStore.use((store) => store.create(run))
    const [waiting, failed] = [pushOf(run.run_id), pushOf(run.run_id)]
    for (const push of [waiting, failed]) yield* pushes.put(push, Owner.anyone, 1)
    const inAnHour = { key: TaskPushJob.keyOf(waiting), run_at: Math.floor(Date.now() / 1000) + 3600 }
    yield* jobs.enqueue(yield* Jobs.newJob(PushJob.enqueued, waiting, inAnHour))
    yield* PushJob.enqueueOnResumes.pipe(
      Effect.provideService(RunResumeSignal, resumes),
      Effect.provideService(JobSignal, Listeners.none())
    )
    resumes.notify(run.run_id)
    const due = new Set<string | null>()
    const acquire = Effect.map(
      jobs.acquire({ node: "node", slots: { [PushJob.enqueued.name]: 9 } }),
      (acquired) => acquired.forEach(({ key }) => due.add(key))
    )
    yield* Effect.repeat(acquire, { until: () => due.size === 2 })
    assert.sameMembers([...due], [TaskPushJob.keyOf(waiting), TaskPushJob.keyOf(failed)])
  }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer)))

it.live("a resumed run is looked up again when the database did not reply", () =>
  Effect.gen(function*() {
    const [jobs, pushes] = [yield* JobStore, yield* TaskPushStore]
    const run = newRun()
    const resumes = Listeners.make<typeof run.run_id>()
    yield* RunStore.use((store) => store.create(run))
    const push = pushOf(run.run_id)
    yield* pushes.put(push, Owner.anyone, 1)
    let attempts = 0
    const failing: TaskPushStore["Service"] = {
      ...pushes,
      list: (...request) =>
        Effect.suspend(() => attempts++ === 0 ? new StorageUnavailable({ cause: "away" }) : pushes.list(...request))
    }
    yield* PushJob.enqueueOnResumes.pipe(
      Effect.provideService(TaskPushStore, failing),
      Effect.provideService(JobSignal, Listeners.none()),
      Effect.provideService(RunResumeSignal, resumes)
    )
    resumes.notify(run.run_id)
    const acquire = jobs.acquire({ node: "node", slots: { [PushJob.enqueued.name]: 9 } })
    const [job] = yield* Effect.repeat(acquire, { until: (acquired) => acquired.length > 0 })
    assert.strictEqual(job?.key, TaskPushJob.keyOf(push))
  }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer)))

it.live("a config that is put many times has one waiting job, also while one is executed", () =>
  Effect.gen(function*() {
    const [jobs, pushes] = [yield* JobStore, yield* TaskPushStore]
    const run = newRun()
    yield* RunStore.use((store) => store.create(run))
    const put = Effect.flatMap(
      pushes.put(pushOf(run.run_id, { id: "hook" }), Owner.anyone, 1),
      (stored) => TaskPushJob.enqueueOrHasten(jobs, PushJob.enqueued, Option.getOrThrow(stored))
    )
    const acquire = jobs.acquire({ node: "node", slots: { [PushJob.enqueued.name]: 9 } })
    yield* Effect.replicateEffect(put, 3)
    const [job] = yield* acquire
    yield* Effect.replicateEffect(put, 3)
    yield* jobs.finish({ id: job!.id, lease: job!.lease }, { _tag: "Repeat", seconds: 3600 })
    yield* Effect.replicateEffect(put, 3)
    const waiting = yield* jobs.list({ owner: Owner.anyone, status: "PENDING" }, { page: 1, limit: 9 })
    assert.deepStrictEqual((yield* acquire).map(({ id }) => id), waiting.jobs.map(({ id }) => id))
    assert.strictEqual(waiting.total, 1)
  }).pipe(Effect.provide(TestDatabase.layer)))
