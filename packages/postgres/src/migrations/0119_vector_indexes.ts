// Indexes of the signs of vectors, for servers with pgvector. An index is a table beside the chunks, `svc_vectors_<number>`,
// because a table with an index of a missing extension cannot be read. A content is indexed as a whole, or compared
// without the index.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_vector_indexes (
      index_no integer generated always as identity primary key,
      instance text collate "C" not null unique,
      model text not null,
      dimensions integer not null check (dimensions > 0)
    )`
  // the generation whose chunks are in the index of the instance
  yield* sql`alter table svc_contents add column indexed bigint`
  yield* sql`
    create index svc_contents_unindexed on svc_contents (instance, seq)
    where published is not null and indexed is distinct from published`
  // chunks that were removed, and may be in an index
  yield* sql`
    create table svc_dead_vectors (
      chunk_no bigint primary key,
      content_seq bigint not null,
      generation bigint not null,
      place integer not null
    )`
})
