// Knowledge: contents (documents, web pages, texts) that are cut into chunks, so that agents find the parts that answer
// a question. A knowledge instance is a set of contents under a name.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as TextBytes from "@svc-runtime/domain/TextBytes"
import { DateTime, EpochSeconds, toDateTime } from "@svc-runtime/domain/Time"
import { Schema } from "effect"

export const ContentId = Schema.String.check(Schema.isMaxLength(512), Ids.exact).pipe(Schema.brand("ContentId"))
export type ContentId = typeof ContentId.Type

export const Status = Schema.Literals(["processing", "completed", "failed"])
export type Status = typeof Status.Type

/** How many of the chunks of a content are stored. */
export const Progress = Schema.Struct({ done: Schema.Natural, total: Schema.Natural })
export type Progress = typeof Progress.Type

const text = Schema.NullOr(Schema.String)

/** A stored content. */
export const Content = Schema.Struct({
  content_id: ContentId,
  /** The name of the knowledge instance. */
  instance: Schema.String,
  /** Null: all users read it. */
  user_id: Schema.NullOr(Ids.UserId),
  name: text,
  description: text,
  /** The media type; `manual` for texts and `url` for web pages. */
  type: text,
  /** In bytes. Null: not known yet. */
  size: Schema.NullOr(Schema.Natural),
  /** Includes the reserved metadata. */
  metadata: Schema.NullOr(Json.Object),
  /** Where it comes from: a file name or a URL. */
  origin: text,
  /** A digest of its bytes, so that an equal upload is recognized. */
  digest: text,
  status: Status,
  status_message: text,
  progress: Schema.NullOr(Progress),
  /** The version that was stored last. Each replacement has a larger one. */
  generation: Schema.Natural,
  /** The version whose chunks are found. Null: none is yet. */
  published: Schema.NullOr(Schema.Natural),
  created_at: EpochSeconds,
  updated_at: EpochSeconds
})
export type Content = typeof Content.Type

/** One version of a content. */
export type Version = Pick<Content, "instance" | "content_id" | "generation">

/** The key of metadata that the service writes. It is no metadata of chunks. */
export const reservedKey = "_svc"

/** Bytes of the JSON text of metadata: searches with filters read those of all contents. */
export const metadataLimit = 16 * 1024

export const metadataTooLong = `Input should have at most ${metadataLimit} bytes of JSON`

export const isShort = (metadata: Json.Object): boolean => TextBytes.of(JSON.stringify(metadata)) <= metadataLimit

export const withoutReserved = (metadata: Json.Object | null): Json.Object => {
  const { [reservedKey]: _, ...rest } = metadata ?? {}
  return rest
}

/** Given keys replace the stored ones. The reserved metadata is merged key by key. */
export const mergeMetadata = (stored: Json.Object | null, given: Json.Object): Json.Object => {
  const [before, after] = [stored?.[reservedKey], given[reservedKey]]
  const merged = { ...stored, ...given }
  return Json.isObject(before) && Json.isObject(after) ? { ...merged, [reservedKey]: { ...before, ...after } } : merged
}

/** A content on the wire. */
export const Record = Schema.Struct({
  id: ContentId,
  name: text,
  description: text,
  type: text,
  size: text,
  linked_to: text,
  metadata: Schema.NullOr(Json.Object),
  access_count: Schema.NullOr(Schema.Natural),
  status: Schema.NullOr(Status),
  status_message: text,
  created_at: Schema.NullOr(DateTime),
  updated_at: Schema.NullOr(DateTime)
}).annotate({ identifier: "ContentResponseSchema" })
export type Record = typeof Record.Type

export const toRecord = (content: Content): Record => ({
  id: content.content_id,
  name: content.name,
  description: content.description,
  type: content.type,
  size: content.size === null ? null : String(content.size),
  linked_to: null,
  metadata: content.metadata,
  access_count: null,
  status: content.status,
  status_message: content.status_message,
  created_at: toDateTime(content.created_at),
  updated_at: toDateTime(content.updated_at)
})

/** The model that made vectors. Vectors of different models, or of different lengths, cannot be compared. */
export const Embedding = Schema.Struct({ model: Schema.String, dimensions: Schema.Natural })
export type Embedding = typeof Embedding.Type

/** A part of a content. */
export const Chunk = Schema.Struct({
  id: Schema.String,
  name: text,
  text: Schema.String,
  metadata: Json.Object,
  /** Its place in the content, from 1. */
  index: Schema.Natural,
  /** In characters. */
  size: Schema.Natural
})
export type Chunk = typeof Chunk.Type

/** A chunk with its vector; null in an instance without an embedder, which is searched by words only. */
export interface EmbeddedChunk extends Chunk {
  readonly vector: Float32Array | null
}

export const SearchType = Schema.Literals(["vector", "keyword", "hybrid"])
export type SearchType = typeof SearchType.Type

/** The most chunks that one search finds. */
export const maxResults = 1000

/** One of the rankings in which a search found a chunk. */
export interface Ranking {
  readonly by: "meaning" | "words"
  /** From 1. */
  readonly rank: number
  /** The similarity of the meanings from -1 to 1, or how well the words fit: larger is better. */
  readonly score: number
}

/** A chunk that a search found, with the content that it is a part of. */
export interface Found {
  readonly chunk: Chunk
  readonly content: Pick<Content, "content_id" | "metadata" | "name" | "origin">
  /** Larger is better. Scores of different search types cannot be compared. */
  readonly score: number
  /** The score of a reranker, from 0 to 1. */
  readonly rerankingScore?: number | undefined
  /** Why it was found. A store of an author need not say it. */
  readonly foundBy?: ReadonlyArray<Ranking> | undefined
}

/** A found chunk on the wire. */
export const SearchResult = Schema.Struct({
  id: Schema.String,
  content: Schema.String,
  name: text,
  meta_data: Schema.NullOr(Json.Object),
  usage: Schema.NullOr(Json.Object),
  reranking_score: Schema.NullOr(Schema.Finite),
  content_id: text,
  content_origin: text,
  size: Schema.NullOr(Schema.Natural)
}).annotate({ identifier: "VectorSearchResult" })
export type SearchResult = typeof SearchResult.Type

/** The metadata that a filter compares. Metadata of the content win over those of the chunk. */
export const metadataOf = (chunk: Pick<Chunk, "metadata">, content: Pick<Content, "metadata">): Json.Object => ({
  ...chunk.metadata,
  ...withoutReserved(content.metadata)
})

export const toSearchResult = (
  { chunk, content, foundBy = [], rerankingScore, score }: Found,
  instance: string
): SearchResult => ({
  id: chunk.id,
  content: chunk.text,
  name: chunk.name ?? content.name,
  meta_data: {
    ...metadataOf(chunk, content),
    chunk: chunk.index,
    chunk_size: chunk.size,
    linked_to: instance,
    score,
    found_by: foundBy.map(({ by, rank, score }) => ({ by, rank, score }))
  },
  usage: null,
  reranking_score: rerankingScore ?? null,
  content_id: content.content_id,
  content_origin: content.origin,
  size: chunk.size
})
