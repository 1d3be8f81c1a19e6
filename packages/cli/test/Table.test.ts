import { assert, describe, it } from "@effect/vitest"
import { style } from "../src/terminal/Style.ts"
import { table } from "../src/terminal/Table.ts"

const columns = [{ title: "Name" }, { title: "Scopes", wraps: true }, { title: "Status" }]
const rows = [["ci", "agents:run, sessions:read", "active"], ["longer-name", "", "revoked"]]

describe("a table", () => {
  it("a table is as wide as its content", () =>
    assert.deepStrictEqual(table(columns, rows, 80, style(false)).split("\n"), [
      "Name         Scopes                     Status",
      "ci           agents:run, sessions:read  active",
      "longer-name                             revoked"
    ]))

  it("a table wraps between words, and never within one", () => {
    assert.deepStrictEqual(table(columns, rows, 35, style(false)).split("\n"), [
      "Name         Scopes         Status",
      "ci           agents:run,    active",
      "             sessions:read",
      "longer-name                 revoked"
    ])
    for (const word of ["longer-name", "sessions:read", "revoked"]) {
      assert.include(table(columns, rows, 5, style(false)), word)
    }
  })
})
