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

const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
  .remove(["script", "style", "noscript", "template", "iframe", "object"])
  .addRule("cell", { filter: ["td", "th"], replacement: (content) => ` ${oneLine(content)} |` })
  .addRule("row", {
    filter: "tr",
    replacement: (content, node) => {
      const isFirst = node.previousSibling === null &&
        (node.parentNode?.nodeName === "TABLE" || node.parentNode?.previousSibling === null)
      const cells = Array.from(node.childNodes).filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH").length
      return `\n|${content}${isFirst ? `\n|${" --- |".repeat(cells)}` : ""}`
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

// the text is searched, not rendered
service.escape = (text) => text

export const toMarkdown = (html: string): string => service.turndown(html).replace(/\n{3,}/g, "\n\n").trim()
