// Opening and closing the databases of a service.
import { assert, describe, it } from "@effect/vitest"
import { Ids } from "@svc/domain"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { ServedDatabases } from "../../src/database/ServedDatabases.ts"
import * as Stores from "../../src/database/Stores.ts"
import { RunEngine } from "../../src/run/RunEngine.ts"
import { ApprovalResumer } from "../../src/service/ApprovalResumer.ts"

const [own, other] = [Ids.DatabaseId.make("own"), Ids.DatabaseId.make("other")]

describe("ServedDatabases", () => {
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
