// Sessions, and how the usage of a run is added to one.
//
// Ids are compared by code point ("C"): the same order in every database, and the cheapest one. JSON that is only ever
// shown is `json`, which keeps it as it was written, key order, `\u0000` and all; `jsonb` is for what SQL computes
// with.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table svc_sessions (
      session_id text collate "C" primary key,
      seq bigint generated always as identity,
      session_type text not null check (session_type in ('agent', 'team', 'workflow')),
      agent_id text collate "C",
      team_id text collate "C",
      workflow_id text collate "C",
      user_id text collate "C",
      session_name text,
      derived_name text,
      session_state json,
      session_metrics jsonb,
      component_data json,
      metadata json,
      summary json,
      created_at bigint not null,
      updated_at bigint not null,
      check (num_nonnulls(agent_id, team_id, workflow_id) <= 1)
    )`
  yield* sql`create index svc_sessions_by_age on svc_sessions (created_at desc, seq desc)`
  yield* sql`create index svc_sessions_by_user on svc_sessions (user_id, created_at desc, seq desc)`
  yield* sql`
    create index svc_sessions_by_component
    on svc_sessions ((coalesce(agent_id, team_id, workflow_id)), created_at desc, seq desc)`

  // The sums of the domain's `Usage.add` and `Usage.addToSession`, in double precision as JavaScript has it, and
  // without zeros. A loop, because it takes half the time of one statement over both sides.
  yield* sql`
    create function svc_add_counters(one jsonb, other jsonb) returns jsonb
    language plpgsql immutable parallel safe as $$
    declare
      sums jsonb := '{}';
      counter text;
      total double precision;
    begin
      foreach counter in array array[
        'input_tokens', 'output_tokens', 'total_tokens', 'audio_input_tokens', 'audio_output_tokens',
        'audio_total_tokens', 'cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cost'
      ] loop
        if one ? counter or other ? counter then
          total := coalesce((one ->> counter)::double precision, 0) + coalesce((other ->> counter)::double precision, 0);
          if total <> 0 then
            sums := sums || jsonb_build_object(counter, total);
          end if;
        end if;
      end loop;
      return sums;
    end $$`

  yield* sql`
    create function svc_add_usage(session jsonb, run jsonb) returns jsonb
    language plpgsql immutable parallel safe as $$
    declare
      sums jsonb := svc_add_counters(session, run);
      details jsonb := coalesce(session -> 'details', '{}');
      role text;
      used jsonb;
      models jsonb;
      usage jsonb;
      at integer;
    begin
      if not (session ? 'details' or run ? 'details') then
        return sums;
      end if;
      for role, used in select key, value from jsonb_each(coalesce(run -> 'details', '{}')) loop
        models := coalesce(details -> role, '[]');
        for usage in select value from jsonb_array_elements(used) loop
          select place - 1 into at from jsonb_array_elements(models) with ordinality as known(model, place)
          where model -> 'id' = usage -> 'id' and model -> 'provider' = usage -> 'provider' order by place limit 1;
          if at is null then
            models := models || jsonb_build_array(usage);
          else
            models := jsonb_set(models, array[at::text], svc_add_counters(models -> at, usage)
              || jsonb_build_object('id', usage -> 'id', 'provider', usage -> 'provider'));
          end if;
        end loop;
        details := details || jsonb_build_object(role, models);
      end loop;
      return sums || jsonb_build_object('details', details);
    end $$`

  yield* sql`create aggregate svc_sum_usage (jsonb) (sfunc = svc_add_usage, stype = jsonb, initcond = '{}')`
})
