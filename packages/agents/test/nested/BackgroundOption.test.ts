// The option `background` of a component that is a tool.
import { assert, describe, it } from "@effect/vitest"
import * as BackgroundOption from "../../src/nested/BackgroundOption.ts"

describe("the option background", () => {
  it("a timeout is stored in seconds, and one that cannot be stored is refused when it is defined", () => {
    const timeoutOf = (timeout: BackgroundOption.Options["timeout"]) =>
      BackgroundOption.settings("A tool", { timeout })?.timeout
    assert.strictEqual(timeoutOf("90 seconds"), 90)
    assert.strictEqual(timeoutOf("36500 days"), 2 ** 31 - 2)
    assert.throws(() => timeoutOf(Number.POSITIVE_INFINITY), /background.timeout must be at most a hundred years/)
  })
})
