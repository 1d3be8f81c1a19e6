import { pack, paragraphs, withTail } from "./packing.ts"
import type { Chunker } from "./Part.ts"

/** The whole text when it fits; else packs paragraphs. */
export const document: Chunker = function*({ text }, { chunk_overlap, chunk_size }) {
  if (text.length <= chunk_size) return yield { text }
  let previous = ""
  for (const chunk of pack(paragraphs(text), chunk_size)) {
    yield { text: withTail(previous, chunk, chunk_overlap) }
    previous = chunk
  }
}
