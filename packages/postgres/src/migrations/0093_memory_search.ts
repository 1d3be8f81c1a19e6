// The index for searches in the texts of all memories. It needs the extension `pg_trgm`, which a database has or lets
// its owner create, as PostgreSQL does by default. Without it such a search reads all memories.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    do $$ begin
      create extension if not exists pg_trgm;
      create index if not exists svc_memories_text on svc_memories using gin (lower(memory) gin_trgm_ops);
    exception when others then
      raise log 'no index for searches in memories: %', sqlerrm;
    end $$`
})
