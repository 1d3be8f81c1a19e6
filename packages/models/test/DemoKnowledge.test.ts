import { assert, describe, it } from "@effect/vitest"
import * as DemoKnowledge from "../src/DemoKnowledge.ts"

describe("DemoKnowledge", () => {
  it("the first text of a search is the answer, with the name of its content", () => {
    const found = [{ name: "holidays.md", content: " Thirty days. " }, { name: "travel.md", content: "By train." }]
    assert.strictEqual(DemoKnowledge.say(JSON.stringify(found)), "Thirty days. (holidays.md)")
    assert.strictEqual(DemoKnowledge.say(`[{"name":null,"content":"Yes."}]`), "Yes.")
  })

  it("the first text of a system message with knowledge is shown, and none of another one", () => {
    const references = JSON.stringify([{ name: "a.md", content: "Soup." }, { name: "b.md", content: "Bread." }])
    const system = `Be brief.\n\nTexts that may help.\n<references>\n${references}\n</references>\nEnd.`
    assert.strictEqual(DemoKnowledge.shownIn(system), "Soup. (a.md)")
    assert.isUndefined(DemoKnowledge.shownIn("Be brief."))
  })

  it("a search without a result says so, and another result is not read", () => {
    assert.strictEqual(DemoKnowledge.say("[]"), "The knowledge base has nothing about it.")
    for (const other of ["text", "{}", "[1]", 7]) assert.isUndefined(DemoKnowledge.say(other))
  })
})
