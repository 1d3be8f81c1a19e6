// Uploaded folders: the job that stores their files, and their syncs.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc/domain/Ids"
import type * as Content from "@svc/domain/Knowledge"
import * as Owner from "@svc/domain/Owner"
import { EmbedderCatalog } from "@svc/models"
import * as Job from "@svc/runtime/jobs/Job"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import { ChunkStore } from "@svc/runtime/knowledge/ChunkStore"
import * as ContentSource from "@svc/runtime/knowledge/ContentSource"
import { ContentStore } from "@svc/runtime/knowledge/ContentStore"
import * as ContentUpload from "@svc/runtime/knowledge/ContentUpload"
import { DocumentReading, NotReadable, type Reading } from "@svc/runtime/knowledge/DocumentReading"
import * as FolderJob from "@svc/runtime/knowledge/FolderJob"
import * as FolderSync from "@svc/runtime/knowledge/FolderSync"
import * as IngestionJob from "@svc/runtime/knowledge/IngestionJob"
import * as Knowledge from "@svc/runtime/knowledge/Knowledge"
import { KnowledgeRegistry } from "@svc/runtime/knowledge/KnowledgeRegistry"
import { MemoryDatabase } from "@svc/runtime/MemoryDatabase"
import { now } from "@svc/runtime/now"
import { Duration, Effect, Exit, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"

const whole: Reading = {
  catalogue: { readers: [], readersForType: {}, chunkers: [] },
  findReader: () => undefined,
  chunkingProblem: () => undefined,
  chunksOf: (source) => {
    const text = "body" in source ? new TextDecoder().decode(source.body) : ""
    if (text === "Damaged") return Effect.fail(new NotReadable({ message: "It is damaged", isPassing: false }))
    const chunk = { id: "1", name: null, text, metadata: {}, index: 1, size: text.length }
    return Effect.succeed({ chunks: [chunk], size: text.length })
  }
}
const reading = DocumentReading.of({ of: () => whole })

const sourceOf = (files: Map<string, string>) => {
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

const open = (source: ContentSource.Source) =>
  Layer.mergeAll(
    ContentStore.layerMemory,
    ChunkStore.layerMemory,
    JobStore.layerMemory,
    KnowledgeRegistry.layer(Ids.DatabaseId.make("main-db"), [
      Knowledge.make({ name: "handbook", embedder: "none", sources: [source] })
    ]),
    Layer.succeed(DocumentReading, reading),
    EmbedderCatalog.layer({ model: "fixed" })
  ).pipe(Layer.provide(MemoryDatabase.layer))

const remote = { _tag: "Remote", source_id: "wiki", source_type: "s3", path: "docs/", params: {} } as const

const uploadFolder = Effect.fnUntraced(function*(
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
  const folder = FolderJob.howOf(instance, { ...remote, path }, upload)
  const job = yield* FolderJob.of(content, folder)
  return yield* (yield* ContentStore).put({ ...content, type: "folder" }, { folder, jobs: [job] }, yield* now)
})

/** Executes all jobs, once each. Returns how many of each kind there were. */
const drain = Effect.fnUntraced(function*(attempts?: number) {
  const kinds = [...yield* IngestionJob.kinds, yield* FolderJob.kind]
  const jobs = yield* JobStore
  const slots = Object.fromEntries(kinds.map(({ name }) => [name, 100]))
  const executed: Record<string, number> = {}
  for (;;) {
    const acquired = yield* jobs.acquire({ node: "node", slots })
    if (acquired.length === 0) return executed
    for (const job of acquired) {
      const kind = kinds.find(({ name }) => name === job.kind)!
      const context = { job: { ...job, attempts: attempts ?? job.attempts }, report: () => Effect.void }
      const exit = yield* Effect.exit(kind.execute(job.payload, { ...context, guard: (effect) => effect }))
      const end: Job.End = Exit.isSuccess(exit) ? { _tag: "Completed" } : { _tag: "Failed", error: String(exit.cause) }
      yield* jobs.finish(job, end)
      executed[job.kind] = (executed[job.kind] ?? 0) + 1
    }
  }
})

const sync = Effect.flatMap(FolderSync.kind, (kind) =>
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
      session_id: null
    },
    report: () => Effect.void,
    guard: (effect) => effect
  }))

const stateOf = ({ content_id, instance }: Content.Content) =>
  Effect.map(
    ContentStore.use((contents) => contents.get({ content_id, instance, owner: Owner.anyone })),
    ({ status, status_message }) => [status, status_message]
  )

const contentsIn = Effect.map(
  ContentStore.use((contents) =>
    contents.list({ instance: "handbook", owner: Owner.anyone }, { page: 1, limit: 100 }, { by: "name", order: "asc" })
  ),
  ({ contents }) => contents.map(({ name, status }) => `${name} ${status}`)
)

const files = () =>
  new Map([["docs/a.md", "Trains"], ["docs/b/c.md", "Planes"], ["docs/../x.md", "Secret"], ["other.md", "Other"]])

describe("an uploaded folder", () => {
  it.effect("each of its files becomes a content with a job of its own, and the folder says how many there were", () => {
    const { fetched, source } = sourceOf(files())
    return Effect.gen(function*() {
      const folder = yield* uploadFolder({ user_id: Ids.UserId.make("ada") })
      assert.deepStrictEqual(yield* drain(), { "knowledge-folder": 1, "knowledge-folder-file": 2 })
      assert.deepStrictEqual(yield* contentsIn, ["Wiki completed", "Wiki/a.md completed", "Wiki/b/c.md completed"])
      assert.deepStrictEqual(yield* stateOf(folder), ["completed", "2 files: 2 new or changed, 0 removed"])
      assert.deepStrictEqual(fetched, ["docs/a.md", "docs/b/c.md"])
      const { contents } = yield* (yield* ContentStore).list(
        { instance: "handbook", owner: Owner.anyone },
        { page: 1, limit: 100 },
        { by: "name", order: "asc" }
      )
      assert.deepStrictEqual([...new Set(contents.map(({ user_id }) => String(user_id)))], ["ada"])
      assert.deepStrictEqual(contents[1]?.metadata, {
        team: "people",
        _svc: { source_type: "s3", source_id: "wiki", source_path: "docs/a.md" }
      })
    }).pipe(Effect.provide(open(source)))
  })

  it.effect("a sync after the interval takes what is new or has changed, and removes what is gone", () => {
    const stored = files()
    const { fetched, source } = sourceOf(stored)
    return Effect.gen(function*() {
      const folder = yield* uploadFolder()
      yield* drain()
      fetched.length = 0
      yield* TestClock.adjust("59 minutes")
      yield* sync
      assert.deepStrictEqual(yield* drain(), {})
      yield* TestClock.adjust("2 minutes")
      yield* sync
      assert.strictEqual((yield* stateOf(folder))[0], "processing")
      yield* sync
      assert.deepStrictEqual(yield* drain(), { "knowledge-folder": 1 })
      assert.deepStrictEqual(yield* stateOf(folder), ["completed", "2 files: 0 new or changed, 0 removed"])
      stored.set("docs/a.md", "Trains are late")
      stored.set("docs/d.md", "Ships")
      stored.delete("docs/b/c.md")
      yield* TestClock.adjust("61 minutes")
      yield* sync
      yield* drain()
      assert.deepStrictEqual(yield* stateOf(folder), ["completed", "2 files: 2 new or changed, 1 removed"])
      assert.deepStrictEqual(fetched, ["docs/a.md", "docs/d.md"])
      assert.deepStrictEqual(yield* contentsIn, ["Wiki completed", "Wiki/a.md completed", "Wiki/d.md completed"])
    }).pipe(Effect.provide(open(source)))
  })

  it.effect("a file of two folders is a content of each, also if both call it the same", () => {
    const { fetched, source } = sourceOf(files())
    return Effect.gen(function*() {
      const contents = yield* ContentStore
      const folder = yield* uploadFolder()
      const inner = yield* uploadFolder({ name: "Wiki/b", path: "docs/b/" })
      yield* drain()
      const file = "Wiki/b/c.md completed"
      assert.deepStrictEqual((yield* contentsIn).filter((each) => each === file), [file, file])
      fetched.length = 0
      yield* TestClock.adjust("61 minutes")
      yield* sync
      yield* drain()
      assert.deepStrictEqual(fetched, [])
      yield* contents.remove({ ...folder, owner: Owner.anyone })
      assert.deepStrictEqual(yield* contentsIn, ["Wiki/b completed", file])
      yield* contents.remove({ ...inner, owner: Owner.anyone })
      assert.deepStrictEqual(yield* contentsIn, [])
    }).pipe(Effect.provide(open(source)))
  })

  it.effect("a file that failed is fetched again by the sync after a day, and by an upload of the folder at once", () => {
    const { fetched, source } = sourceOf(new Map([["docs/a.md", "Trains"], ["docs/b.md", "Damaged"]]))
    return Effect.gen(function*() {
      const fetchedBy = Effect.fnUntraced(function*<E, R>(step: Effect.Effect<unknown, E, R>) {
        fetched.length = 0
        yield* step
        yield* drain()
        return [...fetched]
      })
      const later = (time: Duration.Input) => Effect.andThen(TestClock.adjust(time), sync)
      assert.deepStrictEqual(yield* fetchedBy(uploadFolder()), ["docs/a.md", "docs/b.md"])
      assert.include(yield* contentsIn, "Wiki/b.md failed")
      assert.deepStrictEqual(yield* fetchedBy(later("61 minutes")), [])
      assert.deepStrictEqual(yield* fetchedBy(later("23 hours")), ["docs/b.md"])
      assert.deepStrictEqual(yield* fetchedBy(later("2 hours")), [])
      assert.deepStrictEqual(yield* fetchedBy(uploadFolder()), ["docs/b.md"])
      // a sync that waits does not stand for the upload
      assert.deepStrictEqual(yield* fetchedBy(Effect.andThen(later("61 minutes"), uploadFolder())), ["docs/b.md"])
    }).pipe(Effect.provide(open(source)), Effect.provideService(References.MinimumLogLevel, "None"))
  })

  it.effect("a source that does not answer is asked again, then the folder is failed, and its files stay", () => {
    const logged: Array<unknown> = []
    const logger = Logger.make(({ message }) => void logged.push([message].flat().join(" ")))
    const { source, state } = sourceOf(files())
    return Effect.gen(function*() {
      const folder = yield* uploadFolder()
      yield* drain()
      state.fault = new ContentSource.ContentSourceFailed({ reason: "unavailable", message: "Busy", retryAfter: 60 })
      yield* TestClock.adjust("61 minutes")
      yield* sync
      yield* drain()
      assert.strictEqual((yield* stateOf(folder))[0], "processing")
      const last = yield* uploadFolder()
      yield* drain(6)
      assert.deepStrictEqual(yield* stateOf(last), ["failed", "Error listing docs/: Busy"])
      assert.include(logged, "A folder of knowledge failed Error listing docs/: Busy")
      assert.include(yield* contentsIn, "Wiki/a.md completed")
      state.fault = undefined
      yield* TestClock.adjust("61 minutes")
      yield* sync
      yield* drain()
      assert.deepStrictEqual(yield* stateOf(folder), ["completed", "2 files: 0 new or changed, 0 removed"])
    }).pipe(Effect.provide(open(source)), Effect.provide(Logger.layer([logger])))
  })

  it.effect("a folder that is removed while its files are stored leaves nothing, and is not synced again", () => {
    const { source } = sourceOf(files())
    let remove = Effect.void
    const removing: ContentSource.Source = {
      ...source,
      folder: (request) => Effect.tap(source.folder!(request), () => remove)
    }
    return Effect.gen(function*() {
      const contents = yield* ContentStore
      const folder = yield* uploadFolder()
      remove = Effect.asVoid(Effect.orDie(contents.remove({ ...folder, owner: Owner.anyone })))
      assert.deepStrictEqual(yield* drain(), { "knowledge-folder": 1 })
      assert.deepStrictEqual(yield* contentsIn, [])
      remove = Effect.void
      const second = yield* uploadFolder()
      yield* drain()
      yield* contents.remove({ ...second, owner: Owner.anyone })
      assert.deepStrictEqual(yield* contentsIn, [])
      yield* TestClock.adjust("61 minutes")
      yield* sync
      assert.deepStrictEqual(yield* drain(), {})
    }).pipe(Effect.provide(open(removing)))
  })

  it.effect("a folder with too many files or bytes is failed with the limit, and none of its files is stored", () => {
    const many = new Map(
      Array.from({ length: ContentSource.folderLimits.files + 1 }, (_, index) => [`docs/${index}`, "x"])
    )
    return Effect.gen(function*() {
      for (const [given, size] of [[many, 1], [files(), 6 * 1024 ** 3]] as const) {
        const { source, state } = sourceOf(given)
        state.size = size
        yield* Effect.gen(function*() {
          const folder = yield* uploadFolder()
          yield* drain()
          const [status, message] = yield* stateOf(folder)
          assert.strictEqual(status, "failed")
          assert.match(message ?? "", /at most (?:10000|10737418240) are uploaded at once$/)
          assert.strictEqual((yield* contentsIn).length, 1)
        }).pipe(Effect.provide(open(source)))
      }
    })
  })
})
