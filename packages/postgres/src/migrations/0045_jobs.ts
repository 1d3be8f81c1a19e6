// Background work that is no run. `pending_key` is set until a job starts: another one with the same key is not stored.
// `turn` orders the due jobs of a kind so that keys with many jobs do not delay keys with few. `lease` fences writes.
//
// The constraints keep a damaged number from failing the statements that jobs share.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_jobs (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      kind text collate "C" not null,
      key text collate "C",
      pending_key text collate "C",
      status text not null check (status in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
      payload json not null,
      progress json,
      attempts integer not null default 0 check (attempts between 0 and 1000000),
      max_attempts integer not null check (max_attempts between 1 and 1000000),
      last_error text,
      cancel_requested boolean not null default false,
      user_id text collate "C",
      session_id text collate "C",
      is_due boolean not null,
      turn bigint not null check (turn between 0 and 1000000000000000),
      run_at timestamptz not null check (run_at between '1970-01-01' and '9999-01-01'),
      node text collate "C" not null default '',
      lease integer not null default 0 check (lease between 0 and 2147483646),
      created_at timestamptz not null default now() check (created_at between '1970-01-01' and '9999-01-01'),
      updated_at timestamptz not null default now() check (updated_at between '1970-01-01' and '9999-01-01')
    )`
  yield* sql`create unique index svc_jobs_pending_key on svc_jobs (kind, pending_key) where pending_key is not null`
  yield* sql`create unique index svc_jobs_running_key on svc_jobs (kind, key) where status = 'RUNNING'`
  yield* sql`create index svc_jobs_due on svc_jobs (kind, turn, seq) where status = 'PENDING' and is_due`
  yield* sql`create index svc_jobs_due_of_key on svc_jobs (kind, key, turn, seq) where status = 'PENDING' and is_due`
  yield* sql`create index svc_jobs_delayed on svc_jobs (run_at) where status = 'PENDING' and not is_due`
  yield* sql`create index svc_jobs_running on svc_jobs (node) where status = 'RUNNING'`
  yield* sql`create index svc_jobs_ended on svc_jobs (updated_at) where status not in ('PENDING', 'RUNNING')`
  yield* sql`create index svc_jobs_by_user on svc_jobs (user_id, seq)`
  yield* sql`create index svc_jobs_by_session on svc_jobs (session_id) where session_id is not null`
  yield* sql`
    create or replace function svc_forget_session() returns trigger language plpgsql as $$
    begin
      delete from svc_idempotency i using gone where i.session_id = gone.session_id;
      delete from svc_jobs j using gone where j.session_id = gone.session_id;
      return null;
    end $$`
})
