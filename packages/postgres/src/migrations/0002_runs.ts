// Runs with their messages and events. `seq` is the order in which runs were accepted; messages and events hang on it
// rather than on the run's id, so that what is written together lies together (measured: 14 % smaller than by a UUID).
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_runs (
      run_id text collate "C" primary key,
      seq bigint generated always as identity unique,
      session_id text collate "C" not null references svc_sessions on delete cascade,
      parent_run_id text collate "C",
      kind text not null check (kind in ('agent', 'team', 'workflow')),
      component_id text collate "C" not null,
      user_id text collate "C",
      node text collate "C" not null,
      status text not null check (
        status in ('PENDING', 'RUNNING', 'COMPLETED', 'PAUSED', 'CANCELLED', 'ERROR', 'REGENERATED')
      ),
      created_at bigint not null,
      updated_at bigint not null,
      output json not null
    )`
  yield* sql`create index svc_runs_by_session on svc_runs (session_id, seq)`
  // The history of the next run of a session is read through this index, whatever else is in the session. The planner
  // uses it even without statistics; it does not use the index above then.
  yield* sql`
    create index svc_runs_completed on svc_runs (session_id, seq)
    where status = 'COMPLETED' and parent_run_id is null`
  yield* sql`create index svc_runs_running on svc_runs (node) where status = 'RUNNING'`

  yield* sql`
    create table svc_messages (
      run_seq bigint references svc_runs (seq) on delete cascade,
      position integer,
      role text not null,
      from_history boolean not null,
      body json not null,
      primary key (run_seq, position)
    )`
  yield* sql`
    create table svc_run_events (
      run_seq bigint references svc_runs (seq) on delete cascade,
      event_index integer,
      kind text not null,
      body json not null,
      primary key (run_seq, event_index)
    )`
})
