// `RetentionStore` in PostgreSQL. It skips locked runs and finds them in a later pass.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as UsageHour from "@svc-runtime/domain/UsageHour"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { contentKinds } from "./runs/RunColumns.ts"
import * as SessionRemoval from "./sessions/SessionRemoval.ts"
import { Expiry } from "./sql/Expiry.ts"
import { orUnavailable, readOrUnavailable } from "./sql/orUnavailable.ts"
import { text, unchecked } from "./sql/rows.ts"

// The removal of expired clients, requests and tokens of OAuth. The tokens of a grant go with it.

/** Of one statement. */
const expiredGrantsMaxRows = 500
const maxGrants = 50

const expiredGrants = (sql: SqlClient.SqlClient) => () =>
  sql`
    with clients as (
      delete from svc_oauth_clients where ctid = any(array(
        select ctid from svc_oauth_clients where expires_at <= extract(epoch from now())::bigint
          limit ${expiredGrantsMaxRows} for update skip locked
      )) returning 1
    ), requests as (
      delete from svc_oauth_requests where ctid = any(array(
        select ctid from svc_oauth_requests where expires_at <= extract(epoch from now())::bigint
          limit ${expiredGrantsMaxRows} for update skip locked
      )) returning 1
    ), grants as (
      delete from svc_oauth_grants where ctid = any(array(
        select ctid from svc_oauth_grants where expires_at <= extract(epoch from now())::bigint
          limit ${maxGrants} for update skip locked
      )) returning id
    ), tokens as (
      delete from svc_oauth_tokens where ctid = any(array(
        select t.ctid from svc_oauth_tokens t where t.expires_at <= extract(epoch from now())::bigint
          and not exists (select from grants where grants.id = t.grant_id)
        limit ${expiredGrantsMaxRows} for update of t skip locked
      )) returning 1
    )
    select ((select count(*) from clients) + (select count(*) from requests) + (select count(*) from grants) +
      (select count(*) from tokens))::int as count`

/** Of one statement. */
const maxRuns = 10
const maxEvents = 1000
const maxRows = 500

/** Bytes of one fold, which is less than a page of events has. */
const foldBytes = 512 * 1024

/** Bytes of an event that is folded. A larger one stays a row. */
const pieceBytes = 64 * 1024

const PausedRow = Schema.Struct({ run_id: Run.Id, session_id: Session.Id })

const Pruned = Schema.Struct({ count: Schema.Natural })

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const remove = SessionRemoval.make(sql)
  const expiry = yield* Expiry
  const before = (seconds: number) => sql`extract(epoch from now())::bigint - ${seconds}::bigint`

  /** The runs of a partial index that ended first. */
  const oldest = (isWanted: Statement.Fragment, seconds: number) =>
    sql`
      select seq from svc_runs where not is_unfinished and ${isWanted} and updated_at <= ${before(seconds)}
      order by updated_at limit ${maxRuns} for update skip locked`

  /** Of an event `e`: whether it can be folded. */
  const isPiece = sql`e.kind = any(${contentKinds}) and octet_length(e.body::text) <= ${pieceBytes}`

  // An event before the last fold stays a row: the fold of one damaged run must not fail those of others.
  const fold = (seconds: number) =>
    sql`
      with oldest as (${oldest(sql`folded_attempt < attempt`, seconds)}), runs as (
        select o.seq, coalesce(
          (select max(f.last_index) from svc_run_event_folds f where f.run_seq = o.seq), -1
        ) as folded from oldest o
      ), pieces as (
        select p.run_seq, p.event_index from runs cross join lateral (
          select e.run_seq, e.event_index,
            sum(octet_length(e.body::text)) over (order by e.event_index) as upto
          from (
            select * from svc_run_events e
            where e.run_seq = runs.seq and e.event_index > runs.folded and ${isPiece}
            order by e.event_index limit ${maxEvents}
          ) e
        ) p where p.upto <= ${foldBytes}
      ), gone as (
        delete from svc_run_events e using pieces p where e.run_seq = p.run_seq and e.event_index = p.event_index
        returning e.run_seq, e.event_index, e.body::text as body
      ), folded as (
        insert into svc_run_event_folds (run_seq, first_index, last_index, body)
        select run_seq, min(event_index), max(event_index), string_agg(body, ',' order by event_index)
        from gone group by run_seq
      ), done as (
        update svc_runs r set folded_attempt = r.attempt from runs where r.seq = runs.seq and not exists (
          select from svc_run_events e where e.run_seq = runs.seq and ${isPiece}
            and e.event_index > coalesce(
              (select max(p.event_index) from pieces p where p.run_seq = runs.seq), runs.folded
            )
        ) returning r.seq
      )
      select ((select count(*) from gone) + (select count(*) from done))::int as count`

  // The last event stays: a continued run numbers its events from there.
  const events = (seconds: number) =>
    sql`
      with runs as (${oldest(sql`emptied_attempt < attempt`, seconds)}), lasts as (
        select runs.seq, (select max(e.event_index) from svc_run_events e where e.run_seq = runs.seq) as last_index from runs
      ), doomed as (
        select d.run_seq, d.event_index from lasts cross join lateral (
          select e.run_seq, e.event_index from svc_run_events e
          where e.run_seq = lasts.seq and e.event_index < lasts.last_index order by e.event_index limit ${maxEvents}
        ) d
      ), gone as (
        delete from svc_run_events e using doomed d where e.run_seq = d.run_seq and e.event_index = d.event_index
        returning e.run_seq
      ), unfolded as (
        delete from svc_run_event_folds f using lasts l where f.run_seq = l.seq and f.last_index < l.last_index
        returning f.run_seq
      ), done as (
        update svc_runs r set emptied_attempt = r.attempt from runs where r.seq = runs.seq
          and (select count(*) from doomed d where d.run_seq = runs.seq) < ${maxEvents}
        returning r.seq
      )
      select ((select count(*) from gone) + (select count(*) from unfolded) + (select count(*) from done))::int as count`

  const findPaused = SqlSchema.findAll({
    Request: unchecked<{ readonly seconds: number; readonly after: Run.Id | undefined }>(),
    Result: PausedRow,
    execute: ({ after = "", seconds }) =>
      sql`
        select run_id, session_id from svc_runs
        where not is_unfinished and command is not null and updated_at <= ${before(seconds)}
          and status = 'PAUSED' and run_id > ${text(after)}
        order by run_id limit ${maxRuns}`
  })

  // A paused run without a journal cannot be continued, so a run that is still paused is cancelled here.
  const journals = (seconds: number) =>
    sql`
      with runs as (${oldest(sql`command is not null`, seconds)}), gone as (
        delete from svc_run_journal j using runs where j.run_seq = runs.seq
      ), cancelled_approvals as (
        update svc_approvals a set status = 'cancelled', run_status = 'CANCELLED', resume_pending = false,
          updated_at = extract(epoch from now())::bigint
        from runs join svc_runs r on r.seq = runs.seq
        where (a.run_id = r.run_id or a.root_run_id = r.run_id) and r.status = 'PAUSED' and a.status = 'pending'
      ), done as (
        update svc_runs r set command = null, status = case r.status when 'PAUSED' then 'CANCELLED' else r.status end
        from runs where r.seq = runs.seq returning r.seq
      )
      select count(*)::int as count from done`

  const idempotency = () =>
    sql`
      with gone as (
        delete from svc_idempotency where key in (
          select key from svc_idempotency where expires_at <= extract(epoch from now())::bigint
          order by expires_at limit ${maxRows} for update skip locked
        ) returning 1
      )
      select count(*)::int as count from gone`

  const audit = (seconds: number) =>
    sql`
      with gone as (
        delete from svc_audit where seq in (
          select seq from (select seq, at from svc_audit order by seq limit ${maxRows}) oldest
          where at <= ${before(seconds)}
        ) returning 1
      )
      select count(*)::int as count from gone`

  const nodes = (seconds: number) =>
    sql`
      with gone as (
        delete from svc_nodes n where n.seen_at < now() - make_interval(secs => ${seconds})
          and not exists (select from svc_runs r where r.node = n.node and r.is_unfinished and r.node >= '')
        returning 1
      )
      select count(*)::int as count from gone`

  const jobs = (seconds: number) =>
    sql`
      with gone as (
        delete from svc_jobs where id = any(array(
          select id from svc_jobs
          where status not in ('PENDING', 'RUNNING') and updated_at <= now() - make_interval(secs => ${seconds}::float8)
          order by updated_at limit ${maxRows} for update skip locked
        )) returning 1
      )
      select count(*)::int as count from gone`

  const usage = (seconds: number) =>
    sql`
      with gone as (
        delete from svc_usage_hours where ctid = any(array(
          select ctid from svc_usage_hours where hour < (${before(seconds)}) / ${UsageHour.secondsPerHour}::bigint
          order by hour limit ${maxRows} for update skip locked
        )) returning 1
      )
      select count(*)::int as count from gone`

  const starts = (seconds: number) =>
    sql`
      with gone as (
        delete from svc_run_starts where key = any(array(
          select key from svc_run_starts where since <= now() - make_interval(secs => ${seconds}::float8)
          order by since limit ${maxRows} for update skip locked
        )) returning 1
      )
      select count(*)::int as count from gone`

  const findRemoved = SqlSchema.findOneOption({
    Request: unchecked<number>(),
    Result: Schema.Struct({ session_id: Session.Id }),
    execute: (seconds) =>
      sql`
        select session_id from svc_sessions where removed_at is not null and removed_at <= ${before(seconds)}
        order by removed_at limit 1`
  })

  /** A session whose removal was interrupted. It goes in pieces. */
  const removeSession = Effect.fnUntraced(function*(seconds: number) {
    const found = yield* findRemoved(seconds)
    if (Option.isNone(found)) return { count: 0 }
    yield* remove([found.value.session_id], Owner.anyone)
    return { count: 1 }
  })

  const statements: Readonly<Record<string, (seconds: number) => Statement.Statement<object>>> = {
    folds: fold,
    events,
    journals,
    idempotency,
    audit,
    nodes,
    jobs,
    usage,
    oauth: expiredGrants(sql),
    starts,
    ...Object.fromEntries(Object.entries(expiry).map(([task, { prune }]) => [task, prune(sql)]))
  }

  const prune = SqlSchema.findOne({
    Request: unchecked<
      { readonly statement: (seconds: number) => Statement.Statement<object>; readonly seconds: number }
    >(),
    Result: Pruned,
    execute: ({ seconds, statement }) => statement(Math.floor(seconds))
  })

  return RetentionStore.of({
    paused: Effect.fn("SqlRetentionStore.paused")(function*(seconds, after) {
      return yield* findPaused({ seconds: Math.floor(seconds), after })
    }, readOrUnavailable),
    prune: Effect.fn("SqlRetentionStore.prune")(function*(task, seconds) {
      if (task === "sessions") return (yield* removeSession(Math.floor(seconds))).count
      const statement = statements[task]
      // the service has no feature with such rows
      if (statement === undefined) return 0
      const { count } = yield* prune({ statement, seconds })
      const after = expiry[task]?.after
      if (after !== undefined && count === 0) yield* after(sql)
      return count
    }, orUnavailable)
  })
})

export const layer: Layer.Layer<RetentionStore, never, Expiry | SqlClient.SqlClient> = Layer.effect(
  RetentionStore,
  make
)
