import { assert, describe, it } from "@effect/vitest"
import * as Statistics from "../Statistics.ts"

describe("statistics", () => {
  it("the 95th percentile is interpolated between its neighbours, with the ends included", () => {
    assert.closeTo(Statistics.of([4, 1, 3, 2]).p95 ?? 0, 3.85, 1e-9)
    assert.strictEqual(Statistics.of([7]).p95, 7)
  })

  it("the deviation is that of a sample, and 0 for one value", () => {
    assert.strictEqual(Statistics.of([2, 4]).std_dev, Math.SQRT2)
    assert.strictEqual(Statistics.of([2]).std_dev, 0)
  })

  it("the median of an even number of values is between the two in the middle", () => {
    assert.strictEqual(Statistics.of([1, 9, 2, 4]).median, 3)
  })

  it("sums and means have no errors of binary fractions, in any order and number", () => {
    assert.strictEqual(Statistics.sum([0.1, 0.2]), 0.3)
    assert.strictEqual(Statistics.sum(Array.from({ length: 10_000 }, () => 0.1)), 1000)
    assert.strictEqual(Statistics.sum([1e15, 0.1, -1e15, 0.2]), 0.3)
    assert.strictEqual(Statistics.sum([0.000_001, 0.000_002, 1_000_000]), 1_000_000.000_003)
    assert.strictEqual(Statistics.of([0.1, 0.7, 0.1]).avg, 0.3)
    assert.strictEqual(Statistics.sum([]), 0)
  })

  it("an empty list has no figures", () => {
    assert.deepStrictEqual(Object.values(Statistics.of([])), [null, null, null, null, null, null])
  })
})
