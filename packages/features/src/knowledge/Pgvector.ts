// Whether searches by meaning use indexes of pgvector, and of which instances of knowledge.
import { Context } from "effect"
import { minIndexedChunks } from "./vectorCandidates.ts"

export interface Use {
  /** False: the embedded database opens without the extension, and indexes are neither made nor used. */
  readonly isUsed: boolean
  /** An instance with fewer chunks has no index: comparing all of them is as fast. */
  readonly minChunks: (dimensions: number) => number
}

export const Pgvector = Context.Reference<Use>("@svc-runtime/features/knowledge/Pgvector", {
  defaultValue: () => ({ isUsed: true, minChunks: minIndexedChunks })
})

/** For an operator who does not want it. */
export const unused: Use = { isUsed: false, minChunks: () => Number.POSITIVE_INFINITY }
