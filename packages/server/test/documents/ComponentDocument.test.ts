// docs/guides/components.md: its tables have all options of configs.
import { assert, describe, it } from "@effect/vitest"
import { AgentConfig } from "@svc-runtime/features/components/AgentConfig"
import { TeamConfig } from "@svc-runtime/features/components/TeamConfig"
import { WorkflowConfig } from "@svc-runtime/features/components/WorkflowConfig"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const document = readFileSync(join(import.meta.dirname, "../../../../docs/guides/components.md"), "utf8")

/** The names in the first column of the table under a heading. */
const namesUnder = (heading: string): ReadonlyArray<string> => {
  const lines = document.split("\n")
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `))
  assert.isAtLeast(start, 0, heading)
  const length = lines.slice(start).findIndex((line) => !line.startsWith("|"))
  return lines.slice(start + 2, start + length).flatMap((line) =>
    [...(line.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)
  )
}

describe("docs/guides/components.md", () => {
  it("the tables have the options that configs have", () => {
    const ofBoth = namesUnder("option of agents and teams")
    const sorted = (names: Iterable<string>) => [...names].sort()
    assert.deepStrictEqual(
      sorted([...ofBoth, ...namesUnder("option of agents only")]),
      sorted(Object.keys(AgentConfig.fields))
    )
    assert.deepStrictEqual(
      sorted([...ofBoth, ...namesUnder("option of teams only")]),
      sorted(Object.keys(TeamConfig.fields))
    )
    assert.deepStrictEqual(sorted(namesUnder("option of workflows")), sorted(Object.keys(WorkflowConfig.fields)))
  })
})
