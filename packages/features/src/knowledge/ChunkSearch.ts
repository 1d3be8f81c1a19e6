// Searches in chunks. A search by meaning compares sign bits first, which is cheap, in an index if there is one, and
// then the whole vectors of the nearest. Few chunks are all compared as a whole.
import * as Vector from "@svc-runtime/domain/Vector"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { isLost } from "@svc-runtime/postgres/sql/orUnavailable"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { text, times } from "@svc-runtime/postgres/sql/rows"
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { ChunkQuery, VectorQuery } from "./ChunkStore.ts"
import * as KnowledgeFilters from "./FilterStatements.ts"
import * as Fusion from "./Fusion.ts"
import type * as Knowledge from "./Knowledge.ts"
import { EmbeddingMismatch } from "./KnowledgeErrors.ts"
import { searchedLength } from "./KnowledgeLimits.ts"
import { foundColumns, FoundRow, isVisible, toFound } from "./knowledgeRows.ts"
import * as VectorIndexes from "./VectorIndexes.ts"

// The words of a question that say what it is about: words that few chunks have. The statistics of the database know
// which words are frequent. Before it has any, all words count as rare.

/** A word that a larger part of all chunks has is frequent. */
const frequentPart = 0.05

const maxWords = 8

/** How long the statistics are cached. */
const cacheTtl = "5 minutes"

/** Operators of a search: its author has chosen the words that are needed. */
const hasOperators = (text: string): boolean => /"|(^|\s)-/.test(text)

/** As the parser of texts finds them, in lower case. `or` is an operator. */
const wordsOf = (text: string): ReadonlyArray<string> => [
  ...new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word !== "or" && word.length < 100))
]

const rareWordsOf = (sql: SqlClient.SqlClient) => {
  const [frequencies] = Effect.runSync(Effect.cachedInvalidateWithTTL(
    Effect.map(
      sql<{ readonly word: string; readonly part: number }>`
        select w.word, w.part::float8 as part from pg_stats p
        cross join unnest(p.most_common_elems::text::text[], p.most_common_elem_freqs) as w (word, part)
        where p.schemaname = current_schema() and p.tablename = 'svc_chunk_texts' and p.attname = 'words'
          and w.word is not null and w.part is not null`,
      (rows) => new Map(rows.map(({ part, word }) => [word, part]))
    ),
    cacheTtl
  ))

  /** The rarest first. */
  return (text: string): Effect.Effect<ReadonlyArray<string>, SqlError.SqlError> => {
    const words = hasOperators(text) ? [] : wordsOf(text)
    if (words.length < 2) return Effect.succeed([])
    return Effect.map(frequencies, (known) => {
      const partOf = (word: string) => known.get(word) ?? 0
      return words.filter((word) => partOf(word) <= frequentPart)
        .sort((left, right) => partOf(left) - partOf(right))
        .slice(0, maxWords)
    })
  }
}

// How many whole vectors a search compares, after the signs. Small vectors have less exact signs, so more are compared.

interface Bounds {
  readonly perResult: number
  readonly atLeast: number
  readonly usualBytes: number
}

const maxBytes = 24 * 1024 * 1024
const maxCandidates = 5000

const countOf = ({ atLeast, perResult, usualBytes }: Bounds) => (limit: number, dimensions: number): number => {
  const bytes = dimensions * Vector.bytesOfNumber
  const wanted = Math.max(atLeast, perResult * limit, Math.min(maxCandidates, Math.floor(usualBytes / bytes)))
  return Math.max(limit, Math.min(wanted, Math.floor(maxBytes / bytes)))
}

/** Without an index. */
const scannedCount = countOf({ perResult: 20, atLeast: 500, usualBytes: 3_072_000 })

/** In an index, whose time grows with their number. */
const indexedCount = countOf({ perResult: 10, atLeast: 200, usualBytes: 1_228_800 })

/** A search for more results uses no index. */
const indexedResults = 200

/** Chunks that are ranked by words. A word that more of them have says nothing about any of them. */
const maxRanked = 2000

/** More results are measured before they are read. */
const smallResult = 50

const Scored = Schema.Struct({ chunk_no: Schema.Int, score: Schema.Finite })
type Scored = typeof Scored.Type
const scores = Schema.decodeUnknownEffect(Schema.Array(Scored))

const Candidate = Schema.Struct({ chunk_no: Schema.Int, vector: Schema.NullOr(Schema.Uint8Array) })
type Candidate = typeof Candidate.Type
const candidates = Schema.decodeUnknownEffect(Schema.Array(Candidate))
const indexedCandidates = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ ...Candidate.fields, nearest: Schema.Int }))
)

const rankedBy = (by: Knowledge.Ranking["by"]) => (found: ReadonlyArray<Scored>) =>
  Fusion.ranked(by, found.map(({ chunk_no, score }) => [chunk_no, score]))

type Failure = EmbeddingMismatch | Schema.SchemaError | SqlError.SqlError

const readable = ReadableRows.make(FoundRow)

/** Fails if the vectors of an instance are of another model. */
type VerifyModel = (
  instance: string,
  embedding: Knowledge.Embedding,
  isLocked: boolean
) => Effect.Effect<boolean, EmbeddingMismatch | SqlError.SqlError>

interface Parts {
  readonly indexes: VectorIndexes.VectorIndexes
  readonly verifyModel: VerifyModel
  readonly responseLimit: number
}

export const make = (sql: SqlClient.SqlClient, { responseLimit, indexes, verifyModel }: Parts) => {
  const condition = KnowledgeFilters.make(sql)
  const rareWords = rareWordsOf(sql)

  /** The chunks `c` of the contents `s` that the query covers. */
  const covered = (query: ChunkQuery): Statement.Fragment => sql.and([isVisible(sql, query), condition(query.filter)])

  const published = sql.literal(
    "svc_contents s join svc_chunks c on c.content_seq = s.seq and c.generation = s.published"
  )

  const isOfModel = ({ instance }: ChunkQuery, { embedding: { model } }: VectorQuery) =>
    sql`s.published >= (
      select m.since from svc_knowledge_models m where m.instance = ${text(instance)} and m.model = ${text(model)}
    )`

  // the text of the bits is parsed once in a subquery, and would be for each row without it
  const bySigns = ({ embedding: { dimensions }, vector }: VectorQuery) =>
    sql`bit_count(case length(c.signs) when ${dimensions}
      then c.signs # (select cast(${Vector.signBits(vector)}::text as bit varying)) end)`

  const rerank = ({ embedding: { dimensions }, vector }: VectorQuery, rows: ReadonlyArray<Candidate>, limit: number) =>
    rows
      .flatMap(({ chunk_no, vector: bytes }): ReadonlyArray<Scored> =>
        // a damaged vector is one that is not found
        Option.match(bytes === null ? Option.none() : Vector.fromBytes(bytes, dimensions), {
          onNone: () => [],
          onSome: (stored) => [{ chunk_no, score: Vector.cosine(vector, stored) }]
        })
      )
      .sort((left, right) => right.score - left.score)
      .slice(0, limit)

  /** Compares the signs of all chunks that the query covers. */
  const scanned = (query: ChunkQuery, sought: VectorQuery, limit: number) =>
    Effect.flatMap(
      sql`
        with found as materialized (
          select c.chunk_no from ${published} where ${covered(query)} and ${isOfModel(query, sought)}
          order by ${bySigns(sought)} limit ${scannedCount(limit, sought.embedding.dimensions)}
        )
        select found.chunk_no::float8 as chunk_no, t.vector from found join svc_chunk_texts t using (chunk_no)`,
      candidates
    )

  /** Undefined: too few of the chunks that are near match the query. Contents that are not indexed yet are scanned. */
  const inIndex = (query: ChunkQuery, sought: VectorQuery, limit: number, index: VectorIndexes.VectorIndex) => {
    const count = indexedCount(limit, index.dimensions)
    const dimensions = sql.literal(String(index.dimensions))
    const condition = sql.and([covered(query), isOfModel(query, sought)])
    return inTransaction(sql)(Effect.gen(function*() {
      yield* VectorIndexes.configure(sql, count)
      const rows = yield* indexedCandidates(
        yield* sql`
        with nearest as materialized (
          select c.chunk_no from ${VectorIndexes.tableOf(sql, index.index_no)} v
          join svc_contents s on s.seq = v.content_seq and s.published = v.generation
          join svc_chunks c on c.chunk_no = v.chunk_no
          where ${condition}
          order by v.signs operator(${sql.literal(index.schema)}.<~>) ${
          Vector.signBits(sought.vector)
        }::bit(${dimensions})
          limit ${count}
        ), unindexed as materialized (
          select c.chunk_no from ${published}
          where s.published is not null and s.indexed is distinct from s.published and ${condition}
          order by ${bySigns(sought)} limit ${scannedCount(limit, index.dimensions)}
        ), found as (
          select chunk_no from nearest union select chunk_no from unindexed
        )
        select found.chunk_no::float8 as chunk_no, t.vector, (select count(*) from nearest)::int as nearest
        from found join svc_chunk_texts t using (chunk_no)`
      )
      return (rows[0]?.nearest ?? 0) < count ? undefined : rows
    }))
  }

  const nearest = Effect.fnUntraced(function*(query: ChunkQuery, sought: VectorQuery, limit: number) {
    const index = limit > indexedResults ? undefined : yield* indexes.find(query.instance, sought.embedding)
    const indexed = index === undefined ? undefined : yield* inIndex(query, sought, limit, index).pipe(
      Effect.catch((error) => isLost(error) ? Effect.fail(error) : Effect.as(indexes.failed(index, error), undefined))
    )
    return rerank(sought, indexed ?? (yield* scanned(query, sought, limit)), limit)
  })

  /** Whether there are chunks that the search would have found before the model of the instance was changed. */
  const hasOutdated = (query: ChunkQuery) =>
    Effect.map(
      sql`
        select 1 from ${published} join svc_knowledge_models m on m.instance = s.instance and s.published < m.since
        where ${covered(query)} limit 1`,
      (rows) => rows.length > 0
    )

  const byMeaning = Effect.fnUntraced(function*(query: ChunkQuery, sought: VectorQuery, limit: number) {
    const found = yield* nearest(query, sought, limit)
    if (found.length > 0) return found
    const [{ instance }, { embedding }] = [query, sought]
    yield* verifyModel(instance, embedding, false)
    // a hybrid search finds them by words
    if (query.sought._tag === "Vector" && (yield* hasOutdated(query))) {
      return yield* new EmbeddingMismatch({ instance, stored: embedding, given: embedding })
    }
    return found
  })

  /** The query stands in the condition, so that the plan knows how many chunks have such words. */
  const matching = (query: ChunkQuery, tsquery: Statement.Fragment) =>
    sql`
      select c.chunk_no, t.words from ${published} join svc_chunk_texts t on t.chunk_no = c.chunk_no
      where t.words @@ ${tsquery} and ${covered(query)} limit ${maxRanked}`

  const tsqueryOf = (words: string) => sql`websearch_to_tsquery('simple', ${text(words)})`

  const byWords = (query: ChunkQuery, words: string, limit: number) => {
    const tsquery = tsqueryOf(words)
    return Effect.flatMap(
      sql`
        with found as materialized (${matching(query, tsquery)})
        select chunk_no::float8 as chunk_no, ts_rank_cd(words, (select ${tsquery}))::float8 as score from found
        order by score desc, found.chunk_no limit ${limit}`,
      scores
    )
  }

  const bySomeWords = Effect.fnUntraced(function*(query: ChunkQuery, words: string, limit: number) {
    const rare = yield* rareWords(words)
    if (rare.length === 0) return []
    const tsquery = tsqueryOf(rare.join(" or "))
    return yield* scores(
      yield* sql`
      with found as materialized (${matching(query, tsquery)})
      select chunk_no::float8 as chunk_no, ts_rank(words, (select ${tsquery}))::float8 as score from found
      order by score desc, found.chunk_no limit ${limit}`
    )
  })

  /** A question has words that no answer has: chunks with some of its rarest words follow those with all of them. */
  const byAnyWords = Effect.fnUntraced(function*(query: ChunkQuery, words: string, limit: number) {
    const whole = yield* byWords(query, words, limit)
    const partial = whole.length < limit ? yield* bySomeWords(query, words, limit) : []
    const known = new Set(whole.map(({ chunk_no }) => chunk_no))
    return [...whole, ...partial.filter(({ chunk_no }) => !known.has(chunk_no))].slice(0, limit)
  })

  const scored = (query: ChunkQuery): Effect.Effect<ReadonlyArray<Fusion.Ranked<number>>, Failure> => {
    const { limit, sought } = query
    switch (sought._tag) {
      case "Keyword": {
        const words = sought.text.slice(0, searchedLength)
        return Effect.flatMap(
          byWords(query, words, limit),
          (whole) => whole.length > 0 ? Effect.succeed(whole) : bySomeWords(query, words, limit)
        ).pipe(Effect.map(rankedBy("words")))
      }
      case "Vector":
        return Effect.map(byMeaning(query, sought, limit), rankedBy("meaning"))
      case "Hybrid": {
        const perRanking = Fusion.resultsPerRanking(limit)
        return Effect.map(
          Effect.all([
            Effect.map(byMeaning(query, sought, perRanking), rankedBy("meaning")),
            Effect.map(byAnyWords(query, sought.text.slice(0, searchedLength), perRanking), rankedBy("words"))
          ], {
            concurrency: 2
          }),
          (rankings) => Fusion.unite(rankings).slice(0, limit)
        )
      }
    }
  }

  const ranked = (query: ChunkQuery, numbers: ReadonlyArray<number>) =>
    sql`
      select c.chunk_no, sum(
        octet_length(t.text) + octet_length(c.metadata::text) + coalesce(octet_length(s.metadata::text), 0)
      ) over (order by n.place) as bytes
      from unnest(${times(numbers)}::bigint[]) with ordinality as n (chunk_no, place)
      join svc_chunk_texts t on t.chunk_no = n.chunk_no
      join svc_chunks c on c.chunk_no = n.chunk_no
      join svc_contents s on s.seq = c.content_seq and s.published = c.generation
      where ${covered(query)}`

  /** The best chunks that the query still covers, as many as fit into one response. */
  const find = (query: ChunkQuery, numbers: ReadonlyArray<number>) =>
    sql<object>`
      with sized as materialized (${ranked(query, numbers)})
      select ${sql.literal(foundColumns)} from sized
      join svc_chunk_texts t on t.chunk_no = sized.chunk_no
      join svc_chunks c on c.chunk_no = sized.chunk_no
      join svc_contents s on s.seq = c.content_seq
      where sized.bytes <= ${responseLimit}`

  const bytesOf = (query: ChunkQuery, numbers: ReadonlyArray<number>) =>
    Effect.map(
      sql<{ readonly bytes: number }>`
        select coalesce(max(sized.bytes), 0)::float8 as bytes from (${ranked(query, numbers)}) sized`,
      ([row]) => ({ parsed: Math.min(row?.bytes ?? 0, responseLimit) })
    )

  return Effect.fnUntraced(function*(query: ChunkQuery) {
    const best = yield* scored(query)
    if (best.length === 0) return []
    const numbers = best.map(({ id }) => id)
    if (numbers.length > smallResult) yield* ReadLimiter.admit(bytesOf(query, numbers))
    const rows = yield* readable(yield* find(query, numbers))
    const byNumber = new Map(rows.map((row) => [row.chunk_no, row]))
    return best.flatMap(({ foundBy, id, score }): ReadonlyArray<Knowledge.Found> => {
      const row = byNumber.get(id)
      return row === undefined ? [] : [{ ...toFound(row, score), foundBy }]
    })
  })
}
