import { assert, describe, it } from "@effect/vitest"
import { content, split } from "../../src/discord/DiscordText.ts"

describe("texts of Discord", () => {
  it("Markdown has the form of Discord, and nothing in a text mentions people", () => {
    assert.strictEqual(content("# A\n\n**b** *c* ~~d~~ `e`"), "# A\n\n**b** *c* ~~d~~ `e`")
    assert.strictEqual(content("Hi <@1> and 2 \\* 3"), "Hi \\<@1\\> and 2 \\* 3")
    assert.strictEqual(content("[site](https://example.com)"), "[site](https://example.com)")
  })

  it("a block of code cannot end in its text", () => {
    const text = content("````ts\na\n```\nb\n````")
    assert.strictEqual(text.match(/```/g)?.length, 2)
  })

  it("parts have at most 2,000 characters after their escapes", () => {
    const parts = split("a * b _ c\n\n".repeat(600))
    assert.isAbove(parts.length, 3)
    for (const part of parts) assert.isAtMost(content(part).length, 2000)
  })
})
