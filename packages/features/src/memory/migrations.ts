// Memories of users and their vectors, and whether a user may be remembered. The constraints keep a damaged number from
// failing the statements that memories share.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_memories (
      memory_id text collate "C" primary key,
      seq bigint generated always as identity unique,
      memory text not null,
      topics jsonb,
      user_id text collate "C",
      agent_id text collate "C",
      team_id text collate "C",
      run_id text collate "C",
      session_id text collate "C",
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint not null check (updated_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_memories_by_user on svc_memories (user_id, updated_at, seq)`
  yield* sql`
    create index svc_memories_by_agent on svc_memories (agent_id, updated_at, seq) where agent_id is not null`
  yield* sql`
    create index svc_memories_by_team on svc_memories (team_id, updated_at, seq) where team_id is not null`
  yield* sql`create index svc_memories_updated on svc_memories (updated_at, seq)`
  yield* sql`create index svc_memories_created on svc_memories (created_at, seq)`
  yield* sql`create index svc_memories_topics on svc_memories using gin (topics jsonb_path_ops)`
  // The index for searches in the texts of all memories. It needs the extension `pg_trgm`, which a database has or lets its
  // owner create, as PostgreSQL does by default. Without it such a search reads all memories.
  yield* sql`
    do $$ begin
      create extension if not exists pg_trgm;
      create index if not exists svc_memories_text on svc_memories using gin (lower(memory) gin_trgm_ops);
    exception when others then
      raise log 'no index for searches in memories: %', sqlerrm;
    end $$`

  // `svc_memory_users` counts the memories of each user: statistics and limits cannot read all memories.
  yield* sql`
    create table svc_memory_users (
      user_id text collate "C" primary key,
      memories integer not null check (memories between 0 and 1000000000),
      updated_at bigint not null check (updated_at between 0 and 253402300799)
    )`
  yield* sql`
    create index svc_memory_users_updated on svc_memory_users (updated_at desc, user_id) where memories > 0`
  yield* sql`
    create function svc_count_new_memories() returns trigger language plpgsql as $$
    begin
      insert into svc_memory_users as u (user_id, memories, updated_at)
      select user_id, count(*), max(updated_at) from added where user_id is not null group by user_id order by user_id
      on conflict (user_id) do update set
        memories = u.memories + excluded.memories, updated_at = greatest(u.updated_at, excluded.updated_at);
      return null;
    end $$`
  yield* sql`
    create function svc_date_changed_memories() returns trigger language plpgsql as $$
    begin
      update svc_memory_users u set updated_at = greatest(u.updated_at, c.updated_at)
      from (select user_id, max(updated_at) as updated_at from changed group by user_id) c where u.user_id = c.user_id;
      return null;
    end $$`
  // The rows are locked first, so that the counts see what others have committed.
  yield* sql`
    create function svc_count_gone_memories() returns trigger language plpgsql as $$
    begin
      perform from svc_memory_users u where u.user_id in (select g.user_id from gone g) order by u.user_id for update;
      update svc_memory_users u set memories = greatest(u.memories - c.memories, 0), updated_at = coalesce((
        select m.updated_at from svc_memories m where m.user_id = u.user_id order by m.updated_at desc, m.seq desc limit 1
      ), u.updated_at)
      from (select g.user_id, count(*) as memories from gone g group by g.user_id) c where u.user_id = c.user_id;
      delete from svc_memory_users u where u.memories = 0 and u.user_id in (select g.user_id from gone g);
      return null;
    end $$`
  yield* sql`
    create trigger svc_memories_added after insert on svc_memories
    referencing new table as added for each statement execute function svc_count_new_memories()`
  yield* sql`
    create trigger svc_memories_changed after update on svc_memories
    referencing new table as changed for each statement execute function svc_date_changed_memories()`
  yield* sql`
    create trigger svc_memories_gone after delete on svc_memories
    referencing old table as gone for each statement execute function svc_count_gone_memories()`

  // The keys under which changes were applied.
  yield* sql`
    create table svc_memory_keys (
      key text collate "C" primary key,
      user_id text collate "C" not null,
      session_id text collate "C",
      applied_at timestamptz not null default now()
    )`
  yield* sql`create index svc_memory_keys_applied on svc_memory_keys (applied_at)`
  yield* sql`create index svc_memory_keys_by_user on svc_memory_keys (user_id)`
  yield* sql`
    create index svc_memory_keys_by_session on svc_memory_keys (session_id) where session_id is not null`
  yield* sql`
    create function svc_forget_memory_keys() returns trigger language plpgsql as $$
    begin
      delete from svc_memory_keys k using gone where k.session_id = gone.session_id;
      return null;
    end $$`
  yield* sql`
    create trigger svc_sessions_memory_keys after delete on svc_sessions
    referencing old table as gone for each statement execute function svc_forget_memory_keys()`

  // The vectors of memories. Each memory has a row from its creation on, and the model of the row is empty until a vector of
  // the text is stored. A change of the text empties it again. `version` counts the texts: a vector of an earlier one is
  // refused.
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
  // Numbers do not get smaller, and a search reads the vectors of few rows.
  yield* sql`alter table svc_memory_vectors alter column vector set storage external`
  yield* sql`create index svc_memory_vectors_by_user on svc_memory_vectors (user_id, model, dimensions)`
  yield* sql`create index svc_memory_vectors_by_model on svc_memory_vectors (model, memory_id)`
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

export const memory = migrationSet("memory", [["tables", tables]])
