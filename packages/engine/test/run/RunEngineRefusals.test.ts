// Runs that are refused before they reach the model, and runs whose end cannot be stored.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Exit, Stream } from "effect"
import { TestClock } from "effect/testing"
import { logged } from "../../../agents/test/agent/Harness.ts"
import { eventsOf, kindsOf, open, scripted } from "./Engine.ts"

const ada = Ids.UserId.make("ada")
const bob = Ids.UserId.make("bob")

describe("a run that is refused", () => {
  it.effect("a run in a session of another user never reaches the model", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const { command, script } = yield* scripted([[text("Hello")], [text("Never")]])
      yield* (yield* engine.start(command({ user_id: ada }))).output
      const error = yield* Effect.flip(engine.start(command({ user_id: bob, run_id: Run.Id.make("other") })))
      assert.strictEqual(error._tag, "SessionNotFound")
      assert.strictEqual(yield* script.remaining, 1)
    }))

  it.effect("a run in a session that the isolated user does not own never reaches the model", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const { command, script } = yield* scripted([[text("Hello")], [text("Never")]])
      yield* (yield* engine.start(command())).output
      const isolated = command({ user_id: ada, isolated: true, run_id: Run.Id.make("other") })
      assert.strictEqual((yield* Effect.flip(engine.start(isolated)))._tag, "SessionNotFound")
      assert.strictEqual(yield* script.remaining, 1)
    }))

  it.effect("a run in a session of another agent never reaches the model", () =>
    Effect.gen(function*() {
      const { engine } = yield* open()
      const first = yield* scripted([[text("Hello")]])
      const second = yield* scripted([[text("Never")]], { id: "other" })
      yield* (yield* engine.start(first.command())).output
      const error = yield* Effect.flip(engine.start(second.command({ run_id: Run.Id.make("other") })))
      assert.strictEqual(error._tag, "SessionNotFound")
      assert.strictEqual(yield* second.script.remaining, 1)
    }))

  it.effect("a run with a used id leaves the first one as it is", () =>
    Effect.gen(function*() {
      const { engine, find } = yield* open()
      const { command, script } = yield* scripted([[text("Hello")], [text("Never")]])
      yield* (yield* engine.start(command())).output
      assert.strictEqual((yield* Effect.flip(engine.start(command())))._tag, "RunExists")
      assert.strictEqual((yield* find()).content, "Hello")
      assert.strictEqual(yield* script.remaining, 1)
    }))

  it.effect("a run never reaches the model when the database does not reply", () =>
    Effect.gen(function*() {
      const { engine } = yield* open({
        around: (store) => ({ ...store, create: () => Effect.fail(new StorageUnavailable({ cause: "down" })) })
      })
      const { command, script } = yield* scripted([[text("Never")]])
      assert.strictEqual((yield* Effect.flip(engine.start(command())))._tag, "StorageUnavailable")
      assert.strictEqual(yield* script.remaining, 1)
    }))
})

describe("a run whose end cannot be stored", () => {
  it.effect("a run whose end is not stored fails its output and its events when its process ends, and shows no end", () =>
    Effect.gen(function*() {
      const { close, engine, find } = yield* open({
        drainTimeout: 0,
        around: (store) => ({ ...store, finish: () => Effect.fail(new StorageUnavailable({ cause: "down" })) })
      })
      const { command } = yield* scripted([[text("Hello")]])
      const { lines, result } = yield* logged(Effect.gen(function*() {
        const handle = yield* engine.start(command())
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* find()).status, "RUNNING", "the database may still come back")
        yield* Effect.forkChild(close, { startImmediately: true })
        yield* TestClock.adjust("3 seconds")
        const seen: Array<string> = []
        const ended = yield* Effect.exit(
          Stream.runForEach(handle.events, ({ event }) => Effect.sync(() => seen.push(event)))
        )
        return { seen, ended, output: yield* Effect.exit(handle.output) }
      }))
      assert.isTrue(Exit.hasFails(result.ended))
      assert.notInclude(result.seen, "RunCompleted")
      assert.isTrue(Exit.hasFails(result.output))
      assert.isArray(lines)
      assert.strictEqual((yield* find()).status, "RUNNING", "the next node resumes it")
    }))

  it.effect("the end of a run is sent to the store again, because the connection may be broken and the next one whole", () =>
    Effect.gen(function*() {
      let tries = 0
      const { engine, find } = yield* open({
        around: (store) => ({
          ...store,
          finish: (ending) =>
            Effect.suspend(() => ++tries === 1 ? new StorageUnavailable({ cause: "reset" }) : store.finish(ending))
        })
      })
      const { command } = yield* scripted([[text("Hello")]])
      const handle = yield* engine.start(command())
      assert.strictEqual(kindsOf(yield* eventsOf(handle)).at(-1), "RunCompleted")
      assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Hello" })
    }))

  it.effect("a run whose end is not stored is logged with its id, even when no caller waits for it", () =>
    Effect.gen(function*() {
      const { lines } = yield* logged(Effect.scoped(Effect.gen(function*() {
        const { engine } = yield* open({
          around: (store) => ({ ...store, finish: () => Effect.die(new Error("disk full")) })
        })
        const { command } = yield* scripted([[text("Hello")]])
        yield* engine.start(command({ stream: false }))
        yield* Effect.yieldNow
      })))
      const line = lines.find(({ text }) => text.includes("The end of a run could not be stored"))
      assert.strictEqual(line?.level, "Error")
      assert.include(line?.text, "disk full")
      assert.deepInclude(line?.annotations, { run_id: "run" })
    }))
})
