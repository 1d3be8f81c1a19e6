// Following a run that is executed elsewhere, or that this process has lost: each event once, to the end of the run, at
// the price of one reader for all who watch.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Session from "@svc-runtime/domain/Session"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { RunEngine } from "../../src/run/engine/RunEngine.ts"
import type { RunStore } from "../../src/run/store/RunStore.ts"
import { kindsOf, open, scripted, session } from "./Engine.ts"

Tier.oneIn(2)

const run_id = Run.Id.make("run")
const request = { run_id, session_id: session, filter: { owner: Owner.anyone } }

const watch = (engine: RunEngine["Service"], after = -1) =>
  Effect.flatMap(engine.watch({ ...request, after }), Effect.fromOption)

const indexes = (events: ReadonlyArray<RunEvent.RunEvent>) => events.map(({ event_index }) => event_index)
const upTo = (last: number) => Array.from({ length: last + 1 }, (_, n) => n)

/** As far as time takes it. */
const settled = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.andThen(
    Effect.repeat(TestClock.adjust("250 millis"), { until: () => fiber.pollUnsafe() !== undefined, times: 100 }),
    Fiber.join(fiber)
  )

const gatedOf = Effect.fnUntraced(function*(options: Parameters<typeof scripted>[1]) {
  const [streaming, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const turn = [text("One"), Script.wait(Deferred.succeed(streaming, undefined)), Script.wait(gate), text("two")]
  const { agent, command } = yield* scripted([turn, [text("Again")]], options)
  return { agent, command, streaming: Deferred.await(streaming), release: Deferred.succeed(gate, undefined) }
})

const gated = gatedOf({})

/** Each run waits for those before it in its session. */
const queued = gatedOf({ addHistoryToContext: true })

describe("watchers of a run that another node takes over", () => {
  it.effect("watchers and the caller who started a run see its events to the end after a takeover, without gap and repeat", () =>
    Effect.gen(function*() {
      const { agent, command, streaming } = yield* gated
      const first = yield* open({ drainTimeout: 0 })
      const handle = yield* first.engine.start(command())
      yield* streaming
      const watchers = yield* Effect.forEach(
        [handle.events, (yield* watch(first.engine)).events, (yield* watch(first.engine, 1)).events],
        (events) => Effect.forkChild(Stream.runCollect(events))
      )
      yield* Effect.repeat(Effect.yieldNow, { times: 50 })
      yield* first.runs.heartbeat({ node: "node", process: null, components: [], format: 1, maxGap: 30 })
      const second = yield* open({ memory: first.memory, agents: [agent], drainTimeout: 0, node: "other" })
      yield* first.runs.release("node")
      assert.strictEqual(yield* second.engine.recover, 1)
      // the first node notices when it has something to store
      yield* first.engine.cancel(request)
      const [started, watched, behind] = yield* Effect.forEach(watchers, settled)
      assert.include(["RunCompleted", "RunCancelled"], kindsOf(started!).at(-1))
      assert.include(kindsOf(started!), "RunContinued")
      assert.deepStrictEqual(indexes(started!), upTo(started!.length - 1))
      assert.deepStrictEqual(watched, started)
      assert.deepStrictEqual(behind, started!.slice(2))
    }))
})

describe("watchers of a run that another node executes", () => {
  it.effect("watchers get an error, and no end of the stream, when an event of the run cannot be read", () =>
    Effect.gen(function*() {
      const { command, streaming } = yield* gated
      const first = yield* open({ drainTimeout: 0 })
      let isDamaged = false
      const second = yield* open({
        memory: first.memory,
        node: "other",
        drainTimeout: 0,
        around: (store) => ({
          ...store,
          pollEvents: (polled, limit) =>
            isDamaged
              ? Effect.succeed(
                polled.map(({ run_id }) => ({ run_id, status: "unreadable", events: [], hasMore: false }) as const)
              )
              : store.pollEvents(polled, limit),
          readEvents: (...args) =>
            isDamaged
              ? Effect.fail(new StorageUnavailable({ cause: "an event does not decode" }))
              : store.readEvents(...args)
        })
      })
      yield* first.engine.start(command())
      yield* streaming
      const watching = yield* Effect.forkChild(Effect.flip(Stream.runDrain((yield* watch(second.engine)).events)))
      yield* Effect.repeat(Effect.yieldNow, { times: 50 })
      isDamaged = true
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(watching))._tag, "StorageUnavailable")
    }))

  it.effect("a watcher that is ahead of the stored events delays no other watcher of the run", () =>
    Effect.gen(function*() {
      const [streaming, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const wait = Script.wait(Deferred.succeed(streaming, undefined))
      const { command } = yield* scripted([[
        text("One"),
        wait,
        Script.wait(Deferred.await(gate)),
        text("two"),
        Script.hang
      ]])
      const first = yield* open({ drainTimeout: 0 })
      const second = yield* open({ memory: first.memory, node: "other", drainTimeout: 0 })
      yield* first.engine.start(command())
      yield* Deferred.await(streaming)
      yield* Effect.forkChild(Stream.runDrain((yield* watch(second.engine, 1000)).events))
      yield* TestClock.adjust("1 second")
      const isTwo = (event: RunEvent.RunEvent) => event.event === "RunContent" && event.content === "two"
      const { events } = yield* watch(second.engine)
      const behind = yield* Effect.forkChild(Stream.runCollect(Stream.takeUntil(events, isTwo)))
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("10 seconds")
      assert.notStrictEqual(behind.pollUnsafe(), undefined, "it waits for news of the run")
      const seen = yield* Fiber.join(behind)
      assert.deepStrictEqual(indexes(seen), upTo(seen.length - 1))
    }))
})

describe("a node that stops", () => {
  it.effect("a node that stops tells watchers and waiting callers that the run continues on another node", () =>
    Effect.gen(function*() {
      const { command, streaming } = yield* gated
      const first = yield* open({ drainTimeout: 0 })
      const second = yield* open({ memory: first.memory, node: "other", drainTimeout: 0 })
      const handle = yield* first.engine.start(command())
      yield* streaming
      const waiting = yield* Effect.forEach([
        Stream.runDrain(handle.events),
        Effect.asVoid(handle.output),
        Stream.runDrain((yield* watch(first.engine)).events),
        Effect.asVoid(first.engine.output(request)),
        Stream.runDrain((yield* watch(second.engine)).events),
        Effect.asVoid(second.engine.output(request))
      ], (each) => Effect.forkChild(Effect.flip(each)))
      yield* Effect.repeat(Effect.yieldNow, { times: 50 })
      yield* first.close
      yield* second.close
      for (const fiber of waiting) assert.deepInclude(yield* settled(fiber), { _tag: "RunHandedOver", run_id })
    }))

  it.effect("a node that begins to stop ends the waits for runs of other nodes, and shows its own runs to their ends", () =>
    Effect.gen(function*() {
      const { command, release, streaming } = yield* gated
      const first = yield* open({ drainTimeout: 0 })
      const second = yield* open({ memory: first.memory, node: "other", drainTimeout: 0 })
      yield* first.engine.start(command())
      yield* streaming
      const waits = Effect.fnUntraced(function*({ engine }: typeof first) {
        const { events } = yield* watch(engine)
        return yield* Effect.forEach(
          [Stream.runDrain(events), Effect.asVoid(engine.output(request))],
          (each) => Effect.forkChild(Effect.exit(each))
        )
      })
      const [own, others] = [yield* waits(first), yield* waits(second)]
      yield* Effect.repeat(Effect.yieldNow, { times: 50 })
      yield* first.engine.endFollowing
      yield* second.engine.endFollowing
      for (const fiber of [...others, ...yield* waits(second)]) {
        const failed = yield* Effect.flip(Effect.flatten(settled(fiber)))
        assert.deepInclude(failed, { _tag: "RunHandedOver", run_id, reason: "stopping" })
      }
      yield* release
      for (const fiber of own) assert.strictEqual((yield* settled(fiber))._tag, "Success")
    }))
})

describe("a run that waits for a run of another node in its session", () => {
  it.effect("a node that begins to stop gives the run back and tells its callers, and another node executes it", () =>
    Effect.gen(function*() {
      const { agent, command, release, streaming } = yield* queued
      const first = yield* open({ agents: [agent], drainTimeout: 0 })
      const second = yield* open({ memory: first.memory, node: "other", drainTimeout: "1 hour" })
      yield* first.engine.start(command())
      yield* streaming
      const behind = Run.Id.make("behind")
      const handle = yield* second.engine.start(command({ run_id: behind, stream: true }))
      const waiting = yield* Effect.forEach(
        [Stream.runDrain(handle.events), Effect.asVoid(handle.output)],
        (each) => Effect.forkChild(Effect.flip(each))
      )
      yield* Effect.repeat(Effect.yieldNow, { times: 50 })
      yield* second.engine.endFollowing
      for (const fiber of waiting) {
        assert.deepInclude(yield* settled(fiber), { _tag: "RunHandedOver", run_id: behind, reason: "stopping" })
      }
      yield* second.close
      yield* release
      const ended = Effect.andThen(TestClock.adjust("1 second"), first.find("behind"))
      yield* Effect.repeat(ended, { until: ({ status }) => status === "COMPLETED", times: 20 })
      assert.deepInclude(yield* first.find("behind"), { status: "COMPLETED", content: "Again" })
    }))

  it.effect("a node that stops tells its callers although its database is frozen, also callers that wait for a statement", () =>
    Effect.gen(function*() {
      const { agent, command, streaming } = yield* queued
      const [frozen, thawed] = [{ is: false }, yield* Deferred.make<void>()]
      const freezing = <A, E>(statement: Effect.Effect<A, E>) =>
        Effect.suspend(() =>
          frozen.is ? Effect.uninterruptible(Effect.andThen(Deferred.await(thawed), statement)) : statement
        )
      const first = yield* open({ agents: [agent], drainTimeout: 0 })
      const second = yield* open({
        memory: first.memory,
        node: "other",
        drainTimeout: 0,
        around: (store) => ({
          ...store,
          readEvents: (...given) => freezing(store.readEvents(...given)),
          postpone: (run) => freezing(store.postpone(run)),
          dequeue: (given) => freezing(store.dequeue(given))
        })
      })
      yield* first.engine.start(command())
      yield* streaming
      const behind = Run.Id.make("behind")
      const handle = yield* second.engine.start(command({ run_id: behind, stream: true }))
      const elsewhere = yield* watch(second.engine)
      const flipped = (events: Stream.Stream<unknown, unknown>) =>
        Effect.forkChild(Effect.flip(Stream.runDrain(events)), { startImmediately: true })
      const own = yield* flipped(handle.events)
      yield* Effect.repeat(Effect.yieldNow, { times: 50 })
      frozen.is = true
      const reading = yield* flipped(elsewhere.events)
      yield* Effect.forkChild(second.engine.endFollowing, { startImmediately: true })
      assert.deepInclude(yield* settled(own), { _tag: "RunHandedOver", run_id: behind, reason: "stopping" })
      yield* second.engine.handOver
      yield* TestClock.adjust("1 second")
      yield* Effect.repeat(Effect.yieldNow, { times: 50 })
      assert.isDefined(reading.pollUnsafe())
      assert.deepInclude(yield* Fiber.join(reading), { _tag: "RunHandedOver", run_id, reason: "stopping" })
      yield* Deferred.succeed(thawed, undefined)
    }))

  it.effect("a node that begins to stop does not interrupt a run that begins meanwhile", () =>
    Effect.gen(function*() {
      // as many as are released at a time, and one that begins before its turn
      const sessions = Array.from({ length: 9 }, (_, index) => Session.Id.make(`session-${index}`))
      const [ended, last, begun] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      const blocked = yield* Deferred.make<void>()
      const turns = sessions.map((_, index) => index === 8 ? [Script.wait(ended), text("One")] : [Script.hang])
      const own = [Script.wait(Deferred.succeed(begun, undefined)), Script.wait(last), text("Again")]
      const { agent, command } = yield* scripted([...turns, own], { addHistoryToContext: true })
      const first = yield* open({ agents: [agent], drainTimeout: 0 })
      const second = yield* open({
        memory: first.memory,
        node: "other",
        around: (store) => ({
          ...store,
          postpone: (run) => Effect.andThen(Deferred.await(blocked), store.postpone(run))
        })
      })
      const start = ({ engine }: typeof first, name: string) =>
        Effect.forEach(sessions, (session_id) =>
          Effect.tap(
            engine.start(command({ session_id, run_id: Run.Id.make(`${name}-${session_id}`) })),
            () => Effect.repeat(Effect.yieldNow, { times: 50 })
          ))
      yield* start(first, "first")
      const handles = yield* start(second, "behind")
      const stopping = yield* Effect.forkChild(second.engine.endFollowing, { startImmediately: true })
      yield* Deferred.succeed(ended, undefined)
      yield* settled(yield* Effect.forkChild(Deferred.await(begun)))
      yield* Deferred.succeed(blocked, undefined)
      yield* settled(stopping)
      yield* Deferred.succeed(last, undefined)
      const output = yield* Effect.forkChild(handles[8]!.output)
      assert.deepInclude(yield* settled(output), { content: "Again" })
    }))

  it.effect("a node that begins to stop executes a run that waits for its own run", () =>
    Effect.gen(function*() {
      const { command, release, streaming } = yield* queued
      const { engine } = yield* open()
      yield* engine.start(command())
      yield* streaming
      const handle = yield* engine.start(command({ run_id: Run.Id.make("behind") }))
      yield* engine.endFollowing
      yield* release
      assert.deepInclude(yield* settled(yield* Effect.forkChild(handle.output)), { content: "Again" })
    }))
})

describe("a thousand watchers of one run on another node", () => {
  it.effect("watchers of a run are fed by one statement at a time, and waiting for its output reads the run once", () =>
    Effect.gen(function*() {
      const { command, release, streaming } = yield* gated
      const first = yield* open()
      const reads = { polls: 0, finds: 0, pages: 0 }
      const counting = (store: RunStore["Service"]): RunStore["Service"] => ({
        ...store,
        pollEvents: (polled, limit) => Effect.suspend(() => (reads.polls++, store.pollEvents(polled, limit))),
        readEvents: (...args) => Effect.suspend(() => (reads.pages++, store.readEvents(...args))),
        find: (...args) => Effect.suspend(() => (reads.finds++, store.find(...args)))
      })
      const second = yield* open({ memory: first.memory, node: "other", around: counting })
      yield* first.engine.start(command())
      yield* streaming
      const { count, events } = yield* watch(second.engine)
      const watchers = yield* Effect.forEach(
        upTo(999),
        () => Effect.forkChild(Stream.runCollect(Stream.drop(events, count)))
      )
      const output = yield* Effect.forkChild(second.engine.output(request))
      yield* TestClock.adjust("10 seconds")
      yield* release
      assert.isAtMost(reads.polls, 45)
      assert.isAtMost(reads.pages, 1002)
      assert.strictEqual(reads.finds, 0)
      for (const fiber of watchers) assert.strictEqual(kindsOf(yield* settled(fiber)).at(-1), "RunCompleted")
      yield* settled(output)
      assert.strictEqual(reads.finds, 1)
    }))
})

describe("a run with more events than are kept in memory", () => {
  it.effect("a run with more events than are kept in memory is complete for late and slow watchers and its caller", () =>
    Effect.gen(function*() {
      const [streaming, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const words = Array.from({ length: 1500 }, () => text("word ".repeat(60)))
      const { command } = yield* scripted([[
        ...words,
        Script.wait(Deferred.succeed(streaming, undefined)),
        Script.wait(gate),
        text("end")
      ]])
      const { engine } = yield* open()
      const handle = yield* engine.start(command())
      const slow = yield* Effect.forkChild(
        Stream.runCollect(Stream.mapEffect((yield* watch(engine)).events, (event) => Effect.as(Effect.yieldNow, event)))
      )
      yield* Deferred.await(streaming)
      const late = yield* Effect.forkChild(Stream.runCollect((yield* watch(engine)).events))
      yield* Deferred.succeed(gate, undefined)
      const all = yield* Stream.runCollect(handle.events)
      assert.isAbove(all.length, 1500)
      assert.deepStrictEqual(indexes(all), upTo(all.length - 1))
      assert.deepStrictEqual(yield* Fiber.join(slow), all)
      assert.deepStrictEqual(yield* Fiber.join(late), all)
    }))
})
