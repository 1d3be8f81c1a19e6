// The state diagram of a run in docs/design/architecture.md, compared with the table in the source.
import { assert, describe, it } from "@effect/vitest"
import * as RunStatus from "@svc-runtime/domain/RunStatus"
import { readFileSync } from "node:fs"

const document = readFileSync(new URL("../../../docs/design/architecture.md", import.meta.url), "utf8")

/** The arrows between two statuses, as `FROM TO`. */
const drawn = [...document.matchAll(/^ +([A-Z]+) --> ([A-Z]+)/gm)].map(([, from, to]) => `${from} ${to}`)

const declared = Object.entries(RunStatus.transitions).flatMap(([from, transitions]) =>
  Object.values(transitions).map((to) => `${from} ${to}`)
)

describe("docs/design/architecture.md", () => {
  it("the state diagram of a run has the transitions of the source", () => {
    assert.deepStrictEqual([...new Set(drawn)].sort(), [...new Set(declared)].sort())
  })
})
