// How long things are kept. Pieces of an answer that has ended are folded: one row holds many events, as they were, one
// after the other. `folded_attempt` and `emptied_attempt` say up to which attempt of a run its events are folded, or
// removed; an attempt is what every resumption raises. A lease of `svc_leases` is of the one node that does something
// for all of them.
//
// A claim of a request goes with the session that it is about. `svc_guard_json` keeps its subject readable.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_run_event_folds (
      run_seq bigint references svc_runs (seq) on delete cascade,
      first_index integer,
      last_index integer not null,
      body text not null,
      primary key (run_seq, first_index)
    )`
  yield* sql`alter table svc_runs
    add column folded_attempt integer not null default 0,
    add column emptied_attempt integer not null default 0`
  yield* sql`
    create index svc_runs_to_fold on svc_runs (updated_at)
    where not is_unfinished and folded_attempt < attempt`
  yield* sql`
    create index svc_runs_with_events on svc_runs (updated_at)
    where not is_unfinished and emptied_attempt < attempt`
  yield* sql`
    create index svc_runs_with_journal on svc_runs (updated_at)
    where not is_unfinished and command is not null`
  yield* sql`create table svc_leases (name text primary key, holder text not null, expires_at timestamptz not null)`

  yield* sql`
    alter table svc_idempotency add column session_id text collate "C"
    generated always as (svc_guard_json(subject::text)::json ->> 'session_id') stored`
  yield* sql`create index svc_idempotency_by_session on svc_idempotency (session_id)`
  yield* sql`
    create function svc_forget_session() returns trigger language plpgsql as $$
    begin
      delete from svc_idempotency i using gone where i.session_id = gone.session_id;
      return null;
    end $$`
  yield* sql`
    create trigger svc_sessions_forgotten after delete on svc_sessions
    referencing old table as gone for each statement execute function svc_forget_session()`
})
