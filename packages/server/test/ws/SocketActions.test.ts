// The table of the actions in docs/guides/workflows.md, held against the actions.
import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as SocketActions from "../../src/ws/SocketActions.ts"

const cellsOf = (line: string) => line.split("|").slice(1, -1).map((cell) => cell.trim().replace(/^-+$/, "---"))

it("the documented actions of a socket are the actions that it accepts", () => {
  const document = readFileSync(join(import.meta.dirname, "../../../../docs/guides/workflows.md"), "utf8").split("\n")
  const start = document.findIndex((line) => line.startsWith("| action"))
  assert.deepStrictEqual(
    document.slice(start, start + SocketActions.documentation.length).map(cellsOf),
    SocketActions.documentation.map(cellsOf)
  )
})
