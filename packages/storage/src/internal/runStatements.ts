// The two statements that every run costs. Their text never changes, so the database plans each of them once, and each
// is one round trip and one transaction of its own.
import { Run } from "@svc/domain"
import type { Beginning, Ending } from "@svc/runtime"
import { json, jsonb, jsonOrNull, text, textOrNull } from "./rows.ts"

// Neither looks at more of the session than it was asked for: the history is read from the end of an index.
//
// `begin` touches the session's row only if the run changes it, so that runs of one session do not wait for each other.
// All of its parts see the database as it was when the statement began. It may therefore find a session that somebody
// has created or claimed at the same moment neither there nor its own to make: `raced` then, nothing stored, and it is to
// be repeated.

/** $1 session, $2 kind, $3 component, $4 user, $5 run, $6 derived name, $7 component data, $8 metadata, $9 now, $10 node,
 * $11 the run as it is shown until it ends, $12 number of runs to remember */
export const begin = `
with existing as (
  select
    session_state,
    session_type = $2 and coalesce(agent_id, team_id, workflow_id, $3) = $3
      and (user_id is null or user_id is not distinct from $4) as admitted,
    coalesce(agent_id, team_id, workflow_id) is null or (user_id is null and $4 is not null) or derived_name is null
      or session_state is null or session_metrics is null or component_data::text is distinct from $7
      or (metadata is null and $8::json is not null) as changed
  from svc_sessions where session_id = $1
), created as (
  insert into svc_sessions (
    session_id, session_type, agent_id, team_id, workflow_id, user_id, derived_name,
    session_state, session_metrics, component_data, metadata, created_at, updated_at
  )
  select
    $1, $2, case $2 when 'agent' then $3 end, case $2 when 'team' then $3 end, case $2 when 'workflow' then $3 end,
    $4, $6, '{}', '{}', $7::json, $8::json, $9, $9
  where not exists (select from existing)
  on conflict (session_id) do nothing
  returning 1
), updated as (
  update svc_sessions s set
    agent_id = case $2 when 'agent' then $3 end,
    team_id = case $2 when 'team' then $3 end,
    workflow_id = case $2 when 'workflow' then $3 end,
    user_id = coalesce(s.user_id, $4),
    derived_name = coalesce(s.derived_name, $6),
    session_state = coalesce(s.session_state, '{}'),
    session_metrics = coalesce(s.session_metrics, '{}'),
    component_data = $7::json,
    metadata = coalesce(s.metadata, $8::json),
    updated_at = $9
  from existing
  where s.session_id = $1 and existing.admitted and existing.changed
    and s.session_type = $2 and coalesce(s.agent_id, s.team_id, s.workflow_id, $3) = $3
    and (s.user_id is null or s.user_id is not distinct from $4)
  returning 1
), accepted as (
  insert into svc_runs (run_id, session_id, kind, component_id, user_id, node, status, created_at, updated_at, output)
  select $5, $1, $2, $3, $4, $10, 'RUNNING', $9, $9, $11::json
  where exists (select from existing where admitted and not changed)
    or exists (select from created)
    or exists (select from updated)
  returning 1
)
select
  case
    when exists (select from accepted) then 'accepted'
    when exists (select from existing where not admitted) then 'refused'
    else 'raced'
  end as outcome,
  coalesce((select session_state from existing), '{}') as session_state,
  coalesce((
    select '[' || string_agg(said.bodies, ',' order by earlier.seq) || ']'
    from (
      select seq from svc_runs
      where session_id = $1 and status = 'COMPLETED' and parent_run_id is null
      order by seq desc limit $12
    ) earlier cross join lateral (
      select string_agg(m.body::text, ',' order by m.position) as bodies from svc_messages m
      where m.run_seq = earlier.seq and m.role <> 'system' and not m.from_history
    ) said
  ), '[]') as history`

export const beginParameters = (beginning: Beginning): ReadonlyArray<unknown> => [
  text(beginning.session_id),
  beginning.kind,
  text(beginning.component_id),
  textOrNull(beginning.user_id),
  text(beginning.run_id),
  text(beginning.derived_name),
  json(beginning.component_data),
  jsonOrNull(beginning.component_metadata),
  beginning.created_at,
  text(beginning.node),
  json(Run.running(beginning)),
  beginning.history
]

// A run ends once. What ends it a second time (the same ending, sent again because the answer was lost) changes nothing.
// The statuses are named so that the planner does not take the index of what is running: it would read all of it.

/** $1 run, $2 status, $3 output, $4 parent run, $5 now, $6 session state, $7 usage, then the columns of its messages:
 * $8 roles, $9 from history, $10 bodies, and those of its events: $11 indexes, $12 kinds, $13 bodies */
export const finish = `
with ended as (
  update svc_runs set status = $2, output = $3::json, parent_run_id = $4, updated_at = $5
  where run_id = $1 and status in ('PENDING', 'RUNNING')
  returning seq, session_id
), messages as (
  insert into svc_messages (run_seq, position, role, from_history, body)
  select ended.seq, m.position, m.role, m.from_history, m.body
  from ended, unnest($8::text[], $9::boolean[], $10::json[]) with ordinality as m (role, from_history, body, position)
), events as (
  insert into svc_run_events (run_seq, event_index, kind, body)
  select ended.seq, e.event_index, e.kind, e.body
  from ended, unnest($11::integer[], $12::text[], $13::json[]) as e (event_index, kind, body)
)
update svc_sessions s set
  session_state = coalesce($6::json, s.session_state),
  session_metrics = svc_add_usage(coalesce(s.session_metrics, '{}'), $7::jsonb),
  updated_at = $5
from ended where s.session_id = ended.session_id`

export const finishParameters = ({ events, run, session_state, updated_at, usage }: Ending): ReadonlyArray<unknown> => {
  const { events: _, messages = [], ...output } = run
  return [
    text(run.run_id),
    run.status,
    json(output),
    textOrNull(run.parent_run_id ?? null),
    updated_at,
    jsonOrNull(session_state ?? null),
    jsonb(usage),
    messages.map((message) => message.role),
    messages.map((message) => message.from_history),
    messages.map(json),
    (events ?? []).map((event) => event.event_index),
    (events ?? []).map((event) => event.event),
    (events ?? []).map(json)
  ]
}
