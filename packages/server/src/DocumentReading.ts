// The readers and chunkers of a service: those of the package `knowledge`.
import {
  chooseReader,
  chunkers,
  type Chunking as KnownChunking,
  DocumentReader,
  findReader,
  makeChunking,
  readers,
  readersForType
} from "@svc/knowledge"
import {
  type Chunking,
  DocumentReading,
  NotReadable,
  type ReaderInfo,
  type Source
} from "@svc/runtime/knowledge/DocumentReading"
import { Effect, Layer, Result } from "effect"

const chunkingProblem = ({ chunker = "DocumentChunker", ...sizes }: Chunking): string | undefined => {
  const checked = makeChunking({ ...sizes, chunker })
  return Result.isFailure(checked) ? checked.failure.message : undefined
}

/** The chunker of the upload or of the knowledge, else the first one of the reader. */
const chunkingOf = (source: Source, { chunker, ...sizes }: Chunking): KnownChunking | {} => {
  const chosen = chunker ?? chooseReader(source).chunkers[0]
  return chosen === undefined ? {} : { ...sizes, chunker: chosen }
}

const notReadable = ({ message }: { readonly message: string }) => new NotReadable({ message })

const make = ({ chunk, read }: DocumentReader["Service"]) =>
  DocumentReading.of({
    catalogue: { readers: Object.values<ReaderInfo>(readers), readersForType, chunkers: Object.values(chunkers) },
    findReader,
    chunkingProblem,
    chunksOf: Effect.fn("DocumentReading.chunksOf")(function*(source, chunking) {
      const { body: bytes, name, reader_id, type } = source
      const documents = yield* Effect.mapError(read({ bytes, name, type, reader_id }), notReadable)
      return yield* Effect.mapError(chunk(documents, chunkingOf(source, chunking)), notReadable)
    })
  })

export const layer: Layer.Layer<DocumentReading> = Layer.effect(DocumentReading, Effect.map(DocumentReader, make)).pipe(
  Layer.provide(DocumentReader.layer())
)
