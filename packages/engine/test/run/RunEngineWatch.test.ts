// Watching a run: from its beginning or from any index, by many at once, while it executes and afterwards, on the node
// that executes it and on any other. Nothing is missed and nothing comes twice.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { RunEngine } from "../../src/run/engine/RunEngine.ts"
import { eventsOf, kindsOf, open, scripted, session } from "./Engine.ts"

const run_id = Run.Id.make("run")
const request = { run_id, session_id: session, filter: { owner: Owner.anyone }, after: -1 }

const watch = (engine: RunEngine["Service"], after = -1) =>
  Effect.flatMap(engine.watch({ ...request, after }), Effect.fromOption)

const indexes = (events: ReadonlyArray<RunEvent.RunEvent>) => events.map(({ event_index }) => event_index)
const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n)

/** A run that waits in the middle of its answer. */
const waiting = Effect.gen(function*() {
  const [streaming, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const { command } = yield* scripted([[
    text("One", "two"),
    Script.wait(Deferred.succeed(streaming, undefined)),
    Script.wait(gate),
    text("three")
  ]])
  return { command, streaming: Deferred.await(streaming), release: Deferred.succeed(gate, undefined) }
})

describe("a run that is executing", () => {
  it.effect("every watcher sees a run from its beginning to its end, whenever they start", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const { command, release, streaming } = yield* waiting
      const handle = yield* engine.start(command())
      const starter = yield* Effect.forkChild(eventsOf(handle))
      yield* streaming
      const { count, events, status } = yield* watch(engine)
      assert.strictEqual(status, "RUNNING")
      assert.isAbove(count, 0)
      const early = yield* Effect.forkChild(Stream.runCollect(events))
      const slow = yield* Effect.forkChild(
        Stream.runCollect(Stream.mapEffect(events, (event) => Effect.as(Effect.yieldNow, event)))
      )
      yield* release
      const all = yield* Fiber.join(starter)
      assert.deepStrictEqual(yield* Fiber.join(early), all)
      assert.deepStrictEqual(yield* Fiber.join(slow), all)
      assert.deepStrictEqual(yield* Stream.runCollect((yield* watch(engine)).events), all, "afterwards, from the store")
      assert.strictEqual(all.at(-1)?.event, "RunCompleted")
      assert.deepStrictEqual(indexes(all), upTo(0, all.length - 1))
    }))

  it.effect("a watch starts after any event, before and after the run has ended", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const { command, release, streaming } = yield* waiting
      const handle = yield* engine.start(command())
      yield* streaming
      const before = yield* Effect.forkChild(
        Effect.forEach([-1, 0, 2, 500], (after) =>
          Effect.flatMap(watch(engine, after), ({ events }) => Stream.runCollect(events)), { concurrency: "unbounded" })
      )
      yield* release
      const last = indexes(yield* eventsOf(handle)).at(-1)!
      const expected = [upTo(0, last), upTo(1, last), upTo(3, last), []]
      assert.deepStrictEqual((yield* Fiber.join(before)).map(indexes), expected)
      for (const [n, after] of [-1, 0, 2, 500].entries()) {
        assert.deepStrictEqual(indexes(yield* Stream.runCollect((yield* watch(engine, after)).events)), expected[n])
      }
    }))

  it.effect("at most eight pages of events are read at a time, however many watchers there are", () =>
    Effect.gen(function*() {
      let [reading, most, reads] = [0, 0, 0]
      const counted = <A, E>(read: Effect.Effect<A, E>) =>
        Effect.acquireUseRelease(
          Effect.sync(() => (most = Math.max(most, ++reading))),
          () => Effect.andThen(Effect.sleep("1 second"), read),
          () => Effect.sync(() => (reads++, reading--))
        )
      const { engine } = yield* open({
        around: (store) => ({
          ...store,
          readEvents: (session_id, id, filter, range) => {
            const read = store.readEvents(session_id, id, filter, range)
            return range.limit === 0 ? read : counted(read)
          }
        })
      })
      const { command } = yield* scripted([[text("Hello")]])
      yield* (yield* engine.start(command({ stream: false, background: true }))).output
      const watchers = yield* Effect.forEach(
        Array.from({ length: 40 }),
        () => Effect.flatMap(watch(engine), ({ events }) => Effect.forkChild(Stream.runCollect(events)))
      )
      yield* TestClock.adjust("20 seconds")
      for (const watcher of watchers) assert.strictEqual(kindsOf(yield* Fiber.join(watcher)).at(-1), "RunCompleted")
      assert.isAtLeast(reads, 40)
      assert.strictEqual(most, 8)
    }))

  it.effect("a background run without a stream can be watched as well", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const { command } = yield* scripted([[text("Hello")]])
      yield* (yield* engine.start(command({ stream: false, background: true }))).output
      const all = yield* Stream.runCollect((yield* watch(engine)).events)
      assert.strictEqual(kindsOf(all)[0], "RunStarted")
      assert.strictEqual(kindsOf(all).at(-1), "RunCompleted")
    }))

  it.effect("events are stored as they come, so that other nodes show them within a quarter of a second", () =>
    Effect.gen(function*() {
      const { engine, memory } = yield* open()
      const other = yield* open({ memory, node: "other" })
      const { command, release, streaming } = yield* waiting
      const handle = yield* engine.start(command())
      yield* streaming
      const elsewhere = yield* watch(other.engine)
      const reading = yield* Effect.forkChild(Stream.runCollect(elsewhere.events))
      const first = yield* Effect.forkChild(Stream.runCollect(Stream.take(elsewhere.events, 3)))
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(indexes(yield* Fiber.join(first)), [0, 1, 2])
      yield* release
      const all = yield* eventsOf(handle)
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(yield* Fiber.join(reading), all)
    }))

  it.effect("the end of a run is shown to others only when it is stored", () =>
    Effect.gen(function*() {
      const [storing, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { engine } = yield* open({
        around: (store) => ({
          ...store,
          finish: (ending) =>
            Deferred.succeed(storing, undefined).pipe(
              Effect.andThen(Deferred.await(gate)),
              Effect.andThen(store.finish(ending))
            )
        })
      })
      const { command } = yield* scripted([[text("Hello")]])
      yield* engine.start(command())
      yield* Deferred.await(storing)
      const seen: Array<string> = []
      const { events } = yield* watch(engine)
      const watching = yield* Effect.forkChild(
        Stream.runForEach(events, ({ event }) => Effect.sync(() => void seen.push(event)))
      )
      yield* Effect.yieldNow
      assert.notInclude(seen, "RunCompleted")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(watching)
      assert.strictEqual(seen.at(-1), "RunCompleted")
    }))
})

describe("watching", () => {
  it.effect("a watcher finds only runs that they may see", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const { command } = yield* scripted([[text("Hello")]])
      const ada = Ids.UserId.make("ada")
      yield* (yield* engine.start(command({ user_id: ada }))).output
      const sees = (owner: Owner.Owner) => Effect.map(engine.watch({ ...request, filter: { owner } }), Option.isSome)
      assert.isTrue(yield* sees(Owner.anyone))
      assert.isTrue(yield* sees(Owner.user(ada)))
      assert.isFalse(yield* sees(Owner.user(Ids.UserId.make("bob"))))
      assert.isFalse(yield* sees(Owner.none))
    }))

  it.effect("the stream of a run that is removed meanwhile ends", () =>
    Effect.gen(function*() {
      const { engine, memory, sessions } = yield* open()
      const other = yield* open({ memory, node: "other" })
      const { command, release, streaming } = yield* waiting
      yield* engine.start(command())
      yield* streaming
      const elsewhere = yield* watch(other.engine)
      const reading = yield* Effect.forkChild(Stream.runCollect(elsewhere.events))
      yield* sessions.remove([session], Owner.anyone)
      yield* TestClock.adjust("250 millis")
      yield* Fiber.join(reading)
      yield* release
    }))
})
