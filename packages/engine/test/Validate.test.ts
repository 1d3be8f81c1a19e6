// Lengths of time that authors give: what is none is refused, and never counts as zero.
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import * as Validate from "../src/userCode/Validate.ts"

const length = (value: unknown) => Validate.duration("Tool 't'", "timeout", value as Duration.Input)
const refusal = (value: unknown) => {
  try {
    return length(value)
  } catch (thrown) {
    return (thrown as Error).message
  }
}
const stored = (value: unknown) => Validate.storedDuration("Tool 't'", "timeout", value as Duration.Input)

const rule = "Tool 't': timeout must be a length of time, such as \"2 seconds\" or a number of milliseconds"
const units = "weeks, days, hours, minutes, seconds, milliseconds, microseconds and nanoseconds"

describe("a length of time", () => {
  it.each<[unknown, string]>([
    [Number.NaN, `${rule}. It is NaN`],
    ["soon", rule],
    [-1, rule],
    [null, rule],
    [new Date(0), `${rule}. It is a date: give the time from now until then`],
    [{ hour: 1 }, `${rule}. There is no unit 'hour', but ${units}`],
    [{ hours: 1, second: 2 }, `${rule}. There is no unit 'second', but ${units}`],
    [{ hours: Number.NaN }, `${rule}. 'hours' is NaN`],
    [{ hours: "1" }, `${rule}. 'hours' is '1'`],
    [{}, rule],
    [[Number.NaN, 0], rule],
    [[1, 2, 3], rule],
    [new Map(), rule]
  ])("%o is refused with the reason", (value, message) => {
    assert.strictEqual(refusal(value), message)
  })

  it.each<[unknown, number]>([
    [0, 0],
    [1500, 1500],
    ["2 hours", 7_200_000],
    [{ hours: 1, minutes: 30 }, 5_400_000],
    [{ hours: 1, minutes: undefined }, 3_600_000],
    [[2, 500_000_000], 2500],
    [5_000_000n, 5],
    [Duration.seconds(3), 3000],
    [Infinity, Infinity],
    ["Infinity", Infinity]
  ])("%o is a length of time", (value, millis) => {
    assert.strictEqual(Duration.toMillis(length(value)), millis)
  })

  it("a length whose end is stored is at most a century", () => {
    assert.strictEqual(Duration.toMillis(stored("365 days")), 31_536_000_000)
    for (const value of [Infinity, "Infinity", 1e15]) {
      assert.throws(() => stored(value), "Tool 't': timeout must be at most a hundred years")
    }
    assert.throws(() => stored(Number.NaN), rule)
  })
})
