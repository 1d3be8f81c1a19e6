import { assert, describe, it } from "@effect/vitest"
import { markedOf } from "../src/knowledge/markedOf.ts"

describe("A passage that a search found", () => {
  it("The words of the question are marked, as whole words and in any case.", () => {
    assert.deepStrictEqual(markedOf("Holidays: thirty DAYS of holiday.", "days of holiday?"), [
      "Holidays: thirty ",
      "DAYS",
      " of ",
      "holiday",
      "."
    ])
  })

  it("A question of signs or of short words marks nothing.", () => {
    assert.deepStrictEqual(markedOf("a (b) c", "(b) a .*"), ["a (b) c"])
  })
})
