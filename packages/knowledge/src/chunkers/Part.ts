import type * as Json from "@svc-runtime/domain/Json"
import type { ReadDocument } from "../Document.ts"

/** A part of a document, as a chunker returns it: a chunk without its id and its place in the source. */
export interface Part {
  readonly text: string
  readonly metadata?: Json.Object | undefined
  /** Ends the id in place of the index of the chunk. */
  readonly suffix?: string | undefined
}

/** Parts are made one at a time, so that a limit ends their number before they use memory. */
export type Chunker = (
  document: ReadDocument,
  options: { readonly chunk_size: number; readonly chunk_overlap: number }
) => Iterable<Part>
