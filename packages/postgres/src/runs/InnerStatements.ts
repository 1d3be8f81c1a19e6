// Statements on nested runs.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import type { Lease } from "@svc-runtime/engine/node/LeasedRuns"
import type { MemberHistoryQuery } from "@svc-runtime/engine/run/store/RunReads"
import * as Path from "../sql/Path.ts"
import { integers, json, text, textOrNull, texts, times } from "../sql/rows.ts"
import * as MessageColumns from "./MessageColumns.ts"
import * as RunHistory from "./RunHistory.ts"

// Member runs belong to the holder of the root run. A paused one is written again when it was continued; a run that
// another owner has under the same id stays as it is.

/**
 * Of the outer run: $1 id, $2 attempt. Of the inner runs: $3 ids, $4 runs that they are in, $5 kinds, $6 components, $7
 * statuses, $8 times, $9 outputs. Of their messages: $10 places of the runs, $11 positions, $12 roles, $13 from
 * history, $14 bodies. Of the inner runs again: $15 sizes of their later histories, $16 numbers of messages, $17
 * models, $18 their providers
 */
export const recordInner = `
with held as (
  select session_id, user_id, node, updated_at from svc_runs
  where run_id = $1 and attempt = $2 and status in ('PENDING', 'RUNNING') for share
), kept as (
  insert into svc_runs (
    run_id, session_id, parent_run_id, outermost_run_id, kind, component_id, user_id, node, status, created_at,
    updated_at, output, history_bytes, folded_attempt, emptied_attempt, model, model_provider
  )
  select
    i.run_id, held.session_id, i.parent, $1, i.kind, i.component, held.user_id, held.node, i.status, i.created_at,
    held.updated_at, i.output, i.history_bytes, 1, 1, i.model, i.model_provider
  from held cross join unnest(
    $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::json[], $15::bigint[], $17::text[],
    $18::text[]
  ) with ordinality as i (
    run_id, parent, kind, component, status, created_at, output, history_bytes, model, model_provider, place
  )
  order by i.place
  on conflict (run_id) do update set
    status = excluded.status, output = excluded.output, updated_at = excluded.updated_at,
    history_bytes = excluded.history_bytes, model = excluded.model, model_provider = excluded.model_provider
    where svc_runs.parent_run_id = excluded.parent_run_id
  returning run_id, seq
), messages as (
  insert into svc_messages (run_seq, position, role, from_history, body)
  select kept.seq, m.position, m.role, m.from_history, m.body
  from kept join unnest($10::integer[], $11::integer[], $12::text[], $13::boolean[], $14::json[])
    as m (place, position, role, from_history, body) on m.place = array_position($3::text[], kept.run_id)
  on conflict (run_seq, position) do update set
    role = excluded.role, from_history = excluded.from_history, body = excluded.body
)
delete from svc_messages m using kept
where m.run_seq = kept.seq and m.position > ($16::integer[])[array_position($3::text[], kept.run_id)]`

/** Values as they are sent, with what they weigh. */
export interface EncodedInner {
  readonly outer: Lease
  readonly runs: ReadonlyArray<{
    readonly run: TeamRun.MemberResponse
    readonly output: string
    readonly messages: MessageColumns.Encoded
  }>
  readonly bytes: number
}

export const encodeInner = (outer: Lease, inner: ReadonlyArray<TeamRun.MemberResponse>): EncodedInner => {
  const runs = inner.map((run) => ({
    run,
    output: json(AnyRun.withoutLog(run)),
    messages: MessageColumns.encode(run)
  }))
  const bytes = runs.reduce(
    (sum, { messages, output }) => sum + output.length + MessageColumns.lengthOf(messages.bodies),
    0
  )
  return { outer, runs, bytes }
}

export const recordInnerParameters = (
  { outer: { attempt, run_id }, runs }: EncodedInner
): ReadonlyArray<unknown> => {
  const components = runs.map(({ run }) => AnyRun.componentOf(run))
  return [
    text(run_id),
    attempt,
    texts(runs.map(({ run }) => text(run.run_id))),
    texts(runs.map(({ run }) => textOrNull(run.parent_run_id ?? null))),
    texts(components.map(({ kind }) => kind)),
    texts(components.map(({ id }) => text(id))),
    texts(runs.map(({ run }) => run.status)),
    times(runs.map(({ run }) => run.created_at)),
    texts(runs.map(({ output }) => output)),
    ...MessageColumns.columns(runs.map(({ messages }) => messages)),
    times(runs.map(({ messages }) => messages.historyBytes)),
    integers(runs.map(({ messages }) => messages.bodies.length)),
    texts(runs.map(({ run }) => textOrNull(run.model ?? null))),
    texts(runs.map(({ run }) => textOrNull(run.model_provider ?? null)))
  ]
}

// The history of a member is read from the end of an index of completed member runs. Whether one belongs to an earlier
// run of the same team is checked run by run, else the planner would read all runs of the session.

const newestOfMember = `from svc_runs b
    cross join lateral (
      select from svc_runs o where o.run_id = b.outermost_run_id and o.seq < asking.seq and o.status not in ('PENDING', 'RUNNING')
        and o.seq <@ asking.path limit 1
    ) before
    cross join lateral (
      select from svc_runs p where p.run_id = b.parent_run_id and p.component_id = $4 limit 1
    ) around
    where b.session_id = asking.session_id and b.component_id = $3 and b.kind = $2
      and b.outermost_run_id is not null and ${RunHistory.isShown("$7::boolean")}
    order by b.seq desc limit $5`

/** $1 the executing run, $2 kind, $3 component, $4 team, $5 how many, $6 bytes at most, $7 no unfinished runs */
export const recall = `
select ${RunHistory.messages("h")} as history, h.omitted
from (
  select r.seq, r.session_id, ${Path.of(Path.before("r", "s.is_branched"))} as path
  from svc_runs r join svc_sessions s on s.session_id = r.session_id where r.run_id = $1 offset 0
) asking cross join lateral (
  ${RunHistory.fitting(newestOfMember, "$6::bigint")}
) h`

export const recallParameters = (
  { component, limit, run_id, skipsUnfinished = false, team }: MemberHistoryQuery,
  bytes: number
): ReadonlyArray<unknown> => [
  text(run_id),
  component.kind,
  text(component.id),
  text(team),
  limit,
  bytes,
  skipsUnfinished
]
