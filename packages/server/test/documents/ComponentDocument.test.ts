// docs/guides/components.md: it has each option of a config that is not the same option in code.
import { assert, describe, it } from "@effect/vitest"
import { AgentConfig } from "@svc-runtime/features/components/AgentConfig"
import { TeamConfig } from "@svc-runtime/features/components/TeamConfig"
import { WorkflowConfig } from "@svc-runtime/features/components/WorkflowConfig"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { optionsOf } from "../../../../scripts/reference/Types.ts"

const document = readFileSync(join(import.meta.dirname, "../../../../docs/guides/components.md"), "utf8")

const quoted = (text = ""): ReadonlyArray<string> => Array.from(text.matchAll(/`(\w+)`/g), ([, name = ""]) => name)

/** The rows of the table of differences. */
const rows = /\n\| option +\|[^\n]*\n\|[- |]+\n((?:\|[^\n]*\n)+)/.exec(document)?.[1]?.trimEnd().split("\n") ?? []

const cellsOf = (row: string) => row.split("|").slice(1, -1).map((cell) => cell.trim())

const differences = rows.map(cellsOf).filter(([name]) => name !== "not in configs").flatMap(([name]) => quoted(name))

const inConfig = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const agent = optionsOf("packages/agents/src/agent/define/Agent.ts", "Options").map(({ name }) => inConfig(name))
const team = optionsOf("packages/agents/src/team/Team.ts", "Options").map(({ name }) => inConfig(name))

const fieldsOf = ({ fields }: { readonly fields: object }) => Object.keys(fields)

describe("docs/guides/components.md", () => {
  it("each option of a config is an option in code, or is in the table of differences", () => {
    assert.include(agent, "tool_call_limit")
    const known = (inCode: ReadonlyArray<string>) => [...inCode, ...differences]
    assert.deepStrictEqual(fieldsOf(AgentConfig).filter((name) => !known(agent).includes(name)), [])
    assert.deepStrictEqual(fieldsOf(TeamConfig).filter((name) => !known([...agent, ...team]).includes(name)), [])
  })

  it("the table of differences has only options that configs have, and options in code that they lack", () => {
    assert.include(differences, "base")
    const all = [...fieldsOf(AgentConfig), ...fieldsOf(TeamConfig)]
    assert.deepStrictEqual(differences.filter((name) => !all.includes(name)), [])
    const [, lacking = ""] = rows.map(cellsOf).find(([name]) => name === "not in configs") ?? []
    const inCode = [...agent, ...team]
    assert.deepStrictEqual(quoted(lacking).map(inConfig).filter((name) => !inCode.includes(name)), [])
  })

  it("the page names the fields of the config of a workflow", () => {
    const [, names = ""] = /\nWorkflows have ([^.]*)\./.exec(document) ?? []
    assert.deepStrictEqual(quoted(names).toSorted(), fieldsOf(WorkflowConfig).toSorted())
  })
})
