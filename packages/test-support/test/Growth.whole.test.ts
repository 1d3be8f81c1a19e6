import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "../src/Growth.ts"

const spin = (count: number): number => {
  let sum = 0
  for (let index = 0; index < count; index++) sum += Math.sqrt(index)
  return sum
}

describe("the check of growth", () => {
  it("linear work passes, and quadratic work does not", () => {
    assertLinear(1000, (count) => void spin(count * 1000))
    assert.throws(() => assertLinear(1000, (count) => void spin(count * count)), "times as long")
  })
})
