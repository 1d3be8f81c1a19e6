// What a node says of its own heartbeats.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { logged } from "../../../agents/test/agent/Harness.ts"
import type { KnownNode, Presence as Stored } from "../../src/node/LeasedRuns.ts"
import * as Presence from "../../src/run/leases/Presence.ts"
import * as TakeoverRules from "../../src/run/leases/TakeoverRules.ts"

const nodeTimeout = 8

/** The heartbeats of one node, whose statements take `delay` seconds. It passes on what the store would store. */
const made = Effect.gen(function*() {
  const state = {
    delay: 0,
    seconds: 0,
    seenAt: -Infinity,
    steadySince: 0,
    node: "",
    /** The seconds for which each other node has been silent. */
    others: [] as ReadonlyArray<number>
  }
  const leases = {
    heartbeat: ({ maxGap, node }: Stored) =>
      Effect.gen(function*() {
        yield* TestClock.adjust(state.delay * 1000)
        state.seconds += state.delay
        const isSteady = TakeoverRules.isContinuous(state.seconds - state.seenAt, maxGap)
        if (!isSteady) state.steadySince = state.seconds
        state.seenAt = state.seconds
        state.node = node
      }),
    nodes: Effect.sync((): ReadonlyArray<KnownNode> => [
      {
        node: state.node,
        process: null,
        seenAt: String(state.seenAt),
        silentFor: state.seconds - state.seenAt,
        steadyFor: state.seconds - state.steadySince
      },
      ...state.others.map((silentFor, n) => ({
        node: `other-${n}`,
        process: null,
        seenAt: "",
        silentFor,
        steadyFor: 60
      }))
    ])
  }
  const presence = yield* Presence.make({
    guest: undefined,
    leases,
    name: "a",
    identity: undefined,
    isShared: true,
    nodeTimeout,
    components: () => [],
    format: 1
  })
  /** So many heartbeats, each an interval after the one before was stored, and a pass after each. */
  const beat = (count: number, delay: number) =>
    Effect.repeat(
      Effect.gen(function*() {
        state.delay = delay
        yield* presence.beat
        yield* presence.eligible(false)
        yield* TestClock.adjust(nodeTimeout / 4 * 1000)
        state.seconds += nodeTimeout / 4
      }),
      { times: count - 1 }
    )
  return { beat, presence, state }
})

describe("the heartbeats of a node", () => {
  it.effect("a node whose heartbeats are always stored late warns once that it takes over no runs, and why", () =>
    Effect.gen(function*() {
      const { beat } = yield* made
      const { lines } = yield* logged(beat(20, 1.25))
      assert.strictEqual(lines.length, 1)
      assert.strictEqual(lines[0]?.level, "Warn")
      assert.include(lines[0]?.text, "This node takes over no runs of other nodes")
      assert.include(lines[0]?.text, "up to 3.3 s apart, and 3 s are allowed")
      assert.include(lines[0]?.text, "NODE_TIMEOUT")
    }))

  it.effect("a node says when its heartbeats are regular again, and warns of the next time", () =>
    Effect.gen(function*() {
      const { beat } = yield* made
      const { lines } = yield* logged(
        beat(20, 1.25).pipe(Effect.andThen(beat(10, 0)), Effect.andThen(beat(20, 1.5)))
      )
      assert.deepStrictEqual(lines.map(({ level }) => level), ["Warn", "Info", "Warn"])
      assert.include(lines[1]?.text, "This node takes over runs of other nodes again")
      assert.include(lines[2]?.text, "up to 3.5 s apart")
    }))

  it.effect("a node that starts, or misses a heartbeat once, does not warn", () =>
    Effect.gen(function*() {
      const { beat } = yield* made
      const { lines } = yield* logged(
        beat(10, 0).pipe(Effect.andThen(beat(1, 3.9)), Effect.andThen(beat(10, 0.9)))
      )
      assert.deepStrictEqual(lines, [])
    }))
})

/** Seconds between a node's looks for work that any node can do, one after the other. */
const turnsAmong = Effect.fnUntraced(function*(others: ReadonlyArray<number>) {
  const { presence, state } = yield* made
  state.others = others
  yield* presence.eligible(false)
  const turns: Array<number> = []
  for (let n = 0; n < 40; n++) {
    const turn = yield* Effect.forkChild(presence.awaitTurn("1 second"), { startImmediately: true })
    let seconds = 0
    for (; turn.pollUnsafe() === undefined; seconds += 0.25) yield* TestClock.adjust("250 millis")
    turns.push(seconds)
  }
  return turns
})

describe("the turns of nodes that look for work that any of them can do", () => {
  it.effect("each of twenty nodes looks once in an interval, whatever other nodes have died", () =>
    Effect.gen(function*() {
      const dead = Array.from({ length: 200 }, () => 60)
      assert.deepStrictEqual([...new Set(yield* turnsAmong([...Array.from({ length: 19 }, () => 1), ...dead]))], [1])
    }))

  it.effect.each([[50, 2.5], [100, 5], [1000, 5]] as const)(
    "each of %d nodes looks once in %d intervals, at times that spread",
    ([nodes, intervals]) =>
      Effect.gen(function*() {
        const turns = yield* turnsAmong(Array.from({ length: nodes - 1 }, () => 1))
        const mean = turns.reduce((sum, each) => sum + each, 0) / turns.length
        assert.closeTo(mean, intervals, 0.15 * intervals)
        assert.isAtLeast(Math.min(...turns), 0.75 * intervals)
        assert.isAtMost(Math.max(...turns), 1.25 * intervals + 0.25)
        assert.isAbove(new Set(turns).size, 3)
      })
  )
})
