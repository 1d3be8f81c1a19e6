// Long answers are cut into messages.
import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { closed, plain, render, split } from "../src/Markdown.ts"

Tier.oneIn(3)

const answer = [
  "# Report",
  "The first paragraph has **some words that are strong** and [a link](https://example.com/a/long/path) in it.",
  "- one\n- two\n  - two a\n  - two b\n- three",
  "```ts\nconst a = 1\n\nconst b = 2\nconst c = 3\n```",
  "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |",
  "> A quote with many words,\n> on two lines.",
  "The end 👩‍👩‍👧 of it &amp; more."
].join("\n\n")

describe("Parts of Markdown", () => {
  it("Parts end at ends of paragraphs where one is near enough.", () => {
    assert.deepStrictEqual(split("One is here.\n\nTwo is here.\nMore.\n\nThree.", 34), [
      "One is here.\n\nTwo is here.\nMore.",
      "Three."
    ])
    assert.deepStrictEqual(split("One is here.\nTwo is here.\nThree.", 30), ["One is here.\nTwo is here.", "Three."])
    assert.deepStrictEqual(split("  \n ", 10), [])
  })

  it("A block of code is closed, and opened again with its language.", () => {
    assert.deepStrictEqual(split("Text\n\n```ts\nconst a = 1\nconst b = 2\nconst c = 3\n```\nafter", 40), [
      "Text\n\n```ts\nconst a = 1\nconst b = 2\n```",
      "```ts\nconst c = 3\n```\nafter"
    ])
  })

  it("Emphasis and quotes are continued in the next part.", () => {
    assert.deepStrictEqual(split("It is **bold and a bit longer than that** indeed.", 30), [
      "It is **bold and a bit**",
      "**longer than that** indeed."
    ])
    assert.deepStrictEqual(split("> quoted text that is long enough", 22), ["> quoted text that is", "> long enough"])
  })

  it("A list in a list begins the next part as a list, and a table with its header.", () => {
    assert.deepStrictEqual(split("- one\n- two\n  - three a\n  - three b\n  - three c\n- four", 24), [
      "- one\n- two\n  - three a",
      "- three b\n- three c",
      "- four"
    ])
    assert.deepStrictEqual(split("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |", 41), [
      "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
      "| a | b |\n|---|---|\n| 5 | 6 |"
    ])
  })

  it("Entities, links and characters stay whole.", () => {
    assert.deepStrictEqual(split(`${"x".repeat(10)}&amp;yy`, 12), ["xxxxxxxxxx", "&amp;yy"])
    assert.deepStrictEqual(split("see [this text](https://a.b/c) here", 28), [
      "see",
      "[this text](https://a.b/c)",
      "here"
    ])
    assert.deepStrictEqual(split("😀".repeat(9), 11), ["😀😀😀😀😀", "😀😀😀😀"])
    assert.deepStrictEqual(split(`${"👩‍👩‍👧".repeat(3)}`, 17), ["👩‍👩‍👧👩‍👩‍👧", "👩‍👩‍👧"])
  })

  it("Every part fits in the form of the platform, and no word is lost.", () => {
    const words = (text: string): ReadonlyArray<string> => text.match(/[a-z\d]+/gi) ?? []
    const lengthOf = (part: string) => render(part, { ...plain, text: (text) => text.replaceAll("e", "&e;") }).length
    for (let max = 50; max < 500; max += 7) {
      const parts = split(answer, max, lengthOf)
      for (const part of parts) {
        assert.isAtMost(lengthOf(part), max, part)
        assert.isTrue(part.isWellFormed())
        assert.strictEqual((part.match(/^ *```/gm) ?? []).length % 2, 0, part)
      }
      const rest = words(parts.join(" "))
      let at = 0
      for (const word of words(answer)) {
        const found = rest.indexOf(word, at)
        assert.isAtLeast(found, at, `${word} is lost with parts of ${max}: ${JSON.stringify(parts)}`)
        at = found + 1
      }
    }
  })

  it("Parts of any text fit, and are whole characters.", () => {
    const pieces =
      "**|*|_|~~|`|> |- |  - |1. |\n|\n\n| |word|[a](http://x.y)|[|](|![|&amp;|\\|😀|\u200d|e\u0301|<b>|# |    |---\n"
        .split("|").concat("|", "|-|-|\n", "a|b\n", "```\n", "```ts\n")
    const random = Seed.random("parts of any text")
    const below = (limit: number) => Math.floor(random() * limit)
    for (let times = 0; times < 500; times++) {
      const text = Array.from({ length: below(120) }, () => pieces[below(pieces.length)]).join("")
      const max = 31 + below(90)
      for (const part of split(text, max)) {
        assert.isAtMost(part.length, max, JSON.stringify(text))
        assert.isTrue(part.isWellFormed(), JSON.stringify(text))
      }
    }
  })

  it("Parts but the last stay the same while the text grows.", () => {
    let before = split(answer.slice(0, 100), 120)
    for (let length = 101; length <= answer.length; length++) {
      const parts = split(answer.slice(0, length), 120)
      // the part that was the last one may be cut earlier, when a paragraph does not fit any more
      assert.deepStrictEqual(parts.slice(0, before.length - 1), before.slice(0, -1))
      before = parts
    }
  })

  it("A text that is still being written is shown as if it ended.", () => {
    const texts: ReadonlyArray<readonly [string, string]> = [
      ["a **b", "a **b**"],
      ["a *b **c", "a *b **c***"],
      ["see [text", "see text"],
      ["see [te](htt", "see te"],
      ["![x](ht", "x"],
      ["```ts\ncode", "```ts\ncode\n```"],
      ["```ts\ncode\n``", "```ts\ncode\n```"],
      ["a\n```t", "a"],
      ["x `co", "x `co`"],
      ["- a\n-", "- a"],
      ["a\n--", "a"],
      ["a **", "a"],
      ["it`s 2 * 3 a_b", "it`s 2 * 3 a_b"],
      ["> **q", "> **q**"]
    ]
    for (const [text, shown] of texts) assert.strictEqual(closed(text), shown, text)
  })

  it("A row with many empty cells is read at once, and is no line below the names of columns.", () => {
    assertLinear(3, (cells) => void closed(`| a |\n| - |${" |".repeat(cells)} total |\n| c |`))
    const table = "| a | b |\n| :-: |  | : |\n| c |  |\n| d |  |"
    assert.strictEqual(split(table, 40)[1], "| a | b |\n| :-: |  | : |\n| d |  |")
  })

  it("Marks that begin no block of code are read once.", () => {
    assertLinear(2000, (length) => void closed(`${"~".repeat(length)}\``))
  })

  it("The work grows with the length of hostile text.", () => {
    const lines = ["**a", "[a](", "> ", "- a\n  ", "_a *b ~~c "].map((piece) => piece.repeat(60 / piece.length))
    for (const line of lines) {
      assertLinear(8000, (size) => {
        const text = `${line}\n`.repeat(size / 60)
        split(text, 2000)
        closed(text)
        render(text, plain)
      })
    }
  })
})
