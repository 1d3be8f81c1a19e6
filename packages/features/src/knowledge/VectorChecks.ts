// The checks of vectors by stores of chunks, before they store or search.
import * as Vector from "@svc-runtime/domain/Vector"
import type { VectorQuery } from "./ChunkStore.ts"
import type * as Knowledge from "./Knowledge.ts"
import { UnusableVector } from "./KnowledgeErrors.ts"

export const isSameModel = (left: Knowledge.Embedding | null, right: Knowledge.Embedding | null): boolean =>
  left?.model === right?.model && left?.dimensions === right?.dimensions

/** For the first chunk whose vector cannot be stored. */
export const unusable = (
  embedding: Knowledge.Embedding | null,
  chunks: ReadonlyArray<Knowledge.EmbeddedChunk>
): UnusableVector | undefined => {
  const dimensions = embedding?.dimensions ?? null
  const found = chunks.find(({ vector }) =>
    dimensions === null ? vector !== null : vector === null || !Vector.isUsable(vector, dimensions)
  )
  return found === undefined ? undefined : new UnusableVector({ chunk_id: found.id, dimensions })
}

export const unusableQuery = ({ embedding: { dimensions }, vector }: VectorQuery): UnusableVector | undefined =>
  Vector.isUsable(vector, dimensions) ? undefined : new UnusableVector({ chunk_id: null, dimensions })
