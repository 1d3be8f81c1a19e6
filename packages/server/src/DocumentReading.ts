// The readers and chunkers of a service: those of the package `knowledge`.
import * as AuthorReading from "@svc-runtime/features/knowledge/AuthorReading"
import {
  type AuthorReaders,
  type Catalogue,
  type ChunkerInfo,
  type Chunking,
  DocumentReading,
  type FileSource,
  type ReaderInfo,
  type Source
} from "@svc-runtime/features/knowledge/DocumentReading"
import { NotReadable } from "@svc-runtime/features/knowledge/KnowledgeErrors"
import * as Ocr from "@svc-runtime/features/knowledge/Ocr"
import type { Reader } from "@svc-runtime/features/knowledge/Reader"
import { SafeFetch, type SafeFetchOptions } from "@svc-runtime/fetch"
import {
  chooseReader,
  chooseUrlReader,
  chunkers,
  detectMediaType,
  DocumentReader,
  type DocumentReaderOptions,
  findReader,
  type InvalidChunking,
  makeChunking,
  readers,
  readersForType,
  type Unreadable,
  WebReader
} from "@svc-runtime/knowledge"
import { Effect, Layer, Result } from "effect"

/** The chunker of an author has the sizes of the others. */
const chunkingProblem =
  (author: AuthorReaders) => ({ chunker = "DocumentChunker", ...sizes }: Chunking): string | undefined => {
    const keys = [...author.chunkers.map(({ key }) => key), ...Object.keys(chunkers)]
    if (!keys.includes(chunker)) return `Unknown chunker: ${chunker}. Available: ${keys.join(", ")}`
    const checked = makeChunking({ ...sizes, chunker: Object.hasOwn(chunkers, chunker) ? chunker : "DocumentChunker" })
    return Result.isFailure(checked) ? checked.failure.message : undefined
  }

/** The chunker of the upload or of the knowledge, else the first one of the reader. */
const chosenChunker = (source: Source, reader: Reader | undefined, { chunker }: Chunking): string | undefined =>
  chunker ??
    (reader ?? ("url" in source ? chooseUrlReader(source) : chooseReader({ ...source, bytes: source.body })))
      .chunkers[0]

/** Those of an author come first. */
const catalogueOf = (author: AuthorReaders): Catalogue => {
  const all = [
    ...author.readers,
    ...Object.values<ReaderInfo>(readers).filter(({ id }) => !author.readers.some((each) => each.id === id))
  ]
  const types = [...new Set(all.flatMap(({ types }) => types))]
  return {
    readers: all.map(({ chunkers, description, id, name, types }) => ({ id, name, description, types, chunkers })),
    readersForType: author.readers.length === 0
      ? readersForType
      : Object.fromEntries(
        types.map((type) => [type, all.flatMap((each) => each.types.includes(type) ? [each.id] : [])])
      ),
    chunkers: [
      ...author.chunkers.map(({ description, key, name }) => ({ key, name, description, metadata: {} })),
      ...Object.values<ChunkerInfo>(chunkers).filter(({ key }) => !author.chunkers.some((each) => each.key === key))
    ]
  }
}

const notReadable = (error: InvalidChunking | Unreadable) =>
  new NotReadable({
    message: error.message,
    isTransient: error._tag === "Unreadable" && error.reason === "unreachable"
  })

const make = Effect.gen(function*() {
  const { chunk, read } = yield* DocumentReader
  const web = yield* WebReader

  const readFile = ({ body: bytes, ...described }: FileSource) => read({ bytes, ...described })

  /** Pictures, and pages of a PDF document without text, are recognized. */
  const recognized = Effect.fnUntraced(function*(source: FileSource, ocr: Ocr.Ocr) {
    // a copy: what an author changes in it stays theirs
    const [bytes, { name }] = [new Uint8Array(source.body), source]
    const type = (detectMediaType({ bytes, name: name ?? "", type: source.type ?? "" }) ?? "").replace(/;.*/s, "")
      .trim().toLowerCase()
    // a drawing of SVG is a text
    if (type.startsWith("image/") && type !== "image/svg+xml") {
      return yield* Ocr.recognize(ocr, { bytes, name, type, pages: undefined })
    }
    const found = yield* readFile(source).pipe(
      Effect.catch((error) =>
        error.reason === "empty" && type === "application/pdf" ? Effect.undefined : Effect.fail(error)
      ),
      Effect.mapError(notReadable)
    )
    if (found === undefined) return yield* Ocr.recognize(ocr, { bytes, name, type, pages: undefined })
    const pages = found.flatMap(({ emptyPages = [] }) => emptyPages)
    if (pages.length === 0 || type !== "application/pdf") return found
    return yield* Ocr.recognize(ocr, { bytes, name, type, pages }).pipe(
      Effect.map((documents) => [...found.filter(({ emptyPages }) => emptyPages === undefined), ...documents]),
      // the pages with text are there, and the status names the others and says why
      Effect.catch(({ message: problem }) =>
        Effect.succeed([...found, { id: "", name: null, text: "", metadata: {}, problem }])
      )
    )
  })

  const documentsOf = Effect.fnUntraced(function*(source: Source, own: Reader | undefined, ocr: Ocr.Ocr | undefined) {
    if (!("url" in source)) {
      const documents = own !== undefined
        ? yield* AuthorReading.read(own, source)
        : ocr === undefined
        ? yield* Effect.mapError(readFile(source), notReadable)
        : yield* recognized(source, ocr)
      return { documents, bytes: source.body.length }
    }
    const { fetched } = source
    if (!("file" in fetched)) return fetched
    if (own === undefined) return yield* Effect.die("A file of a URL is fetched for a reader of the author")
    const documents = yield* AuthorReading.read(own, fetched.file)
    return {
      documents: documents.map((each) => ({ ...each, metadata: { ...each.metadata, url: fetched.finalUrl } })),
      bytes: fetched.file.body.length
    }
  })

  const isKnown = (id: string) => findReader(id) !== undefined

  return DocumentReading.of({
    of: (author) => ({
      catalogue: catalogueOf(author),
      findReader: (id) => AuthorReading.find(author.readers, id) ?? findReader(id),
      chunkingProblem: chunkingProblem(author),
      fetch: Effect.fn("DocumentReading.fetch")(
        function*(source, turns) {
          const own = AuthorReading.choose(author.readers, source, isKnown)
          if (own === undefined) return { ...source, fetched: yield* web.read(source, turns) }
          const { bytes: body, name, type, url } = yield* web.fetch(source.url, turns)
          const file = { body, name, type, reader_id: own.id }
          return { ...source, fetched: { file, finalUrl: url.href } }
        },
        Effect.mapError(notReadable)
      ),
      chunksOf: Effect.fn("DocumentReading.chunksOf")(function*(source, chunking) {
        const reader = AuthorReading.choose(author.readers, source, isKnown)
        const key = chosenChunker(source, reader, chunking)
        const problem = key === undefined ? undefined : chunkingProblem(author)({ ...chunking, chunker: key })
        if (problem !== undefined) return yield* new NotReadable({ message: problem, isTransient: false })
        const { bytes: size, documents: all } = yield* documentsOf(source, reader, author.ocr)
        const problems = all.flatMap(({ problem }) => problem ?? [])
        const documents = all.filter(({ problem }) => problem === undefined)
        const chunker = author.chunkers.find((each) => each.key === key)
        const chunks = chunker === undefined
          ? yield* Effect.mapError(
            chunk(documents, key === undefined ? {} : { ...chunking, chunker: key }),
            notReadable
          )
          : yield* AuthorReading.chunk(chunker, documents, chunking)
        return { chunks, size, problems }
      })
    })
  })
})

export interface Options {
  readonly fetch?: SafeFetchOptions | undefined
  readonly reader?: DocumentReaderOptions | undefined
}

export { DocumentReader }

/** Reads with a reader that several services can share. */
export const layerWith = (
  reader: Layer.Layer<DocumentReader>,
  fetch: SafeFetchOptions | undefined
): Layer.Layer<DocumentReading> =>
  Layer.effect(DocumentReading, make).pipe(
    Layer.provide(WebReader.layer()),
    Layer.provide([reader, SafeFetch.layer(fetch)])
  )

export const layer = ({ fetch, reader }: Options = {}): Layer.Layer<DocumentReading> =>
  layerWith(DocumentReader.layer(reader), fetch)
