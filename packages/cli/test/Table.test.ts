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
  })

  it("a table whose columns do not fit is a list for each row, without empty cells", () => {
    assert.deepStrictEqual(table(columns, rows, 20, style(false)).split("\n"), [
      "Name: ci",
      "Scopes: agents:run, sessions:read",
      "Status: active",
      "",
      "Name: longer-name",
      "Status: revoked"
    ])
  })

  it("a table counts the columns of characters, and keeps a cell on its lines", () => {
    const cells = [["日本", "a\nb", "x"], ["e\u0301", "c", "y"], ["🙂", "\u001B[31m", "z"]]
    assert.deepStrictEqual(table(columns, cells, 80, style(false)).split("\n"), [
      "Name  Scopes      Status",
      "日本  a b         x",
      "e\u0301     c           y",
      "🙂    \\u001b[31m  z"
    ])
  })
})
