// `ChunkStore` in PostgreSQL, without extensions. Searches read the rows of contents too, so an instance has its
// contents and its chunks in one database, and there is nothing to do when a content is changed or removed.
import { StoreLimits } from "@svc-runtime/engine/limits/StoreLimits"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import { text } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as ChunkBatches from "./ChunkBatches.ts"
import * as ChunkSearch from "./ChunkSearch.ts"
import { ChunkStore } from "./ChunkStore.ts"
import type * as Knowledge from "./Knowledge.ts"
import { ContentSuperseded, EmbeddingMismatch } from "./KnowledgeErrors.ts"
import { prunedAtOnce } from "./KnowledgeLimits.ts"
import { isPresent } from "./knowledgeRows.ts"
import * as VectorChecks from "./VectorChecks.ts"
import * as VectorIndexes from "./VectorIndexes.ts"
import * as VectorIndexing from "./VectorIndexing.ts"

// Removes chunks that no search can find anymore, in pieces. A content keeps its mark until it has none of them.

/** Contents of which one statement removes chunks. */
const contentsAtOnce = 1000

interface Pruned {
  readonly chunks: number
  readonly contents: number
}

const deadChunks = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError.SqlError> => {
  // A change that marks a content meanwhile waits for this statement, and marks the content again. The chunks of each
  // content are found by the index, because a join could read all chunks.
  const piece = sql<Pruned>`
    with marked as materialized (
      select d.content_seq from svc_dead_chunks d order by d.mark limit ${contentsAtOnce} for update skip locked
    ), dead as materialized (
      select c.* from marked m cross join lateral (
        select c.chunk_no, c.content_seq, c.generation, c.place
        from svc_chunks c left join svc_contents s on s.seq = m.content_seq
        where c.content_seq = m.content_seq and (s.seq is null or not (
          c.generation is not distinct from s.published or c.generation = s.generation and s.status = 'processing'
        )) offset 0
      ) c
      limit ${prunedAtOnce}
    ), texts as (
      delete from svc_chunk_texts t using dead where t.chunk_no = dead.chunk_no
    ), chunks as (
      delete from svc_chunks c using dead where c.chunk_no = dead.chunk_no
    ), vectors as (
      insert into svc_dead_vectors (chunk_no, content_seq, generation, place)
      select chunk_no, content_seq, generation, place from dead
      where exists (select from svc_vector_indexes) on conflict do nothing
    ), unmarked as (
      delete from svc_dead_chunks d using marked m
      where d.content_seq = m.content_seq and (select count(*) from dead) < ${prunedAtOnce}
    )
    select (select count(*) from dead)::int as chunks, (select count(*) from marked)::int as contents`

  const prune: Effect.Effect<number, SqlError.SqlError> = Effect.flatMap(piece, ([pruned]) => {
    const { chunks, contents } = pruned ?? { chunks: 0, contents: 0 }
    // there can be more behind contents without dead chunks
    return chunks === 0 && contents === contentsAtOnce ? Effect.suspend(() => prune) : Effect.succeed(chunks)
  })
  return prune
}

/** Tries to store a batch, if the model of the instance is changed between its check and the insertion. */
const attempts = 3

const superseded = ({ content_id, generation }: Knowledge.Version) => new ContentSuperseded({ content_id, generation })

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const batches = ChunkBatches.make(sql)
  const { minIndexedChunks, response: responseLimit } = yield* StoreLimits
  const indexes = minIndexedChunks === undefined ? VectorIndexes.none : VectorIndexes.make(sql)
  const search = ChunkSearch.make(sql, {
    indexes,
    verifyModel: batches.verifyModel,
    responseLimit
  })

  const isOf = ({ content_id, instance }: Knowledge.Version) =>
    sql`s.instance = ${text(instance)} and s.content_id = ${text(content_id)} and ${sql.literal(isPresent)}`

  const addBatch = Effect.fnUntraced(function*(
    content: Knowledge.Content,
    embedding: Knowledge.Embedding | null,
    chunks: ReadonlyArray<Knowledge.EmbeddedChunk>
  ) {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { has_model, is_current } = yield* batches.insert(content, embedding, chunks)
      if (!is_current) return yield* superseded(content)
      if (has_model) return
      yield* batches.decideModel(content.instance, embedding)
    }
    return yield* new EmbeddingMismatch({ instance: content.instance, stored: null, given: embedding })
  })

  return ChunkStore.of({
    add: Effect.fn("SqlChunkStore.add")(function*(content, embedding, chunks) {
      const refused = VectorChecks.unusable(embedding, chunks)
      if (refused !== undefined) return yield* refused
      yield* Effect.forEach(ChunkBatches.split(chunks), (batch) => addBatch(content, embedding, batch), {
        discard: true
      })
    }, orUnavailable),
    added: Effect.fn("SqlChunkStore.added")((version) =>
      readOrUnavailable(
        Effect.map(
          sql<{ readonly place: number }>`
            select c.place from svc_contents s
            join svc_chunks c on c.content_seq = s.seq and c.generation = ${version.generation} where ${isOf(version)}`,
          (rows) => new Set(rows.map(({ place }) => place))
        )
      )
    ),
    publish: Effect.fn("SqlChunkStore.publish")(function*(version) {
      const published = yield* sql`
        update svc_contents s set published = s.generation
        where ${isOf(version)} and s.generation = ${version.generation}
          and (s.status = 'processing' or s.published = s.generation)
        returning 1`
      if (published.length === 0) return yield* superseded(version)
    }, orUnavailable),
    update: () => Effect.void,
    remove: () => Effect.void,
    prune: orUnavailable(deadChunks(sql)),
    index: minIndexedChunks === undefined
      ? Effect.succeed(0)
      : orUnavailable(VectorIndexing.make(sql, indexes, minIndexedChunks)),
    search: Effect.fn("SqlChunkStore.search")(function*(query) {
      const refused = query.sought._tag === "Keyword" ? undefined : VectorChecks.unusableQuery(query.sought)
      if (refused !== undefined) return yield* refused
      return yield* search(query)
    }, readOrUnavailable)
  })
})

export const layer: Layer.Layer<ChunkStore, never, SqlClient.SqlClient | StoreLimits> = Layer.effect(ChunkStore, make)
