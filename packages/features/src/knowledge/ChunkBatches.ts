// Adds chunks to a generation of a content, in statements of bounded size.
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Vector from "@svc-runtime/domain/Vector"
import { inTransaction } from "@svc-runtime/postgres/sql/inTransaction"
import { integers, jsonb, text, textOrNull, texts } from "@svc-runtime/postgres/sql/rows"
import { Effect, Result } from "effect"
import type { SqlClient } from "effect/sql"
import type * as Knowledge from "./Knowledge.ts"
import { EmbeddingMismatch } from "./KnowledgeErrors.ts"
import { isPresent } from "./knowledgeRows.ts"
import * as VectorChecks from "./VectorChecks.ts"

/**
 * Of one statement. The embedded database executes one statement at a time: each statement of another caller can wait
 * for one of these, which takes some 10 ms.
 */
const bytesAtOnce = 40 * 1024

const vectors = (chunks: ReadonlyArray<Knowledge.EmbeddedChunk>): PgTypes.Parameter =>
  Result.getOrThrow(
    PgTypes.array(chunks.map(({ vector }) => vector === null ? null : Vector.toBytes(vector)), PgTypes.OID.bytea)
  )

const bytesOf = ({ metadata, text, vector }: Knowledge.EmbeddedChunk): number =>
  1000 + Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(metadata)) +
  (vector === null ? 0 : vector.length * (Vector.bytesOfNumber + 1))

export const split = (
  chunks: ReadonlyArray<Knowledge.EmbeddedChunk>
): ReadonlyArray<ReadonlyArray<Knowledge.EmbeddedChunk>> => {
  const batches: Array<Array<Knowledge.EmbeddedChunk>> = []
  let bytes = Number.POSITIVE_INFINITY
  for (const chunk of chunks) {
    bytes += bytesOf(chunk)
    if (bytes > bytesAtOnce) {
      batches.push([])
      bytes = bytesOf(chunk)
    }
    batches.at(-1)?.push(chunk)
  }
  return batches
}

interface Stored {
  readonly is_current: boolean
  readonly has_model: boolean
}

export const make = (sql: SqlClient.SqlClient) => {
  /** The locks keep the generation and the model until the chunks are committed. */
  const insert = (
    version: Knowledge.Version,
    embedding: Knowledge.Embedding | null,
    chunks: ReadonlyArray<Knowledge.EmbeddedChunk>
  ) =>
    Effect.map(
      sql<Stored>`
        with content as materialized (
          select s.seq from svc_contents s
          where s.instance = ${text(version.instance)} and s.content_id = ${text(version.content_id)}
            and s.generation = ${version.generation} and s.status = 'processing' and ${sql.literal(isPresent)}
          for share
        ), model as materialized (
          select 1 from svc_knowledge_models m
          where m.instance = ${text(version.instance)} and m.model is not distinct from ${
        textOrNull(embedding?.model ?? null)
      }::text and m.dimensions is not distinct from ${embedding?.dimensions ?? null}::integer
          for share
        ), given as materialized (
          select * from unnest(
            ${integers(chunks.map(({ index }) => index))}::integer[],
            ${texts(chunks.map(({ id }) => text(id)))}::text[],
            ${texts(chunks.map(({ name }) => textOrNull(name)))}::text[],
            ${texts(chunks.map((chunk) => text(chunk.text)))}::text[],
            ${texts(chunks.map(({ metadata }) => jsonb(metadata)))}::jsonb[],
            ${integers(chunks.map(({ size }) => size))}::integer[],
            ${vectors(chunks)}::bytea[],
            ${texts(chunks.map(({ vector }) => vector === null ? null : Vector.signBits(vector)))}::text[]
          ) as g (place, chunk_id, name, text, metadata, size, vector, signs)
        ), added as (
          insert into svc_chunks (content_seq, generation, place, metadata, signs)
          select content.seq, ${version.generation}, g.place, g.metadata, g.signs::bit varying
          from content cross join model cross join given g
          on conflict (content_seq, generation, place) do nothing returning chunk_no, place
        ), texts as (
          insert into svc_chunk_texts (chunk_no, chunk_id, name, text, size, vector)
          select added.chunk_no, g.chunk_id, g.name, g.text, g.size, g.vector
          from added join given g on g.place = added.place
        )
        select exists (select from content) as is_current, exists (select from model) as has_model`,
      ([row]) => row ?? { is_current: false, has_model: false }
    )

  const modelOf = (instance: string, isLocked: boolean) =>
    Effect.map(
      sql<{ readonly model: string | null; readonly dimensions: number | null }>`
        select model, dimensions from svc_knowledge_models where instance = ${text(instance)}
        ${sql.literal(isLocked ? "for update" : "")}`,
      ([row]) =>
        row === undefined || row.model === null || row.dimensions === null
          ? null
          : { model: row.model, dimensions: row.dimensions }
    )

  /** Whether a search can find a chunk of the instance, or will be able to. */
  const hasChunks = (instance: string) =>
    Effect.map(
      sql`
        select 1 from svc_contents s join svc_chunks c on c.content_seq = s.seq
          and (c.generation = s.published or c.generation = s.generation and s.status = 'processing')
        where s.instance = ${text(instance)} and ${sql.literal(isPresent)} limit 1`,
      (rows) => rows.length > 0
    )

  /** False: the instance has another model and no chunks. */
  const verifyModel = Effect.fnUntraced(function*(
    instance: string,
    embedding: Knowledge.Embedding | null,
    isLocked: boolean
  ) {
    const stored = yield* modelOf(instance, isLocked)
    if (VectorChecks.isSameModel(stored, embedding)) return true
    if (yield* hasChunks(instance)) return yield* new EmbeddingMismatch({ instance, stored, given: embedding })
    return false
  })

  /** The first chunks of an instance decide on its model. Statements after the lock see what was added before it. */
  const decideModel = (instance: string, embedding: Knowledge.Embedding | null) =>
    inTransaction(sql)(Effect.gen(function*() {
      const [model, dimensions] = [textOrNull(embedding?.model ?? null), embedding?.dimensions ?? null]
      yield* sql`
        insert into svc_knowledge_models (instance, model, dimensions) values (${
        text(instance)
      }, ${model}, ${dimensions})
        on conflict do nothing`
      if (yield* verifyModel(instance, embedding, true)) return
      yield* sql`
        update svc_knowledge_models set model = ${model}, dimensions = ${dimensions} where instance = ${text(instance)}`
    }))

  return { decideModel, insert, verifyModel }
}
