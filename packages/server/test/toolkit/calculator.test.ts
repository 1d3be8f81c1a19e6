import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { calculator } from "../../src/toolkit/calculator.ts"
import { call } from "./Calls.ts"

const computed = (formula: string) => call(calculator(), { formula })

describe("the calculator", () => {
  it.effect.each<[string, string]>([
    ["1 + 2 * 3", "7"],
    ["(1 + 2) * 3", "9"],
    ["2 ^ 3 ^ 2", "512"],
    ["-2 ^ 2", "-4"],
    ["2 ^ -1", "0.5"],
    ["10 - 4 - 3", "3"],
    ["7 % 4", "3"],
    [".5 + 1e3", "1000.5"],
    ["--1", "1"],
    ["max(1, sqrt(16), 3)", "4"],
    ["round(pi * 100) / 100", "3.14"],
    ["LN(e)", "1"],
    [" 1 ", "1"]
  ])("the result of %s is %s", ([formula, result]) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* computed(formula), result)
    }))

  it.effect.each<[string, RegExp]>([
    ["", /^Error: The formula is not complete$/],
    ["1 +", /not complete/],
    ["1 2", /'2' is not expected/],
    ["(1", /'\)' is missing/],
    ["1 / 0", /no finite number/],
    ["sqrt(-1)", /no finite number/],
    ["max()", /no finite number/],
    ["constructor", /There is no constant 'constructor'/],
    ["toString(1)", /There is no function 'tostring'/],
    ["process.exit(1)", /'.exit\(1\)' cannot be read/],
    ["1; 2", /'; 2' cannot be read/],
    [`${"(".repeat(200)}1${")".repeat(200)}`, /nested too deeply/],
    [`${"-".repeat(200)}1`, /nested too deeply/],
    ["1+".repeat(600), /more than 1000 characters/]
  ])("the formula %s is answered with an error", ([formula, error]) =>
    Effect.gen(function*() {
      assert.match(yield* computed(formula), error)
    }))

  it("only reads, so that a call is repeated after a crash", () => {
    assert.strictEqual(calculator().effects, "read")
  })
})
