// What a person enters for a field of a paused run, at a terminal or on a page.
import { assert, describe, it } from "@effect/vitest"
import { readField } from "@svc-runtime/client"

const required = { required: true } as const
const int = { field_type: "int", ...required } as const
const float = { field_type: "float", ...required } as const
const bool = { field_type: "bool", ...required } as const
const str = { field_type: "str", ...required } as const

describe("the text of a field", () => {
  it("a whole number has no fraction, and is exact", () => {
    assert.deepStrictEqual(["7", " -7 ", "1e3"].map((text) => readField(int, text).value), [7, -7, 1000])
    for (const text of ["", " ", "1.5", "seven", "9007199254740993", "Infinity", "NaN"]) {
      assert.deepStrictEqual(readField(int, text), { problem: "Expected a whole number" }, text)
    }
  })

  it("a number is finite", () => {
    assert.deepStrictEqual(["1.5", " 7", "1e300"].map((text) => readField(float, text).value), [1.5, 7, 1e300])
    for (const text of ["", " ", "1,5", "Infinity", "1e400"]) {
      assert.deepStrictEqual(readField(float, text), { problem: "Expected a number" }, text)
    }
  })

  it("a truth value is one of two words, with spaces around it or not", () => {
    assert.deepStrictEqual(["true", " false "].map((text) => readField(bool, text).value), [true, false])
    for (const text of ["", "yes", "True", "constructor"]) {
      assert.deepStrictEqual(readField(bool, text), { problem: "Expected true or false" }, text)
    }
  })

  it("a text keeps its spaces", () => {
    assert.deepStrictEqual(readField(str, " Ann "), { value: " Ann " })
  })

  it("an empty text is no value of a field that is not required, whatever the field's type and values", () => {
    for (const field of [int, float, bool, str, { ...str, allowed_values: ["S"] }]) {
      assert.deepStrictEqual(readField({ ...field, required: false }, ""), { value: null }, field.field_type)
    }
  })

  it("a field that does not say whether it is required is required", () => {
    assert.deepStrictEqual(readField({ field_type: "int" }, ""), { problem: "Expected a whole number" })
    assert.deepStrictEqual(readField({ field_type: "str" }, ""), { value: "" })
  })

  it("a value is one of the values that the field allows", () => {
    const size = { ...int, allowed_values: [1, 2] }
    assert.deepStrictEqual(readField(size, "2"), { value: 2 })
    assert.deepStrictEqual(readField(size, "3"), { problem: "Expected one of 1, 2" })
    assert.deepStrictEqual(readField({ ...str, allowed_values: ["S", "L"] }, "M"), { problem: "Expected one of S, L" })
    assert.deepStrictEqual(readField({ ...str, allowed_values: [1, "many"] }, "1"), { value: 1 })
  })

  it("a list and an object are read as JSON", () => {
    assert.deepStrictEqual(readField({ field_type: "list" }, " [1, \"a\"]"), { value: [1, "a"] })
    assert.deepStrictEqual(readField({ field_type: "dict" }, "{\"a\": null}"), { value: { a: null } })
    for (const text of ["", "a", "{}", "null", "1"]) {
      assert.match(readField({ field_type: "list" }, text).problem ?? "", /^Expected a list in JSON/)
    }
    for (const text of ["", "a", "[]", "null"]) {
      assert.match(readField({ field_type: "dict" }, text).problem ?? "", /^Expected an object in JSON/)
    }
  })
})
