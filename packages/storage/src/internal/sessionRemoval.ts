// Removes sessions with all that is in them.
import type * as Owner from "@svc/domain/Owner"
import type * as Session from "@svc/domain/Session"
import type { SessionStore } from "@svc/runtime/session/SessionStore"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import { orUnavailable } from "./orUnavailable.ts"
import * as Ownership from "./ownership.ts"
import { text, unchecked } from "./rows.ts"

/** The maximum that one statement removes of a large session. */
const eventsAtOnce = 10_000
const runsAtOnce = 500

export const make = (sql: SqlClient.SqlClient): SessionStore["Service"]["remove"] => {
  const isCovered = (owner: Owner.Owner) => Ownership.covers(sql, "s.user_id", owner)

  // A large session loses its events first, and then its ended runs, in pieces: writers do not wait long, no statement
  // reaches its timeout, and an interrupted removal can be repeated.
  const removePiece = SqlSchema.findAll({
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
        select s.session_id from svc_sessions s
        where s.session_id = any(${ids.map(text)}) and ${isCovered(owner)} and (select count(*) from doomed) >= 0
        order by s.session_id for update
      )
      delete from svc_sessions where session_id = any(array(select session_id from locked))`

  return Effect.fn("SqlSessionStore.remove")(function*(ids: ReadonlyArray<Session.Id>, owner: Owner.Owner) {
    while ((yield* removePiece({ ids, owner }))[0]?.isPartial === true) yield* Effect.yieldNow
    yield* removeAll(ids, owner)
  }, orUnavailable)
}
