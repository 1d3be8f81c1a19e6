// The job that processes an upload, attempt by attempt.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc/domain/Ids"
import type * as Json from "@svc/domain/Json"
import type * as Content from "@svc/domain/Knowledge"
import * as KnowledgeFilter from "@svc/domain/KnowledgeFilter"
import * as Owner from "@svc/domain/Owner"
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import { type Embedder, EmbedderCatalog } from "@svc/models"
import type * as Job from "@svc/runtime/jobs/Job"
import { JobStore } from "@svc/runtime/jobs/JobStore"
import * as ChangedEmbedders from "@svc/runtime/knowledge/ChangedEmbedders"
import { ChunkStore } from "@svc/runtime/knowledge/ChunkStore"
import { ContentStore } from "@svc/runtime/knowledge/ContentStore"
import * as ContentUpload from "@svc/runtime/knowledge/ContentUpload"
import { DocumentReading, NotReadable, type Reading } from "@svc/runtime/knowledge/DocumentReading"
import * as IngestionJob from "@svc/runtime/knowledge/IngestionJob"
import * as Knowledge from "@svc/runtime/knowledge/Knowledge"
import { KnowledgeRegistry } from "@svc/runtime/knowledge/KnowledgeRegistry"
import { MemoryDatabase } from "@svc/runtime/MemoryDatabase"
import { Effect, Exit, Layer, Logger, Option } from "effect"
import { AiError } from "effect/ai"

const at = 1_700_000_000

/** The pages of URLs, which change. */
const pages = new Map<string, string>()

/** A chunk for each line. A text that begins with an exclamation mark cannot be read. */
const byLines: Reading = {
  catalogue: { readers: [], readersForType: {}, chunkers: [] },
  findReader: () => undefined,
  chunkingProblem: () => undefined,
  chunksOf: (source) => {
    const text = "body" in source ? new TextDecoder().decode(source.body) : pages.get(source.url) ?? ""
    return text.startsWith("!")
      ? Effect.fail(new NotReadable({ message: "The file is encrypted.", isPassing: false }))
      : Effect.succeed({
        size: text.length,
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
const passing = failure(new AiError.InternalProviderError({ description: "down" }))
const refusal = failure(new AiError.InvalidRequestError({ description: "too long" }))

/** Keeps the texts of each call. `before` is executed at the beginning of a call, which it can fail. */
const embedderOf = (before: (call: number) => Effect.Effect<void, AiError.AiError> = () => Effect.void) => {
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

const open = (embedder: Embedder.Embedder) => {
  const knowledge = Knowledge.make({ name: "handbook", embedder })
  return Layer.mergeAll(
    ContentStore.layerMemory,
    ChunkStore.layerMemory,
    JobStore.layerMemory,
    KnowledgeRegistry.layer(Ids.DatabaseId.make("main-db"), [knowledge]),
    Layer.succeed(DocumentReading, reading),
    EmbedderCatalog.layer({ model: "fixed" })
  ).pipe(Layer.provide(MemoryDatabase.layer))
}

const chunking = { chunker: undefined, chunk_size: 5000, chunk_overlap: 0 }

const uploadOf = Effect.fnUntraced(function*(source: ContentUpload.UploadSource, name: string) {
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

const upload = (text: string, name = "notes") => uploadOf({ _tag: "Text", text }, name)

/** One attempt of the job. */
const attempt = Effect.fnUntraced(function*(job: Job.NewJob | Job.Acquired, attempts = 1) {
  const kinds = yield* IngestionJob.kinds
  const kind = kinds.find(({ name }) => name === job.kind) ?? kinds[0]
  const acquired: Job.Acquired = { ...job, lease: 1, attempts }
  const reported: Array<Json.Value> = []
  const report = (progress: Json.Value) => Effect.sync(() => void reported.push(progress))
  const exit = yield* Effect.exit(kind.execute(job.payload, { job: acquired, report, guard: (effect) => effect }))
  return { isDone: Exit.isSuccess(exit), reported }
})

const stateOf = ({ content_id, instance }: Content.Content) =>
  Effect.map(
    ContentStore.use((contents) => contents.get({ content_id, instance, owner: Owner.anyone })),
    ({ name, status, status_message }) => ({ name, status, status_message })
  )

const found = (text: string) =>
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

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join("\n")

describe("the ingestion of an upload", () => {
  it.effect("a content is searchable after the job, and its progress was reported", () => {
    const { embedder } = embedderOf()
    return Effect.gen(function*() {
      const { job, stored } = yield* upload(lines(3))
      assert.deepStrictEqual(yield* attempt(job), {
        isDone: true,
        reported: [{ done: 0, total: 3 }, { done: 3, total: 3 }]
      })
      assert.deepStrictEqual(yield* stateOf(stored), { name: "notes", status: "completed", status_message: "" })
      assert.strictEqual((yield* found("line")).length, 3)
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("an attempt after a failed one embeds only the chunks that are not stored", () => {
    const { calls, embedder } = embedderOf((call) => call === 2 ? Effect.fail(passing) : Effect.void)
    return Effect.gen(function*() {
      const { job, stored } = yield* upload(lines(250))
      assert.isFalse((yield* attempt(job)).isDone)
      assert.deepStrictEqual([(yield* stateOf(stored)).status, yield* found("line")], ["processing", []])
      assert.isTrue((yield* attempt(job, 2)).isDone)
      assert.deepStrictEqual(calls.map(({ length }) => length), [200, 50, 50])
      assert.strictEqual((yield* found("line")).length, 250)
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a page is fetched once, and a later attempt embeds only the chunks that are not stored", () => {
    const { calls, embedder } = embedderOf((call) => call === 2 ? Effect.fail(passing) : Effect.void)
    const url = "https://example.com/kept"
    return Effect.gen(function*() {
      pages.set(url, lines(250))
      const { job, stored } = yield* uploadOf({ _tag: "Url", url }, "page")
      assert.isFalse((yield* attempt(job)).isDone)
      pages.set(url, "!")
      assert.isTrue((yield* attempt(job, 2)).isDone)
      assert.deepStrictEqual(calls.map(({ length }) => length), [200, 50, 50])
      assert.strictEqual((yield* found("line")).length, 250)
      assert.strictEqual((yield* stateOf(stored)).status, "completed")
      const contents = yield* ContentStore
      assert.isTrue(Option.isNone(yield* contents.body(stored)))
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a page that changes after chunks of it were stored and it was not kept has no chunks of before", () => {
    const { embedder } = embedderOf((call) => call === 2 ? Effect.fail(passing) : Effect.void)
    const url = "https://example.com/changing"
    return Effect.gen(function*() {
      pages.set(url, lines(250))
      const { job, stored } = yield* uploadOf({ _tag: "Url", url }, "page")
      assert.isFalse((yield* attempt(job)).isDone)
      // an older version of the service kept nothing
      const contents = yield* ContentStore
      const version = yield* contents.get({ ...stored, owner: Owner.anyone })
      assert.isTrue(yield* contents.keep(version, { body: new Uint8Array() }))
      pages.set(url, lines(240).replaceAll("line", "sentence"))
      assert.isTrue((yield* attempt(job, 2)).isDone)
      assert.deepStrictEqual([(yield* found("line")).length, (yield* found("sentence")).length], [0, 240])
      assert.strictEqual((yield* stateOf(stored)).status, "completed")
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a page that an embedder refuses ends as failed", () => {
    const { embedder } = embedderOf(() => Effect.fail(refusal))
    const url = "https://example.com/refused"
    return Effect.gen(function*() {
      pages.set(url, "line")
      const { job, stored } = yield* uploadOf({ _tag: "Url", url }, "page")
      assert.isTrue((yield* attempt(job)).isDone)
      assert.strictEqual((yield* stateOf(stored)).status, "failed")
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("an embedder that refuses ends the content, and one that is down does so at the last attempt", () => {
    const errors = [refusal, passing]
    const { embedder } = embedderOf((call) => Effect.fail(errors[call - 1] ?? passing))
    return Effect.gen(function*() {
      const [refused, down] = [yield* upload("a", "refused"), yield* upload("b", "down")]
      assert.isTrue((yield* attempt(refused.job)).isDone)
      assert.match(String((yield* stateOf(refused.stored)).status_message), /^Could not insert embedding: .*too long/)
      assert.isFalse((yield* attempt(down.job, down.job.max_attempts - 1)).isDone)
      assert.strictEqual((yield* stateOf(down.stored)).status, "processing")
      assert.isTrue((yield* attempt(down.job, down.job.max_attempts)).isDone)
      assert.strictEqual((yield* stateOf(down.stored)).status, "failed")
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("the version before is found until the new one is whole, and stays if the new one cannot be read", () => {
    const { embedder } = embedderOf((call) => call === 2 ? Effect.fail(passing) : Effect.void)
    return Effect.gen(function*() {
      yield* Effect.flatMap(upload("old line"), ({ job }) => attempt(job))
      const second = yield* upload("new line")
      assert.isFalse((yield* attempt(second.job)).isDone)
      assert.deepStrictEqual(yield* found("line"), ["old line"])
      yield* attempt(second.job, 2)
      assert.deepStrictEqual(yield* found("line"), ["new line"])
      const broken = yield* upload("!")
      yield* attempt(broken.job)
      assert.deepStrictEqual(yield* stateOf(broken.stored), {
        name: "notes",
        status: "failed",
        status_message: "Content could not be read: The file is encrypted."
      })
      assert.deepStrictEqual(yield* found("line"), ["new line"])
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a content that is replaced while it is processed ends with the replacement alone", () => {
    let replace: Effect.Effect<void> = Effect.void
    const { embedder } = embedderOf((call) => call === 1 ? Effect.suspend(() => replace) : Effect.void)
    return Effect.gen(function*() {
      const services = yield* Effect.context<ContentStore | KnowledgeRegistry>()
      const first = yield* upload("first line")
      let second = first
      replace = upload("second line").pipe(
        Effect.map((uploaded) => void (second = uploaded)),
        Effect.orDie,
        Effect.provide(services)
      )
      assert.isTrue((yield* attempt(first.job)).isDone)
      assert.deepStrictEqual([(yield* stateOf(first.stored)).status, yield* found("line")], ["processing", []])
      assert.isTrue((yield* attempt(first.job)).isDone)
      assert.deepStrictEqual(yield* found("line"), [])
      yield* attempt(second.job)
      assert.deepStrictEqual(yield* found("line"), ["second line"])
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a content that fails is logged, unless it was replaced meanwhile", () => {
    let replace: Effect.Effect<void> = Effect.void
    const { embedder } = embedderOf((call) =>
      Effect.andThen(call === 1 ? Effect.suspend(() => replace) : Effect.void, Effect.fail(refusal))
    )
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push([message].flat().join(" ")))
    return Effect.gen(function*() {
      const services = yield* Effect.context<ContentStore | KnowledgeRegistry>()
      const first = yield* upload("first line")
      let second = first
      replace = upload("second line").pipe(
        Effect.map((uploaded) => void (second = uploaded)),
        Effect.orDie,
        Effect.provide(services)
      )
      yield* attempt(first.job)
      assert.deepStrictEqual(logged, [])
      yield* attempt(second.job)
      assert.match(logged.join(), /^A content of knowledge failed Could not insert embedding/)
    }).pipe(Effect.provide(Layer.mergeAll(open(embedder), Logger.layer([logger]))))
  })

  it.effect("a content that is removed while it is processed leaves nothing", () => {
    let remove: Effect.Effect<void> = Effect.void
    const { embedder } = embedderOf((call) => call === 2 ? Effect.suspend(() => remove) : Effect.void)
    return Effect.gen(function*() {
      const contents = yield* ContentStore
      const { job, stored } = yield* upload(lines(250))
      remove = contents.remove({ ...stored, owner: Owner.anyone }).pipe(Effect.asVoid, Effect.orDie)
      assert.isTrue((yield* attempt(job)).isDone)
      assert.deepStrictEqual(yield* found("line"), [])
      assert.strictEqual((yield* Effect.flip(stateOf(stored)))._tag, "ContentNotFound")
      yield* ChunkStore.use(({ prune }) => prune)
      assert.strictEqual((yield* ChunkStore.use((store) => store.added(stored))).size, 0)
      assert.isTrue((yield* attempt(job, 2)).isDone)
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("an attempt whose database does not answer fails, and the next one processes the content", () => {
    const { embedder } = embedderOf()
    return Effect.gen(function*() {
      const { job, stored } = yield* upload("a")
      const isDone = yield* attempt(job).pipe(
        Effect.updateService(ContentStore, (contents) => ({
          ...contents,
          get: () => Effect.fail(new StorageUnavailable({ cause: "cut" }))
        })),
        Effect.map(({ isDone }) => isDone)
      )
      assert.isFalse(isDone)
      yield* attempt(job)
      assert.strictEqual((yield* stateOf(stored)).status, "completed")
    }).pipe(Effect.provide(open(embedder)))
  })

  it.effect("a content of a knowledge base that no node has ends as failed at the last attempt", () => {
    const { embedder } = embedderOf()
    return Effect.gen(function*() {
      const { job, stored } = yield* upload("a")
      const unknown = { ...job, payload: { ...job.payload as Json.Object, knowledge_id: "gone" } }
      assert.isFalse((yield* attempt(unknown)).isDone)
      assert.strictEqual((yield* stateOf(stored)).status, "processing")
      yield* attempt(unknown, unknown.max_attempts)
      assert.deepStrictEqual(yield* stateOf(stored), {
        name: "notes",
        status: "failed",
        status_message: "No knowledge base with the ID gone is registered"
      })
    }).pipe(Effect.provide(open(embedder)))
  })
})

/** An embedder of which a test changes the name. */
const renamed = (embedder: Embedder.Embedder) => {
  const id = { current: "test:first" }
  const changed: Embedder.Embedder = {
    ...embedder,
    get id() {
      return id.current
    }
  }
  return { changed, id }
}

const lookForChanges = Effect.flatMap(
  ChangedEmbedders.kind(Ids.DatabaseId.make("main-db")),
  (kind) => kind.execute(null, {} as never)
)

/** The jobs that embed contents again. */
const begun = Effect.flatMap(
  JobStore,
  (jobs) => jobs.acquire({ node: "node", slots: { [IngestionJob.names.again]: 100 } })
)

const embedAgain = Effect.gen(function*() {
  for (const job of yield* begun) {
    yield* attempt(job)
    yield* JobStore.use((jobs) => jobs.finish(job, { _tag: "Completed" }))
  }
})

const countByMeaning = ChunkStore.use((chunks) =>
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

describe("another embedder", () => {
  it.effect("contents are embedded again, and those that it refuses are found by words as before", () => {
    const { calls, embedder } = embedderOf((call) => call === 5 ? Effect.fail(refusal) : Effect.void)
    const { changed, id } = renamed(embedder)
    return Effect.gen(function*() {
      const uploads = [yield* upload(lines(3), "first"), yield* upload("word 1", "second")]
      for (const { job } of uploads) yield* attempt(job)
      yield* lookForChanges
      assert.deepStrictEqual(yield* begun, [])

      id.current = "test:other"
      yield* lookForChanges
      assert.strictEqual((yield* Effect.flip(countByMeaning))._tag, "EmbeddingMismatch")
      assert.strictEqual((yield* found("line")).length, 3)
      const jobs = yield* begun
      assert.strictEqual(jobs.length, 2)
      for (const job of jobs) assert.isTrue((yield* attempt(job)).isDone)
      assert.deepStrictEqual(calls.map(({ length }) => length), [3, 1, 1, 3, 1])
      assert.deepStrictEqual([yield* countByMeaning, (yield* found("line")).length, (yield* found("word")).length], [
        3,
        3,
        1
      ])
      const states = yield* Effect.forEach(uploads, ({ stored }) => stateOf(stored))
      assert.deepStrictEqual(states.map(({ status }) => status), ["completed", "failed"])
      yield* lookForChanges
      assert.deepStrictEqual(yield* begun, [])
    }).pipe(Effect.provide(open(changed)))
  })

  it.effect("an upload of the same URL meanwhile fetches it, and the chunks before are not published for it", () => {
    const { changed, id } = renamed(embedderOf().embedder)
    const url = { _tag: "Url", url: "https://example.com/again" } as const
    return Effect.gen(function*() {
      pages.set(url.url, "before")
      yield* attempt((yield* uploadOf(url, "page")).job)
      id.current = "test:other"
      yield* lookForChanges
      pages.set(url.url, "after")
      const { job, stored } = yield* uploadOf(url, "page")
      yield* embedAgain
      yield* attempt(job)
      assert.deepStrictEqual([yield* found("before"), yield* found("after")], [[], ["after"]])
      assert.strictEqual((yield* stateOf(stored)).status, "completed")
    }).pipe(Effect.provide(open(changed)))
  })

  it.effect("a content whose last upload failed keeps its failure, and its chunks get new vectors", () => {
    const { changed, id } = renamed(embedderOf().embedder)
    return Effect.gen(function*() {
      yield* attempt((yield* upload("word")).job)
      const failed = yield* upload("!")
      yield* attempt(failed.job)
      const before = yield* stateOf(failed.stored)
      assert.strictEqual(before.status, "failed")
      id.current = "test:other"
      yield* lookForChanges
      yield* embedAgain
      assert.deepStrictEqual(yield* stateOf(failed.stored), before)
      assert.deepStrictEqual([yield* countByMeaning, (yield* found("word")).length], [1, 1])
    }).pipe(Effect.provide(open(changed)))
  })

  it.effect("a content that another embedder refused is completed when the next one embeds it", () => {
    const { changed, id } = renamed(embedderOf((call) => call === 3 ? Effect.fail(refusal) : Effect.void).embedder)
    return Effect.gen(function*() {
      const { job, stored } = yield* upload("word")
      yield* attempt(job)
      const statuses: Array<string> = []
      for (const name of ["test:refusing", "test:other"]) {
        id.current = name
        yield* lookForChanges
        yield* embedAgain
        statuses.push((yield* stateOf(stored)).status)
      }
      assert.deepStrictEqual([...statuses, yield* countByMeaning], ["failed", "completed", 1])
    }).pipe(Effect.provide(open(changed)))
  })

  it.effect("a node with another embedder leaves it to other nodes, and pays for no vectors", () => {
    const { calls, embedder } = embedderOf()
    const { changed, id } = renamed(embedder)
    return Effect.gen(function*() {
      const { job, stored } = yield* upload("word")
      yield* attempt(job)
      id.current = "test:other"
      yield* lookForChanges
      const [again] = yield* begun
      const paid = calls.length
      id.current = "test:first"
      assert.isFalse((yield* attempt(again!)).isDone)
      assert.deepStrictEqual([(yield* stateOf(stored)).status, calls.length], ["processing", paid])
      id.current = "test:other"
      assert.isTrue((yield* attempt(again!, 2)).isDone)
      assert.deepStrictEqual([(yield* stateOf(stored)).status, yield* countByMeaning], ["completed", 1])
    }).pipe(Effect.provide(open(changed)))
  })
})
