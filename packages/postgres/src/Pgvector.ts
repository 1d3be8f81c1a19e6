// Whether searches by meaning use indexes of pgvector, and of which instances of knowledge.
import * as Vector from "@svc-runtime/domain/Vector"
import { Context } from "effect"

export interface Use {
  /** False: the embedded database opens without the extension, and indexes are neither made nor used. */
  readonly isUsed: boolean
  /** An instance with fewer chunks has no index: comparing all of them is as fast. */
  readonly minChunks: (dimensions: number) => number
}

/** How many whole vectors a search for ten results compares without an index. */
const scanned = (bytes: number): number =>
  Math.max(10, Math.min(Math.max(500, Math.min(5000, Math.floor(3_072_000 / bytes))), Math.floor(25_165_824 / bytes)))

/** From this number of chunks on, an index is faster. */
const minIndexedChunks = (dimensions: number): number => 4 * scanned(dimensions * Vector.bytesOfNumber)

export const Pgvector = Context.Reference<Use>("@svc-runtime/postgres/Pgvector", {
  defaultValue: () => ({ isUsed: true, minChunks: minIndexedChunks })
})

/** For an operator who does not want it. */
export const unused: Use = { isUsed: false, minChunks: () => Number.POSITIVE_INFINITY }
