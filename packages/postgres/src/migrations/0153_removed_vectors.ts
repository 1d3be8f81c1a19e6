// How many chunks an index of vectors has, and how many were removed from it. The embedded database makes an index anew
// from which more were removed than it has.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    alter table svc_vector_indexes
      add column chunks bigint not null default 0,
      add column removed bigint not null default 0`
  yield* sql`
    update svc_vector_indexes i set chunks = (
      select count(*) from svc_contents s
      join svc_chunks c on c.content_seq = s.seq and c.generation = s.published
      where s.instance = i.instance and s.indexed = s.published
    )`
})
