// The references of a run from what a search has found.
import type { Reference } from "@svc-runtime/domain/Reference"
import * as Knowledge from "./Knowledge.ts"

export const of = ({ chunk, content, rerankingScore, score }: Knowledge.Found): Reference => ({
  content_id: content.content_id,
  name: content.name ?? chunk.name,
  content: chunk.text,
  chunk: chunk.index,
  score: Math.round((rerankingScore ?? score) * 1e6) / 1e6,
  content_origin: content.origin,
  meta_data: Knowledge.metadataOf(chunk, content)
})

const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** The first ones, as many as fit. */
export const within = (references: ReadonlyArray<Reference>, maxBytes: number): ReadonlyArray<Reference> => {
  let bytes = 2
  const fitting = references.findIndex((reference) => (bytes += byteLength(JSON.stringify(reference)) + 1) > maxBytes)
  return fitting < 0 ? references : references.slice(0, fitting)
}
