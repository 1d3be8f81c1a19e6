// The contents, links and copies of the documents, from which the site and the packages are made.
import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { problemsOf, strangersIn } from "../../../../scripts/site/Check.ts"
import * as Contents from "../../../../scripts/site/Contents.ts"
import * as Copies from "../../../../scripts/site/Copies.ts"
import { anchorsIn, mended } from "../../../../scripts/site/Links.ts"

const docs = join(import.meta.dirname, "../../../../docs")

/** A folder with these files. */
const folderOf = (files: Readonly<Record<string, string>>): string => {
  const directory = mkdtempSync(join(tmpdir(), "pages-"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, path, ".."), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  return directory
}

describe("the contents of the documents", () => {
  it("docs/README.md, or a README that it links, lists each page once", () => {
    const listed = Contents.read(docs).flatMap(({ pages }) => Contents.all(pages)).map(({ path }) => path)
    assert.deepStrictEqual(listed.filter((path, index) => listed.indexOf(path) !== index), [])
    const pages = Copies.texts(docs).map(({ path }) => path).filter((path) => path !== "README.md")
    assert.deepStrictEqual(listed.toSorted(), pages)
  })

  it("a README of a folder lists the pages of its folder, a page without a name by its heading", () => {
    const directory = folderOf({
      "README.md": "# D\n\n## One\n\n| page | what |\n| --- | --- |\n| [Decisions](why/README.md) | `reasons` |\n",
      "why/README.md": "# Why\n\n| n | t |\n| --- | --- |\n| [0001](0001-a.md) | a |\n\n[Up](../README.md)\n",
      "why/0001-a.md": "# 0001: A\n"
    })
    const page = { path: "why/0001-a.md", title: "0001: A", about: "a", pages: [] }
    assert.deepStrictEqual(Contents.read(directory), [
      { title: "One", pages: [{ path: "why/README.md", title: "Decisions", about: "reasons", pages: [page] }] }
    ])
  })
})

describe("the names of pages", () => {
  it("a name keeps its underscores, and loses the marks of emphasis and code", () => {
    const directory = folderOf({
      "README.md": "# D\n\n## One\n\n- [NOT_FOUND](a.md) and _why_\n- [`svc` _now_](b.md)\n",
      "a.md": "# A\n",
      "b.md": "# B\n"
    })
    assert.deepStrictEqual(Contents.read(directory)[0]?.pages.map(({ title }) => title), ["NOT_FOUND", "svc now"])
  })

  it("a page is described by its first paragraph, without marks and links", () => {
    const text = "# A\n\n```sh\nx\n```\n\n| a |\n| - |\n\nThe [first](b.md) `one`,\nin two lines.\n\nThe second.\n"
    assert.strictEqual(Contents.descriptionOf(text), "The first one, in two lines.")
    assert.isAtMost(Contents.descriptionOf(`# A\n\n${"word ".repeat(100)}`).length, 200)
  })
})

describe("links of pages", () => {
  it("anchors are as GitHub makes them, and equal headings are counted", () => {
    const text = "# `svc up`: it's A_b\n\n## Same\n\n```sh\n# no heading\n```\n\n## Same\n\n## See [x](y.md)\n"
    assert.deepStrictEqual([...anchorsIn(text)], ["svc-up-its-a_b", "same", "same-1", "see-x"])
  })

  it("outside of the repository, links to pages stay and links to other files lead to the repository", () => {
    const text = "[a](../glossary.md#runs) [b](../../packages/server/src/serve.ts) [c](#here) ![d](../images/x.png)"
    assert.strictEqual(
      mended("guides/a.md", text),
      "[a](../glossary.md#runs) [b](https://github.com/svc-runtime/svc/blob/main/packages/server/src/serve.ts) " +
        "[c](#here) ![d](https://github.com/svc-runtime/svc/raw/main/docs/images/x.png)"
    )
    assert.strictEqual(
      mended("guides/a.md", "[a](../glossary.md#runs)", false),
      "[a](https://github.com/svc-runtime/svc/blob/main/docs/glossary.md#runs)",
      "a page that is alone"
    )
  })

  it("a link or an anchor of the built site that leads nowhere is refused, and so is what is loaded from elsewhere", () => {
    const directory = folderOf({
      "index.html":
        "<a href=\"/v1/guides/a#there\">a</a><a href=\"/v1/guides/a#gone\">b</a><a href=\"/v1/none\">c</a>" +
        "<a href=\"https://example.org\">d</a><script src=\"https://example.org/x.js\"></script><a href=\"/\">e</a>",
      "guides/a.html": "<h2 id=\"there\">There</h2><a href=\"../index.html\">up</a>",
      "a.css": "@import url('https://example.org/font.css');"
    })
    assert.deepStrictEqual(problemsOf(directory, "/v1/"), [
      "index.html: /v1/guides/a#gone has no heading gone",
      "index.html: there is no page /v1/none",
      "index.html: <script> loads https://example.org/x.js from elsewhere",
      "index.html: / is outside of /v1/"
    ])
    assert.deepStrictEqual(strangersIn(directory), ["a.css: loads https://example.org/font.css from elsewhere"])
  })
})
