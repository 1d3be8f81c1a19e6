import { assert, describe, it } from "@effect/vitest"
import * as Span from "@svc-runtime/domain/Span"
import * as TraceIds from "../src/TraceIds.ts"

const millisecond = 1_000_000n

describe("the ids of traces", () => {
  it("ids are valid and different, also in one millisecond", () => {
    const ids = Array.from({ length: 1000 }, () => TraceIds.make(1_800_000_000_000n * millisecond))
    assert.isTrue(ids.every(Span.isTraceId))
    assert.strictEqual(new Set(ids.map((id) => id.slice(-14))).size, ids.length)
    for (const time of [0n, -5_000n * millisecond, 10n ** 30n]) assert.isTrue(Span.isTraceId(TraceIds.make(time)))
  })

  it("ids are in the order of their times", () => {
    const times = [0n, 1n, 1_700_000_000_000n, 1_800_000_000_000n, 1_800_000_000_001n, 4_000_000_000_000n]
    const ids = times.map((time) => TraceIds.make(time * millisecond))
    assert.deepStrictEqual(ids.toSorted(), ids)
  })
})
