// Finds the runs of many sessions that have to be cancelled before their sessions are removed.
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { RunReading } from "@svc-runtime/engine/run/store/RunReading"
import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema } from "effect/sql"
import { orUnavailable } from "../sql/orUnavailable.ts"
import * as Ownership from "../sql/Ownership.ts"
import { text, texts, unchecked } from "../sql/rows.ts"

interface Search {
  readonly sessions: ReadonlyArray<Session.Id>
  readonly owner: Owner.Owner
  readonly limit: number
}

export const make = (sql: SqlClient.SqlClient): RunReading["Service"]["unfinished"] => {
  const find = SqlSchema.findAll({
    Request: unchecked<Search>(),
    Result: Schema.Struct({ run_id: Run.Id, session_id: Session.Id }),
    execute: ({ limit, owner, sessions }) =>
      sql`
        select r.run_id, r.session_id from svc_sessions s
          join svc_runs r on r.session_id = s.session_id and r.is_unfinished and not r.cancel_requested
        where s.session_id = any(${texts(sessions.map(text))}) and ${Ownership.isVisible(sql, owner)} limit ${limit}`
  })
  return Effect.fn("SqlRunStore.unfinished")(
    (sessions, owner, limit) => find({ sessions, owner, limit }),
    (effect) => orUnavailable(effect)
  )
}
