import { placeAfter, startAfter } from "./cutting.ts"
import type { Chunker } from "./Part.ts"

/** The whole text when it fits; else cuts after the last line end, else after the last full stop. */
export const recursive: Chunker = function*({ text }, { chunk_overlap, chunk_size }) {
  if (text.length <= chunk_size) return yield { text }
  let start = 0
  while (start < text.length) {
    let end = placeAfter(text, start, chunk_size)
    if (end < text.length) {
      const window = text.slice(start, end)
      const line = window.lastIndexOf("\n")
      const place = line >= 0 ? line : window.lastIndexOf(".")
      if (place >= 0) end = start + place + 1
    }
    const chunk = text.slice(start, end)
    if (chunk.trim() !== "") yield { text: chunk }
    if (end === text.length) return
    start = startAfter(text, start, end, chunk_overlap)
  }
}
