// Evaluation runs, and what their runs have given so far. `bytes` is the size of the data and the input of one that has
// ended, so that a list is measured before it is read.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_eval_runs (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      eval_type text collate "C" not null
        check (eval_type in ('accuracy', 'agent_as_judge', 'performance', 'reliability')),
      agent_id text collate "C",
      team_id text collate "C",
      workflow_id text collate "C",
      model_id text collate "C",
      model_provider text collate "C",
      name text collate "C",
      evaluated_component_name text,
      eval_data json not null,
      eval_input json,
      status text collate "C" not null check (status in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
      done integer not null default 0 check (done between 0 and 1000000),
      total integer not null check (total between 0 and 1000000),
      error text,
      job_id text collate "C" not null,
      request json,
      bytes integer not null default 0 check (bytes between 0 and 2147483646),
      created_at bigint not null check (created_at between 0 and 253402300799),
      updated_at bigint not null check (updated_at between 0 and 253402300799)
    )`
  yield* sql`create index svc_eval_runs_by_age on svc_eval_runs (status, created_at desc, seq desc)`
  yield* sql`
    create index svc_eval_runs_by_agent on svc_eval_runs (agent_id, status, created_at desc, seq desc)
    where agent_id is not null`
  yield* sql`
    create index svc_eval_runs_by_team on svc_eval_runs (team_id, status, created_at desc, seq desc)
    where team_id is not null`
  yield* sql`
    create index svc_eval_runs_unfinished on svc_eval_runs (created_at) where status in ('PENDING', 'RUNNING')`
  yield* sql`
    create table svc_eval_results (
      eval_id text collate "C" not null references svc_eval_runs (id) on delete cascade,
      place integer not null,
      body json not null,
      primary key (eval_id, place)
    )`
})
