// Users who share a trace id have a trace each. `owner` is the user id, or empty for runs without a user.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_spans drop constraint svc_spans_trace_id_fkey`
  yield* sql`
    delete from svc_spans s using svc_traces t where s.trace_id = t.trace_id and s.user_id is distinct from t.user_id`
  for (const table of ["svc_traces", "svc_spans"]) {
    yield* sql`
      alter table ${sql(table)}
      add column owner text collate "C" not null generated always as (coalesce(user_id, '')) stored`
  }
  yield* sql`alter table svc_traces drop constraint svc_traces_pkey, add primary key (trace_id, owner)`
  yield* sql`
    alter table svc_spans add foreign key (trace_id, owner) references svc_traces (trace_id, owner) on delete cascade`
  yield* sql`drop index svc_spans_by_trace`
  yield* sql`create index svc_spans_by_trace on svc_spans (trace_id, owner, started_at)`
})
