// How workers plan and execute jobs of repeating kinds.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { Clock, Deferred, Effect, References } from "effect"
import { newId } from "../Samples.ts"
import { list } from "./Jobs.ts"
import { kindOf } from "./workerKinds.ts"
import * as WorkerNode from "./WorkerNode.ts"

export const repeatsJobs = (it: Vitest.MethodsNonLive<StoreServices>) => {
  it.effect("a repeating kind executes on one node at a time, also after it failed", () =>
    Effect.gen(function*() {
      const begun: Array<string> = []
      let running = 0
      const enough = yield* Deferred.make<void>()
      const kindOn = (node: string, name: string) =>
        JobKind.repeating({
          name,
          every: "1 millis",
          retryDelay: "1 millis",
          handle: () =>
            Effect.gen(function*() {
              assert.strictEqual(++running, 1)
              begun.push(node)
              yield* Effect.sleep("1 millis")
              running--
              if (begun.length >= 4) yield* Deferred.succeed(enough, undefined)
              if (begun.length === 2) return yield* Effect.fail("once")
            })
        })
      const name = newId("kind")
      const nodes = yield* Effect.forEach(["first", "second"], (node) =>
        WorkerNode.open({ kinds: [kindOn(node, name)], node }))
      yield* Deferred.await(enough)
      yield* Effect.forEach(nodes, ({ close }) =>
        close)
      assert.strictEqual((yield* list({ kind: name, status: "FAILED" })).total, 0)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("A job of a repeating kind is executed again after its handler refused it.", () =>
    Effect.gen(function*() {
      let executed = 0
      const again = yield* Deferred.make<void>()
      const kind = JobKind.repeating({
        name: newId("kind"),
        every: "1 millis",
        retryDelay: "1 millis",
        handle: () => {
          executed++
          return executed === 1
            ? Effect.fail(new JobKind.JobRejected({ message: "never" }))
            : Deferred.succeed(again, undefined)
        }
      })
      const { close } = yield* WorkerNode.open({ kinds: [kind] })
      yield* Deferred.await(again)
      yield* close
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect.each(["cancelled", "unreadable"] as const)(
    "A repeating kind is planned again on a running node after its job ended as %s.",
    (how) =>
      Effect.gen(function*() {
        let executed = 0
        const [first, again] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const kind = JobKind.repeating({
          name: newId("kind"),
          every: "1 hour",
          handle: () => Deferred.succeed(++executed === 1 ? first : again, undefined)
        })
        let isReadable = how !== "unreadable"
        const { close, jobs } = yield* WorkerNode.open({
          kinds: [kind],
          planInterval: "50 millis",
          around: (store) => ({
            ...store,
            acquire: Effect.fnUntraced(function*(acquisition) {
              const acquired = yield* store.acquire(acquisition)
              if (isReadable || acquired.length === 0) return acquired
              isReadable = true
              // as a store does with a row that it cannot read
              yield* Effect.forEach(acquired, (job) => store.finish(job, { _tag: "Failed", error: "unreadable" }))
              return []
            })
          })
        })
        yield* Deferred.await(first)
        if (how === "cancelled") {
          const { jobs: [job] } = yield* list({ kind: kind.name })
          yield* WorkerNode.untilStatus(job!.id, "PENDING")
          yield* jobs.cancel(job!.id, Owner.anyone)
          yield* Deferred.await(again)
        }
        yield* close
        const status = how === "cancelled" ? "CANCELLED" : "FAILED"
        assert.strictEqual((yield* list({ kind: kind.name, status })).total, 1)
        assert.strictEqual((yield* list({ kind: kind.name })).total, 2)
      })
  )

  it.effect("A repeating kind that waits or is executed is neither planned twice nor executed early.", () =>
    Effect.gen(function*() {
      let [executed, looks] = [0, 0]
      const [begun, proceed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const kind = JobKind.repeating({
        name: newId("kind"),
        every: "1 hour",
        handle: () =>
          Effect.suspend(() => {
            executed++
            return Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(proceed))
          })
      })
      const { close } = yield* WorkerNode.open({
        kinds: [kind],
        planInterval: "10 millis",
        around: (store) => ({
          ...store,
          enqueueMissing: (missing) => Effect.tap(store.enqueueMissing(missing), () => Effect.sync(() => looks++))
        })
      })
      // at least the second one began after this
      const looked = Effect.suspend(() => {
        const before = looks
        return Effect.sleep("5 millis").pipe(Effect.repeat({ until: () => looks >= before + 2 }))
      })
      yield* Deferred.await(begun)
      yield* looked
      const { jobs: [job], total } = yield* list({ kind: kind.name })
      assert.deepStrictEqual([job?.status, total], ["RUNNING", 1])
      yield* Deferred.succeed(proceed, undefined)
      yield* WorkerNode.untilStatus(job!.id, "PENDING")
      yield* looked
      yield* close
      assert.deepStrictEqual([executed, (yield* list({ kind: kind.name })).total], [1, 1])
      assert.isAbove((yield* WorkerNode.untilStatus(job!.id, "PENDING")).run_at, Date.now() / 1000 + 1800)
    }))

  it.effect("A node that starts while the job of a repeating kind is executed stores no second one.", () =>
    Effect.gen(function*() {
      let executed = 0
      const [begun, proceed, planned] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      const kind = JobKind.repeating({
        name: newId("kind"),
        every: "1 hour",
        handle: () =>
          Effect.suspend(() => {
            executed++
            return Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(proceed))
          })
      })
      const first = yield* WorkerNode.open({ kinds: [kind], node: "first" })
      yield* Deferred.await(begun)
      const second = yield* WorkerNode.open({
        kinds: [kind],
        node: "second",
        // a node looks for due jobs after it has planned its own
        around: (store) => ({
          ...store,
          acquire: (acquisition) => Effect.tap(store.acquire(acquisition), () => Deferred.succeed(planned, undefined))
        })
      })
      yield* Deferred.await(planned)
      const { jobs: [job], total } = yield* list({ kind: kind.name })
      assert.deepStrictEqual([job?.status, total], ["RUNNING", 1])
      yield* Deferred.succeed(proceed, undefined)
      yield* WorkerNode.untilStatus(job!.id, "PENDING")
      yield* first.close
      yield* second.close
      assert.deepStrictEqual([executed, (yield* list({ kind: kind.name })).total], [1, 1])
    }))

  it.effect("A node that starts executes the waiting job of a repeating kind at once.", () =>
    Effect.gen(function*() {
      let executed = 0
      const [once, twice] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const kind = JobKind.repeating({
        name: newId("kind"),
        every: "1 hour",
        handle: () => Deferred.succeed(++executed === 1 ? once : twice, undefined)
      })
      const first = yield* WorkerNode.open({ kinds: [kind], node: "first" })
      yield* Deferred.await(once)
      const { jobs: [job] } = yield* list({ kind: kind.name })
      yield* WorkerNode.untilStatus(job!.id, "PENDING")
      yield* first.close
      const second = yield* WorkerNode.open({ kinds: [kind], node: "second" })
      yield* Deferred.await(twice)
      yield* second.close
      assert.strictEqual((yield* list({ kind: kind.name })).total, 1)
    }))

  it.effect("A node looks for jobs of stopped nodes although its clock is set back.", () =>
    Effect.gen(function*() {
      const real = yield* Clock.Clock
      let setBack = 0
      const clock: Clock.Clock = Object.assign(Object.create(real), {
        currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() - setBack,
        currentTimeMillis: Effect.sync(() => real.currentTimeMillisUnsafe() - setBack)
      })
      const [started, looked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { close } = yield* WorkerNode.open({
        kinds: [kindOf({ handle: () => Effect.void })],
        nodeTimeout: 1,
        around: (store) => ({
          ...store,
          takeOver: (request) =>
            Effect.tap(
              store.takeOver(request),
              () => Deferred.succeed(setBack > 0 ? looked : started, undefined)
            )
        })
      }).pipe(Effect.provideService(Clock.Clock, clock))
      yield* Deferred.await(started)
      setBack = 3_600_000
      yield* Deferred.await(looked)
      yield* close
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
}
