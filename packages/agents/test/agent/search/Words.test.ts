// The words by which tools are found.
import { assert, describe, it } from "@effect/vitest"
import * as Growth from "@svc-runtime/test-support/Growth"
import * as Words from "../../../src/agent/execute/search/Words.ts"

describe("the words of a text", () => {
  it("words are alike without their endings, and short ones keep theirs", () => {
    assert.deepStrictEqual(Words.of("listing planned string bring red seeded"), [
      "list",
      "plan",
      "string",
      "bring",
      "red",
      "seed"
    ])
  })

  it("a long word is read in time proportional to its size", () => {
    for (const letters of ["a", "ya"]) {
      Growth.assertLinear(4000, (size) => void Words.of(letters.repeat(size / letters.length), size))
    }
  })
})
