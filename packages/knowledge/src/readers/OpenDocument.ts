// Texts and presentations of OpenDocument, as Markdown: a document for a text, or for each slide with its notes.
// Headers and footers of a text are above and below it, once.
import { Effect } from "effect"
import { DOMParser } from "linkedom"
import { Unreadable } from "../Unreadable.ts"
import { commentOf } from "./comment.ts"
import type { Read } from "./Input.ts"
import { toMarkdown } from "./toMarkdown.ts"
import { openOffice } from "./unpack.ts"
import { withoutText } from "./withoutText.ts"

const legacy = { title: "an OpenDocument file", advice: "The document cannot be read. Save it as .odt or .odp" }

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** Programs fill a sheet with a cell that is repeated thousands of times. */
const maxRepeated = 100

/** What repeated cells add to a document, in characters. Tables inside of them would multiply it. */
const maxAdded = 1024 * 1024

let added = 0

const numberOf = (element: Element, name: string): number => Number(element.getAttribute(name) ?? 1) || 1

const childrenOf = (node: Node): string => Array.from(node.childNodes, toHtml).join("")

const inTag = (tag: string, node: Node): string => `<${tag}>${childrenOf(node)}</${tag}>`

const cellOf = (element: Element): string => {
  const cell = `<td colspan="${numberOf(element, "table:number-columns-spanned")}" rowspan="${
    numberOf(element, "table:number-rows-spanned")
  }">${childrenOf(element)}</td>`
  const times = Math.min(numberOf(element, "table:number-columns-repeated"), maxRepeated)
  added += cell.length * (times - 1)
  return added > maxAdded ? cell : cell.repeat(times)
}

/** The levels of its styles of lists that are numbered, by `style level`. */
let numbered: ReadonlySet<string> = new Set()

const numberedIn = (document: Document): ReadonlySet<string> =>
  new Set(
    Array.from(document.getElementsByTagName("text:list-style")).flatMap((style) =>
      Array.from(style.getElementsByTagName("text:list-level-style-number")).flatMap((level) =>
        (level.getAttribute("style:num-format") ?? "") === ""
          ? []
          : [`${style.getAttribute("style:name")} ${level.getAttribute("text:level")}`]
      )
    )
  )

/** Steps to the outermost list: there are ten levels. */
const maxAncestors = 40

/** A list inside of another one has its style and the next level, unless it has a style of its own. */
const isNumbered = (element: Element): boolean => {
  let [level, steps, style] = [0, 0, ""]
  for (let list: Element | null = element; list !== null && steps < maxAncestors; list = list.parentElement) {
    steps++
    if (list.nodeName !== "text:list") continue
    level++
    if (style === "") style = list.getAttribute("text:style-name") ?? ""
  }
  return numbered.has(`${style} ${level}`)
}

/** A note is inside of a paragraph. A comment has its author and date beside its text. */
const paragraphsOf = (note: Element): string =>
  Array.from(note.children).filter(({ nodeName }) => nodeName.startsWith("text:"))
    .map(({ textContent }) => textContent).join(" ")

/** Of a picture. */
const alternativeOf = ({ textContent }: Element): string => ` ${escape(textContent).trim()} `

const elements: Readonly<Record<string, (element: Element) => string>> = {
  "text:h": (element) => inTag(`h${Math.min(numberOf(element, "text:outline-level"), 6)}`, element),
  "text:p": (element) => inTag("p", element),
  "text:list": (element) => inTag(isNumbered(element) ? "ol" : "ul", element),
  "text:list-item": (element) => inTag("li", element),
  "table:table": (element) => inTag("table", element),
  "table:table-row": (element) => inTag("tr", element),
  "table:table-cell": cellOf,
  // the cell that covers it is repeated
  "table:covered-table-cell": () => "",
  "text:s": (element) => " ".repeat(Math.min(numberOf(element, "text:c"), maxRepeated)),
  "text:tab": () => " ",
  "text:line-break": () => "<br>",
  "text:note-citation": () => " (",
  "text:note-body": (element) => `${escape(paragraphsOf(element)).trim()})`,
  "text:tracked-changes": () => "",
  "office:annotation": (element) => ` ${escape(commentOf(paragraphsOf(element)))}`,
  "presentation:notes": () => "",
  "svg:title": alternativeOf,
  "svg:desc": alternativeOf
}

function toHtml(node: Node): string {
  if (node.nodeType === node.TEXT_NODE) return escape(node.textContent ?? "")
  return elements[node.nodeName]?.(node as Element) ?? childrenOf(node)
}

/** Each style of pages can have headers of its own. */
const maxMargins = 20

/** The different texts of the headers, or of the footers. */
const marginsOf = (styles: Document, kind: "footer" | "header"): ReadonlyArray<string> => [
  ...new Set(
    ["", "-first", "-left"].flatMap((pages) => Array.from(styles.getElementsByTagName(`style:${kind}${pages}`)))
      .filter((margin) => margin.getAttribute("style:display") !== "false")
      .slice(0, maxMargins)
      .map((margin) => toMarkdown(childrenOf(margin)))
  )
]

const slideOf = (slide: Element): string => {
  const [text, notes] = [toMarkdown(childrenOf(slide)), slide.getElementsByTagName("presentation:notes")[0]]
  const remarks = notes === undefined ? "" : toMarkdown(childrenOf(notes))
  return remarks === "" ? text : `${text}\n\nNotes: ${remarks}`
}

export const read: Read = Effect.fnUntraced(function*({ content, limits }) {
  const parts = yield* openOffice(
    content,
    limits,
    legacy,
    (name) => /^(?:content|styles|META-INF\/manifest)\.xml$/.test(name)
  )
  const [manifest = "", xml = "", styles = ""] = ["META-INF/manifest.xml", "content.xml", "styles.xml"].map((name) =>
    new TextDecoder().decode(parts[name])
  )
  if (manifest.includes(":encryption-data")) {
    return yield* Effect.fail(
      new Unreadable({ reason: "encrypted", message: "The document is protected by a password" })
    )
  }
  added = 0
  const document = new DOMParser().parseFromString(xml, "text/xml")
  const styled = new DOMParser().parseFromString(styles === "" ? "<none/>" : styles, "text/xml") as never
  numbered = new Set([...numberedIn(styled), ...numberedIn(document as never)])
  const [text] = document.getElementsByTagName("office:text")
  if (text !== undefined) {
    const texts = [...marginsOf(styled, "header"), toMarkdown(childrenOf(text)), ...marginsOf(styled, "footer")]
    return [{ text: texts.filter((each) => each !== "").join("\n\n") }]
  }
  const slides = Array.from(document.getElementsByTagName("draw:page"))
  if (slides.length === 0) {
    return yield* Effect.fail(
      new Unreadable({ reason: "broken", message: "The content is no text and no presentation of OpenDocument" })
    )
  }
  const drafts = slides.map((slide, index) => ({ text: slideOf(slide), metadata: { page: index + 1 } }))
  const empty = drafts.filter(({ text }) => text.trim() === "").map(({ metadata }) => metadata.page)
  return empty.length === drafts.length ? drafts : [...drafts, ...withoutText("Slide", "Pictures of text", empty)]
})
