// Opening and closing the databases of a service.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { CurrentDatabase } from "@svc-runtime/engine/database/CurrentDatabase"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import * as Job from "@svc-runtime/engine/jobs/Job"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { Runners } from "@svc-runtime/engine/run/Runners"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option, Schema, Scope } from "effect"
import { ServedDatabases } from "../../src/database/ServedDatabases.ts"
import { ApprovalResumer } from "../../src/runService/ApprovalResumer.ts"
import * as absent from "../absent.ts"

/** The stores of a database that one node has. */
const alone = Layer.mergeAll(
  InMemory.layer,
  Notifications.layerNone,
  Layer.sync(Schemas.Schemas, Schemas.make)
)

const [own, other] = [Ids.DatabaseId.make("own"), Ids.DatabaseId.make("other")]

const idle = { enqueued: Effect.void, cancelled: Effect.void }
const jobs = Layer.effect(Jobs.Jobs, JobStore.useSync((store) => Jobs.make(store, 1000, idle)))

/** Of databases that reply. */
const engine = { whileReplying: (statement) => statement } as RunEngine["Service"]

/** Of a service without components. */
const runners = Layer.succeed(Runners, {
  prepare: () => Effect.die("no component"),
  withJobs: Effect.succeed,
  restore: () => Effect.die("no component"),
  closeApprovals: () => Effect.void,
  messagesIn: () => Effect.succeed([]),
  components: () => []
})

describe("ServedDatabases", () => {
  it.effect("a job is stored in the database into which it is enqueued", () =>
    Effect.gen(function*() {
      const workers = () =>
        Layer.mergeAll(
          Layer.succeed(RunEngine, engine),
          Layer.succeed(ApprovalResumer, {} as ApprovalResumer["Service"]),
          jobs
        )
      const layer = ServedDatabases.layer({
        own,
        others: [{ id: other, stores: alone, hasRuns: true }],
        workers
      })
      const context = yield* Layer.build(Layer.provide(layer, alone))
      const served = Context.get(context, ServedDatabases)
      const kind = JobKind.make({ name: "work", payload: Schema.Null, handle: () => Effect.void })
      const { id } = yield* (yield* served.get(other)).jobs.enqueue(kind, null)
      const isIn = (database: Ids.DatabaseId) =>
        Effect.flatMap(served.get(database), ({ database }) => database.jobs.find(id, Owner.anyone))
      assert.isTrue(Option.isSome(yield* isIn(other)))
      assert.isTrue(Option.isNone(yield* isIn(own)))
    }))

  it.effect("a statement knows its database, whichever fiber it is executed in", () =>
    Effect.gen(function*() {
      const calls: Array<Ids.DatabaseId | undefined> = []
      const stores = Layer.effect(
        JobStore,
        JobStore.useSync((store) => ({
          ...store,
          find: (id: Job.Id, owner: Owner.Owner) =>
            Effect.flatMap(CurrentDatabase, (database) => {
              calls.push(database)
              return store.find(id, owner)
            })
        }))
      ).pipe(Layer.provideMerge(alone))
      const workers = () =>
        Layer.mergeAll(
          Layer.succeed(RunEngine, engine),
          Layer.succeed(ApprovalResumer, {} as ApprovalResumer["Service"]),
          jobs,
          // a worker asks the stores of its database
          Layer.effectDiscard(Effect.orDie(JobStore.use((store) => store.find(Job.Id.make("job"), Owner.anyone))))
        )
      const layer = ServedDatabases.layer({
        own,
        others: [{ id: other, stores, hasRuns: true }],
        workers
      })
      const served = Context.get(yield* Layer.build(Layer.provide(layer, stores)), ServedDatabases)
      for (const id of [own, other]) {
        const { database } = yield* served.get(id)
        yield* database.jobs.find(Job.Id.make("job"), Owner.anyone)
      }
      assert.deepStrictEqual(calls, [own, other, own, other])
    }))

  // the time of a test stands still: a start that waits for its timeout never ends
  it.effect("a start does not wait for another database whose first heartbeat fails", () =>
    Effect.gen(function*() {
      const stores = Layer.effect(
        RunStore,
        RunStore.useSync((store) => ({
          ...store,
          heartbeat: () => Effect.fail(new StorageUnavailable({ cause: "read-only", isRejected: true }))
        }))
      ).pipe(Layer.provideMerge(alone))
      const workers = () =>
        Layer.mergeAll(
          RunEngine.layer({ node: "node", nodeTimeout: undefined, isShared: true, drainTimeout: 0 }),
          Layer.succeed(ApprovalResumer, {} as ApprovalResumer["Service"]),
          jobs
        )
      const layer = ServedDatabases.layer({
        own,
        others: [{ id: other, stores, hasRuns: true }],
        workers
      }).pipe(
        Layer.provide([runners, alone, absent.layer])
      )
      const served = Context.get(yield* Layer.build(layer), ServedDatabases)
      assert.deepStrictEqual(served.opened().map(({ database }) => database.id), [own])
    }), 5000)

  it.effect.each([[own, other], [other, own]])(
    "The workers of the database %s are closed although those of %s wait for their database.",
    ([, waiting]) =>
      Effect.gen(function*() {
        const [closed, replies] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const end = (id: Ids.DatabaseId) =>
          id === waiting ? Deferred.await(replies) : Deferred.succeed(closed, undefined)
        const workers = (id: Ids.DatabaseId) =>
          Layer.mergeAll(
            Layer.succeed(RunEngine, engine),
            Layer.succeed(ApprovalResumer, {} as ApprovalResumer["Service"]),
            jobs,
            Layer.effectDiscard(Effect.addFinalizer(() => end(id)))
          )
        const scope = yield* Scope.make()
        const layer = ServedDatabases.layer({
          own,
          others: [{ id: other, stores: alone, hasRuns: true }],
          workers
        })
        yield* Layer.buildWithScope(Layer.provide(layer, alone), scope)
        const closes = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* Deferred.await(closed)
        yield* Deferred.succeed(replies, undefined)
        assert.isTrue(Exit.isSuccess(yield* Fiber.await(closes)))
      }),
    5000
  )
})
