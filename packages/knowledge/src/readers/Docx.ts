// Word documents, as Markdown. Headers and footers are above and below it, once.
import { Effect } from "effect"
import { DOMParser } from "linkedom"
import mammoth from "mammoth"
import { Unreadable } from "../Unreadable.ts"
import type { Read } from "./Input.ts"
import { toMarkdown } from "./toMarkdown.ts"
import { type Entries, openOffice, repack } from "./unpack.ts"

const legacy = {
  title: "a Word document",
  advice: "Word documents of the format before 2007 (.doc) cannot be read. Save the document as .docx"
}

const broken = new Unreadable({ reason: "broken", message: "The content is not a Word document, or is damaged" })

const lineOf = (paragraph: Element): string =>
  // `*` as a name of a tag finds nothing in XML
  Array.from(
    paragraph.querySelectorAll("*"),
    ({ tagName, textContent }) => tagName === "w:t" ? textContent : tagName === "w:tab" ? " " : ""
  ).join("").trim()

const linesOf = (part: Uint8Array): string =>
  Array.from(new DOMParser().parseFromString(new TextDecoder().decode(part), "text/xml").getElementsByTagName("w:p"))
    .map(lineOf)
    .filter((line) => line !== "")
    .join("\n")

/** Each section of a document can have headers of its own. */
const maxMargins = 20

/** The different texts of the headers, or of the footers. */
const marginsOf = (parts: Entries, name: RegExp): ReadonlyArray<string> => [
  ...new Set(
    Object.keys(parts).filter((path) => name.test(path)).slice(0, maxMargins).map((path) =>
      linesOf(parts[path] ?? new Uint8Array())
    )
  )
]

export const read: Read = Effect.fnUntraced(function*({ content, limits }) {
  const parts = yield* openOffice(content, limits, legacy, (name) => /\.(?:xml|rels)$/i.test(name))
  const { value } = yield* Effect.tryPromise({
    try: () =>
      mammoth.convertToHtml(
        { buffer: repack(parts) },
        { convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })) }
      ),
    catch: () => broken
  })
  const texts = yield* Effect.try({
    try: () => [
      ...marginsOf(parts, /^word\/header\d*\.xml$/i),
      toMarkdown(value),
      ...marginsOf(parts, /^word\/footer\d*\.xml$/i)
    ],
    catch: () => broken
  })
  return [{ text: texts.filter((text) => text !== "").join("\n\n") }]
})
