// The steps that make an uploaded content searchable. Each can be repeated: stored chunks of uploaded bytes are not
// embedded again, and the version before is found until the new one is whole.
import type * as Json from "@svc-runtime/domain/Json"
import { now } from "@svc-runtime/engine/now"
import type { Embedder, EmbedderCatalog } from "@svc-runtime/models"
import { Duration, Effect, Option, Schema } from "effect"
import type { ChunkStore } from "./ChunkStore.ts"
import type { Params } from "./ContentSource.ts"
import type { ContentStore } from "./ContentStore.ts"
import * as ContentUpload from "./ContentUpload.ts"
import type { Chunking, DocumentReading, Source, UrlSource } from "./DocumentReading.ts"
import * as FetchedChunks from "./FetchedChunks.ts"
import type { Turn } from "./IngestionTurns.ts"
import type * as Knowledge from "./Knowledge.ts"
import { embedderOf, vectorsOf } from "./KnowledgeEmbedder.ts"
import { ContentSuperseded, type NotReadable } from "./KnowledgeErrors.ts"
import type { Instance } from "./KnowledgeRegistry.ts"

export interface Parts {
  readonly contents: ContentStore["Service"]
  readonly chunks: ChunkStore["Service"]
  readonly reading: DocumentReading["Service"]
  readonly embedders: EmbedderCatalog["Service"]
}

/** The stored chunks get new vectors. */
export const Reembedding = Schema.Struct({
  model: Schema.String,
  /** Why the last upload failed. The chunks are from an earlier upload, so the content stays failed. */
  failure: Schema.optionalKey(Schema.String),
  /** What the upload could not read of the content. */
  problems: Schema.optionalKey(Schema.String)
})
export type Reembedding = typeof Reembedding.Type

export interface Remote {
  readonly source_id: string
  readonly path: string
  readonly params?: Params | undefined
}

export interface ReadingOptions {
  readonly reader_id: string | undefined
  readonly chunking: Chunking
  /** A file of a source of the knowledge base. */
  readonly remote: Remote | undefined
  /** Whether its bytes are not those of the upload. */
  readonly isFetched: boolean
  /** The chunks of what an attempt before has fetched. */
  readonly kept: Option.Option<ReadonlyArray<Knowledge.Chunk>>
  readonly again: Reembedding | undefined
  /** For what takes the memory and the processor of this node. Other servers are awaited outside of it. */
  readonly turn: Turn
}

/** The content can never be processed. The message is its status message. */
export class ContentRejected extends Schema.TaggedError<ContentRejected>()("ContentRejected", {
  message: Schema.String
}) {}

/** The content can be processed later: its URL did not respond. */
export class ContentUnreachable extends Schema.TaggedError<ContentUnreachable>()("ContentUnreachable", {
  message: Schema.String,
  /** Seconds after which it wants to be asked again. */
  retryAfter: Schema.optional(Schema.Finite)
}) {}

/** Chunks of one statement, whatever the embedder takes at once. */
const chunksAtOnce = 200

/** Seconds for which a node leaves a content to one that has the embedder. */
const leftFor = 60

const maxProblems = 20
const maxProblem = 500

/** What of a content could not be read, as its status message. */
const shortened = (problems: ReadonlyArray<string>): string =>
  [
    ...problems.slice(0, maxProblems).map((problem) => problem.slice(0, maxProblem)),
    ...(problems.length > maxProblems ? [`${problems.length - maxProblems} more could not be read`] : [])
  ].join("\n").toWellFormed()

/** A text without a name is called by its beginning. */
const nameLength = 10

/** The time of a turn, and that of a source. */
const timeout = Duration.minutes(30)

const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: timeout,
    orElse: () => {
      const message = `The content was not processed within ${Duration.format(timeout)}`
      return Effect.fail(new ContentUnreachable({ message }))
    }
  })

const remoteOf = Effect.fnUntraced(function*(
  { knowledge: { sources } }: Instance,
  { params = {}, path, source_id }: Remote,
  reader_id: string | undefined
) {
  const source = sources.find(({ id }) => id === source_id)
  // a node of another version of the service may have it
  if (source === undefined) return yield* new ContentUnreachable({ message: `Unknown content source: ${source_id}` })
  const { bytes, type } = yield* Effect.mapError(source.fetch(path, params), (error) => {
    const message = `Error reading ${path}: ${error.message}`
    const { reason, retryAfter } = error
    return reason === "unavailable" ? new ContentUnreachable({ message, retryAfter }) : new ContentRejected({ message })
  })
  return { body: bytes, name: path, type, reader_id }
})

const sourceOf = Effect.fnUntraced(function*(
  { contents }: Parts,
  content: Knowledge.Content,
  reader_id: string | undefined
) {
  const body = yield* contents.body(content)
  if (Option.isNone(body)) return yield* new ContentRejected({ message: "Content could not be read" })
  const isText = content.type === ContentUpload.types.text
  return {
    body: body.value,
    name: isText ? undefined : content.origin ?? content.name ?? undefined,
    type: isText ? "text/plain; charset=utf-8" : content.type ?? undefined,
    reader_id
  }
})

const fromReading = (isUrl: boolean) => ({ isTransient, message }: NotReadable) =>
  isTransient
    ? new ContentUnreachable({ message })
    : new ContentRejected({ message: isUrl ? message : `Content could not be read: ${message}` })

const urlOf = ({ reading }: Parts, { knowledge }: Instance, source: UrlSource, { fetching, reading: inTurn }: Turn) =>
  Effect.mapError(reading.of(knowledge).fetch(source, { whole: fetching, reading: inTurn }), fromReading(true))

const chunksOf = ({ reading }: Parts, { knowledge }: Instance, source: Source, chunking: Chunking) =>
  Effect.mapError(reading.of(knowledge).chunksOf(source, chunking), fromReading("url" in source))

const embedded = Effect.fnUntraced(function*(
  embedder: Embedder.Embedder | undefined,
  chunks: ReadonlyArray<Knowledge.Chunk>
) {
  if (embedder === undefined) {
    return { embedding: null, chunks: chunks.map((chunk) => ({ ...chunk, vector: null })) }
  }
  const vectors = yield* vectorsOf(embedder, chunks.map(({ text }) => text))
  const embedding = { model: embedder.id, dimensions: vectors[0]?.length ?? 0 }
  return { embedding, chunks: chunks.map((chunk, index) => ({ ...chunk, vector: vectors[index] ?? null })) }
})

const embedderFor = Effect.fnUntraced(function*(
  { embedders }: Parts,
  { knowledge }: Instance,
  again: Reembedding | undefined
) {
  const embedder = yield* embedderOf(embedders, knowledge)
  if (again === undefined || again.model === embedder?.id) return embedder
  // a node with other settings may have it
  const message = `The embedder is ${embedder?.id ?? "none"} on this node, and ${again.model} is needed`
  return yield* new ContentUnreachable({ message, retryAfter: leftFor })
})

const add = Effect.fnUntraced(function*(
  { chunks: store, contents }: Parts,
  embedder: Embedder.Embedder | undefined,
  content: Knowledge.Content,
  chunks: ReadonlyArray<Knowledge.Chunk>,
  report: (progress: Json.Value) => Effect.Effect<void>
) {
  const stored = yield* store.added(content)
  const missing = chunks.filter(({ index }) => !stored.has(index))
  const show = Effect.fnUntraced(function*(added: number) {
    const progress = { done: chunks.length - missing.length + added, total: chunks.length }
    yield* report(progress)
    const { content_id, generation } = content
    if (!(yield* contents.report(content, progress))) return yield* new ContentSuperseded({ content_id, generation })
  })
  yield* show(0)
  for (let at = 0; at < missing.length; at += chunksAtOnce) {
    const batch = yield* embedded(embedder, missing.slice(at, at + chunksAtOnce))
    yield* store.add(content, batch.embedding, batch.chunks)
    yield* show(Math.min(at + chunksAtOnce, missing.length))
  }
})

const nameOf = (content: Knowledge.Content, chunks: ReadonlyArray<Knowledge.Chunk>): string | undefined => {
  if (content.name !== null) return undefined
  const text = Array.from(chunks[0]?.text ?? "").slice(0, nameLength).join("")
  return text === "" ? undefined : text
}

export const fetchedChunks = Effect.fnUntraced(function*({ contents }: Parts, content: Knowledge.Content) {
  const body = yield* contents.body(content)
  return Option.isSome(body) ? yield* FetchedChunks.decode(body.value) : Option.none<ReadonlyArray<Knowledge.Chunk>>()
})

/** What another server has. Undefined: the content was uploaded. */
const fetched = Effect.fnUntraced(function*(
  parts: Parts,
  instance: Instance,
  { origin, type }: Knowledge.Content,
  { reader_id, remote, turn }: ReadingOptions
): Effect.fn.Return<Source | undefined, ContentRejected | ContentUnreachable> {
  if (remote !== undefined) {
    // a source gives its files as a whole
    yield* turn.fetching
    return yield* inTime(remoteOf(instance, remote, reader_id))
  }
  if (type !== ContentUpload.types.url) return undefined
  return yield* urlOf(parts, instance, { url: origin ?? "", reader_id }, turn)
})

const read = Effect.fnUntraced(function*(
  parts: Parts,
  instance: Instance,
  content: Knowledge.Content,
  { chunking, isFetched, reader_id }: ReadingOptions,
  given: Source | undefined
) {
  const source = given ?? (yield* sourceOf(parts, content, reader_id))
  const { chunks, problems, size } = yield* chunksOf(parts, instance, source, chunking)
  const found = { chunks, problems: shortened(problems) }
  if (!isFetched) return found
  const body = yield* FetchedChunks.encode(chunks)
  const type = "body" in source ? source.type : undefined
  const isStored = yield* parts.contents.storeBody(content, { body, size, type })
  const { content_id, generation } = content
  return isStored ? found : yield* new ContentSuperseded({ content_id, generation })
})

const index = Effect.fnUntraced(function*(
  parts: Parts,
  instance: Instance,
  content: Knowledge.Content,
  options: ReadingOptions,
  report: (progress: Json.Value) => Effect.Effect<void>,
  source: Source | undefined
) {
  const { chunks, problems } = Option.isSome(options.kept)
    ? { chunks: options.kept.value, problems: options.again?.problems ?? "" }
    : yield* read(parts, instance, content, options, source)
  const embedder = yield* embedderFor(parts, instance, options.again)
  yield* add(parts, embedder, content, chunks, report).pipe(
    Effect.catchTags({
      EmbeddingMismatch: ({ message }) => Effect.fail(new ContentRejected({ message })),
      UnusableVector: ({ message }) => Effect.fail(new ContentRejected({ message }))
    })
  )
  yield* parts.chunks.publish(content)
  const name = nameOf(content, chunks)
  const failure = options.again?.failure
  const end = failure === undefined
    ? { status: "completed", status_message: problems, ...(name === undefined ? {} : { name }) } as const
    : { status: "failed", status_message: failure } as const
  yield* parts.contents.finish(content, end, yield* now)
})

/** Fails with `ContentSuperseded` when another upload or a removal has made the version needless. */
export const run = Effect.fnUntraced(function*(
  parts: Parts,
  instance: Instance,
  content: Knowledge.Content,
  options: ReadingOptions,
  report: (progress: Json.Value) => Effect.Effect<void>
) {
  const { kept, turn } = options
  const source = Option.isSome(kept)
    ? undefined
    : yield* Effect.ensuring(fetched(parts, instance, content, options), turn.fetched)
  yield* turn.take
  yield* inTime(index(parts, instance, content, options, report, source))
})
