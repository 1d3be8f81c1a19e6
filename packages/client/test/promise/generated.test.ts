// The generated parts follow from the API's document.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { resources, types } from "../../scripts/Generated.ts"
import { camelCase, isOfRuns, methodName } from "../../scripts/Names.ts"
import type { Document } from "../../scripts/Operations.ts"
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
    const names = Object.entries(document.paths).flatMap(([path, methods]) =>
      isOfRuns(path) ?
        [] :
        Object.entries(methods).map(([method, operation]) =>
          `${camelCase(operation.tags[0] ?? "")}.${methodName(operation, method, path)} of ${operation.operationId}`
        )
    )
    const nameOf = (each: string) => each.split(" ")[0]
    const clashing = names.filter((one) => names.some((other) => other !== one && nameOf(other) === nameOf(one)))
    assert.deepStrictEqual(clashing, [], "name the methods of these operations in their texts, beside the endpoints")
  })
})
