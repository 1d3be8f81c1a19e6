const segmentLength = 1024 * 1024

/** Not the single spaces, which are most blanks and stay. */
const changed = / \s+|[^\S ]\s*/g

/** Runs of blanks become one space. In segments, because the matches of a large text need many times its memory. */
export const collapse = (text: string): string => {
  const segments: Array<string> = []
  for (let start = 0; start < text.length; start += segmentLength) {
    const segment = text.slice(start, start + segmentLength).replace(changed, " ")
    segments.push(segments.at(-1)?.endsWith(" ") === true && segment.startsWith(" ") ? segment.slice(1) : segment)
  }
  return segments.join("").trim()
}
