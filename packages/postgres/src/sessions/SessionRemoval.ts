// Removes sessions with all that is in them.
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import * as ChangedDays from "../metrics/ChangedDays.ts"
import { orUnavailable } from "../sql/orUnavailable.ts"
import * as Ownership from "../sql/Ownership.ts"
import { text, unchecked } from "../sql/rows.ts"

/** The maximum that one statement removes of a large session. */
const eventsAtOnce = 10_000
const runsAtOnce = 500

export const make = (sql: SqlClient.SqlClient): SessionStore["Service"]["remove"] => {
  const isCovered = (owner: Owner.Owner) => Ownership.coversIn(sql, "s", owner)

  // Large sessions are marked, so that nothing of them is visible while they are removed in pieces. Their approvals are
  // removed here, because approvals are listed without their sessions. A locked one goes with its session.
  const mark = SqlSchema.findOne({
    Request: unchecked<{ readonly ids: ReadonlyArray<Session.Id>; readonly owner: Owner.Owner }>(),
    Result: Schema.Struct({ isLarge: Schema.Boolean }),
    execute: ({ ids, owner }) => {
      const isWanted = sql`s.session_id = any(${ids.map(text)}) and ${isCovered(owner)}`
      return sql`
        with large as materialized (
          select count(*) = ${runsAtOnce} as runs, (
            select count(*) from (
              select from svc_sessions s join svc_runs r on r.session_id = s.session_id
                join svc_run_events e on e.run_seq = r.seq
              where ${isWanted} limit ${eventsAtOnce}
            ) counted
          ) = ${eventsAtOnce} as events
          from (
            select from svc_sessions s join svc_runs r on r.session_id = s.session_id where ${isWanted} limit ${runsAtOnce}
          ) counted
        ), marked as (
          update svc_sessions s set removed_at = extract(epoch from now())::bigint
          where s.session_id = any(array(
            select s.session_id from svc_sessions s
            where ${isWanted} and s.removed_at is null and (select runs or events from large)
            order by s.session_id for no key update
          ))
        ), removed_approvals as (
          delete from svc_approvals where id = any(array(
            select a.id from svc_sessions s join svc_approvals a on a.kept_with = s.session_id
            where ${isWanted} and (select runs or events from large) limit ${eventsAtOnce} for update of a skip locked
          ))
        )
        select runs or events as "isLarge" from large`
    }
  })

  // A large session loses its events first, and then its ended runs, in pieces: writers do not wait long, no statement
  // reaches its timeout, and an interrupted removal can be repeated.
  const removePiece = SqlSchema.findOne({
    Request: unchecked<{ readonly ids: ReadonlyArray<Session.Id>; readonly owner: Owner.Owner }>(),
    Result: Schema.Struct({ isPartial: Schema.Boolean }),
    execute: ({ ids, owner }) =>
      sql`
        with piece as (
          select e.run_seq, e.event_index
          from svc_sessions s join svc_runs r on r.session_id = s.session_id join svc_run_events e on e.run_seq = r.seq
          where s.session_id = any(${ids.map(text)}) and ${isCovered(owner)} limit ${eventsAtOnce}
        ), removed as (
          delete from svc_run_events e using piece
          where e.run_seq = piece.run_seq and e.event_index = piece.event_index
            and (select count(*) from piece) = ${eventsAtOnce}
        ), ended as (
          select r.seq from svc_runs r join svc_sessions s on s.session_id = r.session_id
          where s.session_id = any(${ids.map(text)}) and ${isCovered(owner)} and not r.is_unfinished
            and (select count(*) from piece) < ${eventsAtOnce}
          limit ${runsAtOnce}
        ), removed_runs as (
          delete from svc_runs where seq = any(array(
            select r.seq from svc_runs r
            where r.seq = any(array(select seq from ended)) and (select count(*) from ended) = ${runsAtOnce}
            order by r.seq for update
          ))
        )
        select (select count(*) from piece) = ${eventsAtOnce} or (select count(*) from ended) = ${runsAtOnce} as "isPartial"`
  })

  // Locks runs before their sessions, in the order of a finishing run, and sessions in the order of their ids, as the
  // removal of summaries does. Another order can deadlock.
  const removeAll = (ids: ReadonlyArray<Session.Id>, owner: Owner.Owner) =>
    sql`
      with doomed as (
        select r.seq from svc_runs r join svc_sessions s on s.session_id = r.session_id
        where s.session_id = any(${ids.map(text)}) and ${isCovered(owner)} order by r.seq for update of r
      ), locked as (
        select s.session_id, s.created_at from svc_sessions s
        where s.session_id = any(${ids.map(text)}) and ${isCovered(owner)} and (select count(*) from doomed) >= 0
        order by s.session_id for update
      ), changed_days as (
        ${sql.literal(ChangedDays.noted("locked", "extract(epoch from now())::bigint"))}
      )
      delete from svc_sessions where session_id = any(array(select session_id from locked))`

  return Effect.fn("SqlSessionStore.remove")(function*(ids: ReadonlyArray<Session.Id>, owner: Owner.Owner) {
    let isPartial = (yield* mark({ ids, owner })).isLarge
    while (isPartial) {
      isPartial = (yield* removePiece({ ids, owner })).isPartial
      yield* Effect.yieldNow
    }
    yield* removeAll(ids, owner)
  }, orUnavailable)
}
