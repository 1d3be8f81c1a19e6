// The figures of days, and the days whose sessions changed after they were over: a row for each change, because rows
// that are shared would make the ends of runs wait for each other.
//
// `model` of a run is a column because PostgreSQL cannot read a key of `json` that contains U+0000.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Runs that are changed at a time. */
const runsTogether = 2000

const count = (name: string) => `${name} bigint not null check (${name} between 0 and 9007199254740991)`
const time = (name: string) => `${name} bigint not null check (${name} between 0 and 253402300799)`

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_sessions add column is_evaluation boolean not null default false`
  yield* sql`alter table svc_runs add column model text, add column model_provider text`
  const [newest] = yield* sql<{ readonly seq: number }>`select coalesce(max(seq), 0)::float8 as seq from svc_runs`
  for (let seq = 0; seq < (newest?.seq ?? 0); seq += runsTogether) {
    yield* sql`
      update svc_runs r set model = o.output ->> 'model', model_provider = o.output ->> 'model_provider'
      from (
        select seq, case when strpos(output::text, '\\u0000') = 0 then output end as output from svc_runs
        where seq > ${seq} and seq <= ${seq + runsTogether}
      ) o
      where r.seq = o.seq and o.output ->> 'model' is not null`
  }
  yield* sql`
    create table svc_day_metrics (
      day integer primary key,
      id text collate "C" not null,
      ${
    sql.literal(
      [
        "agent_runs_count",
        "agent_sessions_count",
        "team_runs_count",
        "team_sessions_count",
        "workflow_runs_count",
        "workflow_sessions_count",
        "users_count"
      ].map(count).join(", ")
    )
  },
      token_metrics json not null,
      model_metrics json not null,
      ${sql.literal(time("created_at"))},
      ${sql.literal(time("updated_at"))}
    )`
  yield* sql`
    create table svc_changed_days (
      seq bigint generated always as identity primary key,
      day integer not null
    )`
  yield* sql`create index svc_changed_days_by_day on svc_changed_days (day)`

  // a damaged counter is none
  yield* sql`
    create function svc_counter(usage jsonb, counter text) returns numeric
    language sql immutable parallel safe as $$
      select case when jsonb_typeof(usage -> counter) = 'number' then greatest(0, trunc((usage -> counter)::numeric)) else 0 end
    $$`
})
