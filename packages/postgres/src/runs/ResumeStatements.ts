// The methods of `RunStore` about leases, nodes and queues. This file resumes, releases, supersedes, dequeues and
// admits runs. `LeaseStatements.ts` and `RunLoading.ts` have the others.
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { DecidedApproval } from "@svc-runtime/engine/approval/ApprovalContext"
import { type KnownNode, maxCountedRuns, type NodeRuns } from "@svc-runtime/engine/node/LeasedRuns"
import { LimitReached } from "@svc-runtime/engine/run/RunErrors"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { QueuePoll, Resumption } from "@svc-runtime/engine/run/store/RunWrites"
import { Effect, Option, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import * as DeadNodes from "../nodes/DeadNodes.ts"
import * as DatabaseClock from "../sql/DatabaseClock.ts"
import { orUnavailable, readOrUnavailable } from "../sql/orUnavailable.ts"
import { logRejected } from "../sql/rejectedStatements.ts"
import * as RowByRow from "../sql/RowByRow.ts"
import { jsonOrNull, text, textOrNull, texts, times, unchecked } from "../sql/rows.ts"
import * as LeaseStatements from "./LeaseStatements.ts"
import * as RunColumns from "./RunColumns.ts"
import * as RunLoading from "./RunLoading.ts"
import * as RunRows from "./RunRows.ts"
import { statusesFor } from "./runStatuses.ts"
import * as StartRefusals from "./StartRefusals.ts"

// Runs that wait until their limits have room for them.

/**
 * Runs that are looked at in one statement. Users and components take turns: the first runs of all of them can be those
 * of one that has no room.
 */
const together = 100

const waitingRuns = (sql: SqlClient.SqlClient) => {
  const admit = SqlSchema.findAll({
    Request: Schema.String,
    Result: Schema.Struct({ session_id: Session.Id }),
    execute: (node) =>
      sql`
        with all_waiting as materialized (
          select r.seq, r.waits_for,
            row_number() over (partition by r.kind, r.component_id, r.user_id order by r.seq) as turn
          from svc_runs r
          where r.node = ${text(node)} and r.waits_for is not null and r.is_unfinished and not r.cancel_requested
        ), looked_at as materialized (
          select seq, waits_for from all_waiting order by turn, seq limit ${together}
        ), waiting as materialized (
          select seq, (waits_for::jsonb - 'most_waiting')::json as start, row_number() over (order by seq) as place
          from looked_at
        ), refused as materialized (
          select place from svc_start_refusals((
            select json_agg(json_build_object('place', place, 'start', start) order by place) from waiting
          ))
        ), admitted as (
          update svc_runs r set waits_for = null from waiting w
          where r.seq = w.seq and r.node = ${text(node)} and r.waits_for is not null and r.is_unfinished
            and not exists (select from refused where refused.place = w.place)
          returning r.session_id, w.start
        ), begun as (
          ${sql.literal(StartRefusals.counting("admitted"))}
        )
        select session_id from admitted`
  })

  return {
    admitWaiting: Effect.fn("SqlRunStore.admitWaiting")(function*(node: string) {
      return (yield* admit(node)).map(({ session_id }) => session_id)
    }, orUnavailable)
  }
}

type RunLeases = Pick<
  RunStore["Service"],
  | "resume"
  | "takeOver"
  | "load"
  | "postpone"
  | "setAside"
  | "supersede"
  | "heartbeat"
  | "nodes"
  | "nodeRuns"
  | "release"
  | "admitWaiting"
  | "dequeue"
  | "cancelRequested"
>

export interface Options {
  /** Bytes of the history that a run is shown. */
  readonly historyLimit: number
  /** Bytes of a run beyond which it is not read. */
  readonly maxRestoredRun: number
  readonly clock: DatabaseClock.DatabaseClock
}

/** `received`: when the database received the statement. */
const ResumeRow = Schema.Struct({
  attempt: Schema.NullOr(Schema.Natural),
  is_late: Schema.Boolean,
  received: Schema.Finite,
  refusal: Schema.NullOr(StartRefusals.Refusal)
})

/** More are needed only if each statement comes late, by more than the one before. */
const maxResumes = 3

const NodeRow: Schema.Codec<KnownNode, unknown> = Schema.Struct({
  node: Schema.String,
  process: Schema.NullOr(Schema.String),
  seenAt: Schema.String,
  silentFor: Schema.Finite,
  steadyFor: Schema.Finite
})

const NodeRunsRow: Schema.Codec<NodeRuns, unknown> = Schema.Struct({ node: Schema.String, runs: Schema.Finite })

const turnOf = RowByRow.decode(RunRows.TurnRow)

export const make = (sql: SqlClient.SqlClient, { clock, historyLimit, maxRestoredRun }: Options): RunLeases => {
  const { seen } = RunColumns.make(sql, historyLimit)
  const continuable = sql.literal(statusesFor("continue"))
  const superseded = sql.literal(statusesFor("supersede"))

  /** `waiting` locks the run before its approvals, as other statements do, and reads them behind the lock. */
  const approvalsOf = (
    { attempt, decided, run_id }: Pick<Resumption, "attempt" | "run_id"> & {
      readonly decided: ReadonlyArray<DecidedApproval>
    }
  ) => {
    const columns = [
      sql`${texts(decided.map(({ id }) => text(id)))}::text[]`,
      sql`${texts(decided.map(({ status }) => status))}::text[]`,
      sql`${texts(decided.map(({ resolved_by }) => textOrNull(resolved_by)))}::text[]`,
      sql`${texts(decided.map(({ resolution_data }) => jsonOrNull(resolution_data)))}::text[]`,
      sql`${times(decided.map(({ at }) => at))}::bigint[]`
    ]
    return sql`decided as (
          select d.* from unnest(${sql.csv(columns)}) as d (id, status, resolved_by, resolution_data, at)
        ), held as materialized (
          select seq from svc_runs
          where run_id = ${text(run_id)} and attempt = ${attempt} and status in (${continuable}) for update
        ), waiting as materialized (
          select a.status from held cross join svc_approvals a
          where a.id in (select id from decided) order by a.id for update of a
        ), `
  }

  const resume = SqlSchema.findOne({
    Request: unchecked<Resumption & { readonly validUntil: number }>(),
    Result: ResumeRow,
    execute: ({ attempt, claim, decided = [], entry, limited, node, run_id, validUntil }) =>
      sql`
        with ${
        limited === undefined ? sql.literal("") : sql`limited as (
          select ${StartRefusals.encode(limited)}::json as start
        ), refused as materialized (
          select refusal from svc_start_refusals((
            select json_agg(json_build_object('place', 1, 'start', start))
            from limited, svc_runs r
            where r.run_id = ${text(run_id)} and r.attempt = ${attempt} and r.status in (${continuable})
          ))
        ), `
      }sent as (
          select ${sql.literal(DatabaseClock.received)} as received,
            ${sql.literal(DatabaseClock.isLate("valid_until"))} as is_late
          from (values (${validUntil}::bigint)) as v (valid_until)
        ), complete as (
          select count(*)::int as entries from (
            select position, row_number() over (order by position) - 1 as place
            from svc_run_journal where run_seq = (select seq from svc_runs where run_id = ${text(run_id)})
          ) j where position = place
        ), ${decided.length === 0 ? sql.literal("") : approvalsOf({ attempt, decided, run_id })}resumed as (
          update svc_runs set
            status = 'RUNNING', node = ${text(node)}, attempt = ${
        LeaseStatements.nextAttempt(sql)
      }, is_serialized = false,
            output = coalesce(set_aside_output, output), set_aside_output = null, set_aside_reason = null,
            takeovers = 0, taken_entries = 0, postponed = 0, not_before = null, free_since = null,
            resumed_at = (select entries from complete),
            resume_claims = resume_claims || ${texts(claim === undefined ? [] : [claim])}::text[]
          where run_id = ${text(run_id)} and attempt = ${attempt} and status in (${continuable})
            and not (select is_late from sent)${
        decided.length === 0 ? sql.literal("") : sql` and not exists (select from waiting where status <> 'pending')`
      }${limited === undefined ? sql.literal("") : sql` and not exists (select from refused)`}
          returning seq, attempt
        )${
        limited === undefined ? sql.literal("") : sql`, begun as (
          ${sql.literal(StartRefusals.counting("resumed cross join limited"))}
        )`
      }${
        decided.length === 0 ? sql.literal("") : sql`, approved as (
          update svc_approvals a set status = d.status, resolved_by = d.resolved_by,
            resolution_data = d.resolution_data::json, resolved_at = d.at, updated_at = d.at
          from decided d cross join resumed where a.id = d.id
        )`
      }, decision_entry as (
          insert into svc_run_journal (run_seq, position, body)
          select seq, (select entries from complete), ${jsonOrNull(entry ?? null)}::json
          from resumed where ${entry !== undefined}
        ), behind_gap as (
          delete from svc_run_journal j using resumed, complete
          where j.run_seq = resumed.seq and j.position > complete.entries
        )
        select (select attempt from resumed) as attempt, is_late, received, ${
        limited === undefined ? sql.literal("null") : sql`(select refusal from refused)`
      } as refusal from sent`
  })

  /** None when the run was not to be continued any more. */
  const resumed = Effect.fnUntraced(function*(resumption: Resumption) {
    const { isCallerRefused = () => false, run_id } = resumption
    for (let delays = 0; delays < maxResumes && !isCallerRefused(); delays++) {
      const sentAt = performance.now()
      const row = yield* resume({ ...resumption, validUntil: clock.validUntil(sentAt, delays) })
      clock.replied(sentAt, row.received, row.is_late)
      if (!row.is_late && row.refusal !== null) return yield* new LimitReached(row.refusal)
      if (!row.is_late) return Option.fromNullOr(row.attempt)
    }
    return yield* new StorageUnavailable({ cause: `Run '${run_id}' is not continued: its database is slow` })
  })

  // The next run of each session is looked up in the index of unfinished runs, one session at a time.
  const dequeue = ({ node, sessions, uncertain }: QueuePoll) =>
    Effect.flatMap(
      sql<object>`
        with turned as (
          update svc_runs set status = 'RUNNING'
          where status = 'PENDING' and node = ${text(node)} and seq = any(array(
            select next.seq from unnest(${
        texts(sessions.map(text))
      }::text[]) as polled (session_id) cross join lateral (
              select w.seq, w.node, w.waits_for from svc_runs w
              where w.session_id = polled.session_id and w.is_unfinished and w.status = 'PENDING'
              order by w.seq limit 1
            ) next
            where next.node = ${text(node)} and next.waits_for is null and not exists (
              select from svc_runs b where b.session_id = polled.session_id and b.is_unfinished and b.status = 'RUNNING'
                and (b.is_serialized or b.seq < next.seq)
            )
          ))
          returning *
        ), r as (
          select * from turned
          union all
          select * from svc_runs
          where run_id = any(${texts(uncertain.map(text))}::text[]) and node = ${text(node)} and status = 'RUNNING'
        )
        select r.run_id, ${seen} from r join svc_sessions s on s.session_id = r.session_id`,
      (rows) => Effect.forEach(rows, turnOf)
    )

  /** `run` was read from a row, so it needs no `text()`. */
  const releaseRun = (run: string, node: string) =>
    sql`update svc_runs set node = ${LeaseStatements.released(sql)} where run_id = ${run} and node = ${
      text(node)
    } and status = 'RUNNING'`

  /** The result of a dequeue. An unreadable run is released: the node that acquires it sets it aside. */
  const turnsOf = Effect.fnUntraced(function*(poll: QueuePoll) {
    const rows = yield* dequeue(poll)
    for (const { rejected, run_id } of rows.filter(RowByRow.isRejected)) {
      yield* logRejected(rejected, [{ run_id }])
      yield* releaseRun(run_id, poll.node)
    }
    const turns = rows.flatMap((row) => RowByRow.isRejected(row) ? [] : [row])
    return yield* Effect.forEach(
      turns,
      ({ run_id, ...turn }) => Effect.map(RunRows.shown({ run_id, ...turn }), (shown) => ({ run_id, ...shown }))
    )
  })

  const findNodes = SqlSchema.findAll({
    Request: unchecked<undefined>(),
    Result: NodeRow,
    execute: () =>
      sql`
        select node, process, ${sql.literal(DeadNodes.seenAt)} as "seenAt",
          extract(epoch from now() - seen_at)::float8 as "silentFor",
          extract(epoch from now() - steady_since)::float8 as "steadyFor"
        from svc_nodes n`
  })

  const countNodeRuns = SqlSchema.findAll({
    Request: unchecked<undefined>(),
    Result: NodeRunsRow,
    execute: () =>
      sql`
        select node, count(*)::int as runs from (
          select node from svc_runs where is_unfinished and node >= '' limit ${maxCountedRuns}
        ) held group by node`
  })

  const findCancelRequested = SqlSchema.findAll({
    Request: Schema.String,
    Result: Schema.Struct({ run_id: Run.Id }),
    execute: (node) =>
      sql`select run_id from svc_runs where node = ${text(node)} and is_unfinished and cancel_requested`
  })

  return {
    resume: Effect.fn("SqlRunStore.resume")(resumed, orUnavailable),
    ...LeaseStatements.make(sql),
    ...waitingRuns(sql),
    load: RunLoading.make(sql, { historyLimit, maxRestoredRun }),
    supersede: Effect.fn("SqlRunStore.supersede")(function*(run, at) {
      // `Approval.afterRun` as a statement
      yield* sql`
        with superseded as (
          update svc_runs set status = 'REGENERATED'
          where run_id = ${text(run)} and status in (${superseded}) returning run_id
        )
        update svc_approvals a set run_status = 'REGENERATED', updated_at = ${at},
          status = case when a.expires_at <= ${at} then a.status else 'cancelled' end
        from superseded s where a.root_run_id = s.run_id and a.status = 'pending'`
    }, orUnavailable),
    heartbeat: Effect.fn("SqlRunStore.heartbeat")(function*({ components, format, maxGap, node, process }) {
      // `clock_timestamp()`: of two statements that wait for the row, the later one must not set the time back
      yield* sql`
        insert into svc_nodes as n (node, seen_at, steady_since, process, components, format)
        select ${text(node)}, c.time, c.time, ${process}::text, ${texts(components.map(text))}::text[], ${format}::int
        from (select clock_timestamp() as time) c
        on conflict (node) do update set (seen_at, steady_since) = (
          select c.time, case
            when n.seen_at between c.time - make_interval(secs => ${maxGap}::float8) and c.time then n.steady_since
            else c.time
          end
          from (select clock_timestamp() as time) c
        )`
    }, orUnavailable),
    nodes: findNodes(undefined).pipe(Effect.withSpan("SqlRunStore.nodes"), readOrUnavailable),
    nodeRuns: countNodeRuns(undefined).pipe(Effect.withSpan("SqlRunStore.nodeRuns"), readOrUnavailable),
    release: Effect.fn("SqlRunStore.release")(function*(node) {
      yield* sql`
        with gone as (delete from svc_nodes where node = ${text(node)})
        update svc_runs set node = ${LeaseStatements.released(sql)}
        where node = ${text(node)} and is_unfinished and node >= ''`
    }, orUnavailable),
    dequeue: Effect.fn("SqlRunStore.dequeue")(function*(turns) {
      // another node has dequeued another run at the same moment: the next poll finds this one
      return yield* Effect.catchReason(turnsOf(turns), "SqlError", "UniqueViolation", () => Effect.succeed([]))
    }, orUnavailable),
    cancelRequested: Effect.fn("SqlRunStore.cancelRequested")(function*(node) {
      return (yield* findCancelRequested(node)).map(({ run_id }) => run_id)
    }, readOrUnavailable)
  }
}
