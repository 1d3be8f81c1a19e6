// What workers do when nodes die and the database is cut off.
import { assert, type Vitest } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { StoreServices } from "@svc-runtime/engine/database/Stores"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { Deferred, Effect, References } from "effect"
import { newId } from "../Samples.ts"
import { kindOf, Payload } from "./workerKinds.ts"
import * as WorkerNode from "./WorkerNode.ts"

export const survivesFaults = (it: Vitest.MethodsNonLive<StoreServices>) => {
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
              takeOver: (takeOver) => alive(store.takeOver(takeOver))
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
          yield* store.takeOver({ node: "heir", executing: [], dead: "every" })
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
          takeOver: (takeOver) => cut(store.takeOver(takeOver))
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
}
