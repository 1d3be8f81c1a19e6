// A caller with a large session state takes no more than a share of a node that executes other runs.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as LargeStateThrottle from "../../src/run/queue/LargeStateThrottle.ts"
import { open, scripted } from "./Engine.ts"

const session = Session.Id.make("session")
const large = { notes: "x".repeat(20_480) }

const storedIn = (millis: number) => Effect.sleep(millis)

/** A run whose end is stored in so many milliseconds. */
const executed = Effect.fnUntraced(function*(
  { after }: LargeStateThrottle.LargeStateThrottle,
  run: { readonly session?: Session.Id; readonly length: number; readonly millis: number }
) {
  const storing = yield* Effect.forkChild(after(run.session ?? session, run.length, storedIn(run.millis)), {
    startImmediately: true
  })
  yield* TestClock.adjust(run.millis)
  yield* Fiber.join(storing)
})

/** How long the next run of the session waits. */
const waited = Effect.fnUntraced(function*({ wait }: LargeStateThrottle.LargeStateThrottle) {
  const next = yield* Effect.forkChild(wait(session), { startImmediately: true })
  let millis = 0
  while (next.pollUnsafe() === undefined) {
    millis++
    yield* TestClock.adjust(1)
  }
  return millis
})

describe("delays between runs with a large session state", () => {
  it.effect("a run waits six times as long as the end of the run before took to be stored", () =>
    Effect.gen(function*() {
      const throttle = LargeStateThrottle.make()
      yield* executed(throttle, { length: 20_000, millis: 5 })
      assert.strictEqual(yield* waited(throttle), 30)
      assert.strictEqual(yield* waited(throttle), 0)
    }))

  it.effect("a slow database does not make the delay of a small state long", () =>
    Effect.gen(function*() {
      const throttle = LargeStateThrottle.make()
      yield* executed(throttle, { length: 12_800, millis: 400 })
      assert.strictEqual(yield* waited(throttle), 100)
    }))

  it.effect("a state of 4 KiB causes no delay, and a session waits for no delay of another one", () =>
    Effect.gen(function*() {
      const throttle = LargeStateThrottle.make()
      yield* executed(throttle, { length: 4096, millis: 5 })
      yield* executed(throttle, { session: Session.Id.make("other"), length: 20_000, millis: 5 })
      assert.strictEqual(yield* waited(throttle), 0)
    }))

  it.effect("runs that are executed at the same time cause a delay of a second at most", () =>
    Effect.gen(function*() {
      const throttle = LargeStateThrottle.make()
      const storing = yield* Effect.forEach(
        [1, 2, 3],
        () => Effect.forkChild(throttle.after(session, 1024 * 1024, storedIn(100)), { startImmediately: true })
      )
      yield* TestClock.adjust(100)
      yield* Fiber.joinAll(storing)
      assert.strictEqual(yield* waited(throttle), 1000)
    }))
})

/** An engine with a run that executes in another session until the test ends. */
const beside = Effect.fnUntraced(function*(words: ReadonlyArray<string>) {
  const requested = yield* Deferred.make<void>()
  const turns: ReadonlyArray<Script.Turn> = [
    ...words.slice(0, 1).map((word): Script.Turn => [text(word)]),
    [Script.wait(Deferred.succeed(requested, undefined)), Script.wait(Effect.never)],
    ...words.slice(1).map((word): Script.Turn => [text(word)])
  ]
  const { command, script } = yield* scripted(turns)
  const { engine } = yield* open({
    drainTimeout: 0,
    around: (store) => ({ ...store, finish: (ending) => Effect.delay(store.finish(ending), 5) })
  })
  const heavy = (id: string, rest: Partial<Parameters<typeof command>[0]> = {}) =>
    engine.start(command({ run_id: Run.Id.make(id), ...rest }))
  /** Executes a run to its end. */
  const through = Effect.fnUntraced(function*(id: string, rest: Partial<Parameters<typeof command>[0]> = {}) {
    const run = yield* heavy(id, rest)
    const output = yield* Effect.forkChild(run.output, { startImmediately: true })
    yield* TestClock.adjust(5)
    return yield* Fiber.join(output)
  })
  yield* through("fill", { session_state: large })
  yield* engine.start(command({ run_id: Run.Id.make("other"), session_id: Session.Id.make("another") }))
  yield* Deferred.await(requested)
  return { engine, heavy, script, through }
})

describe("a node that executes other runs", () => {
  it.effect("a run in a session with a large state begins after the delay of the run before", () =>
    Effect.gen(function*() {
      const { heavy, script, through } = yield* beside(["fill", "one", "two"])
      assert.strictEqual((yield* through("one")).content, "one")
      const second = yield* heavy("two")
      yield* TestClock.adjust(29)
      assert.strictEqual((yield* script.calls).length, 3)
      yield* TestClock.adjust(6)
      assert.strictEqual((yield* second.output).content, "two")
    }))

  it.effect("a run that is cancelled in its delay ends at once, without a call of its model", () =>
    Effect.gen(function*() {
      const { engine, heavy, script, through } = yield* beside(["fill", "one"])
      yield* through("one")
      const second = yield* heavy("two")
      yield* TestClock.adjust(1)
      yield* engine.cancel({ run_id: Run.Id.make("two"), session_id: session, filter: { owner: Owner.anyone } })
      yield* TestClock.adjust(5)
      assert.strictEqual((yield* second.output).status, "CANCELLED")
      assert.strictEqual((yield* script.calls).length, 3)
    }))
})
