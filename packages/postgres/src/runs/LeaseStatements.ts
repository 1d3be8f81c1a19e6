// Acquires and releases leases, and sets runs aside. The statements read only the small columns of a run.
import type { Acquired, Takeover } from "@svc-runtime/engine/node/LeasedRuns"
import { ofGuests, storedComponents, suspectAfter } from "@svc-runtime/engine/run/leases/TakeoverRules"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"
import * as DeadNodes from "../nodes/DeadNodes.ts"
import { orUnavailable } from "../sql/orUnavailable.ts"
import { json, jsonOrNull, text, texts, unchecked } from "../sql/rows.ts"
import * as BeginId from "./BeginId.ts"
import * as RunRows from "./RunRows.ts"

const AcquiredRow: Schema.Codec<Acquired, unknown> = Schema.Struct({
  ...RunRows.identity,
  created_at: Schema.Int,
  begin_id: Schema.NullOr(Schema.String),
  eventCount: Schema.Natural,
  takeovers: Schema.Natural,
  postponed: Schema.Natural,
  holder: Schema.String,
  silentFor: Schema.NullOr(Schema.Finite),
  isUnserved: Schema.Boolean
})

type Nodes = ReturnType<typeof DeadNodes.make>

/** Larger than every limit of these counters. */
const maxCount = 1_000_000

/** Epoch seconds: the end of the year 9999. */
const latestTime = 253_402_300_799

/** Starts again at 1 after the largest number: attempts are only compared for equality. */
export const nextAttempt = (sql: SqlClient.SqlClient) => sql`greatest(attempt, 0) % 2147483647 + 1`

/** The node of a run that is released. One of a guest stays with its program. */
export const released = (sql: SqlClient.SqlClient) =>
  sql`case when starts_with(node, ${ofGuests}::text) then node else '' end`

export const make = (
  sql: SqlClient.SqlClient
): Pick<RunStore["Service"], "takeOver" | "postpone" | "setAside"> => {
  // The holders of unfinished runs are found by skipping through an index: there are few of them, and the runs of live
  // nodes are not read. The index has a condition of its own, `node >= ''`, so that no other statement uses it.
  const holders = sql`
    holders (node) as (
      (select r.node from svc_runs r where r.is_unfinished and r.node >= '' order by r.node limit 1)
      union all
      select (select r.node from svc_runs r where r.is_unfinished and r.node >= '' and r.node > h.node order by r.node limit 1)
      from holders h where h.node is not null
    )`

  const holds = sql`n.node in (select h.node from holders h)`

  // `::int = 1`: the planner guesses that few rows have a number, but that half of them have a condition. It would read
  // all runs for so many holders.
  const dead = (nodes: Nodes, { guest }: Takeover) =>
    guest === undefined
      ? sql`
      select h.node from holders h where h.node is not null and (h.node = '' or ${nodes.isDead("h.node")})::int = 1
      union select ''`
      : sql`
      select h.node from holders h
      where h.node is not null and (starts_with(h.node, ${text(guest)}) and ${nodes.isDead("h.node")})::int = 1`

  const isOfGuest = (holder: Statement.Fragment) => sql`starts_with(${holder}, ${ofGuests}::text)`

  /** Also true for removed components. It is evaluated only for ids that the node has not registered. */
  const isStored = sql`exists (select from svc_components c where c.component_id = r.component_id)`

  /** Whether the node that acquires can execute the run `r`, which a node has held. */
  const isServed = ({ components, format, guest }: Takeover, holder = sql`r.node`) =>
    sql`(
      (${guest !== undefined} or not ${isOfGuest(holder)})
      and (
        ${components === undefined}
        or r.kind || '/' || r.component_id = any(${texts((components ?? []).map(text))}::text[])
        or (${components?.includes(storedComponents) ?? false} and ${isStored})
      )
      and (${format === undefined} or r.format <= ${format ?? 0}::int)
    )`

  const isUnserved = ({ unservedAfter }: Takeover, nodes: Nodes) =>
    sql`(
      ${unservedAfter !== undefined}
      and r.free_since <= now() - make_interval(secs => ${unservedAfter ?? 0}::float8)
      and (${isOfGuest(sql`r.node`)} or not exists (
        select from svc_nodes n
        where n.format >= r.format and (
            r.kind || '/' || r.component_id = any(n.components)
            or (${storedComponents}::text = any(n.components) and ${isStored})
          )
          and not ${nodes.isSilent("n.node")}
      ))
    )`

  const isWanted = ({ suspects }: Takeover) =>
    suspects === undefined
      ? sql`true`
      : suspects
      ? sql`r.takeovers >= ${suspectAfter}::int`
      : sql`r.takeovers < ${suspectAfter}::int`

  /** A damaged counter must not fail the statement for the other runs. */
  const bounded = (counter: Statement.Fragment) => sql`least(greatest(${counter}, 0), ${maxCount})`

  const takeOver = SqlSchema.findAll({
    Request: unchecked<Takeover>(),
    Result: AcquiredRow,
    execute: (takeover) => {
      const { except = [], isStarting, limit, node, only } = takeover
      const nodes = DeadNodes.make(sql, takeover, holds)
      // Each holder is looked up in an index by itself, in its order: whatever the statistics say, the planner then
      // reads no other index, which would have the runs of living nodes.
      const free = (columns: Statement.Fragment, wanted: Statement.Fragment, maxRuns: number) =>
        sql`
          select ${columns} from (
            ${dead(nodes, takeover)} union select ${text(node)}::text where ${isStarting}
          ) holder (node) cross join lateral (
            select r.seq, r.node from svc_runs r
            where r.is_unfinished and r.node >= '' and r.node = holder.node and (
              r.node <> ${text(node)} or (
                r.run_id <> all(${texts(except.map(text))}::text[])
                and (${only === undefined} or r.run_id = any(${texts((only ?? []).map(text))}::text[]))
              )
            ) and ${wanted}
            order by r.seq limit ${maxRuns} for update skip locked
          ) found order by found.seq limit ${maxRuns}`
      return sql`
        with recursive ${holders}, ${nodes.tables}, freed as (
          update svc_runs set node = ${released(sql)}, free_since = now()
          where seq = any(array(
            ${free(sql`found.seq`, sql`r.free_since is null and not ${isServed(takeover)}`, 1000)}
          ))
        ), taken as (
          update svc_runs r set
            node = ${text(node)}, attempt = ${nextAttempt(sql)}, not_before = null, free_since = null,
            takeovers = case when j.entries > r.taken_entries then 0 else ${bounded(sql`r.takeovers`)} end
              + case when r.node not in ('', ${text(node)}) and r.status = 'RUNNING' then 1 else 0 end,
            postponed = case when j.entries > r.taken_entries then 0 else ${bounded(sql`r.postponed`)} end,
            taken_entries = greatest(r.taken_entries, j.entries)
          from (
            select c.seq, c.node as holder, (select count(*)::int from svc_run_journal j where j.run_seq = c.seq) as entries
            from (
              ${
        free(
          sql`found.seq, found.node`,
          sql`(r.not_before is null or r.not_before <= now()) and ${isWanted(takeover)}
            and (${isServed(takeover)} or ${isUnserved(takeover, nodes)})`,
          limit
        )
      }
            ) c
          ) j
          where r.seq = j.seq
          returning r.*, j.holder
        )
        select
          r.run_id, r.attempt, r.session_id, r.kind, r.component_id, r.user_id, r.status,
          least(r.created_at, ${latestTime})::float8 as created_at, r.takeovers, r.postponed, r.holder,
          ${BeginId.ofStart(sql, sql`r.begin_id`)} as begin_id,
          (select extract(epoch from now() - n.seen_at)::float8 from svc_nodes n where n.node = r.holder) as "silentFor",
          not ${isServed(takeover, sql`r.holder`)} as "isUnserved",
          1 + least(2147483646, greatest(-1, (
            select max(e.event_index) from svc_run_events e where e.run_seq = r.seq
          ))) as "eventCount"
        from taken r order by r.seq`
    }
  })

  return {
    takeOver: Effect.fn("SqlRunStore.takeOver")(takeOver, orUnavailable),
    postpone: Effect.fn("SqlRunStore.postpone")(function*({ attempt, format, run_id, seconds }) {
      yield* sql`
        update svc_runs set
          node = ${
        released(sql)
      }, postponed = postponed + 1, not_before = now() + make_interval(secs => ${seconds}::float8),
          format = coalesce(${format ?? null}::int, format)
        where run_id = ${text(run_id)} and attempt = ${attempt} and status in ('PENDING', 'RUNNING')`
    }, orUnavailable),
    setAside: Effect.fn("SqlRunStore.setAside")(function*({ attempt, last, output, reason, run_id, updated_at }) {
      const rows = yield* sql`
        with ended as (
          update svc_runs set
            status = 'ERROR', set_aside_output = coalesce(set_aside_output, output), output = ${json(output)}::json,
            set_aside_reason = ${text(reason)}, updated_at = ${updated_at}
          where run_id = ${text(run_id)} and attempt = ${attempt} and status in ('PENDING', 'RUNNING')
          returning seq
        ), events as (
          insert into svc_run_events (run_seq, event_index, kind, body)
          select seq, ${last?.event_index ?? 0}::int, ${last?.event ?? ""}::text, ${jsonOrNull(last ?? null)}::json
          from ended where ${last !== undefined}
          on conflict do nothing
        )
        select 1 from ended`
      return rows.length > 0
    }, orUnavailable)
  }
}
