import type * as Json from "@svc-runtime/domain/Json"
import { createHash } from "node:crypto"
import type { ChunkerKey } from "../ChunkerCatalogue.ts"
import { type Chunking, maxChunkSize } from "../Chunking.ts"
import type { Chunk, ReadDocument } from "../Document.ts"
import type { ReaderLimits } from "../ReaderLimits.ts"
import { Unreadable } from "../Unreadable.ts"
import { placeAfter, splitLong, startAfter } from "./cutting.ts"
import { markdown } from "./Markdown.ts"
import { pack, paragraphs, withTail } from "./packing.ts"
import type { Chunker } from "./Part.ts"

/** One chunk for each line that is not empty. */
const row: Chunker = function*({ text }) {
  let start = 0
  for (let line = 1; start <= text.length; line++) {
    const place = text.indexOf("\n", start)
    const end = place < 0 ? text.length : place
    const content = text.slice(start, end).replace(/\s+/g, " ").trim()
    if (content !== "") yield { text: content, metadata: { row_number: line }, suffix: `row_${line}` }
    start = end + 1
  }
}

/** The whole text when it fits; else packs paragraphs. */
const byParagraph: Chunker = function*({ text }, { chunk_overlap, chunk_size }) {
  if (text.length <= chunk_size) return yield { text }
  let previous = ""
  for (const chunk of pack(paragraphs(text), chunk_size)) {
    yield { text: withTail(previous, chunk, chunk_overlap) }
    previous = chunk
  }
}

/** The whole text when it fits; else cuts after the last line end, else after the last full stop. */
const recursive: Chunker = function*({ text }, { chunk_overlap, chunk_size }) {
  if (text.length <= chunk_size) return yield { text }
  let start = 0
  while (start < text.length) {
    let end = placeAfter(text, start, chunk_size)
    if (end < text.length) {
      const window = text.slice(start, end)
      const line = window.lastIndexOf("\n")
      const place = line >= 0 ? line : window.lastIndexOf(".")
      if (place >= 0) end = start + place + 1
    }
    const chunk = text.slice(start, end)
    if (chunk.trim() !== "") yield { text: chunk }
    if (end === text.length) return
    start = startAfter(text, start, end, chunk_overlap)
  }
}

// Cuts a text at the chosen size, whatever its structure is.
const segmentLength = 1024 * 1024

/** Not the single spaces, which are most blanks and stay. */
const changedBlanks = / \s+|[^\S ]\s*/g

/** Runs of blanks become one space. In segments, because the matches of a large text need many times its memory. */
const collapse = (text: string): string => {
  const segments: Array<string> = []
  for (let start = 0; start < text.length; start += segmentLength) {
    const segment = text.slice(start, start + segmentLength).replace(changedBlanks, " ")
    segments.push(segments.at(-1)?.endsWith(" ") === true && segment.startsWith(" ") ? segment.slice(1) : segment)
  }
  return segments.join("").trim()
}

/** Collapses blanks, and cuts at the size, moved back to a blank. */
const fixedSize: Chunker = function*({ text }, { chunk_overlap, chunk_size }) {
  const content = collapse(text)
  let start = 0
  while (start < content.length) {
    // the blank that the chunk before was cut at
    if (content[start] === " ") start += 1
    let end = placeAfter(content, start, chunk_size)
    if (end < content.length && content[end] !== " ") {
      const blank = content.slice(start, end).lastIndexOf(" ")
      if (blank > 0) end = start + blank
    }
    const chunk = content.slice(start, end).trim()
    if (chunk !== "") yield { text: chunk }
    if (end === content.length) return
    start = startAfter(content, start, end, chunk_overlap)
  }
}

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
  DocumentChunker: byParagraph,
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
    const prefix = prefixOf(document)
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
        id: `${prefix}_${suffix ?? index}`,
        name: document.name,
        text,
        metadata: merged(document.metadata, metadata),
        index,
        size: text.length
      }
    }
  }
}
