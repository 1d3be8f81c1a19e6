import { assert, describe, it } from "@effect/vitest"
import { withTime } from "@svc-runtime/test-support/SettableClock"
import { Effect } from "effect"
import * as RunRecorder from "../../src/agent/execute/RunRecorder.ts"

describe("the duration of a run", () => {
  it.effect("a clock that is set back leaves the duration of a run as it is", () =>
    Effect.gen(function*() {
      const time = { wall: 20_000_000_000n, monotonic: 0n }
      const recorder = yield* withTime(time)(RunRecorder.make(() => {}, 20))
      Object.assign(time, { wall: 5_000_000_000n, monotonic: 2_000_000_000n })
      assert.strictEqual(recorder.elapsed(), 2)
    }))
})
