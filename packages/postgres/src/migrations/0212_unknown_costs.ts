// The sum of a known and an unknown cost of a model is not known, as in `Usage.addDetails` of the domain.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function svc_add_model(one jsonb, other jsonb) returns jsonb
    language plpgsql immutable parallel safe as $$
    declare
      sums jsonb := svc_add_counters(one, other) || jsonb_build_object('id', one -> 'id', 'provider', one -> 'provider');
      model jsonb;
    begin
      foreach model in array array[one, other] loop
        if not (model ? 'cost') and coalesce((model ->> 'total_tokens')::double precision, 0) <> 0 then
          return sums - 'cost';
        end if;
      end loop;
      return sums;
    end $$`
  yield* sql`
    create or replace function svc_add_usage(session jsonb, run jsonb) returns jsonb
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
            models := jsonb_set(models, array[at::text], svc_add_model(models -> at, usage));
          end if;
        end loop;
        details := details || jsonb_build_object(role, models);
      end loop;
      return sums || jsonb_build_object('details', details);
    end $$`
})
