// How Markdown that grows is cut into blocks.
import { assert, describe, it } from "@effect/vitest"
import { markdownBlocks } from "../src/markdownBlocks.ts"

describe("Blocks of Markdown", () => {
  it("Paragraphs are blocks of their own.", () => {
    assert.deepStrictEqual(markdownBlocks("One\n\nTwo\nstill two\n\nThree").map((block) => block.trim()), [
      "One",
      "Two\nstill two",
      "Three"
    ])
  })

  it("An empty line inside of a code fence does not end its block.", () => {
    assert.deepStrictEqual(markdownBlocks("```ts\nconst a = 1\n\nconst b = 2\n```\n\nAfter").length, 2)
  })

  it("A list with empty lines between its items is one block.", () => {
    assert.deepStrictEqual(markdownBlocks("1. One\n\n2. Two\n\n   more of two\n\nAfter").length, 2)
  })

  it("The blocks together are the text.", () => {
    const text = "# A\n\nb\n\n```\nc\n\nd\n```\n\n- e\n\n- f\n"
    assert.strictEqual(markdownBlocks(text).join("\n"), text)
  })

  it("A text without empty lines is cut, so that no block is large.", () => {
    const blocks = markdownBlocks(Array.from({ length: 2000 }, (_, line) => `line ${line} of a long text`).join("\n"))
    assert.isAbove(blocks.length, 1)
    assert.isTrue(blocks.every((block) => block.length < 25_000))
  })

  it("Each part of a code that is cut is code, and a line inside of it does not end it.", () => {
    const code = Array.from({ length: 3000 }, (_, index) => `x = ${index} * y # z`)
    const blocks = markdownBlocks(["```py", ...code, "```", "after"].join("\n"))
    assert.isAbove(blocks.length, 2)
    for (const block of blocks.slice(0, -1)) assert.match(block, /^```py\n[^]*\n```(\nafter)?$/)
    assert.strictEqual(markdownBlocks("```md\n```js\n\nfoo()\n```").length, 1)
  })
})
