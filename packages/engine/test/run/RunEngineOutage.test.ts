// An outage of the database is no death of a node: the nodes that live keep their runs, however long it lasts and in
// whatever order they reach the database again.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { RunStore } from "../../src/run/store/RunStore.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { anyone, runId } from "./CutOffRuns.ts"
import { open, scripted, session } from "./Engine.ts"

type Store = RunStore["Service"]

const nodeTimeout = 8

const isStatement = (value: unknown): value is Effect.Effect<unknown, StorageUnavailable> => Effect.isEffect(value)

/** The database of one node: every statement of the node fails while it is away. */
const connection = () => {
  const state = { isAway: false }
  const away = Effect.suspend(() => Effect.fail(new StorageUnavailable({ cause: "refused" })))
  const guard = (value: unknown): unknown => {
    if (isStatement(value)) return Effect.suspend(() => state.isAway ? away : value)
    if (typeof value !== "function") return value
    return (...given: ReadonlyArray<unknown>) => state.isAway ? away : guard(value(...given))
  }
  const around = (store: Store) =>
    Object.fromEntries(Object.entries(store).map(([name, method]) => [name, guard(method)])) as unknown as Store
  return { around, state }
}

/** A node executes a call of a tool that ends when the test says so, and another node is beside it. */
const twoNodes = Effect.fnUntraced(function*(effects: Tool.Effects) {
  const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  let calls = 0
  const transfer = Tool.make({
    name: "transfer",
    effects,
    execute: () =>
      Effect.suspend(() => {
        calls++
        return Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)), "done")
      })
  })
  const { agent, command } = yield* scripted([[toolCall("transfer")], [text("Done")]], { tools: [transfer] })
  const [holding, beside] = [connection(), connection()]
  const { close, find, memory, runs } = yield* open()
  yield* close
  const nodes = { nodeTimeout, drainTimeout: 0, agents: [agent], memory }
  const a = yield* open({ ...nodes, node: "a", around: holding.around })
  yield* open({ ...nodes, node: "b", around: beside.around })
  yield* a.engine.start(command())
  yield* Deferred.await(begun)
  const attempt = Effect.map(
    Effect.flatMap(runs.snapshot(session, runId("run"), anyone), Effect.fromOption),
    (found) => found.attempt
  )
  const complete = Effect.andThen(Deferred.succeed(end, undefined), TestClock.adjust("10 seconds"))
  return { nodes, find, attempt, complete, calls: () => calls, holding: holding.state, beside: beside.state }
})

describe("an outage of the database for longer than NODE_TIMEOUT", () => {
  for (const effects of ["once", "idempotent", "read"] as const) {
    it.effect(`the call that was executed during outages is made once, and its run stays on its node (${effects})`, () =>
      Effect.gen(function*() {
        const { attempt, beside, calls, complete, find, holding } = yield* twoNodes(effects)
        for (const seconds of [12, 8, 24, 10, 12, 9, 30]) {
          holding.isAway = beside.isAway = true
          yield* TestClock.adjust(`${seconds} seconds`)
          // the other node reaches the database first
          beside.isAway = false
          yield* TestClock.adjust("3 seconds")
          holding.isAway = false
          yield* TestClock.adjust("15 seconds")
        }
        assert.strictEqual(yield* attempt, 1)
        yield* complete
        assert.deepInclude(yield* find(), { status: "COMPLETED", content: "Done" })
        assert.strictEqual(calls(), 1)
        assert.strictEqual(yield* attempt, 1)
      }))
  }

  it.effect("a node that died during the outage is found within NODE_TIMEOUT and three eighths of it after the return", () =>
    Effect.gen(function*() {
      const { attempt, beside, holding } = yield* twoNodes("once")
      holding.isAway = beside.isAway = true
      yield* TestClock.adjust("20 seconds")
      // the first node never returns
      beside.isAway = false
      yield* TestClock.adjust("7 seconds")
      assert.strictEqual(yield* attempt, 1)
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* attempt, 2)
    }))

  it.effect("a node that alone does not reach the database loses its runs after NODE_TIMEOUT, and writes nothing any more", () =>
    Effect.gen(function*() {
      const { attempt, complete, find, holding } = yield* twoNodes("once")
      yield* TestClock.adjust("20 seconds")
      holding.isAway = true
      yield* TestClock.adjust("12 seconds")
      assert.strictEqual(yield* attempt, 2)
      yield* complete
      holding.isAway = false
      yield* TestClock.adjust("30 seconds")
      assert.deepInclude(yield* find(), { status: "PAUSED" })
      assert.strictEqual(yield* attempt, 2)
    }))

  it.effect("a node that starts after an outage takes nothing of the nodes that are not back yet", () =>
    Effect.gen(function*() {
      const { attempt, beside, holding, nodes } = yield* twoNodes("once")
      holding.isAway = beside.isAway = true
      yield* TestClock.adjust("1 minute")
      const third = yield* open({ ...nodes, node: "c" })
      assert.strictEqual(yield* third.engine.recover, 0)
      yield* TestClock.adjust("6 seconds")
      holding.isAway = false
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* attempt, 1)
    }))
})
