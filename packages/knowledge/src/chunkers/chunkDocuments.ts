import type * as Json from "@svc-runtime/domain/Json"
import { createHash } from "node:crypto"
import type { ChunkerKey } from "../ChunkerCatalogue.ts"
import { type Chunking, maxChunkSize } from "../Chunking.ts"
import type { Chunk, ReadDocument } from "../Document.ts"
import type { ReaderLimits } from "../ReaderLimits.ts"
import { Unreadable } from "../Unreadable.ts"
import { splitLong } from "./cutting.ts"
import { document } from "./Document.ts"
import { fixedSize } from "./FixedSize.ts"
import { markdown } from "./Markdown.ts"
import type { Chunker } from "./Part.ts"
import { recursive } from "./Recursive.ts"
import { row } from "./Row.ts"

/** For chunkers without a size: no chunk is longer than those of the others may be. */
const bounded = (chunker: Chunker): Chunker =>
  function*(document, options) {
    for (const part of chunker(document, options)) {
      let place = 0
      for (const text of splitLong(part.text, maxChunkSize)) {
        place += 1
        const suffix = part.suffix === undefined || place === 1 ? part.suffix : `${part.suffix}_${place}`
        yield { ...part, text, suffix }
      }
    }
  }

const implementations: Readonly<Record<ChunkerKey, Chunker>> = {
  DocumentChunker: document,
  RecursiveChunker: recursive,
  FixedSizeChunker: fixedSize,
  MarkdownChunker: markdown,
  RowChunker: bounded(row)
}

const whole = bounded(({ text }) => [{ text }])

const merged = (metadata: Json.Object, added: Json.Object | undefined): Json.Object =>
  added === undefined ? metadata : { ...metadata, ...added }

const prefixOf = ({ id, name, text }: ReadDocument) =>
  id === "" ? name ?? createHash("sha256").update(text).digest("hex") : id

/**
 * The chunks of all documents of a source, one at a time. Without a chunking each document is a chunk.
 * @throws {Unreadable} when they are more than the limits allow.
 */
export function* chunkDocuments(
  documents: Iterable<ReadDocument>,
  chunking: Chunking | undefined,
  limits: ReaderLimits
): Generator<Chunk> {
  const chunker = chunking === undefined ? whole : implementations[chunking.chunker]
  const options = { chunk_size: chunking?.chunk_size ?? 0, chunk_overlap: chunking?.chunk_overlap ?? 0 }
  let index = 0
  let length = 0
  for (const document of documents) {
    for (const { metadata, suffix, text } of chunker(document, options)) {
      if (text.trim() === "") continue
      index += 1
      length += text.length
      if (index > limits.chunks || length > 2 * limits.outputLength) {
        throw new Unreadable({
          reason: "too_large",
          message: index > limits.chunks
            ? `The content has more than ${limits.chunks} chunks. Choose a larger chunk_size or a smaller chunk_overlap`
            : `The chunks have more than ${2 * limits.outputLength} characters. Choose a smaller chunk_overlap`
        })
      }
      yield {
        id: `${prefixOf(document)}_${suffix ?? index}`,
        name: document.name,
        text,
        metadata: merged(document.metadata, metadata),
        index,
        size: text.length
      }
    }
  }
}
