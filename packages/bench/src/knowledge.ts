// Searches in knowledge on PostgreSQL (10,000 and 100,000 chunks) and embedded (10,000): how long each takes, and how
// many of the really nearest chunks a search by meaning finds. Vectors are synthetic: clusters with noise.
import * as Ids from "@svc-runtime/domain/Ids"
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Vector from "@svc-runtime/domain/Vector"
import { ChunkStore, type Sought } from "@svc-runtime/features/knowledge/ChunkStore"
import { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import * as Knowledge from "@svc-runtime/features/knowledge/Knowledge"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as Pglite from "@svc-runtime/postgres/Pglite"
import * as PostgresDatabase from "@svc-runtime/postgres/Postgres"
import * as EmbeddedPostgres from "@svc-runtime/test-support/EmbeddedPostgres"
import * as QuestionSet from "@svc-runtime/test-support/QuestionSet"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const dimensions = 1536
const clusters = 200
const chunksOfContent = 100
const queries = 40
const repetitions = 3
const limit = 10

const say = (line: string) => process.stdout.write(`${line}\n`)

/** The same numbers each time. */
const random = ((seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
})(42)

/** Nearly normally distributed. */
const noise = () => random() + random() + random() + random() - 2

const centers = Array.from({ length: clusters }, () => Float32Array.from({ length: dimensions }, noise))

/** Made once, and read from another place each time. */
const noises = Float32Array.from({ length: 2 ** 20 }, noise)

const near = (vector: Float32Array, spread: number) => {
  const from = Math.floor(random() * noises.length)
  return vector.map((number, index) => number + spread * (noises[(from + index) % noises.length] ?? 0))
}

const randomCenter = () => centers[Math.floor(random() * clusters)] ?? new Float32Array(dimensions)

/** Few words are frequent and many are rare, as in languages. */
const word = () => `word${Math.floor(5000 ** random())}`
const words = (count: number) => Array.from({ length: count }, word).join(" ")

interface Query {
  readonly vector: Float32Array
  readonly text: string
  readonly question: string
  /** The similarity of the really nearest chunks, and their ids. */
  nearest: ReadonlyArray<readonly [score: number, id: string]>
}

const makeQueries = (): ReadonlyArray<Query> =>
  Array.from({ length: queries }, () => ({
    vector: near(randomCenter(), 0.8),
    text: `${word()} ${word()}`,
    question: words(12),
    nearest: []
  }))

const note = (queries: ReadonlyArray<Query>, id: string, vector: Float32Array) => {
  for (const query of queries) {
    const score = Vector.cosine(query.vector, vector)
    const last = query.nearest.at(limit - 1)
    if (last !== undefined && last[0] >= score) continue
    query.nearest = [...query.nearest, [score, id] as const].sort(([left], [right]) => right - left).slice(0, limit)
  }
}

const instance = "bench"
const embedding: Knowledge.Embedding = { model: "synthetic", dimensions }

/** Every second content is one of ten users. */
const userOf = (from: number) => Ids.UserId.make(`user${from / chunksOfContent % 10}`)

const seed = Effect.fnUntraced(function*(count: number, queries: ReadonlyArray<Query>) {
  const contents = yield* ContentStore
  const store = yield* ChunkStore
  for (let from = 0; from < count; from += chunksOfContent) {
    const content = yield* contents.put(
      {
        instance,
        content_id: Knowledge.ContentId.make(`content${from}`),
        user_id: from / chunksOfContent % 2 === 0 ? null : userOf(from),
        name: null,
        description: null,
        type: "text/plain",
        size: null,
        metadata: { part: from / chunksOfContent % 10 },
        origin: null,
        digest: null
      },
      {},
      1_700_000_000
    )
    const chunks = Array.from({ length: chunksOfContent }, (_, place): Knowledge.EmbeddedChunk => {
      const vector = near(randomCenter(), 1)
      const id = `chunk${from + place}`
      note(queries, id, vector)
      const text = words(150)
      return { id, name: null, text, metadata: {}, index: place + 1, size: text.length, vector }
    })
    yield* store.add(content, embedding, chunks)
    yield* store.publish(content)
    yield* contents.finish(content, { status: "completed", status_message: "" }, 1_700_000_000)
  }
  const sql = yield* SqlClient.SqlClient
  for (const table of ["svc_contents", "svc_chunks", "svc_chunk_texts"]) yield* sql.unsafe(`vacuum analyze ${table}`)
})

const measure = Effect.fnUntraced(function*(
  name: string,
  queries: ReadonlyArray<Query>,
  soughtOf: (query: Query) => Sought,
  filter: KnowledgeFilter.Filter = KnowledgeFilter.everything,
  owner: Owner.Owner = Owner.anyone
) {
  const store = yield* ChunkStore
  const times: Array<number> = []
  let [found, wanted] = [0, 0]
  for (let round = 0; round < repetitions + 1; round++) {
    for (const query of queries) {
      const start = performance.now()
      const results = yield* store.search({ instance, owner, filter, limit, sought: soughtOf(query) })
      // the first round fills caches
      if (round > 0) times.push(performance.now() - start)
      const ids = new Set(results.map(({ chunk }) => chunk.id))
      found += query.nearest.filter(([, id]) => ids.has(id)).length
      wanted += query.nearest.length
    }
  }
  const sorted = times.sort((left, right) => left - right)
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1).padStart(7)
  const recall = name.endsWith("vector") ? `, recall ${(found / wanted).toFixed(3)}` : ""
  say(`  ${name.padEnd(30)} fastest ${at(0)}, median ${at(0.5)}, 95 % below ${at(0.95)} ms${recall}`)
})

/** Makes the index of pgvector. False: the database has none. */
const indexed = Effect.gen(function*() {
  const [store, sql] = [yield* ChunkStore, yield* SqlClient.SqlClient]
  const start = performance.now()
  let [longest, pieces] = [0, 0]
  for (;;) {
    const before = performance.now()
    if ((yield* store.index) === 0) break
    longest = Math.max(longest, performance.now() - before)
    pieces++
  }
  const indexes = yield* sql`select 1 from svc_vector_indexes`
  if (indexes.length === 0) {
    say("  no pgvector: no figures of an index")
    return false
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  say(`  indexed in ${seconds} s, ${pieces} pieces, the longest ${longest.toFixed(0)} ms`)
  return true
})

const measured = Effect.fnUntraced(function*(count: number) {
  const queries = makeQueries()
  const start = performance.now()
  yield* seed(count, queries)
  say(`${count} chunks of ${dimensions} numbers, stored in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  const byMeaning = ({ vector }: Query): Sought => ({ _tag: "Vector", vector, embedding })
  const byBoth = (text: (query: Query) => string) => (query: Query): Sought => ({
    _tag: "Hybrid",
    text: text(query),
    vector: query.vector,
    embedding
  })
  yield* measure("keyword, two words", queries, ({ text }) => ({ _tag: "Keyword", text }))
  const filter: KnowledgeFilter.Filter = { _tag: "In", key: "part", values: [3] }
  const user = Owner.user(userOf(chunksOfContent))
  const byMeaningRows = (isIndexed: boolean) =>
    Effect.gen(function*() {
      const of = isIndexed ? "indexed " : ""
      yield* measure(`${of}vector`, queries, byMeaning)
      yield* measure(`${of}vector with a filter`, queries, byMeaning, filter)
      yield* measure(`${of}vector of one user`, queries, byMeaning, KnowledgeFilter.everything, user)
      yield* measure(`${of}hybrid, two words`, queries, byBoth(({ text }) => text))
      yield* measure(`${of}hybrid, a question`, queries, byBoth(({ question }) => question))
    })
  yield* byMeaningRows(false)
  if (yield* indexed) yield* byMeaningRows(true)
})

/** The share of fifty questions whose document is among the first five results. */
const questions = Effect.gen(function*() {
  const { hybrid, keyword, vector } = yield* QuestionSet.recalls("set")
  const shown = [["vector", vector], ["keyword", keyword], ["hybrid", hybrid]] as const
  say(
    `  50 questions, found among the first 5: ${
      shown.map(([name, share]) => `${name} ${(100 * share).toFixed(0)} %`).join(", ")
    }`
  )
})

const onPostgres = (count: number) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* EmbeddedPostgres.make()
    yield* server.start
    const stores = SqlStores.layer.pipe(Layer.provideMerge(PostgresDatabase.layer({ url: server.url })))
    say("PostgreSQL")
    yield* Effect.provide(Effect.andThen(measured(count), questions), stores)
  }))

const embedded = (count: number) =>
  Effect.scoped(Effect.gen(function*() {
    const directory = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "svc-bench-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
    )
    const stores = SqlStores.layer.pipe(Layer.provideMerge(Pglite.layer({ dataDir: join(directory, "data") })))
    say("Embedded")
    yield* Effect.provide(Effect.andThen(measured(count), questions), stores)
  }))

const [only] = process.argv.slice(2)
await Effect.runPromise(Effect.gen(function*() {
  if (only !== "embedded" && only !== "large") yield* onPostgres(10_000)
  if (only !== "postgres" && only !== "large") yield* embedded(10_000)
  if (only === undefined || only === "large") yield* onPostgres(100_000)
}))
