import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Exit, Fiber, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { linesOf } from "../../../agents/test/agent/Harness.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { eventsOf, kindsOf, open, scripted, session } from "./Engine.ts"

const ada = Ids.UserId.make("ada")

describe("a run", () => {
  it.effect("a run is stored as it is answered, with its events but without the pieces of the answer", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const { command } = yield* scripted([[text("Hel", "lo")]])
      const handle = yield* engine.start(command())
      const events = yield* eventsOf(handle)
      const output = yield* handle.output
      const { events: kept, ...stored } = yield* find()
      assert.deepStrictEqual(stored, output)
      assert.deepStrictEqual(kept, events.filter(({ event }) => event !== "RunContent") as never)
      assert.strictEqual(output.content, "Hello")
    }))

  it.effect("the events of a run name it, and are numbered from 0 without gaps", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_700_000_000_000)
      const { engine } = yield* open()
      const { command } = yield* scripted([[text("Hel", "lo")]], { name: "Ada" })
      const events = yield* eventsOf(yield* engine.start(command()))
      assert.deepStrictEqual(events.map(({ event_index }) => event_index), events.map((_, index) => index))
      for (const event of events) {
        assert.deepInclude(event, {
          agent_id: "agent",
          agent_name: "Ada",
          run_id: Run.Id.make("run"),
          session_id: "session",
          nested_depth: 0,
          created_at: 1_700_000_000
        })
      }
    }))

  it.effect("a run that is not streamed keeps no events, and shows none", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const { command } = yield* scripted([[text("Hello")]])
      const handle = yield* engine.start(command({ stream: false }))
      assert.deepStrictEqual(yield* eventsOf(handle), [])
      yield* handle.output
      assert.deepStrictEqual((yield* find()).events, [])
    }))

  it.effect("a run is stored as running before the model is asked, and before its handle is returned", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const gate = yield* Deferred.make<void>()
      const { command } = yield* scripted([[Script.wait(gate), text("Hello")]])
      const handle = yield* engine.start(command({ user_id: ada }))
      assert.deepInclude(yield* find(), { status: "RUNNING", agent_id: "agent", user_id: ada })
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* handle.output).status, "COMPLETED")
    }))

  it.effect("a run has one moment of its start, however long the store took to accept it", () =>
    Effect.gen(function*() {
      const { engine, runs } = yield* open({
        around: (store) => ({ ...store, create: (newRun) => Effect.delay(store.create(newRun), "5 seconds") })
      })
      const { command } = yield* scripted([[text("Hello")]])
      const fiber = yield* Effect.forkChild(engine.start(command()))
      yield* TestClock.adjust("5 seconds")
      const output = yield* (yield* Fiber.join(fiber)).output
      assert.strictEqual(output.created_at, 0)
      assert.strictEqual(
        (yield* Effect.fromOption(yield* runs.find(session, Run.Id.make("run"), { owner: Owner.anyone }))).created_at,
        0
      )
    }))

  it.effect("a run that fails is stored as such", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const { command } = yield* scripted([[Script.fail("It is down")]])
      const handle = yield* engine.start(command())
      assert.deepStrictEqual(kindsOf(yield* eventsOf(handle)), ["RunStarted", "ModelRequestStarted", "RunError"])
      assert.strictEqual((yield* handle.output).status, "ERROR")
      assert.deepInclude(yield* find(), { status: "ERROR", content: "Internal provider error: It is down" })
    }))

  it.effect("a run gives its output to every reader, and its last event once it is stored", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const finishing = yield* Deferred.make<void>()
      const { engine } = yield* open({
        around: (store) => ({
          ...store,
          finish: (ending) =>
            Deferred.succeed(finishing, undefined).pipe(
              Effect.andThen(Deferred.await(gate)),
              Effect.andThen(store.finish(ending))
            )
        })
      })
      const { command } = yield* scripted([[text("Hello")]])
      const handle = yield* engine.start(command())
      const seen: Array<string> = []
      const reader = yield* Effect.forkChild(
        Stream.runForEach(handle.events, ({ event }) => Effect.sync(() => seen.push(event)))
      )
      const waiting = yield* Effect.forkChild(Effect.all([handle.output, handle.output], { concurrency: 2 }))
      yield* Deferred.await(finishing)
      yield* Effect.yieldNow
      assert.notInclude(seen, "RunCompleted")
      assert.isUndefined(waiting.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(reader)
      assert.strictEqual(seen.at(-1), "RunCompleted")
      const [first, second] = yield* Fiber.join(waiting)
      assert.strictEqual(first, second)
    }))

  it.effect("a run continues when the reader of its events has disconnected", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const gate = yield* Deferred.make<void>()
      const { command } = yield* scripted([[text("Hel"), Script.wait(gate), text("lo")]])
      const handle = yield* engine.start(command())
      const read = yield* Stream.runCollect(Stream.takeUntil(handle.events, ({ event }) => event === "RunContent"))
      assert.strictEqual(read.at(-1)?.event, "RunContent")
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* handle.output).content, "Hello")
      assert.strictEqual((yield* find()).events?.length, 5)
    }))

  it.effect("a run continues when the caller who started it has disconnected", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const gate = yield* Deferred.make<void>()
      const { command } = yield* scripted([[Script.wait(gate), text("Hello")]])
      const started = yield* Deferred.make<void>()
      const starter = yield* Effect.forkChild(
        Effect.andThen(engine.start(command()), Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
      )
      yield* Deferred.await(started)
      yield* Fiber.interrupt(starter)
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.yieldNow
      assert.strictEqual((yield* find()).status, "COMPLETED")
    }))

  it.effect("a run is not lost when its caller disconnects while it is accepted", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const { engine, find } = yield* open({
        around: (store) => ({
          ...store,
          create: (newRun) =>
            Effect.tap(store.create(newRun), () =>
              Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(gate)))
        })
      })
      const { command } = yield* scripted([[text("Hello")]])
      const starter = yield* Effect.forkChild(engine.start(command()))
      yield* Deferred.await(begun)
      const leaving = yield* Effect.forkChild(Fiber.interrupt(starter), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(leaving)
      yield* Effect.yieldNow
      assert.strictEqual((yield* find()).status, "COMPLETED")
    }))

  it.effect("a run whose model is not available fails, and the error says what to do", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const { command } = yield* scripted([], { model: "openai:gpt-5", retries: 3 }, { run_id: Run.Id.make("r") })
      const output = yield* (yield* engine.start(command())).output
      assert.strictEqual(output.status, "ERROR")
      assert.match(String(output.content), /OPENAI_API_KEY is not set/)
      assert.strictEqual((yield* find("r")).status, "ERROR")
    }))
})

describe("many runs", () => {
  it.effect("many runs at once in one session are all stored, in the order in which they were accepted", () =>
    Effect.gen(function*() {
      const { engine, runs, sessions } = yield* open()
      const gate = yield* Deferred.make<void>()
      const turn = [Script.wait(gate), text("Hello"), Script.usage({ input: 2, output: 1 })]
      const { command } = yield* scripted(Array.from({ length: 100 }, () => turn))
      const ids = Array.from({ length: 100 }, (_, index) => Run.Id.make(`run-${index}`))
      const handles = yield* Effect.forEach(ids, (run_id) => engine.start(command({ run_id })), {
        concurrency: "unbounded"
      })
      yield* Deferred.succeed(gate, undefined)
      const outputs = yield* Effect.forEach(handles, ({ output }) => output, { concurrency: "unbounded" })
      assert.isTrue(outputs.every(({ status }) => status === "COMPLETED"))
      const listed = Option.getOrThrow(yield* runs.list(session, { owner: Owner.anyone }))
      assert.deepStrictEqual(listed.map(({ run_id }) => run_id), ids)
      assert.isTrue(listed.every(({ content, status }) => content === "Hello" && status === "COMPLETED"))
      const stored = Option.getOrThrow(yield* sessions.find(session, Owner.anyone))
      assert.strictEqual(stored.session_metrics?.total_tokens, 300)
    }))

  it.effect("runs of different sessions do not observe each other", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const { command } = yield* scripted([[text("One")], [text("Two")]], { addHistoryToContext: true })
      const one = Session.Id.make("one")
      const two = Session.Id.make("two")
      yield* (yield* engine.start(command({ session_id: one, run_id: Run.Id.make("1") }))).output
      yield* (yield* engine.start(command({ session_id: two, run_id: Run.Id.make("2") }))).output
      assert.strictEqual((yield* find("2", two)).messages?.length, 2)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(find("1", two))))
    }))
})

describe("the state of a session", () => {
  it.effect("the state of a session is passed from one run to the next", () =>
    Effect.gen(function*() {
      const { engine, sessions } = yield* open()
      const count = Tool.make({
        name: "count",
        execute: (_, { sessionState }) => {
          sessionState["n"] = Number(sessionState["n"] ?? 0) + 1
          return sessionState["n"]
        }
      })
      const { command, script } = yield* scripted(
        [[toolCall("count")], [text("1")], [toolCall("count")], [text("2")]],
        { tools: [count] }
      )
      yield* (yield* engine.start(command({ run_id: Run.Id.make("1") }))).output
      const second = yield* (yield* engine.start(command({ run_id: Run.Id.make("2") }))).output
      assert.deepStrictEqual(second.session_state, { n: 2 })
      assert.deepStrictEqual(Option.getOrThrow(yield* sessions.find(session, Owner.anyone)).session_state, { n: 2 })
      assert.include(linesOf((yield* script.calls)[3]), "tool: result 2")
    }))
})
