import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as Time from "../src/Time.ts"

describe("Time", () => {
  it.each([
    [0, "1970-01-01T00:00:00Z"],
    [1_795_223_413, "2026-11-21T01:10:13Z"],
    [-1, "1969-12-31T23:59:59Z"]
  ])("a time of %d seconds is shown as %s, without a fraction", (seconds, text) => {
    assert.strictEqual(Time.toDateTime(seconds), text)
  })

  it.each([
    [1_795_223_412_670, "2026-11-21T01:10:12.670Z"],
    [1_795_223_412_001, "2026-11-21T01:10:12.001Z"],
    [1_795_223_412_000, "2026-11-21T01:10:12Z"]
  ])("a time of %d milliseconds is shown as %s, with a fraction only when it is not zero", (millis, text) => {
    assert.strictEqual(Time.formatMillis(millis), text)
  })

  it("seconds are whole, and the fraction is cut off", () => {
    assert.strictEqual(Time.fromMillis(1_795_223_412_999), 1_795_223_412)
    assert.strictEqual(Time.fromMillis(0), 0)
  })

  it.each([
    ["2026-11-21T01:10:13 02:00", "2026-11-21T01:10:13+02:00"],
    ["2026-11-21 01:10:13 0200", "2026-11-21 01:10:13+0200"],
    ["2026-11-21 01:10", "2026-11-21 01:10"]
  ])("the time %s of a query is %s", (text, time) => {
    assert.strictEqual(Time.fromQuery(text), time)
  })

  it("a query of colons is read in a time that grows with its length only", () =>
    assertLinear(4 * 1024, (length) => Time.fromQuery(":".repeat(length))))
})
