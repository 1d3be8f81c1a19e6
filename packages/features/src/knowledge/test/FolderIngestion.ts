// Uploads and synchronizes folders of a source, with all stores in memory.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { now } from "@svc-runtime/engine/now"
import * as Signals from "@svc-runtime/engine/signals/Signals"
import { EmbedderCatalog } from "@svc-runtime/models"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Duration, Effect, Exit, Layer } from "effect"
import type * as ContentSource from "../ContentSource.ts"
import { ContentStore } from "../ContentStore.ts"
import * as ContentUpload from "../ContentUpload.ts"
import { DocumentReading, type Reading } from "../DocumentReading.ts"
import * as FolderJob from "../FolderJob.ts"
import * as FolderSync from "../FolderSync.ts"
import * as IngestionJob from "../IngestionJob.ts"
import type * as Content from "../Knowledge.ts"
import * as Knowledge from "../KnowledgeBase.ts"
import { NotReadable } from "../KnowledgeErrors.ts"
import { KnowledgeRegistry } from "../KnowledgeRegistry.ts"

const whole: Reading = {
  catalogue: { readers: [], readersForType: {}, chunkers: [] },
  findReader: () => undefined,
  chunkingProblem: () => undefined,
  fetch: () => Effect.die("A folder has files"),
  chunksOf: (source) => {
    const text = "body" in source ? new TextDecoder().decode(source.body) : ""
    if (text === "Damaged") return Effect.fail(new NotReadable({ message: "It is damaged", isTransient: false }))
    const chunk = { id: "1", name: null, text, metadata: {}, index: 1, size: text.length }
    return Effect.succeed({ chunks: [chunk], size: text.length, problems: [] })
  }
}

const reading = DocumentReading.of({ of: () => whole })

export const sourceOf = (files: Map<string, string>) => {
  const fetched: Array<string> = []
  const state = {
    fault: undefined as ContentSource.ContentSourceFailed | undefined,
    size: undefined as number | undefined
  }
  const source: ContentSource.Source = {
    id: "wiki",
    name: "Wiki",
    type: "s3",
    prefix: "",
    params: [],
    sync: Duration.hours(1),
    list: undefined,
    folder: ({ path }) =>
      Effect.suspend(() =>
        state.fault === undefined
          ? Effect.succeed(
            [...files].filter(([key]) => key.startsWith(path)).map(([key, text]) => ({
              key,
              size: state.size ?? text.length,
              version: text
            }))
          )
          : Effect.fail(state.fault)
      ),
    fetch: (path) =>
      Effect.sync(() => {
        fetched.push(path)
        return { bytes: new TextEncoder().encode(files.get(path)), type: "text/plain" }
      })
  }
  return { fetched, source, state }
}

export const open = (source: ContentSource.Source) =>
  Layer.mergeAll(
    InMemory.ContentStore,
    InMemory.ChunkStore,
    InMemory.JobStore,
    KnowledgeRegistry.layer(Ids.DatabaseId.make("main-db"), [
      Knowledge.make({ name: "handbook", embedder: "none", sources: [source] })
    ]),
    Layer.succeed(DocumentReading, reading),
    Signals.layerNone,
    EmbedderCatalog.layer({ model: "fixed" })
  ).pipe(Layer.provide(MemoryDatabase.layer))

const remote = { _tag: "Remote", source_id: "wiki", source_type: "s3", path: "docs/", params: {} } as const

export const uploadFolder = Effect.fnUntraced(function*(
  { name = "Wiki", path = remote.path, user_id = null }: {
    readonly name?: string
    readonly path?: string
    readonly user_id?: Ids.UserId | null
  } = {}
) {
  const [instance] = (yield* KnowledgeRegistry).all
  if (instance === undefined) return yield* Effect.die("There is one knowledge base")
  const upload: ContentUpload.Upload = {
    name,
    description: undefined,
    metadata: { team: "people" },
    source: { ...remote, path },
    reader_id: undefined,
    chunking: { chunker: undefined, chunk_size: 5000, chunk_overlap: 0 },
    user_id
  }
  const { content } = yield* ContentUpload.prepare(instance, upload)
  const folder = FolderJob.folderSettingsOf(instance, { ...remote, path }, upload)
  const job = yield* FolderJob.of(content, folder)
  return yield* (yield* ContentStore).put({ ...content, type: "folder" }, { folder, jobs: [job] }, yield* now)
})

/** Executes all jobs, once each. Returns how many of each kind there were. */
export const drain = Effect.fnUntraced(function*(attempts?: number) {
  const kinds = [...yield* IngestionJob.kinds, yield* FolderJob.kind]
  const jobs = yield* JobStore
  const slots = Object.fromEntries(kinds.map(({ name }) => [name, 100]))
  const executed: Record<string, number> = {}
  for (;;) {
    const acquired = yield* jobs.acquire({ node: "node", slots })
    if (acquired.length === 0) return executed
    for (const job of acquired) {
      const kind = kinds.find(({ name }) => name === job.kind)!
      const context = {
        job: { ...job, attempts: attempts ?? job.attempts },
        report: () => Effect.void,
        progressed: Effect.void,
        postpone: () => Effect.void
      }
      const exit = yield* Effect.exit(kind.execute(job.payload, { ...context, guard: (effect) => effect }))
      const end: Job.End = Exit.isSuccess(exit) ? { _tag: "Completed" } : { _tag: "Failed", error: String(exit.cause) }
      yield* jobs.finish(job, end)
      executed[job.kind] = (executed[job.kind] ?? 0) + 1
    }
  }
})

export const sync = Effect.flatMap(FolderSync.kind, (kind) =>
  kind.execute(null, {
    job: {
      id: Job.Id.make("1"),
      lease: 1,
      kind: kind.name,
      key: null,
      payload: null,
      attempts: 1,
      max_attempts: 1,
      user_id: null,
      caller: null,
      session_id: null
    },
    report: () => Effect.void,
    progressed: Effect.void,
    postpone: () => Effect.void,
    guard: (effect) => effect
  }))

export const stateOf = ({ content_id, instance }: Content.Content) =>
  Effect.map(
    ContentStore.use((contents) => contents.get({ content_id, instance, owner: Owner.anyone })),
    ({ status, status_message }) => [status, status_message]
  )

export const contentsIn = Effect.map(
  ContentStore.use((contents) =>
    contents.list({ instance: "handbook", owner: Owner.anyone }, { page: 1, limit: 100 }, { by: "name", order: "asc" })
  ),
  ({ contents }) => contents.map(({ name, status }) => `${name} ${status}`)
)

export const files = () =>
  new Map([["docs/a.md", "Trains"], ["docs/b/c.md", "Planes"], ["docs/../x.md", "Secret"], ["other.md", "Other"]])
