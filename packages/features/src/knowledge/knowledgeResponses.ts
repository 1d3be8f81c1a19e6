// What the endpoints of knowledge send about a content that is not stored, the status of one, and the configuration.
import * as ContentSource from "./ContentSource.ts"
import * as ContentUpload from "./ContentUpload.ts"
import type { Reading } from "./DocumentReading.ts"
import * as Content from "./Knowledge.ts"
import type * as KnowledgeConfig from "./KnowledgeConfig.ts"
import type { Instance } from "./KnowledgeRegistry.ts"

/** The response to an upload of nothing, which stores nothing. */
export const recordOf = (
  { content_id: id, description, metadata, name, type }: ContentUpload.Prepared["content"]
): Content.Record => ({
  id,
  name,
  description,
  type,
  size: null,
  linked_to: null,
  metadata,
  access_count: null,
  status: "processing",
  status_message: null,
  created_at: null,
  updated_at: null
})

/** Clients take no null. */
export const messageOf = ({ progress, status, status_message, type }: Content.Content): string =>
  status === "processing" && progress !== null
    ? `${progress.done} of ${progress.total} ${type === ContentUpload.types.folder ? "files" : "chunks"}`
    : status_message ?? ""

export const configOf = (
  { catalogue: { chunkers, readers, readersForType } }: Reading,
  { id, knowledge: { description, sources }, name }: Instance,
  filters: ReadonlyArray<string>
): KnowledgeConfig.Config => ({
  readers: Object.fromEntries(
    readers.map(({ chunkers, description, id, name }) => [id, { id, name, description, chunkers }])
  ),
  readersForType,
  chunkers: Object.fromEntries(
    chunkers.map(({ description, key, metadata, name }) => [key, { key, name, description, metadata: { ...metadata } }])
  ),
  filters,
  vector_dbs: [{ id, name, description: description ?? null, search_types: Content.SearchType.literals }],
  remote_content_sources: sources.length === 0 ? null : sources.map(ContentSource.toWire)
})
