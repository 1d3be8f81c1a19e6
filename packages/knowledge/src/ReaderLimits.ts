/** The limits of one source. Sizes of texts are in characters. */
export interface ReaderLimits {
  readonly inputBytes: number
  readonly outputLength: number
  readonly documents: number
  readonly chunks: number
  /** The contents of a compressed file. */
  readonly unpackedBytes: number
  readonly entries: number
  /** Values of a JSON document, elements of an HTML document. */
  readonly nodes: number
  readonly depth: number
}

const mebi = 1024 * 1024

export const defaultLimits: ReaderLimits = {
  inputBytes: 64 * mebi,
  outputLength: 64 * mebi,
  documents: 100_000,
  chunks: 100_000,
  unpackedBytes: 128 * mebi,
  entries: 10_000,
  nodes: 2_000_000,
  depth: 200
}
