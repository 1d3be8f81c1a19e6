import { assert, describe, it } from "@effect/vitest"
import { among, meant } from "../src/Misspelling.ts"

const known = new Set(["MODEL", "PORT", "DATABASE_URL", "A2A", "session_id", "tools"])

describe("meant", () => {
  it.each([
    ["MODL", "MODEL"],
    ["model", "MODEL"],
    ["PROT", "PORT"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASEURL", "DATABASE_URL"],
    ["sessionId", "session_id"],
    ["tool", "tools"]
  ])("%s is meant to be %s", (name, expected) => {
    assert.strictEqual(meant(name, known), expected)
  })

  it.each(["MODEL", "HOME", "A2B", "PATH", "DATABASE", "", "x".repeat(100_000)])(
    "a known or unlike name has no other one that it is meant to be",
    (name) => {
      assert.isUndefined(meant(name, known))
    }
  )
})

describe("among", () => {
  it("several names are found as each of them is found alone", () => {
    const names = ["MODL", "tool", "MODEL", "A2B", "PROT", "x".repeat(100)]
    const found = names.map(among(known))
    assert.deepStrictEqual(found, names.map((name) => meant(name, known)))
    assert.deepStrictEqual(found.slice(0, 3), ["MODEL", "tools", undefined])
  })
})
