// Converts HTML to Markdown, which keeps headings, lists and tables for the chunkers.
import TurndownService from "turndown"

const oneLine = (content: string) => content.replace(/\s+/g, " ").replaceAll("|", "\\|").trim()

/** Counted, because searching the index of each item takes quadratic time. */
const itemsOf = new WeakMap<object, number>()

const markOf = (list: Node | null): string => {
  if (list?.nodeName !== "OL") return "-"
  const place = (itemsOf.get(list) ?? 0) + 1
  itemsOf.set(list, place)
  return `${place}.`
}

/** The texts of the cells of a row, from left to right. */
const cellsOf = new WeakMap<object, Array<{ readonly text: string; readonly columns: number; readonly rows: number }>>()

/** Of each column of a table: the text of a cell that reaches into further rows, and into how many. */
const reachingOf = new WeakMap<object, Array<{ readonly text: string; rows: number } | undefined>>()

/** Browsers count no more columns of one cell. */
const maxSpan = 1000

/** What the cells that cover others add to a document, in characters. Hostile tables would multiply their text. */
const maxRepeated = 1024 * 1024

let repeated = 0

/** Taken before Turndown trims it, which needs the square of the white space in a row. */
let whole = ""

const spanOf = (node: Node, name: "colspan" | "rowspan"): number => {
  const span = "getAttribute" in node ? Number((node as Element).getAttribute(name) ?? 1) : 1
  return Number.isInteger(span) && span > 1 ? Math.min(span, maxSpan) : 1
}

const tableOf = (row: Node): object => {
  let table: Node = row
  while (table.parentNode !== null && table.nodeName !== "TABLE") table = table.parentNode
  return table
}

/** A cell that covers several columns or rows is in each of them: a row is read without the rows above it. */
const rowOf = (row: Node): ReadonlyArray<string> => {
  const table = tableOf(row)
  const reaching = reachingOf.get(table) ?? []
  reachingOf.set(table, reaching)
  const texts: Array<string> = []
  const canRepeat = (text: string): boolean => {
    repeated += text.length + 1
    return repeated < maxRepeated
  }
  const addReaching = () => {
    for (let above = reaching[texts.length]; above !== undefined; above = reaching[texts.length]) {
      above.rows -= 1
      if (above.rows === 0) reaching[texts.length] = undefined
      if (!canRepeat(above.text)) {
        reaching.length = 0
        return
      }
      texts.push(above.text)
    }
  }
  for (const { columns, rows, text } of cellsOf.get(row) ?? []) {
    addReaching()
    for (let column = 0; column === 0 || column < columns && canRepeat(text); column++) {
      if (rows > 1 && repeated < maxRepeated) reaching[texts.length] = { text, rows: rows - 1 }
      texts.push(text)
    }
  }
  addReaching()
  return texts
}

const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
  .remove(["script", "style", "noscript", "template", "iframe", "object"])
  .addRule("cell", {
    filter: ["td", "th"],
    replacement: (content, node) => {
      const cell = { text: oneLine(content), columns: spanOf(node, "colspan"), rows: spanOf(node, "rowspan") }
      const row = node.parentNode ?? node
      const cells = cellsOf.get(row)
      if (cells === undefined) cellsOf.set(row, [cell])
      else cells.push(cell)
      return ""
    }
  })
  .addRule("row", {
    filter: "tr",
    replacement: (_, node) => {
      const isFirst = node.previousSibling === null &&
        (node.parentNode?.nodeName === "TABLE" || node.parentNode?.previousSibling === null)
      const cells = rowOf(node)
      return `\n|${cells.map((cell) => ` ${cell} |`).join("")}${isFirst ? `\n|${" --- |".repeat(cells.length)}` : ""}`
    }
  })
  .addRule("sections", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content })
  .addRule("item", {
    filter: "li",
    replacement: (content, node) =>
      `${markOf(node.parentNode)} ${content.trim().replaceAll("\n", "\n  ")}${node.nextSibling === null ? "" : "\n"}`
  })
  .addRule("table", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` })
  .addRule("picture", {
    filter: "img",
    replacement: (_, node) => ("getAttribute" in node ? node.getAttribute("alt") ?? "" : "")
  })
  // addresses are long, and what a reader looks for is the text
  .addRule("link", { filter: "a", replacement: (content) => content })
  .addRule("whole", {
    filter: (node) => node.parentNode?.nodeName === "X-TURNDOWN",
    replacement: (content) => {
      whole += content
      return ""
    }
  })

// the text is searched, not rendered
service.escape = (text) => text

const manyBreaks = /(?: {2}\n){20,}/g

export const toMarkdown = (html: string): string => {
  repeated = 0
  whole = ""
  const rest = service.turndown(`<x-whole>${html}</x-whole>`)
  return `${whole}${rest}`.replace(manyBreaks, "  \n  \n").replace(/\n{3,}/g, "\n\n").trim()
}
