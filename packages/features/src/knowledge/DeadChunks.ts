// Removes chunks that no search can find anymore, in pieces. A content keeps its mark until it has none of them.
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { prunedAtOnce } from "./KnowledgeLimits.ts"

/** Contents of which one statement removes chunks. */
const contentsAtOnce = 1000

interface Pruned {
  readonly chunks: number
  readonly contents: number
}

export const make = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError.SqlError> => {
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
