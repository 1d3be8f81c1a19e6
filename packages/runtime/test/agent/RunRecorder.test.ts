import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as RunRecorder from "../../src/agent/RunRecorder.ts"

describe("the duration of a run", () => {
  it.effect("a clock that is set back leaves the duration of a run as it is", () =>
    Effect.gen(function*() {
      const time = { wall: 20_000_000_000n, monotonic: 0n }
      const clock = (real: Clock.Clock): Clock.Clock => ({
        ...real,
        currentTimeNanosUnsafe: () => time.wall,
        monotonicTimeNanosUnsafe: () => time.monotonic
      })
      const recorder = yield* Effect.updateService(RunRecorder.make(() => {}, 20), Clock.Clock, clock)
      Object.assign(time, { wall: 5_000_000_000n, monotonic: 2_000_000_000n })
      assert.strictEqual(recorder.elapsed(), 2)
    }))
})
