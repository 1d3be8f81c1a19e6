// The traces of the jobs that execute schedules, as every `ScheduleRunStore` keeps them.
import { assert, layer } from "@effect/vitest"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { acquire, finish } from "@svc-runtime/test-support/suites/jobs/Jobs"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer } from "effect"
import * as Schedule from "../Schedule.ts"
import { jobIdOf, jobKind } from "../ScheduleJobs.ts"
import { created, due, ending, firingOf, slotAt } from "./ScheduleRunStoreSuite.ts"

const [request, attempt] = ["1", "2"].map((digit) => ({
  traceparent: `00-${digit.repeat(32)}-${"a".repeat(16)}-01`,
  tracestate: "vendor=1"
}))

const traceOf = Effect.fnUntraced(function*(id: Schedule.RunId) {
  const acquired = yield* acquire(jobKind, 1000)
  // the next job of a key waits for the end of this one
  yield* Effect.forEach(acquired, (job) => finish(job))
  return acquired.find((job) => job.id === jobIdOf(id))?.trace ?? undefined
})

export const suite = <E>(name: string, stores: Layer.Layer<StoreServices, E>) =>
  layer(stores, { excludeTestServices: true })(`Traces of schedules, ${name}`, (it) => {
    it.effect("the job of a triggered run has the trace of the request", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        const id = Schedule.RunId.make(newId("run"))
        yield* store.trigger(one, id, { trace: request })
        assert.deepStrictEqual(yield* traceOf(id), request)
      }))

    it.effect("the job of a time has no trace, and that of the next attempt has the one of the attempt before", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created({ max_retries: 1, overlap: "queue" })
        const slot = slotAt(due)
        yield* store.fire([firingOf(one, [slot])])
        assert.isUndefined(yield* traceOf(slot.id))
        const ended = { ...ending({ status: "failed" }), trace: attempt }
        yield* store.finish(slot.id, ended)
        yield* JobStore.use((jobs) => jobs.hasten(jobKind, one.id))
        assert.deepStrictEqual(yield* traceOf(ended.next_id), attempt)
      }))
  })
