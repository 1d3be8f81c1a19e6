// Words are shown before they are stored. A process that is killed in between loses them, and its watchers have seen
// them.
import { assert, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Session from "@svc-runtime/domain/Session"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Context, Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { RunEngine } from "../../src/run/engine/RunEngine.ts"
import * as RunEvents from "../../src/run/events/RunEvents.ts"
import * as ShownWords from "../../src/run/events/ShownWords.ts"
import { RunUnreadable } from "../../src/run/RunErrors.ts"
import { RunStore } from "../../src/run/store/RunStore.ts"
import { UnreadableRow } from "../../src/UnreadableRow.ts"
import { open, scripted, session } from "./Engine.ts"

const publishing = Effect.fnUntraced(function*(lastWord?: RunEvent.RunEvent) {
  const pending: Array<boolean> = []
  const events = yield* RunEvents.make({
    command: { run_id: Run.Id.make("run"), session_id: Session.Id.make("session") },
    component: { kind: "agent", id: "agent", tags: { agent_id: "agent", agent_name: "agent" } } as never,
    isKept: true,
    first: lastWord === undefined ? 0 : lastWord.event_index + 1,
    lastWord,
    onPending: (isShown) => pending.push(isShown),
    onStored: () => {}
  })
  return {
    events,
    pending,
    word: (content = "word") =>
      events.publish({
        event: "RunContent",
        workflow_agent: false,
        content_type: "str",
        reasoning_content: "",
        content
      }),
    /** Of the reasoning, or of a run inside. */
    otherWord: (fields: object) =>
      events.publish({ event: "RunContent", workflow_agent: false, content_type: "str", ...fields } as never),
    other: () => events.publish({ event: "RunContentCompleted" } as never),
    store: () => events.stored(events.unstored())
  }
})

it.effect("words behind a stored word are shown at once, and everything else is shown when it is stored", () =>
  Effect.gen(function*() {
    const { events, other, pending, store, word } = yield* publishing()
    word()
    assert.strictEqual(events.feed.next(), 0, "the first word is stored first")
    store()
    word()
    word()
    assert.strictEqual(events.feed.next(), 3)
    assert.lengthOf(events.unstored(), 2)
    other()
    word()
    assert.strictEqual(events.feed.next(), 3, "a word waits for what is before it")
    store()
    assert.strictEqual(events.feed.next(), 5)
    assert.deepStrictEqual(pending, [false, true, true, false, false])
    word("x".repeat(1000))
    assert.strictEqual(events.feed.next(), 5, "a long text is stored first")
  }))

it.effect("words of the other text, or of another run, are stored first: lost words are all of one kind", () =>
  Effect.gen(function*() {
    for (const fields of [{ reasoning_content: "why" }, { content: "word", reasoning_content: "", run_id: "member" }]) {
      const { events, otherWord, pending, store, word } = yield* publishing()
      word()
      store()
      word()
      otherWord(fields)
      word()
      assert.strictEqual(events.feed.next(), 2)
      store()
      otherWord(fields)
      assert.strictEqual(events.feed.next(), 4)
      store()
      otherWord(fields)
      assert.strictEqual(events.feed.next(), 6)
      assert.deepStrictEqual(pending, [false, true, false, false, false, true])
    }
  }))

it.effect("a run that is far ahead of the store waits for it, and no shown word changes", () =>
  Effect.gen(function*() {
    const { events, pending, store, word } = yield* publishing()
    word()
    store()
    for (let count = 0; count < ShownWords.maxAhead + RunEvents.maxWaiting; count++) word()
    assert.strictEqual(events.feed.next(), 1 + ShownWords.maxAhead)
    assert.strictEqual(pending.indexOf(false, 1), ShownWords.storedSoon, "it is stored soon when it gets far ahead")
    yield* TestClock.adjust(RunEvents.joinAfter + 1)
    const shown = events.feed.from(1)
    word()
    word()
    assert.lengthOf(events.unstored(), ShownWords.maxAhead + RunEvents.maxWaiting)
    store()
    const stored = events.feed.from(1) ?? []
    assert.deepStrictEqual(stored.slice(0, ShownWords.maxAhead), shown)
    assert.strictEqual(
      stored.map((event) => "content" in event ? event.content : "").join(""),
      "word".repeat(ShownWords.maxAhead + RunEvents.maxWaiting + 2)
    )
  }))

/** Stores no word that follows a stored word. */
const losingBy =
  (loss: Effect.Effect<never, StorageUnavailable>) => (store: RunStore["Service"]): RunStore["Service"] => {
    let hasWord = false
    return {
      ...store,
      appendEvents: (batches) =>
        Effect.suspend(() => {
          const hasMore = batches.some(({ events }) => events.some(ShownWords.isWord))
          if (hasWord && hasMore) return loss
          hasWord ||= hasMore
          return store.appendEvents(batches)
        })
    }
  }

/** As if the process was killed before. */
const losing = losingBy(Effect.suspend(() => Effect.fail(new StorageUnavailable({ cause: "killed" }))))

const wordsOf = (events: ReadonlyArray<RunEvent.RunEvent>) =>
  events.flatMap((event) => event.event === "RunContent" && event.content !== "" ? [String(event.content)] : [])

/** A run of which words are shown and not stored when the engine is closed. */
const closedBehind = Effect.fnUntraced(function*(around: (store: RunStore["Service"]) => RunStore["Service"]) {
  const [begun, all] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const { command } = yield* scripted([
    [Script.text("one"), Script.wait(Deferred.await(begun)), Script.text("two", "three"), Script.hang]
  ])
  const before = yield* open({ drainTimeout: 0, eventInterval: "5 millis", around })
  const handle = yield* before.engine.start(command({ stream: true }))
  yield* Effect.forkChild(Stream.runForEach(handle.events, (event) =>
    Effect.suspend(() => {
      if (event.event !== "RunContent") return Effect.void
      if (event.content === "one") return Deferred.succeed(begun, undefined)
      return event.content === "three" ? Deferred.succeed(all, undefined) : Effect.void
    })))
  yield* Deferred.await(begun)
  yield* Deferred.await(all)
  return before
})

it.effect("words that were shown are stored before a node that stops gives its runs back", () =>
  Effect.gen(function*() {
    const order: Array<string> = []
    const { close } = yield* closedBehind((store) => ({
      ...store,
      release: (node) => Effect.suspend(() => (order.push("release"), store.release(node))),
      appendEvents: (batches) =>
        Effect.tap(
          store.appendEvents(batches),
          () => Effect.sync(() => order.push(...batches.flatMap(({ events }) => wordsOf(events))))
        )
    }))
    yield* close
    assert.deepStrictEqual(order, ["one", "two", "three", "release"])
  }))

it.effect("a node whose database does not reply stops in time, and its shown words are lost", () =>
  Effect.gen(function*() {
    const { close } = yield* closedBehind(losingBy(Effect.never))
    const closing = yield* Effect.forkChild(close, { startImmediately: true })
    yield* TestClock.adjust("2 seconds")
    assert.isDefined(closing.pollUnsafe())
  }))

/** A run whose watcher has seen `gone`, which its node could not store before its end. */
const cutOff = Effect.fnUntraced(function*(gone: ReadonlyArray<string>, next: Script.Turn) {
  const [begun, all] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const { agent, command } = yield* scripted([
    [Script.text("one"), Script.wait(Deferred.await(begun)), Script.text(...gone), Script.hang],
    next
  ])
  const before = yield* open({ drainTimeout: 0, around: losing })
  const handle = yield* before.engine.start(command({ stream: true }))
  const seen: Array<RunEvent.RunEvent> = []
  const watching = yield* Effect.forkChild(Stream.runForEach(handle.events, (event) =>
    Effect.suspend(() => {
      seen.push(event)
      const words = wordsOf(seen).length
      if (words === 1) return Deferred.succeed(begun, undefined)
      return words === 1 + gone.length ? Deferred.succeed(all, undefined) : Effect.void
    })))
  yield* Deferred.await(all)
  yield* before.close
  yield* Fiber.await(watching)
  return { agent, memory: before.memory, run_id: handle.run.run_id, seen, last: seen.at(-1)?.event_index ?? -1 }
})

const watched = (engine: RunEngine["Service"], run_id: Run.Id, after: number) =>
  engine.watch({ run_id, session_id: session, filter: { owner: Owner.anyone }, after }).pipe(
    Effect.flatMap(Effect.fromOption),
    Effect.flatMap(({ events }) => Stream.runCollect(events))
  )

const indexesOf = (events: ReadonlyArray<RunEvent.RunEvent>) => events.map(({ event_index }) => event_index)

const gone = Array.from({ length: ShownWords.maxAhead }, (_, index) => `gone ${index}`)

it.effect("a watcher that has seen lost words gets all of the next attempt behind them, in the same numbers", () =>
  Effect.gen(function*() {
    const go = yield* Deferred.make<void>()
    const next = [Script.text("one"), Script.wait(Deferred.await(go)), Script.text("more")]
    const { agent, last, memory, run_id, seen } = yield* cutOff(gone, next)
    assert.deepStrictEqual(wordsOf(seen), ["one", ...gone])

    const { engine } = yield* open({ memory, agents: [agent] })
    yield* engine.recover
    yield* Deferred.succeed(go, undefined)
    const continued = yield* watched(engine, run_id, last)
    assert.deepStrictEqual(wordsOf(continued), ["one", "more"])
    assert.deepStrictEqual(indexesOf(continued), continued.map((_, index) => last + 1 + index))
    assert.strictEqual(continued.at(-1)?.event, "RunCompleted")
    const stored = yield* watched(engine, run_id, -1)
    assert.deepStrictEqual(indexesOf(stored), stored.map((_, index) => index))
    assert.deepStrictEqual(wordsOf(stored), ["one", "one", "more"], "lost words are not stored")
  }))

it.effect("a watcher that has seen lost words gets all of an attempt behind one that stored some events in their place", () =>
  Effect.gen(function*() {
    const { agent, last, memory, run_id, seen } = yield* cutOff(gone, [Script.text("one", "more")])
    const blanks = ShownWords.blanksAfter(seen.find(ShownWords.isWord))
    assert.lengthOf(blanks, ShownWords.maxAhead)
    const stored = { run_id, attempt: 1, events: blanks.slice(0, 5) }
    assert.lengthOf(yield* Context.get(memory, RunStore).appendEvents([stored]), 1)
    const { engine } = yield* open({ memory, agents: [agent] })
    yield* engine.recover
    const continued = yield* watched(engine, run_id, last)
    assert.include(continued.map(({ event }) => event), "RunContinued")
    assert.deepStrictEqual(wordsOf(continued), ["one", "more"])
    assert.deepStrictEqual(indexesOf(continued), continued.map((_, index) => last + 1 + index))
  }))

it.effect("a watcher that has seen lost words gets the end of a run that is set aside", () =>
  Effect.gen(function*() {
    for (const isRead of [true, false]) {
      const { agent, last, memory, run_id } = yield* cutOff(gone, [])
      const unknown = { run_id, attempt: 1, position: 0, entry: { kind: "?" }, events: [] }
      yield* Context.get(memory, RunStore).record(unknown)
      const { engine } = yield* open({
        memory,
        agents: [agent],
        around: (store) => ({
          ...store,
          load: (held) =>
            isRead ? store.load(held) : Effect.fail(new RunUnreadable({ run_id: held.run_id, reason: "it is large" }))
        })
      })
      yield* engine.recover
      const continued = yield* Effect.forkChild(watched(engine, run_id, last), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      const ends = (yield* Fiber.join(continued)).map(({ event, event_index }) => [event, event_index])
      assert.deepStrictEqual(ends, [["RunError", last + 1]])
    }
  }))

it.effect("a run whose last event cannot be read is resumed, because no event is needed for that", () =>
  Effect.gen(function*() {
    const { agent, memory, run_id } = yield* cutOff(gone, [Script.text("one")])
    const { engine, find } = yield* open({
      memory,
      agents: [agent],
      around: (store) => ({
        ...store,
        readEvents: (...args) =>
          args[3].limit === 1
            ? Effect.die(new UnreadableRow({ message: "Damaged columns: events" }))
            : store.readEvents(...args)
      })
    })
    yield* engine.recover
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual((yield* find(run_id)).status, "COMPLETED")
  }))
