// The port of vector stores: stores the chunks of contents, and searches them by words and by meaning.
//
// A store of your own implements these eight methods. What it has to keep:
// - Chunks are added in batches under the generation of their content, and no search finds them before `publish`.
// - `publish` makes one generation of a content the one that is found, at once and wholly. It never goes back to an
//   older generation.
// - `search` applies instance, owner and filter before it takes the best: never after.
// - `add` and `publish` can be repeated with the same arguments: the second time changes nothing.
import type * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import type * as Owner from "@svc-runtime/domain/Owner"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect } from "effect"
import type * as Knowledge from "./Knowledge.ts"
import type { ContentSuperseded, EmbeddingMismatch, UnusableVector } from "./KnowledgeErrors.ts"

export interface VectorQuery {
  readonly vector: Float32Array
  readonly embedding: Knowledge.Embedding
}

/** What is searched for. A hybrid search unites both rankings: `1 / (60 + rank)`. */
export type Sought =
  | { readonly _tag: "Vector" } & VectorQuery
  | { readonly _tag: "Keyword"; readonly text: string }
  | { readonly _tag: "Hybrid"; readonly text: string } & VectorQuery

export interface ChunkQuery {
  readonly instance: string
  /** Reads what `Owner.reads` says. */
  readonly owner: Owner.Owner
  readonly filter: KnowledgeFilter.Filter
  /** At most `Knowledge.maxResults`. */
  readonly limit: number
  readonly sought: Sought
}

export interface Removal {
  readonly instance: string
  /** Removes what it covers. */
  readonly owner: Owner.Owner
  /** Undefined: all contents of the instance. */
  readonly content_id: Knowledge.ContentId | undefined
  /** Later generations are those of an upload after the removal: they stay. */
  readonly generation: number
}

export class ChunkStore extends Context.Service<ChunkStore, {
  /**
   * Stores a batch of chunks of the content's generation. Chunks of stored places are left as they are.
   * `embedding` is the model of the vectors, null for chunks without. An instance has the one of its first chunks.
   */
  readonly add: (
    content: Knowledge.Content,
    embedding: Knowledge.Embedding | null,
    chunks: ReadonlyArray<Knowledge.EmbeddedChunk>
  ) => Effect.Effect<void, ContentSuperseded | EmbeddingMismatch | UnusableVector | StorageUnavailable>
  /** The places of the content's generation that are stored, so that no vector is paid for twice. */
  readonly added: (version: Knowledge.Version) => Effect.Effect<ReadonlySet<number>, StorageUnavailable>
  /** Searches find the chunks of this generation from now on, and no others of the content. */
  readonly publish: (content: Knowledge.Content) => Effect.Effect<void, ContentSuperseded | StorageUnavailable>
  /** Metadata, name or owner of a published content have changed. Stores that read them with the content do nothing. */
  readonly update: (content: Knowledge.Content) => Effect.Effect<void, StorageUnavailable>
  /**
   * Contents are removed: searches find none of their chunks from now on. Stores that search only what `ContentStore`
   * has do nothing.
   */
  readonly remove: (removal: Removal) => Effect.Effect<void, StorageUnavailable>
  /** Removes chunks that no search can find anymore, a thousand at most. Returns how many it removed. */
  readonly prune: Effect.Effect<number, StorageUnavailable>
  /**
   * Keeps what makes searches faster, a piece at a time. Returns how much it has done: 0 if there is nothing to do.
   * Stores that have no such work do nothing.
   */
  readonly index: Effect.Effect<number, StorageUnavailable>
  /** The best first, as many as one response carries (`StoreLimits.response`). */
  readonly search: (
    query: ChunkQuery
  ) => Effect.Effect<ReadonlyArray<Knowledge.Found>, EmbeddingMismatch | UnusableVector | StorageUnavailable>
}>()("@svc-runtime/features/knowledge/ChunkStore") {}
