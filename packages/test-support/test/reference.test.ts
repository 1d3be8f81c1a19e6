// docs/reference/options.md: its rows say what the types of the options say.
import { assert, describe, it } from "@effect/vitest"
import { page } from "../../../scripts/reference/Options.ts"

const text = page()

/** The rows of the options of a function: name, type. */
const rowsOf = (title: string): ReadonlyMap<string, string> => {
  const [, section = ""] = text.split(`\n### ${title}\n`)
  const rows = section.split(/\n##/, 1).join().matchAll(/^\| `([^`]+)`( \(required\))? \| `([^`]*)`/gm)
  return new Map(Array.from(rows, ([, name = "", required = "", type = ""]) => [name, `${type}${required}`]))
}

describe("the page of options", () => {
  it("an option is required only if all alternatives of the options require it", () => {
    const step = rowsOf("Step.make")
    for (const name of ["run", "agent", "team", "workflow"]) assert.notInclude(step.get(name), "required", name)
    assert.include(step.get("name"), "required")
    for (const name of ["steps", "run"]) assert.notInclude(rowsOf("Workflow.make").get(name), "required", name)
    for (const name of ["selector", "selection"]) assert.notInclude(rowsOf("Router.make").get(name), "required", name)
    assert.include(rowsOf("Router.make").get("choices"), "required")
  })

  it("a type with a function in it shows the other types too", () => {
    assert.strictEqual(rowsOf("Tool.make").get("requiresConfirmation"), "boolean \\| function")
    assert.strictEqual(rowsOf("Agent.make").get("modelSettings.sendReasoning"), "\"run\" \\| \"calls\" \\| \"none\"")
  })

  it("options that only an overload has are there", () => {
    assert.strictEqual(rowsOf("ForEach.make").get("items"), "function")
  })
})
