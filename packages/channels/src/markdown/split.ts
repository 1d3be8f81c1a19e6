// Cuts Markdown into messages. What is open where it is cut, such as a block of code, is closed there, and opened again
// in the next part.
import { marksOf } from "./openMarks.ts"

interface Fence {
  /** The quote that the lines are in, such as `> `. */
  readonly quote: string
  /** What ends the block. */
  readonly mark: string
  /** The line that begins it, with the language. */
  readonly opening: string
}

/** Where the text is after some of its lines. */
interface Place {
  readonly fence: Fence | undefined
  /** The two first lines of the table that the lines belong to. */
  readonly table: string | undefined
  readonly isList: boolean
  /** Where the paragraph began that is not over. */
  readonly paragraph: number
}

const fenced = /^((?:(?: {0,3}>)+ ?)?)( *)(`{3,}|~{3,}(?!~))([^`]*)$/
const quoted = /^(?:(?: {0,3}>)+ ?)?/
const bullet = /^\s*(?:[-*+]|\d{1,9}[.)])\s/
/** Blanks of an empty cell are read in one way only: cells without a mark would take the power of their number. */
const delimiters = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*(?:(?::-*|-+):?\s*)?){0,200}$/

const start: Place = { fence: undefined, table: undefined, isList: false, paragraph: 0 }

const after = (place: Place, line: string, previous: string, at: number): Place => {
  const { fence } = place
  const match = fenced.exec(line)
  if (fence !== undefined) {
    const isEnd = match?.[3]?.startsWith(fence.mark) === true && match[4]?.trim() === ""
    return isEnd ? { ...place, fence: undefined, paragraph: at + line.length + 1 } : place
  }
  if (match !== null) {
    const [, quote = "", indent = "", mark = "", info = ""] = match
    return { ...place, table: undefined, fence: { quote, mark, opening: `${quote}${indent}${mark}${info}` } }
  }
  if (line.trim() === "") return { ...place, table: undefined, paragraph: at + line.length + 1 }
  const isTable = line.includes("|")
  const table = !isTable
    ? undefined
    : place.table ?? (previous.includes("|") && delimiters.test(line) ? `${previous}\n${line}\n` : undefined)
  const isList = bullet.test(line) || (place.isList && /^\s/.test(line))
  return { fence, table, isList, paragraph: isList && bullet.test(line) ? at : place.paragraph }
}

export const placeAtEnd = (text: string): Place => {
  let place = start
  let previous = ""
  let at = 0
  for (const line of text.split("\n")) {
    place = after(place, line, previous, at)
    previous = line
    at += line.length + 1
  }
  return place
}

/** Better ends of a message have higher values. */
const values = { block: 3, line: 2, inside: 1 }

interface Cut {
  /** The part ends before it. */
  readonly end: number
  /** The next part starts here. */
  readonly next: number
  readonly close: string
  readonly open: string
  /** Of the lines that follow, for a list inside of a list. */
  readonly indent: number
}

const leading = /^[\n ]*/
const leadingLines = /^\n*/

/** For what a cut needs to know of the text behind it. */
const lookahead = 200

const isInside = /\p{M}|\u200d|\p{Emoji_Modifier}/u

/** Before a whole character: never inside of a surrogate pair, and not before an accent or a part of an emoji. */
const wholeCharacter = (text: string, at: number): number => {
  let end = at
  for (let tries = 0; tries < 32 && end > 1; tries++) {
    const code = text.charCodeAt(end)
    const isLow = code >= 0xdc00 && code <= 0xdfff
    const point = text.codePointAt(end)
    const isPart = isLow || (point !== undefined && isInside.test(String.fromCodePoint(point)))
    if (!isPart && text.charCodeAt(end - 1) !== 0x200d) return end
    end--
  }
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff && at > 1 ? at - 1 : at
}

/** In the middle of a line: between words, or between characters if there is one endless word. */
const inLine = (text: string, place: Place, lineAt: number, limit: number): Cut => {
  const { fence } = place
  const from = fence === undefined ? Math.min(place.paragraph, lineAt) : lineAt
  const quote = fence?.quote ?? quoted.exec(text.slice(lineAt, limit))?.[0] ?? ""
  const first = lineAt + quote.length
  const least = first + Math.floor((limit - first) / 2)
  // one that begins before the limit may end behind it
  const { atoms } = fence === undefined ? marksOf(text.slice(from, limit + lookahead)) : { atoms: [] }
  let end = limit
  let atom = atoms.length - 1
  const isSpaceAt = (at: number) => /\s/.test(text[at] ?? "")
  while (end > least && !isSpaceAt(end) && !isSpaceAt(end - 1)) {
    while (atom >= 0 && (atoms[atom]?.start ?? 0) + from >= end) atom--
    const span = atoms[atom]
    end = span !== undefined && span.end + from > end ? span.start + from : end - 1
  }
  const around = atoms.find((span) => span.start + from < end && span.end + from > end)
  if (around !== undefined && around.start + from > first) end = around.start + from
  else if (end <= least && !isSpaceAt(end)) {
    const span = atoms.find(({ end, start }) => start + from < limit && end + from > limit)
    end = span !== undefined && span.start + from > first ? span.start + from : wholeCharacter(text, limit)
  }
  if (fence !== undefined) {
    return {
      end,
      next: end,
      close: `\n${fence.quote}${fence.mark}`,
      open: `${fence.opening}\n${fence.quote}`,
      indent: 0
    }
  }
  const marks = marksOf(text.slice(from, end)).open.map(({ mark }) => mark)
  return { end, next: end, close: marks.toReversed().join(""), open: quote + marks.join(""), indent: 0 }
}

const indentOf = (line: string): number => line.length - line.trimStart().length

const lineFrom = (text: string, at: number): string => {
  const end = text.indexOf("\n", at)
  return text.slice(at, end < 0 ? text.length : end)
}

/** A line at whose end the text may be cut, and where the text is there. */
interface Candidate {
  readonly place: Place
  readonly end: number
  readonly value: number
  readonly indent: number
}

const atLine = (text: string, { end, indent, place, value }: Candidate): Cut => {
  const { fence, table } = place
  const nextLine = lineFrom(text, end + 1)
  if (fence !== undefined) {
    const close = `\n${fence.quote}${fence.mark}`
    const isLast = after(place, nextLine, "", 0).fence === undefined
    if (isLast) return { end, next: end + 1 + nextLine.length, close, open: "", indent: 0 }
    return { end, next: end + 1, close, open: `${fence.opening}\n`, indent: 0 }
  }
  if (table !== undefined && nextLine.includes("|")) return { end, next: end + 1, close: "", open: table, indent }
  const isOver = value === values.block || table !== undefined || bullet.test(nextLine) || fenced.test(nextLine)
  const marks = isOver ? [] : marksOf(text.slice(place.paragraph, end)).open.map(({ mark }) => mark)
  if (marks.length === 0) return { end, next: end + 1, close: "", open: "", indent }
  const quote = quoted.exec(nextLine)?.[0] ?? ""
  const close = marks.toReversed().join("")
  return { end, next: end + 1 + quote.length, close, open: quote + marks.join(""), indent }
}

/** The best end of a part of at most `limit` characters. */
const cutOf = (text: string, limit: number): Cut => {
  let place = start
  let lineAt = 0
  let previous = ""
  let best: Candidate | undefined
  while (lineAt < limit) {
    const line = lineFrom(text, lineAt)
    const end = lineAt + line.length
    if (end > limit) break
    place = after(place, line, previous, lineAt)
    previous = line
    lineAt = end + 1
    const nextLine = lineFrom(text, lineAt)
    const { fence, table } = place
    // a block of code begins with more than its mark, and a table has a row
    const isBeginning = line === fence?.opening || table?.endsWith(`${line}\n`) === true || delimiters.test(nextLine)
    if (isBeginning || end === 0 || end < limit / 3) continue
    const indent = place.isList && fence === undefined ? indentOf(nextLine) : 0
    const isBlock = fence === undefined && indent === 0 && (nextLine.trim() === "" || /^ {0,3}#{1,6} /.test(nextLine))
    const value = isBlock ? values.block : fence === undefined && indent === 0 ? values.line : values.inside
    if (value >= (best?.value ?? 0)) best = { place, end, value, indent }
  }
  return best === undefined ? inLine(text, place, Math.min(lineAt, limit - 1), limit) : atLine(text, best)
}

/** Without so many spaces at the beginning of its lines, up to one that has less. */
const dedented = (text: string, indent: number): string => {
  if (indent === 0) return text
  const lines = text.split("\n")
  const end = lines.findIndex((line) => line.trim() !== "" && indentOf(line) < indent)
  return lines.map((line, index) => end < 0 || index < end ? line.slice(indent) : line).join("\n")
}

/**
 * Markdown in parts whose lengths are at most `max`, none if it is blank. It is cut at ends of paragraphs, of lines, or
 * of words, in this order, and never inside of an entity, a short link or a character. What is open there is closed,
 * and opened again in the next part: code with its language, emphasis, quotes, and tables with their header. Parts but
 * the last stay the same when the text grows.
 *
 * @example
 * ```ts
 * split(answer, 4096, (part) => render(part, html).length)
 * ```
 */
export const split = (
  markdown: string,
  max: number,
  lengthOf: (part: string) => number = (part) => part.length
): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let at = 0
  let open = ""
  let indent = 0
  let limit = max
  while (markdown.slice(at, at + 1) !== "") {
    const isRest = open.length + markdown.length - at <= limit
    const text = open + markdown.slice(at, at + limit + lookahead)
    const cut = isRest ? { end: text.length, next: text.length, close: "", open: "", indent: 0 } : cutOf(text, limit)
    const part = dedented(text.slice(0, cut.end).trimEnd() + cut.close, indent)
    const length = lengthOf(part)
    const isStuck = cut.next <= open.length
    if ((length > max || isStuck) && (open !== "" || limit > 1)) {
      const smaller = Math.min(limit - 1, Math.floor(limit * max / Math.max(length, 1)))
      if (isStuck || smaller <= 2 * open.length) open = ""
      limit = Math.max(smaller, 1)
      continue
    }
    if (part.trim() !== "") parts.push(part)
    at += Math.max(cut.next - open.length, 1)
    open = cut.open
    indent = cut.indent
    limit = max
    // the next part begins with its text, and code with its indentation
    if (!open.endsWith("\n")) {
      at += (indent === 0 ? leading : leadingLines).exec(markdown.slice(at, at + lookahead))?.[0].length ?? 0
    }
  }
  return parts
}
