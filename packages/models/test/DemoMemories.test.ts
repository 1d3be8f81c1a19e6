import { assert, describe, it } from "@effect/vitest"
import * as DemoMemories from "../src/DemoMemories.ts"

const kept = (user: string) => DemoMemories.changes(JSON.stringify({ user }), "").changes.map(({ memory }) => memory)

describe("DemoMemories", () => {
  it("a statement ends before the quotation mark that closes it", () => {
    assert.deepStrictEqual(kept("Remember \"I work at night\""), ["The user says: I work at night"])
    assert.deepStrictEqual(kept("Remember “I like tea” and water"), ["The user says: I like tea"])
  })

  it("learnings in the system message are shown as their sentences", () => {
    const lines = [
      `- user_memory: {"memories":[{"id":"1","content":"Likes tea."},{"id":"2","content":"Lives in Bern."}]}`,
      `- learned_knowledge: {"title":"Deploys","learning":"They are slow.","tags":["x"]}`,
      "- broken: {",
      `- other: {"count":1}`
    ]
    const system = `Be kind.\n<learnings>\nEarlier runs saved this.\n${lines.join("\n")}\n</learnings>`
    assert.deepStrictEqual(DemoMemories.learnedIn(system), ["Likes tea.: Lives in Bern.", "Deploys: They are slow."])
    assert.deepStrictEqual(DemoMemories.learnedIn("Be kind."), [])
  })

  it("an apostrophe does not end a statement", () => {
    assert.deepStrictEqual(kept("I like Ann's tea. I live in Bern"), [
      "The user says: I like Ann's tea",
      "The user says: I live in Bern"
    ])
  })
})
