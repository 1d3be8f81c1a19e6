// The background job that processes an upload: it reads the body, cuts it into chunks, makes their vectors, and
// publishes them. The job is stored with the content. Jobs of one content are executed one after the other.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { now } from "@svc-runtime/engine/now"
import { EmbedderCatalog } from "@svc-runtime/models"
import { Effect, Option, Schema, Struct } from "effect"
import { ChunkStore } from "./ChunkStore.ts"
import * as ContentJobKey from "./ContentJobKey.ts"
import { ContentStore, type NewContent } from "./ContentStore.ts"
import * as ContentUpload from "./ContentUpload.ts"
import { DocumentReading } from "./DocumentReading.ts"
import * as Ingestion from "./Ingestion.ts"
import * as IngestionTurns from "./IngestionTurns.ts"
import * as Knowledge from "./Knowledge.ts"
import { type Instance, KnowledgeRegistry } from "./KnowledgeRegistry.ts"

const Payload = Schema.Struct({
  knowledge_id: Schema.String,
  instance: Schema.String,
  content_id: Knowledge.ContentId,
  /** That of the upload. A content with another one was replaced, and has a job of its own. */
  digest: Schema.NullOr(Schema.String),
  reader_id: Schema.optionalKey(Schema.String),
  /** The source that has the content, and its path there. */
  remote: Schema.optionalKey(Schema.Struct({
    source_id: Schema.String,
    path: Schema.String,
    params: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  })),
  chunker: Schema.optionalKey(Schema.String),
  chunk_size: Schema.Natural,
  chunk_overlap: Schema.Natural,
  /** Of new vectors for the published chunks. */
  again: Schema.optionalKey(Ingestion.Reembedding)
})
export type Payload = typeof Payload.Type

/**
 * What has to be fetched has a kind of its own, so that uploads do not wait for other servers, and so have the files of
 * a folder, so that they do not wait for a thousand of them. Jobs of several kinds for one content do not harm each
 * other: the content has the digest of one of them.
 */
export const names = {
  upload: "knowledge-ingestion",
  fetched: "knowledge-fetching",
  folderFile: "knowledge-folder-file",
  again: "knowledge-embedding"
} as const

const shape = {
  payload: Payload,
  concurrency: 2,
  // the others' uploads do not wait for those of one caller
  perUser: 1,
  maxAttempts: 6,
  timeout: "4 hours",
  retryDelay: "2 seconds"
} as const

/** Callers who wait for other servers. */
const fetching = { ...shape, concurrency: 6 }

const enqueued = {
  upload: JobKind.withoutHandler({ ...shape, name: names.upload }),
  fetched: JobKind.withoutHandler({ ...fetching, name: names.fetched }),
  folderFile: JobKind.withoutHandler({ ...shape, name: names.folderFile }),
  again: JobKind.withoutHandler({ ...shape, name: names.again })
}

export interface UploadOptions {
  readonly source: ContentUpload.UploadSource
  readonly reader_id: string | undefined
  readonly chunking: {
    readonly chunker: string | undefined
    readonly chunk_size: number
    readonly chunk_overlap: number
  }
  /** Whose share of the readers it takes. Undefined: that of its owner. */
  readonly caller?: string | undefined
  /** The same for equal requests, of which one stores the content. Undefined: no other request is equal. */
  readonly job_id?: string | undefined
}

/** For the transaction that stores the content. */
export const of = (
  { id }: Instance,
  content: NewContent,
  { caller, chunking, job_id, reader_id, source }: UploadOptions,
  kind: keyof typeof names = source._tag === "Url" || source._tag === "Remote" ? "fetched" : "upload"
) => {
  const { content_id, digest, instance, user_id } = content
  const { chunk_overlap, chunk_size, chunker } = chunking
  const payload: Payload = {
    knowledge_id: id,
    instance,
    content_id,
    digest,
    ...(reader_id === undefined ? {} : { reader_id }),
    ...(source._tag === "Remote" ? { remote: Struct.pick(source, ["source_id", "path", "params"]) } : {}),
    ...(chunker === undefined ? {} : { chunker }),
    chunk_size,
    chunk_overlap
  }
  return Effect.map(
    Jobs.newJob(enqueued[kind], payload, { key: ContentJobKey.of(content), isUnique: false, user_id, caller }),
    (job): Job.NewJob => job_id === undefined ? job : { ...job, id: Job.Id.make(job_id) }
  )
}

/** The begin of the status message if an embedder refused a content that was embedded again. */
const refusedAgain = "Could not be embedded again: "

/** Makes new vectors of the chunks of a published content. */
export const embeddingAgain = (
  { id }: Instance,
  { content_id, digest, instance, status, status_message, user_id }: Knowledge.Content,
  { model }: Knowledge.Embedding
) => {
  const failure = status === "failed" && status_message?.startsWith(refusedAgain) !== true ? status_message : null
  const payload: Payload = {
    knowledge_id: id,
    instance,
    content_id,
    digest,
    chunk_size: 0,
    chunk_overlap: 0,
    again: {
      model,
      ...(failure === null ? {} : { failure }),
      ...(status === "completed" && status_message !== null && status_message !== ""
        ? { problems: status_message }
        : {})
    }
  }
  return Jobs.newJob(enqueued.again, payload, {
    key: ContentJobKey.of({ instance, content_id }),
    isUnique: false,
    user_id
  })
}

const nothing = Option.none<ReadonlyArray<Knowledge.Chunk>>()

class IngestionFailed extends Schema.TaggedError<IngestionFailed>()("IngestionFailed", {
  message: Schema.String,
  retryAfter: Schema.optional(Schema.Finite)
}) {}

export const kinds = Effect.gen(function*() {
  const parts: Ingestion.Parts = {
    contents: yield* ContentStore,
    chunks: yield* ChunkStore,
    reading: yield* DocumentReading,
    embedders: yield* EmbedderCatalog
  }
  const registry = yield* KnowledgeRegistry
  const { contents } = parts

  /** What an attempt before has fetched is read in a turn, which ends if there is nothing. */
  const keptOf = Effect.fnUntraced(function*(content: Knowledge.Content, { give, take }: IngestionTurns.Turn) {
    yield* take
    const chunks = yield* Ingestion.fetchedChunks(parts, content)
    if (Option.isNone(chunks)) yield* give
    return chunks
  })

  const handle = Effect.fnUntraced(
    function*(payload: Payload, { job, report }: JobKind.JobContext, turn: IngestionTurns.Turn) {
      const isAgain = job.kind === names.again
      const { again, content_id, digest, instance } = payload
      if (yield* contents.hasLaterJob(job, Object.values(names))) return
      const found = yield* ContentStore.found(contents, { instance, content_id, owner: Owner.anyone })
      if (found === undefined || found.status !== "processing" || found.digest !== digest) return
      const isFetched = !isAgain && (found.type === ContentUpload.types.url || payload.remote !== undefined)
      const kept = isAgain
        ? Option.some(yield* contents.publishedChunks(found))
        : isFetched && found.size !== null
        ? yield* keptOf(found, turn)
        : nothing
      // what is fetched or recognized anew can differ from the attempt before: its chunks would be mixed
      const isRecognized = registry.find(payload.knowledge_id)?.knowledge.ocr !== undefined
      const version = (isFetched || isRecognized) && Option.isNone(kept)
        ? yield* contents.renew(found)
        : Option.some(found)
      if (version._tag === "None") return
      const content = version.value
      const isLast = JobKind.isLast({ job })
      const end = Effect.fnUntraced(function*(reason: string) {
        const message = isAgain ? `${refusedAgain}${reason}` : reason
        const status_message = again?.failure ?? message
        const isEnded = yield* contents.finish(content, { status: "failed", status_message }, yield* now)
        if (isEnded) yield* Effect.logWarning("A content of knowledge failed", message)
      })

      const registered = registry.find(payload.knowledge_id)
      if (registered === undefined) {
        // a node of another version of the service may have it
        const message = `No knowledge base with the ID ${payload.knowledge_id} is registered`
        if (isLast) yield* end(message)
        return yield* new IngestionFailed({ message })
      }
      const { chunk_overlap, chunk_size, chunker, reader_id, remote } = payload
      const chunking = { chunker, chunk_size, chunk_overlap }
      const how = { again, reader_id, remote, isFetched, kept, chunking, turn }
      const chunks = registered.knowledge.vectorStore ?? parts.chunks
      yield* Ingestion.run({ ...parts, chunks }, registered, content, how, report).pipe(
        Effect.catchTags({
          // another upload or a removal ended this one
          ContentSuperseded: () => Effect.void,
          ContentRejected: ({ message }) => end(message),
          ContentUnreachable: ({ message, retryAfter }) =>
            isLast ? end(message) : Effect.fail(new IngestionFailed({ message, retryAfter })),
          EmbeddingFailed: Effect.fnUntraced(function*({ isTransient, message, retryAfter }) {
            const text = `Could not insert embedding: ${message}`
            if (!isTransient || isLast) return yield* end(text)
            return yield* new IngestionFailed({ message: text, retryAfter })
          })
        }),
        Effect.tapDefect(() => isLast ? end("The content could not be processed") : Effect.void)
      )
    },
    (effect, { content_id, instance }) =>
      Effect.annotateLogs(effect, { part: "knowledge", knowledge: instance, content_id })
  )

  const turns = IngestionTurns.make()
  const always = () => Effect.succeed(IngestionTurns.always)
  const kindOf = (name: string, turnOf: typeof turns | typeof always, concurrency: number = shape.concurrency) =>
    JobKind.make({
      ...shape,
      name,
      concurrency,
      handle: (payload, context) =>
        Effect.scoped(
          Effect.flatMap(turnOf(context.job.caller ?? Job.withoutUser), (turn) => handle(payload, context, turn))
        )
    })
  return [
    kindOf(names.upload, turns),
    kindOf(names.fetched, turns, fetching.concurrency),
    kindOf(names.folderFile, always),
    kindOf(names.again, always)
  ] as const
})
