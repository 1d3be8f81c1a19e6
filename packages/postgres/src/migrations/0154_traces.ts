// Traces and their spans. Times are microseconds since 1970. What can be filtered is in columns of the trace; a span is
// stored as it was given. A removal is a row until the spans that began before it cannot arrive any more.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_traces (
      trace_id text collate "C" primary key,
      name text collate "C" not null,
      name_rank smallint not null check (name_rank between 0 and 3),
      status text collate "C" not null check (status in ('OK', 'ERROR')),
      start_time bigint not null check (start_time between 0 and 9007199254740991),
      end_time bigint not null check (end_time between 0 and 9007199254740991),
      run_id text collate "C",
      session_id text collate "C",
      user_id text collate "C",
      agent_id text collate "C",
      team_id text collate "C",
      workflow_id text collate "C",
      created_at bigint not null check (created_at between 0 and 9007199254740991),
      input text,
      total_spans integer not null check (total_spans between 0 and 1000000000),
      error_count integer not null check (error_count between 0 and 1000000000),
      bytes bigint not null check (bytes between 0 and 9007199254740991)
    )`
  yield* sql`create index svc_traces_by_start on svc_traces (start_time desc, trace_id desc)`
  yield* sql`create index svc_traces_by_end on svc_traces (end_time)`
  yield* sql`create index svc_traces_by_duration on svc_traces ((end_time - start_time))`
  yield* sql`create index svc_traces_by_creation on svc_traces (created_at)`
  yield* sql`create index svc_traces_failed on svc_traces (start_time desc, trace_id desc) where status = 'ERROR'`
  yield* sql`create index svc_traces_by_name on svc_traces (name, start_time desc, trace_id desc)`
  for (const id of ["run_id", "session_id", "user_id", "agent_id", "team_id", "workflow_id"]) {
    yield* sql`
      create index ${sql(`svc_traces_by_${id}`)} on svc_traces (${sql(id)}, start_time desc, trace_id desc)
      where ${sql(id)} is not null`
  }
  yield* sql`
    create table svc_spans (
      span_id text collate "C" not null,
      trace_id text collate "C" not null references svc_traces on delete cascade,
      user_id text collate "C",
      session_id text collate "C",
      is_root boolean not null,
      is_error boolean not null,
      started_at bigint not null check (started_at between 0 and 9007199254740991),
      body json not null,
      primary key (span_id, trace_id)
    )`
  yield* sql`create index svc_spans_by_trace on svc_spans (trace_id, started_at)`
  yield* sql`create index svc_spans_by_session on svc_spans (session_id) where is_root`
  yield* sql`
    create table svc_trace_removals (
      session_id text collate "C" not null,
      user_id text collate "C" not null,
      has_user boolean not null,
      removed_at bigint not null,
      primary key (session_id, user_id, has_user)
    )`
  yield* sql`create index svc_trace_removals_by_time on svc_trace_removals (removed_at)`
})
