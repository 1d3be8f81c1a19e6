// The readers and chunkers of a service: those of the package `knowledge`.
import { SafeFetch, type SafeFetchOptions } from "@svc/fetch"
import {
  chooseReader,
  chooseUrlReader,
  chunkers,
  type Chunking as KnownChunking,
  DocumentReader,
  type DocumentReaderOptions,
  findReader,
  type InvalidChunking,
  makeChunking,
  readers,
  readersForType,
  type Unreadable,
  WebReader
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
  const chosen = chunker ?? ("url" in source ? chooseUrlReader(source) : chooseReader(source)).chunkers[0]
  return chosen === undefined ? {} : { ...sizes, chunker: chosen }
}

const notReadable = (error: InvalidChunking | Unreadable) =>
  new NotReadable({
    message: error.message,
    isPassing: error._tag === "Unreadable" && error.reason === "unreachable"
  })

const make = Effect.gen(function*() {
  const { chunk, read } = yield* DocumentReader
  const web = yield* WebReader
  const documentsOf = (source: Source) => {
    if ("url" in source) return web.read(source)
    const { body: bytes, ...described } = source
    return read({ bytes, ...described })
  }
  return DocumentReading.of({
    catalogue: { readers: Object.values<ReaderInfo>(readers), readersForType, chunkers: Object.values(chunkers) },
    findReader,
    chunkingProblem,
    chunksOf: Effect.fn("DocumentReading.chunksOf")(function*(source, chunking) {
      const documents = yield* documentsOf(source)
      return yield* chunk(documents, chunkingOf(source, chunking))
    }, Effect.mapError(notReadable))
  })
})

export interface Options {
  readonly fetch?: SafeFetchOptions | undefined
  readonly reader?: DocumentReaderOptions | undefined
}

export const layer = ({ fetch, reader }: Options = {}): Layer.Layer<DocumentReading> =>
  Layer.effect(DocumentReading, make).pipe(
    Layer.provide(WebReader.layer()),
    Layer.provide([DocumentReader.layer(reader), SafeFetch.layer(fetch)])
  )
