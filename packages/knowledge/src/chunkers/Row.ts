import type { Chunker } from "./Part.ts"

/** One chunk for each line that is not empty. */
export const row: Chunker = function*({ text }) {
  let start = 0
  for (let line = 1; start <= text.length; line++) {
    const place = text.indexOf("\n", start)
    const end = place < 0 ? text.length : place
    const content = text.slice(start, end).replace(/\s+/g, " ").trim()
    if (content !== "") yield { text: content, metadata: { row_number: line }, suffix: `row_${line}` }
    start = end + 1
  }
}
