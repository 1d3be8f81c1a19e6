// Readers and chunkers: documents become text, and text becomes chunks.
export { type ChunkerInfo, type ChunkerKey, chunkers } from "./ChunkerCatalogue.ts"
export {
  type Chunking,
  type ChunkingOptions,
  defaultChunkSize,
  InvalidChunking,
  make as makeChunking,
  maxChunkSize
} from "./Chunking.ts"
export type { Chunk, ReadDocument, Source } from "./Document.ts"
export { DocumentReader, type Options as DocumentReaderOptions } from "./DocumentReader.ts"
export {
  chooseReader,
  chooseUrlReader,
  detectMediaType,
  extensionOf,
  findReader,
  normalizeReaderId,
  type ReaderId,
  type ReaderInfo,
  readers,
  readersForType
} from "./ReaderCatalogue.ts"
export { defaultLimits, type ReaderLimits } from "./ReaderLimits.ts"
export { Unreadable } from "./Unreadable.ts"
export { type Options as WebReaderOptions, WebReader, type WebSource } from "./web/WebReader.ts"
