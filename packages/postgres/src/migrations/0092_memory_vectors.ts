// The vectors of memories. Each memory has a row from its creation on, and the model of the row is empty until a vector
// of the text is stored. A change of the text empties it again. `version` counts the texts: a vector of an older one is
// refused.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_memory_vectors (
      memory_id text collate "C" primary key,
      user_id text collate "C",
      version integer not null default 1 check (version > 0),
      model text collate "C" not null default '',
      dimensions integer not null default 0 check (dimensions between 0 and 4096),
      signs bit varying,
      vector bytea
    )`
  // numbers do not get smaller, and a search reads the vectors of few rows
  yield* sql`alter table svc_memory_vectors alter column vector set storage external`
  yield* sql`create index svc_memory_vectors_by_user on svc_memory_vectors (user_id, model, dimensions)`
  yield* sql`create index svc_memory_vectors_by_model on svc_memory_vectors (model, memory_id)`
  yield* sql`insert into svc_memory_vectors (memory_id, user_id) select memory_id, user_id from svc_memories`
  yield* sql`
    create function svc_add_memory_vectors() returns trigger language plpgsql as $$
    begin
      insert into svc_memory_vectors (memory_id, user_id) select memory_id, user_id from added
      on conflict (memory_id) do nothing;
      return null;
    end $$`
  yield* sql`
    create function svc_empty_memory_vectors() returns trigger language plpgsql as $$
    begin
      insert into svc_memory_vectors as v (memory_id, user_id)
      select n.memory_id, n.user_id from changed n join was o on o.memory_id = n.memory_id where o.memory <> n.memory
      order by n.memory_id
      on conflict (memory_id) do update set
        version = v.version % 2147483646 + 1, model = '', dimensions = 0, signs = null, vector = null;
      return null;
    end $$`
  yield* sql`
    create function svc_remove_memory_vectors() returns trigger language plpgsql as $$
    begin
      delete from svc_memory_vectors v using gone where v.memory_id = gone.memory_id;
      return null;
    end $$`
  yield* sql`
    create trigger svc_memories_vectors_added after insert on svc_memories
    referencing new table as added for each statement execute function svc_add_memory_vectors()`
  yield* sql`
    create trigger svc_memories_vectors_changed after update on svc_memories
    referencing old table as was new table as changed for each statement execute function svc_empty_memory_vectors()`
  yield* sql`
    create trigger svc_memories_vectors_gone after delete on svc_memories
    referencing old table as gone for each statement execute function svc_remove_memory_vectors()`
})
