// How a worker executes the jobs of its node.
import { assert, type Vitest } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { type Payer, Spending, SpendingRefused } from "@svc-runtime/engine/limits/Spending"
import { CurrentWork } from "@svc-runtime/engine/node/CurrentWork"
import * as ModelRequests from "@svc-runtime/telemetry/ModelRequests"
import { Deferred, Effect, Exit, References, Schema } from "effect"
import * as RequestCounts from "../../RequestCounts.ts"
import { newId } from "../Samples.ts"
import { enqueue, job, list } from "./Jobs.ts"
import { kindOf } from "./workerKinds.ts"
import * as WorkerNode from "./WorkerNode.ts"

export const executesJobs = (it: Vitest.MethodsNonLive<StoreServices>) => {
  const [ann, bob] = [Ids.UserId.make("ann"), Ids.UserId.make("bob")]

  it.effect.each([
    { heavyOf: ann, lightOf: bob, name: "a job of another user", of: "those of a user with many" },
    { heavyOf: undefined, lightOf: bob, name: "a job of a user", of: "those without a user" },
    { heavyOf: ann, lightOf: undefined, name: "a job without a user", of: "those of a user with many" }
  ])("$name is executed while $of wait for their share", ({ heavyOf, lightOf }) =>
    Effect.gen(function*() {
      const proceed = yield* Deferred.make<void>()
      const begun: Array<number> = []
      const kind = kindOf({
        concurrency: 3,
        perUser: 1,
        handle: ({ n }) =>
          Effect.andThen(Effect.sync(() => begun.push(n)), n < 10 ? Deferred.await(proceed) : Effect.void)
      })
      const { jobs } = yield* WorkerNode.open({ kinds: [kind] })
      const heavy = yield* Effect.forEach([1, 2, 3, 4], (n) => jobs.enqueue(kind, { n }, { user_id: heavyOf }))
      const light = yield* Effect.forEach([10, 11], (n) => jobs.enqueue(kind, { n }, { user_id: lightOf }))
      yield* Effect.forEach(light, ({ id }) => WorkerNode.untilStatus(id, "COMPLETED"))
      assert.deepStrictEqual(begun.filter((n) => n < 10), [1])
      yield* Deferred.succeed(proceed, undefined)
      yield* Effect.forEach(heavy, ({ id }) => WorkerNode.untilStatus(id, "COMPLETED"))
      assert.deepStrictEqual(begun.filter((n) => n < 10), [1, 2, 3, 4])
    }))

  it.effect("a job is executed with its decoded payload, its progress is stored, and it completes", () =>
    Effect.gen(function*() {
      const received: Array<number> = []
      const kind = kindOf({
        handle: ({ n }, { report }) => Effect.andThen(report({ done: n }), Effect.sync(() => received.push(n)))
      })
      const { jobs } = yield* WorkerNode.open({ kinds: [kind] })
      const { id } = yield* jobs.enqueue(kind, { n: 7 })
      const ended = yield* WorkerNode.untilStatus(id, "COMPLETED")
      assert.deepInclude(ended, { attempts: 1, progress: { done: 7 }, last_error: null })
      assert.deepStrictEqual(received, [7])
    }))

  it.effect("a payload that is too large, too deep or of another shape is refused before it is stored", () =>
    Effect.gen(function*() {
      const kind = JobKind.make({ name: newId("kind"), payload: Schema.Json, handle: () => Effect.void })
      const { jobs } = yield* WorkerNode.open({ kinds: [] })
      const deep = JSON.parse("[".repeat(300) + "]".repeat(300))
      const large = "x".repeat(300 * 1024)
      for (const payload of [large, deep, undefined as never]) {
        assert.strictEqual((yield* Effect.flip(jobs.enqueue(kind, payload)))._tag, "JobInvalid")
      }
      const { message } = yield* Effect.flip(jobs.enqueue(kind, large))
      assert.include(message, "JOB_PAYLOAD_MAX_BYTES")
      assert.strictEqual((yield* Effect.flip(jobs.enqueue(kind, 1, { key: large })))._tag, "JobInvalid")
      assert.strictEqual((yield* list({ kind: kind.name })).total, 0)
    }))

  it.effect("a failing handler is repeated up to its limit, its last error is kept, and the next job is executed", () =>
    Effect.gen(function*() {
      const seen = yield* Deferred.make<void>()
      const ends = [
        Effect.fail({ message: "no 1" }),
        Effect.die("secret"),
        Effect.andThen(Deferred.await(seen), Effect.fail({ message: "no 3" }))
      ]
      const kind = kindOf({ maxAttempts: 3, handle: ({ n }) => n === 0 ? ends.shift() ?? Effect.void : Effect.void })
      const { jobs } = yield* WorkerNode.open({ kinds: [kind] })
      const failing = yield* jobs.enqueue(kind, { n: 0 })
      // the third attempt waits, so that a slow machine sees the error of the second
      const third = yield* WorkerNode.until(failing.id, (found) => found.attempts === 3)
      assert.isNotNull(third.last_error)
      assert.notInclude(third.last_error, "no 1")
      assert.notInclude(third.last_error, "secret")
      yield* Deferred.succeed(seen, undefined)
      const failed = yield* WorkerNode.untilStatus(failing.id, "FAILED")
      assert.deepInclude(failed, { attempts: 3, last_error: "no 3" })
      const next = yield* jobs.enqueue(kind, { n: 1 })
      yield* WorkerNode.untilStatus(next.id, "COMPLETED")
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("an error with a time after which to ask again delays the next attempt as long, at most an hour", () =>
    Effect.gen(function*() {
      const kind = kindOf({
        handle: ({ n }) => Effect.fail({ message: "busy", retryAfter: n })
      })
      const { jobs } = yield* WorkerNode.open({ kinds: [kind] })
      for (const [retryAfter, seconds] of [[600, 600], [90_000, 3600]] as const) {
        const { id } = yield* jobs.enqueue(kind, { n: retryAfter })
        const failed = yield* WorkerNode.until(id, ({ last_error }) => last_error !== null)
        assert.approximately(failed.run_at - failed.updated_at, seconds, 1)
      }
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("a job that its handler postpones is executed again, as often as it is postponed", () =>
    Effect.gen(function*() {
      let calls = 0
      const kind = kindOf({
        maxAttempts: 1,
        handle: (_, { postpone }) => Effect.suspend(() => ++calls < 3 ? postpone(0) : Effect.void)
      })
      const { jobs } = yield* WorkerNode.open({ kinds: [kind] })
      const { id } = yield* jobs.enqueue(kind, { n: 0 })
      const ended = yield* WorkerNode.untilStatus(id, "COMPLETED")
      assert.deepInclude(ended, { attempts: 1, last_error: null })
      assert.strictEqual(calls, 3)
    }))

  it.effect("a job that is refused because a budget is used up is executed again when the budget begins anew", () =>
    Effect.gen(function*() {
      let calls = 0
      const refused = new SpendingRefused({ message: "The budget is used up", retry_after: 0 })
      const purse = {
        isLimited: () => true,
        ended: Effect.void,
        reserve: () => ++calls < 3 ? Effect.fail(refused) : Effect.succeed({ settle: () => Effect.void })
      }
      const spending = Spending.of({ admit: () => Effect.void, purseOf: () => purse })
      const kind = kindOf({
        maxAttempts: 1,
        handle: () =>
          Effect.flatMap(CurrentWork, ({ purse }) =>
            Effect.mapError(
              purse?.reserve({ model: { id: "m", provider: "p" }, usage: {} }) ?? Effect.fail(refused),
              () => ({ message: "Quota exhausted" })
            ))
      })
      const { jobs } = yield* Effect.provideService(WorkerNode.open({ kinds: [kind] }), Spending, spending)
      const { id } = yield* jobs.enqueue(kind, { n: 0 })
      assert.deepInclude(yield* WorkerNode.untilStatus(id, "COMPLETED"), { attempts: 1 })
      assert.strictEqual(calls, 3)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("what earlier attempts of a job have reserved is charged by an attempt that asks no model", () =>
    Effect.gen(function*() {
      const charged: Array<Payer> = []
      const spending = Spending.of({
        admit: () => Effect.void,
        purseOf: (payer) => ({
          isLimited: () => true,
          reserve: () => Effect.die("no model is asked"),
          ended: Effect.sync(() => void charged.push(payer))
        })
      })
      let calls = 0
      const kind = kindOf({ handle: () => ++calls === 1 ? Effect.fail({ message: "no" }) : Effect.void })
      const worker = WorkerNode.open({ kinds: [kind] })
      const { close, jobs } = yield* Effect.provideService(worker, Spending, spending)
      const { id } = yield* jobs.enqueue(kind, { n: 0 }, { user_id: ann })
      yield* WorkerNode.untilStatus(id, "COMPLETED")
      yield* close
      const of = { id, isJob: true, user_id: ann, component: undefined }
      assert.deepStrictEqual(charged, [{ ...of, attempt: 1 }, { ...of, attempt: 2 }])
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("a job whose attempts fail after they have progressed is repeated until as many fail without that", () =>
    Effect.gen(function*() {
      const seen: Array<number> = []
      const kind = kindOf({
        maxAttempts: 2,
        handle: (_, { job, progressed }) =>
          Effect.gen(function*() {
            seen.push(job.attempts)
            if (seen.length <= 3) yield* Effect.andThen(progressed, progressed)
            return yield* Effect.fail({ message: "no" })
          })
      })
      const { jobs } = yield* WorkerNode.open({ kinds: [kind] })
      const { id } = yield* jobs.enqueue(kind, { n: 0 })
      assert.deepInclude(yield* WorkerNode.untilStatus(id, "FAILED"), { attempts: 2, last_error: "no" })
      assert.deepStrictEqual(seen, [1, 1, 1, 1, 2])
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("a postponed job of a kind that has one for each key ends when another one of its key waits", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      let calls = 0
      const enqueueNext = Effect.suspend(() =>
        Effect.flatMap(Jobs.newJob(kind, { n: 0 }, { key: "key" }), store.enqueueNext)
      )
      const kind: JobKind.JobKind<{ readonly n: number }> = kindOf({
        isOnePerKey: true,
        handle: (_, { postpone }) =>
          Effect.gen(function*() {
            if (++calls === 3) return
            if (calls === 1) yield* Effect.orDie(enqueueNext)
            yield* postpone(0)
          })
      })
      const { jobs } = yield* WorkerNode.open({ kinds: [kind] })
      const { id } = yield* jobs.enqueue(kind, { n: 0 }, { key: "key" })
      yield* WorkerNode.untilStatus(id, "COMPLETED")
      const [other, ...more] = (yield* list({ kind: kind.name })).jobs
      assert.strictEqual(more.length, 1)
      yield* WorkerNode.untilStatus(other!.id, "COMPLETED")
      assert.strictEqual(calls, 3)
    }))

  it.effect("a job that its handler refuses, or whose payload does not fit, fails at once, and no other job does", () =>
    Effect.gen(function*() {
      const kind = kindOf({
        handle: ({ n }) => n === 0 ? Effect.fail(new JobKind.JobRejected({ message: "never" })) : Effect.void
      })
      const poisoned = job({ kind: kind.name, payload: { n: "text" } })
      yield* enqueue(poisoned)
      const { jobs } = yield* WorkerNode.open({ kinds: [kind] })
      const refused = yield* jobs.enqueue(kind, { n: 0 })
      const whole = yield* jobs.enqueue(kind, { n: 1 })
      yield* WorkerNode.untilStatus(whole.id, "COMPLETED")
      assert.deepInclude(yield* WorkerNode.untilStatus(refused.id, "FAILED"), { attempts: 1, last_error: "never" })
      const failed = yield* WorkerNode.untilStatus(poisoned.id, "FAILED")
      assert.deepInclude(failed, { attempts: 1, last_error: `The payload does not fit the kind ${kind.name}` })
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("a payload of a newer version waits with the reason for a node that reads it, and others are executed", () =>
    Effect.gen(function*() {
      const received: Array<unknown> = []
      const handle = (payload: unknown) => Effect.sync(() => received.push(payload))
      const name = newId("kind")
      const [older, newer] = [1, 2].map((version) =>
        JobKind.make({ name, payload: Schema.Json, version, retryDelay: "10 millis", handle })
      ) as [JobKind.JobKind<Json.Value>, JobKind.JobKind<Json.Value>]
      const { jobs } = yield* WorkerNode.open({ kinds: [older], node: "older" })
      const { id } = yield* jobs.enqueue(newer, { n: 2 })
      // the node acquires it again and again, and gives it back
      const waiting = yield* WorkerNode.until(id, (job) => job.last_error !== null && job.status === "PENDING")
      assert.strictEqual(waiting.attempts, 0)
      assert.include(waiting.last_error ?? "", "version 2")
      const other = yield* jobs.enqueue(older, { n: 1 })
      yield* WorkerNode.untilStatus(other.id, "COMPLETED")
      yield* WorkerNode.open({ kinds: [newer], node: "newer" })
      assert.deepInclude(yield* WorkerNode.untilStatus(id, "COMPLETED"), { attempts: 1, last_error: null })
      assert.deepStrictEqual(received, [{ n: 1 }, { n: 2 }])
      for (const [kind, payload] of [[newer, "text"], [older, { payload_version: 2 }]] as const) {
        assert.strictEqual((yield* Effect.flip(jobs.enqueue(kind, payload)))._tag, "JobInvalid")
      }
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("an attempt that takes longer than its kind allows fails", () =>
    Effect.gen(function*() {
      const kind = kindOf({ maxAttempts: 1, timeout: "50 millis", handle: () => Effect.never })
      const { jobs } = yield* WorkerNode.open({ kinds: [kind] })
      const { id } = yield* jobs.enqueue(kind, { n: 1 })
      const failed = yield* WorkerNode.untilStatus(id, "FAILED")
      assert.strictEqual(failed.last_error, "The attempt took longer than 0.05 s")
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("A request to a model counts as an error if its attempt takes too long, and not if its job is cancelled.", () =>
    Effect.gen(function*() {
      const { counting, counts } = RequestCounts.make()
      const handle = () => ModelRequests.counted(Effect.never, { provider: "test", id: "slow" })
      const [short, long] = [
        kindOf({ maxAttempts: 1, timeout: "50 millis", handle }),
        kindOf({ maxAttempts: 1, timeout: "1 hour", handle })
      ]
      const { jobs } = yield* counting(WorkerNode.open({ kinds: [short, long] }))
      const cancelled = yield* jobs.enqueue(long, { n: 1 })
      yield* WorkerNode.untilStatus(cancelled.id, "RUNNING")
      yield* jobs.cancel(cancelled.id, Owner.anyone)
      yield* WorkerNode.untilStatus(cancelled.id, "CANCELLED")
      assert.deepStrictEqual(counts(), {})
      const late = yield* jobs.enqueue(short, { n: 1 })
      yield* WorkerNode.untilStatus(late.id, "FAILED")
      assert.deepStrictEqual(counts(), { "slow error": 1 })
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect.each(["its timeout", "a cancellation"])(
    "A handler that cannot be interrupted keeps its place only until %s, and what it guards later is refused.",
    (reason) =>
      Effect.gen(function*() {
        const [released, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<boolean>()]
        let effects = 0
        const stuck = (guard: JobKind.JobContext["guard"]) =>
          Effect.gen(function*() {
            yield* Deferred.await(released)
            const guarded = yield* Effect.exit(guard(Effect.sync(() => effects++)))
            yield* Deferred.succeed(ended, Exit.isSuccess(guarded))
          })
        const kind = kindOf({
          maxAttempts: 1,
          timeout: reason === "its timeout" ? "50 millis" : "1 hour",
          handle: ({ n }, { guard }) => n === 0 ? Effect.uninterruptible(stuck(guard)) : Effect.void
        })
        const { jobs } = yield* WorkerNode.open({ kinds: [kind], interruptionTimeout: "50 millis" })
        const { id } = yield* jobs.enqueue(kind, { n: 0 })
        yield* WorkerNode.untilStatus(id, "RUNNING")
        const next = yield* jobs.enqueue(kind, { n: 1 })
        if (reason === "a cancellation") yield* jobs.cancel(id, Owner.anyone)
        yield* WorkerNode.untilStatus(next.id, "COMPLETED")
        yield* WorkerNode.untilStatus(id, reason === "its timeout" ? "FAILED" : "CANCELLED")
        yield* Deferred.succeed(released, undefined)
        assert.isFalse(yield* Deferred.await(ended))
        assert.strictEqual(effects, 0)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  )

  it.effect("A node executes no more jobs of a kind whose abandoned handlers do not end, until one of them ends.", () =>
    Effect.gen(function*() {
      const [released, allStarted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let started = 0
      const start = Effect.suspend(() => ++started === 6 ? Deferred.succeed(allStarted, undefined) : Effect.void)
      const stuck = kindOf({
        maxAttempts: 1,
        timeout: "50 millis",
        handle: () => Effect.andThen(start, Effect.uninterruptible(Deferred.await(released)))
      })
      const other = kindOf({ handle: () => Effect.void })
      const { jobs } = yield* WorkerNode.open({ kinds: [stuck, other], interruptionTimeout: "50 millis" })
      const ids = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) => jobs.enqueue(stuck, { n }))
      yield* Effect.forEach(ids.slice(0, 4), ({ id }) => WorkerNode.untilStatus(id, "FAILED"))
      const { id } = yield* jobs.enqueue(other, { n: 1 })
      yield* WorkerNode.untilStatus(id, "COMPLETED")
      assert.strictEqual(started, 4)
      yield* Deferred.succeed(released, undefined)
      // whether they end within their timeout depends on the machine
      yield* Deferred.await(allStarted)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("at most as many jobs of a kind execute at a time as it allows, and each of them once on two nodes", () =>
    Effect.gen(function*() {
      const executed: Array<number> = []
      let [running, peak] = [0, 0]
      const kind = kindOf({
        concurrency: 2,
        handle: ({ n }) =>
          Effect.gen(function*() {
            peak = Math.max(peak, ++running)
            executed.push(n)
            yield* Effect.sleep("5 millis")
            running--
          })
      })
      const nodes = yield* Effect.forEach(["first", "second"], (node) => WorkerNode.open({ kinds: [kind], node }))
      const numbers = Array.from({ length: 20 }, (_, n) => n)
      const ids = yield* Effect.forEach(numbers, (n) => nodes[n % 2]!.jobs.enqueue(kind, { n }))
      yield* Effect.forEach(ids, ({ id }) => WorkerNode.untilStatus(id, "COMPLETED"))
      assert.deepStrictEqual(executed.toSorted((a, b) => a - b), numbers)
      assert.isAtMost(peak, 4)
    }))
}
