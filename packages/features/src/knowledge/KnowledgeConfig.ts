// The config of a knowledge base: its readers, its chunkers, and how it can be searched.
import * as ContentSource from "@svc-runtime/domain/ContentSource"
import * as Json from "@svc-runtime/domain/Json"
import { Schema } from "effect"
import * as Knowledge from "./Knowledge.ts"

export const Reader = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  /** The keys of its chunkers, the default first. */
  chunkers: Schema.Array(Schema.String)
}).annotate({ identifier: "ReaderSchema" })

export const Chunker = Schema.Struct({
  key: Schema.String,
  name: Schema.String,
  description: Schema.String,
  metadata: Json.Object
}).annotate({ identifier: "ChunkerSchema" })

export const VectorStore = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  search_types: Schema.Array(Knowledge.SearchType)
}).annotate({ identifier: "VectorDbSchema" })

export const Config = Schema.Struct({
  readers: Schema.Record(Schema.String, Reader),
  /** The ids of readers by the extension that they read. */
  readersForType: Schema.Record(Schema.String, Schema.Array(Schema.String)),
  chunkers: Schema.Record(Schema.String, Chunker),
  /** The keys of metadata that stored contents have. */
  filters: Schema.Array(Schema.String),
  vector_dbs: Schema.Array(VectorStore),
  remote_content_sources: Schema.NullOr(Schema.Array(ContentSource.Source))
}).annotate({ identifier: "KnowledgeConfigResponse" })
export type Config = typeof Config.Type

/** How far the processing of a content is. */
export const ContentStatus = Schema.Struct({
  id: Knowledge.ContentId,
  status: Knowledge.Status,
  /** Empty: there is nothing to say. */
  status_message: Schema.String
}).annotate({ identifier: "ContentStatusResponse" })
export type ContentStatus = typeof ContentStatus.Type
