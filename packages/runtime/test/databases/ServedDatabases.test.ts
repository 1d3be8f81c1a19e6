// Opening and closing the databases of a service.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc/domain/Ids"
import * as Owner from "@svc/domain/Owner"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option, Schema, Scope } from "effect"
import { ServedDatabases } from "../../src/database/ServedDatabases.ts"
import * as Stores from "../../src/database/Stores.ts"
import * as JobKind from "../../src/jobs/JobKind.ts"
import * as Jobs from "../../src/jobs/Jobs.ts"
import { JobStore } from "../../src/jobs/JobStore.ts"
import { RunEngine } from "../../src/run/RunEngine.ts"
import { ApprovalResumer } from "../../src/service/ApprovalResumer.ts"

const [own, other] = [Ids.DatabaseId.make("own"), Ids.DatabaseId.make("other")]

const idle = { enqueued: Effect.void, cancelled: Effect.void }
const jobs = Layer.effect(Jobs.Jobs, JobStore.useSync((store) => Jobs.make(store, 1000, idle)))

describe("ServedDatabases", () => {
  it.effect("a job is stored in the database into which it is enqueued", () =>
    Effect.gen(function*() {
      const workers = () =>
        Layer.mergeAll(
          Layer.succeed(RunEngine, {} as RunEngine["Service"]),
          Layer.succeed(ApprovalResumer, {} as ApprovalResumer["Service"]),
          jobs
        )
      const layer = ServedDatabases.layer({ own, others: [{ id: other, stores: Stores.layerMemory }], workers })
      const context = yield* Layer.build(Layer.provide(layer, Stores.layerMemory))
      const served = Context.get(context, ServedDatabases)
      const kind = JobKind.make({ name: "work", payload: Schema.Null, handle: () => Effect.void })
      const { id } = yield* (yield* served.get(other)).jobs.enqueue(kind, null)
      const isIn = (database: Ids.DatabaseId) =>
        Effect.flatMap(served.get(database), ({ database }) => database.jobs.find(id, Owner.anyone))
      assert.isTrue(Option.isSome(yield* isIn(other)))
      assert.isTrue(Option.isNone(yield* isIn(own)))
    }))

  it.effect.each([[own, other], [other, own]])(
    "The workers of the database %s are closed although those of %s wait for their database.",
    ([, waiting]) =>
      Effect.gen(function*() {
        const [closed, answers] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const end = (id: Ids.DatabaseId) =>
          id === waiting ? Deferred.await(answers) : Deferred.succeed(closed, undefined)
        const workers = (id: Ids.DatabaseId) =>
          Layer.mergeAll(
            Layer.succeed(RunEngine, {} as RunEngine["Service"]),
            Layer.succeed(ApprovalResumer, {} as ApprovalResumer["Service"]),
            jobs,
            Layer.effectDiscard(Effect.addFinalizer(() => end(id)))
          )
        const scope = yield* Scope.make()
        const layer = ServedDatabases.layer({ own, others: [{ id: other, stores: Stores.layerMemory }], workers })
        yield* Layer.buildWithScope(Layer.provide(layer, Stores.layerMemory), scope)
        const closes = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* Deferred.await(closed)
        yield* Deferred.succeed(answers, undefined)
        assert.isTrue(Exit.isSuccess(yield* Fiber.await(closes)))
      }),
    5000
  )
})
