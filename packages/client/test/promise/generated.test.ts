// The generated parts follow from the API's document.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { type Document, resources, types } from "../../scripts/Generated.ts"
import { operations } from "../../src/promise/generated/resources.ts"

const document: Document = JSON.parse(readFileSync(new URL("../../../features/openapi.json", import.meta.url), "utf8"))

const generated = (name: string) =>
  readFileSync(new URL(`../../src/promise/generated/${name}.ts`, import.meta.url), "utf8")

describe("the generated parts of the client", () => {
  it("the generated files follow from the committed document", () => {
    assert.strictEqual(generated("types"), types(document))
    assert.strictEqual(generated("resources"), resources(document))
  })

  it("every operation has a method, or is one of a run", () => {
    const rows = new Set(
      Object.values(operations).flatMap((methods) => Object.values(methods).map((row) => row.split(" ", 2).join(" ")))
    )
    const paths = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "{}")}`)
    )
    const ofRuns = /^\w+ \/(agents|teams|workflows)\/\{\}\/(runs|sessions)/
    assert.deepStrictEqual(paths.filter((path) => !rows.has(path) && !ofRuns.test(path)), [])
  })

  it("no resource has two methods of one name", () => {
    for (const [group, methods] of Object.entries(operations)) {
      const rows = Object.values(methods)
      assert.strictEqual(new Set(rows).size, rows.length, group)
    }
    assert.strictEqual(
      Object.values(operations).flatMap((methods) => Object.keys(methods)).length,
      Object.keys(document.paths).flatMap((path) =>
        /^\/(agents|teams|workflows)\/\{\w+\}\/(runs|sessions)/.test(path) ? [] : Object.keys(document.paths[path]!)
      ).length
    )
  })
})
