// Also limits the runs of one user that wait: `most_waiting_of_user`. Nodes of earlier versions do not send it. The rest
// of the function is as before.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create or replace function svc_start_refusals(starts json) returns table (place integer, refusal json)
    language plpgsql volatile as $$
    declare
      keys text[] := '{}';
      opened bigint[] := '{}';
      begun bigint[] := '{}';
      ends timestamptz[] := '{}';
      used double precision[] := '{}';
      waiting bigint[] := '{}';
      is_queueing boolean := exists (
        select from json_array_elements(starts) s where s->'start'->>'most_waiting' is not null
      );
      all_waiting bigint;
      of_user bigint;
      users text[] := '{}';
      ahead bigint;
      has_tokens_left boolean;
      moment timestamptz;
      today bigint;
      until_midnight integer;
      until_end integer;
      each record;
      item record;
      at integer;
      last_retry integer;
      is_waiting boolean;
    begin
      for each in
        select distinct hashtextextended(l->>'key', 5710232186) as hash from json_array_elements(starts) s
          cross join lateral json_array_elements(s->'start'->'limits') l order by 1
      loop
        perform pg_advisory_xact_lock(each.hash);
      end loop;
      moment := clock_timestamp();
      today := floor(extract(epoch from moment) / 86400);
      until_midnight := ceil((today + 1) * 86400 - extract(epoch from moment));
      for each in
        with items as materialized (
          select distinct on (l->>'key') l->>'key' as key, l->>'scope' as scope, s->'start'->>'user_id' as user_id,
            s->'start'->>'kind' as kind, s->'start'->>'component_id' as component_id,
            l->>'at_once' is not null as has_open, l->>'per_day' is not null as has_tokens
          from json_array_elements(starts) s cross join lateral json_array_elements(s->'start'->'limits') l
          order by l->>'key'
        ), open_runs as materialized (
          select r.user_id, r.kind, r.component_id, count(*) filter (where r.waits_for is null) as runs,
            count(*) filter (where r.waits_for is not null) as waiting
          from svc_runs r
          where (is_queueing or exists (select from items i where i.has_open))
            and r.is_unfinished and r.node >= '' and r.parent_run_id is null
          group by r.user_id, r.kind, r.component_id
        ), ended as materialized (
          select e.user_id, e.kind, e.component_id, sum(
            case when jsonb_typeof(e.usage->'total_tokens') = 'number'
              then (e.usage->>'total_tokens')::double precision end
          ) as tokens
          from svc_ended_runs e
          where exists (select from items i where i.has_tokens) and e.ended_at >= today * 86400
          group by e.user_id, e.kind, e.component_id
        ), hours as materialized (
          select h.kind, h.component_id, sum(h.total_tokens) as tokens from svc_usage_hours h
          where exists (select from items i where i.has_tokens and i.scope <> 'user') and h.hour >= today * 24
          group by h.kind, h.component_id
        )
        select i.key,
          case when i.has_open then (
            select coalesce(sum(o.runs), 0) from open_runs o where case i.scope
              when 'user' then o.user_id is not distinct from i.user_id
              when 'component' then o.kind = i.kind and o.component_id = i.component_id
              else true
            end
          ) else 0 end as runs,
          case when is_queueing then (
            select coalesce(sum(o.waiting), 0) from open_runs o where case i.scope
              when 'user' then o.user_id is not distinct from i.user_id
              when 'component' then o.kind = i.kind and o.component_id = i.component_id
              else true
            end
          ) else 0 end as waiting,
          case when i.has_tokens then (
            select coalesce(sum(e.tokens), 0) from ended e where case i.scope
              when 'user' then e.user_id is not distinct from i.user_id
              when 'component' then e.kind = i.kind and e.component_id = i.component_id
              else true
            end
          ) + case i.scope
            when 'user' then (
              select coalesce(sum(h.total_tokens), 0) from svc_usage_hours h
              where h.user_id = coalesce(i.user_id, '') and h.hour >= today * 24
            )
            else (
              select coalesce(sum(h.tokens), 0) from hours h
              where i.scope = 'service' or (h.kind = i.kind and h.component_id = i.component_id)
            )
          end else 0 end as tokens,
          coalesce(r.count, 0) as count, coalesce(r.since, moment) + interval '1 minute' as ends_at
        from items i left join svc_run_starts r on r.key = i.key and r.since > moment - interval '1 minute'
      loop
        keys := keys || each.key;
        opened := opened || each.runs::bigint;
        waiting := waiting || each.waiting::bigint;
        used := used || each.tokens;
        begun := begun || each.count::bigint;
        ends := ends || each.ends_at;
      end loop;
      if is_queueing then
        select count(*) into all_waiting from svc_runs r where r.waits_for is not null and r.is_unfinished;
      end if;
      for each in
        select (s->>'place')::integer as place, s->'start'->'limits' as limits,
          (s->'start'->>'most_waiting')::bigint as most_waiting,
          (s->'start'->>'most_waiting_of_user')::bigint as most_of_user, s->'start'->>'user_id' as user_id
        from json_array_elements(starts) s
      loop
        has_tokens_left := true;
        place := each.place;
        refusal := null;
        last_retry := 0;
        for item in
          select l.* from json_to_recordset(each.limits)
            as l (scope text, key text, at_once bigint, per_minute bigint, per_day double precision)
        loop
          at := array_position(keys, item.key);
          -- a run that may wait comes after the ones that wait already
          ahead := case when each.most_waiting is null then 0 else waiting[at] end;
          until_end := ceil(extract(epoch from ends[at] - moment));
          if opened[at] + ahead >= item.at_once and last_retry < 1 then
            last_retry := 1;
            refusal := json_build_object('scope', item.scope, 'name', 'runsAtOnce', 'used', opened[at],
              'limit', item.at_once, 'retry_after', last_retry);
          end if;
          if begun[at] + ahead >= item.per_minute and last_retry < until_end then
            last_retry := until_end;
            refusal := json_build_object('scope', item.scope, 'name', 'runsPerMinute', 'used', begun[at],
              'limit', item.per_minute, 'retry_after', last_retry);
          end if;
          if used[at] >= item.per_day then
            has_tokens_left := false;
          end if;
          if used[at] >= item.per_day and last_retry < until_midnight then
            last_retry := until_midnight;
            refusal := json_build_object('scope', item.scope, 'name', 'tokensPerDay', 'used', used[at],
              'limit', item.per_day, 'retry_after', last_retry);
          end if;
        end loop;
        is_waiting := has_tokens_left and coalesce(all_waiting < each.most_waiting, false);
        if refusal is not null and is_waiting and each.user_id is not null then
          select count(*) into of_user from svc_runs r
          where r.waits_for is not null and r.is_unfinished and r.user_id = each.user_id;
          of_user := of_user + cardinality(array_positions(users, each.user_id));
          is_waiting := coalesce(of_user < each.most_of_user, true);
        end if;
        if refusal is not null then
          -- without a refusal the run waits for room
          refusal := case when not is_waiting then refusal end;
          return next;
          continue when not is_waiting;
          all_waiting := all_waiting + 1;
          users := users || each.user_id;
        else
          is_waiting := false;
        end if;
        for item in select l->>'key' as key from json_array_elements(each.limits) l
        loop
          at := array_position(keys, item.key);
          if is_waiting then
            waiting[at] := waiting[at] + 1;
          else
            opened[at] := opened[at] + 1;
            begun[at] := begun[at] + 1;
          end if;
        end loop;
      end loop;
    end $$`
})
