// Copies a session and its runs in one statement. The bodies of runs are copied with their old ids, because PostgreSQL
// cannot parse `json` that contains U+0000. The columns of a copy map the old ids to the new ones.
import type { Forking } from "@svc-runtime/engine/run/store/RunWrites"
import type { SqlClient } from "effect/sql"
import { insertJobs } from "../jobs/jobInsertion.ts"
import { approvalColumns } from "../sql/approvalColumns.ts"
import * as Ownership from "../sql/Ownership.ts"
import * as Path from "../sql/Path.ts"
import { text } from "../sql/rows.ts"

/** Stores the job of a copy with paused runs. */
const following = (
  sql: SqlClient.SqlClient,
  { id, kind, max_attempts, run_at }: NonNullable<Forking["job"]>,
  { session_id, source }: Pick<Forking, "session_id" | "source">
) =>
  sql`
    ${sql.literal(insertJobs)}
    from (
      select ${text(id)} as id, ${text(kind)} as kind, null::text as key, false as is_unique,
        json_build_object(
          'source', ${text(source)}::text, 'session_id', ${text(session_id)}::text, 'paused', p.runs,
          'approvals', p.approvals
        ) as payload, ${max_attempts}::integer as max_attempts, null::text as user_id, null::text as caller,
        ${text(session_id)} as session_id, ${String(run_at)} as run_at, null::json as trace
      from paused p where p.runs is not null
    ) n`

/**
 * Unfinished runs are not copied, because no node would execute the copy, and neither are the runs inside of them,
 * because no caller could continue them. A paused run can be continued in both sessions.
 */
export const fork = (sql: SqlClient.SqlClient, { created_at, filter, job, session_id, source }: Forking) => {
  const { component, owner } = filter
  const isSource = sql.and([
    sql`s.session_id = ${text(source)}`,
    Ownership.isVisible(sql, owner),
    ...(component === undefined ? [] : [
      sql`s.session_type = ${component.kind}`,
      sql`coalesce(s.agent_id, s.team_id, s.workflow_id) = ${text(component.id)}`
    ])
  ])
  return sql<object>`
    with recursive source as (
      select s.*, coalesce((
        select m.erased_run from svc_memory_settings m where m.user_id = s.user_id
      ), 0) as erased_run
      from svc_sessions s where ${isSource} for key share of s
    ), erasure as (
      -- waits for a removal of what is known about the user, which does not see the copy
      insert into svc_memory_settings as m (user_id, is_enabled, updated_at)
      select user_id, true, ${created_at}::bigint from source where user_id is not null
      on conflict (user_id) do update set user_id = excluded.user_id returning m.erased_run
    ), copied as materialized (
      select r.*, nextval(pg_get_serial_sequence('svc_runs', 'seq')) as new_seq,
        gen_random_uuid()::text as new_id, ${text(session_id)}::text as new_session, coalesce(
        (select known.key from json_each_text(r.copied_runs) known where known.value = r.run_id), r.run_id
      ) as first_id
      from (
        select r.* from svc_runs r join source on source.session_id = r.session_id
        where not r.is_unfinished and not exists (
          select from svc_runs o where o.run_id = r.outermost_run_id and o.is_unfinished
        ) order by r.seq
      ) r
    ), roots as (
      select c.seq, c.new_seq, lag(c.new_seq, 1, 0::bigint) over (order by c.seq) as preceding
      from copied c where c.parent_run_id is null
    ), placed as (
      -- a parent that is not copied stands for the run before it, which the path has
      select c.run_id, nullif(coalesce(known.new_seq, (
        select max(p.new_seq) from roots p
        where c.parent is not null and p.seq <@ (select svc_path(c.session_id, c.parent))
      ), 0), c.preceding) as after_run
      from (
        select c.run_id, c.session_id, roots.preceding, ${sql.literal(Path.parentOf("c"))} as parent
        from copied c join roots on roots.seq = c.seq where exists (select from source where is_branched) offset 0
      ) c left join roots known on known.seq = c.parent
    ), inside (run_id, outermost) as (
      select c.run_id, c.run_id from copied c
      where not exists (select from copied p where p.run_id = c.parent_run_id)
      union all
      select c.run_id, i.outermost from inside i join copied c on c.parent_run_id = i.run_id
    ), named as (
      select i.outermost, json_object_agg(c.first_id, c.new_id) as runs
      from inside i join copied c on c.run_id = i.run_id group by i.outermost having count(*) > 1
    ), texts as (
      insert into svc_large_texts (session_id, hash, part, body)
      select ${text(session_id)}, t.hash, t.part, t.body
      from source join svc_large_texts t on t.session_id = source.session_id where exists (select from copied)
    ), media as (
      insert into svc_media (session_id, hash, part, mime_type, size, body)
      select ${text(session_id)}, m.hash, m.part, m.mime_type, m.size, m.body
      from source join svc_media m on m.session_id = source.session_id where exists (select from copied)
    ), runs as (
      insert into svc_runs (
        seq, run_id, session_id, parent_run_id, kind, component_id, user_id, node, status, created_at, updated_at,
        output, attempt, command, history_runs, skips_unfinished, counted_usage, history_bytes, forked_from_session_id, copied_runs,
        outermost_run_id, without_memory, origin_seq, model, model_provider, usage, duration, after_run, is_addition
      ) overriding system value
      select c.new_seq, c.new_id, c.new_session, p.new_id, c.kind, c.component_id, c.user_id, '', c.status, c.created_at, c.updated_at,
        c.output, c.attempt, c.command, c.history_runs, c.skips_unfinished, c.counted_usage, c.history_bytes, coalesce(c.forked_from_session_id, c.session_id), n.runs,
        case when o.run_id <> c.run_id then o.new_id end, c.without_memory, coalesce(c.origin_seq, c.seq),
        c.model, c.model_provider, c.usage, c.duration, placed.after_run, c.is_addition
      from copied c join inside i on i.run_id = c.run_id left join named n on n.outermost = i.outermost
        left join placed on placed.run_id = c.run_id
        left join copied p on p.run_id = c.parent_run_id join copied o on o.run_id = i.outermost
      order by c.seq
      returning run_id, seq
    ), numbered as (
      select c.seq as old_seq, r.seq as new_seq from copied c join runs r on r.run_id = c.new_id
    ), session as (
      insert into svc_sessions (
        session_id, session_type, agent_id, team_id, workflow_id, user_id, session_name, derived_name,
        session_state, session_metrics, component_data, metadata, summary, created_at, updated_at, summarized_run,
        passed_runs, is_evaluation, leaf_run, is_branched
      )
      select ${text(session_id)}, session_type, agent_id, team_id, workflow_id, user_id, session_name, derived_name,
        session_state, session_metrics, component_data, metadata,
        case when coalesce((select erased_run from erasure), 0) = source.erased_run then summary end,
        ${created_at}::bigint, ${created_at}::bigint,
        coalesce((
          select max(n.new_seq) from numbered n where n.old_seq <= greatest(source.summarized_run, source.erased_run)
        ), 0),
        array(select n.new_seq from numbered n where n.old_seq = any(source.passed_runs) order by n.new_seq),
        is_evaluation,
        case when source.is_branched then nullif(coalesce((
          select max(p.new_seq) from roots p where p.seq <@ (select svc_path(source.session_id, source.leaf_run))
        ), 0), (select max(new_seq) from roots)) end,
        source.is_branched
      from source where exists (select from copied)
    ), messages as (
      insert into svc_messages (run_seq, position, role, from_history, body)
      select n.new_seq, m.position, m.role, m.from_history, m.body
      from numbered n join svc_messages m on m.run_seq = n.old_seq
    ), events as (
      insert into svc_run_events (run_seq, event_index, kind, body)
      select n.new_seq, e.event_index, e.kind, e.body
      from numbered n join svc_run_events e on e.run_seq = n.old_seq
    ), folds as (
      insert into svc_run_event_folds (run_seq, first_index, last_index, body)
      select n.new_seq, f.first_index, f.last_index, f.body
      from numbered n join svc_run_event_folds f on f.run_seq = n.old_seq
    ), journal as (
      insert into svc_run_journal (run_seq, position, body)
      select n.new_seq, j.position, j.body from numbered n join svc_run_journal j on j.run_seq = n.old_seq
    ), paused as (
      select json_object_agg(c.new_id, c.run_id) as runs, (
        select coalesce(json_agg(waited), '[]') from (
          select distinct on (a.run_id) ${sql.literal(approvalColumns)}
          from copied c join svc_approvals a on a.run_id = c.run_id
          where c.status = 'PAUSED' and a.approval_type = 'required' order by a.run_id, a.seq desc
        ) waited
      ) as approvals
      from copied c where c.status = 'PAUSED'
    ), enqueued as (${job === undefined ? sql`select` : following(sql, job, { source, session_id })})
    select count(*)::int as copies, (select p.runs from paused p) as paused,
      (select p.approvals from paused p) as approvals from runs`
}
