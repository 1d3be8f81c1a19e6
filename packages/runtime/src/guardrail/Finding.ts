// What is found in a text: the place and the kind of it.
import * as Plain from "./plain.ts"

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

const findingsOf = ({ isValid, pattern, type }: Pattern, text: string): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  const searched = new RegExp(pattern)
  for (let match = searched.exec(text); match !== null; match = searched.exec(text)) {
    const start = match.index
    const length = isValid === undefined ? match[0].length : validLength(match[0], isValid)
    if (length > 0) found.push({ type, start, end: start + length })
    // what is valid can begin inside of a match that is not
    searched.lastIndex = start + Math.max(1, length)
  }
  return found
}

/** The places are those of the text, in which look-alikes and hidden characters count as what they are read as. */
export const find = (patterns: ReadonlyArray<Pattern>) => (text: string): ReadonlyArray<Finding> => {
  const plain = Plain.make(text)
  const found = patterns.flatMap((pattern) => findingsOf(pattern, plain.text))
  if (plain.shifts.length === 0) return found
  return found.map(({ end, start, type }) => ({
    type,
    start: Plain.placeIn(plain, start),
    end: Plain.placeIn(plain, end)
  }))
}

/** The text with a mask in the place of each finding. Findings that overlap have one mask, of the first. */
export const mask = (text: string, findings: ReadonlyArray<Finding>, maskOf: (type: string) => string): string => {
  const sorted = findings.toSorted((one, other) => one.start - other.start || other.end - one.end)
  let [masked, at] = ["", 0]
  for (const { end, start, type } of sorted) {
    if (start >= at) masked += text.slice(at, start) + maskOf(type)
    at = Math.max(at, end)
  }
  return masked + text.slice(at)
}
