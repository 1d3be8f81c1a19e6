import { assert, describe, it } from "@effect/vitest"
import * as DemoModel from "../src/DemoModel.ts"

describe("DemoKnowledge", () => {
  it("the first text of a search is the answer, with the name of its content", () => {
    const found = [{ name: "holidays.md", content: " Thirty days. " }, { name: "travel.md", content: "By train." }]
    assert.strictEqual(DemoModel.repeatFound(JSON.stringify(found)), "Thirty days. (holidays.md)")
    assert.strictEqual(DemoModel.repeatFound(`[{"name":null,"content":"Yes."}]`), "Yes.")
  })

  it("the first text of a system message with knowledge is shown, and none of another one", () => {
    const references = JSON.stringify([{ name: "a.md", content: "Soup." }, { name: "b.md", content: "Bread." }])
    const system = `Be brief.\n\nTexts that may help.\n<references>\n${references}\n</references>\nEnd.`
    assert.strictEqual(DemoModel.knowledgeIn(system), "Soup. (a.md)")
    assert.isUndefined(DemoModel.knowledgeIn("Be brief."))
  })

  it("a search without a result says so, and another result is not read", () => {
    assert.strictEqual(DemoModel.repeatFound("[]"), "The knowledge base has nothing about it.")
    for (const other of ["text", "{}", "[1]", 7]) assert.isUndefined(DemoModel.repeatFound(other))
  })
})
