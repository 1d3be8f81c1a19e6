// Books of EPUB, as Markdown: a document for each chapter, in the order of the book.
import { Effect, Result } from "effect"
import { DOMParser } from "linkedom"
import { Unreadable } from "../Unreadable.ts"
import { attributeOf } from "./attributeOf.ts"
import { decode } from "./decoding.ts"
import { pageOf } from "./Html.ts"
import type { Read } from "./Input.ts"
import { toMarkdown } from "./toMarkdown.ts"
import { type Entries, openArchive } from "./unpack.ts"

const parse = (part: Uint8Array = new Uint8Array()) =>
  Effect.map(
    decode({ content: part, type: undefined }, { isMarkup: true }),
    (text) => new DOMParser().parseFromString(text, "text/xml")
  )

/** Programs choose prefixes of their own. */
const elements = (part: Effect.Success<ReturnType<typeof parse>>, name: string): ReadonlyArray<Element> =>
  Array.from<Element>(part.querySelectorAll("*")).filter(({ tagName }) => tagName.replace(/^.*:/, "") === name)

/** Programs write paths with and without escapes. */
const resolve = (from: string, path: string): string => {
  const resolved = URL.parse(path, `file:///${from}`)?.pathname.slice(1) ?? ""
  return Result.getOrElse(Result.try(() => decodeURIComponent(resolved)), () => resolved)
}

/** The parser of pages knows no closed elements of XML: it takes the rest of the page for their text. */
const openClosed = (page: string): string =>
  page.replace(/<(title|script|style|textarea|iframe|noscript)(\s[^<>]*)?\/>/gi, "<$1$2></$1>")

/** The paths of the chapters, and the title of the book. */
const contentsOf = Effect.fnUntraced(function*(parts: Entries) {
  const container = yield* parse(parts["META-INF/container.xml"])
  const [file] = elements(container, "rootfile")
  const path = file === undefined ? "" : attributeOf(file, "full-path")
  const book = yield* parse(parts[path])
  const paths = new Map(
    elements(book, "item").map((item) => [item.getAttribute("id"), resolve(path, attributeOf(item, "href"))])
  )
  const chapters = elements(book, "itemref").flatMap((item) => paths.get(item.getAttribute("idref")) ?? [])
  return { chapters, title: elements(book, "title")[0]?.textContent.trim() ?? "" }
})

const broken = new Unreadable({ reason: "broken", message: "The content is not an EPUB book, or is damaged" })

export const read: Read = Effect.fnUntraced(function*({ content, limits }) {
  const parts = yield* openArchive(content, limits, "an EPUB book", (name) => /\.(?:xml|opf|x?html?)$/i.test(name))
  const { chapters, title } = yield* contentsOf(parts).pipe(
    Effect.catchDefect(() => Effect.fail(broken)),
    Effect.mapError(() => broken)
  )
  // a book has each page once, also where it lists it again
  const listed = [...new Set(chapters)]
  const encrypted = new Set(new TextDecoder().decode(parts["META-INF/encryption.xml"]).split(/["'<>]/))
  if (listed.some((path) => path !== "" && encrypted.has(path))) {
    return yield* Effect.fail(
      new Unreadable({ reason: "encrypted", message: "The book is protected against copies" })
    )
  }
  const found = listed.filter((path) => Object.hasOwn(parts, path))
  if (found.length === 0) return yield* Effect.fail(broken)
  return yield* Effect.forEach(found, (path, index) =>
    Effect.gen(function*() {
      const html = yield* decode({ content: parts[path] ?? "", type: undefined }, { isMarkup: true })
      const { document } = yield* pageOf(openClosed(html), limits)
      return {
        text: toMarkdown(document.body.innerHTML),
        metadata: { page: index + 1, ...(title === "" ? {} : { title }) }
      }
    }))
})
