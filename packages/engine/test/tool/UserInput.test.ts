import { describe, expect, it } from "vitest"
import * as UserInput from "../../src/tool/UserInput.ts"

describe("the fields of a tool for a person", () => {
  it("a field is text if its type is no name of JSON Schema, also if each object has that name", () => {
    const typeOf = (type: string) =>
      UserInput.fieldsOf("send", { properties: { to: { type } } }, true)?.map(({ field_type }) => field_type)
    expect(typeOf("integer")).toEqual(["int"])
    expect(typeOf("other")).toEqual(["str"])
    expect(typeOf("constructor")).toEqual(["str"])
  })

  it("an argument that a tool does not take is refused, also if each object has its name", () => {
    expect(() => UserInput.fieldsOf("send", { properties: {} }, ["constructor"])).toThrow("which it does not take")
  })
})
