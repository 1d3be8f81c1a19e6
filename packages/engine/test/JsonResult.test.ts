// What functions give is kept as JSON.
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as JsonResult from "../src/userCode/JsonResult.ts"

const circle: Record<string, unknown> = { a: 1 }
circle["self"] = circle

const deep = Array.from({ length: 300 }).reduce<unknown>((inner) => ({ inner }), 1)

const throwing = {
  get a() {
    throw new Error("no")
  }
}

describe("the result of a function", () => {
  it("fields that have no value are left out", () => {
    assert.deepStrictEqual<unknown>(
      JsonResult.of({ a: undefined, b: { c: [{ d: undefined }] } }),
      Result.succeed({ b: { c: [{}] } })
    )
    for (const value of [null, [1, "a", true], { a: null }]) {
      assert.deepStrictEqual<unknown>(JsonResult.of(value), Result.succeed(value))
    }
  })

  const cases: ReadonlyArray<readonly [string, unknown, string]> = [
    ["a date", { at: new Date(0) }, "'at' is an object of the class Date"],
    ["a number", { list: [1, { n: Number.NaN }] }, "'list.1.n' is NaN"],
    ["an item", [undefined], "'0' is undefined"],
    ["a function", () => 1, "it is a function"],
    ["a large number", 10n, "it is 10n"],
    ["an error", new Error("x"), "it is an object of the class Error"],
    ["a circle", circle, "Input should not be nested deeper than 200 levels"],
    ["a deep value", deep, "Input should not be nested deeper than 200 levels"],
    ["a getter that throws", throwing, "it cannot be read"]
  ]
  for (const [name, value, problem] of cases) {
    it(`${name} that is no JSON is refused with its place`, () => {
      assert.deepStrictEqual<unknown>(JsonResult.of(value), Result.fail(problem))
    })
  }
})
