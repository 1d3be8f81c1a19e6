import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { currentTime } from "../../src/toolkit/currentTime.ts"
import { call } from "./Calls.ts"

describe("the tool of the current time", () => {
  it.effect("the time is that of the zone that the model names, or of the author's", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 6, 1, 23, 30))
      const tool = currentTime({ timezone: "Europe/Berlin" })
      assert.strictEqual(
        yield* call(tool, {}),
        `{"time":"2026-07-02T01:30:00.000+02:00","timezone":"Europe/Berlin","weekday":"Thursday"}`
      )
      assert.include(yield* call(tool, { timezone: "America/New_York" }), "2026-07-01T19:30:00.000-04:00")
      assert.strictEqual(yield* call(tool, { timezone: "Mars/Base" }), "Error: There is no timezone 'Mars/Base'")
    }))

  it("a timezone of the author that does not exist is refused when the tool is made", () => {
    assert.throws(() => currentTime({ timezone: "Mars/Base" }), /Mars\/Base/)
  })
})
