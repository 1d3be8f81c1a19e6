// Word documents, as Markdown. Headers and footers are above and below it, once. Comments are at their places.
import { Effect } from "effect"
import { DOMParser } from "linkedom"
import mammoth from "mammoth"
import { Unreadable } from "../Unreadable.ts"
import type { Read } from "./Input.ts"
import { toMarkdown } from "./toMarkdown.ts"
import { type Entries, openOffice, repack } from "./unpack.ts"
import { withTexts } from "./wordText.ts"

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

const parse = (part: Uint8Array | undefined) =>
  new DOMParser().parseFromString(new TextDecoder().decode(part), "text/xml")

const linesOf = (element: { readonly getElementsByTagName: Document["getElementsByTagName"] }): string =>
  Array.from(element.getElementsByTagName("w:p")).map(lineOf).filter((line) => line !== "").join("\n")

/** Each section of a document can have headers of its own. */
const maxMargins = 20

/** The different texts of the headers, or of the footers. */
const marginsOf = (parts: Entries, name: RegExp): ReadonlyArray<string> => [
  ...new Set(
    Object.keys(parts).filter((path) => name.test(path)).slice(0, maxMargins).map((path) =>
      linesOf(parse(parts[path]) as never)
    )
  )
]

/** The comments by their ids. */
const commentsOf = (parts: Entries): Map<string, string> =>
  parts["word/comments.xml"] === undefined
    ? new Map()
    : new Map(
      Array.from(parse(parts["word/comments.xml"]).getElementsByTagName("w:comment"), (comment) => [
        comment.getAttribute("w:id") ?? "",
        linesOf(comment)
      ])
    )

const hasTexts = (part: Uint8Array): boolean => {
  const buffer = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
  return ["<m:oMath", "<w:commentReference", " descr=", " alt="].some((text) => buffer.includes(text))
}

const textsIn = (parts: Entries): Entries => {
  const comments = commentsOf(parts)
  return Object.fromEntries(
    Object.entries(parts).map(([path, part]) => [
      path,
      /^word\/(?:document\d*|footnotes|endnotes)\.xml$/i.test(path) && hasTexts(part)
        ? new TextEncoder().encode(withTexts(new TextDecoder().decode(part), comments))
        : part
    ])
  )
}

export const read: Read = Effect.fnUntraced(function*({ content, limits }) {
  const parts = yield* openOffice(content, limits, legacy, (name) => /\.(?:xml|rels)$/i.test(name))
  const shown = yield* Effect.try({ try: () => textsIn(parts), catch: () => broken })
  const { value } = yield* Effect.tryPromise({
    try: () =>
      mammoth.convertToHtml(
        { buffer: repack(shown) },
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
