// Ending a run before its answer: what is stored of it, what its watchers see, and
// who may do it.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Tool from "../../src/tool/Tool.ts"
import { eventsOf, kindsOf, open, scripted, session } from "./Engine.ts"

const id = Run.Id.make("run")
const ada = Ids.UserId.make("ada")
const anyone = { run_id: id, session_id: undefined, filter: { owner: Owner.anyone } }
const reason = "Run run was cancelled"

/** Waits until the run has shown some words. */
const untilShown = Effect.fnUntraced(function*(words: string) {
  const streaming = yield* Deferred.make<void>()
  return [
    text(words),
    Script.wait(Deferred.succeed(streaming, undefined)),
    Script.hang,
    Deferred.await(streaming)
  ] as const
})

describe("a run that is cancelled", () => {
  it.effect("a run that is cancelled while the model streams keeps the text so far, and that is its last event", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const [words, tell, hang, streaming] = yield* untilShown("Once upon a")
      const { command } = yield* scripted([[words, tell, hang]])
      const handle = yield* engine.start(command())
      const watching = yield* Effect.forkChild(eventsOf(handle))
      yield* streaming
      assert.isTrue(yield* engine.cancel(anyone))
      const events = yield* Fiber.join(watching)
      assert.deepInclude(events.at(-1), { event: "RunCancelled", reason, content: "Once upon a" })
      assert.notInclude(kindsOf(events), "RunCompleted")
      assert.notInclude(kindsOf(events), "RunError")
      const { events: _, ...stored } = yield* find()
      assert.deepStrictEqual(stored, yield* handle.output)
      assert.strictEqual(stored.status, "CANCELLED")
      assert.strictEqual(stored.content, "Once upon a")
      assert.deepStrictEqual(stored.messages?.map(({ content, role }) => [role, content]), [
        ["user", "Hi"],
        ["assistant", "Once upon a"]
      ])
    }))

  it.effect("a run that is cancelled before its first text says why it has no content", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const requested = yield* Deferred.make<void>()
      const { command } = yield* scripted([[Script.wait(Deferred.succeed(requested, undefined)), Script.hang]])
      const handle = yield* engine.start(command({ stream: false }))
      yield* Deferred.await(requested)
      yield* engine.cancel(anyone)
      const output = yield* handle.output
      assert.deepStrictEqual([output.status, output.content], ["CANCELLED", reason])
    }))

  it.effect("a cancelled run aborts its tool call, and does not state its outcome", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const [called, aborted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Tool.make({
        name: "slow",
        execute: (_: {}, { signal }) =>
          new Promise<string>(() => {
            signal.addEventListener("abort", () => Deferred.doneUnsafe(aborted, Exit.void))
            Deferred.doneUnsafe(called, Exit.void)
          })
      })
      const { command, script } = yield* scripted([[toolCall("slow", {}, "call_1")], [text("Never.")]], {
        tools: [slow]
      })
      const handle = yield* engine.start(command())
      const watching = yield* Effect.forkChild(eventsOf(handle))
      yield* Deferred.await(called)
      yield* engine.cancel(anyone)
      yield* Deferred.await(aborted)
      assert.strictEqual(kindsOf(yield* Fiber.join(watching)).at(-1), "RunCancelled")
      const output = yield* handle.output
      assert.deepInclude(output.tools?.[0], {
        tool_call_id: "call_1",
        tool_call_error: true,
        result: "The run ended before this call had answered. It may have had its effect"
      })
      assert.strictEqual((yield* script.calls).length, 1)
    }))

  it.effect("a cancelled run keeps the state changes of its finished tools, and is history", () =>
    Effect.gen(function*() {
      const { engine, sessions } = yield* open()
      const note = Tool.make({
        name: "note",
        execute: (_: {}, { sessionState }) => {
          sessionState["noted"] = true
          return "ok"
        }
      })
      const requested = yield* Deferred.make<void>()
      const { command, script } = yield* scripted(
        [[toolCall("note")], [Script.wait(Deferred.succeed(requested, undefined)), Script.hang], [text("Next.")]],
        { tools: [note], addHistoryToContext: true }
      )
      const handle = yield* engine.start(command())
      yield* Deferred.await(requested)
      yield* engine.cancel(anyone)
      yield* handle.output
      const { session: stored } = yield* sessions.getConversation(session, Owner.anyone)
      assert.deepStrictEqual(stored.session_state, { noted: true })
      yield* (yield* engine.start(command({ run_id: Run.Id.make("next") }))).output
      assert.deepStrictEqual((yield* script.calls).at(-1)?.prompt.content.map(({ role }) => role), [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user"
      ])
    }))

  it.effect("a run is cancelled once, and a second request finds nothing to cancel", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const [words, tell, hang, streaming] = yield* untilShown("Once")
      const { command } = yield* scripted([[words, tell, hang]])
      const handle = yield* engine.start(command())
      yield* streaming
      yield* Effect.all([engine.cancel(anyone), engine.cancel(anyone)], { concurrency: "unbounded" })
      const output = yield* handle.output
      assert.isTrue(yield* engine.cancel(anyone))
      assert.strictEqual((yield* find()).status, "CANCELLED")
      assert.strictEqual(output.status, "CANCELLED")
    }))

  it.effect("a run that has ended stays as it is when it is cancelled", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const { command } = yield* scripted([[text("Done.")]])
      const output = yield* (yield* engine.start(command())).output
      assert.isTrue(yield* engine.cancel(anyone))
      assert.strictEqual(output.status, "COMPLETED")
      assert.strictEqual((yield* find()).status, "COMPLETED")
    }))

  it.effect("a run that is cancelled before it is accepted ends at its start, without asking the model", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const { command, script } = yield* scripted([[text("Done.")], [text("Done.")]])
      assert.isFalse(yield* engine.cancel(anyone))
      assert.strictEqual((yield* (yield* engine.start(command())).output).status, "CANCELLED")
      assert.strictEqual((yield* script.calls).length, 0)
      const next = command({ run_id: Run.Id.make("next") })
      assert.strictEqual((yield* (yield* engine.start(next)).output).status, "COMPLETED")
    }))
})

describe("cancelling", () => {
  it.effect("only callers who may see the run can cancel it, also in advance", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const bob = { ...anyone, filter: { owner: Owner.user(Ids.UserId.make("bob")) } }
      assert.isFalse(yield* engine.cancel(bob))
      const [words, tell, hang, streaming] = yield* untilShown("Once")
      const { command } = yield* scripted([[words, tell, hang]])
      const handle = yield* engine.start(command({ user_id: ada, isolated: true }))
      yield* streaming
      assert.isFalse(yield* engine.cancel(bob))
      assert.isFalse(yield* engine.cancel({ ...anyone, filter: { owner: Owner.none } }))
      assert.isTrue(yield* engine.cancel({ ...anyone, session_id: session, filter: { owner: Owner.user(ada) } }))
      assert.strictEqual((yield* handle.output).status, "CANCELLED")
    }))

  it.effect("a run on another node is cancelled within a quarter of a second", () =>
    Effect.gen(function*() {
      const { engine, runs } = yield* open()
      const [words, tell, hang, streaming] = yield* untilShown("Once")
      const { command } = yield* scripted([[words, tell, hang]])
      const handle = yield* engine.start(command())
      yield* streaming
      // as another node does it
      yield* runs.requestCancel(id, undefined, { owner: Owner.anyone })
      const ending = yield* Effect.forkChild(handle.output)
      yield* TestClock.adjust("250 millis")
      assert.strictEqual((yield* Fiber.join(ending)).status, "CANCELLED")
    }))

  it.effect("cancel requests are polled again after the store did not answer for a while", () =>
    Effect.gen(function*() {
      let isDown = true
      const { engine, runs } = yield* open({
        around: (store) => ({
          ...store,
          cancelRequested: (node) =>
            Effect.suspend(() =>
              isDown ? Effect.fail(new StorageUnavailable({ cause: "down" })) : store.cancelRequested(node)
            )
        })
      })
      const [words, tell, hang, streaming] = yield* untilShown("Once")
      const { command } = yield* scripted([[words, tell, hang]])
      const handle = yield* engine.start(command())
      yield* streaming
      yield* runs.requestCancel(id, undefined, { owner: Owner.anyone })
      yield* TestClock.adjust("250 millis")
      isDown = false
      const ending = yield* Effect.forkChild(handle.output)
      yield* TestClock.adjust("250 millis")
      assert.strictEqual((yield* Fiber.join(ending)).status, "CANCELLED")
    }))

  it.effect("cancelling fails when the store does not answer", () =>
    Effect.gen(function*() {
      const { engine } = yield* open({
        around: (store) => ({ ...store, requestCancel: () => Effect.fail(new StorageUnavailable({ cause: "down" })) })
      })
      assert.strictEqual((yield* Effect.flip(engine.cancel(anyone)))._tag, "StorageUnavailable")
    }))

  it.effect("a service that stops does not cancel its runs: they resume later", () =>
    Effect.gen(function*() {
      const { close, engine, find } = yield* open({ drainTimeout: 0 })
      const [words, tell, hang, streaming] = yield* untilShown("Once")
      const { command } = yield* scripted([[words, tell, hang]])
      const handle = yield* engine.start(command())
      const watching = yield* Effect.forkChild(Stream.runCollect(handle.events))
      yield* streaming
      yield* close
      assert.strictEqual((yield* Effect.flip(Fiber.join(watching)))._tag, "RunHandedOver")
      assert.strictEqual((yield* find()).status, "RUNNING")
    }))
})
