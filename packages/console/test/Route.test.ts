// Addresses inside of the console.
import { assert, describe, it } from "@effect/vitest"
import { href, parse } from "../src/Route.ts"

describe("Addresses", () => {
  it("An address that was made is read as what it was made of.", () => {
    const path = ["chat", "agent", "a/b ?#ä"]
    const query = { session: "x&y=z" }
    assert.deepStrictEqual(parse(href(path, query)), { path, query })
  })

  it("Empty values are left out.", () => {
    assert.strictEqual(href(["runs"], { status: "", page: undefined }), "#/runs")
  })

  it("A segment that is not encoded well is taken as it is.", () => {
    assert.deepStrictEqual(parse("#/runs/%E0%A4%A").path, ["runs", "%E0%A4%A"])
  })
})
