// What agents use and write of learnings. `is_proposed` is a column because reading it out of `metadata` fails for
// texts that `json` can store and PostgreSQL cannot show. A key says that an update was applied.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_learnings add column is_proposed boolean not null default false`
  yield* sql`
    create index svc_learnings_in_scope on svc_learnings (namespace, user_id, is_proposed, updated_at, seq)
    where namespace is not null`
  yield* sql`
    create table svc_learning_keys (
      key text collate "C" primary key,
      session_id text collate "C" not null,
      applied_at timestamptz not null default now()
    )`
  yield* sql`create index svc_learning_keys_by_session on svc_learning_keys (session_id)`
  yield* sql`create index svc_learning_keys_by_age on svc_learning_keys (applied_at)`
  yield* sql`
    create or replace function svc_forget_learnings() returns trigger language plpgsql as $$
    begin
      delete from svc_learnings l using gone
      where l.session_id = gone.session_id and l.learning_type = 'session_context';
      delete from svc_learning_keys k using gone where k.session_id = gone.session_id;
      return null;
    end $$`
})
