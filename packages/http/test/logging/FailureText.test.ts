import { assert, describe, it } from "@effect/vitest"
import * as FailureText from "@svc-runtime/http/logging/FailureText"
import { assertLinear } from "@svc-runtime/test-support/Growth"

describe("of", () => {
  // errors of tools quote pages, and errors of MCP servers are theirs
  // errors of tools quote pages, and errors of MCP servers are theirs
  it.each(["\n", " \n", "\n at "])("the time of an error grows with its message, of whatever signs: %j", (sign) => {
    assertLinear(5000, (size) => void FailureText.of(new Error(`${sign.repeat(size)}x`)))
  })

  it("the time of an error whose message has changed grows with its stack", () => {
    assertLinear(5000, (size) => {
      const error = new Error("\n".repeat(size))
      error.message = "another"
      FailureText.of(error)
    })
  })

  it("the places of an error are those below its message, also if the message has lines like them", () => {
    const text = FailureText.of(new Error("the page has:\n    at home (page.js:1:2)\nx"))
    assert.include(text, "the page has:\n    at home (page.js:1:2)\nx\n    at ")
    assert.match(text, /FailureText\.test\.ts/)
  })
})
