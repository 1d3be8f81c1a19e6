// Uploads contents and executes their jobs, with all stores in memory.
import * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { type Embedder, EmbedderCatalog } from "@svc-runtime/models"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Effect, Exit, Layer } from "effect"
import { AiError } from "effect/ai"
import * as QueryVectorCache from "../../vectors/QueryVectorCache.ts"
import * as ChangedEmbedders from "../ChangedEmbedders.ts"
import { ChunkStore } from "../ChunkStore.ts"
import { ContentStore } from "../ContentStore.ts"
import * as ContentUpload from "../ContentUpload.ts"
import { DocumentReading, type Reading } from "../DocumentReading.ts"
import * as IngestionJob from "../IngestionJob.ts"
import type * as Content from "../Knowledge.ts"
import * as Knowledge from "../KnowledgeBase.ts"
import { NotReadable } from "../KnowledgeErrors.ts"
import { KnowledgeRegistry } from "../KnowledgeRegistry.ts"

const at = 1_700_000_000

/** The pages of URLs, which change. */
export const pages = new Map<string, string>()

/** A chunk for each line. A text that begins with an exclamation mark cannot be read. */
const byLines: Reading = {
  catalogue: { readers: [], readersForType: {}, chunkers: [] },
  findReader: () => undefined,
  chunkingProblem: () => undefined,
  fetch: (source) => {
    const body = new TextEncoder().encode(pages.get(source.url) ?? "")
    const file = { body, name: undefined, type: undefined, reader_id: undefined }
    return Effect.succeed({ ...source, fetched: { file, finalUrl: source.url } })
  },
  chunksOf: (source) => {
    const file = "body" in source ? source : "file" in source.fetched ? source.fetched.file : undefined
    const text = new TextDecoder().decode(file?.body)
    return text.startsWith("!")
      ? Effect.fail(new NotReadable({ message: "The file is encrypted.", isTransient: false }))
      : Effect.succeed({
        size: text.length,
        problems: [],
        chunks: text.split("\n").map((line, index) => ({
          id: `line_${index + 1}`,
          name: null,
          text: line,
          metadata: {},
          index: index + 1,
          size: line.length
        }))
      })
  }
}

const reading = DocumentReading.of({ of: () => byLines })
const failure = (reason: AiError.AiErrorReason) => AiError.make({ module: "test", method: "embedMany", reason })
export const passing = failure(new AiError.InternalProviderError({ description: "down" }))
export const refusal = failure(new AiError.InvalidRequestError({ description: "too long" }))

/** Keeps the texts of each call. `before` is executed at the beginning of a call, which it can fail. */
export const embedderOf = (before: (call: number) => Effect.Effect<void, AiError.AiError> = () => Effect.void) => {
  const calls: Array<ReadonlyArray<string>> = []
  const embedder: Embedder.Embedder = {
    id: "test:lines",
    dimensions: 2,
    maxPerCall: 1000,
    embedMany: (texts) =>
      Effect.suspend(() => {
        calls.push(texts)
        return Effect.as(before(calls.length), texts.map(({ length }) => Float32Array.of(1, length)))
      })
  }
  return { calls, embedder }
}

export const open = (embedder: Embedder.Embedder) => {
  const knowledge = Knowledge.make({ name: "handbook", embedder })
  return Layer.mergeAll(
    InMemory.ContentStore,
    InMemory.ChunkStore,
    InMemory.JobStore,
    KnowledgeRegistry.layer(Ids.DatabaseId.make("main-db"), [knowledge]),
    QueryVectorCache.layer,
    Layer.succeed(DocumentReading, reading),
    EmbedderCatalog.layer({ model: "fixed" })
  ).pipe(Layer.provide(MemoryDatabase.layer))
}

const chunking = { chunker: undefined, chunk_size: 5000, chunk_overlap: 0 }

export const uploadOf = Effect.fnUntraced(function*(source: ContentUpload.UploadSource, name: string) {
  const [instance] = (yield* KnowledgeRegistry).all
  if (instance === undefined) return yield* Effect.die("There is one knowledge base")
  const how = { reader_id: undefined, chunking }
  const { body, content } = yield* ContentUpload.prepare(instance, {
    ...how,
    name,
    description: undefined,
    metadata: undefined,
    source,
    user_id: null
  })
  const job = yield* IngestionJob.of(instance, content, { ...how, source })
  return { job, stored: yield* (yield* ContentStore).put(content, { body, jobs: [job] }, at) }
})

export const upload = (text: string, name = "notes") => uploadOf({ _tag: "Text", text }, name)

/** One attempt of the job. */
export const attempt = Effect.fnUntraced(function*(job: Job.NewJob | Job.Acquired, attempts = 1) {
  const kinds = yield* IngestionJob.kinds
  const kind = kinds.find(({ name }) => name === job.kind) ?? kinds[0]
  const acquired: Job.Acquired = { ...job, caller: job.caller ?? null, lease: 1, attempts }
  const reported: Array<Json.Value> = []
  const report = (progress: Json.Value) => Effect.sync(() => void reported.push(progress))
  const exit = yield* Effect.exit(
    kind.execute(job.payload, {
      job: acquired,
      report,
      progressed: Effect.void,
      postpone: () => Effect.void,
      guard: (effect) => effect
    })
  )
  return { isDone: Exit.isSuccess(exit), reported }
})

export const stateOf = ({ content_id, instance }: Content.Content) =>
  Effect.map(
    ContentStore.use((contents) => contents.get({ content_id, instance, owner: Owner.anyone })),
    ({ name, status, status_message }) => ({ name, status, status_message })
  )

export const found = (text: string) =>
  Effect.map(
    ChunkStore.use((chunks) =>
      chunks.search({
        instance: "handbook",
        owner: Owner.anyone,
        filter: KnowledgeFilter.everything,
        limit: 1000,
        sought: { _tag: "Keyword", text }
      })
    ),
    (all) => all.map(({ chunk }) => chunk.text)
  )

export const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join("\n")

/** An embedder of which a test changes the name. */
export const renamed = (embedder: Embedder.Embedder) => {
  const id = { current: "test:first" }
  const changed: Embedder.Embedder = {
    ...embedder,
    get id() {
      return id.current
    }
  }
  return { changed, id }
}

export const lookForChanges = Effect.flatMap(
  ChangedEmbedders.kind(Ids.DatabaseId.make("main-db")),
  (kind) => kind.execute(null, {} as never)
)

/** The jobs that embed contents again. */
export const begun = Effect.flatMap(
  JobStore,
  (jobs) => jobs.acquire({ node: "node", slots: { [IngestionJob.names.again]: 100 } })
)

export const embedAgain = Effect.gen(function*() {
  for (const job of yield* begun) {
    yield* attempt(job)
    yield* JobStore.use((jobs) => jobs.finish(job, { _tag: "Completed" }))
  }
})

export const countByMeaning = ChunkStore.use((chunks) =>
  Effect.map(
    chunks.search({
      instance: "handbook",
      owner: Owner.anyone,
      filter: KnowledgeFilter.everything,
      limit: 1000,
      sought: { _tag: "Vector", vector: Float32Array.of(1, 6), embedding: { model: "test:other", dimensions: 2 } }
    }),
    (all) => all.length
  )
)
