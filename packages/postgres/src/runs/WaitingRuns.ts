// Runs that wait until their limits have room for them.
import * as Session from "@svc-runtime/domain/Session"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import { orUnavailable } from "../sql/orUnavailable.ts"
import { text } from "../sql/rows.ts"
import * as StartLimits from "./StartLimits.ts"

/**
 * Runs that are looked at in one statement. Users and components take turns: the first runs of all of them can be those
 * of one that has no room.
 */
const together = 100

export const make = (sql: SqlClient.SqlClient) => {
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
          ${sql.literal(StartLimits.counting("admitted"))}
        )
        select session_id from admitted`
  })

  return {
    admitWaiting: Effect.fn("SqlRunStore.admitWaiting")(function*(node: string) {
      return (yield* admit(node)).map(({ session_id }) => session_id)
    }, orUnavailable)
  }
}
