// How nodes execute jobs: over every kind of store, in real time.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc/domain/Owner"
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import type { StoreServices } from "@svc/runtime/database/Stores"
import * as JobKind from "@svc/runtime/jobs/JobKind"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import { Clock, Deferred, Effect, type Layer, References, Schema } from "effect"
import { enqueue, job, list } from "./jobs/Jobs.ts"
import * as WorkerNode from "./jobs/WorkerNode.ts"
import { newId } from "./Samples.ts"

const Payload = Schema.Struct({ n: Schema.Int })

type Options = Omit<JobKind.Options<typeof Payload.Type, unknown>, "name" | "payload">

const kindOf = (options: Options): JobKind.JobKind<typeof Payload.Type> =>
  JobKind.make({ name: newId("kind"), payload: Payload, retryDelay: "10 millis", ...options })

const hanging = Effect.andThen(Effect.never, Effect.void)

/** A kind whose handler ends only when it is interrupted. */
const interruptible = Effect.gen(function*() {
  const [begun, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const kind = kindOf({
    handle: () =>
      Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(hanging),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
  })
  return { begun, interrupted, kind }
})

export const suite = <E>(name: string, stores: Layer.Layer<StoreServices, E>) =>
  layer(stores, { excludeTestServices: true })(`JobWorker, ${name}`, (it) => {
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
        let attempts = 0
        const kind = kindOf({
          maxAttempts: 3,
          handle: ({ n }) =>
            n === 0
              ? Effect.suspend(() =>
                ++attempts === 2 ? Effect.die("secret") : Effect.fail({ message: `no ${attempts}` })
              )
              : Effect.void
        })
        const { jobs } = yield* WorkerNode.open({ kinds: [kind] })
        const failing = yield* jobs.enqueue(kind, { n: 0 })
        const second = yield* WorkerNode.until(failing.id, (found) => found.attempts === 2 && found.last_error !== null)
        assert.notInclude(second.last_error, "secret")
        const failed = yield* WorkerNode.untilStatus(failing.id, "FAILED")
        assert.deepInclude(failed, { attempts: 3, last_error: "no 3" })
        const next = yield* jobs.enqueue(kind, { n: 1 })
        yield* WorkerNode.untilStatus(next.id, "COMPLETED")
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

    it.effect("a job that its handler refuses, or whose payload does not fit, fails at once, and no other job does", () =>
      Effect.gen(function*() {
        const kind = kindOf({
          handle: ({ n }) => n === 0 ? Effect.fail(new JobKind.JobRefused({ message: "never" })) : Effect.void
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

    it.effect("an attempt that takes longer than its kind allows fails", () =>
      Effect.gen(function*() {
        const kind = kindOf({ maxAttempts: 1, timeout: "50 millis", handle: () => Effect.never })
        const { jobs } = yield* WorkerNode.open({ kinds: [kind] })
        const { id } = yield* jobs.enqueue(kind, { n: 1 })
        const failed = yield* WorkerNode.untilStatus(id, "FAILED")
        assert.strictEqual(failed.last_error, "The attempt took longer than 0.05 s")
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

    it.effect("at most as many jobs of a kind execute at a time as it allows, and each of them once on two nodes", () =>
      Effect.gen(function*() {
        const executed: Array<number> = []
        let [running, most] = [0, 0]
        const kind = kindOf({
          concurrency: 2,
          handle: ({ n }) =>
            Effect.gen(function*() {
              most = Math.max(most, ++running)
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
        assert.isAtMost(most, 4)
      }))

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
        yield* store.reclaim({ node: "other", executing: [], nodeTimeout: -1, dead: [] })
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
                return Effect.tap(inner.sync(held), () =>
                  isAfterLoss ? Deferred.succeed(noticed, undefined) : Effect.void)
              })
          })
        })
        yield* jobs.enqueue(kind, { n: 1 })
        yield* Deferred.await(begun)
        yield* store.reclaim({ node: "other", executing: [], nodeTimeout: -1, dead: [] })
        yield* store.acquire({ node: "other", slots: { [kind.name]: 1 } }).pipe(
          Effect.repeat({
            until: ({ length }) =>
              length > 0
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

    it.effect("a worker waits for jobs at shutdown, and releases those that take longer for another node", () =>
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
        const first = yield* WorkerNode.open({ kinds: [kindOn("first")], node: "first", drainTimeout: "100 millis" })
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
              ? Effect.fail(new JobKind.JobRefused({ message: "never" }))
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
            list: (...asked) => Effect.tap(store.list(...asked), () => Effect.sync(() => looks++))
          })
        })
        // a look has two statements: three of them have at least one look that began after this
        const looked = Effect.suspend(() => {
          const before = looks
          return Effect.sleep("5 millis").pipe(Effect.repeat({ until: () => looks >= before + 6 }))
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
            reclaim: (request) =>
              Effect.tap(
                store.reclaim(request),
                () => Deferred.succeed(setBack > 0 ? looked : started, undefined)
              )
          })
        }).pipe(Effect.provideService(Clock.Clock, clock))
        yield* Deferred.await(started)
        setBack = 3_600_000
        yield* Deferred.await(looked)
        yield* close
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

    it.effect.each(["acquire", "sync", "finish"] as const)(
      "a job whose node died before or after it sent %s is executed again, and completes once",
      (method) =>
        Effect.gen(function*() {
          for (const phase of ["before", "after"] as const) {
            const died = yield* Deferred.make<void>()
            const dying = (store: JobStore["Service"]): JobStore["Service"] => {
              let isDead = false
              const die = Effect.suspend(() => {
                isDead = true
                return Effect.andThen(Deferred.succeed(died, undefined), Effect.interruptible(Effect.never))
              })
              const alive = <A, E>(call: Effect.Effect<A, E>) =>
                Effect.suspend(() => isDead ? Effect.interruptible(Effect.never) : call)
              const killed = <A, E>(call: Effect.Effect<A, E>) => {
                if (phase === "before") return alive(die)
                // an acquisition of nothing is none
                return alive(Effect.flatMap(call, (answer): Effect.Effect<A> =>
                  Array.isArray(answer) && answer.length === 0 ? Effect.succeed(answer) : die))
              }
              const around = (name: keyof typeof store) =>
                name === method ? killed : alive
              return {
                ...store,
                acquire: (acquisition) => around("acquire")(store.acquire(acquisition)),
                sync: (held) => around("sync")(store.sync(held)),
                finish: (lease, end) => around("finish")(store.finish(lease, end)),
                reclaim: (reclaim) => alive(store.reclaim(reclaim))
              }
            }
            const executed: Array<string> = []
            const name = newId("kind")
            const kindOn = (node: string) =>
              JobKind.make({
                name,
                payload: Payload,
                handle: (_, { report }) => Effect.andThen(Effect.sync(() => executed.push(node)), report({ by: node }))
              })
            const mortal = yield* WorkerNode.open({ kinds: [kindOn("mortal")], node: "mortal", around: dying })
            const { id } = yield* mortal.jobs.enqueue(kindOn("mortal"), { n: 1 })
            yield* Deferred.await(died)
            // its process is gone, and so are its heartbeats
            const heir = yield* WorkerNode.open({ kinds: [kindOn("heir")], node: "heir" })
            const store = yield* JobStore
            yield* store.reclaim({ node: "heir", executing: [], nodeTimeout: -1, dead: [] })
            const completed = yield* WorkerNode.untilStatus(id, "COMPLETED")
            const isStored = method === "finish" && phase === "after"
            assert.deepStrictEqual(executed.at(-1), isStored ? "mortal" : "heir")
            assert.isAtMost(completed.attempts, 2)
            yield* heir.close
            yield* mortal.close
          }
        }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    )

    it.effect("a job completes once although the database is cut off in the middle", () =>
      Effect.gen(function*() {
        let isCut = false
        let executed = 0
        const [begun, proceed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const cut = <A, E>(call: Effect.Effect<A, E>) =>
          Effect.suspend((): Effect.Effect<A, E | StorageUnavailable> =>
            isCut ? Effect.fail(new StorageUnavailable({ cause: "cut" })) : call
          )
        const kind = kindOf({
          handle: () =>
            Effect.sync(() => void executed++).pipe(
              Effect.andThen(Deferred.succeed(begun, undefined)),
              Effect.andThen(Deferred.await(proceed))
            )
        })
        const { jobs } = yield* WorkerNode.open({
          kinds: [kind],
          around: (store) => ({
            ...store,
            acquire: (acquisition) => cut(store.acquire(acquisition)),
            sync: (held) => cut(store.sync(held)),
            finish: (lease, end) => cut(store.finish(lease, end)),
            reclaim: (reclaim) => cut(store.reclaim(reclaim))
          })
        })
        const { id } = yield* jobs.enqueue(kind, { n: 1 })
        yield* Deferred.await(begun)
        isCut = true
        yield* Deferred.succeed(proceed, undefined)
        yield* Effect.sleep("200 millis")
        isCut = false
        assert.deepInclude(yield* WorkerNode.untilStatus(id, "COMPLETED"), { attempts: 1 })
        assert.strictEqual(executed, 1)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
  })
