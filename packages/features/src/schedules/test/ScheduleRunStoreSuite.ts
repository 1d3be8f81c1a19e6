// What every `ScheduleRunStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as Schedule from "../Schedule.ts"
import { jobIdOf, jobKind } from "../ScheduleJobs.ts"
import { ScheduleRunStore } from "../ScheduleRunStore.ts"
import { ScheduleStore } from "../ScheduleStore.ts"
import { maxSchedules, schedule } from "./ScheduleStoreSuite.ts"

export const due = 1_000_000

const page = { page: 1, limit: 1000 }

export const created = Effect.fnUntraced(function*(fields: Partial<Schedule.Schedule> = {}) {
  const [schedules, store] = [yield* ScheduleStore, yield* ScheduleRunStore]
  const one = schedule({ next_run_at: due, consecutive_failures: 0, paused_reason: null, ...fields })
  yield* schedules.create(one, maxSchedules)
  const found = Effect.map(schedules.find(one.id), Option.getOrThrow)
  const runs = Effect.map(schedules.runs(one.id, page), ({ runs }) => runs.toReversed())
  return { one, store, found, runs, statuses: Effect.map(runs, (all) => all.map(({ status }) => status)) }
})

export const slotAt = (slot: number, run_at?: number): Schedule.Slot => ({
  id: Schedule.RunId.make(newId("run")),
  slot,
  run_at
})

export const firingOf = (
  { cron_expr, id, timezone }: Schedule.Schedule,
  slots: ReadonlyArray<Schedule.Slot>,
  fields: Partial<Schedule.Firing> = {}
): Schedule.Firing => ({
  id,
  cron_expr,
  timezone,
  expected: due,
  next_run_at: due + 60,
  paused_reason: null,
  slots,
  ...fields
})

const outcome: Schedule.Outcome = {
  status: "success",
  status_code: 200,
  run_id: "r",
  session_id: "s",
  error: null,
  input: { input_content: "a" },
  output: { content: "b", content_type: "str" },
  requirements: null
}

export const ending = (fields: Partial<Schedule.Outcome> = {}, pauseAfter = 0) => ({
  outcome: { ...outcome, ...fields },
  next_id: Schedule.RunId.make(newId("run")),
  pauseAfter
})

const newRun = () => Schedule.RunId.make(newId("run"))

const jobOf = (id: Schedule.RunId) => JobStore.use((jobs) => jobs.find(jobIdOf(id), Owner.anyone))

export const suite = <E>(name: string, stores: Layer.Layer<StoreServices, E>) =>
  layer(stores, { excludeTestServices: true })(`ScheduleRunStore, ${name}`, (it) => {
    it.effect("the jobs of a schedule take turns as those of the user who made it", () =>
      Effect.gen(function*() {
        const [schedules, store, jobs] = [yield* ScheduleStore, yield* ScheduleRunStore, yield* JobStore]
        const user_id = userId()
        for (const [made, caller] of [[user_id, user_id], [undefined, Job.withoutUser]] as const) {
          const one = schedule({ next_run_at: due, max_retries: 1, retry_delay_seconds: 1, overlap: "allow" })
          yield* schedules.create(one, maxSchedules, made)
          const fired = slotAt(due)
          yield* store.fire([firingOf(one, [fired])])
          yield* store.trigger(one, Schedule.RunId.make(newId("run")), undefined)
          const acquired = yield* jobs.acquire({ node: "node", slots: { [jobKind]: 2 } })
          assert.deepStrictEqual(acquired.map((job) => job.caller), [caller, caller])
          yield* Effect.forEach(acquired, (job) => jobs.finish(job, { _tag: "Completed" }))
        }
      }))

    it.effect("schedules that are due are found in the order of their times, with the clock of the store", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created({ next_run_at: 500 })
        yield* created({ next_run_at: 400, enabled: false })
        const { at, schedules } = Option.getOrThrow(yield* store.nextDue(1))
        assert.deepStrictEqual(schedules.map(({ id, next_run_at }) => [id, next_run_at]), [[one.id, 500]])
        assert.isAbove(at, 1_600_000_000_000)
        yield* store.fire([firingOf(one, [], { expected: 500, next_run_at: 4_000_000_000 })])
      }))

    it.effect("exactly one of the nodes that fire a time at once moves the schedule, records the run and enqueues its job", () =>
      Effect.gen(function*() {
        const { found, one, runs, store } = yield* created()
        const tries = Array.from({ length: 8 }, () => slotAt(due))
        const fired = yield* Effect.forEach(tries, (slot) => store.fire([firingOf(one, [slot])]), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(fired.filter(({ schedules }) => schedules > 0), [{
          schedules: 1,
          runs: 1,
          cancelled: 0
        }])
        assert.strictEqual((yield* found).next_run_at, due + 60)
        const [run, ...more] = yield* runs
        assert.lengthOf(more, 0)
        assert.deepInclude(run, { attempt: 1, status: "running", triggered_at: null, completed_at: null })
        const id = run?.id as Schedule.RunId
        const job = Option.getOrThrow(yield* jobOf(id))
        assert.deepInclude(job, { kind: "schedule_run", status: "PENDING", payload: { schedule_run_id: id } })
        // a node that had not seen it
        assert.strictEqual((yield* store.fire([firingOf(one, [slotAt(due)])])).schedules, 0)
        // the time was moved back, and is not executed again
        const again = firingOf(one, [slotAt(due)], { expected: due + 60 })
        assert.strictEqual((yield* store.fire([again])).runs, 0)
        assert.lengthOf(yield* runs, 1)
      }))

    it.effect("a schedule that was disabled or has another expression is not fired", () =>
      Effect.gen(function*() {
        const { one, runs, store } = yield* created()
        const { one: disabled } = yield* created({ enabled: false })
        const fired = yield* store.fire([
          firingOf({ ...one, cron_expr: "1 * * * *" }, [slotAt(due)]),
          firingOf(disabled, [slotAt(due)])
        ])
        assert.deepStrictEqual(fired, { schedules: 0, runs: 0, cancelled: 0 })
        assert.lengthOf(yield* runs, 0)
      }))

    it.effect("a schedule without a next time is disabled with its reason", () =>
      Effect.gen(function*() {
        const { found, one, store } = yield* created()
        yield* store.fire([firingOf(one, [], { next_run_at: null, paused_reason: "It is damaged" })])
        assert.deepInclude(yield* found, { enabled: false, paused_reason: "It is damaged", next_run_at: due })
      }))

    it.effect("a time during a run and a second time at once are recorded as skipped with overlap skip", () =>
      Effect.gen(function*() {
        const { one, runs, statuses, store } = yield* created({ overlap: "skip" })
        yield* store.fire([firingOf(one, [slotAt(due), slotAt(due + 1)])])
        yield* store.fire([firingOf(one, [slotAt(due + 60)], { expected: due + 60, next_run_at: due + 120 })])
        assert.deepStrictEqual(yield* statuses, ["running", "cancelled", "cancelled"])
        assert.strictEqual((yield* runs)[1]?.error, Schedule.overlapping)
      }))

    it.effect("all times are executed with overlap allow, and one after the other with queue", () =>
      Effect.gen(function*() {
        for (const overlap of ["allow", "queue"] as const) {
          const { one, statuses, store } = yield* created({ overlap })
          const slots = [slotAt(due), slotAt(due + 1)] as const
          yield* store.fire([firingOf(one, slots)])
          assert.deepStrictEqual(yield* statuses, ["running", "running"])
          const { key } = Option.getOrThrow(yield* jobOf(slots[1].id))
          assert.strictEqual(key, overlap === "queue" ? one.id : null)
        }
      }))

    it.effect("the runs before are cancelled with overlap cancel, and only the last time is executed", () =>
      Effect.gen(function*() {
        const { one, runs, statuses, store } = yield* created({ overlap: "cancel" })
        const first = slotAt(due)
        yield* store.fire([firingOf(one, [first])])
        const next = [slotAt(due + 60), slotAt(due + 61)]
        const fired = yield* store.fire([firingOf(one, next, { expected: due + 60, next_run_at: due + 120 })])
        assert.deepStrictEqual(fired, { schedules: 1, runs: 1, cancelled: 1 })
        assert.deepStrictEqual(yield* statuses, ["cancelled", "cancelled", "running"])
        assert.strictEqual((yield* runs)[0]?.error, Schedule.superseded)
        assert.strictEqual(Option.getOrThrow(yield* jobOf(first.id)).status, "CANCELLED")
        assert.isFalse(yield* store.finish(first.id, ending()))
      }))

    it.effect("a schedule with many unfinished runs skips further times", () =>
      Effect.gen(function*() {
        const { one, statuses, store } = yield* created({ overlap: "allow" })
        const slots = Array.from({ length: Schedule.maxUnfinished + 1 }, (_, index) => slotAt(due + index))
        yield* store.fire([firingOf(one, slots)])
        const all = yield* statuses
        assert.deepStrictEqual([all.at(-2), all.at(-1)], ["running", "cancelled"])
      }))

    it.effect("a jittered run has a job that is due later", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        const slot = slotAt(due, 4_000_000_000)
        yield* store.fire([firingOf(one, [slot])])
        assert.strictEqual(Option.getOrThrow(yield* jobOf(slot.id)).run_at, 4_000_000_000)
      }))

    it.effect("an attempt begins with the request of its schedule and its remaining time, and ends once", () =>
      Effect.gen(function*() {
        const { one, runs, store } = yield* created({ timeout_seconds: 60 })
        const slot = slotAt(due)
        yield* store.fire([firingOf(one, [slot])])
        const begun = Option.getOrThrow(yield* store.begin(slot.id))
        const { endpoint, id, max_retries, method, payload, retry_delay_seconds, timeout_seconds } = one
        assert.deepInclude(begun.schedule, {
          endpoint,
          id,
          max_retries,
          method,
          payload,
          retry_delay_seconds,
          timeout_seconds
        })
        assert.isTrue(begun.seconds > 0 && begun.seconds <= 60)
        yield* store.note(slot.id, { run_id: Run.Id.make("r"), session_id: Session.Id.make("s") })
        const again = Option.getOrThrow(yield* store.begin(slot.id))
        assert.deepInclude(again.run, { run_id: "r", session_id: "s", triggered_at: begun.run.triggered_at })
        assert.isTrue(yield* store.isRunning(slot.id))
        assert.isTrue(yield* store.finish(slot.id, ending()))
        assert.isFalse(yield* store.finish(slot.id, ending({ status: "failed" })))
        assert.isFalse(yield* store.isRunning(slot.id))
        assert.deepStrictEqual(yield* store.begin(slot.id), Option.none())
        const [ended] = yield* runs
        assert.deepInclude(ended, outcome)
        assert.isNotNull(ended?.completed_at)
      }))

    it.effect("a failed attempt is followed by another one after its delay, and the last one is what ended", () =>
      Effect.gen(function*() {
        const { found, one, runs, store } = yield* created({ max_retries: 1, retry_delay_seconds: 3600 })
        const slot = slotAt(due)
        yield* store.fire([firingOf(one, [slot])])
        const first = ending({ status: "failed", error: "no" })
        assert.isTrue(yield* store.finish(slot.id, first))
        assert.strictEqual((yield* found).consecutive_failures, 0)
        const waiting = Option.getOrThrow(yield* store.last(slot.id))
        assert.deepInclude(waiting, { id: first.next_id, attempt: 2, status: "running", error: null })
        const job = Option.getOrThrow(yield* jobOf(first.next_id))
        assert.approximately(job.run_at - job.created_at, 3600, 2)
        yield* store.finish(first.next_id, ending({ status: "failed", error: "again" }))
        assert.deepStrictEqual((yield* runs).map(({ attempt, error }) => [attempt, error]), [[1, "no"], [2, "again"]])
        assert.strictEqual((yield* found).consecutive_failures, 1)
        assert.strictEqual(Option.getOrThrow(yield* store.last(slot.id)).id, first.next_id)
      }))

    it.effect("a queued run begins when the last attempt of each run before has ended, and not between two attempts", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created({ overlap: "queue", max_retries: 1, retry_delay_seconds: 600 })
        const [first, second, third] = [slotAt(due), slotAt(due + 1), slotAt(due + 2)]
        yield* store.fire([firingOf(one, [first, second, third])])
        const seconds = (id: Schedule.RunId) =>
          Effect.map(Effect.flip(store.begin(id)), (error) => "seconds" in error ? error.seconds : 0)
        assert.isTrue(Option.isSome(yield* store.begin(first.id)))
        assert.approximately(yield* seconds(second.id), 1, 0.1)
        const failed = ending({ status: "failed" })
        yield* store.finish(first.id, failed)
        assert.approximately(yield* seconds(second.id), 601, 5)
        assert.isTrue(Option.isSome(yield* store.begin(failed.next_id)))
        yield* store.finish(failed.next_id, ending({ status: "failed" }))
        assert.approximately(yield* seconds(third.id), 1, 0.1)
        assert.isTrue(Option.isSome(yield* store.begin(second.id)))
        // an attempt that has begun continues after a crash
        assert.isTrue(Option.isSome(yield* store.begin(second.id)))
        const triggered = Schedule.RunId.make(newId("run"))
        yield* store.trigger(one, triggered)
        assert.isTrue(Option.isSome(yield* store.begin(triggered)))
      }))

    it.effect("failures in a row disable a schedule, a success ends the row, and triggered runs do not count", () =>
      Effect.gen(function*() {
        const { found, one, store } = yield* created({ max_retries: 0, overlap: "allow" })
        const slots = ["failed", "success", "failed", "failed"].map((status, index) =>
          [status as "failed" | "success", slotAt(due + index)] as const
        )
        yield* store.fire([firingOf(one, slots.map(([, slot]) => slot))])
        for (const [status, { id }] of slots.slice(0, 3)) yield* store.finish(id, ending({ status }, 2))
        const triggered = Schedule.RunId.make(newId("run"))
        yield* store.trigger(one, triggered)
        yield* store.finish(triggered, ending({ status: "failed" }, 2))
        assert.deepInclude(yield* found, { enabled: true, consecutive_failures: 1, paused_reason: null })
        yield* store.finish(slots[3]?.[1].id as Schedule.RunId, ending({ status: "failed" }, 2))
        assert.deepInclude(yield* found, {
          enabled: false,
          consecutive_failures: 2,
          paused_reason: "2 runs in a row failed"
        })
      }))

    it.effect("a triggered run is recorded once, and does not move the schedule", () =>
      Effect.gen(function*() {
        const { found, one, runs, store } = yield* created()
        const id = Schedule.RunId.make(newId("run"))
        assert.strictEqual(yield* store.trigger(one, id), "stored")
        assert.strictEqual(yield* store.trigger(one, id), "stored")
        const other = Schedule.RunId.make(newId("run"))
        const changes = [{ id: Schedule.Id.make(newId("none")) }, { endpoint: "/agents/other/runs" }, { method: "GET" }]
        for (const change of changes) {
          assert.strictEqual(yield* store.trigger({ ...one, ...change }, other), "changed")
          assert.strictEqual(yield* store.trigger({ ...one, ...change }, id), "stored")
        }
        assert.deepStrictEqual((yield* runs).map((run) => run.id), [id])
        assert.isTrue(Option.isSome(yield* jobOf(id)))
        assert.strictEqual((yield* found).next_run_at, due)
        assert.deepStrictEqual(yield* store.orphaned(), [])
      }))

    it.effect("a triggered run that has not begun is cancelled when its schedule gets another endpoint", () =>
      Effect.gen(function*() {
        const { one, runs, store } = yield* created()
        const schedules = yield* ScheduleStore
        const [begun, waiting] = [Schedule.RunId.make(newId("run")), Schedule.RunId.make(newId("run"))]
        yield* store.trigger(one, begun)
        yield* store.begin(begun)
        yield* store.trigger(one, waiting)
        yield* schedules.change(one.id, (before) => Effect.succeed({ ...before, description: "another text" }))
        assert.deepStrictEqual((yield* runs).map(({ status }) => status), ["running", "running"])
        yield* schedules.change(one.id, (before) => Effect.succeed({ ...before, endpoint: "/agents/other/runs" }))
        assert.deepStrictEqual((yield* runs).map(({ error, status }) => [status, error]), [
          ["running", null],
          ["cancelled", Schedule.redirected]
        ])
        assert.isTrue(Option.isNone(yield* store.begin(waiting)))
      }))

    it.effect("runs that wait are cancelled when the schedules of their author are disabled, and the others continue", () =>
      Effect.gen(function*() {
        const [ann, bob] = [userId(), userId()]
        const { one, runs, store } = yield* created({ author: ann })
        const schedules = yield* ScheduleStore
        const [begun, waiting, ofBob] = [newRun(), newRun(), newRun()]
        yield* store.trigger(one, begun)
        yield* store.begin(begun)
        yield* store.trigger(one, waiting, { author: ann })
        yield* store.trigger(one, ofBob, { author: bob })
        const reason = "The account was revoked"
        yield* schedules.disableAll(ann, { at: due, reason })
        assert.deepStrictEqual((yield* runs).map(({ error, status }) => [status, error]), [
          ["running", null],
          ["cancelled", reason],
          ["running", null]
        ])
        assert.isTrue(Option.isNone(yield* store.begin(waiting)))
      }))

    it.effect("attempts that have begun are the last ones when the schedules of their author are disabled", () =>
      Effect.gen(function*() {
        const [ann, bob] = [userId(), userId()]
        const payload = { message: "\u0000 \"author\" : \"another\"" }
        const { one, runs, store } = yield* created({ author: ann, max_retries: 3, payload })
        const schedules = yield* ScheduleStore
        const slot = slotAt(due)
        const [own, ofAnn, ofBob] = [newRun(), newRun(), newRun()]
        yield* store.fire([firingOf(one, [slot])])
        yield* store.trigger(one, own)
        yield* store.trigger(one, ofAnn, { author: ann })
        yield* store.trigger(one, ofBob, { author: bob })
        const isLast = (id: Schedule.RunId) => Effect.map(store.begin(id), (begun) => Option.getOrThrow(begun).isLast)
        const all = [slot.id, own, ofAnn, ofBob]
        assert.deepStrictEqual(yield* Effect.forEach(all, isLast), [false, false, false, false])
        // another author has the schedule, and runs of the earlier one have not ended
        yield* schedules.change(one.id, (found) => Effect.succeed({ ...found, author: bob }))
        for (const at of [due, due + 1]) yield* schedules.disableAll(ann, { at, reason: "The account was revoked" })
        assert.deepStrictEqual(yield* Effect.forEach(all, isLast), [true, true, true, false])
        assert.deepStrictEqual(Option.getOrThrow(yield* store.begin(ofAnn)).schedule.payload, payload)
        yield* Effect.forEach(all, (id) => store.finish(id, { ...ending({ status: "failed" }), target: one }))
        assert.deepStrictEqual((yield* runs).map(({ attempt, status }) => [attempt, status]), [
          [1, "failed"],
          [1, "failed"],
          [1, "failed"],
          [1, "failed"],
          [2, "running"]
        ])
      }))

    it.effect("a failed attempt that is the last one of its author is not repeated", () =>
      Effect.gen(function*() {
        const { one, runs, store } = yield* created({ max_retries: 1 })
        const slot = slotAt(due)
        yield* store.fire([firingOf(one, [slot])])
        yield* store.finish(slot.id, ending({ status: "failed", error: "no", isLast: true }))
        assert.deepStrictEqual((yield* runs).map(({ attempt, status }) => [attempt, status]), [[1, "failed"]])
        assert.notProperty((yield* runs)[0], "isLast")
      }))

    it.effect("an attempt acts for the author with whom it began, and a triggered run for its caller also when repeated", () =>
      Effect.gen(function*() {
        const [ann, bob] = [userId(), userId()]
        const { one, store } = yield* created({ author: ann, max_retries: 1, overlap: "allow" })
        const schedules = yield* ScheduleStore
        const slot = slotAt(due)
        const [own, foreign, waiting] = [newRun(), newRun(), newRun()]
        yield* store.fire([firingOf(one, [slot])])
        yield* store.trigger(one, own)
        yield* store.trigger(one, foreign, { author: bob })
        yield* store.trigger(one, waiting)
        const authorOf = (run: Schedule.RunId) =>
          Effect.map(store.begin(run), (begun) => Option.getOrThrow(begun).schedule.author)
        assert.deepStrictEqual(yield* Effect.forEach([slot.id, own, foreign], authorOf), [ann, ann, bob])
        yield* schedules.change(one.id, (found) => Effect.succeed({ ...found, author: null }))
        assert.deepStrictEqual(yield* Effect.forEach([slot.id, own, foreign], authorOf), [ann, ann, bob])
        assert.strictEqual(yield* authorOf(waiting), null)
        for (const [run, author] of [[slot.id, null], [foreign, bob]] as const) {
          const failed = { ...ending({ status: "failed" }), target: one }
          yield* store.finish(run, failed)
          assert.strictEqual(yield* authorOf(failed.next_id), author)
        }
      }))

    it.effect("a triggered run of an author does what was triggered, also when it is repeated, though another author changes the schedule", () =>
      Effect.gen(function*() {
        const [ann, bob] = [userId(), userId()]
        const { one, store } = yield* created({ author: ann, max_retries: 1, payload: { message: "of Ann" } })
        const schedules = yield* ScheduleStore
        const [begun, waiting] = [newRun(), newRun()]
        const doneBy = (run: Schedule.RunId) =>
          Effect.map(store.begin(run), (found) => {
            const { author, payload } = Option.getOrThrow(found).schedule
            return { author, payload }
          })
        for (const run of [begun, waiting]) yield* store.trigger(one, run, { author: ann })
        const own = { author: ann, payload: { message: "of Ann" } }
        assert.deepStrictEqual(yield* doneBy(begun), own)
        const payload = { message: "of Bob" }
        yield* schedules.change(one.id, (found) => Effect.succeed({ ...found, author: bob, payload }))
        assert.deepStrictEqual(yield* doneBy(waiting), own)
        const failed = { ...ending({ status: "failed" }), target: one }
        yield* store.finish(begun, failed)
        assert.deepStrictEqual(yield* doneBy(failed.next_id), own)
      }))

    it.effect("an attempt that is begun again after a crash does what it began with, whatever its schedule does now", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created({ payload: { message: "first" } })
        const schedules = yield* ScheduleStore
        const [slot, id] = [slotAt(due), Schedule.RunId.make(newId("run"))]
        yield* store.fire([firingOf(one, [slot])])
        yield* store.trigger(one, id)
        const whatOf = (run: Schedule.RunId) =>
          Effect.map(store.begin(run), (begun) => {
            const { schedule, seconds } = Option.getOrThrow(begun)
            const { endpoint, method, payload, timeout_seconds } = schedule
            assert.approximately(seconds, timeout_seconds, 10)
            return { endpoint, method, payload, timeout_seconds }
          })
        const { endpoint, method, payload, timeout_seconds } = one
        const before = { endpoint, method, payload, timeout_seconds }
        assert.deepStrictEqual([yield* whatOf(slot.id), yield* whatOf(id)], [before, before])
        const after = { endpoint: "/agents/other/runs", method: "GET", payload: null, timeout_seconds: 17 }
        yield* schedules.change(one.id, (found) => Effect.succeed({ ...found, ...after }))
        assert.deepStrictEqual([yield* whatOf(slot.id), yield* whatOf(id)], [before, before])
        const failed = ending({ status: "failed" })
        yield* schedules.change(one.id, (found) => Effect.succeed({ ...found, max_retries: 1 }))
        yield* store.finish(slot.id, failed)
        assert.deepStrictEqual(yield* whatOf(failed.next_id), after)
      }))

    it.effect("a triggered run that fails is not repeated if its schedule got another endpoint meanwhile", () =>
      Effect.gen(function*() {
        const { one, runs, store } = yield* created({ max_retries: 2 })
        const schedules = yield* ScheduleStore
        const id = Schedule.RunId.make(newId("run"))
        yield* store.trigger(one, id)
        yield* store.begin(id)
        const failed = { ...ending({ status: "failed" }), target: one }
        yield* store.finish(id, failed)
        yield* store.begin(failed.next_id)
        yield* schedules.change(one.id, (before) => Effect.succeed({ ...before, endpoint: "/agents/other/runs" }))
        yield* store.finish(failed.next_id, { ...ending({ status: "failed" }), target: one })
        assert.deepStrictEqual((yield* runs).map(({ attempt, status }) => [attempt, status]).toSorted(), [
          [1, "failed"],
          [2, "failed"]
        ])
      }))

    it.effect("a schedule has at most a hundred unfinished runs that were triggered", () =>
      Effect.gen(function*() {
        const { one, runs, store } = yield* created()
        const ids = Array.from({ length: Schedule.maxUnfinished }, () => Schedule.RunId.make(newId("run")))
        const [first, next] = [ids[0] as Schedule.RunId, Schedule.RunId.make(newId("run"))]
        for (const id of ids) assert.strictEqual(yield* store.trigger(one, id), "stored")
        assert.strictEqual(yield* store.trigger(one, next), "full")
        assert.strictEqual((yield* runs).some(({ id }) => id === next), false)
        yield* store.finish(first, ending({ status: "success" }))
        assert.strictEqual(yield* store.trigger(one, next), "stored")
      }))
  })
