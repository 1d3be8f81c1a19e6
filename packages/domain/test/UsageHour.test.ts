import { assert, describe, it } from "@effect/vitest"
import * as UsageHour from "../src/UsageHour.ts"

const percentileOf = (seconds: number): number | null => {
  const counts: Array<number> = []
  counts[UsageHour.bucketOf(seconds * 1000)] = 1
  return UsageHour.percentile(Array.from(counts, (count) => count ?? 0), 1)
}

describe("percentiles of times", () => {
  it.each([0.001, 0.003, 1, 60, 3600, 3 * 3600, 48 * 3600])("%d s is found within a bucket", (seconds) => {
    const found = percentileOf(seconds) ?? 0
    assert.isAtLeast(found, seconds * 0.999)
    assert.isAtMost(found, seconds * 1.415)
  })

  it("nothing that was counted has none", () => {
    assert.isNull(UsageHour.percentile([], 0.5))
    assert.isNull(UsageHour.percentile([0, 0], 0.5))
  })
})

describe("figures of usage", () => {
  const none = Object.fromEntries(Object.keys(UsageHour.sums).map((name) => [name, 0])) as Record<
    keyof typeof UsageHour.sums,
    number
  >
  const costOf = (figures: Partial<typeof none>) =>
    UsageHour.toRecord({ hour: 1, ...none, ...figures, durations: [], first_tokens: [] }).cost

  it("the hit rate is the part of the input that was read from caches, and null without input", () => {
    const rateOf = (figures: Partial<typeof none>) =>
      UsageHour.toRecord({ hour: 1, ...none, ...figures, durations: [], first_tokens: [] }).cache_hit_rate
    assert.isNull(rateOf({}))
    assert.strictEqual(rateOf({ input_tokens: 200, cache_read_tokens: 150 }), 0.75)
    assert.strictEqual(rateOf({ input_tokens: 200 }), 0)
  })

  it("the cost is known if some tokens have a price, also one of zero", () => {
    assert.isNull(costOf({ total_tokens: 5, unpriced_tokens: 5 }))
    assert.strictEqual(costOf({ total_tokens: 5, unpriced_tokens: 3 }), 0)
    assert.strictEqual(costOf({ total_tokens: 5 }), 0)
    assert.strictEqual(costOf({ total_tokens: 5, unpriced_tokens: 3, cost: 2 }), 2)
  })
})
