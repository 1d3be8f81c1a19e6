import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { hanging, logged } from "../../../agents/test/agent/Harness.ts"
import type { RunStore } from "../../src/run/store/RunStore.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { eventsOf, open, scripted, session } from "./Engine.ts"

/** As the next node finds it. */
const storedRun = (runs: RunStore["Service"], id = "run") =>
  Effect.flatMap(runs.snapshot(session, Run.Id.make(id), { owner: Owner.anyone }), Effect.fromOption)

describe("an engine that is closed", () => {
  it.effect("an engine without runs is closed at once", () =>
    Effect.gen(function*() {
      const { lines } = yield* logged(Effect.scoped(Effect.gen(function*() {
        const { close, engine } = yield* open()
        const { command } = yield* scripted([[text("Hello")]])
        yield* (yield* engine.start(command())).output
        yield* close
      })))
      assert.deepStrictEqual(lines.map(({ text }) => text), ["A run starts", "A run has ended as COMPLETED"])
    }))

  it.effect("an engine that is closed waits for its runs", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { close, engine, find } = yield* open()
      const { command } = yield* scripted([[Script.wait(gate), text("Hello")]])
      yield* engine.start(command())
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(closing.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(closing)
      assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Hello" })
    }))

  it.effect("an engine that is closed interrupts runs that take longer, and hands them over", () =>
    Effect.gen(function*() {
      const { close, engine, find, runs } = yield* open()
      const { command } = yield* scripted([[text("Half"), Script.hang]], { description: "You talk." })
      const handle = yield* engine.start(command())
      const events = yield* Effect.forkChild(eventsOf(handle), { startImmediately: true })
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(closing)
      assert.strictEqual((yield* find()).status, "RUNNING")
      assert.strictEqual((yield* Effect.flip(handle.output))._tag, "RunHandedOver")
      assert.strictEqual((yield* Effect.flip(Fiber.join(events)))._tag, "RunHandedOver")
      // the first node that polls acquires it
      const taken = yield* runs.takeOver({ node: "other", isStarting: false, limit: 1 })
      assert.deepStrictEqual(taken.map(({ run_id }) => run_id), ["run"])
    }))

  it.effect("an engine that is closed tells waiting callers about the handover before their requests end, and the run continues", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { engine, find } = yield* open()
      const { command } = yield* scripted([[Script.wait(gate), text("Hello")]])
      const handle = yield* engine.start(command())
      const events = yield* Effect.forkChild(eventsOf(handle), { startImmediately: true })
      yield* engine.handOver
      assert.deepInclude(yield* Effect.flip(handle.output), { _tag: "RunHandedOver", reason: "stopping" })
      assert.strictEqual((yield* Effect.flip(Fiber.join(events)))._tag, "RunHandedOver")
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Hello" })
    }))

  it.effect("an engine that is closed aborts the tools of runs that take longer", () =>
    Effect.gen(function*() {
      const { begun, hang } = yield* hanging
      const { close, engine, runs } = yield* open()
      const { command } = yield* scripted([[toolCall("hang")]], { tools: [hang] })
      yield* engine.start(command())
      const signal = yield* begun
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(closing)
      assert.isTrue(signal.aborted)
      const { entries, status } = yield* storedRun(runs)
      assert.strictEqual(status, "RUNNING")
      assert.deepStrictEqual(entries.map(({ kind }) => kind), ["asked"])
    }))

  it.effect("an engine is not closed before a run that is being stored is stored", () =>
    Effect.gen(function*() {
      const finishing = yield* Deferred.make<void>()
      const { close, engine, find } = yield* open({
        around: (store) => ({
          ...store,
          finish: (ending) =>
            Deferred.succeed(finishing, undefined).pipe(
              Effect.andThen(Effect.sleep("15 seconds")),
              Effect.andThen(store.finish(ending))
            )
        })
      })
      const { command } = yield* scripted([[text("Hello")]])
      yield* engine.start(command())
      yield* Deferred.await(finishing)
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* TestClock.adjust("14 seconds")
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Hello" })
    }))

  it.effect("an engine that is closed hands over all executing runs, in any state", () =>
    Effect.gen(function*() {
      const { close, engine, runs } = yield* open({ drainTimeout: 0 })
      const sleep = Tool.make({ name: "sleep", execute: () => Effect.never })
      const wait = Tool.make({ name: "wait", execute: () => new Promise(() => {}) })
      const never = () => Effect.never
      const kinds = [
        yield* scripted([[Script.hang]]),
        yield* scripted([[toolCall("sleep"), toolCall("wait")]], { tools: [sleep, wait] }),
        yield* scripted([], { preHooks: [{ name: "hook", run: never }] }),
        yield* scripted([[text("Hi")]], { postHooks: [{ name: "hook", run: () => new Promise<void>(() => {}) }] }),
        yield* scripted([], { instructions: () => new Promise<string>(() => {}) }),
        yield* scripted([[Script.hang]], { reasoning: true }),
        yield* scripted([[Script.fail()]], { retries: 5, delayBetweenRetries: "1 hour" })
      ]
      for (const [index, { command }] of kinds.entries()) {
        const ids = { run_id: `run-${index}` as never, session_id: `session-${index}` as never }
        yield* engine.start(command({ ...ids, stream: index % 2 === 0 }))
      }
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* TestClock.adjust(0)
      yield* Fiber.join(closing)
      for (const index of kinds.keys()) {
        const listed = Option.getOrThrow(yield* runs.list(`session-${index}` as never, { owner: Owner.anyone }))
        assert.deepStrictEqual(listed.map(({ status }) => status), ["RUNNING"])
      }
      const taken = yield* runs.takeOver({ node: "other", isStarting: false, limit: 100 })
      assert.strictEqual(taken.length, kinds.length)
    }))

  it.effect("an engine that is closed does not execute a run that is accepted later, and leaves it to the next one", () =>
    Effect.gen(function*() {
      const { close, engine, find } = yield* open()
      const { command } = yield* scripted([[Script.hang]])
      yield* close
      const handle = yield* engine.start(command())
      assert.strictEqual((yield* Effect.flip(handle.output))._tag, "RunHandedOver")
      assert.strictEqual((yield* find()).status, "RUNNING")
    }))
})

describe("a run that is being stored when its node stops", () => {
  it.effect("the caller gets the id of a run that may be stored, and another node executes the run if it is stored", () =>
    Effect.gen(function*() {
      const [sent, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { agent, command, script } = yield* scripted([[text("Done")]])
      const before = yield* open({
        drainTimeout: 0,
        around: (store) => ({
          ...store,
          create: (run) =>
            Deferred.succeed(sent, undefined).pipe(
              Effect.andThen(Deferred.await(gate)),
              Effect.andThen(store.create(run))
            )
        })
      })
      const starting = yield* Effect.forkChild(Effect.flip(before.engine.start(command())))
      yield* Deferred.await(sent)
      yield* before.engine.endFollowing
      yield* before.engine.handOver
      const error = yield* Fiber.join(starting)
      assert.deepInclude(error, { _tag: "StorageUnavailable", uncertainRun: "run" })
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* before.find()).status, "RUNNING")
      assert.strictEqual(yield* script.remaining, 1)
      yield* before.close
      const after = yield* open({ node: "other", memory: before.memory, agents: [agent] })
      yield* after.engine.recover
      assert.deepInclude(yield* after.find(), { status: "COMPLETED", content: "Done" })
    }))
})
