// What a node logs when it could not store heartbeats, and when it stores them again.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Effect } from "effect"
import { logged } from "../../../agents/test/agent/Harness.ts"
import type { NodeHeartbeat } from "../../src/node/NodeHeartbeat.ts"
import * as Watchdog from "../../src/run/leases/Watchdog.ts"

const made = (isStorageAway: boolean, { isStoredMeanwhile = false, lost = 0 } = {}) => {
  const state = { hasExpired: true, age: 9, checks: 0 }
  const heartbeat: NodeHeartbeat = {
    send: Effect.suspend(() => {
      if (isStoredMeanwhile) state.hasExpired = false
      return Effect.fail(new StorageUnavailable({ cause: "reset" }))
    }),
    isFresh: () => !state.hasExpired,
    hasExpired: () => state.hasExpired,
    age: () => state.age,
    epoch: () => 0
  }
  const watch = Watchdog.make({
    heartbeat,
    giveUpLost: Effect.sync(() => {
      state.checks++
      return lost
    }),
    timeout: "1 second",
    isStorageAway: () => isStorageAway,
    onRecovered: Effect.void
  })
  const recover = Effect.sync(() => {
    state.hasExpired = false
    state.age = 0
  })
  return { recover, state, watch }
}

describe("the log of lost heartbeats", () => {
  it.effect("the loss of heartbeats is an error while the database replies, and its end a warning", () =>
    Effect.gen(function*() {
      const { recover, watch } = made(false)
      const { lines } = yield* logged(Effect.andThen(watch, Effect.andThen(recover, watch)))
      assert.deepStrictEqual(lines.map(({ level }) => level), ["Error", "Warn"])
      assert.include(lines[1]?.text, "Heartbeats are stored again")
    }))

  it.effect("while the database does not reply, nothing is logged if no run is lost", () =>
    Effect.gen(function*() {
      const { recover, watch } = made(true)
      const { lines } = yield* logged(Effect.all([watch, watch, recover, watch], { discard: true }))
      assert.deepStrictEqual(lines, [])
    }))

  it.effect("lost runs are logged with the time without heartbeats, also after an outage of the database", () =>
    Effect.gen(function*() {
      const { recover, state, watch } = made(true, { lost: 2 })
      const older = Effect.sync(() => {
        state.age = 12
      })
      const { lines } = yield* logged(Effect.all([watch, older, watch, recover, watch, watch], { discard: true }))
      assert.deepStrictEqual(lines.map(({ level }) => level), ["Warn"])
      assert.match(lines[0]?.text ?? "", /had none for 12 s.*taken over 2 of its runs/)
      assert.strictEqual(state.checks, 1)
    }))

  it.effect("if another heartbeat was stored meanwhile, no loss is logged, and the next look finds the lost runs", () =>
    Effect.gen(function*() {
      const { state, watch } = made(false, { isStoredMeanwhile: true })
      const { lines } = yield* logged(watch)
      assert.deepStrictEqual(lines, [])
      yield* logged(watch)
      assert.strictEqual(state.checks, 1)
    }))
})
