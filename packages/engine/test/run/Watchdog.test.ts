// What a node logs when it could not store heartbeats, and when it stores them again.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect } from "effect"
import { logged } from "../../../agents/test/agent/Harness.ts"
import type { NodeHeartbeat } from "../../src/node/NodeHeartbeat.ts"
import type { Execution } from "../../src/run/engine/Execution.ts"
import * as Watchdog from "../../src/run/leases/Watchdog.ts"

const made = (isStorageAway: boolean, isStoredMeanwhile = false) => {
  const state = { hasExpired: true }
  const heartbeat: NodeHeartbeat = {
    send: Effect.suspend(() => {
      if (isStoredMeanwhile) state.hasExpired = false
      return Effect.fail(new StorageUnavailable({ cause: "reset" }))
    }),
    isFresh: () => !state.hasExpired,
    hasExpired: () => state.hasExpired,
    age: () => 9,
    epoch: () => 0
  }
  const execution = { isEnding: false, writing: 0, lease: { isOccupied: () => false } }
  const watch = Watchdog.make({
    executing: new Map([["run", execution as unknown as Execution]]) as never,
    heartbeat,
    giveUpLost: Effect.void,
    timeout: "1 second",
    isStorageAway: () => isStorageAway,
    onRecovered: Effect.void
  })
  const recover = Effect.sync(() => {
    state.hasExpired = false
  })
  return { execution, recover, watch }
}

describe("the log of lost heartbeats", () => {
  it.effect("the loss of heartbeats is an error while the database replies, and its end a warning", () =>
    Effect.gen(function*() {
      const { recover, watch } = made(false)
      const { lines } = yield* logged(Effect.andThen(watch, Effect.andThen(recover, watch)))
      assert.deepStrictEqual(lines.map(({ level }) => level), ["Error", "Warn"])
      assert.include(lines[1]?.text, "Heartbeats are stored again")
    }))

  it.effect("while the database does not reply, the loss and its end are warnings if the node gives up runs", () =>
    Effect.gen(function*() {
      const { recover, watch } = made(true)
      const { lines } = yield* logged(Effect.andThen(watch, Effect.andThen(recover, watch)))
      assert.deepStrictEqual(lines.map(({ level }) => level), ["Warn", "Warn"])
    }))

  it.effect("no run is given up, and nothing is logged, if another heartbeat was stored meanwhile", () =>
    Effect.gen(function*() {
      const { execution, watch } = made(false, true)
      const { lines } = yield* logged(watch)
      assert.deepStrictEqual(lines, [])
      assert.notProperty(execution, "givenUp")
    }))

  it.effect("a run that is given up after its step was stored is logged too, and the end has the number of runs", () =>
    Effect.gen(function*() {
      const { execution, recover, watch } = made(true)
      execution.writing = 1
      const stored = Effect.sync(() => {
        execution.writing = 0
      })
      const { lines } = yield* logged(Effect.all([watch, stored, watch, watch, recover, watch], { discard: true }))
      assert.deepStrictEqual(lines.map(({ level }) => level), ["Warn", "Warn"])
      assert.match(lines[0]?.text ?? "", /gives up its runs: 1 now/)
      assert.match(lines[1]?.text ?? "", /^Heartbeats are stored again.*It has given up 1 run/)
    }))
})
