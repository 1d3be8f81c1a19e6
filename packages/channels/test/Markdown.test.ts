// Markdown in the form of a platform, by a form like Telegram's HTML and by plain text.
import { assert, describe, it } from "@effect/vitest"
import { type Form, plain, prefixed, render } from "../src/Markdown.ts"

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const html: Form = {
  ...plain,
  text: escaped,
  strong: (content) => `<b>${content}</b>`,
  emphasis: (content) => `<i>${content}</i>`,
  strike: (content) => `<s>${content}</s>`,
  code: (text) => `<code>${escaped(text)}</code>`,
  codeBlock: (text, language) => `<pre lang="${language}">${escaped(text)}</pre>`,
  link: (content, url) => `<a href="${escaped(url)}">${content}</a>`,
  heading: (content) => `<b>${content}</b>`,
  quote: (content, depth) => depth === 0 ? `<blockquote>${content}</blockquote>` : prefixed(content, "| ")
}

describe("Markdown in the form of a platform", () => {
  it("Each mark has the form of the platform, and all text is escaped once.", () => {
    const text = "# A *b* **c**\n\nx < y &amp; **bo_l_d** ~~no~~ `a<b` \\* [li & nk](http://a.b?c&d)\nnext\n\n---"
    assert.strictEqual(
      render(text, html),
      "<b>A <i>b</i> c</b>\n\nx &lt; y &amp; <b>bo_l_d</b> <s>no</s> <code>a&lt;b</code> * " +
        "<a href=\"http://a.b?c&amp;d\">li &amp; nk</a>\nnext\n\n---"
    )
  })

  it("Lists in lists are indented, and numbers and boxes are kept.", () => {
    const text =
      "3. one\n4. two\n   more\n   - in *two*\n     - deep\n\n     ```js\n     code()\n     ```\n- [x] done\n- [ ] open"
    assert.strictEqual(
      render(text, plain),
      "3. one\n4. two\n  more\n  ◦ in two\n    • deep\ncode()\n\n☑ done\n☐ open"
    )
  })

  it("A table is text with aligned columns, and wide characters take two places.", () => {
    const text = "| Name | Sum |\n|:--|--:|\n| **Müller** | 5 |\n| 東京 | 1200 |"
    assert.strictEqual(render(text, plain), "Name   |  Sum\n-------+-----\nMüller |    5\n東京   | 1200")
    assert.match(render(text, html), /^<pre lang="">Name /)
  })

  it("Images are links, and links to other schemes are texts.", () => {
    assert.strictEqual(render("![a chart](https://x/y.png)", html), "<a href=\"https://x/y.png\">a chart</a>")
    assert.strictEqual(render("[a](javascript:x) [b](/docs)", html), "a (javascript:x) b (/docs)")
    assert.strictEqual(
      render("[see](https://x.y) <https://a.b> https://c.d", plain),
      "see (https://x.y) https://a.b https://c.d"
    )
  })

  it("Quotes, raw HTML and line breaks are shown.", () => {
    assert.strictEqual(
      render("> a\n> > b\n\n<div>x</div>", html),
      "<blockquote>a\n| b</blockquote>\n\n&lt;div&gt;x&lt;/div&gt;"
    )
    assert.strictEqual(render("a<br>b <b>c</b>", plain), "a\nb <b>c</b>")
  })

  it("A mark knows the characters around it.", () => {
    const seen: Array<string> = []
    const form: Form = { ...plain, strong: (content, { after, before }) => (seen.push(`${before}|${after}`), content) }
    render("**a** x**b**y", form)
    assert.deepStrictEqual(seen, ["| ", "x|y"])
  })

  it("Text that the parser cannot read is shown as it is.", () => {
    const text = `${"> ".repeat(3500)}x`
    assert.strictEqual(render(text, plain), text)
    const line = "word **bold** ".repeat(800).trim()
    assert.strictEqual(render(line, plain), line)
  })

  it("Quotes and lists in many others are shown as they are, and a few are rendered.", () => {
    for (const mark of [">", "> ", "- ", "1. ", "-\t", "1)\t", ">\t"]) {
      const deep = `${mark.repeat(30)}x`
      assert.strictEqual(render(deep, plain), deep)
      assert.strictEqual(render(`a\r${deep}`, plain), `a\r${deep}`)
    }
    assert.notInclude(render(`a\n\n${"* ".repeat(30)}\n\n**b**`, plain), "*")
    assert.include(render("- a\n  - b\n    - c\n      - **d**", plain), "d")
    assert.notInclude(render("- a\n  - b\n    - c\n      - **d**", plain), "**")
    assert.notStrictEqual(render("> > > **x**", plain), "> > > **x**")
    // each line continues the lists of those above it
    const lines = Array.from({ length: 22 }, (_, index) => `${"\t".repeat(index * 10)}${"- ".repeat(20)}a`).join("\n")
    assert.strictEqual(render(lines, plain), lines)
  })

  it("Rules in quotes and the text of code are not taken for lists and quotes in many others.", () => {
    assert.strictEqual(render(`> ${"* ".repeat(25)}\n> **b**`, plain), "> ---\n> b")
    const code = `${">".repeat(30)}\n${"- ".repeat(30)}x`
    assert.strictEqual(render(`\`\`\`diff\n${code}\n\`\`\`\n**c**`, plain), `${code}\n\nc`)
  })
})
