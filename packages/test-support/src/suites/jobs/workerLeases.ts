// How a worker loses jobs: to a cancel request, to another node, and at shutdown.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { Deferred, Effect, Fiber, References } from "effect"
import { hanging, interruptible, kindOf, Payload } from "./workerKinds.ts"
import * as WorkerNode from "./WorkerNode.ts"

export const losesJobs = (it: Vitest.MethodsNonLive<StoreServices>) => {
  it.effect("interrupts the handler of a job that is cancelled, on whichever node it was asked for", () =>
    Effect.gen(function*() {
      const { begun, interrupted, kind } = yield* interruptible
      yield* WorkerNode.open({ kinds: [kind], node: "worker" })
      const { jobs } = yield* WorkerNode.open({ kinds: [], node: "other" })
      const { id } = yield* jobs.enqueue(kind, { n: 1 })
      yield* Deferred.await(begun)
      yield* jobs.cancel(id, Owner.anyone)
      yield* Deferred.await(interrupted)
      yield* WorkerNode.untilStatus(id, "CANCELLED")
    }))

  it.effect("an attempt whose lease was lost in the middle stores nothing, and ends", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const { begun, interrupted, kind } = yield* interruptible
      const { close, jobs } = yield* WorkerNode.open({ kinds: [kind], node: "slow" })
      const { id } = yield* jobs.enqueue(kind, { n: 1 })
      yield* Deferred.await(begun)
      // as if the first node had been silent: another one acquires the job
      yield* store.takeOver({ node: "other", executing: [], dead: "every" })
      const [acquired] = yield* store.acquire({ node: "other", slots: { [kind.name]: 1 } }).pipe(
        Effect.repeat({ until: ({ length }) => length > 0 })
      )
      yield* Deferred.await(interrupted)
      yield* close
      assert.deepInclude(yield* WorkerNode.untilStatus(id, "RUNNING"), { attempts: 2 })
      assert.isTrue(yield* store.finish(acquired!, { _tag: "Completed" }))
    }))

  it.effect("a guarded effect is not made once another node has the job", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const [begun, noticed, proceed, ended] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      let effects = 0
      let isLost = false
      const kind = kindOf({
        handle: (_, { guard }) =>
          Deferred.succeed(begun, undefined).pipe(
            Effect.andThen(Effect.uninterruptible(Deferred.await(proceed))),
            Effect.andThen(guard(Effect.sync(() => effects++))),
            Effect.onExit(() => Deferred.succeed(ended, undefined))
          )
      })
      const { jobs } = yield* WorkerNode.open({
        kinds: [kind],
        node: "slow",
        around: (inner) => ({
          ...inner,
          sync: (held) =>
            Effect.suspend(() => {
              const isAfterLoss = isLost
              return Effect.tap(
                inner.sync(held),
                () => isAfterLoss ? Deferred.succeed(noticed, undefined) : Effect.void
              )
            })
        })
      })
      yield* jobs.enqueue(kind, { n: 1 })
      yield* Deferred.await(begun)
      yield* store.takeOver({ node: "other", executing: [], dead: "every" })
      yield* store.acquire({ node: "other", slots: { [kind.name]: 1 } }).pipe(
        Effect.repeat({
          until: ({ length }) => length > 0
        })
      )
      isLost = true
      // the worker finds out about the loss before it may proceed
      yield* Deferred.await(noticed)
      // this fiber resumes inside of the answer to the worker, which has to read it first
      yield* Effect.promise(() => new Promise(setImmediate))
      yield* Deferred.succeed(proceed, undefined)
      yield* Deferred.await(ended)
      assert.strictEqual(effects, 0)
    }))

  it.effect("a worker waits for jobs at shutdown, and releases jobs that take longer for another node", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const nodes: Array<string> = []
      const kindOn = (node: string) =>
        JobKind.make({
          name: "released",
          payload: Payload,
          concurrency: 2,
          handle: ({ n }) =>
            Effect.suspend(() => {
              nodes.push(`${n} on ${node}`)
              if (n === 1) return Effect.sleep("20 millis")
              return node === "first" ? Effect.andThen(Deferred.succeed(begun, undefined), hanging) : Effect.void
            })
        })
      const first = yield* WorkerNode.open({ kinds: [kindOn("first")], node: "first", drainTimeout: "1 second" })
      const [short, long] = [
        yield* first.jobs.enqueue(kindOn("first"), { n: 1 }),
        yield* first.jobs.enqueue(kindOn("first"), { n: 2 })
      ]
      yield* Deferred.await(begun)
      yield* first.close
      yield* WorkerNode.untilStatus(short.id, "COMPLETED")
      assert.deepInclude(yield* WorkerNode.untilStatus(long.id, "PENDING"), { attempts: 0 })
      yield* WorkerNode.open({ kinds: [kindOn("second")], node: "second" })
      assert.deepInclude(yield* WorkerNode.untilStatus(long.id, "COMPLETED"), { attempts: 1 })
      assert.deepStrictEqual(nodes, ["1 on first", "2 on first", "2 on second"])
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("an attempt that finds a database closed while its node stops is not counted", () =>
    Effect.gen(function*() {
      const [begun, proceed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const closed = Effect.fail(new StorageUnavailable({ cause: "closed" }))
      const kind = kindOf({
        maxAttempts: 1,
        handle: () =>
          Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(proceed)), Effect.andThen(closed))
      })
      const { close, jobs } = yield* WorkerNode.open({ kinds: [kind], drainTimeout: "1 minute" })
      const { id } = yield* jobs.enqueue(kind, { n: 1 })
      yield* Deferred.await(begun)
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* Deferred.succeed(proceed, undefined)
      yield* Fiber.join(closing)
      assert.deepInclude(yield* WorkerNode.untilStatus(id, "PENDING"), { attempts: 0, last_error: null })
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
}
