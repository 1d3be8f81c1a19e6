import { assert, describe, it } from "@effect/vitest"
import * as ToolName from "../src/ToolName.ts"

describe("the name of a tool for models", () => {
  it("a name that every provider accepts stays as it is, and other characters become underscores", () => {
    assert.strictEqual(ToolName.of("get-entity_1"), "get-entity_1")
    assert.strictEqual(ToolName.of("catalog.get/entity"), "catalog_get_entity")
    assert.strictEqual(ToolName.of("x".repeat(64)), "x".repeat(64))
  })

  it("a long name is cut and gets the hash of all of it, which never changes", () => {
    assert.strictEqual(ToolName.of("x".repeat(70)), `${"x".repeat(55)}_77f3c97d`)
    const [one, two] = [ToolName.of(`${"x".repeat(70)}1`), ToolName.of(`${"x".repeat(70)}2`)]
    assert.notStrictEqual(one, two)
    for (const name of [one, two]) assert.match(name, ToolName.rule)
  })

  it("names that become equal stay apart, whatever their order is", () => {
    const names = ["a.b", "a/b", "c.d", "x_y", "x.y"]
    const shown = ToolName.distinct(names)
    assert.deepStrictEqual(["c.d", "x_y"].map(shown), ["c_d", "x_y"])
    for (const name of ["a.b", "a/b"]) assert.match(shown(name), /^a_b_[0-9a-f]{8}$/)
    assert.match(shown("x.y"), /^x_y_[0-9a-f]{8}$/)
    assert.strictEqual(new Set(names.map(shown)).size, names.length)
    assert.deepStrictEqual(names.map(ToolName.distinct(names.toReversed())), names.map(shown))
  })

  it("a name that is given twice is not two names", () => {
    assert.strictEqual(ToolName.distinct(["a.b", "a.b"])("a.b"), "a_b")
  })
})
