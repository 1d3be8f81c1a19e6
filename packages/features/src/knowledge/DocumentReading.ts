// The port that turns the bytes of a content into chunks of text: its readers and chunkers.
import type { ReadDocument } from "@svc-runtime/knowledge"
import { Context, type Effect } from "effect"
import type { Chunker } from "./Chunker.ts"
import type * as Knowledge from "./Knowledge.ts"
import type { NotReadable } from "./KnowledgeErrors.ts"
import type { Ocr } from "./Ocr.ts"
import type { Reader } from "./Reader.ts"

export interface ReaderInfo {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Extensions of file names. */
  readonly types: ReadonlyArray<string>
  /** The keys of its chunkers. The first one is used if none is chosen. */
  readonly chunkers: ReadonlyArray<string>
}

export interface ChunkerInfo {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly metadata: { readonly chunk_size?: number; readonly chunk_overlap?: number }
}

export interface Catalogue {
  readonly readers: ReadonlyArray<ReaderInfo>
  readonly readersForType: Readonly<Record<string, ReadonlyArray<string>>>
  readonly chunkers: ReadonlyArray<ChunkerInfo>
}

export interface FileSource {
  readonly body: Uint8Array
  /** Its extension chooses the reader. */
  readonly name: string | undefined
  /** The media type. */
  readonly type: string | undefined
  /** Wins over name and type. One that is unknown is ignored. */
  readonly reader_id: string | undefined
}

/** It is fetched: a file, or a website with pages that it links to. */
export interface UrlSource {
  readonly url: string
  readonly reader_id: string | undefined
}

/** What a URL gave: a file for the reader of an author, or the texts of its pages. */
export interface FetchedSource extends UrlSource {
  readonly fetched:
    | { readonly file: FileSource; readonly finalUrl: string }
    | { readonly documents: ReadonlyArray<ReadDocument>; readonly bytes: number }
}

/** What can be read without waiting for another server. */
export type Source = FileSource | FetchedSource

/** What is left out has the default of the reader. */
export interface Chunking {
  readonly chunker: string | undefined
  readonly chunk_size: number
  readonly chunk_overlap: number
}

export interface ReadContent {
  /** In their order. There is at least one. */
  readonly chunks: ReadonlyArray<Knowledge.Chunk>
  /** The bytes that were read: those of all pages of a website. */
  readonly size: number
  /** What has no text, in sentences for its owner: pages that are pictures, attachments of an unknown kind. */
  readonly problems: ReadonlyArray<string>
}

/** How a content waits for others before it is worked on. */
export interface Turns {
  /** Awaited before more than a few MiB are held. */
  readonly whole: Effect.Effect<void>
  /** Around the reading of each page. */
  readonly reading: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export interface Reading {
  readonly catalogue: Catalogue
  /** The id of a reader in any spelling: `Pdf-Reader` is `pdf`. */
  readonly findReader: (id: string) => ReaderInfo | undefined
  /** Why contents cannot be cut like this. Undefined if they can. */
  readonly chunkingProblem: (chunking: Chunking) => string | undefined
  /** Takes as long as the server of the URL likes, up to its limits. */
  readonly fetch: (source: UrlSource, turns: Turns) => Effect.Effect<FetchedSource, NotReadable>
  readonly chunksOf: (source: Source, chunking: Chunking) => Effect.Effect<ReadContent, NotReadable>
}

/** The readers, the chunkers and the text recognition of an author. */
export interface AuthorReaders {
  readonly readers: ReadonlyArray<Reader>
  readonly chunkers: ReadonlyArray<Chunker>
  readonly ocr?: Ocr | undefined
}

export class DocumentReading extends Context.Service<DocumentReading, {
  /** With the readers and chunkers of the service, and those of a knowledge base, which win. */
  readonly of: (author: AuthorReaders) => Reading
}>()("@svc-runtime/features/knowledge/DocumentReading") {}
