// How jobs are given to nodes, and how their attempts end.
import { assert, type Vitest } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { Effect, Option } from "effect"
import { newId, presence } from "../Samples.ts"
import { acquire, enqueue, find, finish, job, keysInOrder, statusOf } from "./Jobs.ts"

export const executing = (it: Vitest.MethodsNonLive<JobStore | RunStore>) => {
  it.effect("a node gets as many due jobs of a kind as it has slots for, the oldest first, and no other node gets them", () =>
    Effect.gen(function*() {
      const { kind } = job()
      const jobs = [1, 2, 3, 4, 5].map(() => job({ kind }))
      yield* enqueue(job(), ...jobs, job({ kind, run_at: 4_000_000_000 }))
      const first = yield* acquire(kind, 2, "first")
      assert.deepStrictEqual(first.map(({ id }) => id).sort(), jobs.slice(0, 2).map(({ id }) => id).sort())
      const rest = yield* Effect.all([acquire(kind, 3, "first"), acquire(kind, 3, "second")], { concurrency: 2 })
      assert.sameMembers(rest.flat().map(({ id }) => id), jobs.slice(2).map(({ id }) => id))
      const { attempts, payload } = first[0]!
      assert.deepStrictEqual({ attempts, payload }, { attempts: 1, payload: jobs[0]!.payload })
      assert.strictEqual(yield* statusOf(first[0]!.id), "RUNNING")
    }))

  it.effect("the due jobs of each kind are counted up to a limit, without delayed and executed ones", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const [{ kind }, { kind: other }, { kind: none }] = [job(), job(), job()]
      yield* enqueue(
        ...[1, 2, 3, 4].map(() => job({ kind })),
        job({ kind, run_at: 4_000_000_000 }),
        job({ kind: other })
      )
      yield* acquire(kind, 1)
      const counts = (limit: number) => Effect.map(store.countDue([kind, other, none], limit), (found) => [...found])
      assert.deepStrictEqual(yield* counts(100), [[kind, 3], [other, 1], [none, 0]])
      assert.deepStrictEqual(yield* counts(2), [[kind, 2], [other, 1], [none, 0]])
    }))

  it.effect("the jobs of a caller that wait for a node or for their time are counted up to a limit", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const [{ kind }, { kind: other }, { kind: third }] = [job(), job(), job()]
      const [ann, bob] = [Ids.UserId.make(newId("ann")), Ids.UserId.make(newId("bob"))]
      const later = { run_at: 4_000_000_000 }
      yield* enqueue(
        job({ kind, user_id: ann }),
        ...[1, 2].map(() => job({ kind, user_id: ann, ...later })),
        job({ kind: other, user_id: ann }),
        job({ kind: third, user_id: ann }),
        ...[{}, later].map((fields) => job({ kind, user_id: bob, ...fields }))
      )
      const counts = (caller: string, limit = 100) => store.countWaiting([kind, other], caller, limit)
      assert.deepStrictEqual([yield* counts(ann), yield* counts(bob), yield* counts("none")], [4, 2, 0])
      assert.strictEqual(yield* counts(ann, 3), 3)
      assert.lengthOf(yield* acquire(kind, 9), 2)
      assert.deepStrictEqual([yield* counts(ann), yield* counts(bob)], [3, 1])
    }))

  it.effect("a single job of a key is executed at a time, on all nodes together", () =>
    Effect.gen(function*() {
      const { kind } = job()
      yield* enqueue(job({ kind, key: "a" }), job({ kind, key: "a" }), job({ kind, key: "b" }))
      const acquired = yield* Effect.all(
        ["first", "second", "third"].map((node) => acquire(kind, 3, node)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(acquired.flat().map(({ key }) => key).sort(), ["a", "b"])
      yield* Effect.forEach(acquired.flat(), (each) => finish(each))
      assert.deepStrictEqual((yield* acquire(kind, 3)).map(({ key }) => key), ["a"])
    }))

  it.effect("the keys of a kind are served in turn, however many jobs one of them has", () =>
    Effect.gen(function*() {
      const { kind } = job()
      const of = (key: string, count: number) => Array.from({ length: count }, () => job({ kind, key }))
      yield* enqueue(...of("a", 4), ...of("b", 2))
      const [first] = yield* acquire(kind)
      yield* finish(first!)
      yield* enqueue(...of("c", 1))
      assert.deepStrictEqual([first?.key, ...yield* keysInOrder(kind)], ["a", "b", "c", "a", "b", "a", "a"])
    }))

  it.effect("the users of a kind are served in turn, however many keys one of them has", () =>
    Effect.gen(function*() {
      const { kind } = job()
      const [ann, bob] = [Ids.UserId.make("ann"), Ids.UserId.make("bob")]
      yield* enqueue(...["a", "b", "c"].map((key) => job({ kind, key, user_id: ann })))
      yield* enqueue(job({ kind, key: "d", user_id: bob }), job({ kind, key: "e" }))
      assert.deepStrictEqual(yield* keysInOrder(kind), ["a", "d", "e", "b", "c"])
    }))

  it.effect("work without a user takes its turns as one caller, however many keys it has", () =>
    Effect.gen(function*() {
      const { kind } = job()
      const [bob, caller] = [Ids.UserId.make("bob"), Job.withoutUser]
      const keys = ["a", "b", "c"]
      yield* enqueue(...keys.map((key) => job({ kind, key, caller })), job({ kind, key: "d", user_id: bob }))
      assert.deepStrictEqual(yield* keysInOrder(kind), ["a", "d", "b", "c"])
    }))

  it.effect("jobs of a user who has a share already wait, whether they have few keys, many or none", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const [ann, bob] = [Ids.UserId.make("ann"), Ids.UserId.make("bob")]
      const many = Array.from({ length: 60 }, (_, at) => `a${at}`)
      for (const [keys, caller] of [[["a"], ann], [many, ann], [[null, null], ann], [many, Job.withoutUser]] as const) {
        const { kind } = job()
        const slots = { [kind]: 1 }
        yield* enqueue(...keys.map((key) => job({ kind, key, caller })), job({ kind, key: "b", user_id: bob }))
        const busy = [{ kind, caller }, { kind: "other", caller: bob }]
        const acquired = yield* store.acquire({ node: "node", slots, busy })
        assert.deepStrictEqual(acquired.map(({ key }) => key), ["b"])
        assert.deepStrictEqual(yield* store.acquire({ node: "node", slots, busy }), [])
        assert.strictEqual((yield* store.acquire({ node: "node", slots })).length, 1)
      }
    }))

  it.effect("nothing is stored under a lease that is not the current one", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const { kind } = job()
      yield* enqueue(job({ kind }))
      const [old] = yield* acquire(kind)
      assert.isTrue(yield* finish(old!, { _tag: "Released" }))
      const [current] = yield* acquire(kind)
      assert.notStrictEqual(current?.lease, old?.lease)
      for (const end of ["Completed", "Cancelled", "Released"] as const) {
        assert.isFalse(yield* finish(old!, { _tag: end }))
      }
      assert.isFalse(yield* finish(old!, { _tag: "Failed", error: "late" }))
      const held = yield* store.sync([{ ...old!, progress: "late" }, { ...current!, progress: { done: 1 } }])
      assert.deepStrictEqual(held, [{ id: current!.id, isCancelRequested: false }])
      assert.deepInclude(yield* find(current!.id), { status: "RUNNING", progress: { done: 1 }, last_error: null })
      assert.isTrue(yield* finish(current!))
      assert.isFalse(yield* finish(current!))
    }))

  it.effect("a failed attempt is repeated after its delay, and its error is kept", () =>
    Effect.gen(function*() {
      const { kind } = job()
      yield* enqueue(job({ kind }))
      const [first] = yield* acquire(kind)
      yield* finish(first!, { _tag: "Retry", error: "one", seconds: 3600 })
      assert.deepInclude(yield* find(first!.id), { status: "PENDING", attempts: 1, last_error: "one" })
      assert.deepStrictEqual(yield* acquire(kind), [])
      const other = job({ kind })
      yield* enqueue(other)
      const [second] = yield* acquire(kind)
      yield* finish(second!, { _tag: "Retry", error: "two", seconds: 0 })
      const [again] = yield* acquire(kind)
      assert.deepInclude(again, { id: other.id, attempts: 2 })
      yield* finish(again!, { _tag: "Failed", error: "three" })
      assert.deepInclude(yield* find(other.id), { status: "FAILED", attempts: 2, last_error: "three" })
    }))

  it.effect("the attempt of a node that released the job is not counted", () =>
    Effect.gen(function*() {
      const { kind } = job()
      yield* enqueue(job({ kind }))
      const [first] = yield* acquire(kind)
      yield* finish(first!, { _tag: "Released" })
      assert.deepInclude(yield* find(first!.id), { status: "PENDING", attempts: 0 })
      assert.strictEqual((yield* acquire(kind, 1, "other"))[0]?.attempts, 1)
    }))

  it.effect("an attempt that postponed its job is not counted, and the job waits as long", () =>
    Effect.gen(function*() {
      const { kind } = job()
      yield* enqueue(job({ kind, key: "key" }))
      const [first] = yield* acquire(kind)
      yield* finish(first!, { _tag: "Postponed", seconds: 0 })
      const [again] = yield* acquire(kind)
      assert.deepInclude(again, { id: first!.id, attempts: 1 })
      yield* finish(again!, { _tag: "Postponed", seconds: 3600 })
      const { attempts, last_error, run_at, status, updated_at } = yield* find(first!.id)
      assert.deepStrictEqual({ attempts, last_error, status }, { attempts: 0, last_error: null, status: "PENDING" })
      assert.approximately(run_at - updated_at, 3600, 1)
      // another one of its key does not wait for it
      yield* enqueue(job({ kind, key: "key" }))
      assert.lengthOf(yield* acquire(kind, 2), 1)
    }))

  it.effect("an attempt that has progressed is not counted, and neither are those before it", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const { kind } = job()
      yield* enqueue(job({ kind }))
      const [old] = yield* acquire(kind)
      yield* finish(old!, { _tag: "Retry", error: "one", seconds: 0 })
      const ends: ReadonlyArray<Job.End> = [
        { _tag: "Retry", error: "two", seconds: 0 },
        { _tag: "Postponed", seconds: 0 },
        { _tag: "Released" }
      ]
      for (const [place, end] of ends.entries()) {
        const [current] = yield* acquire(kind)
        assert.strictEqual(current?.attempts, place === 0 ? 2 : 1)
        yield* store.progressed(old!)
        assert.strictEqual((yield* find(current!.id)).attempts, current?.attempts)
        yield* store.progressed(current!)
        assert.deepInclude(yield* find(current!.id), { status: "RUNNING", attempts: 0 })
        yield* finish(current!, end)
        assert.deepInclude(yield* find(current!.id), { status: "PENDING", attempts: 0 }, end._tag)
      }
      const dead = newId("dead")
      const [last] = yield* acquire(kind, 1, dead)
      yield* store.progressed(last!)
      yield* store.takeOver({ node: newId("other"), executing: [], dead: [{ node: dead, seenAt: null }] })
      assert.deepInclude(yield* find(last!.id), { status: "PENDING", attempts: 0 })
      assert.strictEqual((yield* acquire(kind))[0]?.attempts, 1)
    }))

  it.effect("a job that was postponed or is repeated is executed after the jobs that waited before", () =>
    Effect.gen(function*() {
      for (const _tag of ["Postponed", "Repeat"] as const) {
        const { kind } = job()
        const jobs = ["a", "b", "c"].map((key) => job({ kind, key }))
        yield* enqueue(...jobs)
        const keys: Array<string | null> = []
        for (let count = 0; count < 6; count++) {
          const [acquired] = yield* acquire(kind)
          keys.push(acquired!.key)
          yield* finish(acquired!, { _tag, seconds: 0 })
        }
        assert.deepStrictEqual(keys, ["a", "b", "c", "a", "b", "c"], _tag)
      }
    }))

  it.effect("a job that waits for a newer node keeps its place", () =>
    Effect.gen(function*() {
      const { kind } = job()
      const [first, second] = [job({ kind, key: "a" }), job({ kind, key: "b" })]
      yield* enqueue(first, second)
      const [acquired] = yield* acquire(kind)
      yield* finish(acquired!, { _tag: "Postponed", seconds: 0, error: "version 2" })
      assert.strictEqual((yield* acquire(kind))[0]?.id, first.id)
    }))

  it.effect("a job is repeated as a new one, unless one with its key waits already", () =>
    Effect.gen(function*() {
      const { kind } = job()
      const make = () => job({ kind, key: "key", isUnique: true })
      const first = make()
      yield* enqueue(first)
      const [acquired] = yield* acquire(kind)
      yield* finish(acquired!, { _tag: "Repeat", seconds: 0 })
      assert.deepInclude(yield* find(first.id), { status: "PENDING", attempts: 0 })
      assert.deepStrictEqual(yield* enqueue(make()), [{ id: first.id, isNew: false }])
      const [again] = yield* acquire(kind)
      const second = make()
      yield* enqueue(second)
      yield* finish(again!, { _tag: "Repeat", seconds: 0 })
      assert.strictEqual(yield* statusOf(first.id), "COMPLETED")
      assert.strictEqual((yield* acquire(kind))[0]?.id, second.id)
    }))

  it.effect("the node of a job is asked to cancel it, and a job that would be executed again is ended", () =>
    Effect.gen(function*() {
      const store = yield* JobStore
      const ends: ReadonlyArray<readonly [Job.End, Job.Status]> = [
        [{ _tag: "Cancelled" }, "CANCELLED"],
        [{ _tag: "Retry", error: "late", seconds: 0 }, "CANCELLED"],
        [{ _tag: "Released" }, "CANCELLED"],
        [{ _tag: "Postponed", seconds: 0 }, "CANCELLED"],
        [{ _tag: "Repeat", seconds: 0 }, "CANCELLED"],
        [{ _tag: "Completed" }, "COMPLETED"]
      ]
      for (const [end, status] of ends) {
        const { id, kind } = job()
        yield* enqueue(job({ id, kind, key: "key" }))
        const [acquired] = yield* acquire(kind)
        const cancelled = Option.getOrThrow(yield* store.cancel(id, Owner.anyone))
        assert.deepInclude(cancelled, { status: "RUNNING", is_cancel_requested: true })
        assert.deepStrictEqual(yield* store.sync([{ ...acquired!, progress: undefined }]), [
          { id, isCancelRequested: true }
        ])
        assert.isTrue(yield* finish(acquired!, end))
        assert.strictEqual(yield* statusOf(id), status, end._tag)
        // the key of an ended job is free
        assert.isTrue((yield* enqueue(job({ kind, key: "key", isUnique: true })))[0]?.isNew)
      }
    }))

  it.effect("the jobs of a dead node are pending again, with a delay after the second loss, up to their limit", () =>
    Effect.gen(function*() {
      const [store, runs] = [yield* JobStore, yield* RunStore]
      const [alive, dead] = [newId("alive"), newId("dead")]
      yield* runs.heartbeat(presence(alive))
      const { kind } = job()
      yield* enqueue(job({ kind }))
      const takeOver = store.takeOver({ node: alive, executing: [], dead: [{ node: dead, seenAt: null }] })
      const [lost] = yield* acquire(kind, 1, dead)
      yield* takeOver
      assert.isFalse(yield* finish(lost!))
      const [again] = yield* acquire(kind, 1, dead)
      assert.deepInclude(again, { id: lost!.id, attempts: 2 })
      yield* takeOver
      assert.deepStrictEqual(yield* acquire(kind, 1, dead), [])
      assert.deepInclude(yield* find(lost!.id), { status: "PENDING", attempts: 2, last_error: Job.nodeLost })
      const last = job({ kind, max_attempts: 1 })
      yield* enqueue(last)
      assert.strictEqual((yield* acquire(kind, 1, dead)).length, 1)
      yield* takeOver
      assert.deepInclude(yield* find(last.id), { status: "FAILED", last_error: Job.nodeLost })
    }))

  it.effect("the jobs of living nodes stay with them, and jobs that a node does not know are taken over", () =>
    Effect.gen(function*() {
      const [store, runs] = [yield* JobStore, yield* RunStore]
      const [self, other, silent] = [newId("self"), newId("other"), newId("silent")]
      yield* runs.heartbeat(presence(self))
      yield* runs.heartbeat(presence(other))
      const { kind } = job()
      yield* enqueue(job({ kind }), job({ kind }), job({ kind }), job({ kind }))
      const [known] = yield* acquire(kind, 1, self)
      const [unknown] = yield* acquire(kind, 1, self)
      const [theirs] = yield* acquire(kind, 1, other)
      const [lost] = yield* acquire(kind, 1, silent)
      yield* store.takeOver({ node: self, executing: [known!.id], isSteady: true })
      assert.strictEqual(yield* statusOf(known!.id), "RUNNING")
      assert.strictEqual(yield* statusOf(theirs!.id), "RUNNING")
      assert.strictEqual(yield* statusOf(unknown!.id), "PENDING")
      assert.strictEqual(yield* statusOf(lost!.id), "PENDING")
    }))
}
