import type * as Json from "@svc/domain/Json"
import type { ReadDocument } from "../Document.ts"

/** What a chunker makes of a document. The chunks of a source get their ids and places afterwards. */
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
