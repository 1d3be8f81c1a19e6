import { assert, describe, it } from "@effect/vitest"
import * as Instruments from "../src/Instruments.ts"

describe("instruments", () => {
  it("a time that went backwards counts as none, and what is no number is left out", () => {
    const instruments = Instruments.make()
    for (const seconds of [2, -5, Number.NaN, Infinity]) instruments.eventLag(seconds)
    const lines = instruments.format().split("\n")
    assert.include(lines, "svc_event_lag_seconds_sum 2")
    assert.include(lines, "svc_event_lag_seconds_count 2")
  })
})
