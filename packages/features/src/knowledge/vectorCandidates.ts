// How many whole vectors a search compares, after the signs. Small vectors have less exact signs, so more are compared.
import * as Vector from "@svc-runtime/domain/Vector"

interface Bounds {
  readonly perResult: number
  readonly atLeast: number
  readonly usualBytes: number
}

const maxBytes = 24 * 1024 * 1024
const maxCandidates = 5000

const countOf = ({ atLeast, perResult, usualBytes }: Bounds) => (limit: number, dimensions: number): number => {
  const bytes = dimensions * Vector.bytesOfNumber
  const wanted = Math.max(atLeast, perResult * limit, Math.min(maxCandidates, Math.floor(usualBytes / bytes)))
  return Math.max(limit, Math.min(wanted, Math.floor(maxBytes / bytes)))
}

/** Without an index. */
export const scannedCount = countOf({ perResult: 20, atLeast: 500, usualBytes: 3_072_000 })

/** In an index, whose time grows with their number. */
export const indexedCount = countOf({ perResult: 10, atLeast: 200, usualBytes: 1_228_800 })

/** A search for more results uses no index. */
export const indexedResults = 200

/** From this number of chunks on, an index is faster. */
export const minIndexedChunks = (dimensions: number): number => 4 * scannedCount(10, dimensions)
