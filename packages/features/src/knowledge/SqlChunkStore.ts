// `ChunkStore` in PostgreSQL, without extensions. Searches read the rows of contents too, so an instance has its
// contents and its chunks in one database, and there is nothing to do when a content is changed or removed.
import { ResponseLimit } from "@svc-runtime/engine/limits/ResponseLimit"
import { Pgvector } from "@svc-runtime/postgres/Pgvector"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import { text } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as ChunkBatches from "./ChunkBatches.ts"
import * as ChunkSearch from "./ChunkSearch.ts"
import { ChunkStore } from "./ChunkStore.ts"
import * as DeadChunks from "./DeadChunks.ts"
import type * as Knowledge from "./Knowledge.ts"
import { ContentSuperseded, EmbeddingMismatch } from "./KnowledgeErrors.ts"
import { isPresent } from "./knowledgeRows.ts"
import * as VectorChecks from "./VectorChecks.ts"
import * as VectorIndexes from "./VectorIndexes.ts"
import * as VectorIndexing from "./VectorIndexing.ts"

/** Tries to store a batch, if the model of the instance is changed between its check and the insertion. */
const attempts = 3

const superseded = ({ content_id, generation }: Knowledge.Version) => new ContentSuperseded({ content_id, generation })

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const batches = ChunkBatches.make(sql)
  const pgvector = yield* Pgvector
  const indexes = pgvector.isUsed ? VectorIndexes.make(sql) : VectorIndexes.none
  const search = ChunkSearch.make(sql, {
    indexes,
    verifyModel: batches.verifyModel,
    responseLimit: yield* ResponseLimit
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
    prune: orUnavailable(DeadChunks.make(sql)),
    index: pgvector.isUsed ? orUnavailable(VectorIndexing.make(sql, indexes, pgvector.minChunks)) : Effect.succeed(0),
    search: Effect.fn("SqlChunkStore.search")(function*(query) {
      const refused = query.sought._tag === "Keyword" ? undefined : VectorChecks.unusableQuery(query.sought)
      if (refused !== undefined) return yield* refused
      return yield* search(query)
    }, readOrUnavailable)
  })
})

export const layer: Layer.Layer<ChunkStore, never, SqlClient.SqlClient> = Layer.effect(ChunkStore, make)
