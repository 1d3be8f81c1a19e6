import { assert, describe, it } from "@effect/vitest"
import { listedPages } from "../src/web/LlmsTxt.ts"

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
    const timeOf = (part: string, length: number) => {
      const text = part.repeat(length / part.length)
      const started = performance.now()
      listedPages(text, "https://example.org/")
      return performance.now() - started
    }
    // with the parts inside of each other it is several seconds
    for (const part of ["[", "[a]("]) assert.isBelow(timeOf(part, 1024 * 1024), 2000, part)
  })
})
