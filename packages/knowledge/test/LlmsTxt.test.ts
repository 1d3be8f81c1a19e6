import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import { listedPages } from "../src/web/WebReader.ts"

describe("the pages of an llms.txt", () => {
  it.each([
    ["[One](/one) and [Two](two#part)", ["/one", "/two"]],
    ["[One](/one)[Again](/one)", ["/one"]],
    ["[[One](/one)", ["/one"]],
    ["[One](/one [Two](/two)", ["/two"]],
    ["[Mail](mailto:a@b.c) []( /one) [One]()", []]
  ])("the text %s lists the pages %j", (text, expected) => {
    assert.deepStrictEqual(
      listedPages(text, "https://example.org/"),
      expected.map((path) => `https://example.org${path}`)
    )
  })

  it("a text of open brackets is searched in a time that grows with its length only", () => {
    for (const part of ["[", "[a]("]) {
      assertLinear(128 * 1024, (length) => listedPages(part.repeat(length / part.length), "https://example.org/"))
    }
  })
})
