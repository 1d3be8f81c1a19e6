// Ending a run before its answer: what is stored of it, what its watchers see, and
// who may do it.
import { assert, describe, it } from "@effect/vitest"
import { Ids, Owner, Run, StorageUnavailable } from "@svc/domain"
import * as Script from "@svc/testing/ScriptedModel"
import { text, toolCall } from "@svc/testing/ScriptedModel"
import { Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Tool from "../../src/tool/Tool.ts"
import { eventsOf, kindsOf, open, scripted, session } from "./Engine.ts"

const id = Run.Id.make("run")
const ada = Ids.UserId.make("ada")
const anyone = { run_id: id, session_id: undefined, filter: { owner: Owner.anyone } }
const reason = "Run run was cancelled"

/** Waits until the run has said something. */
const saying = Effect.fnUntraced(function*(said: string) {
  const spoken = yield* Deferred.make<void>()
  return [text(said), Script.wait(Deferred.succeed(spoken, undefined)), Script.hang, Deferred.await(spoken)] as const
})

describe("a run that is cancelled", () => {
  it.effect("while the model speaks keeps what was said, and that is its last event", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const [said, tell, hang, spoken] = yield* saying("Once upon a")
      const { command } = yield* scripted([[said, tell, hang]])
      const handle = yield* engine.start(command())
      const watching = yield* Effect.forkChild(eventsOf(handle))
      yield* spoken
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

  it.effect("before anything was said tells why it says nothing", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const asked = yield* Deferred.make<void>()
      const { command } = yield* scripted([[Script.wait(Deferred.succeed(asked, undefined)), Script.hang]])
      const handle = yield* engine.start(command({ stream: false }))
      yield* Deferred.await(asked)
      yield* engine.cancel(anyone)
      const output = yield* handle.output
      assert.deepStrictEqual([output.status, output.content], ["CANCELLED", reason])
    }))

  it.effect("during a tool call aborts it, and does not say what came of it", () =>
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
        result: "The run was cancelled before this call had answered"
      })
      assert.strictEqual((yield* script.calls).length, 1)
    }))

  it.effect("keeps what its finished tools did to the session, and is no history", () =>
    Effect.gen(function*() {
      const { engine, sessions } = yield* open()
      const note = Tool.make({
        name: "note",
        execute: (_: {}, { sessionState }) => {
          sessionState["noted"] = true
          return "ok"
        }
      })
      const asked = yield* Deferred.make<void>()
      const { command, script } = yield* scripted(
        [[toolCall("note")], [Script.wait(Deferred.succeed(asked, undefined)), Script.hang], [text("Next.")]],
        { tools: [note], addHistoryToContext: true }
      )
      const handle = yield* engine.start(command())
      yield* Deferred.await(asked)
      yield* engine.cancel(anyone)
      yield* handle.output
      const { session: stored } = yield* sessions.getConversation(session, Owner.anyone)
      assert.deepStrictEqual(stored.session_state, { noted: true })
      yield* (yield* engine.start(command({ run_id: Run.Id.make("next") }))).output
      assert.deepStrictEqual((yield* script.calls).at(-1)?.prompt.content.map(({ role }) => role), ["user"])
    }))

  it.effect("twice is cancelled once, and afterwards there is nothing to cancel", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const [said, tell, hang, spoken] = yield* saying("Once")
      const { command } = yield* scripted([[said, tell, hang]])
      const handle = yield* engine.start(command())
      yield* spoken
      yield* Effect.all([engine.cancel(anyone), engine.cancel(anyone)], { concurrency: "unbounded" })
      const output = yield* handle.output
      assert.isTrue(yield* engine.cancel(anyone))
      assert.strictEqual((yield* find()).status, "CANCELLED")
      assert.strictEqual(output.status, "CANCELLED")
    }))

  it.effect("when it has ended stays as it is", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const { command } = yield* scripted([[text("Done.")]])
      const output = yield* (yield* engine.start(command())).output
      assert.isTrue(yield* engine.cancel(anyone))
      assert.strictEqual(output.status, "COMPLETED")
      assert.strictEqual((yield* find()).status, "COMPLETED")
    }))

  it.effect("before it has come is cancelled when it does, without asking the model", () =>
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
  it.effect("is for those who may touch the run, and cannot be asked for in advance by others", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const bob = { ...anyone, filter: { owner: Owner.user(Ids.UserId.make("bob")) } }
      assert.isFalse(yield* engine.cancel(bob))
      const [said, tell, hang, spoken] = yield* saying("Once")
      const { command } = yield* scripted([[said, tell, hang]])
      const handle = yield* engine.start(command({ user_id: ada, isolated: true }))
      yield* spoken
      assert.isFalse(yield* engine.cancel(bob))
      assert.isFalse(yield* engine.cancel({ ...anyone, filter: { owner: Owner.none } }))
      assert.isTrue(yield* engine.cancel({ ...anyone, session_id: session, filter: { owner: Owner.user(ada) } }))
      assert.strictEqual((yield* handle.output).status, "CANCELLED")
    }))

  it.effect("reaches a run on another node within a quarter of a second", () =>
    Effect.gen(function*() {
      const { engine, runs } = yield* open()
      const [said, tell, hang, spoken] = yield* saying("Once")
      const { command } = yield* scripted([[said, tell, hang]])
      const handle = yield* engine.start(command())
      yield* spoken
      // as another node does it
      yield* runs.requestCancel(id, undefined, { owner: Owner.anyone })
      const ending = yield* Effect.forkChild(handle.output)
      yield* TestClock.adjust("250 millis")
      assert.strictEqual((yield* Fiber.join(ending)).status, "CANCELLED")
    }))

  it.effect("goes on being looked for when the store does not answer for a while", () =>
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
      const [said, tell, hang, spoken] = yield* saying("Once")
      const { command } = yield* scripted([[said, tell, hang]])
      const handle = yield* engine.start(command())
      yield* spoken
      yield* runs.requestCancel(id, undefined, { owner: Owner.anyone })
      yield* TestClock.adjust("250 millis")
      isDown = false
      const ending = yield* Effect.forkChild(handle.output)
      yield* TestClock.adjust("250 millis")
      assert.strictEqual((yield* Fiber.join(ending)).status, "CANCELLED")
    }))

  it.effect("fails when the store cannot be asked", () =>
    Effect.gen(function*() {
      const { engine } = yield* open({
        around: (store) => ({ ...store, requestCancel: () => Effect.fail(new StorageUnavailable({ cause: "down" })) })
      })
      assert.strictEqual((yield* Effect.flip(engine.cancel(anyone)))._tag, "StorageUnavailable")
    }))

  it.effect("is not what a service does that stops: its runs go on later", () =>
    Effect.gen(function*() {
      const { close, engine, find } = yield* open({ drainTimeout: 0 })
      const [said, tell, hang, spoken] = yield* saying("Once")
      const { command } = yield* scripted([[said, tell, hang]])
      const handle = yield* engine.start(command())
      const watching = yield* Effect.forkChild(Stream.runCollect(handle.events))
      yield* spoken
      yield* close
      assert.strictEqual((yield* Effect.flip(Fiber.join(watching)))._tag, "RunHandedOver")
      assert.strictEqual((yield* find()).status, "RUNNING")
    }))
})
