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
