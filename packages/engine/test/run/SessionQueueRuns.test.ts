// Runs of one session: one after the other, in the order of acceptance, here and on other nodes.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { linesOf } from "../../../agents/test/agent/Harness.ts"
import { RunUnreadable } from "../../src/run/RunErrors.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { eventsOf, kindsOf, open, scripted, session } from "./Engine.ts"

const runIn = (id: string) => ({ run_id: Run.Id.make(id) })
const anyone = { owner: Owner.anyone }
const remembering = { addHistoryToContext: true }

/** A turn of a model that says a word when it is let. */
const gated = Effect.fnUntraced(function*(word: string) {
  const [requested, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const turn: Script.Turn = [Script.wait(Deferred.succeed(requested, undefined)), Script.wait(gate), text(word)]
  return { turn, requested: Deferred.await(requested), answer: Deferred.succeed(gate, undefined) }
})

/** A run that hangs in its session until it is let go. */
const busy = Effect.fnUntraced(function*(turns: ReadonlyArray<Script.Turn>, options: Parameters<typeof open>[0] = {}) {
  const { answer, requested, turn } = yield* gated("one")
  const { agent, command, script } = yield* scripted([turn, ...turns], remembering)
  const opened = yield* open({ agents: [agent], drainTimeout: 0, ...options })
  const first = yield* opened.engine.start(command(runIn("one")))
  yield* requested
  return { ...opened, answer, command, first, script, agent }
})

describe("a run in a session that is busy", () => {
  it.effect("a run waits for the one before, and gets it as history", () =>
    Effect.gen(function*() {
      const { answer, command, engine, find, script } = yield* busy([[text("two")]])
      const second = yield* engine.start(command(runIn("two")))
      assert.strictEqual((yield* find("two")).status, "PENDING")
      assert.strictEqual((yield* script.calls).length, 1)
      yield* answer
      assert.deepInclude(yield* second.output, { status: "COMPLETED", content: "two" })
      assert.deepStrictEqual(linesOf((yield* script.calls)[1]), ["user: Hi", "assistant: one", "user: Hi"])
      assert.deepStrictEqual(kindsOf(yield* eventsOf(second)).slice(0, 2), ["RunStarted", "ModelRequestStarted"])
    }))

  it.effect("100 runs at once are executed in the order of acceptance", () =>
    Effect.gen(function*() {
      const order: Array<string> = []
      const { command } = yield* scripted(Array.from({ length: 100 }, () => [text("ok")]), {
        preHooks: [{ name: "note", run: ({ context }) => void order.push(context.runId) }]
      })
      const { engine, runs } = yield* open()
      const handles = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, index) => command({ ...runIn(`run-${index}`), stream: index % 3 === 0 })),
        engine.start,
        { concurrency: "unbounded" }
      )
      const outputs = yield* Effect.forEach(handles, ({ output }) => output, { concurrency: "unbounded" })
      assert.isTrue(outputs.every(({ status }) => status === "COMPLETED"))
      const listed = Option.getOrThrow(yield* runs.list(session, anyone))
      assert.deepStrictEqual(order, listed.map(({ run_id }) => run_id))
      assert.strictEqual(order.length, 100)
    }))

  it.effect("the runs of a session that are queued on one node cost one dequeue altogether", () =>
    Effect.gen(function*() {
      let dequeues = 0
      const { answer, command, engine, first } = yield* busy(Array.from({ length: 50 }, () => [text("ok")]), {
        around: (store) => ({ ...store, dequeue: (turns) => Effect.suspend(() => (dequeues++, store.dequeue(turns))) })
      })
      const handles = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => command(runIn(`run-${index}`))),
        engine.start,
        { concurrency: "unbounded" }
      )
      yield* answer
      yield* Effect.forEach([first, ...handles], ({ output }) => output, { concurrency: "unbounded" })
      assert.strictEqual(dequeues, 1)
    }))

  it.effect("a run does not wait when it could not observe the one before", () =>
    Effect.gen(function*() {
      const { command, engine } = yield* busy([[text("two")]])
      const second = yield* engine.start(command({ ...runIn("two"), add_history_to_context: false }))
      assert.strictEqual((yield* second.output).content, "two")
    }))

  it.effect("a run that refuses to wait is rejected, and nothing of it is stored", () =>
    Effect.gen(function*() {
      const { command, engine, runs } = yield* busy([])
      const error = yield* Effect.flip(engine.start(command({ ...runIn("two"), if_busy: "reject" })))
      assert.strictEqual(error._tag, "SessionBusy")
      assert.strictEqual(Option.getOrThrow(yield* runs.list(session, anyone)).length, 1)
    }))

  it.effect("a run that interrupts cancels those before it, queued ones as well, and is then executed", () =>
    Effect.gen(function*() {
      const { command, engine, find, first, script } = yield* busy([[text("three")]])
      const second = yield* engine.start(command(runIn("two")))
      const third = yield* engine.start(command({ ...runIn("three"), if_busy: "interrupt" }))
      assert.deepInclude(yield* third.output, { status: "COMPLETED", content: "three" })
      assert.strictEqual((yield* first.output).status, "CANCELLED")
      assert.strictEqual((yield* second.output).status, "CANCELLED")
      assert.strictEqual((yield* find("two")).status, "CANCELLED")
      assert.strictEqual(yield* script.remaining, 0)
    }))

  it.effect("a queued run ends at once when it is cancelled, and leaves the session as it is", () =>
    Effect.gen(function*() {
      const { answer, command, engine, find, first, script, sessions } = yield* busy([])
      const second = yield* engine.start(command({ ...runIn("two"), session_state: { overwritten: true } }))
      assert.isTrue(yield* engine.cancel({ ...runIn("two"), session_id: session, filter: anyone }))
      const events = yield* eventsOf(second)
      assert.deepStrictEqual(kindsOf(events), ["RunStarted", "RunCancelled"])
      assert.strictEqual((yield* find("two")).status, "CANCELLED")
      yield* answer
      assert.strictEqual((yield* first.output).status, "COMPLETED")
      assert.strictEqual((yield* script.calls).length, 1)
      const stored = yield* Effect.flatMap(sessions.find(session, Owner.anyone), Effect.fromOption)
      assert.deepStrictEqual(stored.session_state, {})
    }))

  it.effect("a run does not wait for one that pauses", () =>
    Effect.gen(function*() {
      const { command } = yield* scripted([[Script.toolCall("act")], [text("two")]], {
        ...remembering,
        tools: [Tool.make({ name: "act", requiresConfirmation: true, execute: () => "done" })]
      })
      const { engine } = yield* open()
      const first = yield* engine.start(command(runIn("one")))
      assert.strictEqual((yield* first.output).status, "PAUSED")
      const second = yield* engine.start(command(runIn("two")))
      assert.strictEqual((yield* second.output).status, "COMPLETED")
    }))
})

describe("the order of a session's runs", () => {
  it.effect("the order holds after a restart, for queued runs as for the executing one", () =>
    Effect.gen(function*() {
      const { agent, close, command, engine, memory, script } = yield* busy([[text("one again")], [text("two")]], {
        drainTimeout: 0
      })
      const second = yield* engine.start(command(runIn("two")))
      yield* close
      assert.strictEqual((yield* Effect.flip(second.output))._tag, "RunHandedOver")
      const after = yield* open({ memory, agents: [agent] })
      assert.strictEqual(yield* after.engine.recover, 2)
      const request = { ...runIn("two"), session_id: session, filter: anyone }
      const output = Option.getOrThrow(yield* after.engine.output(request))
      assert.deepInclude(output, { status: "COMPLETED", content: "two" })
      assert.strictEqual((yield* after.find("one")).content, "one again")
      assert.deepStrictEqual(linesOf((yield* script.calls)[2]), ["user: Hi", "assistant: one again", "user: Hi"])
      const events = yield* after.engine.watch({ ...request, after: -1 }).pipe(
        Effect.flatMap(Effect.fromOption),
        Effect.flatMap(({ events }) => Stream.runCollect(events))
      )
      assert.notInclude(kindsOf(events), "RunContinued", "it had not begun")
    }))

  it.effect("the order holds across nodes that share a database", () =>
    Effect.gen(function*() {
      const { answer, command, memory } = yield* busy([[text("two")]])
      const other = yield* open({ memory, node: "other" })
      const second = yield* other.engine.start(command(runIn("two")))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* other.find("two")).status, "PENDING")
      yield* answer
      const ending = yield* Effect.forkChild(second.output)
      yield* TestClock.adjust("250 millis")
      assert.strictEqual((yield* Fiber.join(ending)).content, "two")
    }))

  it.effect("the order holds when the store does not answer a dequeue for a while, or its answer is lost", () =>
    Effect.gen(function*() {
      let [isDown, isLost] = [true, false]
      const down = Effect.fail(new StorageUnavailable({ cause: "down" }))
      const { answer, command, engine } = yield* busy([[text("two")]], {
        around: (store) => ({
          ...store,
          finishAndDequeue: (ending, node) =>
            Effect.tap(store.finishAndDequeue(ending, node), () => {
              if (isLost) return Effect.void
              isLost = true
              return down
            }),
          dequeue: (turns) => isDown ? Effect.andThen(store.dequeue(turns), down) : store.dequeue(turns)
        })
      })
      const second = yield* engine.start(command(runIn("two")))
      yield* answer
      yield* TestClock.adjust("1 second")
      isDown = false
      const ending = yield* Effect.forkChild(second.output)
      yield* TestClock.adjust("250 millis")
      assert.strictEqual((yield* Fiber.join(ending)).content, "two")
    }))

  it.effect("a queued run that was taken over elsewhere is given up", () =>
    Effect.gen(function*() {
      const { command, engine, runs } = yield* busy([], { nodeTimeout: 8 })
      const second = yield* engine.start(command(runIn("two")))
      const ending = yield* Effect.forkChild(Effect.flip(second.output))
      yield* TestClock.adjust("1 second")
      yield* runs.takeOver({ node: "other", isStarting: false, dead: "every", limit: 100 })
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(ending))._tag, "RunHandedOver")
    }))

  it.effect("an unreadable queued run is set aside, and its caller gets the error, also without another node", () =>
    Effect.gen(function*() {
      const { answer, command, engine, find } = yield* busy([], {
        around: (store) => ({
          ...store,
          // as both do with a history that does not decode
          finishAndDequeue: (ending, node) =>
            Effect.map(store.finishAndDequeue(ending, node), ({ isHeld, next }) => ({
              isHeld,
              next: next && { run_id: next.run_id, snapshot: undefined }
            })),
          dequeue: (turns) =>
            Effect.flatMap(store.dequeue(turns), (given) =>
              Effect.as(
                Effect.forEach(given, ({ run_id }) => store.postpone({ run_id, attempt: 1, seconds: 0 })),
                []
              )),
          load: ({ run_id }) => Effect.fail(new RunUnreadable({ run_id, reason: "its history does not decode" }))
        })
      })
      const second = yield* engine.start(command(runIn("two")))
      const ending = yield* Effect.forkChild(Effect.flip(second.output))
      yield* answer
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(ending))._tag, "RunHandedOver")
      const { content, status } = yield* find("two")
      assert.strictEqual(status, "ERROR")
      assert.include(String(content), "its history does not decode")
    }))
})
