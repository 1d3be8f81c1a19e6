import { assert, describe, it } from "@effect/vitest"
import { fromJsonSchema } from "@svc-runtime/engine/schema/AnySchema"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as PartialObject from "../../src/agent/execute/model/PartialObject.ts"
import * as StructuredOutput from "../../src/agent/execute/model/StructuredOutput.ts"

const schema = StructuredOutput.named(fromJsonSchema({}))

const partialsOf = (pieces: ReadonlyArray<string>) => {
  const partials: Array<unknown> = []
  const show = PartialObject.emitter(schema, (event) => {
    if (event.event === "RunContentPartial") partials.push(event.content_partial)
  })
  let text = ""
  for (const piece of pieces) show(text += piece)
  return partials
}

describe("partial objects", () => {
  it("a text that is nested too deep has none, and costs no more than its length", () => {
    const deep = (count: number) => partialsOf(Array.from({ length: count }, () => "[".repeat(100)))
    assert.deepStrictEqual(deep(5).filter((partial) => JSON.stringify(partial).length > 1000), [])
    assertLinear(200, deep)
  })

  it("an object is shown from its first value on, also where its parts come one after the other", () => {
    assert.deepStrictEqual(partialsOf(["{", `"a":`, `"one"`, "}"])[0], { a: "one" })
    assert.deepStrictEqual(partialsOf(["[", " ", "1", ","]), [[1]])
  })

  it("each part of an answer in few parts is shown", () => {
    assert.deepStrictEqual(partialsOf([`{"title":"Alien",`, `"year":1979,`, `"cast":["Weaver"]}`]), [
      { title: "Alien" },
      { title: "Alien", year: 1979 },
      { title: "Alien", year: 1979, cast: ["Weaver"] }
    ])
    const long = "a".repeat(1000)
    assert.deepStrictEqual(partialsOf([`{"title":"${long}",`, `"year":1979,`, `"cast":["W`]).length, 3)
  })

  it("a text that only opens objects costs no more than its length", () => {
    assertLinear(200, (count) => partialsOf(["{", ...Array.from({ length: count }, () => " ".repeat(100))]))
  })

  it("brackets in texts do not count, and unfinished texts, names and numbers are cut", () => {
    assert.deepStrictEqual(partialsOf([`{"a":"${"[".repeat(300)}\\"`]).length, 1)
    assert.deepStrictEqual(partialsOf([`{"a":"one","b":12`]), [{ a: "one" }])
    assert.deepStrictEqual(partialsOf([`Here: {"a":"on`]), [{ a: "on" }])
    assert.deepStrictEqual(partialsOf([`{"a":true,"na`]), [{ a: true }])
  })
})
