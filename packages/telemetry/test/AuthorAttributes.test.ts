import { assert, describe, it } from "@effect/vitest"
import * as AuthorAttributes from "../src/AuthorAttributes.ts"
import { spanOf } from "./otlp/Exporters.ts"

const shownOf = (value: string) =>
  AuthorAttributes.shownOf(spanOf(1, { attributes: { value }, authored: ["value"] }))["value"]

describe("a long value of an author", () => {
  it("a value without spaces, such as a URL, is shown with its first 1,000 characters", () => {
    const url = `https://shop.example/${"path/".repeat(400)}`
    assert.strictEqual(shownOf(url), `${url.slice(0, 999)}…`)
    const queried = `https://shop.example/${"a/".repeat(100)}?key=${"v".repeat(2000)}`
    assert.strictEqual(shownOf(queried), `https://shop.example/${"a/".repeat(100)}?[redacted]`)
  })

  it("no part of a credential is shown where the value is cut", () => {
    const token = `eyJ${"a".repeat(400)}.${"b".repeat(2000)}.${"c".repeat(400)}`
    for (const separator of ["/", " "]) {
      for (let before = 600; before <= 4200; before += 40) {
        const shown = String(shownOf(`${"x".repeat(before)}${separator}${token}${separator}${"more".repeat(1000)}`))
        assert.notInclude(shown, "eyJ")
        assert.isAtMost(shown.length, 1000)
      }
    }
  })

  it("a value without spaces is not shown if it is too long to be searched for credentials", () => {
    assert.strictEqual(shownOf("x".repeat(4096)), `${"x".repeat(999)}…`)
    assert.strictEqual(shownOf("x".repeat(4097)), "[redacted]…")
  })
})
