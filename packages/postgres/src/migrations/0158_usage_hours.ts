// Usage by the hour, and the ends of runs that are not added to it yet.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_ended_runs (
      id bigint generated always as identity primary key,
      ended_at bigint not null,
      kind text not null,
      component_id text not null,
      user_id text,
      model text,
      model_provider text,
      status text not null,
      duration integer,
      time_to_first_token integer,
      usage jsonb
    )`
  yield* sql`
    create table svc_usage_hours (
      hour integer not null,
      kind text collate "C" not null,
      component_id text collate "C" not null,
      user_id text collate "C" not null,
      model_id text collate "C" not null,
      model_provider text collate "C" not null,
      completed double precision not null,
      failed double precision not null,
      cancelled double precision not null,
      input_tokens double precision not null,
      output_tokens double precision not null,
      total_tokens double precision not null,
      audio_input_tokens double precision not null,
      audio_output_tokens double precision not null,
      audio_total_tokens double precision not null,
      cache_read_tokens double precision not null,
      cache_write_tokens double precision not null,
      reasoning_tokens double precision not null,
      cost double precision not null,
      unpriced_tokens double precision not null,
      durations double precision[] not null,
      first_tokens double precision[] not null,
      primary key (hour, kind, component_id, user_id, model_id, model_provider)
    )`
  yield* sql`create index svc_usage_hours_by_user on svc_usage_hours (user_id, hour)`
  yield* sql`
    create function svc_add_counts(one double precision[], other double precision[]) returns double precision[]
    language sql immutable parallel safe as $$
      select coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) order by place), '{}')
      from unnest(one, other) with ordinality as pairs (a, b, place)
    $$`
  yield* sql`
    create aggregate svc_sum_counts (double precision[]) (
      sfunc = svc_add_counts, stype = double precision[], initcond = '{}'
    )`
})
