// What agents learn. The constraints keep damaged times from the lists that are sorted by them.
import { migrationSet } from "@svc-runtime/postgres/sql/MigrationSet"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  // `is_proposed` is a column because reading it out of `metadata` fails for texts that `json` can store and PostgreSQL cannot
  // show. `proposed_by` is who proposed a learning without an owner, until it is approved: the number of those of each user
  // is limited.
  yield* sql`
    create table svc_learnings (
      learning_id text collate "C" primary key,
      seq bigint generated always as identity,
      learning_type text collate "C" not null,
      namespace text collate "C",
      user_id text collate "C",
      agent_id text collate "C",
      team_id text collate "C",
      session_id text collate "C",
      entity_id text collate "C",
      entity_type text collate "C",
      content json,
      metadata json,
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint not null check (updated_at between 0 and 253402300799),
      is_proposed boolean not null default false,
      proposed_by text collate "C"
    )`
  // The lists in the order of the last change, by each field that many rows can have. `seq` finds the rows of a page.
  yield* sql`create unique index svc_learnings_seq on svc_learnings (seq)`
  yield* sql`create index svc_learnings_by_age on svc_learnings (updated_at, seq)`
  yield* sql`create index svc_learnings_by_user on svc_learnings (user_id, updated_at, seq)`
  yield* sql`create index svc_learnings_by_type on svc_learnings (learning_type, updated_at, seq)`
  yield* sql`
    create index svc_learnings_by_namespace on svc_learnings (namespace, learning_type, updated_at, seq)`
  yield* sql`
    create index svc_learnings_by_session on svc_learnings (session_id, updated_at, seq) where session_id is not null`
  yield* sql`create index svc_learnings_created on svc_learnings (created_at, seq)`
  yield* sql`
    create index svc_learnings_listed_by_agent_id on svc_learnings (agent_id, updated_at, seq)
    where agent_id is not null`
  yield* sql`
    create index svc_learnings_listed_by_team_id on svc_learnings (team_id, updated_at, seq)
    where team_id is not null`
  yield* sql`
    create index svc_learnings_listed_by_namespace on svc_learnings (namespace, updated_at, seq)
    where namespace is not null`
  yield* sql`
    create index svc_learnings_listed_by_entity_id on svc_learnings (entity_id, updated_at, seq)
    where entity_id is not null`
  yield* sql`
    create index svc_learnings_listed_by_entity_type on svc_learnings (entity_type, updated_at, seq)
    where entity_type is not null`
  yield* sql`create index svc_learnings_proposed on svc_learnings (updated_at, seq) where is_proposed`
  yield* sql`create index svc_learnings_by_proposer on svc_learnings (proposed_by) where proposed_by is not null`
  // An index on all owners is not in this order for null. The indexes of namespaces have no owner: the namespace of a user
  // names the user already, and a key of an index has no room for the longest ids twice.
  yield* sql`create index svc_learnings_shared on svc_learnings (updated_at, seq) where user_id is null`
  yield* sql`
    create index svc_learnings_shared_in_namespace on svc_learnings (namespace, updated_at, seq) where user_id is null`
  yield* sql`
    create index svc_learnings_shared_in_scope on svc_learnings (namespace, updated_at, seq)
    where user_id is null and not is_proposed`
  yield* sql`
    create index svc_learnings_shared_proposed on svc_learnings (namespace) where user_id is null and is_proposed`
  yield* sql`
    create index svc_learnings_in_scope on svc_learnings (namespace, is_proposed, updated_at, seq)
    where namespace is not null and user_id is not null`

  // A key says that an update was applied.
  yield* sql`
    create table svc_learning_keys (
      key text collate "C" primary key,
      session_id text collate "C" not null,
      applied_at timestamptz not null default now()
    )`
  yield* sql`create index svc_learning_keys_by_session on svc_learning_keys (session_id)`
  yield* sql`create index svc_learning_keys_by_age on svc_learning_keys (applied_at)`
  // Learnings of a session's context are removed with the session, the others stay.
  yield* sql`
    create function svc_forget_learnings() returns trigger language plpgsql as $$
    begin
      delete from svc_learnings l using gone
      where l.session_id = gone.session_id and l.learning_type = 'session_context';
      delete from svc_learning_keys k using gone where k.session_id = gone.session_id;
      return null;
    end $$`
  yield* sql`
    create trigger svc_sessions_learnings after delete on svc_sessions
    referencing old table as gone for each statement execute function svc_forget_learnings()`

  // The users who have learnings, counted by type: a list of users cannot read all learnings. The type '' stands for all. The
  // rows are locked in one order, after the learnings that they count, so no two changes wait for each other.
  yield* sql`
    create table svc_learning_users (
      user_id text collate "C" not null,
      learning_type text collate "C" not null,
      learnings integer not null check (learnings between 0 and 1000000000),
      updated_at bigint not null check (updated_at between 0 and 253402300799),
      primary key (user_id, learning_type)
    )`
  yield* sql`
    create index svc_learning_users_updated on svc_learning_users (learning_type, updated_at, user_id)
    where learnings > 0`
  yield* sql`
    create index svc_learning_users_of_type on svc_learning_users (learning_type, user_id) where learnings > 0`
  yield* sql`
    create function svc_count_new_learnings() returns trigger language plpgsql as $$
    begin
      insert into svc_learning_users as u (user_id, learning_type, learnings, updated_at)
      select a.user_id, t.type collate "C", count(*), max(a.updated_at)
      from added a cross join lateral (values (''), (a.learning_type)) as t (type)
      where a.user_id is not null group by 1, 2 order by 1, 2
      on conflict (user_id, learning_type) do update set
        learnings = u.learnings + excluded.learnings, updated_at = greatest(u.updated_at, excluded.updated_at);
      return null;
    end $$`
  yield* sql`
    create function svc_date_changed_learnings() returns trigger language plpgsql as $$
    begin
      perform from svc_learning_users u
      where (u.user_id, u.learning_type) in (
        select c.user_id, t.type from changed c cross join lateral (values (''), (c.learning_type)) as t (type)
      ) order by u.user_id, u.learning_type for update;
      update svc_learning_users u set updated_at = greatest(u.updated_at, c.updated_at)
      from (
        select a.user_id, t.type, max(a.updated_at) as updated_at
        from changed a cross join lateral (values (''), (a.learning_type)) as t (type) group by 1, 2
      ) c where u.user_id = c.user_id and u.learning_type = c.type;
      return null;
    end $$`
  yield* sql`
    create function svc_count_gone_learnings() returns trigger language plpgsql as $$
    begin
      perform from svc_learning_users u
      where (u.user_id, u.learning_type) in (
        select g.user_id, t.type from gone g cross join lateral (values (''), (g.learning_type)) as t (type)
      ) order by u.user_id, u.learning_type for update;
      update svc_learning_users u set learnings = greatest(u.learnings - c.learnings, 0), updated_at = coalesce((
        select l.updated_at from svc_learnings l
        where l.user_id = u.user_id and (u.learning_type = '' or l.learning_type = u.learning_type)
        order by l.updated_at desc, l.seq desc limit 1
      ), u.updated_at)
      from (
        select g.user_id, t.type, count(*) as learnings
        from gone g cross join lateral (values (''), (g.learning_type)) as t (type) group by 1, 2
      ) c where u.user_id = c.user_id and u.learning_type = c.type;
      delete from svc_learning_users u where u.learnings = 0 and u.user_id in (select g.user_id from gone g);
      return null;
    end $$`
  yield* sql`
    create trigger svc_learnings_added after insert on svc_learnings
    referencing new table as added for each statement execute function svc_count_new_learnings()`
  yield* sql`
    create trigger svc_learnings_changed after update on svc_learnings
    referencing new table as changed for each statement execute function svc_date_changed_learnings()`
  yield* sql`
    create trigger svc_learnings_gone after delete on svc_learnings
    referencing old table as gone for each statement execute function svc_count_gone_learnings()`
})

export const learning = migrationSet("learning", [["tables", tables]])
