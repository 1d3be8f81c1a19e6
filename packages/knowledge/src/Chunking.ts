// How documents are cut into chunks.
import { Data, Result } from "effect"
import { type ChunkerKey, chunkers } from "./ChunkerCatalogue.ts"

export interface Chunking {
  readonly chunker: ChunkerKey
  /** The length in characters. */
  readonly chunk_size: number
  readonly chunk_overlap: number
}

/** The options of a caller. Without a chunker each document is one chunk. */
export interface ChunkingOptions {
  readonly chunker?: string | undefined
  readonly chunk_size?: number | undefined
  readonly chunk_overlap?: number | undefined
}

export class InvalidChunking extends Data.TaggedError("InvalidChunking")<{ readonly message: string }> {}

export const defaultChunkSize = 5000
export const maxChunkSize = 100_000

const invalid = (message: string) => Result.fail(new InvalidChunking({ message }))

const isKey = (key: string): key is ChunkerKey => Object.hasOwn(chunkers, key)

/** Checks the options of a caller. */
export const make = (
  options: ChunkingOptions & { readonly chunker: string }
): Result.Result<Chunking, InvalidChunking> => {
  const { chunk_overlap = 0, chunk_size = defaultChunkSize, chunker } = options
  if (!isKey(chunker)) return invalid(`Unknown chunker: ${chunker}. Available: ${Object.keys(chunkers).join(", ")}`)
  if (!Number.isSafeInteger(chunk_size) || chunk_size < 1 || chunk_size > maxChunkSize) {
    return invalid(`chunk_size should be an integer between 1 and ${maxChunkSize}`)
  }
  if (!Number.isSafeInteger(chunk_overlap) || chunk_overlap < 0) {
    return invalid("chunk_overlap should be an integer that is not negative")
  }
  return chunk_overlap < chunk_size
    ? Result.succeed({ chunker, chunk_size, chunk_overlap })
    : invalid(`chunk_overlap (${chunk_overlap}) should be less than chunk_size (${chunk_size})`)
}
