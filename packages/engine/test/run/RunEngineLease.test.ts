// A node whose heartbeat is late, whether it is frozen, cut off or slow: it does nothing for runs that another node may
// have.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Clock, Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as NodeHeartbeat from "../../src/node/NodeHeartbeat.ts"
import type { RunStore } from "../../src/run/store/RunStore.ts"
import type { Effects } from "../../src/tool/Tool.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { open, scripted } from "./Engine.ts"

type Store = RunStore["Service"]

const nodeTimeout = 4
const cut = Effect.fail(new StorageUnavailable({ cause: "cut off" }))

const until = (isSo: Effect.Effect<boolean>) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("250 millis"), isSo), { until: (so) => so, times: 200 })

/** A node that is frozen while the answer to a step is on its way: the step is stored, and its heartbeats are not. */
const freezing = Effect.gen(function*() {
  const [stored, thaw] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const state = { isFrozen: false }
  const around = (store: Store): Store => ({
    ...store,
    heartbeat: (node) => Effect.suspend(() => state.isFrozen ? cut : store.heartbeat(node)),
    record: (step) =>
      Effect.gen(function*() {
        const recorded = yield* store.record(step)
        if (Deferred.isDoneUnsafe(stored)) return recorded
        state.isFrozen = true
        yield* Deferred.succeed(stored, undefined)
        yield* Deferred.await(thaw)
        return recorded
      })
  })
  return { around, stored: Deferred.await(stored), thaw: Deferred.succeed(thaw, undefined), state }
})

const called = (effects: Effects) => {
  const calls: Array<string> = []
  return { calls, tool: Tool.make({ name: "transfer", effects, execute: () => (calls.push(effects), "done") }) }
}

describe("a node that was frozen between a step and its answer", () => {
  for (const effects of ["once", "idempotent"] as const) {
    it.effect(`a node that was frozen does not make a call of a run that another node has taken over (${effects})`, () =>
      Effect.gen(function*() {
        const { around, state, stored, thaw } = yield* freezing
        const { calls, tool } = called(effects)
        const { command } = yield* scripted([[toolCall("transfer")], [text("Late")]], { tools: [tool] })
        const frozen = yield* open({ node: "a", nodeTimeout, around, drainTimeout: 0 })
        const handle = yield* frozen.engine.start(command())
        yield* stored
        yield* TestClock.adjust("1 minute")
        const taken = yield* frozen.runs.takeOver({ node: "b", isStarting: false, dead: "every", limit: 9 })
        assert.lengthOf(taken, 1)
        state.isFrozen = false
        yield* thaw
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(calls, [])
        assert.deepInclude(yield* Effect.flip(handle.output), { _tag: "RunHandedOver", reason: "elsewhere" })
      }))
  }

  it.effect("a node that was frozen makes the call when no other node has taken the run over", () =>
    Effect.gen(function*() {
      const { around, state, stored, thaw } = yield* freezing
      const { calls, tool } = called("once")
      const { command } = yield* scripted([[toolCall("transfer")], [text("Done")]], { tools: [tool] })
      const { engine, find } = yield* open({ nodeTimeout, around, drainTimeout: 0 })
      yield* engine.start(command())
      yield* stored
      yield* TestClock.adjust("1 minute")
      yield* thaw
      yield* TestClock.adjust("10 seconds")
      // its heartbeat has to be stored first
      assert.deepStrictEqual(calls, [])
      state.isFrozen = false
      yield* until(Effect.sync(() => calls.length > 0))
      yield* until(Effect.map(Effect.orDie(find()), ({ status }) => status === "COMPLETED"))
      assert.deepStrictEqual(calls, ["once"])
    }))

  it.effect("a node that was frozen does not execute the step of a workflow that another node has taken over", () =>
    Effect.gen(function*() {
      const { around, state, stored, thaw } = yield* freezing
      const done: Array<string> = []
      const workflow = Workflow.make({
        id: "flow",
        steps: [Step.make({ name: "pay", effects: "once", run: () => (done.push("pay"), "paid") })]
      })
      const frozen = yield* open({ node: "a", nodeTimeout, around, drainTimeout: 0, workflows: [workflow] })
      const { command } = yield* scripted([])
      const { agent: _, ...fields } = command()
      yield* frozen.engine.start({ ...fields, workflow } as never)
      yield* stored
      yield* TestClock.adjust("1 minute")
      const taken = yield* frozen.runs.takeOver({ node: "b", isStarting: false, dead: "every", limit: 9 })
      assert.lengthOf(taken, 1)
      state.isFrozen = false
      yield* thaw
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(done, [])
    }))
})

describe("a node that cannot store a heartbeat for NODE_TIMEOUT", () => {
  const cutOff = () => {
    const state = { isCut: false }
    const around = (store: Store): Store => ({
      ...store,
      heartbeat: (node) => Effect.suspend(() => state.isCut ? cut : store.heartbeat(node))
    })
    return { around, state }
  }

  it.effect("a node without a stored heartbeat refuses runs, and continues its own, which no other node has taken over", () =>
    Effect.gen(function*() {
      const { around, state } = cutOff()
      const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { agent, command } = yield* scripted([
        [Script.wait(Deferred.succeed(begun, undefined)), Script.wait(end), text("Once")],
        [text("New")]
      ])
      const { engine, find } = yield* open({ nodeTimeout, around, agents: [agent] })
      yield* engine.start(command())
      yield* Deferred.await(begun)
      assert.isTrue(yield* engine.isAble)
      state.isCut = true
      yield* TestClock.adjust("3 seconds")
      assert.isTrue(yield* engine.isAble)
      yield* TestClock.adjust("4 seconds")
      const refused = command({ run_id: Run.Id.make("refused") })
      const refusal = yield* Effect.flip(engine.start(refused))
      assert.deepInclude(refusal, { _tag: "StorageUnavailable", hasNoHeartbeat: true })
      assert.strictEqual(refusal.message, "This node has no recent heartbeat")
      assert.isFalse(yield* engine.isAble)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* find()).status, "RUNNING")
      state.isCut = false
      yield* Deferred.succeed(end, undefined)
      yield* until(Effect.map(Effect.orDie(find()), ({ status }) => status === "COMPLETED"))
      assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Once" })
      assert.isTrue(yield* engine.isAble)
      yield* engine.start(command({ run_id: Run.Id.make("new") }))
    }))

  it.effect("a node waits for the outcome of a call that must be made once, because it would be unknown otherwise", () =>
    Effect.gen(function*() {
      const { around, state } = cutOff()
      const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const transfer = Tool.make({
        name: "transfer",
        effects: "once",
        execute: () => Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)), "done")
      })
      const { agent, command } = yield* scripted([[toolCall("transfer")], [text("Done")]], { tools: [transfer] })
      const { engine, find } = yield* open({ nodeTimeout, around, agents: [agent] })
      yield* engine.start(command())
      yield* Deferred.await(begun)
      state.isCut = true
      yield* TestClock.adjust("30 seconds")
      state.isCut = false
      yield* TestClock.adjust("5 seconds")
      yield* Deferred.succeed(end, undefined)
      yield* until(Effect.map(Effect.orDie(find()), ({ status }) => status === "COMPLETED"))
      assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Done" })
    }))
})

describe("the heartbeat of a node", () => {
  const clocks = Effect.sync(() => {
    const time = { wall: 0, monotonic: 0 }
    const clock = (real: Clock.Clock): Clock.Clock => ({
      ...real,
      currentTimeMillisUnsafe: () => time.wall * 1000,
      monotonicTimeNanosUnsafe: () => BigInt(time.monotonic) * 1_000_000_000n
    })
    return { time, clock }
  })

  const made = Effect.gen(function*() {
    const { clock, time } = yield* clocks
    const state = { beat: Effect.void as Effect.Effect<void, StorageUnavailable> }
    const heartbeat = yield* Effect.updateService(
      NodeHeartbeat.make({ beat: Effect.suspend(() => state.beat), nodeTimeout: 8 }),
      Clock.Clock,
      clock
    )
    return { heartbeat, time, state }
  })

  it.effect("the age of a heartbeat is that of the longer of the two clocks, because a suspended machine may have stopped either", () =>
    Effect.gen(function*() {
      for (const [wall, monotonic] of [[8, 0], [0, 8], [-3600, 8]] as const) {
        const { heartbeat, time } = yield* made
        yield* heartbeat.send
        assert.isTrue(heartbeat.isFresh())
        Object.assign(time, { wall, monotonic })
        assert.isFalse(heartbeat.isFresh())
        assert.isTrue(heartbeat.hasExpired())
      }
    }))

  it.effect("a heartbeat counts from when it was sent, and is not trusted for the last eighth of NODE_TIMEOUT", () =>
    Effect.gen(function*() {
      const { heartbeat, state, time } = yield* made
      state.beat = Effect.sync(() => void Object.assign(time, { monotonic: 6 }))
      yield* heartbeat.send
      assert.isTrue(heartbeat.isFresh())
      time.monotonic = 7
      assert.isFalse(heartbeat.isFresh())
      assert.isFalse(heartbeat.hasExpired())
      assert.strictEqual(NodeHeartbeat.takeoverAfter(8), 9)
    }))

  it.effect("a heartbeat reports a gap in which runs may have been taken over", () =>
    Effect.gen(function*() {
      const { heartbeat, time } = yield* made
      yield* heartbeat.send
      const before = heartbeat.epoch()
      time.monotonic = 6
      yield* heartbeat.send
      assert.strictEqual(heartbeat.epoch(), before)
      time.monotonic = 13
      yield* heartbeat.send
      assert.isAbove(heartbeat.epoch(), before)
    }))
})

describe("a node whose clock jumps, or that was suspended, for longer than NODE_TIMEOUT", () => {
  /** The heartbeats of three seconds do not arrive. The one that the watchdog sends does. */
  const jumping = Effect.gen(function*() {
    const requested = yield* Deferred.make<void>()
    const around = (store: Store): Store => ({
      ...store,
      heartbeat: (node) =>
        Effect.flatMap(Clock.currentTimeMillis, (time) => {
          if (time === 0 || time > 3500) return store.heartbeat(node)
          return time < 2500 ? cut : Effect.never
        })
    })
    const turn = [
      text("One"),
      Script.wait(Deferred.succeed(requested, undefined)),
      Script.wait(Effect.never),
      text("two")
    ]
    const { agent, command, script } = yield* scripted([turn, turn])
    const opened = yield* open({ node: "a", nodeTimeout, around, drainTimeout: 0, agents: [agent] })
    const handle = yield* opened.engine.start(command())
    yield* Deferred.await(requested)
    return { ...opened, handle, script }
  })

  it.effect("a node whose clock jumped resumes the runs that no other node has acquired", () =>
    Effect.gen(function*() {
      const { script } = yield* jumping
      yield* TestClock.adjust("30 seconds")
      assert.lengthOf(yield* script.calls, 1)
    }))

  it.effect("a node whose clock jumped gives up the runs that another node has acquired", () =>
    Effect.gen(function*() {
      const { handle, runs } = yield* jumping
      yield* TestClock.adjust("3500 millis")
      yield* runs.takeOver({ node: "b", isStarting: false, dead: "every", limit: 9 })
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Effect.flip(handle.output), { _tag: "RunHandedOver", reason: "elsewhere" })
    }))
})
