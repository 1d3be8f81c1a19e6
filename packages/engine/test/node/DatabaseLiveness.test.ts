// Statements in a database that replies, and in one that is silent.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as SettableClock from "@svc-runtime/test-support/SettableClock"
import { Cause, Deferred, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as DatabaseLiveness from "../../src/node/DatabaseLiveness.ts"
import { open } from "../run/Engine.ts"

/** Passes as much time as a node takes to notice that its database is silent. */
const untilNoticed = ({ loop }: DatabaseLiveness.DatabaseLiveness["Service"]) =>
  Effect.andThen(TestClock.adjust(DatabaseLiveness.minSilenceMillis), Effect.orDie(loop.task))

const silent = DatabaseLiveness.make(Effect.succeed(false))

const nothing = { run_id: "run", onEnd: Effect.void }

describe("a statement in a silent database", () => {
  it.effect("a statement that fails because of the silence is interrupted, and its caller does not wait for that", () =>
    Effect.gen(function*() {
      const isInterrupted = yield* Deferred.make<void>()
      const statement = Effect.onInterrupt(
        Effect.never,
        () => Effect.andThen(Deferred.succeed(isInterrupted, undefined), Effect.never)
      )
      const caller = yield* Effect.forkChild(Effect.flip(silent.orFail(statement)), { startImmediately: true })
      yield* untilNoticed(silent)
      assert.instanceOf(yield* Fiber.join(caller), StorageUnavailable)
      yield* Deferred.await(isInterrupted)
    }))

  it.effect("a caller that is interrupted does not wait for its statement, which is interrupted", () =>
    Effect.gen(function*() {
      const isInterrupted = yield* Deferred.make<void>()
      const statement = Effect.onInterrupt(
        Effect.never,
        () => Effect.andThen(Deferred.succeed(isInterrupted, undefined), Effect.never)
      )
      const caller = yield* Effect.forkChild(silent.orFail(statement), { startImmediately: true })
      yield* Fiber.interrupt(caller)
      yield* Deferred.await(isInterrupted)
    }))

  it.effect("a detached statement continues, and its end is reported once, whether it succeeds or fails", () =>
    Effect.gen(function*() {
      for (const end of [Effect.succeed("stored"), Effect.fail("refused")]) {
        const gate = yield* Deferred.make<string, string>()
        const reported: Array<string> = []
        const whenDetached = { run_id: "run", onEnd: Effect.sync(() => void reported.push("ended")) }
        let isRefused = () => false
        const waiting = silent.orDetach((isCallerRefused) => {
          isRefused = isCallerRefused
          return Deferred.await(gate)
        }, whenDetached)
        const caller = yield* Effect.forkChild(Effect.flip(waiting), { startImmediately: true })
        assert.isFalse(isRefused())
        yield* untilNoticed(silent)
        assert.instanceOf(yield* Fiber.join(caller), StorageUnavailable)
        assert.isTrue(isRefused())
        assert.deepStrictEqual(reported, [])
        yield* untilNoticed(silent)
        yield* Effect.andThen(Deferred.into(end, gate), Effect.yieldNow)
        assert.deepStrictEqual(reported, ["ended"])
      }
    }))

  it.effect("statements are checked only while one of them waits", () =>
    Effect.gen(function*() {
      let checks = 0
      const liveness = DatabaseLiveness.make(Effect.sync(() => ++checks > 0))
      const ended = [liveness.orFail(Effect.succeed(1)), liveness.orDetach(Effect.fail("failed"), nothing)]
      for (const statement of ended) yield* Effect.exit(statement)
      yield* untilNoticed(liveness)
      assert.strictEqual(checks, 0)
      yield* Effect.forkChild(liveness.orFail(Effect.never), { startImmediately: true })
      yield* untilNoticed(liveness)
      assert.strictEqual(checks, 1)
    }))
})

describe("a statement in a database that replies", () => {
  it.effect("a statement gets one fiber, and none beside it watches the database", () =>
    Effect.gen(function*() {
      const liveness = DatabaseLiveness.make(Effect.succeed(true))
      const own = Effect.withFiber(({ id }) => Effect.as(Effect.yieldNow, id))
      const next = Effect.map(Effect.forkChild(Effect.void), ({ id }) => id)
      for (const statement of [liveness.orFail(own), liveness.orDetach(own, nothing)]) {
        const before = yield* next
        assert.strictEqual(yield* statement, before + 1)
        assert.strictEqual(yield* next, before + 2)
      }
    }))

  it.effect("a database with a long queue replies while others of its statements succeed, and is silent when none does", () =>
    Effect.gen(function*() {
      // the statement that asks whether it replies is at the end of the queue
      const { engine } = yield* open({ around: (store) => ({ ...store, cancelRequested: () => Effect.never }) })
      const pass = (meanwhile: Effect.Effect<unknown, StorageUnavailable>) =>
        Effect.andThen(TestClock.adjust("500 millis"), meanwhile).pipe(Effect.repeat({ times: 20 }))
      const slow = yield* Effect.forkChild(engine.whileReplying(Effect.sleep("8 seconds")))
      yield* pass(engine.whileReplying(Effect.void))
      yield* Fiber.join(slow)
      const never = yield* Effect.forkChild(Effect.flip(engine.whileReplying(Effect.never)))
      yield* pass(Effect.void)
      assert.instanceOf(yield* Fiber.join(never), StorageUnavailable)
    }))
})

describe("a database that replies and does not store", () => {
  const full = new StorageUnavailable({ cause: "could not extend file", trouble: "disk" })

  const lines = (logged: ReadonlyArray<ReadonlyArray<unknown>>) => logged.map(([line]) => line)

  it.effect("the first refusal is logged with its reason, the next are not, and the next stored run ends it", () => {
    const logged: Array<ReadonlyArray<unknown>> = []
    const logger = Logger.make(({ logLevel, message }) => {
      logged.push([`${logLevel}: ${String(Array.isArray(message) ? message[0] : message)}`])
    })
    return Effect.gen(function*() {
      const liveness = DatabaseLiveness.make(Effect.succeed(true))
      for (let index = 0; index < 3; index++) {
        yield* Effect.flip(liveness.orDetach(Effect.fail(full), nothing))
        yield* Effect.flip(liveness.orFail(Effect.fail(full)))
      }
      yield* TestClock.adjust("5 seconds")
      yield* liveness.orFail(Effect.void)
      assert.deepStrictEqual(lines(logged), [
        "Error: The disk of the database is full. Runs wait until it is back, and new ones are refused"
      ])
      yield* liveness.orDetach(Effect.void, nothing)
      yield* liveness.orDetach(Effect.void, nothing)
      assert.deepStrictEqual(lines(logged).slice(1), ["Warn: The database stores again after 5 s"])
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("a cause that the background loops meet too is logged once, and its end as well", () => {
    const logged: Array<ReadonlyArray<unknown>> = []
    const logger = Logger.make(({ message }) => {
      logged.push([String(Array.isArray(message) ? message[0] : message)])
    })
    const readOnly = new StorageUnavailable({ cause: "read-only", trouble: "readOnly" })
    return Effect.gen(function*() {
      const { orDetach, probes } = DatabaseLiveness.make(Effect.succeed(true))
      yield* Effect.flip(orDetach(Effect.fail(readOnly), nothing))
      yield* probes.failed("heartbeats", Cause.fail(readOnly))
      yield* Effect.flip(orDetach(Effect.fail(readOnly), nothing))
      yield* TestClock.adjust("3 seconds")
      yield* probes.replied("heartbeats")
      yield* orDetach(Effect.void, nothing)
      assert.deepStrictEqual(lines(logged), [
        "The database is read-only. Runs wait until it is back, and new ones are refused",
        "The database stores again after 3 s"
      ])
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("the node is not ready for ten seconds after a refusal, and until a run is stored at most", () =>
    Effect.gen(function*() {
      const liveness = DatabaseLiveness.make(Effect.succeed(true))
      const refuse = Effect.flip(liveness.orDetach(Effect.fail(full), nothing))
      assert.isTrue(yield* liveness.isAble)
      yield* refuse
      assert.isFalse(yield* liveness.isAble)
      yield* TestClock.adjust("9 seconds")
      yield* refuse
      yield* TestClock.adjust("9 seconds")
      assert.isFalse(yield* liveness.isAble)
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* liveness.isAble)
      yield* refuse
      yield* liveness.orDetach(Effect.void, nothing)
      assert.isTrue(yield* liveness.isAble)
    }))

  it.effect("the node is ready again ten seconds after a refusal, also when its clock is set back meanwhile", () => {
    const shift = { millis: 0 }
    return Effect.gen(function*() {
      const liveness = DatabaseLiveness.make(Effect.succeed(true))
      yield* Effect.flip(liveness.orDetach(Effect.fail(full), nothing))
      shift.millis = -3_600_000
      assert.isFalse(yield* liveness.isAble)
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(yield* liveness.isAble)
    }).pipe(SettableClock.shifted(shift))
  })
})
