// The statement that accepts runs. It takes the runs of many callers at once, as arrays with an element for every run,
// and is one round trip and one transaction. Its text never changes, so the database plans it once.
//
// It reads only the requested part of a session: the history is read from the end of an index.
//
// It changes the row of a session only if the run changes it, so that runs of one session do not wait for each other.
// All of its parts see the database as it was when the statement began. A session that another statement
// has created or claimed at the same moment is then neither found nor created: the result is `raced`, nothing is
// stored, and the caller repeats the statement. The same holds for the second of two runs that create or change one
// session.
//
// A session that is found is locked against removal, as a foreign key would lock it later on: if it were removed and
// created anew by another user in between, the run would arrive in a session of that user.
//
// A session and its runs are looked up per run (`lateral … limit`, `any`), which keeps the planner from reading whole
// tables where no statistics are collected.
//
// Whether a session is busy is read from an index of unfinished runs. Of two runs that both find their session free,
// because neither sees the other, one violates the unique index of the queue: `raced` as well.
//
// Its result is small, because many callers share it: a large state or history is left out, and read alone. Its wait
// is short: a session that another transaction has locked is `locked`, and the run is accepted by a statement of its
// own that waits. A session that is being removed is `locked` as well.
//
// What a run assumes about stored components is compared with their rows. Nothing is stored for a run whose
// components have changed: it is `outdated`. A run that would exceed a limit is `full`.
import * as DatabaseClock from "../sql/DatabaseClock.ts"
import { isPresent } from "../sql/Ownership.ts"
import * as Path from "../sql/Path.ts"
import { columns } from "./CreateColumns.ts"
import * as RunHistory from "./RunHistory.ts"
import * as StartRefusals from "./StartRefusals.ts"

/**
 * Whether a run may go into the session `s`. The last line is the rule of ownership, as in `covers` of Ownership.ts
 * for reading: data of an owner is that owner's alone. Data without an owner is for every caller who is not isolated.
 */
const isAdmitted = (run: string) =>
  `(
    s.session_type = ${run}.kind
    and coalesce(s.agent_id, s.team_id, s.workflow_id, ${run}.component_id) = ${run}.component_id
    and case when s.user_id is null then not ${run}.isolated else s.user_id is not distinct from ${run}.user_id end
  )`

/** Whether one of the components is not as the run takes it to be. Each is looked up by its key. */
const isOutdated = `(assumes is not null and exists (
    select from json_to_recordset(assumes) as a (id text, name text, kind text, version integer)
    where not coalesce((
      select c.name = a.name and (a.kind is null or (
        c.removed_at is null and c.component_type = a.kind and c.current_version is not distinct from a.version
      )) from svc_components c where c.component_id = a.id limit 1
    ), false)
  ))`

/** The runs that the run `l` is shown. A queued run is shown the runs that have ended when it starts. */
const newest = `from svc_runs b
      where a.status = 'RUNNING' and b.session_id = l.session_id and b.parent_run_id is null
        and ${RunHistory.isShown("l.skips_unfinished")}
        and ${Path.has({ isBranched: "l.is_branched", session: "l.session_id", last: "l.after_run" }, "b.seq")}
      order by b.seq desc limit l.history_runs`

const historyLimit = `${columns.after(1)}::bigint`
const inlineLimit = `${columns.after(2)}::integer`

const requested = `
  select *, row_number() over (partition by session_id order by place) = 1 as is_first,
    ${DatabaseClock.isLate("valid_until")} as is_late, ${isOutdated} as is_outdated
  from ${columns.rows("requested")}`

/** Of runs without limits. */
const unlimited = `requested as (${requested}
)`

/** The limits are looked at before a session is locked, and before anything is stored. */
const withRefusals = `sent as (${requested}
), refused as materialized (
  select * from svc_start_refusals((
    select json_agg(json_build_object('place', place, 'start', start) order by place)
    from sent where start is not null and not is_late and not is_outdated
  ))
), requested as (
  select sent.*, refused.refusal, refused.refusal is not null as is_full,
    refused.place is not null and refused.refusal is null as waits
  from sent left join refused on refused.place = sent.place
)`

const newestRun = `(
      select b.seq from svc_runs b where b.session_id = requested.session_id and b.parent_run_id is null
      order by b.seq desc limit 1
    )`

const isOnLeafPath = (seq: string) =>
  Path.has({ isBranched: "existing.is_branched", session: "known.session_id", last: "existing.leaf_run" }, seq)

/** The last of the additions that follow the run `known` on the path to the leaf, with no other run in between. */
const lastAddition = `(
          select a.seq from svc_runs a
          where a.session_id = known.session_id and a.parent_run_id is null and a.seq > known.seq and a.is_addition
            and ${isOnLeafPath("known.seq")} and ${isOnLeafPath("a.seq")} and not exists (
              select from svc_runs o where o.session_id = a.session_id and o.parent_run_id is null
                and o.seq > known.seq and o.seq < a.seq and o.is_addition is not true and ${isOnLeafPath("o.seq")}
            )
          order by a.seq desc limit 1
        )`

/**
 * `after_run` of the new run: null if it comes after the newest run of its session. Of two runs in one statement, the
 * second does not see the first one.
 */
const parent = `left join lateral (
    select existing.leaf_run as after_run, false as is_missing, null::boolean as is_addition
    where requested.branching is null
    union all
    select case
        when named.after_run is null and named.otherwise in ('leaf', 'addition') then existing.leaf_run
        when not requested.is_first then coalesce(named.after_run, 0)
        else nullif(coalesce(named.after_run, 0), coalesce(${newestRun}, 0))
      end, named.after_run is null
        and (named.otherwise = 'notFound' or (named.otherwise = 'addition' and existing.found is null)),
        case when named.otherwise = 'addition' then true end
    from (
      select requested.branching ->> 'otherwise' as otherwise, (
        select case when k.item ->> 'isBefore' = 'true' then coalesce(${Path.parentOf("known")}, 0)
          else coalesce(${lastAddition}, known.seq) end
        from json_array_elements(requested.branching -> 'known') with ordinality as k (item, n)
          join svc_runs known on known.run_id = k.item ->> 'run_id' and known.session_id = requested.session_id
            and known.parent_run_id is null
        order by k.n limit 1
      ) as after_run offset 0
    ) named where requested.branching is not null
  ) parent on true`

/** Of a run whose place in the tree is named. */
const placedColumns = `parent.is_addition, parent.after_run, parent.is_missing is true as is_missing,
    existing.is_branched is true or parent.after_run is not null as is_branched,
    existing.changed or (parent.after_run is not null and not existing.is_branched) as changed`

/** Of other runs. */
const columnsAtLeaf = `existing.leaf_run as after_run, false as is_missing,
    existing.is_branched is true as is_branched, existing.changed`

interface Variant {
  readonly locking: string
  /** Whether any of the runs names its place in the tree of its session. */
  readonly isPlaced: boolean
  /** Whether any of the runs has limits. */
  readonly isLimited: boolean
}

const statement = ({ isLimited, isPlaced, locking }: Variant) => `
with ${isLimited ? withRefusals : unlimited}, matched as (
  select requested.*, existing.found, existing.session_state, existing.is_large, existing.admitted, existing.leaf_run,
    ${isPlaced ? placedColumns : columnsAtLeaf},
    existing.found is null and (requested.is_late or requested.is_outdated${
  isLimited ? " or requested.is_full" : ""
} or coalesce((
    select true from svc_sessions s where s.session_id = requested.session_id limit 1
  ), false)) as is_locked
  from requested left join lateral (
    select
      true as found,
      case when octet_length(s.session_state::text) <= ${inlineLimit} then s.session_state end as session_state,
      octet_length(s.session_state::text) > ${inlineLimit} as is_large,
      ${isAdmitted("requested")} as admitted,
      coalesce(s.agent_id, s.team_id, s.workflow_id) is null or (s.user_id is null and requested.user_id is not null)
        or s.derived_name is null or s.session_state is null or s.session_metrics is null
        or s.component_data::text is distinct from requested.component_data::text
        or (s.metadata is null and requested.metadata is not null) or s.leaf_run is not null as changed,
      s.leaf_run, s.is_branched
    from svc_sessions s
    where s.session_id = requested.session_id and not requested.is_late and not requested.is_outdated${
  isLimited ? " and not requested.is_full" : ""
} and ${isPresent} limit 1 ${locking}
  ) existing on true${isPlaced ? ` ${parent}` : ""}
), queued as (
  select *, coalesce(is_busy, false) or row_number() over (partition by session_id order by place) > 1 as is_behind
  from matched left join lateral (
    select true as is_busy from svc_runs r where r.session_id = matched.session_id and r.is_unfinished limit 1
  ) busy on true
  where (admitted or (found is null and not is_locked)) and not is_missing
), created as (
  insert into svc_sessions (
    session_id, session_type, agent_id, team_id, workflow_id, user_id, derived_name,
    session_state, session_metrics, component_data, metadata, created_at, updated_at
  )
  select
    session_id, kind, case kind when 'agent' then component_id end, case kind when 'team' then component_id end,
    case kind when 'workflow' then component_id end, user_id, derived_name, '{}', '{}', component_data, metadata, now, now
  from matched where found is null and not is_locked and not is_missing and is_first order by place
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
    leaf_run = null,
    is_branched = l.is_branched,
    updated_at = l.now
  from matched l
  where s.session_id = any(${
  columns.array("session_id")
}) and s.session_id = l.session_id and l.admitted and l.changed and l.is_first and not l.is_missing
    and s.leaf_run is not distinct from l.leaf_run and ${isAdmitted("l")}
  returning s.session_id
), accepted as (
  insert into svc_runs (
    run_id, session_id, kind, component_id, user_id, node, status, created_at, updated_at, output, command, history_runs,
     skips_unfinished, is_serialized, begin_id, folded_attempt, emptied_attempt, cancel_requested,
     component_version, without_memory, origin_seq, after_run${isPlaced ? ", is_addition" : ""}${
  isLimited ? ", waits_for" : ""
}
  )
  select
    run_id, session_id, kind, component_id, user_id, node,
    case when (is_behind and is_serialized)${isLimited ? " or waits" : ""} then 'PENDING' else 'RUNNING' end,
    now, now, output, command, history_runs, skips_unfinished,
    is_serialized${isLimited ? " or waits" : ""}, begin_id,
    -- where no events are kept, retention has nothing to do
    (opening is null)::integer, (opening is null)::integer,
    exists (
      select from matched later where later.session_id = q.session_id and later.place > q.place${
  isPlaced ? " and q.is_addition is not true" : ""
}
        and later.when_busy = 'interrupt' and not later.is_late
        and not later.is_outdated and not later.is_missing${isLimited ? " and not later.is_full" : ""}
    ),
    nullif(component_version, 0), without_memory or case when replaces is null then false else coalesce((
      select o.without_memory from svc_runs o where o.run_id = q.replaces
    ), false) end,
    case when replaces is null then null else (
      select coalesce(o.origin_seq, o.seq) from svc_runs o where o.run_id = q.replaces
    ) end, after_run${isPlaced ? ", is_addition" : ""}${isLimited ? ", case when waits then start end" : ""}
  from queued q
  where not (is_behind and when_busy = 'reject') and (
    (admitted and not changed)
    or (is_first and (
      exists (select from created c where c.session_id = q.session_id)
      or exists (select from updated u where u.session_id = q.session_id)
    ))
  )
  order by session_id, place
  on conflict (session_id) where is_unfinished and is_serialized and status = 'RUNNING' do nothing
  returning run_id, seq, status
), interrupted as (
  update svc_runs r set cancel_requested = true
  where r.is_unfinished and r.seq = any(array(
    -- the offset keeps the lookup per session: a join could read all unfinished runs
    select busy.seq from matched l cross join lateral (
      select u.seq from svc_runs u where u.session_id = l.session_id and u.is_unfinished
        -- no one else would read a queued addition
        and (u.is_addition is not true or u.status <> 'PENDING') offset 0
    ) busy where l.admitted and not l.is_missing and l.when_busy = 'interrupt'
  ))
), start_event as (
  insert into svc_run_events (run_seq, event_index, kind, body)
  select a.seq, 0, l.opening_kind, l.opening
  from accepted a join requested l on l.run_id = a.run_id and l.opening is not null
), journal as (
  insert into svc_run_journal (run_seq, position, body)
  select a.seq, e.place - 1, e.body
  from accepted a join requested l on l.run_id = a.run_id and l.entries is not null
    cross join lateral json_array_elements(l.entries) with ordinality as e (body, place)
)${
  isLimited
    ? `, begun as (
  ${
      StartRefusals.counting(
        "accepted a join requested l on l.run_id = a.run_id and l.start is not null and not l.waits"
      )
    }
)`
    : ""
}
select
  case
    when a.run_id is not null then 'accepted'
    when l.is_late then 'late'
    when l.is_outdated then 'outdated'${
  isLimited
    ? `
    when l.is_full then 'full'`
    : ""
}
    when l.is_locked then 'locked'
    when l.found and not l.admitted then 'refused'
    when l.is_missing then 'missing'
    when exists (select from queued q where q.place = l.place and q.is_behind and q.when_busy = 'reject') then 'busy'
    else 'raced'
  end as outcome,
  coalesce(a.status = 'PENDING', false) as is_waiting,
  case when a.status = 'RUNNING' and l.is_large is not true then coalesce(l.session_state, '{}') end as session_state,
  case when h.bytes <= ${inlineLimit} then ${RunHistory.messages("h")} end as history,
  h.omitted,
  ${DatabaseClock.received} as received${isLimited ? ", l.refusal" : ""}
from matched l left join accepted a on a.run_id = l.run_id cross join lateral (
  ${RunHistory.fitting(newest, historyLimit)}
) h order by l.place`

const skipping = "for key share skip locked"
const waiting = "for key share"

const variant = (isLimited: boolean, isPlaced: boolean) => ({
  /** For many runs: it waits for no session. */
  skipsLocked: statement({ locking: skipping, isLimited, isPlaced }),
  /** For one run: it waits until its session is free. */
  waitsForLock: statement({ locking: waiting, isLimited, isPlaced })
})

const usual = variant(false, false)
const limited = variant(true, false)
const placed = variant(false, true)
const limitedAndPlaced = variant(true, true)

/** Runs without limits, and without a place of their own, pay nothing for those of others. */
export const variantFor = ({ isLimited, isPlaced }: Omit<Variant, "locking">) =>
  isLimited ? isPlaced ? limitedAndPlaced : limited : isPlaced ? placed : usual
