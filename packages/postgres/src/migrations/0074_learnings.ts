// What agents learn. Learnings of a session's context are deleted with the session, the others stay.
//
// The constraints keep damaged times from the lists that are sorted by them.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
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
      updated_at bigint not null check (updated_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_learnings_by_age on svc_learnings (updated_at, seq)`
  yield* sql`create index svc_learnings_by_user on svc_learnings (user_id, updated_at, seq)`
  yield* sql`create index svc_learnings_by_type on svc_learnings (learning_type, updated_at, seq)`
  yield* sql`create index svc_learnings_by_namespace on svc_learnings (namespace, learning_type, updated_at, seq)`
  yield* sql`
    create index svc_learnings_by_session on svc_learnings (session_id, updated_at, seq) where session_id is not null`
  yield* sql`
    create function svc_forget_learnings() returns trigger language plpgsql as $$
    begin
      delete from svc_learnings l using gone
      where l.session_id = gone.session_id and l.learning_type = 'session_context';
      return null;
    end $$`
  yield* sql`
    create trigger svc_sessions_learnings after delete on svc_sessions
    referencing old table as gone for each statement execute function svc_forget_learnings()`
})
