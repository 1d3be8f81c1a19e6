// Cuts a text at the chosen size, whatever its structure is.
import { collapse } from "./collapse.ts"
import { placeAfter, startAfter } from "./cutting.ts"
import type { Chunker } from "./Part.ts"

/** Collapses blanks, and cuts at the size, moved back to a blank. */
export const fixedSize: Chunker = function*({ text }, { chunk_overlap, chunk_size }) {
  const content = collapse(text)
  let start = 0
  while (start < content.length) {
    // the blank that the chunk before was cut at
    if (content[start] === " ") start += 1
    let end = placeAfter(content, start, chunk_size)
    if (end < content.length && content[end] !== " ") {
      const blank = content.slice(start, end).lastIndexOf(" ")
      if (blank > 0) end = start + blank
    }
    const chunk = content.slice(start, end).trim()
    if (chunk !== "") yield { text: chunk }
    if (end === content.length) return
    start = startAfter(content, start, end, chunk_overlap)
  }
}
