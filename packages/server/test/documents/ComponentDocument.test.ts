// docs/components.md: its commands are executed in their order, and its tables have all options of configs.
import { assert, describe, it } from "@effect/vitest"
import { AgentConfig } from "@svc/runtime/stored/AgentConfig"
import { TeamConfig } from "@svc/runtime/stored/TeamConfig"
import { WorkflowConfig } from "@svc/runtime/stored/WorkflowConfig"
import { Effect } from "effect"
import { ask, at, serve } from "../Wire.ts"
import * as Commands from "./Commands.ts"

const document = Commands.read("components.md")

/** Every field that is shown is there; of an object inside, its shown fields. */
const includes = (value: unknown, shown: unknown, text: string): void => {
  if (typeof shown !== "object" || shown === null) return assert.deepStrictEqual(value, shown, text)
  for (const [key, part] of Object.entries(shown)) includes(at(value, key), part, text)
}

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

describe("docs/components.md", () => {
  it.effect("each command is answered as the document shows", () =>
    Effect.gen(function*() {
      const server = yield* serve({ model: "demo" })
      const commands = Commands.commandsOf(document)
      assert.isAbove(commands.filter(({ shown }) => shown !== undefined).length, 8)
      for (const { init, path, shown, text: command } of commands) {
        const { json, status, text } = yield* ask(server, path, init)
        const why = `${command}\n${text}`
        if (shown === undefined) assert.isBelow(status, 300, why)
        else {
          assert.strictEqual(status, shown.status, why)
          includes(json, shown.fields, why)
        }
      }
    }))

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
