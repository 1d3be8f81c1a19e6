// The users who have learnings, counted by type: a list of users cannot read all learnings. The type '' stands for all.
//
// The rows are locked in one order, after the learnings that they count, so no two changes wait for each other.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
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
  yield* sql`
    insert into svc_learning_users (user_id, learning_type, learnings, updated_at)
    select l.user_id, t.type, count(*), max(l.updated_at)
    from svc_learnings l cross join lateral (values (''), (l.learning_type)) as t (type)
    where l.user_id is not null and l.learning_type <> '' group by 1, 2`
})
