import { pack, withTail } from "./packing.ts"
import type { Chunker, Part } from "./Part.ts"

/** A place in the text. Lines and sections are places: as texts of their own they would need many times its memory. */
interface Span {
  readonly start: number
  readonly end: number
}

interface Section extends Span {
  /** 0 before the first heading. */
  readonly level: number
  readonly headings: ReadonlyArray<string>
}

const fence = /^ {0,3}(`{3,}|~{3,})/
const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/s

/** A heading path is shown with each chunk: it stays short. */
const maxHeading = 200

/** Tells of one line after the other whether it is of a code block. */
const codeBlocks = () => {
  let opened: string | undefined
  return (line: string): boolean => {
    const marker = fence.exec(line)?.[1]
    if (opened === undefined) {
      opened = marker
      return marker !== undefined
    }
    if (marker?.startsWith(opened) === true) opened = undefined
    return true
  }
}

/** The lines of a part of the text, without their line ends. */
function* linesOf(text: string, { end, start }: Span): Generator<Span> {
  let place = start
  while (place <= end) {
    const found = text.indexOf("\n", place)
    const next = found < 0 || found > end ? end : found
    yield { start: place, end: next }
    place = next + 1
  }
}

/** The lines under each heading. Lines of code are not headings. */
function* sectionsOf(text: string): Generator<Section> {
  let section = { level: 0, headings: [] as ReadonlyArray<string>, start: 0 }
  const isCode = codeBlocks()
  const path: Array<string | undefined> = []
  for (const { end, start } of linesOf(text, { start: 0, end: text.length })) {
    const line = text.slice(start, end)
    const [, marks, title] = (isCode(line) ? null : heading.exec(line)) ?? []
    if (marks === undefined || title === undefined) continue
    yield { ...section, end: start }
    path.length = marks.length - 1
    path.push(title.replace(/(?<![ \t])[ \t]+#+[ \t]*$/, "").trim().slice(0, maxHeading))
    const headings = path.filter((title): title is string => title !== undefined && title !== "")
    section = { level: marks.length, headings, start }
  }
  yield { ...section, end: text.length }
}

/** Blocks between blank lines, with the lines of a code block in one piece. */
function* blocksOf(text: string, section: Span): Generator<string> {
  let begun: number | undefined
  const isCode = codeBlocks()
  for (const { end, start } of linesOf(text, section)) {
    const line = text.slice(start, end)
    if (isCode(line) || line.trim() !== "") begun ??= start
    else if (begun !== undefined) {
      yield text.slice(begun, start)
      begun = undefined
    }
  }
  if (begun !== undefined) yield text.slice(begun, section.end)
}

const toPart = (text: string, headings: ReadonlyArray<string>): Part => ({
  text,
  metadata: headings.length === 0 ? {} : { headings: headings.join(" > ") }
})

/** Packs a section with those below its heading while they fit. One that is too long is cut between its blocks. */
function* packSections(
  text: string,
  size: number
): Generator<readonly [text: string, headings: ReadonlyArray<string>]> {
  let packed = ""
  let first: Section | undefined
  for (const section of sectionsOf(text)) {
    const content = text.slice(section.start, section.end).trim()
    if (content === "") continue
    const fits = first !== undefined && packed.length + 2 + content.length <= size
    const isBelow = first !== undefined && (first.level === 0 || section.level > first.level)
    if (fits && isBelow) {
      packed += `\n\n${content}`
      continue
    }
    if (first !== undefined) yield [packed, first.headings]
    if (content.length <= size) {
      packed = content
      first = section
    } else {
      for (const chunk of pack(blocksOf(text, section), size)) yield [chunk, section.headings]
      packed = ""
      first = undefined
    }
  }
  if (first !== undefined) yield [packed, first.headings]
}

/** Keeps sections under their headings, and names the headings of each chunk. */
export const markdown: Chunker = function*({ text }, { chunk_overlap, chunk_size }) {
  let previous = ""
  for (const [chunk, headings] of packSections(text, chunk_size)) {
    yield toPart(withTail(previous, chunk, chunk_overlap), headings)
    previous = chunk
  }
}
