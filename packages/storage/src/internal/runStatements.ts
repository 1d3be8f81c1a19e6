// The two statements that every run costs, and those that it costs per step. Each takes the runs of many callers at once, as arrays with a place for every
// run, and is one round trip and one transaction. Their text never changes, so the database plans each of them once.
import { AnyRun, type Run, type RunEvent, type TeamRun } from "@svc/domain"
import type { Beginning, Ending, Happened, HeldRun, Recall, Recorded } from "@svc/runtime"
import { booleans, integers, json, jsonb, jsonOrNull, text, textOrNull, texts, times } from "./rows.ts"

// Neither looks at more of a session than it was asked for: the history is read from the end of an index.
//
// `begin` touches a session's row only if the run changes it, so that runs of one session do not wait for each other.
// All of its parts see the database as it was when the statement began. It may therefore find a session that somebody
// has created or claimed at the same moment neither there nor its own to make: `raced` then, nothing stored, and it is to
// be repeated. The same goes for the second of two runs that want to make or change one session in one statement.
//
// A session that is found is locked against being removed, as a foreign key would lock it later on: removed and made anew
// by somebody else in between, it would be theirs when the run arrives in it.
//
// A session and its runs are looked up per run (`lateral … limit`, `any`), which keeps the planner from reading whole
// tables where nobody collects statistics.
//
// Whether a session is busy is asked of an index that holds nothing but what is unfinished. Of two runs that both find
// their session free, because neither sees the other, one runs into the index of turns: `raced` as well.

/**
 * Whether a run may go into the session `s`. The last line is the rule of owners, as `covers` of ownership.ts has it for
 * reading: what is somebody's is theirs alone. What nobody owns is there for everybody who is not isolated.
 */
const isAdmitted = (run: string) =>
  `(
    s.session_type = ${run}.kind
    and coalesce(s.agent_id, s.team_id, s.workflow_id, ${run}.component_id) = ${run}.component_id
    and case when s.user_id is null then not ${run}.isolated else s.user_id is not distinct from ${run}.user_id end
  )`

/** $1 sessions, $2 kinds, $3 components, $4 users, $5 runs, $6 derived names, $7 component data, $8 metadata, $9 times,
 * $10 nodes, $11 the runs as they are shown until they end, $12 numbers of runs to remember, $13 whether the caller is
 * isolated, $14 what is needed to go on, $15 first events, $16 their kinds, $17 first
 * entries of journals, $18 whether they wait for their turn, $19 what they do when the session is busy */
export const begin = `
with asked as (
  select *, row_number() over (partition by session_id order by place) = 1 as is_first
  from unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::json[], $8::json[], $9::bigint[],
    $10::text[], $11::json[], $12::integer[], $13::boolean[], $14::json[], $15::json[],
    $16::text[], $17::json[], $18::boolean[], $19::text[]
  ) with ordinality as asked (
    session_id, kind, component_id, user_id, run_id, derived_name, component_data, metadata, now,
    node, output, remembered, isolated, command, opening, opening_kind, entries, takes_turns, if_busy, place
  )
), looked as (
  select asked.*, existing.*
  from asked left join lateral (
    select
      true as found,
      s.session_state,
      ${isAdmitted("asked")} as admitted,
      coalesce(s.agent_id, s.team_id, s.workflow_id) is null or (s.user_id is null and asked.user_id is not null)
        or s.derived_name is null or s.session_state is null or s.session_metrics is null
        or s.component_data::text is distinct from asked.component_data::text
        or (s.metadata is null and asked.metadata is not null) as changed
    from svc_sessions s where s.session_id = asked.session_id limit 1 for key share
  ) existing on true
), queued as (
  select *, coalesce(is_busy, false) or row_number() over (partition by session_id order by place) > 1 as is_behind
  from looked left join lateral (
    select true as is_busy from svc_runs r where r.session_id = looked.session_id and r.is_unfinished limit 1
  ) busy on true
  where admitted or found is null
), created as (
  insert into svc_sessions (
    session_id, session_type, agent_id, team_id, workflow_id, user_id, derived_name,
    session_state, session_metrics, component_data, metadata, created_at, updated_at
  )
  select
    session_id, kind, case kind when 'agent' then component_id end, case kind when 'team' then component_id end,
    case kind when 'workflow' then component_id end, user_id, derived_name, '{}', '{}', component_data, metadata, now, now
  from looked where found is null and is_first order by place
  on conflict (session_id) do nothing
  returning session_id
), updated as (
  update svc_sessions s set
    agent_id = case l.kind when 'agent' then l.component_id end,
    team_id = case l.kind when 'team' then l.component_id end,
    workflow_id = case l.kind when 'workflow' then l.component_id end,
    user_id = coalesce(s.user_id, l.user_id),
    derived_name = coalesce(s.derived_name, l.derived_name),
    session_state = coalesce(s.session_state, '{}'),
    session_metrics = coalesce(s.session_metrics, '{}'),
    component_data = l.component_data,
    metadata = coalesce(s.metadata, l.metadata),
    updated_at = l.now
  from looked l
  where s.session_id = any($1::text[]) and s.session_id = l.session_id and l.admitted and l.changed and l.is_first
    and ${isAdmitted("l")}
  returning s.session_id
), accepted as (
  insert into svc_runs (
    run_id, session_id, kind, component_id, user_id, node, status, created_at, updated_at, output, command, remembered,
    takes_turns, cancel_requested
  )
  select
    run_id, session_id, kind, component_id, user_id, node,
    case when is_behind and takes_turns then 'PENDING' else 'RUNNING' end,
    now, now, output, command, remembered, takes_turns,
    exists (
      select from asked later where later.session_id = q.session_id and later.place > q.place and later.if_busy = 'interrupt'
    )
  from queued q
  where not (is_behind and if_busy = 'reject') and (
    (admitted and not changed)
    or (is_first and (
      exists (select from created c where c.session_id = q.session_id)
      or exists (select from updated u where u.session_id = q.session_id)
    ))
  )
  order by session_id, place
  on conflict (session_id) where is_unfinished and takes_turns and status = 'RUNNING' do nothing
  returning run_id, seq, status
), interrupted as (
  update svc_runs r set cancel_requested = true
  from looked l
  where r.session_id = l.session_id and r.is_unfinished and l.admitted and l.if_busy = 'interrupt'
), told as (
  insert into svc_run_events (run_seq, event_index, kind, body)
  select a.seq, 0, l.opening_kind, l.opening
  from accepted a join asked l on l.run_id = a.run_id and l.opening is not null
), based as (
  insert into svc_run_journal (run_seq, position, body)
  select a.seq, e.place - 1, e.body
  from accepted a join asked l on l.run_id = a.run_id and l.entries is not null
    cross join lateral json_array_elements(l.entries) with ordinality as e (body, place)
)
select
  case
    when a.run_id is not null then 'accepted'
    when l.found and not l.admitted then 'refused'
    when exists (select from queued q where q.place = l.place and q.is_behind and q.if_busy = 'reject') then 'busy'
    else 'raced'
  end as outcome,
  coalesce(a.status = 'PENDING', false) as is_waiting,
  coalesce(l.session_state, '{}') as session_state,
  coalesce((
    select '[' || string_agg(said.bodies, ',' order by earlier.seq) || ']'
    from (
      select seq from svc_runs
      where session_id = l.session_id and status = 'COMPLETED' and parent_run_id is null
      order by seq desc limit l.remembered
    ) earlier cross join lateral (
      select string_agg(m.body::text, ',' order by m.position) as bodies from svc_messages m
      where m.run_seq = earlier.seq and m.role not in ('system', 'developer') and not m.from_history
    ) said
  ), '[]') as history
from looked l left join accepted a on a.run_id = l.run_id order by l.place`

export const beginParameters = (beginnings: ReadonlyArray<Beginning>): ReadonlyArray<unknown> => [
  texts(beginnings.map(({ session_id }) => text(session_id))),
  texts(beginnings.map(({ kind }) => kind)),
  texts(beginnings.map(({ component_id }) => text(component_id))),
  texts(beginnings.map(({ user_id }) => textOrNull(user_id))),
  texts(beginnings.map(({ run_id }) => text(run_id))),
  texts(beginnings.map(({ derived_name }) => text(derived_name))),
  texts(beginnings.map(({ component_data }) => json(component_data))),
  texts(beginnings.map(({ component_metadata }) => jsonOrNull(component_metadata))),
  times(beginnings.map(({ created_at }) => created_at)),
  texts(beginnings.map(({ node }) => text(node))),
  texts(beginnings.map((beginning) => json(AnyRun.running(beginning)))),
  integers(beginnings.map(({ history }) => history)),
  booleans(beginnings.map(({ isolated }) => isolated)),
  texts(beginnings.map(({ command }) => json(command))),
  texts(beginnings.map(({ opening }) => jsonOrNull(opening ?? null))),
  texts(beginnings.map(({ opening }) => opening?.event ?? null)),
  texts(beginnings.map(({ entries }) => jsonOrNull(entries.length === 0 ? null : entries))),
  booleans(beginnings.map(({ takesTurns }) => takesTurns)),
  texts(beginnings.map(({ ifBusy }) => ifBusy))
]

// A run ends once. What ends it a second time (the same ending, sent again because the answer was lost) changes nothing.
// The statuses are named so that the planner does not take the index of what is running: it would read all of it.

/** Of the runs: $1 ids, $2 statuses, $3 outputs, $4 parent runs, $5 times, $6 changes of session states, $7 usages, $8 sessions. Of
 * their messages: $9 places of the runs, $10 positions, $11 roles, $12 from history, $13 bodies. Of their events: $14
 * places of the runs, $15 indexes, $16 kinds, $17 bodies. Of the runs again: $18 attempts */
export const finish = `
with ended as (
  update svc_runs set
    status = ($2::text[])[array_position($1::text[], run_id)],
    output = ($3::json[])[array_position($1::text[], run_id)],
    parent_run_id = ($4::text[])[array_position($1::text[], run_id)],
    updated_at = ($5::bigint[])[array_position($1::text[], run_id)],
    command = case when ($2::text[])[array_position($1::text[], run_id)] in ('PAUSED', 'ERROR') then command end
  where run_id = any($1::text[]) and status in ('PENDING', 'RUNNING')
    and attempt = ($18::integer[])[array_position($1::text[], run_id)]
  returning seq, session_id, status, array_position($1::text[], run_id) as place
), forgotten as (
  delete from svc_run_journal where run_seq = any(array(select seq from ended where status not in ('PAUSED', 'ERROR')))
), messages as (
  insert into svc_messages (run_seq, position, role, from_history, body)
  select ended.seq, m.position, m.role, m.from_history, m.body
  from ended join unnest($9::integer[], $10::integer[], $11::text[], $12::boolean[], $13::json[])
    as m (place, position, role, from_history, body) on m.place = ended.place
  on conflict do nothing
), events as (
  insert into svc_run_events (run_seq, event_index, kind, body)
  select ended.seq, e.event_index, e.kind, e.body
  from ended join unnest($14::integer[], $15::integer[], $16::text[], $17::json[])
    as e (place, event_index, kind, body) on e.place = ended.place
  on conflict do nothing
), sums as (
  select
    session_id,
    svc_sum_usage(($7::jsonb[])[place] order by place) filter (where status <> 'PAUSED') as usage,
    max(($5::bigint[])[place]) as now,
    array_agg(($6::json[])[place] order by place) filter (where ($6::json[])[place] is not null) as changes
  from ended group by session_id
), added as (
  update svc_sessions s set
    session_state = case when sums.changes is null then s.session_state
      else svc_change_state(s.session_state, sums.changes) end,
    session_metrics = svc_add_usage(coalesce(s.session_metrics, '{}'), coalesce(sums.usage, '{}')),
    updated_at = sums.now
  from sums where s.session_id = any($8::text[]) and s.session_id = sums.session_id
)
select
  exists (select from ended where ended.place = asked.place) or not exists (
    select from svc_runs r
    where r.run_id = asked.run_id and (r.attempt <> asked.attempt or r.status in ('PENDING', 'RUNNING'))
  ) as held
from unnest($1::text[], $18::integer[]) with ordinality as asked (run_id, attempt, place) order by asked.place`

const columnsOf = <I, A, B>(items: ReadonlyArray<I>, of: (item: I) => ReadonlyArray<A>, column: (value: A) => B) =>
  items.flatMap((item) => of(item).map(column))

/** Places count from 1, as in the database. */
const placesOf = <I>(items: ReadonlyArray<I>, of: (item: I) => ReadonlyArray<unknown>) =>
  items.flatMap((item, index) => of(item).map(() => index + 1))

const messagesOf = ({ run }: Pick<Ending, "run">) => AnyRun.messagesOf(run)
const eventsOf = ({ events }: Ending) => events ?? []

const outputOf = ({ run }: Pick<Ending, "run">) => AnyRun.withoutLog(run)

/** The messages of runs: places of the runs, positions, roles, from history, bodies. */
const messageColumns = (runs: ReadonlyArray<Pick<Ending, "run">>): ReadonlyArray<unknown> => [
  integers(placesOf(runs, messagesOf)),
  integers(runs.flatMap((run) => messagesOf(run).map((_, position) => position + 1))),
  texts(columnsOf(runs, messagesOf, ({ role }) => role)),
  booleans(columnsOf(runs, messagesOf, ({ from_history }) => from_history)),
  texts(columnsOf(runs, messagesOf, json))
]

export const finishParameters = (endings: ReadonlyArray<Ending>): ReadonlyArray<unknown> => [
  texts(endings.map(({ run }) => text(run.run_id))),
  texts(endings.map(({ run }) => run.status)),
  texts(endings.map((ending) => json(outputOf(ending)))),
  texts(endings.map(({ run }) => textOrNull(run.parent_run_id ?? null))),
  times(endings.map(({ updated_at }) => updated_at)),
  texts(endings.map(({ state_changes }) => jsonOrNull(state_changes ?? null))),
  texts(endings.map(({ usage }) => jsonb(usage))),
  texts([...new Set(endings.map(({ run }) => text(run.session_id)))].sort()),
  ...messageColumns(endings),
  integers(placesOf(endings, eventsOf)),
  integers(columnsOf(endings, eventsOf, ({ event_index }) => event_index)),
  texts(columnsOf(endings, eventsOf, ({ event }) => event)),
  texts(columnsOf(endings, eventsOf, json)),
  integers(endings.map(({ attempt }) => attempt))
]

// What is written into a run that goes on is written by whoever holds it: the row of the run is locked against being
// taken over until the statement is done, and one that was taken over before is not found under the old attempt.

/** Of the runs that are `held`, as `eventColumns` has them. */
const insertEvents = `insert into svc_run_events (run_seq, event_index, kind, body)
  select held.seq, e.event_index, e.kind, e.body
  from held join unnest($3::integer[], $4::integer[], $5::text[], $6::json[]) as e (place, event_index, kind, body)
    on e.place = held.place
  on conflict do nothing`

/** Of the runs: $1 ids, $2 attempts. Of their events: $3 places of the runs, $4 indexes, $5 kinds, $6 bodies. What a run
 * that has ended said before is stored with its end. */
export const appendEvents = `
with held as (
  select r.seq, r.run_id, r.attempt, h.place
  from unnest($1::text[], $2::integer[]) with ordinality as h (run_id, attempt, place)
  join svc_runs r on r.run_id = h.run_id and r.attempt = h.attempt and r.status in ('PENDING', 'RUNNING')
  for share of r
), events as (
  ${insertEvents}
)
select run_id, attempt from held`

interface WithEvents {
  readonly run_id: Run.Id
  readonly attempt: number
  readonly events: ReadonlyArray<RunEvent.RunEvent>
}

const eventColumns = (runs: ReadonlyArray<WithEvents>): ReadonlyArray<unknown> => {
  const rows = runs.flatMap(({ events }, index) => events.map((event) => ({ place: index + 1, event })))
  return [
    texts(runs.map(({ run_id }) => text(run_id))),
    integers(runs.map(({ attempt }) => attempt)),
    integers(rows.map(({ place }) => place)),
    integers(rows.map(({ event }) => event.event_index)),
    texts(rows.map(({ event }) => event.event)),
    texts(rows.map(({ event }) => json(event)))
  ]
}

export const appendEventsParameters = (happened: ReadonlyArray<Happened>): ReadonlyArray<unknown> =>
  eventColumns(happened)

/** As above, and of the runs: $7 positions, $8 entries. A run has at most one entry in a statement at a position. */
export const record = `
with held as (
  select r.seq, h.place, h.position, h.body
  from unnest($1::text[], $2::integer[], $7::integer[], $8::json[]) with ordinality
    as h (run_id, attempt, position, body, place)
  join svc_runs r on r.run_id = h.run_id and r.attempt = h.attempt and r.status in ('PENDING', 'RUNNING')
  for share of r
), entries as (
  insert into svc_run_journal (run_seq, position, body) select seq, position, body from held
  on conflict do nothing
), events as (
  ${insertEvents}
)
select exists (select from held where held.place = asked.place) as recorded
from generate_series(1, array_length($1::text[], 1)) as asked (place) order by asked.place`

export const recordParameters = (recorded: ReadonlyArray<Recorded>): ReadonlyArray<unknown> => [
  ...eventColumns(recorded),
  integers(recorded.map(({ position }) => position)),
  texts(recorded.map(({ entry }) => json(entry)))
]

// Runs inside of a run belong to whoever holds that one. A paused one is written again when it has gone on; a run that
// somebody else has under the same id stays as it is.

/** Of the outer run: $1 id, $2 attempt. Of the inner runs: $3 ids, $4 runs that they are in, $5 kinds, $6 components, $7
 * statuses, $8 times, $9 outputs. Of their messages: $10 places of the runs, $11 positions, $12 roles, $13 from history,
 * $14 bodies */
export const recordInner = `
with held as (
  select session_id, user_id, node, updated_at from svc_runs
  where run_id = $1 and attempt = $2 and status in ('PENDING', 'RUNNING') for share
), kept as (
  insert into svc_runs (
    run_id, session_id, parent_run_id, outermost_run_id, kind, component_id, user_id, node, status, created_at,
    updated_at, output
  )
  select
    i.run_id, held.session_id, i.parent, $1, i.kind, i.component, held.user_id, held.node, i.status, i.created_at,
    held.updated_at, i.output
  from held cross join unnest(
    $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::json[]
  ) with ordinality as i (run_id, parent, kind, component, status, created_at, output, place)
  order by i.place
  on conflict (run_id) do update set
    status = excluded.status, output = excluded.output, updated_at = excluded.updated_at
    where svc_runs.parent_run_id = excluded.parent_run_id
  returning run_id, seq
)
insert into svc_messages (run_seq, position, role, from_history, body)
select kept.seq, m.position, m.role, m.from_history, m.body
from kept join unnest($10::integer[], $11::integer[], $12::text[], $13::boolean[], $14::json[])
  as m (place, position, role, from_history, body) on m.place = array_position($3::text[], kept.run_id)
on conflict do nothing`

export const recordInnerParameters = (
  { attempt, run_id }: HeldRun,
  inner: ReadonlyArray<TeamRun.MemberResponse>
): ReadonlyArray<unknown> => {
  const runs = inner.map((run) => ({ run, component: AnyRun.componentOf(run) }))
  return [
    text(run_id),
    attempt,
    texts(inner.map((run) => text(run.run_id))),
    texts(inner.map(({ parent_run_id }) => textOrNull(parent_run_id ?? null))),
    texts(runs.map(({ component }) => component.kind)),
    texts(runs.map(({ component }) => text(component.id))),
    texts(inner.map(({ status }) => status)),
    times(inner.map(({ created_at }) => created_at)),
    texts(runs.map((each) => json(outputOf(each)))),
    ...messageColumns(runs)
  ]
}

// What a member of a team remembers is read from the end of an index of what members have completed. Each of those is asked
// whether it is inside of an earlier run, and of the same team, by itself: the planner would read all of the session's runs
// otherwise.

/** $1 the run that is under way, $2 kind, $3 component, $4 team, $5 how many */
export const recall = `
select coalesce((
  select '[' || string_agg(said.bodies, ',' order by earlier.seq) || ']'
  from (
    select i.seq from svc_runs i
    cross join lateral (
      select from svc_runs o where o.run_id = i.outermost_run_id and o.seq < r.seq limit 1
    ) before
    cross join lateral (
      select from svc_runs p where p.run_id = i.parent_run_id and p.component_id = $4 limit 1
    ) asking
    where i.session_id = r.session_id and i.component_id = $3 and i.kind = $2
      and i.outermost_run_id is not null and i.status = 'COMPLETED'
    order by i.seq desc limit $5
  ) earlier cross join lateral (
    select string_agg(m.body::text, ',' order by m.position) as bodies from svc_messages m
    where m.run_seq = earlier.seq and m.role not in ('system', 'developer') and not m.from_history
  ) said
), '[]') as history
from svc_runs r where r.run_id = $1`

export const recallParameters = ({ component, limit, run_id, team }: Recall): ReadonlyArray<unknown> => [
  text(run_id),
  component.kind,
  text(component.id),
  text(team),
  limit
]
