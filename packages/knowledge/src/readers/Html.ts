// Web pages: the article without the rest of the page, as Markdown.
import { Readability } from "@mozilla/readability"
import { Effect } from "effect"
import { parseHTML } from "linkedom"
import type { ReaderLimits } from "../ReaderLimits.ts"
import { Unreadable } from "../Unreadable.ts"
import { decode } from "./decoding.ts"
import type { Read } from "./Input.ts"
import { excessOf } from "./tagDepth.ts"
import { toMarkdown } from "./toMarkdown.ts"

const maxTitle = 300

/** A page that is a list or a table has no article: most of it would be missing. */
const minShare = 0.25

/** A tag opens an element at most. Counted before the page becomes many objects. */
const countTags = (html: string): number => {
  let count = 0
  for (let place = html.indexOf("<"); place >= 0; place = html.indexOf("<", place + 1)) count += 1
  return count
}

/** Iterates, because a deep page would overflow the stack. */
const depthOf = (root: Node): number => {
  let level = [root]
  for (let depth = 0;; depth++) {
    level = level.flatMap((node) => Array.from(node.childNodes))
    if (level.length === 0) return depth
  }
}

/** Fragments have no body. */
const toPage = (html: string) =>
  /<html[\s>]/i.test(html)
    ? html
    : /<body[\s>]/i.test(html)
    ? `<html>${html}</html>`
    : `<html><body>${html}</body></html>`

/** More than browsers keep. */
const maxDepth = 1000

/** Of tags. A page on the way to the limit takes no second. */
const maxTagDepth = 10 * maxDepth

const maxAttributes = 1000

const tooDeep = `The page is nested deeper than ${maxDepth} levels`

const tooLarge = (message: string) => new Unreadable({ reason: "too_large", message })

const notRead = (error: unknown) =>
  error instanceof Unreadable ? error : new Unreadable({ reason: "broken", message: "The page could not be read" })

const maxLinks = 1000
const maxLink = 2048

const isShort = (link: string): boolean => link.length <= maxLink

const attributes = (document: Document, selector: string) =>
  Array.from(document.querySelectorAll(selector), (element) => element.getAttribute("href") ?? "")

/** As they are written: relative to the base, or to the page. */
const linksOf = (document: Document) => ({
  base: attributes(document, "base[href]").slice(0, 1).find(isShort) ?? null,
  links: [...new Set(attributes(document, "a[href]"))].filter(isShort).slice(0, maxLinks)
})

/** A page within the limits. */
export const pageOf = (html: string, limits: ReaderLimits) =>
  Effect.try({
    try: () => {
      if (countTags(html) > limits.nodes) throw tooLarge(`The page has more than ${limits.nodes} elements`)
      const excess = excessOf(html, { depth: maxTagDepth, attributes: maxAttributes })
      if (excess === "depth") throw tooLarge(tooDeep)
      if (excess !== undefined) throw tooLarge(`An element of the page has more than ${maxAttributes} attributes`)
      const document: Document = parseHTML(toPage(html)).document
      const depth = depthOf(document)
      if (depth > maxDepth) throw tooLarge(tooDeep)
      return { document, depth }
    },
    catch: notRead
  })

const articleOf = (
  { depth, document }: { readonly document: Document; readonly depth: number },
  limits: ReaderLimits
) => {
  const title = (document.title || document.querySelector("h1")?.textContent || "").replace(/\s+/g, " ").trim()
  const whole = toMarkdown(document.body.innerHTML)
  const found = linksOf(document)
  // the time that the search for the article needs grows with the third power of the depth; it changes the document
  const article = depth > limits.depth ? null : new Readability(document).parse()
  const text = toMarkdown(article?.content ?? "")
  return { ...found, title: title.slice(0, maxTitle), text: text.length < minShare * whole.length ? whole : text }
}

export const read: Read = Effect.fnUntraced(function*({ content, limits, type, withLinks }) {
  const html = yield* decode({ content, type }, { isMarkup: true })
  const page = yield* pageOf(html, limits)
  const { base, links, text, title } = yield* Effect.try({ try: () => articleOf(page, limits), catch: notRead })
  const isTitled = title === "" || text.includes(title.slice(0, 50))
  return [{
    text: isTitled ? text : `# ${title}\n\n${text}`,
    metadata: { ...(title === "" ? {} : { title }), ...(withLinks ? { base, links } : {}) }
  }]
})
