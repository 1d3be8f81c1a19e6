// What the begin and the end of a run need: changes of a session's state, usage that is counted once, and sizes.
//
// `begin_id` tells a run that was stored by a lost statement from another one with the same id. `counted_usage` is the
// part of a run's usage that its session has already. `told_bytes` is the size of the messages that later runs are
// shown; it is null for runs that ended before this column existed.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_runs
    add column begin_id text collate "C",
    add column counted_usage jsonb,
    add column told_bytes bigint`

  // PostgreSQL cannot read the keys of `json` that says U+0000 or half of a surrogate pair. These escapes are replaced
  // by U+FDD0, which no text contains, and put back afterwards. An escaped backslash is set aside first, as U+0001.
  yield* sql`
    create function svc_guard_json(body text) returns text
    language sql immutable parallel safe as $$
      select case when strpos(body, '\\u') = 0 then body else replace(
        regexp_replace(
          replace(body, '\\\\', chr(1)), '\\\\u(0000|d[89a-f][0-9a-f]{2})', chr(64976) || '\\1', 'gi'
        ), chr(1), '\\\\'
      ) end
    $$`
  yield* sql`
    create function svc_unguard_json(body text) returns text
    language sql immutable parallel safe as $$
      select case when strpos(body, chr(64976)) = 0 then body else
        regexp_replace(body, chr(64976) || '(0000|d[89a-f][0-9a-f]{2})', '\\\\u\\1', 'gi') end
    $$`

  // Each change is {"set": object, "removed": list of keys}. Keys keep their places, new ones come last.
  yield* sql`
    create function svc_change_state(state json, changes json[]) returns json
    language plpgsql immutable parallel safe as $$
    declare
      body json := svc_guard_json(coalesce(state::text, '{}'))::json;
      change json;
    begin
      foreach change in array changes loop
        if change is null then
          continue;
        end if;
        change := svc_guard_json(change::text)::json;
        select ('{' || coalesce(string_agg(to_json(key)::text || ':' || value::text, ',' order by side, place), '') || '}')::json
        into body
        from (
          select 1 as side, old.place, old.key, coalesce(new.value, old.value) as value
          from json_each(body) with ordinality as old (key, value, place)
            left join json_each(change -> 'set') as new (key, value) on new.key = old.key
          where new.key is not null
            or old.key not in (select removed.key from json_array_elements_text(change -> 'removed') as removed (key))
          union all
          select 2, new.place, new.key, new.value
          from json_each(change -> 'set') with ordinality as new (key, value, place)
          where new.key not in (select old.key from json_each(body) as old (key, value))
        ) merged;
      end loop;
      return svc_unguard_json(body::text)::json;
    end $$`

  // What a run has used since it was last counted.
  yield* sql`
    create function svc_negate_usage(usage jsonb) returns jsonb
    language sql immutable parallel safe as $$
      select coalesce(jsonb_object_agg(key, case
        when jsonb_typeof(value) = 'number' then to_jsonb(-(value #>> '{}')::double precision)
        when key = 'details' then (
          select coalesce(jsonb_object_agg(role, (
            select jsonb_agg(svc_negate_usage(model)) from jsonb_array_elements(models) as m (model)
          )), '{}') from jsonb_each(value) as d (role, models)
        )
        else value end), '{}')
      from jsonb_each(usage)
    $$`
})
