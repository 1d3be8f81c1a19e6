// Memories of users. `svc_memory_users` counts those of each user, because statistics and limits cannot read all
// memories. `svc_memory_keys` are the keys under which changes were applied.
//
// The search in texts uses an index where the database has the extension `pg_trgm`. The constraints keep a damaged
// number from failing the statements that memories share.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const timeColumn = (name: string) => `${name} bigint not null check (${name} between 0 and 253402300799)`

export default Effect.gen(function*() {
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
      ${sql.literal(timeColumn("created_at"))},
      ${sql.literal(timeColumn("updated_at"))}
    )`
  yield* sql`create index svc_memories_by_user on svc_memories (user_id, updated_at, seq)`
  yield* sql`create index svc_memories_by_agent on svc_memories (agent_id, updated_at, seq) where agent_id is not null`
  yield* sql`create index svc_memories_by_team on svc_memories (team_id, updated_at, seq) where team_id is not null`
  yield* sql`create index svc_memories_updated on svc_memories (updated_at, seq)`
  yield* sql`create index svc_memories_created on svc_memories (created_at, seq)`
  yield* sql`create index svc_memories_topics on svc_memories using gin (topics jsonb_path_ops)`
  yield* sql`
    do $$ begin
      if exists (select from pg_extension where extname = 'pg_trgm') then
        execute 'create index svc_memories_text on svc_memories using gin (lower(memory) gin_trgm_ops)';
      end if;
    end $$`
  yield* sql`
    create table svc_memory_users (
      user_id text collate "C" primary key,
      memories integer not null check (memories between 0 and 1000000000),
      ${sql.literal(timeColumn("updated_at"))}
    )`
  yield* sql`create index svc_memory_users_updated on svc_memory_users (updated_at desc, user_id) where memories > 0`
  yield* sql`
    create table svc_memory_keys (
      key text collate "C" primary key,
      user_id text collate "C" not null,
      session_id text collate "C",
      applied_at timestamptz not null default now()
    )`
  yield* sql`create index svc_memory_keys_applied on svc_memory_keys (applied_at)`
  yield* sql`create index svc_memory_keys_by_user on svc_memory_keys (user_id)`
  yield* sql`create index svc_memory_keys_by_session on svc_memory_keys (session_id) where session_id is not null`
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
  // the rows are locked first, so that the counts see what others have committed
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
  yield* sql`
    create function svc_forget_memory_keys() returns trigger language plpgsql as $$
    begin
      delete from svc_memory_keys k using gone where k.session_id = gone.session_id;
      return null;
    end $$`
  yield* sql`
    create trigger svc_sessions_memory_keys after delete on svc_sessions
    referencing old table as gone for each statement execute function svc_forget_memory_keys()`
})
