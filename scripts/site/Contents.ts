// The contents of the documents, as the tables of docs/README.md list them. The sidebar of the site and llms.txt are
// made from it. A README of another folder lists the pages of that folder.
import { readFileSync } from "node:fs"
import { join, posix } from "node:path"

export interface Page {
  /** From docs, with `.md`. */
  readonly path: string
  readonly title: string
  readonly about: string
  /** The pages that it lists: only a README has some. */
  readonly pages: ReadonlyArray<Page>
}

export interface Group {
  readonly title: string
  readonly pages: ReadonlyArray<Page>
}

const row = /^\| *\[([^\]]+)\]\((?!https?:)([^)#]+\.md)\) *\| *(.*?) *\|/gm
const link = /(?<!!)\[([^\]]+)\]\((?!https?:)([^)#]+\.md)\)/g

/** Without marks. An underscore in a word is a part of it. */
const plain = (text: string): string => text.replaceAll(/[`*]|(?<!\w)_|_(?!\w)/g, "")

const longest = 200

/** What search engines show of a page: its first paragraph. */
export const descriptionOf = (text: string): string => {
  const first = text.replaceAll(/^(```|~~~)[^]*?^\1.*$/gm, "").split(/\n\s*\n/)
    .map((block) => block.trim()).find((block) => /^[\p{L}`*[]/u.test(block)) ?? ""
  const whole = plain(first.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")).replaceAll(/\s+/g, " ").trim()
  return whole.length <= longest ? whole : `${whole.slice(0, whole.lastIndexOf(" ", longest - 1))}…`
}

/** The links of a README in its own folder. The rows of a table describe them. */
const pagesOf = (docs: string, readme: string, text: string): ReadonlyArray<Page> => {
  const folder = posix.dirname(readme)
  const described = new Map(Array.from(text.matchAll(row), ([, , to = "", about = ""]) => [to, about]))
  const found = new Map(Array.from(text.matchAll(link), ([, title = "", to = ""]) => [to, title]))
  return Array.from(found, ([to, title]): Page => {
    const path = posix.join(folder, to)
    const pages = posix.basename(path) === "README.md" && posix.dirname(path).startsWith(folder === "." ? "" : folder)
      ? pagesOf(docs, path, readFileSync(join(docs, path), "utf8"))
      : []
    const isNumber = /^\d+$/.test(title)
    return { path, title: isNumber ? titleOf(docs, path) : plain(title), about: plain(described.get(to) ?? ""), pages }
  }).filter(({ path }) => !path.startsWith("../") && path.startsWith(folder === "." ? "" : `${folder}/`))
}

/** The first heading of a page. */
export const titleOf = (docs: string, path: string): string =>
  plain(/^# (.+)$/m.exec(readFileSync(join(docs, path), "utf8"))?.[1] ?? path)

/** The groups of docs/README.md: its second headings. */
export const read = (docs: string): ReadonlyArray<Group> =>
  readFileSync(join(docs, "README.md"), "utf8").split(/^## /m).slice(1).map((section) => ({
    title: section.split("\n", 1).join(),
    pages: pagesOf(docs, "README.md", section)
  })).filter(({ pages }) => pages.length > 0)

/** A page and the pages that it lists. */
export const all = (pages: ReadonlyArray<Page>): ReadonlyArray<Page> =>
  pages.flatMap((page) => [page, ...all(page.pages)])
