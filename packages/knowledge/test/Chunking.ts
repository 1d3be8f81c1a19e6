// Cuts texts with the chunkers of the service.
import type { ChunkerKey } from "../src/ChunkerCatalogue.ts"
import { chunkDocuments } from "../src/chunkers/chunkDocuments.ts"
import type { ReadDocument } from "../src/Document.ts"
import { defaultLimits } from "../src/ReaderLimits.ts"

export const document = (text: string, id = "guide"): ReadDocument => ({
  id,
  name: "guide.txt",
  text,
  metadata: { page: 1 }
})

export const chunk = (text: string, chunker: ChunkerKey, chunk_size = 5000, chunk_overlap = 0) => [
  ...chunkDocuments([document(text)], { chunker, chunk_size, chunk_overlap }, defaultLimits)
]

export const texts = (text: string, chunker: ChunkerKey, chunk_size?: number, chunk_overlap?: number) =>
  chunk(text, chunker, chunk_size, chunk_overlap).map(({ text }) => text)
