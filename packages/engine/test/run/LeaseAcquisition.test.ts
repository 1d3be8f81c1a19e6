// What a node does about runs that it may hold without knowing: it asks for those, and accepts other runs meanwhile.
import { assert, describe, it } from "@effect/vitest"
import * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Deferred, Effect, Fiber, FiberSet, Option } from "effect"
import { TestClock } from "effect/testing"
import type { Acquired, Takeover } from "../../src/node/LeasedRuns.ts"
import * as LeaseAcquisition from "../../src/run/leases/LeaseAcquisition.ts"
import type { RunStore } from "../../src/run/store/RunStore.ts"

const away = new StorageUnavailable({ cause: "reset" })
const runId = (name: string) => Run.Id.make(name)

const made = Effect.fnUntraced(function*(answer: Effect.Effect<ReadonlyArray<never>, StorageUnavailable>) {
  const takeovers: Array<Takeover> = []
  const takeOver: RunStore["Service"]["takeOver"] = (takeover) =>
    Effect.suspend(() => {
      takeovers.push(takeover)
      return answer
    })
  const acquisition = yield* LeaseAcquisition.make({
    leases: { takeOver } as RunStore["Service"],
    node: "node",
    eligible: () => Effect.succeed({}),
    rareness: () => 1,
    executing: new Map(),
    isQueued: () => false,
    maxRecovered: 1000
  })
  const recovery = { recovering: yield* FiberSet.make<void>(), recover: () => Effect.void }
  const refuse = (name: string) =>
    Effect.andThen(
      acquisition.refuse(runId(name), "refused"),
      Effect.ignore(acquisition.acquire(runId(name), away, Effect.succeed))
    )
  return { acquisition, recover: acquisition.recover(recovery), takeovers, refuse }
})

/** A node that finds this run, once. */
const storing = Effect.fnUntraced(function*(stored: Pick<Acquired, "begin_id" | "holder" | "run_id">) {
  const [executing, cancelled, found] = [new Map<Run.Id, unknown>(), new Array<Run.Id>(), [stored as Acquired]]
  const leases: Partial<RunStore["Service"]> = {
    takeOver: () => Effect.sync(() => found.splice(0)),
    requestCancel: (run) => Effect.sync(() => (cancelled.push(run), Option.none()))
  }
  const acquisition = yield* LeaseAcquisition.make({
    leases: leases as RunStore["Service"],
    node: "node",
    eligible: () => Effect.succeed({}),
    rareness: () => 1,
    executing,
    isQueued: () => false,
    maxRecovered: 1000
  })
  const recovery = { recovering: yield* FiberSet.make<void>(), recover: () => Effect.void }
  return { acquisition, cancelled, executing, recover: acquisition.recover(recovery) }
})

describe("a node with uncertain runs", () => {
  it.effect("a node accepts runs while it asks for uncertain runs by their ids", () =>
    Effect.gen(function*() {
      const [isAsking, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { acquisition, recover, takeovers, refuse } = yield* made(
        Deferred.succeed(isAsking, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.as([]))
      )
      yield* refuse("lost")
      const recovering = yield* Effect.forkChild(recover)
      yield* Deferred.await(isAsking)
      assert.deepStrictEqual(takeovers[0]?.only, [runId("lost")])
      const accepted = yield* Effect.forkChild(
        acquisition.acquire(runId("next"), Effect.succeed("stored"), Effect.succeed),
        { startImmediately: true }
      )
      yield* Effect.repeat(Effect.yieldNow, { times: 20 })
      assert.isDefined(accepted.pollUnsafe(), "it does not wait for the answer")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(recovering)
    }))

  it.effect("a node asks for all of its runs when uncertain runs are too many to remember", () =>
    Effect.gen(function*() {
      const { recover, takeovers, refuse } = yield* made(Effect.succeed([]))
      for (let n = 0; n < 10_000; n++) yield* refuse(`lost ${n}`)
      yield* recover
      assert.strictEqual(takeovers[0]?.only?.length, 10_000)
      yield* refuse("one more")
      takeovers.length = 0
      yield* recover
      assert.isUndefined(takeovers[0]?.only)
    }))

  it.effect("A node has no room for more uncertain runs than it can remember, until the database has answered.", () =>
    Effect.gen(function*() {
      const { acquisition, refuse } = yield* made(Effect.succeed([]))
      for (let n = 0; n < 9999; n++) yield* refuse(`lost ${n}`)
      assert.isFalse(acquisition.isFull())
      yield* refuse("the last one")
      assert.isTrue(acquisition.isFull())
      yield* Effect.andThen(acquisition.awaitUncertain, acquisition.clearUncertain)
      assert.isFalse(acquisition.isFull())
    }))

  it.effect("A node remembers a refused run whose statement may be in progress, although the database has answered.", () =>
    Effect.gen(function*() {
      const { acquisition, cancelled, recover } = yield* storing({
        run_id: runId("late"),
        begin_id: "first",
        holder: "node"
      })
      yield* acquisition.refuse(runId("late"), "first")
      yield* acquisition.refuse(runId("late"), "second")
      yield* Effect.andThen(acquisition.awaitUncertain, acquisition.clearUncertain)
      yield* recover
      assert.deepStrictEqual(cancelled, [runId("late")])
    }))

  it.effect.each(["another node", ""])(
    "a refused run that a node has accepted since is not cancelled: held by '%s'",
    (holder) =>
      Effect.gen(function*() {
        const { acquisition, cancelled, recover } = yield* storing({
          run_id: runId("again"),
          begin_id: "refused",
          holder
        })
        yield* acquisition.refuse(runId("again"), "refused")
        yield* recover
        assert.deepStrictEqual(cancelled, [])
      })
  )

  it.effect("a run is not cancelled because this node has refused an earlier start with its id", () =>
    Effect.gen(function*() {
      // the reply of the statement that took it over was lost
      const { acquisition, cancelled, recover } = yield* storing({
        run_id: runId("again"),
        begin_id: "accepted",
        holder: "node"
      })
      yield* acquisition.refuse(runId("again"), "refused")
      yield* acquisition.markUncertain(runId("again"))
      yield* recover
      assert.deepStrictEqual(cancelled, [])
    }))

  it.effect("a refused run that was executed elsewhere and is continued here is not cancelled", () =>
    Effect.gen(function*() {
      const id = runId("again")
      const { acquisition, cancelled, recover } = yield* storing({ run_id: id, begin_id: "refused", holder: "node" })
      yield* acquisition.refuse(id, "refused")
      yield* Effect.ignore(acquisition.acquireStored(id, Effect.fail(away), Effect.succeed))
      yield* recover
      assert.deepStrictEqual(cancelled, [])
    }))

  it.effect("a node that continues a run still looks for what it may hold of it", () =>
    Effect.gen(function*() {
      const { acquisition, recover, takeovers } = yield* made(Effect.succeed([]))
      yield* acquisition.markUncertain(runId("continued"))
      yield* acquisition.acquireStored(runId("continued"), Effect.void, Effect.succeed)
      yield* recover
      assert.deepStrictEqual(takeovers[0]?.only, [runId("continued")])
    }))

  it.effect("a node looks again for a run that it has not found, and not any more when no statement is in progress", () =>
    Effect.gen(function*() {
      const { acquisition, recover, takeovers, refuse } = yield* made(Effect.succeed([]))
      yield* refuse("lost")
      yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(acquisition.awaitUncertain, Effect.andThen(recover, acquisition.clearUncertain))
        ),
        { startImmediately: true }
      )
      const looks: Array<number> = []
      for (let seconds = 0; seconds < 300; seconds++) {
        const before = takeovers.length
        yield* TestClock.adjust("1 second")
        if (takeovers.length > before) looks.push(seconds + 1)
      }
      assert.deepStrictEqual(looks, [1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96])
      assert.isTrue(takeovers.every(({ only }) => only?.includes(runId("lost"))))
    }))

  it.effect("a run that is accepted under an id that was refused before is not ended as refused", () =>
    Effect.gen(function*() {
      const id = runId("again")
      const { acquisition, cancelled, executing, recover } = yield* storing({
        run_id: id,
        begin_id: "refused",
        holder: "node"
      })
      yield* acquisition.refuse(id, "refused")
      yield* Effect.andThen(acquisition.awaitUncertain, acquisition.clearUncertain)
      yield* acquisition.acquire(id, Effect.void, () => Effect.sync(() => executing.set(id, undefined)))
      // the statement of the request that was refused fails, because the id is in use
      yield* acquisition.refuse(id, "refused")
      executing.delete(id)
      yield* recover
      assert.deepStrictEqual(cancelled, [])
    }))

  it.effect("a node forgets uncertain runs once the database has answered", () =>
    Effect.gen(function*() {
      const { acquisition, recover, takeovers, refuse } = yield* made(Effect.succeed([]))
      yield* refuse("lost")
      yield* acquisition.awaitUncertain
      yield* recover
      yield* acquisition.clearUncertain
      takeovers.length = 0
      yield* recover
      assert.deepStrictEqual(takeovers[0]?.only, [])
    }))
})

describe("a node that takes over runs among others", () => {
  /** The runs that it has taken at once, and after each of three pauses. */
  const takenAt = Effect.fnUntraced(function*(rareness: number) {
    let taken = 0
    const acquisition = yield* LeaseAcquisition.make({
      leases: {
        takeOver: ({ limit, suspects }: Takeover) =>
          Effect.sync(() => {
            const count = suspects === true ? 0 : Math.min(limit, 250 - taken)
            return Array.from(
              { length: count },
              () => ({ run_id: runId(`run-${taken++}`), holder: "lost" }) as Acquired
            )
          })
      } as unknown as RunStore["Service"],
      node: "node",
      eligible: () => Effect.succeed({}),
      rareness: () => rareness,
      executing: new Map(),
      isQueued: () => false,
      maxRecovered: 1000
    })
    const recovering = yield* FiberSet.make<void>()
    const passing = yield* Effect.forkChild(
      acquisition.takeOver({ recovering, recover: () => Effect.void }),
      { startImmediately: true }
    )
    const counts: Array<number> = []
    for (let pauses = 0; pauses < 4; pauses++) {
      yield* TestClock.adjust(pauses === 0 ? 0 : 250)
      counts.push(taken)
    }
    yield* Fiber.interrupt(passing)
    return counts
  })

  it.effect("a node among few takes all runs at once", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* takenAt(1), [250, 250, 250, 250])
    }))

  it.effect("a node among many takes a few runs at a time, and leaves time to the others", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* takenAt(5), [20, 40, 60, 80])
    }))
})
