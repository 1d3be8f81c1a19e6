// Presentations: a document for each slide, with the alternative texts of its pictures, its notes and comments.
import { Effect } from "effect"
import { DOMParser } from "linkedom"
import { Unreadable } from "../Unreadable.ts"
import { attributeOf } from "./attributeOf.ts"
import { commentOf } from "./comment.ts"
import { lineOf } from "./equation.ts"
import type { Read } from "./Input.ts"
import { oneLine } from "./table.ts"
import { type Entries, openOffice } from "./unpack.ts"
import { withoutText } from "./withoutText.ts"

const legacy = {
  title: "a presentation",
  advice: "Presentations of the format before 2007 (.ppt) cannot be read. Save the presentation as .pptx"
}

const parse = (part: Uint8Array | undefined) =>
  new DOMParser().parseFromString(new TextDecoder().decode(part), "text/xml")

type Part = ReturnType<typeof parse>

const elements = (part: Part, tag: string): ReadonlyArray<Element> => Array.from(part.getElementsByTagName(tag))

/** Programs write the number of the slide into its notes. */
const isSlideNumber = (parent: Element | null) =>
  parent?.tagName === "a:fld" && parent.getAttribute("type") === "slidenum"

const textOf = (paragraph: Element): string =>
  // `*` as a name of a tag finds nothing in XML
  Array.from(paragraph.querySelectorAll("*"), (element) => {
    const { parentElement, tagName, textContent } = element
    if (tagName === "m:oMath") return lineOf(element)
    return tagName === "a:t" && !isSlideNumber(parentElement) ? textContent : tagName === "a:br" ? "\n" : ""
  }).join("")

const paragraphsOf = (part: Part): string =>
  elements(part, "a:p").map(textOf).filter((text) => text.trim() !== "").join("\n")

/** The parts that a part refers to, by the ids of the references. */
const relationsOf = (
  parts: Entries,
  path: string
): ReadonlyMap<string, { readonly type: string; readonly path: string }> => {
  const name = path.lastIndexOf("/") + 1
  const relations = parts[`${path.slice(0, name)}_rels/${path.slice(name)}.rels`]
  if (relations === undefined) return new Map()
  return new Map(
    elements(parse(relations), "Relationship").map((element) => {
      const target = new URL(attributeOf(element, "Target"), `file:///${path}`).pathname.slice(1)
      return [element.getAttribute("Id") ?? "", { type: element.getAttribute("Type") ?? "", path: target }]
    })
  )
}

const slidesOf = (parts: Entries): ReadonlyArray<string> => {
  const path = "ppt/presentation.xml"
  if (parts[path] === undefined) return []
  const relations = relationsOf(parts, path)
  return elements(parse(parts[path]), "p:sldId").flatMap((element) => {
    const slide = relations.get(element.getAttribute("r:id") ?? "")?.path
    return slide === undefined || parts[slide] === undefined ? [] : [slide]
  })
}

/** Programs before 2021 write `p:text`, later ones paragraphs. */
const commentsOf = (part: Part): ReadonlyArray<string> =>
  [...elements(part, "p:text").map(({ textContent }) => textContent), ...elements(part, "a:p").map(textOf)]
    .map(commentOf)

const alternativesOf = (part: Part): ReadonlyArray<string> =>
  elements(part, "p:cNvPr").map((element) => oneLine(attributeOf(element, "descr")))

const readSlide = (parts: Entries, path: string): string => {
  const relations = Array.from(relationsOf(parts, path).values()).filter((each) => parts[each.path] !== undefined)
  const notes = relations.find(({ type }) => type.endsWith("/notesSlide"))
  const commented = new Set(relations.flatMap((each) => each.type.endsWith("/comments") ? [each.path] : []))
  const comments = [...commented].flatMap((each) => commentsOf(parse(parts[each])))
  const slide = parse(parts[path])
  const remarks = notes === undefined ? "" : paragraphsOf(parse(parts[notes.path]))
  return [paragraphsOf(slide), ...alternativesOf(slide), remarks === "" ? "" : `Notes: ${remarks}`, ...comments]
    .filter((each) => each !== "").join("\n\n")
}

export const read: Read = Effect.fnUntraced(function*({ content, limits }) {
  const parts = yield* openOffice(content, limits, legacy, (name) => /^ppt\/.*\.(?:xml|rels)$/i.test(name))
  const slides = slidesOf(parts)
  if (slides.length === 0) {
    return yield* Effect.fail(
      new Unreadable({ reason: "broken", message: "The content is not a presentation, or has no slides" })
    )
  }
  const drafts = slides.map((path, index) => ({ text: readSlide(parts, path), metadata: { page: index + 1 } }))
  const empty = drafts.filter(({ text }) => text.trim() === "").map(({ metadata }) => metadata.page)
  return empty.length === drafts.length ? drafts : [...drafts, ...withoutText("Slide", "Pictures of text", empty)]
})
