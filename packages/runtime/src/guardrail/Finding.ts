// What is found in a text: the place and the kind of it.

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

export const find = (patterns: ReadonlyArray<Pattern>) => (text: string): ReadonlyArray<Finding> =>
  patterns.flatMap(({ isValid = () => true, pattern, type }) =>
    [...text.matchAll(pattern)].flatMap((match) =>
      isValid(match[0]) ? [{ type, start: match.index, end: match.index + match[0].length }] : []
    )
  )

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
