// What is found in a text: the place and the kind of it.
import * as NormalizedText from "./NormalizedText.ts"
import * as TimeSlices from "./TimeSlices.ts"
import type { Parts } from "./TimeSlices.ts"

// A long text as patterns read it: pieces that overlap, so that what is at a border is whole in one of them.

/** Characters of a piece that are its own, those before it, for what stands in front of a match, and those after it. */
const [ownLength, beforeLength, afterLength] = [40_000, 1000, 24_000]

interface Piece {
  readonly text: string
  /** Where it begins in the whole text, and the part of it that is its own. */
  readonly at: number
  readonly from: number
  readonly to: number
  readonly isLast: boolean
}

function* piecesOf(text: string): Generator<Piece> {
  for (let from = 0; from === 0 || from < text.length; from += ownLength) {
    const isLast = text.length <= from + ownLength + afterLength
    const to = isLast ? text.length : from + ownLength
    const at = Math.max(0, from - beforeLength)
    yield { text: text.slice(at, isLast ? text.length : to + afterLength), at, from, to, isLast }
    if (isLast) return
  }
}

export interface Finding {
  /** Such as `email`. */
  readonly type: string
  readonly start: number
  readonly end: number
}

/** A pattern with the global flag, and a check of what it matches, such as a checksum. */
export interface Pattern {
  readonly type: string
  readonly pattern: RegExp
  readonly isValid?: (match: string) => boolean
}

/** The longest valid beginning: words and numbers that follow can look like a part of it. */
const validLength = (match: string, isValid: (match: string) => boolean): number => {
  let { length } = match
  while (length > 0 && !isValid(match.slice(0, length))) {
    length = Math.max(0, match.lastIndexOf(" ", length - 1), match.lastIndexOf("-", length - 1))
  }
  return length
}

/** The next match from an offset on, of which `length` characters are valid. */
export const next = ({ isValid, pattern }: Pattern, text: string, from: number) => {
  pattern.lastIndex = from
  const match = pattern.exec(text)
  if (match === null) return undefined
  return {
    start: match.index,
    length: isValid === undefined ? match[0].length : validLength(match[0], isValid)
  }
}

const findingsOf = (pattern: Pattern, text: string): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  for (let at = 0;;) {
    const match = next(pattern, text, at)
    if (match === undefined) return found
    const { length, start } = match
    if (length > 0) found.push({ type: pattern.type, start, end: start + length })
    // what is valid can begin inside of a match that is not
    at = start + Math.max(1, length)
  }
}

/** The places are those of the text, in which look-alikes and hidden characters count as what they are read as. */
function* findIn(patterns: ReadonlyArray<Pattern>, text: string): Parts<ReadonlyArray<Finding>> {
  const normalized = NormalizedText.make(text)
  const found: Array<Finding> = []
  for (const pattern of patterns) {
    if (text.length > TimeSlices.short) yield
    found.push(...findingsOf(pattern, normalized.text))
  }
  if (normalized.shifts.length === 0) return found
  return found.map(({ end, start, type }) => ({
    type,
    start: NormalizedText.originalOffset(normalized, start),
    end: NormalizedText.originalOffset(normalized, end)
  }))
}

/** What a key or a token consists of. */
const after = /[^\w+/=-]|$/g

/** What is longer than a piece ends with its characters. */
const wholeOf = (text: string, end: number): number => {
  after.lastIndex = end
  return after.exec(text)?.index ?? text.length
}

/** In the order of the pieces. Inside of a piece, in the order of the patterns. */
export function* find(patterns: ReadonlyArray<Pattern>, text: string): Parts<ReadonlyArray<Finding>> {
  const all: Array<Finding> = []
  let covered = 0
  for (const { at, from, isLast, text: piece, to } of piecesOf(text)) {
    const before = covered
    for (const { end, start, type } of yield* findIn(patterns, piece)) {
      const finding = {
        type,
        start: start + at,
        end: isLast || end < piece.length ? end + at : wholeOf(text, end + at)
      }
      // the piece before has found it
      if (finding.start >= to || (finding.start < from && finding.end <= Math.max(from, before))) continue
      all.push(finding)
      covered = Math.max(covered, finding.end)
    }
  }
  return all
}

/** The text with a mask instead of each finding. Findings that overlap have one mask, of the first. */
export function* mask(
  text: string,
  findings: ReadonlyArray<Finding>,
  maskOf: (type: string) => string
): Parts<string> {
  const sorted = findings.toSorted((one, other) => one.start - other.start || other.end - one.end)
  let [masked, at] = ["", 0]
  for (const [index, { end, start, type }] of sorted.entries()) {
    if (index % 1000 === 0) yield
    if (start >= at) masked += text.slice(at, start) + maskOf(type)
    at = Math.max(at, end)
  }
  return masked + text.slice(at)
}
