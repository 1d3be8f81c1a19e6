// What the author of a vector store needs: the port, its errors, and what decides which chunks a search may find.
// `packages/examples/src/vectorStore.ts` is a whole one, and `ChunkStoreSuite.own` of this package's tests verifies
// yours.
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Owner from "@svc-runtime/domain/Owner"
import type { ChunkQuery, ChunkStore } from "./ChunkStore.ts"
import * as Knowledge from "./Knowledge.ts"

export { covers } from "@svc-runtime/domain/Owner"
export { StorageUnavailable as Unavailable } from "@svc-runtime/domain/StorageUnavailable"
export { cosine } from "@svc-runtime/domain/Vector"
export type { ChunkQuery as Query, Removal } from "./ChunkStore.ts"
export { fuse } from "./Fusion.ts"
export type { Content, EmbeddedChunk as Chunk, Embedding as Model, Found, Version } from "./Knowledge.ts"
export { ContentSuperseded as Superseded, EmbeddingMismatch as ModelMismatch } from "./KnowledgeErrors.ts"
export { isSameModel, unusable, unusableQuery } from "./VectorChecks.ts"

/** See `ChunkStore` for what each method has to keep. */
export type VectorStore = ChunkStore["Service"]

/** Whether a search may find a chunk: owner and filter. A store outside of this process translates them instead. */
export const isCovered = (
  { filter, instance, owner }: ChunkQuery,
  content: Knowledge.Content,
  chunk: Knowledge.Chunk
): boolean =>
  content.instance === instance && Owner.reads(owner, content.user_id) &&
  KnowledgeFilter.matches(filter, Knowledge.metadataOf(chunk, content))

/** A chunk as a search finds it, without its vector. */
export const found = (
  { content_id, metadata, name, origin }: Knowledge.Content,
  { vector: _, ...chunk }: Knowledge.EmbeddedChunk,
  score: number
): Knowledge.Found => ({ chunk, content: { content_id, metadata, name, origin }, score })
