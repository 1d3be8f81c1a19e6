// The pages of the reference that follow from types and commands are what `npm run openapi` writes.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { entries } from "../../../scripts/reference/Options.ts"
import { fileOf, pages } from "../../../scripts/reference/Pages.ts"
import type { Member } from "../../../scripts/reference/Types.ts"

const undocumented = (options: ReadonlyArray<Member>): ReadonlyArray<string> =>
  options.flatMap((
    { inner, name, place, text }
  ) => [...(/^(?:Default|$)/.test(text) ? [`${name} of ${place}`] : []), ...undocumented(inner)])

const all = entries().flatMap(({ entries }) => entries)

describe("docs/reference", () => {
  it("the pages of options and commands are current (npm run openapi writes them)", () => {
    for (const [name, text] of Object.entries(pages())) assert.strictEqual(readFileSync(fileOf(name), "utf8"), text)
  })

  it("each option of a public function has a docstring that says more than its default", () => {
    assert.deepStrictEqual([...new Set(all.flatMap(({ options }) => undocumented(options)))], [])
  })

  it("each function of the page has options", () => {
    assert.deepStrictEqual(all.filter(({ options }) => options.length === 0).map(({ title }) => title), [])
  })
})
