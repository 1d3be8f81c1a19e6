import { assert, describe, it } from "@effect/vitest"
import { style } from "@svc/cli/Style"
import { table } from "@svc/cli/Table"

const columns = [{ title: "Name" }, { title: "Scopes", wraps: true }, { title: "Status" }]
const rows = [["ci", "agents:run, sessions:read", "active"], ["longer-name", "", "revoked"]]

describe("a table", () => {
  it("is as wide as it needs to be", () =>
    assert.deepStrictEqual(table(columns, rows, 80, style(false)).split("\n"), [
      "Name         Scopes                     Status",
      "ci           agents:run, sessions:read  active",
      "longer-name                             revoked"
    ]))

  it("wraps between words where it has to, and never within one", () => {
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
