// Many random histories for each provider. It prints how many requests were tried on each wire.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as RandomRequests from "./RandomRequests.ts"

const each = 200

it.live("each provider accepts thousands of random histories", () =>
  Effect.gen(function*() {
    const sums: Record<string, { tried: number; refused: number }> = {}
    for (const ref of RandomRequests.references) {
      const { refused, requests, seed } = yield* RandomRequests.tried(ref, each)
      for (const [wire, tried] of Object.entries(requests)) {
        const sum = sums[wire] ??= { tried: 0, refused: 0 }
        sum.tried += tried
        sum.refused += refused.filter((one) => one.wire === wire).length
      }
      assert.isUndefined(
        refused[0],
        `seed ${seed}: ${refused.length} refused, the first is ${JSON.stringify(refused[0])}`
      )
    }
    yield* Effect.log("Requests by wire", sums)
  }))
