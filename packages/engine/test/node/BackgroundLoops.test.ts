// The background loops of a node under failures and defects of the store.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { RunStore } from "../../src/run/store/RunStore.ts"
import { open, scripted, session } from "../run/Engine.ts"

type Store = RunStore["Service"]

const away = new StorageUnavailable({ cause: "reset" })
const rejected = new StorageUnavailable({ cause: "42P01", isRejected: true })
const defect = new Error("an unreadable row")

const faults = {
  "does not reply": Effect.fail(away),
  "rejects the statement": Effect.fail(rejected),
  "replies with what is a defect": Effect.die(defect)
}

/** A store of which some methods fail as long as a switch is on. */
const breaking = (methods: ReadonlyArray<keyof Store>, fault: Effect.Effect<never, StorageUnavailable>) => {
  const state = { isBroken: false, calls: new Map<string, number>() }
  const around = (store: Store): Store => {
    const changed: Record<string, unknown> = { ...store }
    for (const name of methods) {
      const method = store[name] as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, StorageUnavailable>
      changed[name] = (...args: ReadonlyArray<unknown>) =>
        Effect.suspend(() => {
          state.calls.set(name, (state.calls.get(name) ?? 0) + 1)
          return state.isBroken ? fault : method(...args)
        })
    }
    return changed as unknown as Store
  }
  return { around, state }
}

const collecting = () => {
  const lines: Array<string> = []
  const layer = Logger.layer([
    Logger.map(
      Logger.formatStructured,
      ({ level, message }) => void lines.push(`${level} ${[message].flat().join(" ")}`)
    )
  ])
  return { layer, lines: (part: string) => lines.filter((line) => line.includes(part)) }
}

describe("the background loops", () => {
  for (const [name, fault] of Object.entries(faults)) {
    it.effect(`a node heartbeats and takes over runs again after a database that ${name}`, () =>
      Effect.gen(function*() {
        const { around, state } = breaking(
          ["heartbeat", "takeOver", "cancelRequested", "appendEvents", "dequeue"],
          fault
        )
        const { agent, command } = yield* scripted([[Script.hang], [text("Taken over")]])
        const dying = yield* open({ node: "a", drainTimeout: 0 })
        const { find } = yield* open({ node: "b", nodeTimeout: 4, memory: dying.memory, agents: [agent], around })
        state.isBroken = true
        yield* TestClock.adjust("10 seconds")
        state.isBroken = false
        const beats = state.calls.get("heartbeat") ?? 0
        yield* dying.engine.start(command())
        yield* dying.close
        yield* TestClock.adjust("10 seconds")
        assert.isAbove(state.calls.get("heartbeat") ?? 0, beats)
        assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Taken over" })
      }))

    it.effect(`the end of a run is requested again after a database that ${name}`, () =>
      Effect.gen(function*() {
        const { around, state } = breaking(["cancelRequested"], fault)
        const { engine, find, runs } = yield* open({ around })
        const begun = yield* Deferred.make<void>()
        const { command } = yield* scripted([[Script.wait(Deferred.succeed(begun, undefined)), Script.hang]])
        yield* engine.start(command())
        yield* Deferred.await(begun)
        state.isBroken = true
        yield* TestClock.adjust("2 seconds")
        yield* runs.requestCancel(Run.Id.make("run"), session, { owner: Owner.anyone })
        state.isBroken = false
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual((yield* find()).status, "CANCELLED")
      }))

    it.effect(`a queued run is dequeued after a database that ${name}`, () =>
      Effect.gen(function*() {
        const { around, state } = breaking(["dequeue"], fault)
        const gate = yield* Deferred.make<void>()
        const { command } = yield* scripted([[Script.wait(gate), text("One")], [text("Two")]])
        const { engine, find } = yield* open({
          around: (store) =>
            around({
              ...store,
              // the next run is locked
              finishAndDequeue: (ending) => Effect.map(store.finish(ending), (isHeld) => ({ isHeld, next: undefined }))
            })
        })
        const turns = { add_history_to_context: true }
        yield* engine.start(command(turns))
        yield* engine.start(command({ ...turns, run_id: Run.Id.make("second") }))
        state.isBroken = true
        yield* Deferred.succeed(gate, undefined)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* find("second")).status, "PENDING")
        state.isBroken = false
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* find("second")).status, "COMPLETED")
      }))
  }

  it.effect("the loss of the database and its return are logged once each", () => {
    const { layer, lines } = collecting()
    return Effect.gen(function*() {
      const { around, state } = breaking(["heartbeat", "takeOver", "cancelRequested"], faults["does not reply"])
      yield* open({ nodeTimeout: 4, around })
      for (let outage = 1; outage <= 2; outage++) {
        state.isBroken = true
        yield* TestClock.adjust("1 minute")
        state.isBroken = false
        yield* TestClock.adjust("1 minute")
        assert.lengthOf(lines("The database does not reply"), outage)
        assert.lengthOf(lines("WARN The database replies again"), outage)
      }
      assert.lengthOf(lines("The background loop"), 0)
      // nothing was executed, so that the missing heartbeat is no problem of its own
      assert.lengthOf(lines("eartbeat"), 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a loop that fails for another reason is logged by its name when it begins to fail and once a minute", () => {
    const { layer, lines } = collecting()
    return Effect.gen(function*() {
      const { around, state } = breaking(["takeOver"], faults["replies with what is a defect"])
      yield* open({ nodeTimeout: 4, around })
      state.isBroken = true
      yield* TestClock.adjust("90 seconds")
      state.isBroken = false
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(lines(`The background loop "takeover" failed and is repeated`), 2)
      assert.lengthOf(lines(`WARN The background loop "takeover" works again`), 1)
    }).pipe(Effect.provide(layer))
  })
})
